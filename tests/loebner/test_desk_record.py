"""The record of a desk: both its forms, checked by what reads them, and on a disk with troubles."""

from __future__ import annotations

import asyncio
import datetime as dt
import errno
import json
import os
import runpy
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from contest.record.bodies import LARGEST
from contest.record.events import canonical
from contest.record.reading import Row
from contest.verification.verify import verify_rows
from judge_console.deskopening import open_confederate, open_desk
from judge_console.deskseat import DeskSeat
from judge_console.model.desknotes import (
    Breach,
    Closed,
    Ended,
    KeyNote,
    LeftOvers,
    Note,
    Noted,
    Opening,
    Side,
    Started,
    Times,
    Trouble,
    VerdictNote,
)
from judge_console.seat import Seat
from loebner.desk_record import EVENTS, LOG, DeskRecord
from lpp import log2012, recording
from lpp.errors import Surroundings
from lpp.lines import Pane
from lpp.names import keys_of
from lpp.wire import Key, Place, State

SIDES: tuple[Side, Side] = ("left", "right")
AUTHORS: tuple[log2012.Author, log2012.Author] = ("judge", "entity")
ROOT = Path(__file__).resolve().parents[2]
WHEN = dt.datetime(2026, 11, 20, 14, 3)
#: The same, in UTC, in microseconds.
WALL = 1_795_183_380_000_000

BOTH = Opening("A talk", "judge", {"left": "ada", "right": "room 2"}, "right", 60)
KEYS = [
    KeyNote(1, "left", "entity", "e", 1, "1.e.Other", ("2.A.a/width",), "3/waits"),
    KeyNote(2, "left", "judge", "H", 1),
    KeyNote(3, "left", "entity", "Y", 2, "0000000002.Y.other"),
    KeyNote(4, "right", "judge", "space", 1),
]


def noted(*notes: Note, at: float = 0.0) -> list[Noted]:
    """Notes a tenth of a second apart."""
    times = [at + n / 10 for n in range(len(notes))]
    return [
        Noted(note, round(time * 1e9), WALL + round(time * 1e6))
        for note, time in zip(notes, times, strict=True)
    ]


def record(parent: Path, kind: str = "judge") -> DeskRecord:
    return DeskRecord(parent, kind, WHEN)


verify = runpy.run_path(str(ROOT / "docs" / "reference" / "verify_record.py"))["verify"]


def verified(folder: Path) -> str:
    """What the verifier says that shares no code with ours."""
    with open(folder / EVENTS, "rb") as lines:
        said: str = verify(lines, None)
    return said


def events(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / EVENTS).read_bytes().splitlines()]


def faults(folder: Path) -> list[object]:
    """What our own verifier has to say against it."""
    rows = [Row(**{**event, "body": canonical(event["body"]).decode()}) for event in events(folder)]
    return [(check.name, check.faults) for check in verify_rows(rows).checks if check.faults]


def test_a_whole_session_is_green_to_both_verifiers(tmp_path: Path) -> None:
    kept = record(tmp_path)
    kept.write(noted(BOTH, LeftOvers("left", ("9.x.other",)), KEYS[0]))
    kept.write(noted(Started(), *KEYS[1:], at=1.0))
    kept.write(noted(Times("left", ((2, 1_200_000_000, None), (3, 1_300_000_000, 1_400_000_000)))))
    kept.write(noted(Breach("right", "2.A.b/name", "x", "no key"), Trouble("left", "away")))
    kept.write(noted(Ended("time"), VerdictNote("left", 1, 50, "why"), Closed(), at=61.0))
    kept.close()
    assert verified(kept.folder).startswith("green: ")
    assert "not finished" not in verified(kept.folder)
    assert faults(kept.folder) == []
    log = log2012.load(kept.folder / LOG)
    assert (log.program, log.left, log.round, log.judge) == ("ada", "program", "1", "1")
    assert log.losses == ()
    assert [(e.author, e.side, e.key) for e in log.entries] == [
        *(("judge", "left", "H"), ("entity", "left", "Y"), ("judge", "right", "space")),
    ]
    assert [e.time_us - WALL for e in log.entries] == [1_100_000, 1_200_000, 1_300_000]


def test_what_people_read_back_is_what_was_typed(tmp_path: Path) -> None:
    kept = record(tmp_path)
    kept.write(noted(BOTH, Started(), *KEYS[1:]))
    kept.close()
    played = recording.load(kept.folder / EVENTS, "1.1.J1.left")
    assert [(press.author, press.key) for press in played.presses] == [
        ("judge", "H"),
        ("entity", "Y"),
    ]
    assert recording.load(kept.folder / LOG).program_side == "left"


def test_the_side_is_sealed_before_and_opened_at_the_end(tmp_path: Path) -> None:
    kept = record(tmp_path)
    kept.write(noted(BOTH))
    assert [event["kind"] for event in events(kept.folder)] == [
        *("contest-opened", "round-opened", "side-sealed", "talk-opened", "talk-opened"),
    ]
    kept.write(noted(Closed(), at=1.0))
    kept.close()
    [revealed] = [event for event in events(kept.folder) if event["kind"] == "sides-revealed"]
    sides = revealed["body"]["sides"]
    assert [(side["human"], side["judge"]) for side in sides] == [("right", "J1")]
    assert faults(kept.folder) == []


