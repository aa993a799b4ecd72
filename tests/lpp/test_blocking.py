"""Tests the blocking façade by the same contract as the asyncio channel under it."""

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

#: Seconds within which whatever is to come has come, on a machine that is busy with other things.
DEADLINE = 20.0


# What the façade has beyond the channel


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


def test_a_line_without_return(pair: tuple[Talk, Talk]) -> None:
    judge, entry = pair
    judge.say("Hello")
    for _ in range(5):  # what came before a time-out is kept
        with pytest.raises(TimeoutError, match="no line came within"):
            entry.line(0.02)
    judge.say(" Jim\n")
    assert entry.line(DEADLINE) == "Hello Jim"


def test_lines_by_iteration_until_it_is_closed(pair: tuple[Talk, Talk]) -> None:
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


def test_a_text_that_cannot_be_typed_is_not_begun(pair: tuple[Talk, Talk]) -> None:
    judge, entry = pair
    with pytest.raises(NotAKey):
        entry.say("Hello\x07")
    with pytest.raises(TimeoutError):
        judge.key(0.05)


def test_keys_are_removed_while_the_script_thinks(room: Path) -> None:
    with Talk(room):
        (room / "0000000000.H.judge").mkdir()
        deadline = time.monotonic() + DEADLINE
        while list(room.iterdir()):
            assert time.monotonic() < deadline
            time.sleep(0.005)


def test_it_is_opened_once_and_closed_as_often_as_one_likes(room: Path) -> None:
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
def test_ctrl_c_ends_a_script_at_once(room: Path, wait: str) -> None:
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


def test_the_example_of_the_module(room: Path) -> None:
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
