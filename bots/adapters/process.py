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

#: Seconds that a program has to end by itself when nothing more is said to it, and after it was
#: told to. `bots.runner` gives a bot five seconds to close.
GRACE = 1.0

#: Bytes that may stand unread; a line that is longer is taken as ended. A program that writes
#: without end is held up by its pipe.
UNREAD = 64 * 1024

_KILL = getattr(signal, "SIGKILL", signal.SIGTERM)


class Process:
    """A running program, in a group of its own, that no shell has seen.

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
        self._group_ended = False
        self._to_say: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._changed = threading.Condition()
        self._unread = b""
        self._ended = self._unwanted = False
        try:
            self._process = subprocess.Popen(
                words,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                bufsize=0,
                env={**os.environ, "PYTHONUTF8": "1", "PYTHONUNBUFFERED": "1"},
                # Ctrl-C is for the entry, which then ends its program; and what the program has
                # started can be ended with it.
                start_new_session=True,
                creationflags=getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),
            )
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or error
            raise BadSetting(f"the program {words[0]!r} can't be started: {reason}") from None
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
        for number in (None, signal.SIGTERM, _KILL):
            if number is not None:
                self._signal(number)
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(self._grace)
                break
        # What it has started itself goes with it, and lets go of the pipes.
        self._signal(_KILL)
        self._group_ended = True
        for thread in self._threads:
            thread.join(self._grace)
        code = self._process.returncode
        if code is None:
            return "could not be ended"
        if code >= 0:
            return f"ended with exit code {code}"
        with contextlib.suppress(ValueError):
            return f"was ended by {signal.Signals(-code).name}"
        return f"was ended by signal {-code}"

    def _has_line(self) -> bool:
        return b"\n" in self._unread or len(self._unread) >= UNREAD or self._ended

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

    def _write(self, pipe: IO[bytes]) -> None:
        # A program that does not read holds up this thread only. Closing may fail once more with
        # what could not be written.
        with contextlib.suppress(OSError), pipe:
            while (data := self._to_say.get()) is not None:
                while data:
                    data = data[pipe.write(data) :]
