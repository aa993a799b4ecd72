"""Tests recordings and their replay: sources, order, waits, numbers, and errors of the file
system."""

from __future__ import annotations

import asyncio
import errno
import json
import os
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from loebner.replay import paced, type_into
from lpp import log2012
from lpp.directory import LocalDirectory, communications_root
from lpp.errors import BadLog, EnvironmentProblem
from lpp.log2012 import Author, Loss, Place
from lpp.recording import NoSuchTalk, RecordedKey, Recording, load, of_events, of_log


@pytest.fixture
def room() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(dir=communications_root()) as path:
        yield Path(path)


class StoppedClock:
    """A clock that advances only by sleeping, and records the sleeps."""

    speed = 1.0

    def __init__(self, start: float = 1000.0) -> None:
        self.time = start
        self.slept: list[float] = []

    def now(self) -> float:
        return self.time

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.time += seconds


def recording(*keys: tuple[float, Author, str], side: Place = "left") -> Recording:
    """A recording of one side from (seconds, author, key) tuples."""
    presses = tuple(
        RecordedKey(round(seconds * 1_000_000), side, author, key, line)
        for line, (seconds, author, key) in enumerate(keys, 1)
    )
    return Recording("it", ("about",), {side: "program"}, presses)


def typed(text: str, author: Author = "entity") -> Recording:
    return recording(*((index / 10, author, char) for index, char in enumerate(text)))


def log_of_two_sides() -> log2012.Log2012:
    return log2012.compose(
        title="Test",
        notice="",
        judge="J1",
        program="prog",
        round_=1,
        left="human",
        keys=[(0, "judge", "left", "a"), (1, "judge", "right", "b"), (2, "entity", "right", "c")],
    )


# Sources


def test_a_log_as_a_recording() -> None:
    it = of_log(log_of_two_sides(), "x.log")
    assert it.name == "x.log"
    assert it.entities == {"left": "human", "right": "program"}
    assert it.program_side == "right"
    assert "round 1; left: human, right: program" in it.about[-1]
    assert it.presses == (
        RecordedKey(0, "left", "judge", "a", 0),
        RecordedKey(1, "right", "judge", "b", 0),
        RecordedKey(2, "right", "entity", "c", 0),
    )
    assert [p.key for p in it.only("right").presses] == ["b", "c"]
    assert it.only("right").entities == {"right": "program"}


@pytest.mark.parametrize(
    ("wish", "side"),
    [
        (None, "right"),
        ("program", "right"),
        ("human", "left"),
        ("left", "left"),
        ("right", "right"),
    ],
)
def test_the_sides_of_a_log(wish: str | None, side: str) -> None:
    assert of_log(log_of_two_sides(), "x.log").side(wish) == side


def event(talk: str | None, kind: str, body: dict[str, Any], at: int = 0) -> str:
    return json.dumps(
        {
            "seq": 1,
            "talk": talk,
            "at": "2010-10-23T16:30:00.000000Z",
            "mono_ns": at,
            "actor": "x",
            "kind": kind,
            "body": body,
            "prev": "0" * 64,
            "hash": "0" * 64,
        }
    )


def key_event(talk: str, author: str, key: str, at: int = 0, **more: Any) -> str:
    side = talk.rpartition(".")[2]
    return event(talk, "key", {"author": author, "side": side, "key": key, "n": 1, **more}, at)


LEFT, RIGHT = "1.1.J1.left", "1.1.J1.right"
OPENED = {"round": 1, "attempt": 1, "judge": "J1", "entity": "E3", "side": "right"}
RECORD = "\n".join(
    [
        event(None, "contest-opened", {"format": 1}),
        event(RIGHT, "talk-opened", OPENED),
        key_event(RIGHT, "entity", "x", 5_000, out_of_phase="3/waits"),
        key_event(RIGHT, "judge", "H", 1_000_000),
        key_event(LEFT, "judge", "L", 1_500_000),
        key_event(
            RIGHT, "entity", "question", 3_000_999, raw="0000000007.question.other", rules=[]
        ),
        event(RIGHT, "times", {"keys": [[1, 2, None]]}),
        event(RIGHT, "talk-closed", {}),
        "",
    ]
).encode()


