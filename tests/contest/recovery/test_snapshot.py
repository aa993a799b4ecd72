"""Tests the snapshot of the state: it is used if the record confirms it, and otherwise has no
effect."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from contest.errors import RecordTrouble
from contest.record import bodies
from contest.record.events import Chains, Event
from contest.record.store import Record, sqlite_url
from contest.recovery import snapshot
from contest.recovery.snapshot import Folded
from contest.state.reducer import fold
from scheduler import schedule_2010
from tests.contest import build


@pytest.fixture
def record(tmp_path: Path) -> Iterator[Record]:
    with Record(sqlite_url(tmp_path / "record.db"), create=True) as made:
        yield made


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / snapshot.FILE_NAME


def all_of(record: Record) -> Folded:
    """A record folded from its beginning."""
    folded = Folded()
    snapshot.follow(folded, record.events())
    return folded


def changes() -> build.Builder:
    """A contest with an abandoned attempt, a replaced person, a new code, and voided talks and
    ballots."""
    b = build.play(schedule_2010())
    for body in (
        bodies.PersonReplaced("J1", "Another", "ill"),
        bodies.SeatJoined("J1"),
        bodies.SeatLeft("J2", "gone"),
        bodies.CodeIssued("J1"),
        bodies.BallotExcluded("J2", "has told"),
        bodies.Voided(1, 1, "all", "J1"),
        bodies.TakenUp("test"),
    ):
        b.write(body)
    return b


@pytest.mark.parametrize("made", [build.brief, changes])
def test_snapshot_at_any_event_leads_to_the_same_state(
    made: Callable[[], build.Builder],
) -> None:
    events = made().events
    folded = Folded()
    snapshots = []
    for at, event in enumerate(events):
        # A sample, to save time.
        if at % (len(events) // 20) == 0:
            snapshots.append(msgspec.msgpack.encode(folded))
        snapshot.follow(folded, [event], linked=True)
    for packed in snapshots:
        found = msgspec.msgpack.decode(packed, type=Folded)
        snapshot.follow(found, events[found.state.last_seq :], linked=True)
        assert found == folded
    assert folded.state == fold(events)
    assert folded.log == [event for event in events if event.kind not in bodies.KEY_KINDS]


# Snapshots that can't be used


def forge(change: Callable[[Any], object]) -> Callable[[Path], None]:
    """Changes a snapshot's content, and gives it a matching digest."""

    def spoil(file: Path) -> None:
        plain = msgspec.msgpack.decode(file.read_bytes()[32:], strict=False)
        content = msgspec.msgpack.encode(change(plain))
        file.write_bytes(snapshot.digest(content) + content)

    return spoil


def ends(**changed: str) -> Callable[[Path], None]:
    """Changes the heads: talk to the hash of its last event."""
    added = {talk: [head, 1] for talk, head in changed.items()}
    return forge(
        lambda plain: {
            **plain,
            "chains": {**plain["chains"], "ends": {**plain["chains"]["ends"], **added}},
        }
    )


def of_later_events(plain: Any) -> object:
    later = plain["state"]["last_seq"] + 10**6
    return {
        "log": plain["log"],
        "chains": {**plain["chains"], "last_seq": later},
        "state": {**plain["state"], "last_seq": later},
    }


def of_another_version(file: Path) -> None:
    content = file.read_bytes()[32:]
    file.write_bytes(hashlib.sha256(content + b"other code").digest() + content)


def flipped(file: Path) -> None:
    content = bytearray(file.read_bytes())
    content[-len(content) // 3] ^= 1
    file.write_bytes(content)


def a_directory(file: Path) -> None:
    file.unlink()
    file.mkdir()


SPOILED: dict[str, Callable[[Path], object]] = {
    "missing": lambda file: file.unlink(),
    "torn": lambda file: file.write_bytes(file.read_bytes()[: file.stat().st_size // 2]),
    "flipped": flipped,
    "a directory": a_directory,
    "of another version": of_another_version,
    "of another form": forge(lambda plain: {**plain, "state": {**plain["state"], "talks": 5}}),
    "without its state": forge(lambda plain: {**plain, "state": {}}),
    # As if the record had been restored from an older copy.
    "of later events": forge(of_later_events),
    "with other heads": ends(**{"1.1.J1.left": "f" * 64}),
    "with a chain too many": ends(**{"9.9.J9.left": "0" * 64}),
}


@pytest.mark.parametrize("name", SPOILED)
def test_unusable_snapshot_has_no_effect(name: str, record: Record, file: Path) -> None:
    events = build.brief().events
    half = next(e.seq for e in events if e.kind == "key" and e.seq > len(events) // 2)
    record.append_placed(events[:half])
    snapshot.write(record.url, str(file))
    record.append_placed(events[half:])
    SPOILED[name](file)
    found, read = snapshot.fold(record, file)
    assert read == len(events)
    assert found == all_of(record)
    # The next snapshot replaces it.
    if file.is_file() or not file.exists():
        snapshot.write(record.url, str(file))
        assert snapshot.fold(record, file) == (found, 0)


def test_record_with_a_broken_chain_after_the_snapshot_is_read_completely(
    file: Path, tmp_path: Path
) -> None:
    """The snapshot is used only if its heads and the later events lead to the record's heads."""
    events = build.brief().events
    half = len(events) // 2
    with Record(sqlite_url(tmp_path / "a.db"), create=True) as record:
        record.append_placed(events[:half])
        snapshot.write(record.url, str(file))
    later = next(i for i in range(half, len(events)) if events[i].talk is not None)
    broken = [
        *events[:later],
        with_other(events[later], prev="e" * 64),
        *events[later + 1 :],
    ]
    with Record(sqlite_url(tmp_path / "b.db"), create=True) as record:
        record.append_placed(broken)
        _, read = snapshot.fold(record, file)
    assert read == len(events)


def with_other(event: Event, **changed: object) -> Event:
    return Event(**{**event.as_json(), **changed})


def test_unusable_record_is_reported(record: Record, file: Path) -> None:
    events = build.contest().events
    record.append_placed(events[:20])
    snapshot.write(record.url, str(file))
    chains = Chains()
    for event in events[:20]:
        chains.follow(event)
    record.append_placed(
        [Event(21, None, "", 0, "server", "round-paused", {}, chains.head(None), "")]
    )
    with pytest.raises(RecordTrouble, match="event 21 can't be used"):
        snapshot.fold(record, file)


# Writing snapshots


async def test_snapshot_of_a_running_contest_is_written_after_every_so_many_events(
    record: Record, file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    events = build.contest().events
    record.append_placed(events)
    monkeypatch.setattr(snapshot, "EVERY", 50)
    async with snapshot.keep_snapshots(sqlite_url(tmp_path / "record.db"), file, 0) as keep:
        for event in events[:49]:
            keep(event)
        await asyncio.sleep(0)
        assert not file.exists()
        keep(events[49])
        while not file.exists():  # noqa: ASYNC110 - another process writes it
            await asyncio.sleep(0.01)
    assert snapshot.fold(record, file) == (all_of(record), 0)
