"""A scripted person at a seat: reads the screen, types, and follows the contest's phases.

What a judge or a confederate does in each phase is in people.py. All waiting uses the contest's
clock, so a person is as fast as the contest.
"""

from __future__ import annotations

import asyncio
import math
import random
from collections.abc import AsyncIterator, Mapping, Sequence
from typing import ClassVar, Literal, Protocol, runtime_checkable

from contest.scripted.characters import Character
from lpp.clock import Clock
from lpp.lines import LineEditor
from lpp.pace import Pace
from lpp.wire import Author, Phase, Place, RankThese, State

#: Seconds between two looks at the screen.
LOOK = 1.0
#: Seconds without a key after which an unfinished line counts as finished, because not every
#: program sends a Return.
PAUSE = 4.0
#: Typing that is late by more seconds than this doesn't catch up.
LATE = 0.5


@runtime_checkable
class SeatInterface(Protocol):
    """A judge's or a confederate's seat, as offered by a console's client.

    Iterating gives the server's frames (`lpp.wire.ToSeat`), and ends when the seat is closed. When
    a frame is returned, the properties are up to date.
    """

    @property
    def phase(self) -> Phase:
        """The contest's phase."""

    @property
    def round(self) -> int:
        """The number of the round, from 1; 0 before the first."""

    @property
    def places(self) -> tuple[Place, ...]:
        """The places of this round's talks: `left` and `right` for a judge, otherwise `only`."""

    def remaining(self) -> float | None:
        """Seconds of contest time left in the phase; None without a limit."""

    def keys(self, place: Place) -> Sequence[tuple[Author, str]]:
        """The screen at a place, as (author, key name) in the order shown, including own keys."""

    async def press(self, place: Place, key: str) -> bool:
        """Presses a key; False if it does not count because no talk is running."""

    async def verdict(
        self, human: Literal["left", "right"], confidence: int | None = None, reason: str = ""
    ) -> None:
        """Gives the verdict: the human's side, and a confidence from 0 (can't tell) to 100."""

    async def rank(self, half_steps: Mapping[str, int]) -> None:
        """Gives the ranking: label to twice the rank, 2 = first."""

    def __aiter__(self) -> AsyncIterator[object]:
        """The server's frames."""


class Transcript:
    """A talk as read from the screen.

    Attributes:
        lines: the finished lines as (author, text), in the order of their ends, without blank ones.
        editors: author to unfinished line.
    """

    def __init__(self) -> None:
        self.lines: list[tuple[Author, str]] = []
        self.editors: dict[Author, LineEditor] = {"judge": LineEditor(), "entity": LineEditor()}
        self._last: dict[Author, float] = dict.fromkeys(self.editors, -math.inf)
        self._read = 0

    def read(self, shown: Sequence[tuple[Author, str]], now: float) -> None:
        """Reads the new keys on the screen.

        Arguments:
            shown: the whole screen, as (author, key name).
            now: the time, in seconds.
        """
        for author, key in shown[self._read :]:
            self._last[author] = now
            self._add(author, self.editors[author].press(key))
        self._read = max(self._read, len(shown))  # after a reconnect the screen is empty at first
        for author, editor in self.editors.items():
            if self.silence(author, now) >= PAUSE:
                self._add(author, editor.take())

    def silence(self, author: Author, now: float) -> float:
        """Seconds since an author's last key; infinite before the first."""
        return now - self._last[author]

    def by(self, author: Author) -> list[str]:
        """The finished lines of one author."""
        return [text for by, text in self.lines if by == author]

    def _add(self, author: Author, line: str | None) -> None:
        if line is not None and line.strip():
            self.lines.append((author, line))


