"""Tests an entry as a process: its clock, options, signals, and end."""

from __future__ import annotations

import datetime
import os
import signal
import sys
import threading
from pathlib import Path

import pytest

from bots import entry
from bots.bot import Bot, Context
from lpp.errors import BadDirectory
from lpp.pace import Pace


class Parrot(Bot):
    """Says the line back."""

    name = "parrot"
    summary = "says the line back"
    pace = Pace(gap=0.0, spread=0.0, word_pause=0.0, thought=0.0, slips=0.0)

    def reply(self, line: str) -> str:
        return line


# The wall clock


def test_the_clock_runs_at_its_speed_from_its_start() -> None:
    seconds = [100.0]
    start = datetime.datetime(2010, 10, 23, 9, 30)
    now = entry.wall_clock(start, 60.0, lambda: seconds[0])
    assert now() == start
    seconds[0] += 2.0
    assert now() == start + datetime.timedelta(minutes=2)


# Running and ending


def run_until_listening(
    capsys: pytest.CaptureFixture[str], room: Path, end: signal.Signals
) -> list[str]:
    """Runs an entry in this thread, and signals this process once it listens."""

    made = threading.Event()

    def watch() -> None:
        # A bot is made when the entry has its directory and its handlers; it listens right after.
        made.wait(20)
        os.kill(os.getpid(), end)

    class Parroting(Parrot):
        def __init__(self, context: Context) -> None:
            super().__init__(context)
            made.set()

    watcher = threading.Thread(target=watch)
    watcher.start()
    entry.run_entry(Parroting, directory=room, speed=20.0, seed=4)
    watcher.join()
    return capsys.readouterr().out.splitlines()


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
@pytest.mark.parametrize("end", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_and_handlers_are_put_back(
    capsys: pytest.CaptureFixture[str], room: Path, end: signal.Signals
) -> None:
    before = signal.getsignal(end)
    assert run_until_listening(capsys, room, end) == [f"listening in {room}"]
    assert signal.getsignal(end) is before


def test_a_directory_that_is_none_is_refused_before_the_bot_is_made(tmp_path: Path) -> None:
    def never(context: Context) -> Bot:
        raise AssertionError("made all the same")

    with pytest.raises(BadDirectory, match="no such directory"):
        entry.run_entry(never, directory=tmp_path / "none")
    file = tmp_path / "file"
    file.touch()
    with pytest.raises(BadDirectory, match="not a directory"):
        entry.run_entry(never, directory=file)


# main


@pytest.mark.parametrize(
    ("args", "complaint"),
    [
        (["--dir", "/nowhere/at/all"], "no such directory"),
        (["--dir", ".", "--speed", "0"], "give a number above 0"),
        (["--dir", ".", "--speed", "inf"], "give a number above 0"),
        (["--dir", ".", "--clock", "noon"], "not a date and time"),
        (["--colour", "red"], "No such option"),
    ],
)
def test_wrong_use_of_a_script_exits_with_2(
    args: list[str], complaint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as caught:
        entry.main(Parrot, args)
    assert caught.value.code == 2
    captured = capsys.readouterr()
    assert complaint in captured.err
    assert captured.out == ""