def numbered(data: bytes) -> Iterator[tuple[int, bytes]]:
    """The numbered lines of a record's file."""
    return enumerate(data.split(b"\n"), 1)


def test_a_talk_of_a_record_as_a_recording() -> None:
    it = of_events(numbered(RECORD), "events.jsonl", RIGHT)
    assert it.presses == (
        RecordedKey(1_000, "right", "judge", "H", 4),
        RecordedKey(3_000, "right", "entity", "question", 6),
    )
    assert it.entities == {"right": "E3"}
    assert it.about == ("talk 1.1.J1.right: judge J1, E3 on the right",)
    assert it.side(None) == "right"
    assert it.side("right") == "right"
    assert it.losses == ()


@pytest.mark.parametrize("wish", ["left", "program", "human"])
def test_a_side_that_a_talk_lacks_is_refused(wish: str) -> None:
    with pytest.raises(NoSuchTalk, match=f"no side '{wish}'.*give right"):
        of_events(numbered(RECORD), "events.jsonl", RIGHT).side(wish)


def test_a_talk_must_be_chosen_if_there_are_several() -> None:
    with pytest.raises(NoSuchTalk, match=r"choose.*1\.1\.J1\.right, 1\.1\.J1\.left"):
        of_events(numbered(RECORD), "events.jsonl")
    with pytest.raises(NoSuchTalk, match=r"no talk '7'; there are 1\.1\.J1\.right, "):
        of_events(numbered(RECORD), "events.jsonl", "7")


def test_unreadable_lines_of_a_record_are_losses() -> None:
    data = RECORD + b"\n".join(
        [
            b'{"talk": "1.1.J1.ri',
            b'{"a":' + b"[" * 20_000,
            b"\xff",
            event(RIGHT, "key", {"author": "nobody", "side": "right", "key": "x"}).encode(),
            event(LEFT, "key", {"author": "nobody"}).encode(),  # of another talk
        ]
    )
    it = of_events(numbered(data), "x", RIGHT)
    assert len(it.presses) == 2
    assert [loss.line for loss in it.losses] == [9, 10, 11, 12]
    assert "nobody" in it.losses[-1].what


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"{}", "line 1: this is not an event of a record"),
        (b'\n{"rounds": []}', "line 2: this is not an event of a record"),
        (b"{" * 20_000, "line 1: this is not an event"),
        (event(None, "contest-opened", {}).encode(), "has no talks"),
    ],
)
def test_json_without_a_record_is_refused(data: bytes, says: str) -> None:
    with pytest.raises(BadLog, match=says):
        of_events(numbered(data), "x")


def test_the_format_is_recognized_by_content(tmp_path: Path) -> None:
    log, record = tmp_path / "a.log", tmp_path / "events.jsonl"
    log.write_bytes(log2012.write(log_of_two_sides()).encode())
    record.write_bytes(RECORD)
    assert load(log).program_side == "right"
    assert load(record, RIGHT).program_side is None
    with pytest.raises(NoSuchTalk, match="this is a log of one pairing"):
        load(log, RIGHT)
    with pytest.raises(BadLog, match="no such file"):
        load(tmp_path / "none")


# Timing of keys


async def sleeps(it: Recording, clock: StoppedClock) -> list[float]:
    async for _ in paced(it, clock):
        pass
    return [round(seconds, 6) for seconds in clock.slept]


async def test_gaps_match_the_recorded_times() -> None:
    it = recording(
        (10, "judge", "a"), (10.5, "entity", "b"), (10.5, "judge", "c"), (12, "judge", "d")
    )
    assert await sleeps(it, StoppedClock()) == [0, 0.5, 0, 1.5]


