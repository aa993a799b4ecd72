"""The link between the hub and an entry's communications directory.

The directory keeps its one path all day, for an entry browses only once; it is emptied before each
talk, and what stood there goes on record. A key of the entry is removed from its directory only
when it is durable; a judge's key that can't be made for the moment (disk full) waits and is made in
its order.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections import deque
from pathlib import Path
from types import TracebackType
from typing import Self

from contest.links.link import LinkStatus
from contest.links.sitting import Sitting
from contest.record.journal import Journal
from contest.talks.hub import Durable, Hub, Talk
from lpp.channel import DirectoryChannel
from lpp.directory import Directory
from lpp.errors import LPPError
from lpp.keypress import Side
from lpp.session import Received
from lpp.violations import Violation

log = logging.getLogger(__name__)

#: Seconds before keys that could not be made are tried again.
RETRY = 0.5
#: Seconds between two looks whether the judge's keys are read.
UNREAD_EVERY = 1.0


class EntryLink:
    """The link of an entry on this machine; see contest.links.link.Link.

    Arguments:
        entry: the entry's id.
        directory: its communications directory.
        journal: the record.
        hub: where keys go.
        place: in place of the directory itself: for tests.
    """

    def __init__(
        self,
        entry: str,
        directory: Path,
        journal: Journal,
        hub: Hub,
        place: Directory | None = None,
    ) -> None:
        self.entry = entry
        self.directory = directory
        self._room = asyncio.Event()
        self._sitting = Sitting(entry, journal, hub, self._hear, self._room.set)
        self._channel = DirectoryChannel(
            directory if place is None else place, side=Side.JUDGE, keep=True, report=self.report
        )
        self._outbox: deque[tuple[Talk, Durable]] = deque()
        self._draining: asyncio.Task[None] | None = None
        self._reader: asyncio.Task[None] | None = None
        self._troubled = False
        # The judge's keys that stand there, each with the time of its making, oldest first.
        self._standing: deque[tuple[str, float]] = deque()
        self._watching: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        """Opens the link.

        Raises:
            BadDirectory: if the directory is none, or can't be written.
        """
        await self._channel.__aenter__()
        self._reader = asyncio.create_task(self._read(), name=f"link of {self.entry}")
        self._watching = asyncio.create_task(self._watch(), name=f"unread by {self.entry}")
        return self

    async def __aexit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._sitting.close()
        for task in (self._reader, self._draining, self._watching):
            if task is not None:
                task.cancel()
                with contextlib.suppress(asyncio.CancelledError):
                    await task
        await self._channel.close()

    async def prepare(self) -> None:
        """Empties the directory before a talk; what stood there goes on record.

        A directory that is gone for the moment stops no round: it goes on record as trouble, and
        the link takes up again when the directory is back.
        """
        self._outbox.clear()
        self._standing.clear()
        try:
            names = await self._channel.empty()
        except LPPError as exc:
            self._sitting.trouble(str(exc))
            return
        self._sitting.left_overs(names)

    def join(self, talk: Talk) -> None:
        """From now on the entry sits at this talk."""
        self._sitting.join(talk)

    def leave(self) -> None:
        """The talk is over for the entry; what it types from now on is no part of any."""
        self._sitting.leave()

    @property
    def here(self) -> bool:
        """Whether a talk can begin: always, for a directory that is gone stops no round."""
        return True

    @property
    def unread(self) -> int:
        """Keys of the judge that wait to be made."""
        return len(self._outbox)

    def status(self) -> LinkStatus:
        """How it does now."""
        oldest = 0.0
        if self._standing:
            oldest = asyncio.get_running_loop().time() - self._standing[0][1]
        return LinkStatus(self.entry, True, self.unread, len(self._standing), oldest, 0.0)

    def report(self, what: Violation | OSError) -> None:
        """Takes a breach that belongs to no key press, or the directory's trouble."""
        if isinstance(what, Violation):
            self._sitting.breach(what.rule, what.name, what.detail)
        else:
            self._sitting.trouble(str(what))

    # The entry's keys

    async def _read(self) -> None:
        async for received in self._channel:
            while not self._sitting.room:
                self._room.clear()
                await self._room.wait()
            self._take(received)

    def _take(self, received: Received) -> None:
        self._sitting.take(
            received.press,
            [violation.rule for violation in received.violations],
            lambda: self._channel.release(received),
        )

    # The judge's keys

    def _hear(self, talk: Talk, key: Durable) -> None:
        self._outbox.append((talk, key))
        if self._draining is None or self._draining.done():
            self._draining = asyncio.create_task(self._drain(), name=f"to {self.entry}")

    async def _drain(self) -> None:
        while self._outbox:
            talk, key = self._outbox[0]
            try:
                press = await self._channel.send(key.key)
            except LPPError as exc:
                if not self._troubled:
                    self._sitting.trouble(str(exc))
                self._troubled = True
                await asyncio.sleep(RETRY)
                continue
            self._troubled = False
            self._standing.append((press.raw, asyncio.get_running_loop().time()))
            if self._outbox and self._outbox[0] == (talk, key):
                self._outbox.popleft()
            assert key.shown is not None
            self._sitting.made(talk, key.shown)

    async def _watch(self) -> None:
        """Tells of an entry that stops reading, and of its going on."""
        while True:
            await asyncio.sleep(UNREAD_EVERY)
            if not self._standing:
                self._sitting.reading(0, 0.0, asyncio.get_running_loop().time())
                continue
            try:
                names = set(self._channel.directory.names())
            except OSError:
                continue  # the channel tells of that
            while self._standing and self._standing[0][0] not in names:
                self._standing.popleft()
            now = asyncio.get_running_loop().time()
            since = self._standing[0][1] if self._standing else now
            self._sitting.reading(len(self._standing), since, now)
