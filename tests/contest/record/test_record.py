"""Tests the record: hashes of events, its file, its address, the second copy. Requirements for
every database are in tests/contract/test_records.py."""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
import stat
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from contest.errors import BadSettings, InUse, NotAContest, RecordTrouble
from contest.record import database, store
from contest.record.bodies import Key, TalkOpened, from_json, to_json
from contest.record.events import Chains, Event, canonical, event_from_json
from contest.record.reading import open_reader
from contest.record.store import Copy, Record, sqlite_url
from contest.setup import settings


def draft(n: int, talk: str | None = "1.1.J1.left") -> Event:
    body = to_json(Key("judge", "left", "H", n))
    return Event(0, talk, "2010-10-23T16:30:00.000000Z", n, "J1", "key", body)


@pytest.fixture
def record(tmp_path: Path) -> Iterator[Record]:
    with Record(sqlite_url(tmp_path / "record.db"), create=True) as opened:
        yield opened


def wait_until(condition: Callable[[], object]) -> None:
    """Waits until a condition on another thread's work holds; fails after 20 seconds."""
    end = time.monotonic() + 20
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.002)


# Events


def test_event_hash_follows_the_contract() -> None:
    event = Chains().place(draft(1))
    plain = {
        "actor": "J1",
        "at": "2010-10-23T16:30:00.000000Z",
        "body": {"author": "judge", "key": "H", "n": 1, "side": "left"},
        "kind": "key",
        "mono_ns": 1,
        "prev": "0" * 64,
        "seq": 1,
        "talk": "1.1.J1.left",
    }
    text = json.dumps(plain, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    assert event.hash == hashlib.sha256(text.encode()).hexdigest()
    assert event_from_json(canonical(event.as_json())) == event


def test_body_is_read_back_from_json() -> None:
    body = TalkOpened(1, 1, "J1", "E1", "left")
    assert from_json("talk-opened", to_json(body)) == body
    with pytest.raises(ValueError, match="unknown kind"):
        from_json("gossip", {})
    with pytest.raises(ValueError, match="malformed"):
        from_json("key", {"author": "cat"})


# The file


def test_opening_a_missing_record_is_refused(tmp_path: Path) -> None:
    with pytest.raises(NotAContest, match="no record"):
        Record(sqlite_url(tmp_path / "record.db"))
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "other.db").touch()
    with pytest.raises(NotAContest, match="no contest's record"):
        Record(sqlite_url(tmp_path / "other.db"))
    with pytest.raises(RecordTrouble, match="there is no folder"):
        Record(sqlite_url(tmp_path / "nowhere" / "record.db"), create=True)


def test_file_that_is_not_a_database_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "record.db"
    file.write_text("This is a letter, and no database of anybody's at all.")
    for create in (True, False):
        with pytest.raises(RecordTrouble, match=r"record\.db.*damaged"):
            Record(sqlite_url(file), create=create)


@pytest.mark.skipif(os.name != "posix", reason="this system has no file modes")
def test_only_the_owner_can_read_a_record_and_its_copy(tmp_path: Path) -> None:
    """The record says where the human sits."""
    open_to_all = tmp_path / "older.db"
    open_to_all.touch(mode=0o644)
    with (
        Record(sqlite_url(tmp_path / "record.db"), create=True) as record,
        Record(sqlite_url(open_to_all), create=True),
    ):
        copy = Copy(tmp_path / "copy.db", record)
        record.append([draft(1)])
        copy.close()
        files = [file for file in tmp_path.iterdir() if file.is_file()]
        assert {"record.db", "record.db-wal", "copy.db", "older.db"} <= {f.name for f in files}
        assert {stat.S_IMODE(file.stat().st_mode) for file in files} == {0o600}


def test_reading_keeps_the_locks_of_the_writer(record: Record) -> None:
    """Without them, the next program that closes the record deletes its log while we write."""
    record.append([draft(1)])
    assert open_reader(record.url).count() == 1
    file = record.name
    look = (
        "import sqlite3, sys; c = sqlite3.connect(sys.argv[1]); c.execute('SELECT 1 FROM events')"
    )
    subprocess.run([sys.executable, "-c", f"{look}; c.close()", file], check=True)
    assert Path(f"{file}-wal").exists()


# Addresses


