"""The record of a desk without a server: who keeps it, and how notes get there."""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Callable, Sequence
from itertools import islice
from typing import Protocol

from judge_console.model.desknotes import Noted

log = logging.getLogger(__name__)

#: Notes that are put on record at once: a write must not keep the first of them waiting for long.
GROUP = 500
#: Seconds before notes that could not be put on record are tried again.
RETRY = 1.0


class Recorder(Protocol):
    """Keeps the record of a desk."""

    @property
    def slow(self) -> bool:
        """Whether `write` may take milliseconds, so that it belongs on another thread."""

    @property
    def where(self) -> str:
        """Where the record is, for the person."""

    def write(self, notes: Sequence[Noted]) -> None:
        """Puts notes on record, in their order; when it returns they are durable.

        Raises:
            OSError: if they are not, none of them: they will be given again.
        """

    def close(self) -> None:
        """Nothing more will come."""


class NoRecord:
    """Keeps nothing."""

    slow = False
    where = ""

    def write(self, notes: Sequence[Noted]) -> None:
        """See Recorder."""

    def close(self) -> None:
        """See Recorder."""


class Scribe:
    """Puts notes on record, group by group, and says so. `run` it in a task of its own.

    Arguments:
        recorder: keeps the record.
        on_record: told of notes that are durable.
        on_trouble: told in words why nothing can be recorded now; empty once it can be again.
    """

    def __init__(
        self,
        recorder: Recorder,
        on_record: Callable[[list[Noted]], None],
        on_trouble: Callable[[str], None],
    ) -> None:
        self._recorder = recorder
        self._on_record = on_record
        self._on_trouble = on_trouble
        self._notes: deque[Noted] = deque()
        self._noted = asyncio.Event()
        self._drained = asyncio.Event()
        self._drained.set()
        self._stopping = False

    def add(self, notes: Sequence[Noted]) -> None:
        """Takes notes, to be put on record in their order."""
        if notes:
            self._notes.extend(notes)
            self._drained.clear()
            self._noted.set()

    async def drained(self) -> None:
        """Waits until all notes are durable, or nobody writes any more."""
        await self._drained.wait()

    def stop(self) -> None:
        """Has `run` end when all notes are durable. One that can't be written then is lost."""
        self._stopping = True
        self._noted.set()

    async def run(self) -> None:
        """Writes, until it is stopped."""
        try:
            while not self._stopping or self._notes:
                await self._noted.wait()
                self._noted.clear()
                await self._write_all()
                self._drained.set()
        finally:
            self._drained.set()

    async def _write_all(self) -> None:
        while self._notes:
            batch = list(islice(self._notes, GROUP))
            try:
                if self._recorder.slow:
                    await asyncio.to_thread(self._recorder.write, batch)
                else:
                    self._recorder.write(batch)
            except OSError as exc:
                if self._stopping:
                    log.error("the end of the record can't be written: %s", exc)
                    self._notes.clear()
                    return
                self._on_trouble(exc.strerror or str(exc))
                await asyncio.sleep(RETRY)
                continue
            for _ in batch:
                self._notes.popleft()
            self._on_trouble("")
            self._on_record(batch)
