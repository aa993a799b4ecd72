"""Tests `loebner check-setup` as a person or a program uses it."""

from __future__ import annotations

import json
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from contest.preflight import checks
from contest.setup import folder as folders
from loebner.cli import main

Output = pytest.CaptureFixture[str]
SETTINGS = """
[contest]
name = "Ended"
[rules]
rounds = 1
[[judge]]
id = "J1"
[[entry]]
id = "E1"
command = '''{command}'''
[[confederate]]
id = "C1"
"""


@pytest.fixture(autouse=True)
def _any_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """Skips the check of the disk's speed, which differs between machines."""
    monkeypatch.setattr(checks, "COMMITS", 5)
    monkeypatch.setattr(checks, "TOO_SLOW", 120.0)


@pytest.fixture
def contest(tmp_path: Path) -> Path:
    place = tmp_path / "c"
    folders.make(place)
    return place


def test_each_check_has_a_line_and_a_remedy(contest: Path, capsys: Output) -> None:
    assert main(["check-setup", str(contest), "--no-start", "--port", "0"]) == 0
    said = capsys.readouterr()
    lines = said.out.splitlines()
    assert any(line.startswith("green   contest.toml: ") for line in lines)
    # The date of the 2010 contest has passed, and it has no second copy.
    at = lines.index(next(line for line in lines if line.startswith("yellow  name, venue and day")))
    assert lines[at + 1].startswith("        -> ")
    assert not any("a first talk" in line for line in lines)
    assert lines[-1].startswith("Ready; ")
    assert said.err == ""


def test_json_has_all_checks(contest: Path, capsys: Output) -> None:
    assert main(["check-setup", str(contest), "--no-start", "--port", "0", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["ready"] is True
    checks = {check["id"]: check for check in document["checks"]}
    assert set(checks["facts"]) == {"id", "level", "what", "found", "remedy"}
    assert checks["facts"]["level"] == "yellow"
    assert checks["settings"]["remedy"] == ""
    text = (contest / "contest.toml").read_text()
    (contest / "contest.toml").write_text(text.replace("venue =", "venu =", 1))
    assert main(["check-setup", str(contest), "--no-start", "--port", "0"]) == 1
    said = capsys.readouterr().out
    assert "RED     contest.toml: " in said
    assert "NOT ready: 1 line is red" in said


@pytest.mark.parametrize("words", [["nowhere"], [], [".", "--key", "key.pem"], ["."]])
def test_folders_without_a_contest_exit_2(
    words: list[str], tmp_path: Path, capsys: Output, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["check-setup", *words]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.count("\n") == 1


#: Writes its process id and its directory to a file, and never ends.
PROGRAM = """
import os, sys, time
with open(sys.argv[2], "a") as notes:
    notes.write(f"{os.getpid()} {sys.argv[1]}\\n")
while True:
    time.sleep(0.1)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="needs /proc")
@pytest.mark.parametrize(
    ("command", "by"),
    [("check-setup", "SIGTERM"), ("check-bot", "SIGHUP")],
)
def test_a_signal_leaves_no_entry_and_no_directory_behind(
    tmp_path: Path, command: str, by: str
) -> None:
    notes = tmp_path / "notes"
    (tmp_path / "program.py").write_text(PROGRAM, encoding="utf-8")
    words = [sys.executable, str(tmp_path / "program.py"), "{dir}", str(notes)]
    arguments = ["--", *words]
    if command == "check-setup":
        folders.make(tmp_path / "c", SETTINGS.format(command=shlex.join(words)))
        arguments = [str(tmp_path / "c"), "--port", "0"]
    checking = subprocess.Popen(
        [sys.executable, "-m", "loebner", command, *arguments],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        encoding="utf-8",
    )
    deadline = time.monotonic() + 60
    while not (notes.exists() and notes.read_text().endswith("\n")):
        assert time.monotonic() < deadline
        assert checking.poll() is None, checking.communicate()
        time.sleep(0.02)
    checking.send_signal(getattr(signal, by))
    _, said = checking.communicate(timeout=60)
    assert said.strip() == "loebner: interrupted"
    assert checking.returncode == 130
    for line in notes.read_text().splitlines():
        pid, directory = line.split()
        assert not Path("/proc", pid).exists()
        assert not Path(directory).exists()
