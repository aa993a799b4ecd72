"""The contest's clock over the death of its server: it stands still while nobody serves, and goes
on from where it was.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Self

from lpp.clock import Clock
from lpp.private import open_private

FILE_NAME = "clock.json"
#: Seconds of real time between two notes of where the clock is.
NOTE_EVERY = 0.25


class StandingClock:
    """A clock that stands at a moment until it is let go.

    Arguments:
        inner: what it goes by afterwards.
        start: where it stands, in seconds of the contest.
    """

    def __init__(self, inner: Clock, start: float) -> None:
        self._inner = inner
        self._start = start
        self._began: float | None = None
        self._going = asyncio.Event()

    def go(self) -> None:
        """Lets it go, once."""
        if self._began is None:
            self._began = self._inner.now()
            self._going.set()

    def now(self) -> float:
        """Seconds of the contest."""
        return self._start + (0.0 if self._began is None else self._inner.now() - self._began)

    async def sleep(self, seconds: float) -> None:
        """Waits for that many seconds of the contest; while the clock stands still they do not
        pass."""
        await self._going.wait()
        await self._inner.sleep(seconds)


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
