"""Fixtures for the tests of the contest: a record, a journal without a thread, and a clock that the
test sets."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from contest.record import database
from contest.record.store import Record, sqlite_url
from tests.contest.journals import InlineJournal


class ManualClock:
    """A clock that a test sets."""

    speed = 1.0

    def __init__(self) -> None:
        self.time = 0.0

    def now(self) -> float:
        return self.time

    async def sleep(self, seconds: float) -> None:
        self.time += max(0.0, seconds)
        await asyncio.sleep(0)


@pytest.fixture(scope="module", autouse=True)
def _no_waiting_for_the_disk() -> Iterator[None]:
    """Commits to SQLite don't wait for the disk; tests/faults cuts the power."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(database, "SYNCHRONOUS", "OFF")
        yield


@pytest.fixture
def record(tmp_path: Path) -> Iterator[Record]:
    with Record(sqlite_url(tmp_path / "record.db"), create=True) as opened:
        yield opened


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
async def journal(record: Record, clock: ManualClock) -> AsyncIterator[InlineJournal]:
    async with InlineJournal(record, clock) as opened:
        yield opened
