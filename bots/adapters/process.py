"""A program that is told lines and writes lines: its start, its pipes, its end."""

from __future__ import annotations

import contextlib
import os
import queue
import signal
import subprocess
import sys
import threading
from collections.abc import Sequence
from typing import IO

from bots.adapters.base import BadSetting
from bots.adapters.output import Output

#: Seconds that a program has to end by itself when nothing more is said to it, and after it was
#: told to. `bots.runner` gives a bot five seconds to close.
GRACE = 1.0

#: Bytes read at once.
_CHUNK = 8192


class Process:
    """A running program, in a group of its own, that no shell has seen.

    Its standard error is ours. Python programs are told to write in UTF-8 and at once; others
    have to do so by themselves.

    Arguments:
        words: the program and its arguments.
        grace: seconds that it has to end, twice.

    Attributes:
        output: what it writes.

    Raises:
        BadSetting: if it can't be started.
    """

    def __init__(self, words: Sequence[str], grace: float = GRACE) -> None:
        self._grace = grace
        self._group_ended = False
        self.output = Output()
        self._to_say: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        try:
            self._process = subprocess.Popen(
                words,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                bufsize=0,
                env={**os.environ, "PYTHONUTF8": "1", "PYTHONUNBUFFERED": "1"},
                # Ctrl-C is for the entry, which then ends its program; and what the program
                # has started can be ended with it.
                start_new_session=True,
                creationflags=getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),
            )
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or error
            raise BadSetting(f"the program {words[0]!r} can't be started: {reason}") from None
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        # Daemons: a program's child that keeps the pipe open must not keep the entry alive.
        self._threads = [
            threading.Thread(target=work, args=(pipe,), name=f"program's {name}", daemon=True)
            for work, pipe, name in (
                (self._write, self._process.stdin, "input"),
                (self._read, self._process.stdout, "output"),
            )
        ]
        for thread in self._threads:
            thread.start()

    @property
    def pid(self) -> int:
        """Its number."""
        return self._process.pid

    @property
    def running(self) -> bool:
        """Whether it runs and may still write."""
        return self._process.poll() is None and not self.output.ended

    def say(self, line: str) -> None:
        """Writes a line to it, without waiting for it to be read.

        Arguments:
            line: without a newline.
        """
        self._to_say.put(f"{line}\n".encode("utf-8", "replace"))

    def end(self) -> str:
        """Ends it: by saying nothing more, then by asking, then by force. Doing so again is
        nothing.

        Returns:
            How it ended, in words.
        """
        self._to_say.put(None)
        self.output.stop()
        for number in (None, signal.SIGTERM, getattr(signal, "SIGKILL", signal.SIGTERM)):
            if number is not None:
                self._signal(number)
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(self._grace)
                break
        # What it has started itself goes with it, and lets go of the pipes.
        self._signal(getattr(signal, "SIGKILL", signal.SIGTERM))
        self._group_ended = True
        for thread in self._threads:
            thread.join(self._grace)
        return _ending(self._process.returncode)

    def _signal(self, number: int) -> None:
        if self._group_ended:
            # Its number may be another's by now.
            return
        with contextlib.suppress(ProcessLookupError, PermissionError):
            if sys.platform != "win32":
                os.killpg(self._process.pid, number)
            elif self._process.poll() is None:
                self._process.send_signal(number)

    def _read(self, pipe: IO[bytes]) -> None:
        with pipe:
            while True:
                try:
                    data = os.read(pipe.fileno(), _CHUNK)
                except OSError:
                    data = b""
                if not self.output.feed(data) and not data:
                    return

    def _write(self, pipe: IO[bytes]) -> None:
        # A program that does not read holds up this thread only. Closing may fail once more with
        # what could not be written.
        with contextlib.suppress(OSError), pipe:
            while (data := self._to_say.get()) is not None:
                while data:
                    data = data[pipe.write(data) :]


def _ending(code: int | None) -> str:
    if code is None:
        return "could not be ended"
    if code >= 0:
        return f"ended with exit code {code}"
    with contextlib.suppress(ValueError):
        return f"was ended by {signal.Signals(-code).name}"
    return f"was ended by signal {-code}"
