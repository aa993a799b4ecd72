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

from contest.bodies import Breach, LeftOvers, Trouble
from contest.hub import Durable, Hub, Talk
from contest.journal import Journal
from lpp.channel import DirectoryChannel
from lpp.directory import Directory
from lpp.errors import LPPError
from lpp.keypress import Side, printable
from lpp.session import Received
from lpp.violations import Rule, Violation

log = logging.getLogger(__name__)

#: Seconds before keys that could not be made are tried again.
RETRY = 0.5
#: Seconds that a judge's key may stand unread before it is told of: an entry that is right reads
#: within one.
UNREAD = 5.0
#: Seconds between two looks whether the judge's keys are read.
UNREAD_EVERY = 1.0
#: Names of left-overs in one event: a flood must not make one that nobody can carry.
NAMES = 1000


class EntryLink:
    """One entry's link.

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
        self._journal = journal
        self._hub = hub
        self._channel = DirectoryChannel(
            directory if place is None else place, side=Side.JUDGE, keep=True, report=self.report
        )
        self._talk: Talk | None = None
        self._outbox: deque[tuple[Talk, Durable]] = deque()
        self._draining: asyncio.Task[None] | None = None
        self._reader: asyncio.Task[None] | None = None
        self._troubled = False
        # The judge's keys that stand there, each with the time of its making, oldest first.
        self._standing: deque[tuple[str, float]] = deque()
        self._watching: asyncio.Task[None] | None = None
        self._stuck: float | None = None

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
            self._trouble(str(exc))
            return
        for first in range(0, len(names), NAMES):
            body = LeftOvers(self.entry, names[first : first + NAMES])
            self._journal.write(None, "server", body)

    def join(self, talk: Talk) -> None:
        """From now on the entry sits at this talk."""
        self._talk = talk
        talk.listeners.append(self._hear)

    def leave(self) -> None:
        """The talk is over for the entry; what it types from now on is no part of any."""
        self._talk = None

    @property
    def unread(self) -> int:
        """Keys of the judge that wait to be made."""
        return len(self._outbox)

    def report(self, what: Violation | OSError) -> None:
        """Takes a breach that belongs to no key press, or the directory's trouble."""
        if isinstance(what, Violation):
            body = Breach(self.entry, what.rule.value, printable(what.name), what.detail)
            self._journal.write(None, self.entry, body)
        else:
            self._trouble(str(what))

    def _trouble(self, what: str) -> None:
        self._journal.write(None, "server", Trouble(f"directory of {self.entry}", what))

    # The entry's keys

    async def _read(self) -> None:
        async for received in self._channel:
            self._take(received)

    def _take(self, received: Received) -> None:
        press, talk = received.press, self._talk
        rules = [violation.rule.value for violation in received.violations]

        def release() -> None:
            self._channel.release(received)

        raw = printable(press.raw)
        if talk is None:
            detail = "typed while no talk was on"
            body = Breach(self.entry, Rule.NOT_ON.value, raw, detail)
            self._journal.write(None, self.entry, body, lambda _event: release())
        else:
            self._hub.press(
                talk,
                "entity",
                self.entry,
                press.key,
                press.number,
                raw=raw,
                rules=rules,
                on_durable=release,
            )

    # The judge's keys

    def _hear(self, talk: Talk, key: Durable) -> None:
        if key.author == "judge" and key.shown is not None:
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
                    self._trouble(str(exc))
                self._troubled = True
                await asyncio.sleep(RETRY)
                continue
            self._troubled = False
            self._standing.append((press.raw, asyncio.get_running_loop().time()))
            if self._outbox and self._outbox[0] == (talk, key):
                self._outbox.popleft()
            assert key.shown is not None
            self._hub.seen(talk, "judge", key.shown)

    async def _watch(self) -> None:
        """Tells of an entry that stops reading, and of its going on."""
        while True:
            await asyncio.sleep(UNREAD_EVERY)
            if not self._standing and self._stuck is None:
                continue
            try:
                names = set(self._channel.directory.names())
            except OSError:
                continue  # the channel tells of that
            while self._standing and self._standing[0][0] not in names:
                self._standing.popleft()
            self._judge_reading(asyncio.get_running_loop().time())

    def _judge_reading(self, now: float) -> None:
        if not self._standing:
            if self._stuck is not None:
                seconds = now - self._stuck
                self._trouble(f"the entry has read all again, after some {seconds:.0f} seconds")
            self._stuck = None
        elif self._stuck is None and now - self._standing[0][1] >= UNREAD:
            self._stuck = self._standing[0][1]
            self._trouble(
                f"{len(self._standing)} keys of the judge stand unread, the oldest for "
                f"{now - self._stuck:.0f} seconds: the entry is stopped, slow or gone"
            )
