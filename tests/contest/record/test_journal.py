"""Tests the journal: callbacks come in order and only for durable events, and nothing is lost while
the disk is full."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Awaitable, Callable, Iterator, Sequence
from pathlib import Path

import pytest

from contest.errors import ContestError, JournalFailed, RecordTrouble
from contest.record import journal as journal_module
from contest.record import store
from contest.record.bodies import ContestClosed, RoundOpened, TalkClosed
from contest.record.events import Event
from contest.record.journal import Journal
from contest.record.store import Copy, Record, sqlite_url
from lpp.clock import LoopClock

Until = Callable[..., Awaitable[None]]


@pytest.fixture
def record(tmp_path: Path) -> Iterator[Record]:
    with Record(sqlite_url(tmp_path / "record.db"), create=True) as opened:
        yield opened


def in_record(record: Record) -> list[int]:
    return [event.body["round"] for event in record.events()]


async def test_callbacks_come_in_order_after_the_event_is_durable(record: Record) -> None:
    told: list[tuple[int, int]] = []
    async with Journal(record, LoopClock()) as journal:

        def durable(event: Event) -> None:
            told.append((event.body["round"], in_record(record)[-1]))

        for number in range(1, 51):
            journal.write(None, "server", RoundOpened(number, 1), durable)
        await journal.flush()
    assert [number for number, _ in told] == list(range(1, 51))
    assert all(on_disk >= number for number, on_disk in told)


async def test_watchers_get_every_event_and_an_empty_flush_returns_immediately(
    record: Record,
) -> None:
    seen: list[int] = []
    async with Journal(record, LoopClock()) as journal:
        await journal.flush()
        journal.watchers.append(lambda event: seen.append(event.seq))
        event = await journal.write_and_wait(None, "server", RoundOpened(1, 1))
        assert (event.seq, seen) == (1, [1])


async def test_closing_writes_the_remaining_events(record: Record) -> None:
    journal = Journal(record, LoopClock())
    async with journal:
        for number in range(700):
            journal.write(None, "server", RoundOpened(number, 1))
    assert in_record(record) == list(range(700))
    with pytest.raises(RuntimeError, match="closed"):
        journal.write(None, "server", RoundOpened(1, 1))


class FullDisk:
    """A record whose disk is full for the first few tries."""

    def __init__(self, record: Record, failures: int) -> None:
        self._record = record
        self.chains = record.chains
        self.failures = failures

    def append(self, drafts: Sequence[Event]) -> list[Event]:
        if self.failures:
            self.failures -= 1
            raise RecordTrouble("record.db: database or disk is full")
        return self._record.append(drafts)


async def test_full_disk_delays_keys_and_loses_none(
    record: Record, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(journal_module, "RETRY", 0.01)
    disk = FullDisk(record, 3)
    troubles: list[ContestError] = []
    told: list[int] = []
    journal = Journal(disk, LoopClock(), on_trouble=troubles.append)  # type: ignore[arg-type]
    async with journal:
        for number in range(5):
            journal.write(
                None, "server", RoundOpened(number, 1), lambda e: told.append(e.body["round"])
            )
        await journal.flush()
    assert len(troubles) == 3
    assert told == in_record(record) == [0, 1, 2, 3, 4]


async def test_second_copy_never_delays_a_key(
    record: Record, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, until: Until
) -> None:
    monkeypatch.setattr(store, "COPY_RETRY", 0.01)
    copy = Copy(tmp_path / "copy.db", record)
    async with Journal(record, LoopClock(), copy) as journal:
        assert journal.copy_state == "kept"
        other = sqlite3.connect(tmp_path / "copy.db", isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        await journal.write_and_wait(None, "server", RoundOpened(1, 1))
        await journal.write_and_wait(None, "server", RoundOpened(2, 1))
        assert in_record(record) == [1, 2]
        await until(lambda: journal.copy_state == "behind")
        other.close()
        await until(lambda: journal.copy_state == "kept")
        await journal.write_and_wait(None, "server", RoundOpened(3, 1))
    copy.close()
    with Record(sqlite_url(tmp_path / "copy.db")) as copied:
        assert in_record(copied) == [1, 2, 3]


async def test_nothing_is_recorded_after_the_last_event(record: Record) -> None:
    async with Journal(record, LoopClock()) as journal:
        journal.write("1.1.J1.left", "server", TalkClosed())
        last = await journal.finish("server", ContestClosed)
        journal.write(None, "server", RoundOpened(9, 1))
        await journal.flush()
    assert [event.kind for event in record.events()] == ["talk-closed", "contest-closed"]
    assert last.body["heads"] == record.chains.heads()


class FailingRecord:
    """A record with a bug: appending the event of one round fails."""

    def __init__(self, record: Record, round_: int) -> None:
        self._record = record
        self.chains = record.chains
        self._round = round_

    def append(self, drafts: Sequence[Event]) -> list[Event]:
        if any(draft.body.get("round") == self._round for draft in drafts):
            raise TypeError("a bug")
        return self._record.append(drafts)


async def test_bug_in_the_writer_thread_is_reported_and_confirms_nothing(
    record: Record, caplog: pytest.LogCaptureFixture
) -> None:
    told: list[int] = []
    failures: list[ContestError] = []
    async with Journal(FailingRecord(record, 2), LoopClock()) as journal:  # type: ignore[arg-type]
        journal.on_trouble = failures.append
        await journal.write_and_wait(None, "server", RoundOpened(1, 1))
        journal.write(None, "server", RoundOpened(2, 1), lambda e: told.append(e.seq))
        flushing = asyncio.create_task(journal.flush())
        with pytest.raises(JournalFailed, match="TypeError: a bug"):
            await journal.write_and_wait(None, "server", RoundOpened(3, 1))
        with pytest.raises(JournalFailed):
            await flushing
        assert journal.failed.is_set()
        journal.write(None, "server", RoundOpened(4, 1), lambda e: told.append(e.seq))
        for waits in (
            journal.write_and_wait(None, "server", RoundOpened(5, 1)),
            journal.finish("server", ContestClosed),
        ):
            with pytest.raises(JournalFailed):
                await waits
    assert failures == [journal.failure]
    assert "a bug" in journal.trouble
    assert "Traceback" in caplog.text
    assert told == []
    assert in_record(record) == [1]
