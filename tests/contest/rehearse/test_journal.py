"""Tests the journal of a rehearsal: the time of commits on the virtual clock, and which events a
crash loses."""

from __future__ import annotations

import asyncio
import datetime as dt

import pytest

from contest.errors import ContestError
from contest.record.bodies import SeatJoined
from contest.record.events import Event
from contest.record.journal import RETRY
from contest.record.store import Record
from contest.rehearse.journal import COMMIT, RehearsalJournal
from lpp.clock import LoopClock
from tests.contest.rehearse.build import run

BEGINS = dt.datetime(2026, 10, 23, 9, 30, tzinfo=dt.UTC)


def test_events_that_wait_for_a_commit_are_committed_together(record: Record) -> None:
    async def work() -> list[tuple[float, int]]:
        told: list[tuple[float, int]] = []
        async with RehearsalJournal(record, LoopClock(), BEGINS) as journal:

            def durable(event: Event) -> None:
                told.append((asyncio.get_running_loop().time(), event.seq))

            journal.write(None, "J1", SeatJoined("J1"), durable)
            await asyncio.sleep(COMMIT / 2)
            journal.write(None, "J2", SeatJoined("J2"), durable)
            await asyncio.sleep(3 * COMMIT)
            journal.write(None, "J3", SeatJoined("J3"), durable)
            await journal.flush()
        return told

    told = run(work())
    assert [seq for _, seq in told] == [1, 2, 3]
    assert [at / COMMIT for at, _ in told] == pytest.approx([1, 1, 4.5])
    events = list(record.events())
    assert [event.actor for event in events] == ["J1", "J2", "J3"]
    # Events have the contest's date, not that of the rehearsal.
    assert events[0].at.startswith("2026-10-23T09:30:00.00")


def test_crash_loses_only_uncommitted_events(record: Record) -> None:
    async def work() -> list[str]:
        told: list[str] = []
        journal = RehearsalJournal(record, LoopClock(), BEGINS)
        async with journal:
            await journal.write_and_wait(None, "J1", SeatJoined("J1"))
            journal.write(None, "J2", SeatJoined("J2"), lambda event: told.append(event.actor))
            journal.crash()
            journal.write(None, "J3", SeatJoined("J3"), lambda event: told.append(event.actor))
            await asyncio.sleep(10)
        return told

    assert run(work()) == []
    assert [event.actor for event in record.events()] == ["J1"]


def test_full_disk_delays_all_events_and_loses_none(record: Record) -> None:
    async def work() -> tuple[list[str], list[ContestError]]:
        told: list[str] = []
        troubles: list[ContestError] = []
        async with RehearsalJournal(record, LoopClock(), BEGINS) as journal:
            journal.on_trouble = troubles.append
            journal.full = True
            for actor in ("J1", "J2"):
                journal.write(
                    None, actor, SeatJoined(actor), lambda event: told.append(event.actor)
                )
                await asyncio.sleep(RETRY)
            assert told == []
            journal.full = False
            await journal.flush()
        return told, troubles

    told, troubles = run(work())
    assert told == ["J1", "J2"]
    assert len(troubles) >= 2
    assert [event.actor for event in record.events()] == told
