"""Runs programs in their own process groups: splits the command line, starts the program, and ends
it with all its children.

A `Program` runs until it is stopped, and its output is kept. Command lines are not passed to a
shell: variables, wildcards and redirections are not expanded; `|` and `&` are plain text.
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

from lpp.errors import UserError

#: Seconds that a program gets to end after it was asked to.
GRACE = 1.5
#: Bytes at the end of its output to show.
OUTPUT_SHOWN = 4000

KILL: int = getattr(signal, "SIGKILL", signal.SIGTERM)

#: Arguments for `subprocess`, so that a Ctrl-C here doesn't reach the program, and its children can
#: be ended with it.
OWN_GROUP: dict[str, Any] = {
    "start_new_session": True,
    "creationflags": getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),
}


class CantStart(UserError):
    """The program can't be started."""


def split(command: str, platform: str = sys.platform) -> list[str]:
    """Splits a command into words by the rules of POSIX. On Windows only double quotes are special,
    because paths contain backslashes.

    Arguments:
        command: a program and its arguments.
        platform: the system whose rules apply, as `sys.platform` names it.

    Raises:
        ValueError: if a closing quote is missing.
    """
    words = shlex.shlex(command, posix=True, punctuation_chars=False)
    words.whitespace_split, words.commenters = True, ""
    if platform == "win32":
        words.quotes, words.escape = '"', ""
    return list(words)


def signal_group(pid: int, number: int) -> bool:
    """Sends a signal to a program that was started with `OWN_GROUP`, and to all its children.

    Arguments:
        pid: the program's process id. Use it only while the program or a member of its group is
            known to run, because ids are reused.
        number: the signal; 0 only asks whether any of them is running.

    Returns:
        Whether any of them is running. Windows has no such groups: there only the program itself
        gets the signal, and the result is always false.
    """
    try:
        if sys.platform != "win32":
            os.killpg(pid, number)
        elif number:
            os.kill(pid, number)
    except OSError:  # it has ended, or the id now belongs to another user's process
        return False
    return sys.platform != "win32"


def describe_exit(code: int | None) -> str:
    """How a program ended, in words.

    Arguments:
        code: its exit code; negative for a signal, None if it is still running.
    """
    if code is None:
        return "still running"
    if code >= 0:
        return f"exit code {code}"
    try:
        return f"killed by {signal.Signals(-code).name}"
    except ValueError:
        return f"killed by signal {-code}"


class Program:
    """A program that runs with a communications directory.

    Arguments:
        words: the program and its arguments; `{dir}` in any of them stands for the directory, and
            `loebner` as the first word for this installation.
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
            raise CantStart(cant_start(self.words, exc)) from exc
        self._group_gone = False
        self._waiting = asyncio.create_task(self._wait(self._process, changed), name="program")

    async def _wait(self, process: asyncio.subprocess.Process, changed: Callable[[], None]) -> None:
        await process.wait()
        changed()

    async def stop(self) -> None:
        """Ends it and all its children."""
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
        """Discards its output, and kills anything left running by an interrupted `stop`."""
        self._signal(KILL)
        self._output.close()

    @property
    def running(self) -> bool:
        """Whether it or any of its children is still running."""
        if self._process is None:
            return False
        return self._process.returncode is None or self._signal(0)

    @property
    def ending(self) -> str:
        """How it ended, in words."""
        return describe_exit(None if self._process is None else self._process.returncode)

    @property
    def has_output(self) -> bool:
        """Whether it has written any output since it was last started."""
        return os.fstat(self._output.fileno()).st_size > self._begun_at

    @property
    def output(self) -> str:
        """The end of its standard output and standard error, across all its starts."""
        size = self._output.seek(0, os.SEEK_END)
        self._output.seek(max(0, size - OUTPUT_SHOWN))
        text = self._output.read().decode("utf-8", "replace")
        return "".join(char if char.isprintable() or char in "\n\t" else "�" for char in text)

    def _signal(self, number: int) -> bool:
        # A group exists, and keeps its id, as long as it has members, even without its leader.
        if self._process is None or self._group_gone:
            return False
        lives = signal_group(self._process.pid, number)
        self._group_gone = not lives and self._process.returncode is not None
        return lives


def in_directory(words: Sequence[str], directory: str) -> list[str]:
    """The words that start a program in a directory; see `Program`."""
    placed = [word.replace("{dir}", directory) for word in words]
    return [sys.executable, "-m", *placed] if placed[:1] == ["loebner"] else placed


def cant_start(words: Sequence[str], exc: Exception) -> str:
    """The message about a program that can't be started, with the remedy.

    Arguments:
        words: the program and its arguments.
        exc: the error.
    """
    reason = getattr(exc, "strerror", None) or exc
    remedy = _remedy(words[0], exc)
    return f"the program can't be started ({reason}): {shlex.join(words)}; {remedy}"


def _remedy(program: str, exc: Exception) -> str:
    if isinstance(exc, FileNotFoundError):
        if os.path.exists(program):
            return f"the first line of {program!r} (#!) names a program that doesn't exist here"
        return (
            f"{program!r} was not found: give its path (./bot for one in this folder), and quote "
            "a name with blanks"
        )
    if isinstance(exc, PermissionError):
        return (
            f"{program!r} can't be run: give the command that runs it, such as python bot.py, or "
            "make it executable (chmod +x)"
        )
    return "give the command that runs it, such as python bot.py or java -jar bot.jar"
