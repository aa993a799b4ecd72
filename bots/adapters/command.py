"""Runs any line-oriented program as an entry: it gets the judge's lines on its standard input, and
its standard output is typed to the judge.

* The program runs for a whole talk, and is restarted for the next one, or if it has died.
* An answer consists of the program's first line, and of further lines that follow without a long
  gap. An empty line is an answer, too: nothing is said. Output before the judge's first line (a
  greeting or a prompt) is dropped, because "both human and entry program must wait until the judge
  starts the interaction" (rules 2010, 3). Output that comes too late is dropped, too.
* If the program writes no line in time, a fallback line is said. After several timeouts the program
  counts as hung, and is restarted.
"""

from __future__ import annotations

import contextlib
import os
import queue
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from functools import partial
from typing import IO

from bots.adapters import base
from bots.bot import Context
from lpp import program

#: Seconds without another line after which an answer is complete.
QUIET = 0.3

#: Seconds that a program has for its greeting when it is restarted during a talk.
GREETING = 1.0

#: The most lines of an answer; further ones are dropped.
MAX_LINES = 10

#: Timeouts in a row after which a program counts as hung.
HANG_LIMIT = 3

#: Seconds that a program gets to end after its input was closed, and again after SIGTERM.
#: `bots.runner` gives a bot five seconds to close.
GRACE = 1.0

#: The most unread bytes; a longer line counts as complete. A program that writes endlessly blocks
#: on its pipe.
UNREAD_LIMIT = 64 * 1024


class LineProgram:
    """A running program that reads and writes lines, in its own process group, without a shell.

    It shares our standard error. Python programs are set to write UTF-8 without buffering; others
    must do so themselves.

    Arguments:
        words: the program and its arguments.

    Raises:
        BadSetting: if it can't be started.
    """

    def __init__(self, words: Sequence[str]) -> None:
        self._to_say: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._changed = threading.Condition()
        self._unread = b""
        self._ended = self._unwanted = self._group_ended = False
        try:
            self._process = subprocess.Popen(
                words,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                bufsize=0,
                env={**os.environ, "PYTHONUTF8": "1", "PYTHONUNBUFFERED": "1"},
                **program.OWN_GROUP,
            )
        except (OSError, ValueError) as error:
            raise base.BadSetting(program.cant_start(words, error)) from None
        # Daemon threads, so that a child process that keeps the pipe open can't keep us running.
        self._threads = [
            threading.Thread(target=work, args=(pipe,), name="program's pipe", daemon=True)
            for work, pipe in (
                (self._write, self._process.stdin),
                (self._read, self._process.stdout),
            )
        ]
        for thread in self._threads:
            thread.start()

    @property
    def running(self) -> bool:
        """Whether it is running, and may still write or has unread output."""
        with self._changed:
            return self._process.poll() is None and not (self._ended and not self._unread)

    def say(self, line: str) -> None:
        """Sends it a line, given without a newline; doesn't wait until the line is read."""
        self._to_say.put(f"{line}\n".encode("utf-8", "replace"))

    def line(self, seconds: float) -> str | None:
        """Waits for the next complete line of its output.

        Arguments:
            seconds: how long to wait.

        Returns:
            The line as a terminal shows it, with invalid UTF-8 replaced; None if none came in
            time, or the output has ended.
        """
        with self._changed:
            self._changed.wait_for(self._has_line, max(0.0, seconds))
            if not self._has_line() or (self._ended and not self._unread):
                return None
            line, _, self._unread = self._unread.partition(b"\n")
            self._changed.notify_all()
            return _shown(line)

    def rest(self) -> str:
        """Takes the output that has no line end yet, as if it were a line."""
        with self._changed:
            rest, self._unread = self._unread, b""
            self._changed.notify_all()
            return _shown(rest)

    def end(self) -> str:
        """Ends it: closes its input, then sends SIGTERM, then SIGKILL. A second call is harmless.

        Returns:
            How it ended, in words.
        """
        self._to_say.put(None)
        with self._changed:
            self._unwanted = True
            self._changed.notify_all()
        for number in (0, signal.SIGTERM, program.KILL):
            self._signal(number)
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(GRACE)
                break
        # Its child processes are killed, too, which closes the pipes.
        self._signal(program.KILL)
        self._group_ended = True
        for thread in self._threads:
            thread.join(GRACE)
        return program.describe_exit(self._process.returncode)

    def _has_line(self) -> bool:
        return b"\n" in self._unread or len(self._unread) >= UNREAD_LIMIT or self._ended

    def _signal(self, number: int) -> None:
        # Once the group has ended, its id may be reused.
        if not self._group_ended:
            program.signal_group(self._process.pid, number)

    def _write(self, pipe: IO[bytes]) -> None:
        # If the program doesn't read its input, only this thread is blocked. Closing the pipe may
        # fail again because of unwritten data.
        with contextlib.suppress(OSError), pipe:
            while (data := self._to_say.get()) is not None:
                while data:
                    data = data[pipe.write(data) :]

    def _read(self, pipe: IO[bytes]) -> None:
        data = b"."
        with pipe:
            while data:
                try:
                    data = os.read(pipe.fileno(), 8192)
                except OSError:
                    data = b""
                with self._changed:
                    self._changed.wait_for(
                        lambda: len(self._unread) < UNREAD_LIMIT or self._unwanted
                    )
                    self._unread += b"" if self._unwanted else data
                    self._ended = not data
                    self._changed.notify_all()