async def test_decreasing_times_are_not_waited_for() -> None:
    it = recording((10, "judge", "a"), (9, "judge", "b"), (11, "judge", "c"))
    assert await sleeps(it, StoppedClock()) == [0, 0, 2]


# Writing


def names(room: Path) -> list[str]:
    return sorted(os.listdir(room))


async def write_all(it: Recording, room: Path, wait: bool = False) -> list[Loss]:
    async with asyncio.timeout(10):
        written, losses = await type_into(it, LocalDirectory(room), wait=wait)
    assert written.total() == len(it.presses) - len(losses)
    return losses


async def test_numbers_continue_after_existing_ones(room: Path) -> None:
    for name in ("0000000041.x.other", "7.y.OTHER", "0000000008.z.judge", "desktop.ini"):
        (room / name).mkdir()
    await write_all(recording((0, "judge", "a"), (0, "entity", "b")), room)
    assert (room / "0000000042.b.other").is_dir()
    assert (room / "0000000009.a.judge").is_dir()


async def test_numbers_of_another_writer_are_skipped(
    room: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    really = LocalDirectory.names

    def names_before(self: LocalDirectory) -> list[str]:
        found = really(self)
        (room / "0000000001.a.other").mkdir()
        return found

    monkeypatch.setattr(LocalDirectory, "names", names_before)
    await write_all(typed("ab"), room)
    assert names(room) == ["0000000001.a.other", "0000000002.a.other", "0000000003.b.other"]


@pytest.mark.parametrize("key", ["", " ", ".", "é", "e\u0301", "👍🏽", "nonsense", "a.b", "\udce9"])
async def test_key_names_are_written_as_recorded(room: Path, key: str) -> None:
    assert await write_all(recording((0, "entity", key)), room) == []
    assert names(room) == [f"0000000001.{key}.other"]


@pytest.mark.parametrize("key", ["/", "a/b", "../x", "\0", "x" * 255, "é" * 120, "\ud800"])
async def test_an_impossible_key_name_is_a_loss(room: Path, key: str) -> None:
    it = recording((0, "entity", "a"), (0, "entity", key), (0, "entity", "b"))
    (loss,) = await write_all(it, room)
    assert names(room) == ["0000000001.a.other", "0000000002.b.other"]
    assert loss.line == 2
    assert "can't be part of a directory's name" in loss.what
    loss.what.encode()


def refuse_after(count: int, error: OSError) -> Callable[[LocalDirectory, str], None]:
    made = 0
    really = LocalDirectory.make

    def make(self: LocalDirectory, name: str) -> None:
        nonlocal made
        if made == count:
            raise error
        made += 1
        really(self, name)

    return make


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EACCES])
async def test_a_failing_disk_reports_how_many_keys_were_written(
    room: Path, monkeypatch: pytest.MonkeyPatch, code: int
) -> None:
    monkeypatch.setattr(LocalDirectory, "make", refuse_after(3, OSError(code, os.strerror(code))))
    with pytest.raises(EnvironmentProblem, match="3 of 5 key presses were written") as caught:
        await write_all(typed("abcde"), room)
    assert os.strerror(code) in str(caught.value)
    assert caught.value.exit_code == 1
    assert len(names(room)) == 3


async def test_with_wait_only_one_key_is_in_the_directory(room: Path) -> None:
    it = typed("abcdef")
    seen: list[list[str]] = []

    async def read_slowly() -> None:
        while len(seen) < len(it.presses):
            await asyncio.sleep(0.002)
            if found := names(room):
                seen.append(found)
                (room / found[0]).rmdir()

    reader = asyncio.create_task(read_slowly())
    await write_all(it, room, wait=True)
    await reader
    assert seen == [[f"{n:010d}.{key}.other"] for n, key in enumerate("abcdef", 1)]
