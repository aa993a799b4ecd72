"""The contest's clock: it stands still while nobody serves, and goes on from where it was. That
holds for a server that died and for one that was stopped.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from types import TracebackType
from typing import Self

from lpp.clock import Clock
from lpp.private import open_private

FILE_NAME = "clock.json"
#: Seconds of real time between two notes of where the clock is.
NOTE_EVERY = 0.25
#: Seconds of real time without a reading of the clock after which the server is taken to have stood
#: still.
GAP = 2.0
#: Seconds of the clock that are waited at least: less is lost in rounding by some clocks.
RESOLUTION = 1e-5


class StandingClock:
    """The contest's clock: it runs by another clock, but only while there is a server.

    It stands at its start until it is let go. While it is watched, it also stands over a time in
    which the server did (its process was stopped, its machine was busy with something else): nobody
    could use that time.

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
        seconds of real time. `Noted` reads it more often for as long as the server lives.

        Arguments:
            told: called soon after each such gap with its length, in seconds of real time.
        """
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


class Noted:
    """Notes in a file, again and again, where the clock is, for a server that is killed: what is on
    record may be half a minute old when nobody types.

    What a killed process has written is there for the next one. It need not survive a power cut:
    then the record alone tells the time. A note that can't be written is left out.

    Arguments:
        file: where; of the contest's folder.
        contest: what tells this contest from any other.
        now: the contest's clock.
    """

    def __init__(self, file: Path, contest: str, now: Callable[[], float]) -> None:
        self._file, self._contest, self._now = file, contest, now
        self._task: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        self._task = asyncio.create_task(self._keep(), name="notes of the clock")
        return self

    async def __aexit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        assert self._task is not None
        self._task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await self._task

    async def _keep(self) -> None:
        while True:
            self._note()
            await asyncio.sleep(NOTE_EVERY)

    def _note(self) -> None:
        note = json.dumps({"contest": self._contest, "at_ns": round(self._now() * 1e9)})
        with contextlib.suppress(OSError):
            handle = open_private(self._file, 0)
            try:
                # One write over the last note: at no moment is there none, or half of one.
                os.write(handle, note.ljust(80).encode())
            finally:
                os.close(handle)


def noted(file: Path, contest: str) -> int:
    """Where the clock was when it was last noted, in nanoseconds of the contest; 0 if that is not
    known.

    Arguments:
        file: where it was noted.
        contest: which contest's clock is meant.
    """
    with contextlib.suppress(OSError, ValueError, LookupError, TypeError):
        note = json.loads(file.read_text(encoding="utf-8"))
        if note["contest"] == contest:
            return int(note["at_ns"])
    return 0


def _never() -> float | None:
    return None


async def until(
    changed: asyncio.Event,
    clock: Clock,
    condition: Callable[[], bool],
    deadline: Callable[[], float | None] = _never,
) -> bool:
    """Waits until a condition holds, looking again whenever something has changed.

    Arguments:
        changed: set whenever something has; cleared here.
        clock: the contest's clock.
        condition: what to wait for.
        deadline: the second of the clock to give up at, asked anew each time, for a pause moves
            it; None is never.

    Returns:
        Whether it held in time.
    """
    while not condition():
        end = deadline()
        now = clock.now()
        if end is not None and now >= end:
            return False
        changed.clear()
        waits: set[asyncio.Task[object]] = {asyncio.create_task(changed.wait())}
        if end is not None:
            waits.add(asyncio.create_task(clock.sleep(max(end - now, RESOLUTION))))
        try:
            await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for wait in waits:
                wait.cancel()
    return True
