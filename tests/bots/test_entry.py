"""Tests running a bot as an entry: clock, options, signals, and exit codes."""

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
    """Repeats each line."""

    name = "parrot"
    summary = "says the line back"
    pace = Pace(gap=0.0, spread=0.0, word_pause=0.0, thought=0.0, slips=0.0)

    def reply(self, line: str) -> str:
        return line


# The wall clock


def test_the_wall_clock_starts_and_runs_as_requested() -> None:
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
        # The bot is created once the entry has its directory and signal handlers; then it listens.
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
def test_a_signal_ends_an_entry_and_handlers_are_restored(
    capsys: pytest.CaptureFixture[str], room: Path, end: signal.Signals
) -> None:
    before = signal.getsignal(end)
    assert run_until_listening(capsys, room, end) == [f"listening in {room}"]
    assert signal.getsignal(end) is before


def test_an_invalid_directory_is_refused_before_the_bot_is_created(tmp_path: Path) -> None:
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
def test_a_usage_error_exits_with_2(
    args: list[str], complaint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as caught:
        entry.main(Parrot, args)
    assert caught.value.code == 2
    captured = capsys.readouterr()
    assert complaint in captured.err
    assert captured.out == ""