class Turn:
    """One person's reading and typing in one attempt at a round.

    Arguments:
        seat: the person's seat.
        clock: the contest's clock.
        pace: how the person types.
        rng: the source of randomness.
    """

    def __init__(self, seat: SeatInterface, clock: Clock, pace: Pace, rng: random.Random) -> None:
        self.seat = seat
        self.clock = clock
        self.rng = rng
        self._pace = pace
        self._transcripts: dict[Place, Transcript] = {}

    def read(self, place: Place) -> Transcript:
        """Reads the screen at a place."""
        transcript = self._transcripts.setdefault(place, Transcript())
        transcript.read(self.seat.keys(place), self.clock.now())
        return transcript

    async def look(self, seconds: float = LOOK) -> None:
        """Waits while reading every screen."""
        for _ in range(math.ceil(seconds / LOOK)):
            await self.clock.sleep(LOOK)
            for place in self.seat.places:
                self.read(place)

    async def type(self, place: Place, text: str) -> None:
        """Types a text, with this person's pace and corrections; a pause of the round interrupts
        it.

        Arguments:
            place: the talk.
            text: the text that should appear there; a newline is Return.
        """
        # Each key's time is counted from the first key, so that the loop's overhead does not slow
        # a person down when the contest runs fast.
        due = self.clock.now()
        for stroke in self._pace.strokes(text, self.rng):
            due = max(due, self.clock.now() - LATE) + stroke.delay
            await self.clock.sleep(due - self.clock.now())
            while not await self.seat.press(place, stroke.key):
                await self.clock.sleep(LOOK)  # no screen yet, or the round is paused
                due = self.clock.now()
            self.read(place)


class Person:
    """A scripted person; subclasses define what the person does in each phase.

    Arguments:
        character: the character.
        seed: with the same seed, seat and clock, a person does the same again.

    Attributes:
        author: `judge`, or `entity` for a confederate.
    """

    author: ClassVar[Author]

    def __init__(self, character: Character, seed: int = 0) -> None:
        self.character = character
        self._seed = seed

    async def play(self, seat: SeatInterface, clock: Clock) -> None:
        """Plays the contest; returns when it is over, or the seat is closed.

        Arguments:
            seat: the person's seat.
            clock: the contest's clock.
        """
        try:
            async with asyncio.TaskGroup() as group:
                await self._follow(seat, clock, group)
                raise _Closed
        except* _Closed:
            pass

    async def _follow(self, seat: SeatInterface, clock: Clock, group: asyncio.TaskGroup) -> None:
        turn: Turn | None = None
        task: asyncio.Task[None] | None = None
        doing: tuple[int, int, Phase] = (0, 0, "before")
        labels: frozenset[str] = frozenset()
        async for frame in seat:
            match frame:
                case State(phase="over"):
                    return
                case State(phase="paused"):
                    pass  # Turn.type waits until the round is resumed
                case State() if (frame.round, frame.attempt, frame.phase) != doing:
                    if task is not None:
                        task.cancel()
                    if (frame.round, frame.attempt) != doing[:2] or turn is None:
                        rng = random.Random(
                            f"{self._seed}/{self.character.name}/{frame.round}/{frame.attempt}"
                        )
                        turn = Turn(seat, clock, self.character.pace, rng)
                    doing = (frame.round, frame.attempt, frame.phase)
                    if not seat.places:
                        pass  # no talks in this round
                    elif frame.phase == "interaction":
                        task = group.create_task(self.talk(turn))
                    elif frame.phase == "scoring":
                        task = group.create_task(self.score(turn))
                case RankThese() if frozenset(frame.participants) != labels:
                    labels = frozenset(frame.participants)
                    group.create_task(self.rank(seat, clock, frame))
                case _:
                    pass

    async def talk(self, turn: Turn) -> None:
        """Acts during the round's talks; cancelled at their end."""

    async def score(self, turn: Turn) -> None:
        """Acts during scoring; cancelled at its end."""

    async def rank(self, seat: SeatInterface, clock: Clock, asked: RankThese) -> None:
        """Acts when asked to rank everybody."""


class _Closed(Exception):
    """Cancels the person's tasks when the contest is over, or the seat is closed."""