def _shown(line: bytes) -> str:
    """A line as a terminal shows it: a carriage return replaces what came before it."""
    text = line.decode("utf-8", "replace").rstrip("\r").rpartition("\r")[2]
    return " ".join(text.splitlines())  # at the less usual line separators


class CommandBot(base.AdapterBot):
    """Asks a program line by line.

    Arguments:
        context, fallback: as for `AdapterBot`.
        words: the program and its arguments.
        timeout: seconds that an answer may take.
        quiet: seconds without another line after which an answer is complete; 0 for one line.

    Raises:
        BadSetting: if the program can't be started.
    """

    name = "command"

    def __init__(
        self,
        context: Context,
        words: Sequence[str],
        *,
        timeout: float = base.TIMEOUT,
        quiet: float = QUIET,
        fallback: str = "",
    ) -> None:
        super().__init__(context, fallback=fallback)
        self._words, self._timeout, self._quiet = words, timeout, quiet
        self._timeouts = 0
        # Start it now, so that it is loaded when the judge begins, and a wrong name is found early.
        self._process = LineProgram(words)
        self._fresh = True
        self._closed = threading.Event()

    def begin(self) -> None:
        """Restarts the program, unless it is running and has not received a line yet."""
        if not (self._fresh and self._process.running):
            self._start_again()

    def reply(self, line: str) -> str:
        """Returns the program's answer, or a fallback line."""
        if not self._process.running:
            self.record(f"the program ended ({self._process.end()}); restarting it")
            self._start_again()
        process = self._process
        self._drop_unasked(0.0)
        self._fresh = False
        process.say(line.replace("\n", " "))
        answer = self._answer()
        if answer is not None:
            self._timeouts = 0
            return answer
        if not process.running:
            return self.fall_back(f"the program ended ({process.end()}) without an answer")
        self._timeouts += 1
        why = f"no line within {self._timeout:g} seconds (does the program flush its output?)"
        if self._timeouts >= HANG_LIMIT:
            why += f", {HANG_LIMIT} times in a row; ending the program"
            process.end()
        return self.fall_back(why)

    def close(self) -> None:
        """Ends the program."""
        self._closed.set()
        self._process.end()

    def _start_again(self) -> None:
        self._process.end()
        self._timeouts = 0
        if self._closed.is_set():
            return
        try:
            self._process = LineProgram(self._words)
        except base.BadSetting as error:
            self.record(str(error))
            return
        self._fresh = True
        if self._closed.is_set():
            # Another thread may have called `close` in the meantime.
            self._process.end()
        self._drop_unasked(GREETING)

    def _drop_unasked(self, wait: float) -> None:
        """Drops a greeting, a prompt, or an answer that was too late."""
        for _ in range(MAX_LINES):
            if (line := self._process.line(wait)) is None:
                break
            wait = min(wait, self._quiet)
            if line.strip():
                self.record(f"dropped, because no line was waiting for an answer: {line[:200]}")
        self._process.rest()

    def _answer(self) -> str | None:
        """The program's output in time; None if there is none."""
        deadline = time.monotonic() + self._timeout
        if (line := self._process.line(self._timeout)) is None:
            # A line without its end is better than nothing.
            return self._process.rest() or None
        lines = [line]
        while self._quiet > 0 and len(lines) < MAX_LINES:
            more = self._process.line(min(self._quiet, deadline - time.monotonic()))
            if more is None:
                break
            lines.append(more)
        return "\n".join(lines)


def split(command: str, platform: str = sys.platform) -> list[str]:
    """Splits a command into one or more words; see `lpp.program`.

    Arguments:
        command: a program and its arguments.
        platform: the system whose rules apply, as `sys.platform` names it.

    Raises:
        BadSetting: if there is no word, or a closing quote is missing.
    """
    try:
        words = program.split(command, platform)
    except ValueError as error:
        raise base.BadSetting(f"--command {command!r}: {str(error).lower()}") from None
    if not words or not words[0]:
        raise base.BadSetting("--command is empty; give a program and its arguments")
    return words


def prepare(
    command: str, quiet: float = QUIET, timeout: float = base.TIMEOUT, fallback: str = ""
) -> base.MakeBot:
    """Returns a function that creates a `CommandBot`.

    Arguments:
        command: the program and its arguments.
        quiet, timeout, fallback: as for `CommandBot`.

    Raises:
        BadSetting: if there is no such program, or a time is invalid.
    """
    parts = split(command)
    if shutil.which(parts[0]) is None:
        found = PermissionError if os.path.exists(parts[0]) else FileNotFoundError
        raise base.BadSetting(program.cant_start(parts, found(0, "not an executable program")))
    return partial(
        CommandBot,
        words=parts,
        timeout=base.check_seconds("--timeout", timeout),
        quiet=base.check_seconds("--quiet", quiet, zero=True),
        fallback=fallback,
    )
