"""A scripted person at a seat: reads the screen, types, and follows the contest's phases.

What a judge or a confederate does in each phase is in people.py. All waiting is
by the contest's clock, so a person is as fast as the contest.
"""

from __future__ import annotations

import asyncio
import math
import random
from collections.abc import AsyncIterator, Mapping, Sequence
from typing import ClassVar, Literal, Protocol, runtime_checkable

from contest.scripted.characters import Character
from lpp.clock import Clock
from lpp.names import BACKSPACE_CHAR, char_of
from lpp.pace import Pace
from lpp.wire import Author, Phase, Place, RankThese, State

#: Seconds between two looks at the screen.
LOOK = 1.0
#: Seconds without a key after which an unfinished line counts as finished: not every program sends
#: a Return.
PAUSE = 4.0
#: Hands that are late by more seconds than this don't catch up.
LATE = 0.5


@runtime_checkable
class Seat(Protocol):
    """A judge's or a confederate's seat, as a console's client offers it.

    Iterating gives the server's frames (`lpp.wire.ToSeat`), and ends when the seat is closed. The
    properties are up to date when a frame comes out.
    """

    @property
    def phase(self) -> Phase:
        """The contest's phase."""

    @property
    def round(self) -> int:
        """The number of the round, from 1; 0 before the first."""

    @property
    def places(self) -> tuple[Place, ...]:
        """The places of this round's talks: left and right for a judge, else only."""

    def remaining(self) -> float | None:
        """Seconds of contest time that the phase has left; None without a limit."""

    def keys(self, place: Place) -> Sequence[tuple[Author, str]]:
        """The screen at a place, as (author, key name) in the order of showing, own keys
        included."""

    async def press(self, place: Place, key: str) -> bool:
        """Presses a key; False if it does not count because no talk goes on."""

    async def verdict(
        self, human: Literal["left", "right"], confidence: int | None = None, reason: str = ""
    ) -> None:
        """Says where the human sat; confidence from 0 (can't tell) to 100 (sure)."""

    async def rank(self, half_steps: Mapping[str, int]) -> None:
        """Ranks all: label to twice the rank, 2 = first."""

    def __aiter__(self) -> AsyncIterator[object]:
        """The server's frames."""


class Transcript:
    """A talk as somebody reads it from the screen.

    Attributes:
        lines: the finished lines as (author, text), in the order of their ends; no blank ones.
        unsent: author to the line that is not finished.
    """

    def __init__(self) -> None:
        self.lines: list[tuple[Author, str]] = []
        self.unsent: dict[Author, str] = {"judge": "", "entity": ""}
        self._last: dict[Author, float] = dict.fromkeys(self.unsent, -math.inf)
        self._read = 0

    def read(self, shown: Sequence[tuple[Author, str]], now: float) -> None:
        """Reads what is new on the screen.

        Arguments:
            shown: the whole screen, as (author, key name).
            now: the time, in seconds.
        """
        for author, key in shown[self._read :]:
            self._last[author] = now
            char = char_of(key)
            if char == BACKSPACE_CHAR:
                self.unsent[author] = self.unsent[author][:-1]
            elif char == "\n":
                self._finish(author)
            elif char is not None:
                self.unsent[author] += char
        self._read = max(self._read, len(shown))  # a seat that reconnects shows nothing at first
        for author in self.unsent:
            if self.silence(author, now) >= PAUSE:
                self._finish(author)

    def silence(self, author: Author, now: float) -> float:
        """Seconds since an author's last key; infinite before the first."""
        return now - self._last[author]

    def by(self, author: Author) -> list[str]:
        """The finished lines of one author."""
        return [text for by, text in self.lines if by == author]

    def _finish(self, author: Author) -> None:
        if self.unsent[author].strip():
            self.lines.append((author, self.unsent[author]))
        self.unsent[author] = ""


class Turn:
    """One person's part in one attempt at a round: eyes and hands.

    Arguments:
        seat: where the person sits.
        clock: the contest's clock.
        pace: how the person types.
        rng: the source of chance.
    """

    def __init__(self, seat: Seat, clock: Clock, pace: Pace, rng: random.Random) -> None:
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
        """Waits, and reads every screen meanwhile."""
        for _ in range(math.ceil(seconds / LOOK)):
            await self.clock.sleep(LOOK)
            for place in self.seat.places:
                self.read(place)

    async def type(self, place: Place, text: str) -> None:
        """Types a text, with this person's pace and corrections; a pause of the round interrupts
        it.

        Arguments:
            place: in which talk.
            text: what is to appear there; a newline is Return.
        """
        # Each key is due at a time counted from the first, so that the loop's overhead does not
        # slow a person down when the contest runs fast.
        due = self.clock.now()
        for stroke in self._pace.strokes(text, self.rng):
            due = max(due, self.clock.now() - LATE) + stroke.delay
            await self.clock.sleep(due - self.clock.now())
            while not await self.seat.press(place, stroke.key):
                await self.clock.sleep(LOOK)  # the snapshot is on its way, or the round is paused
                due = self.clock.now()
            self.read(place)


class Person:
    """A scripted person; subclasses say what is done in each phase.

    Arguments:
        character: who this is.
        seed: with the same seed, seat and clock a person does the same again.

    Attributes:
        own: `judge`, or `entity` for a confederate.
    """

    own: ClassVar[Author]

    def __init__(self, character: Character, seed: int = 0) -> None:
        self.character = character
        self._seed = seed

    async def play(self, seat: Seat, clock: Clock) -> None:
        """Plays the contest; returns when it is over, or the seat is closed.

        Arguments:
            seat: where to sit.
            clock: the contest's clock.
        """
        try:
            async with asyncio.TaskGroup() as group:
                await self._follow(seat, clock, group)
                raise _Over
        except* _Over:
            pass

    async def _follow(self, seat: Seat, clock: Clock, group: asyncio.TaskGroup) -> None:
        turn: Turn | None = None
        task: asyncio.Task[None] | None = None
        doing: tuple[int, int, Phase] = (0, 0, "before")
        labels: frozenset[str] = frozenset()
        async for frame in seat:
            match frame:
                case State(phase="over"):
                    return
                case State(phase="paused"):
                    pass  # Turn.type waits until the round goes on
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
        """What this person does while the round's talks go on; cancelled at their end."""

    async def score(self, turn: Turn) -> None:
        """What this person does in the minutes after the talks; cancelled at their end."""

    async def rank(self, seat: Seat, clock: Clock, asked: RankThese) -> None:
        """What this person does when asked to rank everybody."""


class _Over(Exception):
    """The contest is over, or the seat is closed: what this person still does is cancelled."""