ALONE = Opening("Practice", "judge", {"left": "judge left"}, None, None)
HUMAN = Opening("A talk", "confederate", {"left": "room 2"}, "left", None)


@pytest.mark.parametrize(
    ("opening", "left", "program"),
    [(ALONE, "program", "judge_left"), (HUMAN, "human", "program")],
)
def test_one_partner_alone(tmp_path: Path, opening: Opening, left: str, program: str) -> None:
    kept = record(tmp_path, "practice")
    kept.write(noted(opening, Started(), KEYS[1], KEYS[2], Ended("judge"), Closed()))
    kept.close()
    assert verified(kept.folder).startswith("green: ")
    log = log2012.load(kept.folder / LOG)
    assert (log.left, log.program, len(log.entries)) == (left, program, 2)


def test_no_session_is_ever_written_over(tmp_path: Path) -> None:
    folders = []
    for _ in range(3):
        kept = record(tmp_path / "new", 'a/b: "practice"')
        kept.write(noted(BOTH))
        kept.close()
        folders.append(kept.folder.name)
    assert folders == [
        *("2026-11-20 14-03 a_b_ _practice_", "2026-11-20 14-03 a_b_ _practice_ 2"),
        "2026-11-20 14-03 a_b_ _practice_ 3",
    ]
    taken = record(tmp_path)
    (taken.folder / EVENTS).write_text("somebody's")
    with pytest.raises(FileExistsError):
        taken.write(noted(BOTH))
    taken.close()
    assert (taken.folder / EVENTS).read_text() == "somebody's"


