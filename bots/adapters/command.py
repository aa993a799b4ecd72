"""Any line-oriented program as an entry: what the judge says is a line on its standard input, what
it writes to its standard output is said.

* It runs through a whole talk, and starts afresh for the next one; if it died, it is started again.
* An answer is its first line, and those that follow each other within a short quiet time. An empty
  line is an answer, too: nothing is said. What is written before the judge has said anything
  (a greeting, a prompt) is dropped, as "both human and entry program must wait until the judge
  starts the interaction" (rules 2010, 3), and what came too late for the last line.
* No line in time: a fallback line is said. After several times it counts as hung, and is started
  again.
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
from collections.abc import Callable, Sequence
from functools import partial
from typing import IO

from bots.adapters import base
from bots.bot import Context
from lpp import program

#: Seconds without a further line after which an answer is whole.
QUIET = 0.3

#: Seconds that a program has for its greeting when it starts in the midst of things.
GREETING = 1.0

#: Lines of an answer; further ones are dropped.
LINES = 10

#: Time-outs in a row after which a program counts as hung.
HUNG = 3

#: Seconds that a program has to end after its input was closed, and again after SIGTERM.
#: `bots.runner` gives a bot five seconds to close.
GRACE = 1.0

#: Bytes that may be unread; a line that is longer is taken as ended. A program that writes without
#: end is held up by its pipe.
UNREAD = 64 * 1024


class LineProgram:
    """A running program that reads and writes lines, in its own process group, without a shell.

    Its standard error is ours. Python programs are told to write in UTF-8 and at once; others have
    to do so by themselves.

    Arguments:
        words: the program and its arguments.
        grace: seconds that it has to end, twice.

    Raises:
        BadSetting: if it can't be started.
    """

    def __init__(self, words: Sequence[str], grace: float = GRACE) -> None:
        self._grace = grace
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
            reason = getattr(error, "strerror", None) or error
            raise base.BadSetting(f"the program {words[0]!r} can't be started: {reason}") from None
        # Daemons: a program's child that keeps the pipe open must not keep the entry alive.
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
        """Whether it runs and may still write, or wrote what nobody has read."""
        with self._changed:
            return self._process.poll() is None and not (self._ended and not self._unread)

    def say(self, line: str) -> None:
        """Writes a line without a newline to it; does not wait for it to be read."""
        self._to_say.put(f"{line}\n".encode("utf-8", "replace"))

    def line(self, seconds: float) -> str | None:
        """The next line that it writes, without its end, once it is whole.

        Arguments:
            seconds: how long to wait for it.

        Returns:
            The line, what is no UTF-8 replaced; None if none came in time, or at the end of all.
        """
        with self._changed:
            self._changed.wait_for(self._has_line, max(0.0, seconds))
            if not self._has_line() or (self._ended and not self._unread):
                return None
            line, _, self._unread = self._unread.partition(b"\n")
            self._changed.notify_all()
            return line.decode("utf-8", "replace").rstrip("\r")

    def rest(self) -> str:
        """What stands without a line's end, and counts as a line now."""
        with self._changed:
            rest, self._unread = self._unread, b""
            self._changed.notify_all()
            return rest.decode("utf-8", "replace").rstrip("\r")

    def end(self) -> str:
        """Ends it: by saying nothing more, then by asking, then by force. Twice does no harm.

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
                self._process.wait(self._grace)
                break
        # What it has started itself goes with it, and lets go of the pipes.
        self._signal(program.KILL)
        self._group_ended = True
        for thread in self._threads:
            thread.join(self._grace)
        return program.ending_of(self._process.returncode)

    def _has_line(self) -> bool:
        return b"\n" in self._unread or len(self._unread) >= UNREAD or self._ended

    def _signal(self, number: int) -> None:
        # Once the group has ended, its number may be another's.
        if not self._group_ended:
            program.signal_group(self._process.pid, number)

    def _write(self, pipe: IO[bytes]) -> None:
        # A program that does not read holds up this thread only. Closing may fail once more with
        # what could not be written.
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
                    self._changed.wait_for(lambda: len(self._unread) < UNREAD or self._unwanted)
                    self._unread += b"" if self._unwanted else data
                    self._ended = not data
                    self._changed.notify_all()


class CommandBot(base.AdapterBot):
    """A program that is asked line by line.

    Arguments:
        context, fallback, log: as for `AdapterBot`.
        words: the program and its arguments.
        timeout: seconds that an answer may take.
        quiet: seconds without a further line after which it is whole; 0: it is one line.
        greeting: seconds that the program has for a greeting.
        grace: seconds that it has to end, twice.

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
        greeting: float = GREETING,
        grace: float = GRACE,
        fallback: str = "",
        log: Callable[[str], None] | None = None,
    ) -> None:
        super().__init__(context, fallback=fallback, log=log)
        self._words, self._grace, self._greeting = words, grace, greeting
        self._timeout, self._quiet = timeout, quiet
        self._timeouts = 0
        # Started now, it has loaded when the judge begins, and a wrong name is told at once.
        self._process = LineProgram(words, grace)
        self._fresh = True
        self._closed = threading.Event()

    def begin(self) -> None:
        """Starts the program afresh, unless nothing was said to it yet."""
        if not (self._fresh and self._process.running):
            self._start_again()

    def reply(self, line: str) -> str:
        """What the program answers, or a fallback line."""
        if not self._process.running:
            self.record(f"the program ended ({self._process.end()}); it is started again")
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
            return self.fall_back(f"the program ended ({process.end()}) and did not answer")
        self._timeouts += 1
        why = f"no line within {self._timeout:g} seconds; does the program flush each?"
        if self._timeouts >= HUNG:
            why += f" {HUNG} times in a row: it is ended"
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
            self._process = LineProgram(self._words, self._grace)
        except base.BadSetting as error:
            self.record(str(error))
            return
        self._fresh = True
        if self._closed.is_set():
            # `close` comes from another thread, perhaps a moment ago.
            self._process.end()
        self._drop_unasked(self._greeting)

    def _drop_unasked(self, wait: float) -> None:
        """Drops a greeting, a prompt, an answer that comes too late."""
        for _ in range(LINES):
            if (line := self._process.line(wait)) is None:
                break
            wait = min(wait, self._quiet)
            if line.strip():
                self.record(f"not said, for nobody asked: {line[:200]}")
        self._process.rest()

    def _answer(self) -> str | None:
        """What comes in time, None if nothing does."""
        deadline = time.monotonic() + self._timeout
        if (line := self._process.line(self._timeout)) is None:
            # Without a line's end to the last: better than nothing, if there is anything.
            return self._process.rest() or None
        lines = [line]
        while self._quiet > 0 and len(lines) < LINES:
            more = self._process.line(min(self._quiet, deadline - time.monotonic()))
            if more is None:
                break
            lines.append(more)
        return "\n".join(lines)


def split(command: str, platform: str = sys.platform) -> list[str]:
    """The words of a command, at least one: see `lpp.program`.

    Arguments:
        command: a program and its arguments.
        platform: as `sys.platform`: whose rules hold.

    Raises:
        BadSetting: if there is no word, or a quotation has no end.
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
    """What makes a `CommandBot`.

    Arguments:
        command: the program and its arguments.
        quiet, timeout, fallback: as for `CommandBot`.

    Raises:
        BadSetting: if there is no such program, or a time is not valid.
    """
    parts = split(command)
    if shutil.which(parts[0]) is None:
        raise base.BadSetting(f"--command: there is no program {parts[0]!r} that can be run here")
    return partial(
        CommandBot,
        words=parts,
        timeout=base.seconds("--timeout", timeout),
        quiet=base.seconds("--quiet", quiet, zero=True),
        fallback=fallback,
    )
