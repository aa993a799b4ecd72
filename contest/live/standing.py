"""The contest's clock: it stands still while nobody serves, and goes on from where it was. That
holds for a server that died and for one that was stopped.
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
#: Seconds of real time between two notes of where the clock is.
NOTE_EVERY = 0.25
#: Seconds of real time without a reading of the clock after which the server is taken to have stood
#: still.
GAP = 2.0


class StandingClock:
    """The contest's clock: it runs by another clock, but only while there is a server.

    It is at its start until it is let go. While it is watched, it also stands over a time in which
    the server did (its process was stopped, its machine was busy with something else): nobody could
    use that time.

    Arguments:
        inner: the clock that it runs by.
        start: where it stands, in seconds of the contest.
    """

    def __init__(self, inner: Clock, start: float = 0.0) -> None:
        self._inner = inner
        self.speed = inner.speed
        # Where this clock was, and where `inner`, when it was let go or stood last.
        self._start = start
        self._began: float | None = None
        self._going = asyncio.Event()
        self._told: Callable[[float], None] | None = None
        # Of the last reading while it is watched: real time, and where this clock was.
        self._read: tuple[float, float] | None = None
        self._gaps = 0

    def go(self) -> None:
        """Lets it go, once."""
        if self._began is None:
            self._began = self._inner.now()
            self._going.set()

    def stop(self) -> None:
        """Stops it for good, where it is."""
        self._start = self.now()
        self._began = None
        self._going = asyncio.Event()

    @contextlib.contextmanager
    def watched(self, told: Callable[[float], None]) -> Iterator[None]:
        """While the context is open, this clock stands wherever nobody reads it for more than `GAP`
        seconds of real time, and `told` soon hears how long that was. `noting` reads it more often
        for as long as the server lives."""
        self._told, self._read = told, None
        try:
            yield
        finally:
            self._told = None

    def now(self) -> float:
        """Seconds of the contest."""
        if self._began is None:
            return self._start
        inner = self._inner.now()
        if self._told is None:
            return self._start + (inner - self._began)
        loop = asyncio.get_running_loop()
        real = loop.time()
        if self._read is not None and real - self._read[0] > GAP:
            since, self._start = self._read
            self._began = inner
            self._gaps += 1
            # Not at once: somebody may be about to stamp an event.
            loop.call_soon(self._told, real - since)
        now = self._start + (inner - self._began)
        self._read = (real, now)
        return now

    async def sleep(self, seconds: float) -> None:
        """Waits for that many seconds of the contest; while the clock stands still they do not
        pass."""
        await self._going.wait()
        end = self.now() + seconds
        while True:
            gaps = self._gaps
            await self._inner.sleep(seconds)
            seconds = end - self.now()
            # Without a gap what is left is an error of rounding.
            if self._gaps == gaps or seconds <= 0:
                return


@contextlib.asynccontextmanager
async def noting(file: Path, contest: str, now: Callable[[], float]) -> AsyncIterator[None]:
    """While the context is open, notes in a file of the contest's folder, again and again, where
    the clock of this contest is, for a server that is killed: what is on record may be half a
    minute old when nobody types.

    What a killed process has written is there for the next one. It need not survive a power cut:
    then the record alone tells the time. A note that can't be written is left out."""

    async def note() -> None:
        while True:
            text = json.dumps({"contest": contest, "at_ns": round(now() * 1e9)})
            with contextlib.suppress(OSError):
                handle = open_private(file, 0)
                try:
                    # One write over the last note: at no moment is there none, or half of one.
                    os.write(handle, text.ljust(80).encode())
                finally:
                    os.close(handle)
            await asyncio.sleep(NOTE_EVERY)

    async with running(note(), "notes of the clock"):
        yield


def noted(file: Path, contest: str) -> int:
    """Where a contest's clock was when it was last noted in a file, in nanoseconds; 0 if that is
    not known."""
    with contextlib.suppress(OSError, ValueError, LookupError, TypeError):
        note = json.loads(file.read_text(encoding="utf-8"))
        if note["contest"] == contest:
            return int(note["at_ns"])
    return 0
