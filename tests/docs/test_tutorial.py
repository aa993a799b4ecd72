"""Runs the tutorial's code and commands exactly as the page shows them.

Each `check-bot` takes a minute, so only `make soak` runs these commands. The other tests play the
same checks in memory on virtual time, and compare the reports with the page.
"""

from __future__ import annotations

import asyncio
import importlib.util
import os
import random
import re
import shlex
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import looptime
import pytest

from bots.bot import Bot
from bots.entry import at_speed
from bots.runner import Runner
from lpp.channel import DirectoryChannel
from lpp.clock import LoopClock
from lpp.conformance.cases import CheckResult
from lpp.conformance.check import Setup, play
from lpp.conformance.reports import closing, details, line_of
from lpp.keypress import Side
from lpp.numbers import MemoryNumbers
from tests.bots.talking import context, inline
from tests.mutants.memory import MemoryPlace, MemoryProgram

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "tutorial" / "a-bot-from-scratch.md"

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the page's commands are POSIX's")


class Block(NamedTuple):
    """A fenced block of the page."""

    language: str
    text: str


BLOCKS = [
    Block(*found) for found in re.findall(r"```(\w+)\n(.*?)```", PAGE.read_text("utf-8"), re.S)
]
CODE = [block.text for block in BLOCKS if block.language == "python"]
#: Each command with its output on the page.
COMMANDS_OF_PAGE = [
    (
        block.text.splitlines(),
        next((b.text.splitlines() for b in BLOCKS[i + 1 :] if b.language == "text"), []),
    )
    for i, block in enumerate(BLOCKS)
    if block.language == "sh"
]
RUN, TALK, CHECK, CHECK_AGAIN = COMMANDS_OF_PAGE


def shows(expected: list[str], printed: list[str]) -> bool:
    """Whether all lines of the page were printed, in this order; the page may shorten them."""
    left = iter(printed)
    return all(
        any(line.rstrip().startswith(wanted.rstrip()) for line in left) for wanted in expected
    )


@pytest.fixture
def folder(tmp_path: Path) -> Callable[[str], Path]:
    """A function that makes a folder with the bot in it."""

    def make(code: str) -> Path:
        (tmp_path / "my_bot.py").write_text(code, encoding="utf-8")
        return tmp_path

    return make


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The environment as after `activate`: `python` and `loebner` are this installation's."""
    bin_ = tmp_path_factory.mktemp("bin")
    for name, words in (("python", ""), ("loebner", "-m loebner")):
        script = bin_ / name
        script.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} {words} "$@"\n')
        script.chmod(0o755)
    return {**os.environ, "PATH": f"{bin_}{os.pathsep}{os.environ['PATH']}"}


# The page


def test_the_two_bots_differ_in_the_fixed_line() -> None:
    faulty, mended = (code.splitlines() for code in CODE)
    assert len(faulty) == 15
    assert "isalnum" in faulty[9]  # "line 10"
    assert [line for line in mended if line not in faulty] == [
        '        return f"Why do you say: {line}"'
    ]


# Running and talking


