"""A console with a person who does what a seat is asked for at once."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field

from contest.live.conductor import Conductor
from contest.state.model import desk
from lpp import wire


@dataclass
class Console:
    """A person who types some keys at each place when a round begins, decides for the left side,
    and ranks in the order of the labels; again only if the server has lost it.

    Attributes:
        conductor: the contest's.
        id: the seat.
        keys: what the person types.
        decides: whether the person decides and ranks.
        frames: the frames that the seat got.
        closed: why the server ended the connection; empty if it has not.
    """

    conductor: Conductor
    id: str
    keys: Sequence[str] = ("H", "i", "Return")
    decides: bool = True
    frames: list[wire.ToSeat] = field(default_factory=list)
    closed: str = ""

    def sit(self) -> Console:
        """Takes the seat."""
        self.seat = self.conductor.seats.seats[self.id]
        self.conductor.seats.join(self.id, wire.Hello("", take_over=True), self)
        return self

    def send(self, frame: wire.ToSeat) -> None:
        self.frames.append(frame)
        asyncio.get_running_loop().call_soon(self._answer, frame)

    def close(self, why: str) -> None:
        self.closed = why

    def states(self) -> list[wire.State]:
        """The states that the seat got."""
        return [frame for frame in self.frames if isinstance(frame, wire.State)]

    def _answer(self, frame: wire.ToSeat) -> None:
        say, state = self.conductor.seats.handle, self.conductor.state
        match frame:
            case wire.State(phase="interaction"):
                for place in frame.places:
                    for n, key in enumerate(self.keys, 1):
                        say(self.seat, wire.Press(frame.round, frame.attempt, place, n, key))
            case wire.State(phase="scoring") if self.decides and self.seat.role == "judge":
                if desk(frame.round, frame.attempt, self.id) not in state.verdicts:
                    say(self.seat, wire.Verdict(frame.round, frame.attempt, "left"))
            case wire.RankThese() if self.decides and self.id not in state.rankings:
                ranks = {label: 2 * n for n, label in enumerate(frame.participants, 1)}
                say(self.seat, wire.Ranks(ranks))