@pytest.mark.parametrize(
    "text",
    [
        *("garbage", "", "mysql://host/contest", "postgresql+asyncpg://host/contest", "sqlite"),
        *("oracle://s3cr3t@host/x", "postgresql://organizer:s3cr3t/contest"),
        *("postgresql://organizer:s3@cr3t@host/contest", "postgresql://o:s3cr3t@host:port/contest"),
        "://s3cr3t",
    ],
)
def test_unusable_address_is_refused_without_quoting_it(text: str) -> None:
    with pytest.raises(BadSettings, match="the record's database") as refused:
        Record(text)
    assert "\n" not in str(refused.value)
    for piece in ("s3cr3t", "cr3t"):
        assert piece not in str(refused.value)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("postgresql://host/contest", "postgresql://host/contest"),
        ("postgres://o:s3cr3t@host:77/contest", "postgresql://host:77/contest"),
        ("postgresql+psycopg://o:s3cr3t%40x@host/c?sslpassword=s3cr3t", "postgresql://host/c"),
        ("postgresql:///contest?host=/run/pg&password=s3cr3t", "postgresql:///run/pg/contest"),
        ("sqlite:////srv/contest.db", "/srv/contest.db"),
    ],
)
def test_database_names_and_errors_in_messages_hide_the_password(text: str, name: str) -> None:
    url = database.address(text)
    assert database.name_of(url) == name
    assert url.drivername in ("postgresql+psycopg", "sqlite+pysqlite")
    error = RuntimeError("could not use\n\ts3cr3t%40x, s3cr3t@x or s3cr3t")
    assert "s3cr3t" not in database.in_words(error, url) or not (url.password or url.query)


@pytest.mark.parametrize(
    ("database", "recorded"),
    [
        ("", ""),
        ("sqlite:////srv/contest.db", "sqlite:////srv/contest.db"),
        ("postgresql://host/contest", "postgresql://host/contest"),
        ("postgresql://o:s3cr3t%40x@host:77/contest", "postgresql://host:77/contest"),
        ("postgresql://host/contest?password=s3cr3t&user=o", "postgresql://host/contest"),
        ("postgresql://o:x/s3cr3t@host/contest", "postgresql://host/contest"),
        ("postgresql://o:1?s3cr3t@host/contest", "postgresql://host/contest"),
        ("postgresql://host/contest?password=s3@cr3t", "postgresql://host/contest"),
    ],
)
def test_settings_are_recorded_without_the_password(database: str, recorded: str) -> None:
    text = f'[contest]\nname = "x"\n[record]\ndatabase = "{database}"\n'
    read = settings.parse(text)
    assert read.record.database == database
    assert read.as_json()["record"]["database"] == recorded


# The second copy


def test_copy_gets_new_events_and_catches_up(record: Record, tmp_path: Path) -> None:
    file = tmp_path / "copy.db"
    record.append([draft(1)])
    copy = Copy(file, record)
    second = record.append([draft(2)])
    record.append([draft(3)])  # the copy misses this one
    fourth = record.append([draft(4)])
    copy.add(second)
    copy.add(fourth)
    copy.close()
    with Record(sqlite_url(file)) as copied:
        assert list(copied.events()) == list(record.events())


def test_copy_gets_values_sealed_before_and_after_it_is_opened(
    record: Record, tmp_path: Path
) -> None:
    file = tmp_path / "copy.db"
    record.seal("contest.toml", "[contest]\nname = 'x'\n")
    copy = Copy(file, record)
    record.seal("side/1.1.J1", {"human": "left"})
    copy.add(())  # without an event
    with Record(sqlite_url(file)) as copied:
        wait_until(lambda: "side/1.1.J1" in copied.unseal(""))
    copy.close()
    record.seal("codes/1", {"J1": "hash"})
    Copy(file, record).close()
    with Record(sqlite_url(file)) as copied:
        assert copied.unseal("") == record.unseal("")


def test_locked_copy_delays_nobody_and_catches_up_later(
    record: Record, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While another program locks the copy's database, the record is written, and the copy reports
    the problem."""
    monkeypatch.setattr(store, "COPY_RETRY", 0.01)
    file = tmp_path / "copy.db"
    copy = Copy(file, record)
    other = sqlite3.connect(file, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    copy.add(record.append([draft(1)]))

    wait_until(lambda: copy.trouble)
    copy.add(record.append([draft(2)]))
    assert "another program is using it" in copy.trouble
    record.seal("side/1", {"human": "left"})
    other.close()

    def whole() -> bool:
        with Record(sqlite_url(file)) as copied:
            return list(copied.hashes()) == list(record.hashes()) and bool(copied.unseal("side/1"))

    wait_until(whole)  # without another event
    copy.add(record.append([draft(3)]))
    copy.close()
    assert whole()


def test_copy_of_another_contest_is_refused(record: Record, tmp_path: Path) -> None:
    file = tmp_path / "copy.db"
    with Record(sqlite_url(file), create=True) as other:
        other.append([draft(7)])
    record.append([draft(1)])
    with pytest.raises(RecordTrouble, match="another contest"):
        Copy(file, record)


def test_copy_of_a_running_contest_is_refused(record: Record, tmp_path: Path) -> None:
    file = tmp_path / "copy.db"
    with Record(sqlite_url(file), create=True) as other:
        other.append([draft(1)])
        with pytest.raises(InUse, match=r"name another file in \[record\] copy_to"):
            Copy(file, record)


def test_copy_with_more_events_than_the_record_is_refused(record: Record, tmp_path: Path) -> None:
    file = tmp_path / "copy.db"
    with Record(sqlite_url(file), create=True) as other:
        other.append([draft(1), draft(2)])
    record.append([draft(1)])
    with pytest.raises(RecordTrouble, match=r"ends at event 1; run `loebner recover`"):
        Copy(file, record)
