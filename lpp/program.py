"""Programs in a process group of their own: split a command line, start, end with all children.

`Program` is one that runs until it is stopped, its output kept. Nothing is expanded in a command
line: no variables, no wildcards, no redirection; `|` and `&` are plain text.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import shlex
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from typing import IO, Any

from lpp.errors import YoursToFix

#: Seconds that a program has to end after it was asked to.
GRACE = 1.5
#: Bytes of its output that are shown.
SHOWN = 4000

KILL: int = getattr(signal, "SIGKILL", signal.SIGTERM)

#: What `subprocess` is given so that a Ctrl-C here does not reach the program, and that all that it
#: starts can be ended with it.
OWN_GROUP: dict[str, Any] = {
    "start_new_session": True,
    "creationflags": getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),
}


class CantStart(YoursToFix):
    """The program can't be started."""


def split(command: str, platform: str = sys.platform) -> list[str]:
    """The words of a command, by POSIX's rules; on Windows double quotes keep words together, and
    all else is plain, for paths are full of backslashes.

    Arguments:
        command: a program and its arguments.
        platform: as `sys.platform`: whose rules hold.

    Raises:
        ValueError: if a quotation has no end.
    """
    words = shlex.shlex(command, posix=True, punctuation_chars=False)
    words.whitespace_split, words.commenters = True, ""
    if platform == "win32":
        words.quotes, words.escape = '"', ""
    return list(words)


def signal_group(pid: int, number: int) -> bool:
    """Sends a signal to a program of `OWN_GROUP` and all that it started, as far as they live.

    Arguments:
        pid: the program's number; to be used only while it, or a member of its group, is known to
            live, for numbers are used again.
        number: the signal; 0 only asks whether any of them lives.

    Returns:
        Whether any of them lives. On Windows, which has no such groups, the program alone counts.
    """
    try:
        if sys.platform != "win32":
            os.killpg(pid, number)
        elif number:
            os.kill(pid, number)
    except OSError:  # it has ended, or become somebody else's
        return False
    return sys.platform != "win32"


def ending_of(code: int | None) -> str:
    """How a program ended, in words, by its exit code: negative for a signal, None if it runs."""
    if code is None:
        return "still running"
    if code >= 0:
        return f"exit code {code}"
    try:
        return f"killed by {signal.Signals(-code).name}"
    except ValueError:
        return f"killed by signal {-code}"


class Program:
    """A program.

    Arguments:
        words: the program and its arguments; `{dir}` in any of them stands for the directory, and
            a first word `loebner` for this very installation.
        directory: the communications directory.
    """

    def __init__(self, words: Sequence[str], directory: str) -> None:
        self.words = in_directory(words, directory)
        self._process: asyncio.subprocess.Process | None = None
        self._waiting: asyncio.Task[None] | None = None
        self._output: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 -- kept until the end
        self._begun_at = 0
        self._group_gone = True

    async def start(self, changed: Callable[[], None]) -> None:
        """Starts it; `changed` is called when it ends. Raises CantStart."""
        self._begun_at = self._output.seek(0, os.SEEK_END)
        try:
            self._process = await asyncio.create_subprocess_exec(
                *self.words,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=self._output,
                stderr=self._output,
                **OWN_GROUP,
            )
        except (OSError, ValueError) as exc:
            reason = getattr(exc, "strerror", None) or exc
            raise CantStart(
                f"the program can't be started ({reason}): {shlex.join(self.words)}; "
                f"{_remedy(exc, self.words[0])}"
            ) from exc
        self._group_gone = False
        self._waiting = asyncio.create_task(self._wait(self._process, changed), name="program")

    async def _wait(self, process: asyncio.subprocess.Process, changed: Callable[[], None]) -> None:
        await process.wait()
        changed()

    async def stop(self) -> None:
        """Ends it, and all that it started."""
        if self._process is None or self._waiting is None:
            return
        self._signal(signal.SIGTERM)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(GRACE):
                while self.running:  # noqa: ASYNC110 -- no event tells of a group's end
                    await asyncio.sleep(0.02)
        self._signal(KILL)
        await self._waiting

    def close(self) -> None:
        """Forgets its output, and kills what a `stop` that was interrupted has left."""
        self._signal(KILL)
        self._output.close()

    @property
    def running(self) -> bool:
        """Whether it, or anything that it started, still runs."""
        if self._process is None:
            return False
        return self._process.returncode is None or self._signal(0)

    @property
    def ending(self) -> str:
        """How it ended, in words."""
        return ending_of(None if self._process is None else self._process.returncode)

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

    def _signal(self, number: int) -> bool:
        # A group outlives its leader as long as it has members, and so long keeps its number.
        if self._process is None or self._group_gone:
            return False
        lives = signal_group(self._process.pid, number)
        self._group_gone = not lives and self._process.returncode is not None
        return lives


def in_directory(words: Sequence[str], directory: str) -> list[str]:
    """The words that start a program in a directory; see `Program`."""
    placed = [word.replace("{dir}", directory) for word in words]
    return [sys.executable, "-m", *placed] if placed[:1] == ["loebner"] else placed


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
            f"{program!r} can't be run: name what runs it, as in python bot.py, or make it "
            "executable (chmod +x)"
        )
    return "name what runs it, as in python bot.py or java -jar bot.jar"
