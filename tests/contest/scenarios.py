"""Random contests on virtual time: the organizer gives any order at any time, and the server is
killed and restarted. Tests of properties use their records."""

from __future__ import annotations

import asyncio
import contextlib
import random
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from contest.errors import BadOrder, ContestError, WrongMoment
from contest.live import decisions
from contest.live.clock import ContestClock
from contest.live.conductor import Conductor, Sealed
from contest.record import bodies
from contest.record.events import Event
from contest.record.store import Record, sqlite_url
from contest.results.contest import Contest
from contest.setup import settings
from contest.setup.planning import schedule_of
from contest.state.reducer import fold
from contest.state.schedules import read_schedule
from lpp import wire
from lpp.clock import LoopClock
from tests.conftest import virtual_loop
from tests.contest.journals import InlineJournal

SETTINGS = """\
[contest]
name = "Anything goes"

[rules]
rounds = 2
interaction_minutes = 5
scoring_minutes = 2
ranking_minutes = 4
schedule = "plan.txt"

[publication]
default = "publish"

[[judge]]
id = "J1"
name = "Ada"
[[judge]]
id = "J2"
[[entry]]
id = "E1"
[[entry]]
id = "E2"
[[confederate]]
id = "C1"
name = "Grace"
[[confederate]]
id = "C2"
"""
PLAN = "Round 1 J1E1C1 J2E2C2\nRound 2 J1E2C2 J2E1C1\n"


@dataclass
class Console:
    """A person who sometimes types, sometimes answers about publication, and decides."""

    conductor: Conductor
    id: str
    rng: random.Random

    def sit(self) -> None:
        self.seat = self.conductor.seats.seats[self.id]
        self.conductor.seats.join(self.id, wire.Hello("", take_over=True), self)

    def send(self, frame: wire.ToSeat) -> None:
        asyncio.get_running_loop().call_soon(self._answer, frame)

    def close(self, why: str) -> None:
        pass

    def _answer(self, frame: wire.ToSeat) -> None:
        say, rng = self.conductor.seats.handle, self.rng
        match frame:
            case wire.State(phase="scoring" | "closed") if self.id.startswith("J"):
                if rng.random() < 0.8:
                    place: bodies.Place = "left" if rng.random() < 0.5 else "right"
                    say(self.seat, wire.Verdict(frame.round, frame.attempt, place))
            case wire.RankThese() if rng.random() < 0.9:
                ranks = {label: 2 * n for n, label in enumerate(frame.participants, 1)}
                say(self.seat, wire.Ranks(ranks))

    def type(self) -> None:
        """Presses some keys at each place."""
        for place, talk in self.seat.talks.items():
            for _ in range(self.rng.randrange(4)):
                n = self.conductor.hub.talks[talk.id].accepted[self.seat.author] + 1
                key = self.rng.choice(("H", "i", "Return", "BackSpace", "F7"))
                frame = wire.Press(talk.round, talk.attempt, place, n, key)
                self.conductor.seats.handle(self.seat, frame)
            for author in ("judge", "entity"):
                if author != self.seat.author and self.rng.random() < 0.5:
                    n = self.rng.randrange(1, 20)
                    seen = wire.Shown(talk.round, talk.attempt, place, author, n)
                    self.conductor.seats.handle(self.seat, seen)
        if self.rng.random() < 0.1:
            self.conductor.seats.handle(self.seat, wire.Consent(self.rng.random() < 0.6))


def played(rng: random.Random, place: Path) -> list[Event]:
    """The events of a random contest.

    Arguments:
        rng: the source of randomness.
        place: an empty folder.
    """
    (place / "plan.txt").write_text(PLAN, encoding="utf-8")
    with asyncio.Runner(loop_factory=virtual_loop) as runner:
        return runner.run(_play(rng, place))


async def _play(rng: random.Random, place: Path) -> list[Event]:
    with Record(sqlite_url(place / "record.db"), create=True) as record:
        for _ in range(6):
            if not await _life(rng, record, place):
                break
        return list(record.events())


async def _life(rng: random.Random, record: Record, place: Path) -> bool:
    """Runs one server; returns whether the contest continues with another."""
    own = settings.parse(SETTINGS)
    state = fold(record.events())
    begun = state.opened is not None
    clock = ContestClock(LoopClock(), state.last_ns / 1e9)
    clock.start()
    async with InlineJournal(record, clock) as journal:
        schedule = read_schedule(state.schedule) if begun else schedule_of(own, place)
        seals = {n: Sealed(**v) for n, v in record.unseal("side/").items()}
        conductor = Conductor(*(own, schedule, journal), rng=rng, state=state, seals=seals)
        if begun:
            journal.write(None, "server", bodies.TakenUp("test"))
        else:
            await conductor.open()
        play = asyncio.create_task(conductor.play())
        consoles = [Console(conductor, seat, rng) for seat in conductor.seats.seats]
        for console in consoles:
            console.sit()
        try:
            for _ in range(40):
                await asyncio.sleep(rng.choice((0, 0.1, 5, 30, 90)))
                if play.done():
                    play.result()
                    if conductor.state.result is None:
                        result = Contest.of(record.log()).result()
                        await journal.write_and_wait(None, "server", result)
                    return False
                for console in consoles:
                    console.type()
                _happen(rng, journal)
                with contextlib.suppress(WrongMoment, BadOrder):
                    _order(rng, conductor)
                if rng.random() < 0.03:
                    break
        finally:
            play.cancel()
            await asyncio.wait([play])
    return True


def _happen(rng: random.Random, journal: InlineJournal) -> None:
    if rng.random() < 0.15:
        body = rng.choice(
            (
                bodies.EntryStarted("E1", ["x"]),
                bodies.EntryExited("E1", 1),
                bodies.Breach("E1", "2.A.b", "x", "?"),
                bodies.LeftOvers("E2", ["a"]),
                bodies.SeatLeft("J1"),
                bodies.CodeIssued("J2"),
                bodies.Trouble("somewhere", "/a/b"),
                bodies.DelaysDiffer(1, 1, "J1", "judge", 1, 200),
                bodies.OrderProposed(3, {"action": "final"}, "why", 1, 1, "closed"),
                bodies.OrderConfirmed(3),
                bodies.OrderDropped(4),
            )
        )
        journal.write(None, "server", body)


def _order(rng: random.Random, conductor: Conductor) -> Any:
    talks = [*conductor.hub.talks, "1.1", "2.1", "J1"]
    match rng.randrange(16):
        case 0 | 1 | 2 | 3:
            return conductor.start()
        case 4:
            return conductor.order(decisions.pause, "a reason")
        case 5 | 6:
            return conductor.order(decisions.resume)
        case 7:
            return conductor.order(decisions.extend, rng.choice((1, 60)) / 60, "late")
        case 8:
            return conductor.order(decisions.end_interaction, "enough of Ada")
        case 9:
            return conductor.order(decisions.close, "done")
        case 10 if rng.random() < 0.5:
            return conductor.order(decisions.again, "broken")
        case 11 if rng.random() < 0.2:
            return conductor.order(decisions.stop, "it is late")
        case 12:
            return conductor.order(decisions.void, rng.choice(talks), "wrong")
        case 13 if rng.random() < 0.3:
            return conductor.order(decisions.close, "all in")
        case 14:
            return conductor.order(decisions.replace, "J1", rng.choice(("Bob", "Eve")), "ill")
        case 15:
            return conductor.order(decisions.swap, 2, "J1", "J2", "because")
    return None


__all__ = ["ContestError", "played"]
