"""The demo's windows as a program beside the contest: a window that has trouble is none of the
contest's."""

from __future__ import annotations

import asyncio
import contextlib
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec

from contest.errors import Surroundings
from contest.setup.settings import Settings
from loebner.demo import ONLY_WINDOWS

#: The windows' program.
PROGRAM = (sys.executable, "-m", "loebner", "demo", ONLY_WINDOWS)
#: What the windows' program prints when they can be seen.
READY = "windows"
#: Seconds that the windows may take to be there, and to be gone.
COMING, GOING = 30.0, 10.0


@dataclass(frozen=True, slots=True)
class Chair:
    """A seat with a window.

    Attributes:
        seat: its id.
        code: its secret code.
        role: judge or confederate.
        number: which of its role it is, from 0: which scripted person sits there.
        count: how many of its role there are.
    """

    seat: str
    code: str
    role: str
    number: int
    count: int


@dataclass(frozen=True, slots=True)
class Orders:
    """What the windows' program is told, as one line of JSON on its standard input."""

    address: str
    seed: int
    speed: float
    chairs: tuple[Chair, ...]


def chairs(settings: Settings, codes: Mapping[str, str]) -> tuple[Chair, ...]:
    """Who gets a window: the first two judges and the first confederate."""
    judges = [judge.id for judge in settings.judge]
    confederates = [confederate.id for confederate in settings.confederate]
    return tuple(
        Chair(seat, codes[seat], role, number, len(seats))
        for role, seats, windows in (("judge", judges, 2), ("confederate", confederates, 1))
        for number, seat in enumerate(seats[:windows])
    )


class Beside:
    """The windows' program, running.

    Arguments:
        orders: what it is told.
        log: the file that its messages go to.
        words: the program.
    """

    def __init__(self, orders: Orders, log: Path, words: Sequence[str] = PROGRAM) -> None:
        self._orders = orders
        self._log = log
        self._words = words
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def running(self) -> bool:
        """Whether it runs."""
        return self._process is not None and self._process.poll() is None

    async def start(self) -> None:
        """Starts it, and waits until the windows can be seen.

        Raises:
            Surroundings: if they can't be opened; the text says why.
        """
        process = self._process = self._spawn()
        assert process.stdout is not None
        word = b""
        try:
            async with asyncio.timeout(COMING):
                word = await asyncio.to_thread(process.stdout.readline)
        except TimeoutError:
            pass
        finally:
            # Who is told to end in the meantime must not wait for a program that says nothing.
            if word.strip() != READY.encode():
                self.stop()
        if word.strip() != READY.encode():
            said = self._log.read_text(encoding="utf-8", errors="replace").strip()
            why = said.splitlines()[-1] if said else f"no answer within {COMING:g} seconds"
            raise Surroundings(f"the windows can't be opened: {why.removeprefix('loebner: ')}")

    def _spawn(self) -> subprocess.Popen[bytes]:
        self._log.parent.mkdir(parents=True, exist_ok=True)
        with self._log.open("wb") as log:
            process = subprocess.Popen(
                self._words,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                # A Ctrl-C is the contest's, which then ends the windows in order.
                start_new_session=True,
            )
        assert process.stdin is not None
        # One short line fits into any pipe; one who does not read it is found out by its answer.
        with contextlib.suppress(OSError):
            process.stdin.write(msgspec.json.encode(self._orders) + b"\n")
            process.stdin.flush()
        return process

    def wait(self) -> None:
        """Waits until the windows are closed."""
        if self._process is not None:
            self._process.wait()

    def stop(self) -> None:
        """Closes the windows."""
        process = self._process
        if process is None:
            return
        process.terminate()
        try:
            process.wait(GOING)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        # Not before: a pipe that is being read can't be closed.
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()
