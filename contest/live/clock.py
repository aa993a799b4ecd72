"""The contest's clock. It stops while no server runs, even after a crash, and continues with the
next server.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path

from contest.tasks import running
from lpp.clock import Clock
from lpp.private import open_private

FILE_NAME = "clock.json"
#: Seconds of real time between two saves of the clock's time.
SAVE_EVERY = 0.25
#: If nobody reads the clock for this many seconds of real time, the server was frozen.
GAP = 2.0


class ContestClock:
    """The contest's clock: it follows another clock, but only while a server runs.

    It is stopped until `start`. While it is watched, it also skips times in which the server was
    frozen (its process was stopped, or its machine was busy), because nobody could use them.

    Arguments:
        inner: the clock that it follows.
        start: its time at the start, in seconds of the contest.
    """

    def __init__(self, inner: Clock, start: float = 0.0) -> None:
        self._inner = inner
        self.speed = inner.speed
        # The times of this clock and of `inner` when this clock last started.
        self._start = start
        self._began: float | None = None
        self._going = asyncio.Event()
        self._on_gap: Callable[[float], None] | None = None
        # The last reading while it is watched: real time, and this clock's time.
        self._read: tuple[float, float] | None = None
        self._gaps = 0

    def start(self) -> None:
        """Starts it, once."""
        if self._began is None:
            self._began = self._inner.now()
            self._going.set()

    def stop(self) -> None:
        """Stops it permanently at its current time."""
        self._start = self.now()
        self._began = None
        self._going = asyncio.Event()

    @contextlib.contextmanager
    def watched(self, on_gap: Callable[[float], None]) -> Iterator[None]:
        """While the context is open, this clock skips every period of more than `GAP` seconds of
        real time in which nobody reads it, and calls `on_gap` soon afterwards with its length.
        While the server runs, `saving_clock` reads it more often than that."""
        self._on_gap, self._read = on_gap, None
        try:
            yield
        finally:
            self._on_gap = None

    def now(self) -> float:
        """Seconds of the contest."""
        if self._began is None:
            return self._start
        inner = self._inner.now()
        if self._on_gap is None:
            return self._start + (inner - self._began)
        loop = asyncio.get_running_loop()
        real = loop.time()
        if self._read is not None and real - self._read[0] > GAP:
            since, self._start = self._read
            self._began = inner
            self._gaps += 1
            # Later, because the caller may be about to stamp an event.
            loop.call_soon(self._on_gap, real - since)
        now = self._start + (inner - self._began)
        self._read = (real, now)
        return now

    async def sleep(self, seconds: float) -> None:
        """Waits for this many seconds of the contest, which don't pass while the clock is
        stopped."""
        await self._going.wait()
        end = self.now() + seconds
        while True:
            gaps = self._gaps
            await self._inner.sleep(seconds)
            seconds = end - self.now()
            # Without a gap, any remainder is a rounding error.
            if self._gaps == gaps or seconds <= 0:
                return


@contextlib.asynccontextmanager
async def saving_clock(file: Path, contest: str, now: Callable[[], float]) -> AsyncIterator[None]:
    """While the context is open, keeps writing this contest's clock time to a file in its folder,
    in case the server is killed: the record's last time may be half a minute old if nobody types.

    The file need not survive a power cut; the next server then uses the record's last time. Times
    that can't be written are skipped."""

    async def note() -> None:
        while True:
            text = json.dumps({"contest": contest, "at_ns": round(now() * 1e9)})
            with contextlib.suppress(OSError):
                handle = open_private(file, 0)
                try:
                    # One write replaces the saved time, so that the file is never incomplete.
                    os.write(handle, text.ljust(80).encode())
                finally:
                    os.close(handle)
            await asyncio.sleep(SAVE_EVERY)

    async with running(note(), "notes of the clock"):
        yield


def saved_time(file: Path, contest: str) -> int:
    """The last time of a contest's clock that was saved in a file, in nanoseconds; 0 if unknown."""
    with contextlib.suppress(OSError, ValueError, LookupError, TypeError):
        note = json.loads(file.read_text(encoding="utf-8"))
        if note["contest"] == contest:
            return int(note["at_ns"])
    return 0
