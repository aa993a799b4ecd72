"""A table in memory: one judge and two others, without any server, for rehearsing people.

`Table` offers three seats and holds rounds on a clock. Tests sit scripted people, and whatever odd
programs they can think of, at it, on virtual time.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from lpp.clock import Clock
from lpp.wire import (
    Author,
    Key,
    Phase,
    Place,
    RankThese,
    Saved,
    State,
    Talk,
    ToSeat,
    Verdict,
)

#: When a key was pressed, in seconds, by whom, and its name.
TimedKey: TypeAlias = tuple[float, Author, str]


@dataclass
class _Pane:
    shown: list[tuple[Author, str]] = field(default_factory=list)
    timed: list[TimedKey] = field(default_factory=list)
    count: dict[Author, int] = field(default_factory=lambda: {"judge": 0, "entity": 0})


class TableSeat:
    """A seat at the table; it is a `contest.scripted.Seat`."""

    def __init__(self, table: Table, own: Author, panes: Mapping[Place, Place]) -> None:
        self._table = table
        self._own = own
        self._panes = panes
        self._frames: asyncio.Queue[ToSeat] = asyncio.Queue()
        self.verdicts: list[Verdict] = []
        self.ranking: dict[str, int] | None = None

    @property
    def phase(self) -> Phase:
        """The contest's phase."""
        return self._table.phase

    @property
    def round(self) -> int:
        """The number of the round."""
        return self._table.round

    @property
    def attempt(self) -> int:
        """Which attempt at this round."""
        return self._table.attempt

    @property
    def places(self) -> tuple[Place, ...]:
        """The places of this seat's talks."""
        return tuple(self._panes)

    def remaining(self) -> float | None:
        """What is left of the phase, in seconds."""
        return self._table.remaining()

    def keys(self, place: Place) -> list[tuple[Author, str]]:
        """What is shown at a place."""
        return self._table.panes[self._panes[place]].shown

    async def press(self, place: Place, key: str) -> bool:
        """Presses a key; it is shown to the other side at once."""
        if self.phase != "interaction":
            return False
        self._table.pressed(self._panes[place], self._own, key)
        return True

    async def verdict(
        self, human: Literal["left", "right"], confidence: int | None = None, reason: str = ""
    ) -> None:
        """Takes the verdict down."""
        self.verdicts.append(Verdict(self.round, self.attempt, human, confidence, reason))
        self.tell(Saved("verdict", len(self.verdicts), "2010-10-23T17:00:00Z"))

    async def rank(self, half_steps: Mapping[str, int]) -> None:
        """Takes the ranking down."""
        self.ranking = dict(half_steps)
        self.tell(Saved("ranking", 1, "2010-10-23T17:00:00Z"))

    def tell(self, frame: ToSeat) -> None:
        """Something happens at this seat."""
        self._frames.put_nowait(frame)

    async def __aiter__(self) -> AsyncIterator[object]:
        while True:
            yield await self._frames.get()


class Table:
    """One judge, and an entity on the left and on the right.

    Arguments:
        clock: the clock of the contest.
        interaction, scoring: the phases' lengths, in seconds.
    """

    def __init__(self, clock: Clock, interaction: float = 1500.0, scoring: float = 300.0) -> None:
        self.phase: Phase = "before"
        self.round = 0
        self.attempt = 1
        self.panes: dict[Place, _Pane] = {"left": _Pane(), "right": _Pane()}
        self.judge = TableSeat(self, "judge", {"left": "left", "right": "right"})
        self.left = TableSeat(self, "entity", {"only": "left"})
        self.right = TableSeat(self, "entity", {"only": "right"})
        self._clock = clock
        self._lengths = {"interaction": interaction, "scoring": scoring}
        self._ends: float | None = None

    def remaining(self) -> float | None:
        """What is left of the phase, in seconds."""
        return None if self._ends is None else max(0.0, self._ends - self._clock.now())

    def talk(self, place: Place) -> list[TimedKey]:
        """A talk's keys as they were pressed, with their times in seconds."""
        return self.panes[place].timed

    async def hold(self, rounds: int = 1, rank: bool = True) -> None:
        """Holds a contest: rounds, the ranking, and the end."""
        for number in range(1, rounds + 1):
            await self.hold_round(number)
        if rank:
            met = range(1, rounds + 1)
            self.enter("ranking")
            self.judge.tell(
                RankThese(
                    {
                        "A": [(number, 1, "left") for number in met],
                        "B": [(number, 1, "right") for number in met],
                    }
                )
            )
            await self._clock.sleep(60.0)
        self.enter("over")

    async def hold_round(self, number: int, attempt: int = 1) -> None:
        """Holds one round from its beginning to the end of scoring."""
        self.begin(number, attempt)
        await self._last("interaction")
        await self._last("scoring")
        self.enter("closed")

    def begin(self, number: int, attempt: int = 1) -> None:
        """Clears both panes for a round, without entering any phase."""
        self.round, self.attempt = number, attempt
        self.panes.update({"left": _Pane(), "right": _Pane()})

    async def _last(self, phase: Phase) -> None:
        length = self._lengths[phase]
        self.enter(phase, length)
        await self._clock.sleep(length)

    def enter(self, phase: Phase, length: float | None = None) -> None:
        """Enters a phase, and says so at all seats; the talks' snapshots follow."""
        self.phase = phase
        self._ends = None if length is None else self._clock.now() + length
        milliseconds = None if length is None else round(1000 * length)
        for seat in (self.judge, self.left, self.right):
            seat.tell(State(phase, self.round, self.attempt, seat.places, milliseconds))
            if phase == "interaction":
                for place in seat.places:
                    seat.tell(Talk(self.round, self.attempt, place, list(seat.keys(place))))

    def pressed(self, pane: Place, author: Author, key: str) -> None:
        """A key was pressed by an author in a pane of the judge's."""
        talk = self.panes[pane]
        talk.shown.append((author, key))
        talk.timed.append((self._clock.now(), author, key))
        talk.count[author] += 1
        number = talk.count[author]
        if author == "entity":
            self.judge.tell(Key(self.round, self.attempt, pane, author, number, key))
        else:
            other = self.left if pane == "left" else self.right
            other.tell(Key(self.round, self.attempt, "only", author, number, key))
