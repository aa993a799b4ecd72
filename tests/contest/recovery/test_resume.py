"""Tests continuing a contest from its record: after any event, the contest is played to its end as
if its server had never died."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Sequence
from pathlib import Path

import pytest

from contest.live import decisions
from contest.live.clock import ContestClock
from contest.live.conductor import Conductor, Sealed
from contest.record.bodies import ContestClosed
from contest.record.events import Event
from contest.record.store import Record, sqlite_url
from contest.results.contest import Contest
from contest.setup import folder, settings
from contest.setup.planning import schedule_of
from contest.state.model import State
from contest.state.phases import Phase, next_attempt
from contest.state.reducer import fold
from contest.state.schedules import read_schedule
from contest.verify.verify import verify
from lpp import wire
from lpp.clock import Clock, LoopClock
from tests.contest.console import Console
from tests.contest.journals import InlineJournal
from tests.contest.linked import start_rounds

pytestmark = pytest.mark.looptime

SETTINGS = """\
[contest]
name = "Taken up"

[rules]
rounds = 2
interaction_minutes = 25
scoring_minutes = 5
ranking_minutes = 15
schedule = "plan.txt"

[publication]
default = "publish"

[[judge]]
id = "J1"
[[judge]]
id = "J2"
[[entry]]
id = "E1"
[[entry]]
id = "E2"
[[confederate]]
id = "C1"
[[confederate]]
id = "C2"
"""
PLAN = "Round 1 J1E1C1 J2E2C2\nRound 2 J1E2C2 J2E1C1\n"


def opened(place: Path) -> settings.Settings:
    folder.make(place, SETTINGS)
    (place / "plan.txt").write_text(PLAN, encoding="utf-8")
    return settings.load(place)


def seals(record: Record) -> dict[str, Sealed]:
    return {name: Sealed(**value) for name, value in record.unseal("side/").items()}


def resumed(
    own: settings.Settings, record: Record, journal: InlineJournal, clock: Clock, state: State
) -> Conductor:
    schedule = read_schedule(state.schedule)
    return Conductor(*(own, schedule, journal), state=state, seals=seals(record))


async def played(place: Path, own: settings.Settings) -> None:
    """Plays the contest in a folder from its last recorded event to the end."""
    with Record(sqlite_url(place / "record.db"), create=True) as record:
        state = fold(record.events())
        clock: Clock = LoopClock()
        schedule = schedule_of(own, place)
        begun = state.opened
        if begun is not None:
            standing = ContestClock(clock, state.last_ns / 1e9)
            clock = standing
            standing.start()
            own, _ = settings.resume_settings(begun.settings, own)
            schedule = read_schedule(state.schedule)
        async with InlineJournal(record, clock) as journal:
            conductor = Conductor(
                *(own, schedule, journal),
                rng=random.Random(1),
                state=state,
                seals=seals(record),
            )
            if begun is None:
                await conductor.open()
            consoles = [Console(conductor, seat) for seat in conductor.seats.seats]
            play = asyncio.create_task(conductor.play())
            for console in consoles:
                console.sit()
                if conductor.state.persons[console.id][-1].consent is None:
                    conductor.seats.handle(console.seat, wire.Consent(True))
            organizer = asyncio.create_task(start_rounds(conductor, 5.0))
            await play
            organizer.cancel()
            if conductor.state.result is None:
                await journal.write_and_wait(None, "server", Contest.of(record.log()).result())
            await journal.finish("server", ContestClosed)


def cut(place: Path, source: Path, events: Sequence[Event]) -> None:
    """Makes a record that ends after these events, with all sealed values."""
    with (
        Record(sqlite_url(source / "record.db")) as whole,
        Record(sqlite_url(place / "record.db"), create=True) as record,
    ):
        record.append_placed(events)
        for name, value in whole.unseal("").items():
            record.seal(name, value)


async def test_contest_interrupted_after_any_event_ends_like_an_uninterrupted_one(
    tmp_path: Path,
) -> None:
    whole = tmp_path / "whole"
    own = opened(whole)
    await played(whole, own)
    with Record(sqlite_url(whole / "record.db")) as record:
        events = list(record.events())
    assert verify(whole).ok
    assert len(events) > 80
    # Interrupt after the last event of each kind; the others are repetitions.
    kinds = [event.kind for event in events]
    lasts = {max(i for i, each in enumerate(kinds) if each == kind) for kind in kinds}
    moments = {i + 1 for i in lasts} | {1, 17, 53}
    for last in sorted(moments - {0, len(events)}):
        place = tmp_path / f"cut{last}"
        opened(place)
        cut(place, whole, events[:last])
        await played(place, own)
        report = verify(place)
        assert report.ok, (last, events[last - 1].kind, report)
        assert report.finished
        with Record(sqlite_url(place / "record.db")) as record:
            view = Contest.of(record.log())
        keys = {
            talk.id: [(key.author, key.key) for key in view.keys(talk.id)] for talk in view.talks
        }
        assert all(
            [key for by, key in each if by == "judge"] == ["H", "i", "Return"]
            for each in keys.values()
        ), (last, keys)
        assert [(each.number, each.attempt) for each in view.attempts] == [(1, 1), (2, 1)]
        assert [verdict.body.version for verdict in view.verdicts] == [1] * 4, last
        assert [ranking.body.version for ranking in view.state.rankings.values()] == [1] * 2, last
        for each in view.attempts:
            assert each.started_ns is not None
            assert each.ended_ns is not None
            # The contest's clock doesn't count the time without a server.
            lasted = each.ended_ns - each.started_ns
            assert lasted == pytest.approx(25 * 60e9, abs=2e9), last


async def test_pause_continues_after_a_restart(tmp_path: Path) -> None:
    own = opened(tmp_path)
    with Record(sqlite_url(tmp_path / "record.db"), create=True) as record:
        clock = LoopClock()
        async with InlineJournal(record, clock) as journal:
            conductor = Conductor(own, schedule_of(own, tmp_path), journal)
            await conductor.open()
            play = asyncio.create_task(conductor.play())
            conductor.start()
            await conductor.step()
            await asyncio.sleep(600)
            conductor.order(decisions.pause, "a lamp fell down")
            await asyncio.sleep(60)
            conductor.order(decisions.void, "1.1.J1.left", "the lamp")
            conductor.order(decisions.stop, "it is late")
            await asyncio.sleep(1)
            play.cancel()
            await asyncio.wait([play])
        state = fold(record.events())
        again = ContestClock(clock, state.last_ns / 1e9)
        async with InlineJournal(record, again) as journal:
            taken = resumed(own, record, journal, again, state)
            status = taken.status()
            assert (status.phase, status.reason) == (Phase.PAUSED, "a lamp fell down")
            assert status.remaining == pytest.approx(15 * 60)
            play = asyncio.create_task(taken.play())
            await asyncio.sleep(3600)
            assert taken.status().remaining == pytest.approx(15 * 60), "nobody started the clock"
            again.start()
            taken.order(decisions.resume)
            await asyncio.sleep(60)
            assert taken.status().remaining == pytest.approx(14 * 60)
            taken.order(decisions.end_interaction, "enough")
            await taken.step()
            taken.order(decisions.close, "enough")
            await taken.step()
            assert next_attempt(taken.state) is None, (
                "the order to stop was given before the restart"
            )
            play.cancel()
            await asyncio.wait([play])
        assert state.talks["1.1.J1.left"].voided == "the lamp"
        assert state.stopped == (1, "it is late")


async def test_repetition_ordered_before_a_crash_takes_place(tmp_path: Path) -> None:
    own = opened(tmp_path)
    with Record(sqlite_url(tmp_path / "record.db"), create=True) as record:
        clock = LoopClock()
        async with InlineJournal(record, clock) as journal:
            conductor = Conductor(own, schedule_of(own, tmp_path), journal)
            await conductor.open()
            play = asyncio.create_task(conductor.play())
            conductor.start()
            await conductor.step()
            conductor.order(decisions.again, "no power")
            # The server dies before the end of the attempt is recorded.
            play.cancel()
            await asyncio.wait([play])
        state = fold(record.events())
        assert state.again
        assert state.attempts["1.1"].closed_ns is None
        async with InlineJournal(record, clock) as journal:
            taken = resumed(own, record, journal, clock, state)
            play = asyncio.create_task(taken.play())
            await taken.step()
            assert next_attempt(taken.state) == (1, 2)
            taken.start()
            await taken.step()
            assert (taken.status().round, taken.status().attempt) == (1, 2)
            play.cancel()
            await asyncio.wait([play])
    attempt = state.attempts["1.1"]
    assert attempt.started_ns is not None
    assert attempt.cut_ns == attempt.shut_ns
