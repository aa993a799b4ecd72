"""Faults of a record's database on the day: full, locked, gone, cut off, taken by another server.

Each row of the fault table is a test: no durable event is lost, nothing is written twice or in
part, and the contest continues by itself when the fault is repaired.
"""

from __future__ import annotations

import asyncio
import os
import random
import shutil
import signal
import subprocess
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from contest.errors import ContestError, InUse, RecordTrouble
from contest.record import journal as journal_module
from contest.record import reading
from contest.record.bodies import Key, to_json
from contest.record.events import Event
from contest.record.journal import Journal
from contest.record.store import FILE_NAME, Copy, Record, sqlite_url
from contest.verify.verify import verify_rows
from lpp.clock import LoopClock
from tests.database_server import PASSWORD, Server

Until = Callable[..., Awaitable[None]]

TALK = "1.1.J1.left"


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(journal_module, "RETRY", 0.02)


def draft(n: int) -> Event:
    body = to_json(Key("judge", "left", "x", n))
    return Event(0, TALK, "2010-10-23T16:30:00.000000Z", n, "J1", "key", body)


def chain_of(url: str) -> list[int]:
    """The numbers of a record's events, whose chain is intact."""
    rows = list(reading.read_rows(url, thorough=True))
    assert verify_rows(rows).checks[0].ok
    return [row.seq for row in rows]


class Typist:
    """Types keys into a journal as fast as possible, and keeps the confirmations."""

    def __init__(self, journal: Journal) -> None:
        self.journal = journal
        self.typed = 0
        self.told: list[Event] = []
        self.troubles: list[str] = []

    def type(self) -> None:
        self.typed += 1
        body = Key("judge", "left", "x", self.typed)
        self.journal.write(TALK, "J1", body, self.told.append)

    async def until_told(self, seconds: float = 60.0) -> None:
        async with asyncio.timeout(seconds):
            await self.journal.flush()

    def check(self, url: str) -> None:
        """Checks that each key is recorded once, in order, and was confirmed afterwards."""
        numbers = list(range(1, self.typed + 1))
        assert [event.body["n"] for event in self.told] == numbers
        assert [event.seq for event in self.told] == numbers
        rows = list(reading.read_rows(url))
        assert [row.hash for row in rows] == [event.hash for event in self.told]
        assert verify_rows(rows).checks[0].ok


# The connection is lost


async def test_repeatedly_cut_connection_loses_nothing(postgresql: Server, tmp_path: Path) -> None:
    url = postgresql.schema()
    with Record(url, create=True) as record:
        copy = Copy(tmp_path / "copy.db", record)
        troubles: list[ContestError] = []
        async with Journal(record, LoopClock(), copy, troubles.append) as journal:
            typist = Typist(journal)
            for _ in range(2):
                typist.type()
                await typist.until_told()  # so that there is a connection to cut
                for _ in range(20):
                    typist.type()
                    await asyncio.sleep(0)
                assert await asyncio.to_thread(postgresql.hang_up) >= 1
            typist.type()
            await typist.until_told()
        copy.close()
        # There are none, unless a busy machine takes more than a second to end the old session.
        assert all(PASSWORD not in str(trouble) for trouble in troubles)
    typist.check(url)
    typist.check(sqlite_url(tmp_path / "copy.db"))


async def test_server_continues_after_the_database_crashes_and_restarts(
    postgresql: Server, until: Until
) -> None:
    url = postgresql.schema()
    with Record(url, create=True) as record:
        troubles: list[str] = []
        async with Journal(record, LoopClock(), None, lambda e: troubles.append(str(e))) as journal:
            typist = Typist(journal)
            for _ in range(50):
                typist.type()
            await typist.until_told()
            typist.type()
            await asyncio.to_thread(postgresql.stop, "immediate")
            try:
                for _ in range(50):
                    typist.type()
                await until(lambda: any("can't be reached" in each for each in troubles))
            finally:
                await asyncio.to_thread(postgresql.start)
            await typist.until_told()
            with pytest.raises(InUse):
                await asyncio.to_thread(Record, url, create=True)
            assert all(PASSWORD not in each for each in troubles)
            # The second time nobody types while the database is away, so nobody needs to know.
            troubles.clear()
            await asyncio.to_thread(postgresql.stop, "fast")
            await asyncio.to_thread(postgresql.start)
            typist.type()
            await typist.until_told()
            assert not troubles
    typist.check(url)


def test_another_server_can_take_the_record_while_the_connection_is_lost(
    postgresql: Server,
) -> None:
    """The first server gets an error, and writes nothing that would break the chains."""
    url = postgresql.schema()
    with Record(url, create=True) as first:
        first.append([draft(1)])
        postgresql.hang_up()
        with Record(url, create=True) as second:
            second.append([draft(2)])
            for _ in range(2):
                with pytest.raises(RecordTrouble, match="locked"):
                    first.append([draft(3)])
        with pytest.raises(RecordTrouble, match="it has events that this server did not write"):
            first.append([draft(3)])
    assert chain_of(url) == [1, 2]


# Full


