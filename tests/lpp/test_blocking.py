"""Tests the blocking interface to a talk."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from lpp.blocking import Talk
from lpp.errors import NotAKey
from lpp.keypress import Side
from lpp.testing import MemoryDirectory

#: Longest wait for an expected event, in seconds, even on a busy machine.
DEADLINE = 20.0


# Features that the channel doesn't have


@pytest.fixture
def pair() -> Iterator[tuple[Talk, Talk]]:
    """A judge and an entry in a directory in memory."""
    directory = MemoryDirectory()
    with (
        Talk(directory, side=Side.JUDGE) as judge,
        Talk(directory) as entry,
    ):
        yield judge, entry


def test_lines(pair: tuple[Talk, Talk]) -> None:
    judge, entry = pair
    judge.say("I'm Jim-\b.\n\nHow are you?\n")
    assert [entry.line(DEADLINE) for _ in range(3)] == ["I'm Jim.", "", "How are you?"]
    entry.say("Fine.\r\n")
    assert judge.line(DEADLINE) == "Fine."


def test_take_ends_a_line_without_return(pair: tuple[Talk, Talk]) -> None:
    judge, entry = pair
    judge.say("Hello")
    for _ in range(5):  # keys received before a timeout are kept
        with pytest.raises(TimeoutError, match="no line came within"):
            entry.line(0.02)
    judge.say(" Jim\n")
    assert entry.line(DEADLINE) == "Hello Jim"


def test_iteration_yields_lines_until_the_talk_is_closed(pair: tuple[Talk, Talk]) -> None:
    judge, entry = pair
    judge.say("one\ntwo\n")
    heard = []
    for line in entry:
        heard.append(line)
        if line == "two":
            entry.close()
    assert heard == ["one", "two"]
    with pytest.raises(EOFError):
        entry.key(DEADLINE)


def test_say_types_nothing_if_a_character_is_invalid(pair: tuple[Talk, Talk]) -> None:
    judge, entry = pair
    with pytest.raises(NotAKey):
        entry.say("Hello\x07")
    with pytest.raises(TimeoutError):
        judge.key(0.05)


def test_keys_are_removed_while_the_script_computes(room: Path) -> None:
    with Talk(room):
        (room / "0000000000.H.judge").mkdir()
        deadline = time.monotonic() + DEADLINE
        while list(room.iterdir()):
            assert time.monotonic() < deadline
            time.sleep(0.005)


def test_open_works_once_and_close_can_be_repeated(room: Path) -> None:
    talk = Talk(room)
    talk.close()
    with pytest.raises(RuntimeError, match="not open"):
        talk.press("H")
    with talk:
        with pytest.raises(RuntimeError, match="opened only once"):
            talk.__enter__()
        talk.close()
        talk.close()
        with pytest.raises(RuntimeError, match="not open"):
            talk.say("Hello.\n")
    with pytest.raises(RuntimeError, match="opened only once"):
        talk.__enter__()


ECHO = """
import sys
from lpp.blocking import Talk
try:
    with Talk(sys.argv[1]) as talk:
        print("listening", flush=True)
        {wait}
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""


@pytest.mark.skipif(os.name == "nt", reason="a console's Ctrl-C can't be sent to one process")
@pytest.mark.parametrize(
    "wait",
    ["list(talk)", "while True: talk.say('a' * 1000)"],
)
def test_ctrl_c_interrupts_a_waiting_script(room: Path, wait: str) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", ECHO.format(wait=wait), str(room)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as script:
        assert script.stdout is not None
        assert script.stdout.readline() == "listening\n"
        script.send_signal(signal.SIGINT)
        out, err = script.communicate(timeout=DEADLINE)
    assert (out, err, script.returncode) == ("interrupted\n", "", 0)


def test_the_example_in_the_module_docstring_works(room: Path) -> None:
    def entry(talk: Talk) -> None:
        for line in talk:
            talk.say(f"You said: {line}\n")

    with Talk(room, side=Side.JUDGE) as judge, Talk(room) as talk:
        thread = threading.Thread(target=entry, args=[talk])
        thread.start()
        judge.say("I'm here - are you?\n")
        assert judge.line(DEADLINE) == "You said: I'm here - are you?"
        talk.close()
        thread.join()