def test_a_place_that_cannot_be_written_is_said_before_the_talk(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.touch()
    with pytest.raises(Surroundings, match="name another directory"):
        record(file / "below")


def test_a_record_begins_with_its_opening(tmp_path: Path) -> None:
    kept = record(tmp_path)
    with pytest.raises(ValueError, match="opening"):
        kept.write(noted(Started()))
    kept.close()


def test_a_number_beyond_what_json_holds_stands_whole_in_the_name(tmp_path: Path) -> None:
    kept = record(tmp_path)
    name = "133708452709005150.Y.other"
    long = KeyNote(1, "left", "entity", "Y", 133708452709005150, name)
    kept.write(noted(BOTH, Started(), long))
    kept.close()
    body = events(kept.folder)[-1]["body"]
    assert (body["n"], body["raw"]) == (LARGEST, name)
    assert verified(kept.folder).startswith("green: ")


class FullDisk:
    """A disk that takes so many bytes, and the rest when there is room again."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.room: int | None = None
        self.cuttable = True
        self._write, self._cut = os.write, os.ftruncate
        monkeypatch.setattr(os, "write", self.write)
        monkeypatch.setattr(os, "ftruncate", self.cut)

    def write(self, fd: int, data: bytes) -> int:
        if self.room is None:
            return self._write(fd, data)
        if not self.room:
            raise OSError(errno.ENOSPC, "No space left on device")
        written = self._write(fd, bytes(data[: self.room]))
        self.room -= written
        return written

    def cut(self, fd: int, size: int) -> None:
        if not self.cuttable:
            raise OSError(errno.EIO, "Input/output error")
        self._cut(fd, size)


@pytest.mark.parametrize("cuttable", [True, False])
@pytest.mark.parametrize("file", [EVENTS, LOG])
@pytest.mark.parametrize("taken", [0, 1, 50, -1])
def test_a_full_disk_leaves_both_files_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, file: str, taken: int, cuttable: bool
) -> None:
    disk = FullDisk(monkeypatch)
    kept, like = record(tmp_path), record(tmp_path)
    batch = noted(KEYS[2], KEYS[3], at=1.0)
    for each in (kept, like):
        each.write(noted(BOTH, Started(), KEYS[1]))
    before = [(kept.folder / name).read_bytes() for name in (EVENTS, LOG)]
    like.write(batch)
    like.close()
    sizes = [
        (like.folder / name).stat().st_size - len(was)
        for name, was in zip((EVENTS, LOG), before, strict=True)
    ]
    # So many bytes of the file are taken; -1 is all but the last.
    disk.room = (sizes[0] if file == LOG else 0) + taken % sizes[file == LOG]
    disk.cuttable = cuttable
    for _ in range(2):
        with pytest.raises(OSError, match=r"No space|Input/output"):
            kept.write(batch)
    if cuttable:
        assert [(kept.folder / name).read_bytes() for name in (EVENTS, LOG)] == before
    disk.room, disk.cuttable = None, True
    kept.write(batch)
    kept.write(noted(Ended("judge"), Closed(), at=2.0))
    kept.close()
    assert verified(kept.folder).startswith("green: ")
    keys = [e["body"]["key"] for e in events(kept.folder) if e["kind"] == "key"]
    assert keys == ["H", "Y", "space"]
    log = log2012.load(kept.folder / LOG)
    assert [e.key for e in log.entries] == keys
    assert log.losses == ()


@settings(max_examples=40)
@given(
    typed=st.lists(
        st.tuples(
            st.sampled_from(["left", "right"]),
            st.sampled_from(["judge", "entity"]),
            st.one_of(st.sampled_from([*keys_of("ab c\n\b"), "Shift_L", "é", " "]), st.text()),
            st.sampled_from([None, None, "3/waits"]),
        ),
        max_size=20,
    ),
    cuts=st.lists(st.integers(1, 5), max_size=20),
)
def test_both_forms_hold_the_same_whatever_is_typed(
    tmp_path_factory: pytest.TempPathFactory,
    typed: Sequence[tuple[Side, log2012.Author, str, str | None]],
    cuts: Sequence[int],
) -> None:
    kept = record(tmp_path_factory.mktemp("desk"))
    kept.write(noted(BOTH, Started()))
    notes = noted(
        *(
            KeyNote(n, side, author, key, n, f"{n}.{key}.other", (), out)
            for n, (side, author, key, out) in enumerate(typed, 1)
        )
    )
    for cut in [*cuts, len(notes)]:
        batch, notes = notes[:cut], notes[cut:]
        if batch:
            kept.write(batch)
    kept.write(noted(Ended("judge"), Closed(), at=100.0))
    kept.close()
    assert verified(kept.folder).startswith("green: ")
    log = log2012.load(kept.folder / LOG)
    for side in SIDES:
        played = recording.load(kept.folder / EVENTS, f"1.1.J1.{side}")
        for author in AUTHORS:
            shown = [k for s, a, k, out in typed if (s, a, out) == (side, author, None)]
            assert [p.key for p in played.presses if p.author == author] == shown
            assert log.keys(side, author) == [log2012.loggable(key) for key in shown]


# From end to end


async def say(seat: Seat, place: Place, text: str) -> None:
    for key in keys_of(text):
        assert await seat.press(place, key)


def text(seat: Seat, place: Place, author: str) -> str:
    return Pane(key for by, key in seat.keys(place) if by == author).text


async def answer(human: DeskSeat, lines: list[str]) -> None:
    """A confederate who says the next line at each Return of the judge's."""
    async for event in human:
        if isinstance(event, Key) and event.key == "Return" and lines:
            await say(human, "only", lines.pop(0))


async def test_a_session_with_a_bot_and_a_confederate(tmp_path: Path, room: Path) -> None:
    left, right = room / "left", room / "right"
    left.mkdir()
    right.mkdir()
    command = [sys.executable, "-m", "loebner", "bot", "therapist", "--dir", str(left)]
    bot = await asyncio.create_subprocess_exec(
        *(*command, "--seed", "1", "--keys-per-minute", "6000"),
        stdout=asyncio.subprocess.PIPE,
    )
    assert bot.stdout is not None
    kept = DeskRecord(tmp_path, "judge")
    try:
        assert b"listening" in await bot.stdout.readline()
        human = open_confederate(right, recorder=DeskRecord(tmp_path, "confederate"))
        async with asyncio.timeout(60), human, open_desk(left, right, recorder=kept) as judge:
            await human.ready()
            answering = asyncio.create_task(answer(human, ["Fin\bne, and you?\n", "So so.\n"]))
            await judge.ready()
            async for event in judge:
                match event:
                    case State(phase="interaction", speed=0.0):
                        await say(judge, "left", "How arr\be you?\n")
                        await say(judge, "right", "How are you?\n")
                    case Key(key="Return", place="right", n=n) if n < 20:
                        await say(judge, "right", "And?\n")
                    case State(phase="scoring"):
                        await judge.verdict("right", 90, "it types like one")
                    case State(phase="over"):
                        break
                said = [text(judge, place, "entity").count("\n") for place in SIDES]
                enough = said[0] >= 1 and said[1] >= 2
                if enough if judge.phase == "interaction" else judge.model.saved:
                    await judge.end()
            texts = {(at, by): text(judge, at, by) for at in SIDES for by in AUTHORS}
            answering.cancel()
    finally:
        bot.terminate()
        await bot.communicate()
    assert texts["left", "judge"] == "How are you?\n"
    assert texts["right", "entity"].startswith("Fine, and you?\nSo so.\n")
    assert verified(kept.folder).startswith("green: ")
    assert faults(kept.folder) == []
    log = log2012.load(kept.folder / LOG)
    for (place, by), shown in texts.items():
        assert log.text(place, by) == shown
    [verdict] = [e for e in events(kept.folder) if e["kind"] == "verdict"]
    assert verdict["body"]["human"] == "right"
    [confederates] = [folder for folder in tmp_path.iterdir() if "confederate" in folder.name]
    assert verified(confederates).startswith("green: ")
    assert log2012.load(confederates / LOG).text("left", "entity") == texts["right", "entity"]
