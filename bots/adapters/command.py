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

import shutil
import sys
import threading
import time
from collections.abc import Callable, Sequence
from functools import partial

from bots.adapters import base
from bots.adapters.process import GRACE, Process
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
    summary = "any program that reads a line and writes a line or more"

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
        self._overheard = base.Overheard()
        self._timeouts = 0
        # Started now, it has loaded when the judge begins, and a wrong name is told at once.
        self._process: Process | None = Process(words, grace)
        self._fresh = True
        self._closed = threading.Event()

    def begin(self) -> None:
        """Starts the program afresh, unless nothing was said to it yet."""
        self._overheard.forget()
        if not (self._fresh and self._process is not None and self._process.running):
            self._start()

    def reply(self, line: str) -> str:
        """What the program answers, or a fallback line."""
        line = self._overheard.before(line)
        if self._process is not None and not self._process.running:
            self.record(f"the program {self._process.end()}; it is started again")
            self._process = None
        if self._process is None:
            self._start()
        process = self._process
        if process is None:
            return self.fall_back("no program runs")
        self._drop_unasked(process, 0.0)
        self._fresh = False
        process.say(" ".join(line.split("\n")))
        answer = self._answer(process)
        if answer is not None:
            self._timeouts = 0
            return answer
        return self._without_answer(process)

    def overhear(self, line: str) -> None:
        """Keeps the line, to put it before the next one that is answered."""
        self._overheard.add(line)

    def close(self) -> None:
        """Ends the program."""
        self._closed.set()
        if self._process is not None:
            self._process.end()

    def _start(self) -> None:
        if self._process is not None:
            self._process.end()
        self._process = None
        self._timeouts = 0
        if self._closed.is_set():
            return
        try:
            self._process = Process(self._words, self._grace)
        except base.BadSetting as error:
            self.record(str(error))
            return
        self._fresh = True
        if self._closed.is_set():
            # `close` comes from another thread, perhaps a moment ago.
            self._process.end()
        self._drop_unasked(self._process, self._greeting)

    def _drop_unasked(self, process: Process, wait: float) -> None:
        """Drops a greeting, a prompt, an answer that comes too late."""
        for _ in range(LINES):
            line = process.line(wait)
            if line is None:
                break
            wait = min(wait, self._quiet)
            if line.strip():
                self.record(f"not said, for nobody asked: {line[:200]}")
        process.rest()

    def _answer(self, process: Process) -> str | None:
        """What comes in time, None if nothing does."""
        deadline = time.monotonic() + self._timeout
        line = process.line(self._timeout)
        if line is None:
            # Without a line's end to the last: better than nothing, if there is anything.
            return process.rest() or None
        lines = [line]
        while self._quiet > 0 and len(lines) < LINES:
            line = process.line(min(self._quiet, deadline - time.monotonic()))
            if line is None:
                break
            lines.append(line)
        return "\n".join(lines)

    def _without_answer(self, process: Process) -> str:
        if not process.running:
            self._process = None
            return self.fall_back(f"the program {process.end()}, and did not answer")
        self._timeouts += 1
        why = f"no line within {self._timeout:g} seconds; does the program flush each?"
        if self._timeouts >= HUNG:
            self._process = None
            why += f" {HUNG} times in a row: it is started again"
            process.end()
        return self.fall_back(why)


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
    if "\0" in command:
        raise base.BadSetting("--command holds a character that no program's name can hold")
    return words


def prepare(
    command: str, quiet: float = QUIET, timeout: float = base.TIMEOUT, fallback: str = ""
) -> base.MakeBot:
    """What makes a `CommandBot`.

    Arguments:
        command: the program and its arguments.
        quiet, timeout, fallback: as for `CommandBot`.

    Raises:
        BadSetting: if there is no such program, or a time is none.
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
