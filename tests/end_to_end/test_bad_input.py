"""Tests bad input at the command line: one clear line on standard error, exit code 2, nothing
changed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from contest.setup.folder import template
from loebner.cli import main

VERDICTS = "round,judge,entry,confederate,verdict\n1,J1,E1,C1,entry\n1,J2,E2,C2,confederate\n"
LOG = (
    "Loebner Prize 2012 15 May  Bletchley Park UK\r\n"
    "These transcripts are in the public domain\r\n"
    "Transcripts of judge 2 program x round 1\r\n"
    "Left =program \r\n"
    "J2 013370740040391417 judge right H\r\n"
)


def in_use(tmp_path: Path) -> Path:
    folder = tmp_path / "used"
    folder.mkdir()
    (folder / "precious").write_text("keep me")
    return folder


def written(tmp_path: Path, name: str, text: str | bytes) -> str:
    file = tmp_path / name
    file.write_bytes(text.encode() if isinstance(text, str) else text)
    return str(file)


CASES: dict[str, tuple[Callable[[Path], list[str]], list[str]]] = {
    "demo --out in use": (lambda p: ["demo", "--out", str(in_use(p))], ["used", "not empty"]),
    "new in use": (lambda p: ["new", str(in_use(p))], ["used", "not empty"]),
    "export without a contest": (
        lambda p: ["export", str(p), "--format", "text", "--out", str(p / "out")],
        ["no record"],
    ),
    "nothing where a folder belongs": (lambda p: ["new"], ["DIR", "See `loebner new --help`"]),
    "a command that doesn't exist": (lambda p: ["frob"], ["frob", "See `loebner --help`"]),
    "a decision by nobody": (
        lambda p: ["screen", "select", str(p), "begin"],
        ["--by NAME", "LOEBNER_BY"],
    ),
    "verify without a contest": (lambda p: ["verify", str(p / "none")], ["none"]),
    "a directory that doesn't exist": (
        lambda p: ["bot", "therapist", "--dir", str(p / "none")],
        ["none", "no such directory"],
    ),
    "a directory that is a file": (
        lambda p: ["bot", "therapist", "--dir", written(p, "file", "x")],
        ["file", "not a directory"],
    ),
    "replay into a directory that doesn't exist": (
        lambda p: ["replay", written(p, "x.log", LOG), "--to", str(p / "none")],
        ["none", "no such directory"],
    ),
    "a log that is no log": (
        lambda p: ["replay", written(p, "x.log", "Dear Hugh,\nall is well.\n")],
        ["x.log"],
    ),
    "a log that is binary": (
        lambda p: ["replay", written(p, "x.log", bytes(range(256)) * 9)],
        ["x.log"],
    ),
    "a log that is empty": (lambda p: ["replay", written(p, "x.log", "")], ["x.log"]),
    "a verdict that is in no schedule": (
        lambda p: [
            "tally",
            written(p, "v.csv", VERDICTS + "2,J1,E1,C2,entry\n"),
            "--schedule",
            written(p, "s.txt", "Round 1 J1E1C1 J2E2C2\nRound 2 J1E2C2 J2E1C1\n"),
        ],
        ["v.csv", "J1E1C2"],
    ),
    "a rank out of range": (
        lambda p: [
            "tally",
            written(p, "v.csv", VERDICTS),
            written(p, "r.csv", "judge,participant,rank\nJ1,E1,9\n"),
        ],
        ["r.csv", "9"],
    ),
    "an unknown command": (lambda p: ["dmeo"], ["dmeo"]),
    "an unknown option": (lambda p: ["demo", "--sped", "9"], ["--sped"]),
    "an unknown bot": (lambda p: ["bot", "hal", "--dir", str(p)], ["hal"]),
}


@pytest.mark.parametrize(("arguments", "said"), CASES.values(), ids=CASES.keys())
def test_bad_input_gives_one_clear_line_and_exit_code_2(
    arguments: Callable[[Path], list[str]],
    said: list[str],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(arguments(tmp_path)) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("loebner: ")
    assert err.count("\n") == 1
    assert "Traceback" not in err
    for words in said:
        assert words in err
    precious = tmp_path / "used" / "precious"
    assert not precious.parent.exists() or precious.read_text() == "keep me"


SETTINGS = {
    "unknown option": ("rounds = 4", "ruonds = 4", "'ruonds'"),
    "two seats with one name": ('name = "Ines"', 'name = "Harriet"', "same name"),
    "an individual with two entries": (
        'entrant = "Second Entrant (bundled)"',
        'entrant = "First Entrant (bundled)"',
        "no individual may be associated with more than one entry",
    ),
}


@pytest.mark.parametrize("command", ["tally", "verify", "export"])
@pytest.mark.parametrize(("old", "new", "said"), SETTINGS.values(), ids=SETTINGS.keys())
def test_unusable_settings_are_refused(
    command: str,
    old: str,
    new: str,
    said: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    folder = tmp_path / "contest"
    folder.mkdir()
    (folder / "contest.toml").write_text(template().replace(old, new))
    arguments = [command, str(folder)]
    if command == "export":
        arguments += ["--format", "text", "--out", str(tmp_path / "out")]
    assert main(arguments) == 2
    _, err = capsys.readouterr()
    assert err.count("\n") == 1
    assert said in err


@pytest.mark.parametrize("group", [[], ["schedule"], ["screen"]])
def test_a_group_without_a_command_shows_its_commands(
    group: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(group) == 2
    told = capsys.readouterr()
    assert told.out == ""
    lines = told.err.splitlines()
    assert lines[0].startswith("Usage: loebner")
    assert "Commands:" in lines
