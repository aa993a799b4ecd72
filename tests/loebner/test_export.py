"""Tests `loebner export` as a person or a program uses it."""

from __future__ import annotations

from pathlib import Path

import pytest

from loebner.cli import main

Output = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def _beside_the_contest(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The contest's folder is in the current directory."""
    monkeypatch.chdir(folder.parent)


def test_the_written_files_are_listed(capsys: Output) -> None:
    assert main(["export", "c", "--format", "html", "--out", "out"]) == 0
    assert capsys.readouterr().out == "27 files written to out\n"
    assert Path("out/results.html").is_file()
    assert main(["export", "c", "--format", "json", "--out", "out2"]) == 0
    assert capsys.readouterr().out == "3 files written to out2\n"


def test_the_organizer_sets_the_first_lines_of_a_log() -> None:
    words = ["--title", "Mine", "--notice", "All rights"]
    assert main(["export", "c", "--format", "lpp2012", "--out", "out", *words]) == 0
    log = Path("out/round1-attempt1-J1-E1.log").read_bytes()
    assert log.startswith(b"Mine\r\nAll rights\r\n")


@pytest.mark.parametrize(
    "words",
    [
        ["c", "--format", "html", "--out", "c"],
        ["c", "--format", "html", "--out", "c/contest.toml"],
        ["c", "--format", "pdf", "--out", "out"],
        ["c", "--out", "out"],
        ["c", "--format", "html"],
        ["c", "--format", "html", "--out", "out", "--title", "x"],
        ["nowhere", "--format", "html", "--out", "out"],
        [".", "--format", "html", "--out", "out"],
    ],
)
def test_unusable_input_is_refused_in_one_line(words: list[str], capsys: Output) -> None:
    assert main(["export", *words]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert len(said.err.splitlines()) == 1
    assert not Path("out").exists()


def test_a_damaged_record_is_reported_in_one_line(folder: Path, capsys: Output) -> None:
    (folder / "record.db").write_bytes(b"nothing")
    assert main(["export", "c", "--format", "html", "--out", "out"]) == 1
    assert len(capsys.readouterr().err.splitlines()) == 1
