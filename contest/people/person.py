"""Somebody at a seat, as long as the contest lasts: eyes, hands and a sense of what phase it is.

`Person.play` follows the phases; what a judge or a confederate does in each is theirs (judge.py,
confederate.py). All waiting is by the contest's clock, so a person is as fast as the contest is.
"""

from __future__ import annotations

import asyncio
import random
from abc import ABC, abstractmethod

from contest.people.seat import Seat
from contest.people.seen import Seen
from lpp.clock import Clock
from lpp.errors import NotAKey
from lpp.names import name_of
from lpp.pace import Pace
from lpp.wire import Author, Key, Phase, Place, RankThese, State, Talk

#: Seconds until a key that does not count yet is tried again.
TRY_AGAIN = 0.5
#: Hands that are late by more seconds than this do not catch up: a burst is no typing.
LATE = 0.5


class Sitting:
    """One person in one round: what is seen at each place, and hands that type.

    Arguments:
        seat: where the person sits.
        clock: the contest's clock.
        pace: how the person types.
        rng: where chance comes from.
        own: under which author's name the person types.

    Attributes:
        seen: each talk as it has unfolded before this person, by place.
    """

    def __init__(
        self, seat: Seat, clock: Clock, pace: Pace, rng: random.Random, own: Author
    ) -> None:
        self.seat = seat
        self.clock = clock
        self.rng = rng
        self.own = own
        self.seen: dict[Place, Seen] = {place: Seen() for place in seat.places}
        self._pace = pace
        self._news: asyncio.Future[None] | None = None
        self._running = asyncio.Event()
        self.look()

    def look(self, frame: object = None) -> None:
        """Brings `seen` up to what the screen shows.

        Arguments:
            frame: what has happened; a snapshot makes everything be looked at anew.
        """
        before = [seen.news for seen in self.seen.values()]
        for place in self.seat.places:
            seen = self.seen.setdefault(place, Seen())
            replaced = isinstance(frame, Talk) and frame.place == place
            seen.catch_up(self.seat.keys(place), self.clock.now(), replaced)
        if self.seat.phase == "interaction":
            self._running.set()
        else:
            self._running.clear()
        # Keys inside a line wake nobody: whoever waits for a pause looks again when it may be one.
        after = [seen.news for seen in self.seen.values()]
        if self._news is not None and (after != before or not isinstance(frame, Key)):
            _wake(self._news)

    async def news(self, seconds: float) -> None:
        """Waits until somebody begins or ends a line, or the phase changes, but so many seconds at
        most."""
        news = self._news = asyncio.get_running_loop().create_future()
        sleeping = asyncio.ensure_future(self.clock.sleep(seconds))
        sleeping.add_done_callback(lambda _: _wake(news))
        try:
            await news
        finally:
            sleeping.cancel()
            self._news = None

    async def type(self, place: Place, text: str) -> bool:
        """Types a text, with this person's pace and corrections.

        Arguments:
            place: in which talk.
            text: what is to stand there; a newline is Return. Characters that no key press
                carries are left out.

        Returns:
            Whether all of it could be typed: a talk can end in the middle.
        """
        typable = "".join(char for char in text if _is_key(char))
        # Each key has its time, counted from the first, so that an overhead of the loop does not
        # make a person slower when the contest is fast.
        due = self.clock.now()
        for stroke in self._pace.strokes(typable, self.rng):
            due = max(due, self.clock.now() - LATE) + stroke.delay
            await self.clock.sleep(due - self.clock.now())
            if not self._running.is_set():
                await self._running.wait()
                due = self.clock.now()
            if not await self._press(place, stroke.key):
                return False
        return True

    async def _press(self, place: Place, key: str) -> bool:
        while not await self.seat.press(place, key):
            # The talk's snapshot may be under way, or a pause has begun.
            if self.seat.phase not in ("interaction", "paused"):
                return False
            await self.clock.sleep(TRY_AGAIN)
        self.seen[place].catch_up(self.seat.keys(place), self.clock.now(), False)
        return True


def _is_key(char: str) -> bool:
    try:
        name_of(char)
    except NotAKey:
        return False
    return True


def _wake(waiting: asyncio.Future[None]) -> None:
    if not waiting.done():
        waiting.set_result(None)


class Person(ABC):
    """A scripted person.

    Arguments:
        name: who it is.
        pace: how this person types.
        own: `judge`, or `entity` for a confederate.
        seed: with the same seed, seat and clock a person does the same again.
    """

    def __init__(self, name: str, pace: Pace, own: Author, seed: int) -> None:
        self.name = name
        self.pace = pace
        self.own = own
        self._seed = seed

    async def play(self, seat: Seat, clock: Clock) -> None:
        """Lives through the contest; returns when it is over, or the seat is closed.

        Arguments:
            seat: where to sit.
            clock: the contest's clock.

        Raises:
            whatever iterating the seat raises; nothing on account of what the others type.
        """
        try:
            async with asyncio.TaskGroup() as group:
                await self._follow(seat, clock, group)
                raise _Over
        except* _Over:
            pass  # which has ended whatever was still going on

    async def _follow(self, seat: Seat, clock: Clock, group: asyncio.TaskGroup) -> None:
        sitting: Sitting | None = None
        doing: tuple[int, int, Phase] = (0, 0, "before")
        task: asyncio.Task[None] | None = None
        ranking: frozenset[str] = frozenset()
        async for frame in seat:
            match frame:
                case State(phase="over"):
                    return
                case State(phase="paused"):
                    pass  # no key counts for a while; Sitting.type waits for its end
                case State() if (frame.round, frame.attempt, frame.phase) != doing:
                    if task is not None:
                        task.cancel()
                    if (frame.round, frame.attempt) != doing[:2] or sitting is None:
                        rng = random.Random(
                            f"{self._seed}/{self.name}/{frame.round}/{frame.attempt}"
                        )
                        sitting = Sitting(seat, clock, self.pace, rng, self.own)
                    doing = (frame.round, frame.attempt, frame.phase)
                    if frame.phase == "interaction":
                        task = group.create_task(self.talk(sitting, frame.round))
                    elif frame.phase == "scoring":
                        task = group.create_task(self.score(sitting, frame.round))
                case RankThese() if frozenset(frame.participants) != ranking:
                    ranking = frozenset(frame.participants)
                    group.create_task(self.rank(seat, clock, frame))
                case _:
                    pass
            if sitting is not None:
                sitting.look(frame)

    @abstractmethod
    async def talk(self, sitting: Sitting, round_: int) -> None:
        """What this person does while the round's talks go on; cancelled at their end."""

    @abstractmethod
    async def score(self, sitting: Sitting, round_: int) -> None:
        """What this person does in the minutes after the talks; cancelled at their end."""

    @abstractmethod
    async def rank(self, seat: Seat, clock: Clock, asked: RankThese) -> None:
        """What this person does when all are to be ranked."""


class _Over(Exception):
    """The contest is over, or the seat is closed."""