def test_it_runs(folder: Callable[[str], Path], environment: dict[str, str]) -> None:
    (make, run), expected = RUN
    place = folder(CODE[0])
    subprocess.run(shlex.split(make), cwd=place, check=True)
    with subprocess.Popen(
        shlex.split(run), cwd=place, env=environment, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        try:
            assert shows(expected, [process.stdout.readline()])
            process.send_signal(signal.SIGINT)
            assert process.wait(20) == 0
        finally:
            process.kill()


def test_it_talks(folder: Callable[[str], Path], environment: dict[str, str]) -> None:
    (command,), expected = TALK
    done = subprocess.run(
        # The page's line has a pipe, so it needs a shell.
        ["/bin/sh", "-c", command],
        cwd=folder(CODE[0]),
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert shows(expected, done.stdout.splitlines()), done.stdout + done.stderr


# Checking


class PlaceDirectory:
    """A directory in memory, which a channel uses as its directory and as its hint."""

    slow = False

    def __init__(self, place: MemoryPlace) -> None:
        self._place = place
        self.path = place.path

    def check(self) -> None:
        return

    def iter_names(self) -> Iterator[str]:
        return iter(self.names())

    def names(self) -> list[str]:
        return self._place.names()

    def make(self, name: str) -> None:
        self._place.make(name)

    def remove_at_once(self, name: str) -> bool:
        self._place.remove(name)
        return True

    def remove(self, name: str) -> str | None:
        self._place.remove(name)
        return None

    def watch(self, path: str, wake: Callable[[], None]) -> MemoryWatch:
        end = self._place.watch(lambda name, at: wake(), lambda: None)
        return MemoryWatch(end)


class MemoryWatch:
    """A watch on a directory in memory."""

    def __init__(self, end: Callable[[], None]) -> None:
        self.end = end

    def alive(self) -> bool:
        return True


class MemoryEntry(MemoryProgram):
    """A bot as the checked program. Each start is a new task; the numbers continue."""

    has_output = True

    def __init__(self, make: type[Bot], place: MemoryPlace) -> None:
        super().__init__("none", place)
        self._make = make
        self._directory = PlaceDirectory(place)
        self._numbers = MemoryNumbers()

    async def _live(self) -> None:
        bot = self._make(context())
        bot.pace = at_speed(bot.pace, 1200.0)
        async with DirectoryChannel(
            self._directory, side=Side.OTHER, hint=self._directory, numbers=self._numbers
        ) as channel:
            clock = LoopClock()
            await Runner(bot, channel, clock, rng=random.Random(1), call=inline).run()


def check_in_memory(make: type[Bot]) -> CheckResult:
    """Runs a whole check of a bot on virtual time."""

    async def whole() -> CheckResult:
        place = MemoryPlace(asyncio.get_running_loop().time)
        entry = MemoryEntry(make, place)
        return await play(Setup(), place, entry, MemoryNumbers())

    loop = looptime.new_event_loop(noop_cycles=0)
    try:
        return loop.run_until_complete(whole())
    finally:
        loop.close()


def bot_of(code: str, folder: Path) -> type[Bot]:
    file = folder / "my_bot.py"
    file.write_text(code, encoding="utf-8")
    spec = importlib.util.spec_from_file_location("my_bot", file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    found: type[Bot] = module.MyBot
    return found


@pytest.mark.parametrize(
    ("code", "command", "failed"),
    [(CODE[0], CHECK, {"2.A.e/spelling"}), (CODE[1], CHECK_AGAIN, set())],
    ids=["faulty", "mended"],
)
def test_the_report_matches_the_page(
    code: str, command: tuple[list[str], list[str]], failed: set[str], tmp_path: Path
) -> None:
    result = check_in_memory(bot_of(code, tmp_path))
    assert {o.case.id for o in result.cases if o.outcome.value == "fail"} == failed
    assert result.passed is not bool(failed)
    printed = [
        line
        for outcome in result.cases
        for line in [
            line_of(outcome),
            *(details(outcome, result.log) if outcome.is_faulty else []),
        ]
    ]
    expected = _sorted_as(command[1], printed)
    assert shows(expected, [*printed, *closing(result)])
    if failed:
        (fault,) = (outcome for outcome in result.cases if outcome.case.id in failed)
        assert "Im ok" in fault.observed
        assert "I\\'m" in fault.observed or "I'm" in fault.observed


def _sorted_as(expected: list[str], printed: list[str]) -> list[str]:
    """The page's lines in the order of the table of cases. The command prints each case as soon as
    it is decided, in another order."""
    at = 0
    blocks: list[tuple[int, list[str]]] = []
    for line in expected:
        if not line.startswith(" "):
            name = line.split()[0]
            at = next((i for i, text in enumerate(printed) if text.startswith(name)), len(printed))
            blocks.append((at, []))
        blocks[-1][1].append(line)
    return [line for _, block in sorted(blocks, key=lambda pair: pair[0]) for line in block]


@pytest.mark.soak
@pytest.mark.timeout(300)
@pytest.mark.parametrize(
    ("code", "command", "exit_code"),
    [(CODE[0], CHECK, 1), (CODE[1], CHECK_AGAIN, 0)],
    ids=["faulty", "mended"],
)
def test_the_pages_command_prints_the_report(
    code: str,
    command: tuple[list[str], list[str]],
    exit_code: int,
    folder: Callable[[str], Path],
    environment: dict[str, str],
) -> None:
    (line,), expected = command
    done = subprocess.run(
        shlex.split(line),
        cwd=folder(code),
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == exit_code, done.stdout + done.stderr
    assert shows(expected, done.stdout.splitlines()), done.stdout
