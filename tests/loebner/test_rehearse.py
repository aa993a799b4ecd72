"""Tests `loebner rehearse` as a person or a program uses it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from contest.rehearse.play import rehearse as play_rehearsal
from contest.rehearse.report import RehearsalReport
from contest.setup.settings import EntryTable, parse
from loebner import rehearse as command
from loebner.cli import main
from loebner.rehearse import program
from tests.contest.rehearse.build import make

Output = pytest.CaptureFixture[str]

THERAPIST = 'command = "loebner bot therapist --dir {dir}"'


@pytest.fixture
def contest(tmp_path: Path) -> Path:
    """A contest of one short round, played by bundled bots that load quickly."""
    place = make(tmp_path / "contest", people=2, minutes=2)
    text = (place / "contest.toml").read_text()
    for entry in ("E1", "E2"):
        text = text.replace(f'id = "{entry}"', f'id = "{entry}"\n{THERAPIST}')
    (place / "contest.toml").write_text(text)
    return place


def test_a_rehearsal_shows_progress_and_a_report(
    contest: Path, tmp_path: Path, capsys: Output, monkeypatch: pytest.MonkeyPatch
) -> None:
    played: list[RehearsalReport] = []

    def play(*args: Any, **options: Any) -> RehearsalReport:
        played.append(play_rehearsal(*args, **options))
        return played[0]

    monkeypatch.setattr(command, "play_rehearsal", play)
    out = tmp_path / "out"
    words = ["rehearse", str(contest), "--faults", "server-stops,disk-full"]
    assert main([*words, "--out", str(out)]) == 0
    said = capsys.readouterr()
    assert "0:31  round 1 begins" in said.out
    assert "fault: server-stops" in said.out
    assert "E1: loebner bot therapist\n" in said.out
    assert said.out.endswith("All checks passed.\n")
    # Faults were injected, and only the report mentions them.
    assert said.err == ""
    assert main(["verify", str(out)]) == 0
    assert not (contest / "record.db").exists()
    capsys.readouterr()
    # The same rehearsal as a document.
    monkeypatch.setattr(command, "play_rehearsal", lambda *_, **__: played[0])
    assert main([*words, "--json"]) == 0
    said = capsys.readouterr()
    document = json.loads(said.out)
    assert document["ok"] is True
    assert document["folder"] == str(out)
    assert {fault["fault"] for fault in document["faults"]} == {"server-stops", "disk-full"}
    assert said.err == ""


@pytest.mark.parametrize(
    "words", [["nowhere"], ["contest", "--faults", "earthquake"], ["contest", "--out", "contest"]]
)
def test_folders_that_can_not_be_rehearsed_exit_2(
    words: list[str],
    contest: Path,
    tmp_path: Path,
    capsys: Output,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["rehearse", *words]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.count("\n") == 1


def test_bundled_bots_play_the_entries() -> None:
    settings = parse(
        '[contest]\nname = "x"\n'
        + "".join(
            f'[[entry]]\nid = "{id_}"\n{command}\n'
            for id_, command in (
                ("E1", 'command = "loebner bot screening --dir {dir}"'),
                ("E2", 'command = "perl secret.pl {dir}"'),
                ("E3", ""),
            )
        )
    )

    def name(entry: EntryTable) -> str:
        return program(1, settings, entry).name

    assert [name(entry) for entry in settings.entry] == [
        "loebner bot screening",
        "loebner bot aiml, in its place",
        "loebner bot screening, in its place",
    ]
