"""The record: chains, append-only, what a failure leaves behind, the second copy."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
import sqlalchemy as sa
from hypothesis import given
from hypothesis import strategies as st

from contest.bodies import KINDS, Key, TalkOpened, from_json, to_json
from contest.errors import NotAContest, RecordTrouble
from contest.events import GENESIS, Chains, Draft, canonical, event_from_json, rehash
from contest.record import Copy, Record, sqlite_url


def draft(n: int, talk: str | None = "1.1.J1.left") -> Draft:
    body = to_json(Key("judge", "left", "H", n))
    return Draft(talk, "2010-10-23T16:30:00.000000Z", n, "J1", "key", body)


@pytest.fixture
def record(tmp_path: Path) -> Iterator[Record]:
    with Record(sqlite_url(tmp_path / "record.db"), create=True) as opened:
        yield opened


def test_an_event_is_hashed_as_the_contract_says() -> None:
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


@given(st.text(max_size=20), st.integers(-(2**53) + 1, 2**53 - 1))
def test_canonical_json_is_what_python_writes_too(text: str, number: int) -> None:
    text = text.encode("utf-8", "replace").decode()
    value = {"t": text, "n": number, "l": [None, True, text]}
    plain = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    assert canonical(value) == plain.encode()


def test_each_talk_has_its_chain_and_the_contest_its_own(record: Record) -> None:
    events = record.append([draft(1), draft(1, None), draft(2), draft(1, "1.1.J1.right"), draft(3)])
    assert [event.seq for event in events] == [1, 2, 3, 4, 5]
    assert [event.prev for event in events] == [
        GENESIS,
        GENESIS,
        events[0].hash,
        GENESIS,
        events[2].hash,
    ]
    assert record.chains.heads() == {
        "1.1.J1.left": {"hash": events[4].hash, "events": 3},
        "1.1.J1.right": {"hash": events[3].hash, "events": 1},
    }
    assert all(rehash(event) == event.hash for event in events)


def test_what_is_read_back_is_what_was_written(record: Record, tmp_path: Path) -> None:
    events = record.append([draft(1), draft(2)])
    record.append([draft(1, None)])
    with Record(sqlite_url(tmp_path / "record.db")) as again:
        assert list(again.events("1.1.J1.left")) == events
        assert [event.seq for event in again.events(after=2)] == [3]
        assert [event.seq for event in again.events(kind="verdict")] == []
        assert again.append([draft(3)])[0].prev == events[1].hash


@pytest.mark.parametrize("statement", ["UPDATE events SET at = 'x'", "DELETE FROM events"])
def test_the_database_itself_is_append_only(record: Record, statement: str) -> None:
    record.append([draft(1)])
    with (
        pytest.raises(sa.exc.IntegrityError, match="append-only"),
        record._engine.begin() as connection,
    ):
        connection.execute(sa.text(statement))


def test_a_failed_append_leaves_record_and_chains_as_they_were(record: Record) -> None:
    first = record.append([draft(1)])
    with record._engine.begin() as connection:
        connection.execute(
            sa.text(
                "CREATE TRIGGER full BEFORE INSERT ON events WHEN NEW.mono_ns = 13 "
                "BEGIN SELECT RAISE(ABORT, 'database or disk is full'); END"
            )
        )
    with pytest.raises(RecordTrouble, match="disk is full") as refused:
        record.append([draft(2), draft(13)])
    assert "\n" not in str(refused.value)
    assert list(record.events()) == first
    assert record.append([draft(2)])[0].prev == first[0].hash


def test_a_folder_without_a_record(tmp_path: Path) -> None:
    with pytest.raises(NotAContest, match="no record"):
        Record(sqlite_url(tmp_path / "record.db"))
    assert not (tmp_path / "record.db").exists()
    (tmp_path / "other.db").touch()
    with pytest.raises(NotAContest, match="no contest's record"):
        Record(sqlite_url(tmp_path / "other.db"))


def test_a_file_that_is_no_database(tmp_path: Path) -> None:
    file = tmp_path / "record.db"
    file.write_text("This is a letter, and no database of anybody's at all.")
    with pytest.raises(RecordTrouble, match=r"record\.db"):
        Record(sqlite_url(file))


def test_what_is_sealed_is_sealed_once(record: Record) -> None:
    record.seal("side/1.1.J1", {"human": "left"})
    record.seal("sidestep", {})
    assert record.unseal("side/") == {"side/1.1.J1": {"human": "left"}}
    with pytest.raises(RecordTrouble):
        record.seal("side/1.1.J1", {"human": "right"})


def test_a_copy_is_kept_and_catches_up(record: Record, tmp_path: Path) -> None:
    file = tmp_path / "copy.db"
    record.append([draft(1)])
    copy = Copy(file, record)
    second = record.append([draft(2)])
    record.append([draft(3)])  # the copy was away
    fourth = record.append([draft(4)])
    copy.add(second)
    copy.add(fourth)
    copy.close()
    with Record(sqlite_url(file)) as copied:
        assert list(copied.events()) == list(record.events())


def test_a_copy_of_another_contest_is_refused(record: Record, tmp_path: Path) -> None:
    file = tmp_path / "copy.db"
    with Record(sqlite_url(file), create=True) as other:
        other.append([draft(7)])
    record.append([draft(1)])
    with pytest.raises(RecordTrouble, match="another contest"):
        Copy(file, record)


def test_bodies_of_every_kind_read_back() -> None:
    assert len(KINDS) == 34
    body = TalkOpened(1, 1, "J1", "E1", "left")
    assert from_json("talk-opened", to_json(body)) == body
    with pytest.raises(ValueError, match="unknown kind"):
        from_json("gossip", {})
    with pytest.raises(ValueError, match="not of its form"):
        from_json("key", {"author": "cat"})
