"""Tests bots as real processes with real directories."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path

import pytest

from lpp.channel import DirectoryChannel
from lpp.keypress import Side
from lpp.names import keys_of
from tests.peer import ScriptedPeer

Until = Callable[..., Awaitable[None]]

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="ends by signals of POSIX")

#: Scripts that use `bots.entry.main`: one hangs in its reply, the other raises an exception.
HANGING = """
import time
from bots.bot import Bot
from bots.entry import main

class Hanging(Bot):
    def reply(self, line):
        print("thinking", flush=True)
        time.sleep(3600)

main(Hanging)
"""


@contextlib.contextmanager
def running(*words: str) -> Iterator[subprocess.Popen[str]]:
    """Starts an entry as a process, and waits until it listens."""
    with subprocess.Popen(
        [sys.executable, *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        try:
            assert process.stdout.readline().startswith("listening in ")
            yield process
        finally:
            process.kill()


def ended(process: subprocess.Popen[str], end: signal.Signals) -> tuple[int, str]:
    """Signals a process. Returns its exit code and standard error."""
    process.send_signal(end)
    _, err = process.communicate(timeout=20)
    return process.returncode, err


async def test_a_bot_waits_answers_and_ends(room: Path, until: Until) -> None:
    old = [f"{n:010d}.x.other" for n in (3, 7)]
    for name in old:
        (room / name).mkdir()
    with running(
        *("-m", "loebner", "bot", "therapist"),
        *("--dir", str(room), "--speed", "50", "--seed", "1"),
    ) as process:
        # It is listening already, and has typed nothing.
        assert sorted(os.listdir(room)) == old
        for number, key in enumerate(keys_of("I am sad.\n"), 1):
            (room / f"{number:010d}.{key}.judge").mkdir()
        # Reads the answer as a judge program does; its numbers are above those of the leftovers.
        async with DirectoryChannel(room, side=Side.JUDGE) as judge:
            peer = ScriptedPeer(judge)
            answer = await peer.line(timeout=20)
            await until(lambda: not list(room.glob("*.judge")))
        assert "sad" in answer
        typed = [received.press for received in peer.heard if received.press.raw not in old]
        assert [press.number for press in typed] == sorted({press.number for press in typed})
        assert typed[0].number > 7
        assert ended(process, signal.SIGTERM) == (0, "")


async def test_a_hanging_bot_can_be_stopped(room: Path, tmp_path: Path) -> None:
    script = tmp_path / "hanging.py"
    script.write_text(HANGING, encoding="utf-8")
    with running(str(script), "--dir", str(room)) as process:
        assert process.stdout is not None
        for number, key in enumerate(keys_of("Hello.\n"), 1):
            (room / f"{number:010d}.{key}.judge").mkdir()
        assert process.stdout.readline() == "thinking\n"
        assert ended(process, signal.SIGINT) == (0, "")
