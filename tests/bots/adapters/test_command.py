"""Tests line-oriented programs as entries, with real programs of a few lines."""

from __future__ import annotations

import contextlib
import json
import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from bots.adapters.base import BadSetting
from bots.adapters.command import HUNG, CommandBot, prepare, split
from bots.runner import EXCUSES
from tests.bots.adapters.programs import ECHO, OBEDIENT, script
from tests.bots.talking import context

#: Quick, but long enough for a loaded machine where something has to arrive.
QUICK: dict[str, Any] = {"timeout": 20.0, "quiet": 0.1, "greeting": 0.05, "grace": 0.5}


def replace(settings: dict[str, Any], **changes: object) -> dict[str, Any]:
    return {**settings, **changes}


Record = list[str]


@contextlib.contextmanager
def talking(settings: dict[str, Any], record: Record | None = None) -> Iterator[CommandBot]:
    """A bot at the beginning of a talk; closed in the end."""
    log = record.append if record is not None else lambda text: None
    bot = CommandBot(context(), log=log, **settings)
    try:
        bot.begin()
        yield bot
    finally:
        bot.close()


def obedient(tmp_path: Path, **changes: object) -> dict[str, Any]:
    return replace(QUICK, words=script(tmp_path, OBEDIENT), **changes)


def order(write: str = "", **more: object) -> str:
    return json.dumps({"write": write, **more})


def gone(pid: int) -> bool:
    """Whether there is no such process, not even a zombie."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    return False


def pids(capfd: pytest.CaptureFixture[str]) -> list[int]:
    """What `OBEDIENT` has said of itself on standard error, which is passed on."""
    return [int(line.split()[1]) for line in capfd.readouterr().err.splitlines()]


def test_a_line_in_a_line_out(tmp_path: Path) -> None:
    with talking(replace(QUICK, words=script(tmp_path, ECHO))) as bot:
        assert bot.reply("Hello, Jim.") == "You said: Hello, Jim."
        assert bot.reply("Grüße, 你好 😀") == "You said: Grüße, 你好 😀"


def test_it_runs_through_the_whole_talk_and_afresh_in_the_next(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    with talking(obedient(tmp_path)) as bot:
        assert [bot.reply(order("COUNT\n")) for _ in range(3)] == ["1", "2", "3"]
        bot.begin()
        assert bot.reply(order("COUNT\n")) == "1"
    started = pids(capfd)
    assert len(started) == 2
    assert all(map(gone, started))


def test_a_greeting_is_not_said(tmp_path: Path) -> None:
    words = script(tmp_path, 'print("Welcome!")\nprint("Bot 1.0")\n' + ECHO)
    record: Record = []
    settings = replace(QUICK, words=words, greeting=20.0)
    with talking(settings, record) as bot:
        bot.reply("x")
        bot.begin()
        assert bot.reply("Hello.") == "You said: Hello."
    assert record[-2:] == [
        "command: dropped because it answers no line: Welcome!",
        "command: dropped because it answers no line: Bot 1.0",
    ]


def test_a_program_that_hangs_is_started_again(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    record: Record = []
    settings = obedient(tmp_path, grace=0.2)
    with talking(settings, record) as bot:
        assert bot.reply(order("COUNT\n")) == "1"
        bot._timeout = 0.01
        assert [bot.reply(order("")) for _ in range(HUNG)] == list(EXCUSES[:HUNG])
        bot._timeout = 20.0
        assert bot.reply(order("COUNT\n")) == "1"
    assert "ending it" in record[HUNG - 1]
    assert "restarting it" in record[HUNG]
    assert all(map(gone, pids(capfd)))


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
def test_a_program_that_will_not_end_is_ended_with_what_it_started(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    stubborn = """
import os, signal, sys, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
child = os.fork()
print("pid", os.getpid(), file=sys.stderr)
if child:
    input()  # what comes before it is a greeting, and is not said
    print("ready")
time.sleep(3600)
"""
    settings = replace(QUICK, words=script(tmp_path, stubborn), grace=0.05)
    with talking(settings) as bot:
        assert bot.reply("x") == "ready"
    both = pids(capfd)
    assert len(both) == 2
    deadline = time.monotonic() + 20
    # The child is the system's to bury.
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
        ("no-such-program-at-all -x", "no executable program 'no-such-program-at-all'"),
        ("", "--command is empty"),
        ("'x", "no closing quotation"),
    ],
)
def test_what_can_not_be_run(command: str, complaint: str) -> None:
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
def test_what_is_no_command(platform: str, command: str, complaint: str) -> None:
    with pytest.raises(BadSetting, match=complaint) as caught:
        split(command, platform)
    assert "\n" not in str(caught.value)


def test_no_line_in_time(tmp_path: Path) -> None:
    record: Record = []
    settings = obedient(tmp_path, timeout=0.05, fallback="Pardon?")
    with talking(settings, record) as bot:
        assert bot.reply(order("")) == "Pardon?"
    assert "no line within 0.05 seconds" in record[0]


def test_a_program_that_dies_of_a_line_is_not_given_it_again(tmp_path: Path) -> None:
    record: Record = []
    with talking(obedient(tmp_path), record) as bot:
        assert bot.reply(order("", exit=7)) == EXCUSES[0]
        assert bot.reply(order("COUNT\n")) == "1"
    assert record == [
        "command: the program ended (exit code 7) without an answer",
        "command: the program ended (exit code 7); restarting it",
    ]
