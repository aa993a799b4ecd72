"""Tests the start of a program without a console, and of one built by PyInstaller."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from contest import worker
from contest.links import process
from loebner import cli, frozen, terminal


class Shown:
    """The messages shown to a person: (text, whether it was an error)."""

    def __init__(self) -> None:
        self.boxes: list[tuple[str, bool]] = []

    def __call__(self, text: str, error: bool) -> None:
        self.boxes.append((text, error))


def start(words: list[str]) -> tuple[int, list[tuple[str, bool]]]:
    """Starts the program as Windows does without a console; returns the exit code and messages."""
    shown = Shown()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "stdout", None)
        patch.setattr(sys, "stderr", None)
        code = terminal.main(words, shown)
        assert (sys.stdout, sys.stderr) == (None, None)
    return code, shown.boxes


@pytest.fixture(autouse=True)
def log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "logs" / "terminal.log"
    monkeypatch.setattr(terminal, "log_path", lambda: path)
    return path


def test_errors_are_shown_and_logged(log: Path) -> None:
    code, [(text, error)] = start(["replay", "no-such.log"])
    assert code == 2
    assert error
    assert text.startswith("loebner: ")
    assert "no-such.log" in text
    assert str(log) in text
    assert "no-such.log" in log.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "words",
    [
        ["--server", "host:1", "--code", "J1-7KQ2-M4XD-9TRA", "--frame", "none"],
        ["--code=J1-7KQ2-M4XD-9TRA", "--frame", "none"],
        ["judge", "--code", "J1-7KQ2-M4XD-9TRA", "--code", "J2-7KQ2-M4XD-9TRA", "--frame=none"],
    ],
)
def test_the_log_has_no_seat_code(words: list[str], log: Path) -> None:
    code, [(text, _)] = start(words)
    assert code == 2
    kept = log.read_text(encoding="utf-8")
    assert "--frame" in kept
    for said in (kept, text):
        assert "7KQ2" not in said


def test_requested_output_is_shown() -> None:
    code, [(text, error)] = start(["schedule", "--help"])
    assert code == 0
    assert not error
    assert "schedule" in text


def test_the_end_of_a_bugs_traceback_is_shown(monkeypatch: pytest.MonkeyPatch, log: Path) -> None:
    def fail(*args: object, **kwargs: object) -> None:
        raise RuntimeError("x" * 5000 + " the very end")

    monkeypatch.setattr(cli.cli, "main", fail)
    code, [(text, error)] = start([])
    assert code == 70
    assert error
    assert "a bug" in text
    assert "the very end" in text
    assert len(text) < 2500
    assert "Traceback" in log.read_text(encoding="utf-8")


@pytest.mark.parametrize("code", [0, 130])
def test_closing_the_window_shows_no_message(code: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cli, "main", lambda args: code)
    assert start([]) == (code, [])


def test_the_program_starts_without_a_log_file(log: Path) -> None:
    log.parent.write_text("a file where the directory should be")
    code, [(text, _)] = start(["replay", "no-such.log"])
    assert code == 2
    assert "More" not in text


def test_a_long_log_is_started_again(log: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cli, "main", lambda args: 0)
    log.parent.mkdir()
    log.write_text("old " * terminal.LOG_LIMIT)
    assert start([]) == (0, [])
    assert "old" not in log.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("words", "command"),
    [
        ([], ["judge"]),
        (["--server", "ws://x"], ["judge", "--server", "ws://x"]),
        (["replay", "x.log"], ["replay", "x.log"]),
    ],
)
def test_arguments_select_the_command(
    words: Sequence[str], command: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    ran: list[list[str]] = []

    def run(args: list[str]) -> int:
        ran.append(args)
        return 3

    monkeypatch.setattr(cli, "main", run)
    assert terminal.main(words) == 3
    assert ran == [command]


def test_with_a_console_output_goes_there(capsys: pytest.CaptureFixture[str], log: Path) -> None:
    shown = Shown()
    assert terminal.main(["replay", "no-such.log"], shown) == 2
    assert "no-such.log" in capsys.readouterr().err
    assert shown.boxes == []
    assert not log.exists()


# A program built by PyInstaller


def other(words: Sequence[str]) -> int:
    raise AssertionError(f"not meant for the program itself: {words}")


def test_the_program_runs_modules_like_the_interpreter(capsys: pytest.CaptureFixture[str]) -> None:
    assert frozen.run(["-m", "loebner", "schedule", "check", "no-such-file"], other) == 2
    assert "no-such-file" in capsys.readouterr().err


def test_the_program_runs_the_directory_dialog(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bots.dialog.ask_qt", lambda title, start: f"{start}/chosen")
    assert frozen.run(["-m", "bots.dialog", "qt", "Choose", "/rooms"], other) == 0
    assert json.loads(capsys.readouterr().out) == "/rooms/chosen"


def test_the_program_runs_all_modules_that_a_server_starts(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[object] = []

    def link(file: Path) -> int:
        asked.append(file)
        return 5

    monkeypatch.setattr("contest.links.process.main", link)
    monkeypatch.setattr("contest.worker.main", lambda module: 6 if module == "a.b" else 0)
    # By the names of the modules that servers start.
    assert frozen.run(["-P", "-m", process.__name__, "/c/E1.link"], other) == 5
    assert asked == [Path("/c/E1.link")]
    assert frozen.run(["-P", "-m", worker.__name__, "a.b"], other) == 6


def test_other_arguments_go_to_the_command() -> None:
    asked: list[Sequence[str]] = []

    def own(words: Sequence[str]) -> int:
        asked.append(words)
        return 7

    all_words: list[list[str]] = [[], ["bot", "-m"], ["-m"], ["-m", "http.server"]]
    for words in all_words:
        assert frozen.run(words, own) == 7
    assert asked == all_words


@pytest.mark.parametrize(("before", "after"), [(None, None), ("/opt/lib", "/opt/lib")])
def test_started_programs_find_their_own_libraries(
    before: str | None, after: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    monkeypatch.setenv("LD_LIBRARY_PATH", "/bundle:/opt/lib")
    if before is None:
        monkeypatch.delenv("LD_LIBRARY_PATH_ORIG", raising=False)
    else:
        monkeypatch.setenv("LD_LIBRARY_PATH_ORIG", before)
    frozen.run([], lambda words: 0)
    assert os.environ.get("LD_LIBRARY_PATH") == after


def test_the_program_can_test_itself() -> None:
    # In a separate process, because it makes a Qt application.
    program = "import sys; from loebner import frozen; sys.exit(frozen.run(['--try-out'], len))"
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "QT_QPA_PLATFORM": "offscreen"},
        capture_output=True,
        encoding="utf-8",
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert re.fullmatch(r"LEFT LINKS: IBM Plex Sans on offscreen\n", done.stdout)
