"""A program as the checker starts it: in a process group of its own, its output kept."""

from __future__ import annotations

import asyncio
import contextlib
import os
import shlex
import signal
import sys
import tempfile
from collections.abc import Callable
from typing import IO

from lpp.errors import YoursToFix

#: Seconds that a program has to end after it was asked to.
GRACE = 1.5
#: Bytes of its output that are shown.
SHOWN = 4000


class CantStart(YoursToFix):
    """The program can't be started."""


class Process:
    """A program.

    Arguments:
        words: the program and its arguments; `{dir}` in any of them stands for the directory.
        directory: the communications directory.
    """

    def __init__(self, words: list[str], directory: str) -> None:
        self.words = [word.replace("{dir}", directory) for word in words]
        if words[:1] == ["loebner"]:
            # This very installation's, whatever the search path says.
            self.words[:1] = [sys.executable, "-m", "loebner"]
        self._process: asyncio.subprocess.Process | None = None
        self._waiting: asyncio.Task[None] | None = None
        self._output: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 -- kept until the end
        self._begun_at = 0
        self._group_gone = False

    async def start(self, changed: Callable[[], None]) -> None:
        """Starts it; `changed` is called when it ends. Raises CantStart."""
        self._begun_at = self._output.seek(0, os.SEEK_END)
        self._group_gone = False
        try:
            self._process = await asyncio.create_subprocess_exec(
                *self.words,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=self._output,
                stderr=self._output,
                start_new_session=True,
            )
        except (OSError, ValueError) as exc:
            reason = getattr(exc, "strerror", None) or exc
            raise CantStart(
                f"the program can't be started ({reason}): {shlex.join(self.words)}; "
                f"{_remedy(exc, self.words[0])}"
            ) from exc
        self._waiting = asyncio.create_task(self._wait(changed), name="program")

    async def _wait(self, changed: Callable[[], None]) -> None:
        assert self._process is not None
        await self._process.wait()
        changed()

    async def stop(self) -> None:
        """Ends it, and all that it started."""
        process = self._process
        if process is None:
            return
        self._signal(signal.SIGTERM)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(GRACE):
                await process.wait()
                while self._group_lives():  # noqa: ASYNC110 -- no event tells of a group's end
                    await asyncio.sleep(0.02)
        self._signal(getattr(signal, "SIGKILL", signal.SIGTERM))
        await process.wait()
        if self._waiting is not None:
            await self._waiting

    def close(self) -> None:
        """Forgets its output."""
        self._output.close()

    @property
    def running(self) -> bool:
        """Whether it, or anything that it started, still runs."""
        if self._process is None:
            return False
        return self._process.returncode is None or self._group_lives()

    @property
    def ending(self) -> str:
        """How it ended, in words."""
        code = None if self._process is None else self._process.returncode
        if code is None:
            return "still running"
        if code >= 0:
            return f"exit code {code}"
        try:
            return f"killed by {signal.Signals(-code).name}"
        except ValueError:
            return f"killed by signal {-code}"

    @property
    def spoke(self) -> bool:
        """Whether it has written anything to its standard output since its start."""
        return os.fstat(self._output.fileno()).st_size > self._begun_at

    @property
    def output(self) -> str:
        """The end of what it wrote to standard output and standard error, over all lives."""
        size = self._output.seek(0, os.SEEK_END)
        self._output.seek(max(0, size - SHOWN))
        text = self._output.read().decode("utf-8", "replace")
        return "".join(char if char.isprintable() or char in "\n\t" else "�" for char in text)

    def _signal(self, number: int) -> None:
        assert self._process is not None
        # A group outlives its leader as long as it has members, and so long keeps its number.
        if self._group_gone:
            return
        with contextlib.suppress(ProcessLookupError, PermissionError):
            if hasattr(os, "killpg"):
                os.killpg(self._process.pid, number)
            elif self._process.returncode is None:
                self._process.send_signal(number)

    def _group_lives(self) -> bool:
        assert self._process is not None
        if self._group_gone or not hasattr(os, "killpg"):
            return False
        try:
            os.killpg(self._process.pid, 0)
        except (ProcessLookupError, PermissionError):
            self._group_gone = self._process.returncode is not None
            return False
        return True


def _remedy(exc: Exception, program: str) -> str:
    """What to do about a program that can't be started, in words for its entrant."""
    if isinstance(exc, FileNotFoundError):
        if os.path.exists(program):
            return f"the first line of {program!r} (#!) names a program that is not here"
        return (
            f"there is no {program!r} here: give its path (./bot for one in this folder), a name "
            "with blanks in quotes"
        )
    if isinstance(exc, PermissionError):
        return (
            f"{program!r} is no program that may be run: name what runs it, as in python bot.py, "
            "or make it executable (chmod +x)"
        )
    return "name what runs it, as in python bot.py or java -jar bot.jar"
