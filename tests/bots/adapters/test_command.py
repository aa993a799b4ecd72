"""Tests line-oriented programs as entries, with small real programs."""

from __future__ import annotations

import contextlib
import io
import json
import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from bots.adapters import command
from bots.adapters.base import BadSetting
from bots.adapters.command import HANG_LIMIT, CommandBot, prepare, split
from bots.runner import EXCUSES
from tests.bots.adapters.programs import ECHO, OBEDIENT, script
from tests.bots.talking import context

#: Short, but long enough for expected output on a busy machine.
QUICK: dict[str, Any] = {"timeout": 20.0, "quiet": 0.1}


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command, "GREETING", 0.05)
    monkeypatch.setattr(command, "GRACE", 0.5)


def replace(settings: dict[str, Any], **changes: object) -> dict[str, Any]:
    return {**settings, **changes}


Record = list[str]


@contextlib.contextmanager
def talking(settings: dict[str, Any], record: Record | None = None) -> Iterator[CommandBot]:
    """A bot at the beginning of a talk; closes it at the end."""
    said = io.StringIO()
    with contextlib.redirect_stderr(said):
        bot = CommandBot(context(), **settings)
        try:
            bot.begin()
            yield bot
        finally:
            bot.close()
    if record is not None:
        record += said.getvalue().splitlines()


def obedient(tmp_path: Path, **changes: object) -> dict[str, Any]:
    return replace(QUICK, words=script(tmp_path, OBEDIENT), **changes)


def order(write: str = "", **more: object) -> str:
    return json.dumps({"write": write, **more})


def gone(pid: int) -> bool:
    """Whether no such process exists, not even as a zombie."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    return False


def pids(capfd: pytest.CaptureFixture[str]) -> list[int]:
    """The process ids that `OBEDIENT` has written to standard error, which it shares with the
    test."""
    return [int(line.split()[1]) for line in capfd.readouterr().err.splitlines()]


def test_each_line_gets_an_answer(tmp_path: Path) -> None:
    with talking(replace(QUICK, words=script(tmp_path, ECHO))) as bot:
        assert bot.reply("Hello, Jim.") == "You said: Hello, Jim."
        assert bot.reply("Grüße, 你好 😀") == "You said: Grüße, 你好 😀"


@pytest.mark.parametrize(
    ("written", "answer"),
    [
        ("10 %\r50 %\rHello\n", "Hello"),
        ("Hello\r\nDave\r\n", "Hello\nDave"),
        ("a\vb\fc\x85d\u2028e\n", "a b c d e"),
        ("\r\n", ""),
    ],
)
def test_a_line_is_what_a_terminal_shows(tmp_path: Path, written: str, answer: str) -> None:
    with talking(obedient(tmp_path)) as bot:
        assert bot.reply(order(written)) == answer


def test_the_program_is_restarted_for_each_talk(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    with talking(obedient(tmp_path)) as bot:
        assert [bot.reply(order("COUNT\n")) for _ in range(3)] == ["1", "2", "3"]
        bot.begin()
        assert bot.reply(order("COUNT\n")) == "1"
    started = pids(capfd)
    assert len(started) == 2
    assert all(map(gone, started))


def test_a_greeting_is_dropped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command, "GREETING", 20.0)
    words = script(tmp_path, 'print("Welcome!")\nprint("Bot 1.0")\n' + ECHO)
    record: Record = []
    with talking(replace(QUICK, words=words), record) as bot:
        bot.reply("x")
        bot.begin()
        assert bot.reply("Hello.") == "You said: Hello."
    assert [said.rpartition(": ")[2] for said in record[-2:]] == ["Welcome!", "Bot 1.0"]


def test_a_hanging_program_is_restarted(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    record: Record = []
    with talking(obedient(tmp_path), record) as bot:
        assert bot.reply(order("COUNT\n")) == "1"
        bot._timeout = 0.01
        assert [bot.reply(order("")) for _ in range(HANG_LIMIT)] == list(EXCUSES[:HANG_LIMIT])
        bot._timeout = 20.0
        assert bot.reply(order("COUNT\n")) == "1"
    assert f"{HANG_LIMIT} times" in record[HANG_LIMIT - 1]
    assert "restarting it" in record[HANG_LIMIT]
    assert all(map(gone, pids(capfd)))


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
def test_a_program_that_ignores_signals_is_killed_with_its_children(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    stubborn = """
import os, signal, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
child = os.fork()
os.write(2, b"pid %d\\n" % os.getpid())  # in one call, because both processes write at once
if child:
    input()  # what comes before it is a greeting, and is not said
    print("ready")
time.sleep(3600)
"""
    with talking(replace(QUICK, words=script(tmp_path, stubborn))) as bot:
        assert bot.reply("x") == "ready"
    both = pids(capfd)
    assert len(both) == 2
    deadline = time.monotonic() + 20
    # The system removes the child.
    while not all(map(_dead, both)) and time.monotonic() < deadline:
        os.sched_yield()
    assert all(map(_dead, both))


def _dead(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return True
    return state == "Z"


# prepare


@pytest.mark.parametrize(
    ("command", "complaint"),
    [
        ("no-such-program-at-all -x", "'no-such-program-at-all' was not found: give its path"),
        (f"{__file__} -x", "give the command that runs it, such as python"),
        ("", "--command is empty"),
        ("'x", "no closing quotation"),
    ],
)
def test_an_invalid_program_is_refused(command: str, complaint: str) -> None:
    with pytest.raises(BadSetting, match=complaint):
        prepare(command)


# The words of a command


@pytest.mark.parametrize("platform", ["linux", "win32"])
@pytest.mark.parametrize(
    ("command", "complaint"),
    [
        ("", "is empty"),
        ("   ", "is empty"),
        ('""', "is empty"),
        ('bot "a', "no closing quotation"),
    ],
)
def test_an_invalid_command_is_refused(platform: str, command: str, complaint: str) -> None:
    with pytest.raises(BadSetting, match=complaint) as caught:
        split(command, platform)
    assert "\n" not in str(caught.value)


def test_a_late_answer_is_replaced_by_a_fallback_line(tmp_path: Path) -> None:
    record: Record = []
    settings = obedient(tmp_path, timeout=0.05, fallback="Pardon?")
    with talking(settings, record) as bot:
        assert bot.reply(order("")) == "Pardon?"
    assert "no line within 0.05 seconds" in record[0]


def test_a_line_that_kills_the_program_is_not_sent_again(tmp_path: Path) -> None:
    record: Record = []
    with talking(obedient(tmp_path), record) as bot:
        assert bot.reply(order("", exit=7)) == EXCUSES[0]
        assert bot.reply(order("COUNT\n")) == "1"
    assert record == [
        "command: the program ended (exit code 7) without an answer",
        "command: the program ended (exit code 7); restarting it",
    ]
