"""Tests group commits: in a flood events share commits, and a single event does not wait."""

from __future__ import annotations

import asyncio
import itertools
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from contest.record import journal as journal_module
from contest.record.bodies import RoundOpened
from contest.record.events import Event
from contest.record.journal import Journal
from contest.record.store import Record, sqlite_url
from lpp.clock import LoopClock


class CountingRecord:
    """A record that says how many events each commit had."""

    def __init__(self, record: Record) -> None:
        self._record = record
        self.chains = record.chains
        self.groups: list[int] = []

    def append(self, drafts: Sequence[Event]) -> list[Event]:
        self.groups.append(len(drafts))
        return self._record.append(drafts)


@pytest.fixture
def record(tmp_path: Path) -> Iterator[CountingRecord]:
    with Record(sqlite_url(tmp_path / "record.db"), create=True) as record:
        yield CountingRecord(record)


async def test_events_within_one_interval_share_a_commit(
    record: CountingRecord, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The test's own clock doesn't advance.
    slept: list[float] = []
    now = itertools.repeat(0.0)
    told, go_on = asyncio.Event(), threading.Event()
    loop = asyncio.get_running_loop()

    class Time:
        def monotonic(self) -> float:
            return next(now)

        def sleep(self, seconds: float) -> None:
            slept.append(seconds)
            if seconds:
                loop.call_soon_threadsafe(told.set)
                assert go_on.wait(20)

    monkeypatch.setattr(journal_module, "time", Time())
    async with Journal(record, LoopClock()) as journal:  # type: ignore[arg-type]
        await journal.write_and_wait(None, "server", RoundOpened(1, 1))
        journal.write(None, "server", RoundOpened(2, 1))
        await told.wait()
        for number in range(3, 40):
            journal.write(None, "server", RoundOpened(number, 1))
            await asyncio.sleep(0)
        go_on.set()
        await journal.flush()
        await journal.write_and_wait(None, "server", RoundOpened(41, 1))
    assert record.groups == [1, 38, 1]
    assert slept == [0.0, journal_module.INTERVAL, journal_module.BUSY_INTERVAL]