async def test_full_disk_leaves_nothing_half_written(tmp_path: Path, until: Until) -> None:
    """Uses SQLite's own limit of a file's size, which acts like a full disk."""
    url = sqlite_url(tmp_path / FILE_NAME)
    with Record(url, create=True) as record:
        with record.transaction() as connection:
            pages = int(connection.exec_driver_sql("PRAGMA page_count").scalar_one())
            connection.exec_driver_sql(f"PRAGMA max_page_count = {pages + 2}")
        troubles: list[str] = []
        async with Journal(record, LoopClock(), None, lambda e: troubles.append(str(e))) as journal:
            typist = Typist(journal)
            while not troubles:
                typist.type()
                await asyncio.sleep(0.001)
            assert "the disk is full; free some space" in troubles[0]
            there = chain_of(url)
            assert there == [event.seq for event in typist.told]
            for _ in range(40):
                typist.type()
            await until(lambda: len(troubles) > 2)
            assert chain_of(url) == there
            with record.transaction() as connection:
                connection.exec_driver_sql("PRAGMA max_page_count = 1000000")
            await typist.until_told()
    typist.check(url)


# Power


#: Writes groups of events forever, and prints the last number after each group.
WRITER = """
import random, sys
from contest.record.events import Event
from contest.record.store import Record

def draft(n):
    body = {"author": "judge", "side": "left", "key": "x", "n": n, "raw": "x" * 300}
    return Event(0, "1.1.J1.left", "2010-10-23T16:30:00.000000Z", n, "J1", "key", body)

rng, n = random.Random(7), 0
with Record(sys.argv[1], create=True) as record:
    with record.transaction() as connection:
        connection.exec_driver_sql("PRAGMA wal_autocheckpoint=30")
    while True:
        size = rng.randrange(1, 12)
        n = record.append([draft(n + i) for i in range(1, size + 1)])[-1].seq
        print(n, flush=True)
"""


@pytest.mark.skipif(os.name != "posix", reason="processes can't be stopped here")
def test_durable_events_survive_a_power_cut_at_any_moment(tmp_path: Path) -> None:
    """Copies the files with the writer stopped at arbitrary moments, also during checkpoints."""
    rng, file = random.Random(), tmp_path / FILE_NAME
    images: list[tuple[Path, int]] = []
    with subprocess.Popen(
        [sys.executable, "-c", WRITER, sqlite_url(file)], stdout=subprocess.PIPE, bufsize=0
    ) as writer:
        assert writer.stdout is not None
        try:
            reported = int(writer.stdout.readline())
            for number in range(3):
                for _ in range(rng.randrange(1, 12)):
                    reported = int(writer.stdout.readline())
                os.kill(writer.pid, signal.SIGSTOP)
                os.waitpid(writer.pid, os.WUNTRACED)
                image = tmp_path / f"image{number}" / FILE_NAME
                image.parent.mkdir()
                for ending in ("", "-wal"):
                    shutil.copy(f"{file}{ending}", f"{image}{ending}")
                images.append((image, reported))
                os.kill(writer.pid, signal.SIGCONT)
        finally:
            writer.kill()
    images.append((file, reported))
    for image, durable in images:
        with Record(sqlite_url(image), create=True) as record:
            there = record.chains.last_seq
            assert there >= durable
            record.append([draft(9)])
        assert chain_of(sqlite_url(image)) == list(range(1, there + 2))


def test_commit_interrupted_by_a_power_cut_is_missing_and_all_earlier_ones_are_there(
    tmp_path: Path,
) -> None:
    """Data that was not synced may be partly written, in any order, or be garbage."""
    rng, file = random.Random(7), tmp_path / FILE_NAME
    sizes: list[tuple[int, int]] = []
    log = Path(f"{file}-wal")
    with Record(sqlite_url(file), create=True) as record:
        with record.transaction() as connection:
            connection.exec_driver_sql("PRAGMA wal_autocheckpoint=0")
        for _ in range(40):
            last = record.append([draft(n) for n in range(rng.randrange(1, 40))])[-1].seq
            sizes.append((last, log.stat().st_size))
        database, whole = file.read_bytes(), log.read_bytes()
    for number in range(6):
        at = rng.randrange(len(sizes) - 1)
        (last, size), (_, following) = sizes[at], sizes[at + 1]
        tail = bytearray(whole[size:following])
        for place in range(0, len(tail), 512):
            if rng.random() < 0.5:
                tail[place : place + 512] = rng.choice((bytes(512), rng.randbytes(512)))
        torn = whole[:size] + tail[: rng.randrange(len(tail) + 1)]
        image = tmp_path / f"torn{number}" / FILE_NAME
        image.parent.mkdir()
        image.write_bytes(database)
        Path(f"{image}-wal").write_bytes(torn)
        with Record(sqlite_url(image), create=True) as record:
            there = record.chains.last_seq
            assert there in (last, sizes[at + 1][0])
            record.append([draft(9)])
        assert chain_of(sqlite_url(image)) == list(range(1, there + 2))


# Damaged


def test_damaged_file_is_refused_with_advice(tmp_path: Path) -> None:
    file = tmp_path / FILE_NAME
    with Record(sqlite_url(file), create=True) as record:
        record.append([draft(n) for n in range(200)])
    data = bytearray(file.read_bytes())
    data[:100] = bytes(100)
    file.write_bytes(data)
    with pytest.raises(RecordTrouble, match=r"it is damaged; save .*`loebner recover`"):
        Record(sqlite_url(file), create=True)
    assert file.read_bytes() == bytes(data)
