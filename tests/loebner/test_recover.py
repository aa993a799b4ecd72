"""Tests `loebner recover` as a person or a program uses it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from contest.record.store import FILE_NAME
from loebner.cli import main
from tests.contest.build import brief

Output = pytest.CaptureFixture[str]


def damage(folder: Path) -> None:
    """Destroys the first page of the database, and one in the middle."""
    file = folder / FILE_NAME
    data = bytearray(file.read_bytes())
    middle = len(data) // 2 // 4096 * 4096
    data[:100] = bytes(100)
    data[middle : middle + 4096] = bytes(4096)
    file.write_bytes(data)


def test_a_complete_record_is_recovered(folder: Path, tmp_path: Path, capsys: Output) -> None:
    out = tmp_path / "out"
    assert main(["recover", str(folder), "--out", str(out)]) == 0
    said = capsys.readouterr()
    assert f"events 1 to {len(brief().events)} from {folder / FILE_NAME}" in said.out
    assert "Nothing is missing." in said.out
    assert "Continue it" not in said.out, "it is closed"
    assert said.err == ""
    assert main(["verify", str(out)]) == 0


def test_missing_events_are_reported_with_exit_code_1(
    folder: Path, tmp_path: Path, capsys: Output
) -> None:
    damage(folder)
    out = tmp_path / "out"
    assert main(["recover", str(folder), "--out", str(out)]) == 1
    said = capsys.readouterr()
    assert f"{folder / FILE_NAME}: the record can't be used" in said.out
    assert "MISSING" in said.out
    assert "see salvaged.jsonl" in said.out
    assert f"Continue it with: loebner serve {out}" in said.out
    assert said.err == ""
    assert (out / "salvaged.jsonl").stat().st_size


def test_json_is_the_only_output(folder: Path, tmp_path: Path, capsys: Output) -> None:
    assert main(["recover", str(folder), "--out", str(tmp_path / "one"), "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["whole"] is True
    assert document["missing"] == []
    assert document["head"] == brief().chains.head(None)
    assert document["parts"] == [
        {"place": str(folder / FILE_NAME), "first": 1, "last": len(brief().events)}
    ]
    damage(folder)
    assert main(["recover", str(folder), "--out", str(tmp_path / "two"), "--json"]) == 1
    document = json.loads(capsys.readouterr().out)
    assert document["whole"] is False
    assert document["missing"]
    assert document["events"] + document["salvaged"] <= len(brief().events)
    assert document["places"][0]["trouble"]


@pytest.mark.parametrize(
    "words",
    [
        ["recover"],
        ["recover", "c"],
        ["recover", "nowhere", "--out", "out"],
        ["recover", "c", "--out", "c"],
        ["recover", "c", "--out", "out", "--from", "nowhere.db"],
        ["recover", ".", "--out", "out"],
    ],
)
def test_unusable_input_is_refused_in_one_line(
    words: list[str], folder: Path, capsys: Output, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder.parent)
    assert main(words) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert len(said.err.splitlines()) == 1
    assert not (folder.parent / "out").exists()
