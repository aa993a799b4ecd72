"""Tests the data that a console keeps on disk: truncated lines, data of other contests, and a
failing disk."""

from __future__ import annotations

import errno
import logging
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judge_console.memory import Drafts, KeyMemory, folder_of
from judge_console.model.seat import TalkKey

LEFT: TalkKey = ("first", 1, 1, "left")
RIGHT: TalkKey = ("first", 1, 1, "right")


def keep(folder: Path, text: str, start: int = 1, talk: TalkKey = LEFT) -> None:
    keys = KeyMemory(folder)
    for n, key in enumerate(text, start):
        keys.keep(talk, n, key)
    keys.close()


def kept(folder: Path, talk: TalkKey = LEFT) -> dict[int, str]:
    return KeyMemory(folder).typed().get(talk, {})


# Keys


def test_keys_are_restored_by_talk_and_number(tmp_path: Path) -> None:
    keep(tmp_path / "seat", "Hi")
    keep(tmp_path / "seat", "Yo", talk=RIGHT)
    keep(tmp_path / "seat", "!é", start=3)
    assert KeyMemory(tmp_path / "seat").typed() == {
        LEFT: {1: "H", 2: "i", 3: "!", 4: "é"},
        RIGHT: {1: "Y", 2: "o"},
    }


@given(st.data())
def test_a_truncated_line_loses_only_one_key(data: st.DataObject) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        keep(folder, "Hello")
        file = folder / "keys.jsonl"
        whole = file.read_bytes()
        file.write_bytes(whole[: data.draw(st.integers(0, len(whole)))])
        before = kept(folder)
        assert before == dict(list({1: "H", 2: "e", 3: "l", 4: "l", 5: "o"}.items())[: len(before)])
        lines = whole[: file.stat().st_size].count(b"\n")
        assert len(before) >= lines
        keep(folder, "!", start=9)
        assert kept(folder) == {**before, 9: "!"}


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX's permissions")
def test_only_the_owner_can_read_the_keys(tmp_path: Path) -> None:
    keep(tmp_path, "secret")
    assert (tmp_path / "keys.jsonl").stat().st_mode & 0o077 == 0


# A failing disk


def full(*_: Any) -> int:
    raise OSError(errno.ENOSPC, "No space left on device")


@pytest.mark.parametrize("call", ["open", "write"])
def test_a_full_disk_ends_nothing_and_is_logged_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, call: str
) -> None:
    keys, drafts = KeyMemory(tmp_path), Drafts(tmp_path)
    drafts.contest = "first"
    with monkeypatch.context() as patch, caplog.at_level(logging.WARNING):
        patch.setattr(f"judge_console.memory.os.{call}", full)
        for n in (1, 2, 3):
            keys.keep(LEFT, n, "x")
            drafts.put("consent", n)
    assert [record.message.count("No space left") for record in caplog.records] == [1, 1]
    assert drafts.get("consent") == 3, "while the window exists"
    keys.keep(LEFT, 4, "y")
    drafts.put("consent", 4)
    keys.close()
    drafts.close()
    assert kept(tmp_path) == {4: "y"}, "data is kept once there is room again"
    again = Drafts(tmp_path)
    again.contest = "first"
    assert again.get("consent") == 4


def test_a_line_cut_by_a_full_disk_does_not_damage_the_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    keys = KeyMemory(tmp_path)
    keys.keep(LEFT, 1, "a")
    write = os.write
    with monkeypatch.context() as patch:
        patch.setattr("judge_console.memory.os.write", lambda fd, data: write(fd, data[:7]))
        keys.keep(LEFT, 2, "b")
    keys.keep(LEFT, 3, "c")
    keys.keep(LEFT, 4, "d")
    keys.close()
    assert kept(tmp_path) == {1: "a", 3: "c", 4: "d"}


# Drafts


def test_the_latest_drafts_are_restored(tmp_path: Path) -> None:
    drafts = Drafts(tmp_path)
    drafts.contest = "first"
    assert drafts.get("verdict/1/1") is None
    drafts.put("verdict/1/1", {"human": "left"})
    drafts.put("verdict/1/1", {"human": "right"})
    drafts.put("ranking", [["A", "B"]])
    drafts.put("consent", {"publish": True})
    drafts.put("consent", None)
    # Not closed, as if the process had been killed.
    again = Drafts(tmp_path)
    again.contest = "first"
    assert again.get("verdict/1/1") == {"human": "right"}
    assert again.get("ranking") == [["A", "B"]]
    assert again.get("consent") is None
    drafts.close()


# Folders


def test_each_seat_has_a_folder_whose_name_hides_the_code(tmp_path: Path) -> None:
    one, other = (folder_of(tmp_path, code) for code in ("K7QM-2XRA", "K7QM-2XRB"))
    assert one != other
    assert folder_of(tmp_path, " k7qm-2xra\n") == one
    assert one.parent == tmp_path
    assert "K7QM" not in one.name.upper()
