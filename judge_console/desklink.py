"""A communications directory behind a desk without a server, over its troubles."""

from __future__ import annotations

import asyncio
import os
from collections import deque
from collections.abc import Callable, Coroutine
from dataclasses import dataclass

from judge_console.model.deskwork import ToMake
from lpp.channel import DirectoryChannel
from lpp.directory import Directory
from lpp.errors import LPPError, YoursToFix
from lpp.keypress import Side
from lpp.session import Received
from lpp.violations import Violation
from lpp.wire import Place

#: Seconds before key presses that could not be made are tried again, and between two looks
#: whether a directory that was away is back.
RETRY = 0.5


class SameDirectory(YoursToFix):
    """Left and right are one directory."""


def check_directories(*directories: Directory) -> None:
    """Sees whether a desk can be made over these.

    Raises:
        BadDirectory: if one is none, or can't be written.
        SameDirectory: if one is named twice.
    """
    for directory in directories:
        directory.check()
    for number, directory in enumerate(directories):
        for other in directories[:number]:
            if os.path.realpath(directory.path) == os.path.realpath(other.path):
                raise SameDirectory(
                    f"{directory.path}: left and right are the same directory; name two"
                )


@dataclass(frozen=True, slots=True)
class Ears:
    """Who is told what happens in a directory, on the loop; each is given the place.

    Attributes:
        heard: a key press of the other side has come; it is removed when it is `release`d.
        made: a key press stands there.
        broken: the other side broke a rule by something that is no key press.
        troubled: something is wrong with the directory; for the record.
        away: why the directory can't be used now, in words without its path; empty once it can
            be again.
        died: a task of the link has ended by an exception: a bug.
    """

    heard: Callable[[Place, Received], None]
    made: Callable[[ToMake], None]
    broken: Callable[[Place, Violation], None]
    troubled: Callable[[Place, str], None]
    away: Callable[[Place, str], None]
    died: Callable[[BaseException], None]


class DeskLink:
    """One communications directory of a desk, over its troubles.

    Use as `async with DeskLink(…) as link:`; then `empty` it or not, and `listen`.

    Arguments:
        place: where the talk stands.
        directory: it.
        side: who we are there.
        ears: who is told.
    """

    def __init__(self, place: Place, directory: Directory, side: Side, ears: Ears) -> None:
        self.place = place
        self.directory = directory
        self._ears = ears
        self._channel = DirectoryChannel(directory, side=side, keep=True, report=self._report)
        self._outbox: deque[ToMake] = deque()
        self._reading: asyncio.Task[None] | None = None
        self._draining: asyncio.Task[None] | None = None
        self._mending: asyncio.Task[None] | None = None
        self._closing = False

    async def __aenter__(self) -> DeskLink:
        """Opens the link.

        Raises:
            BadDirectory: if the directory is none, or can't be written.
            Surroundings: if it can't be listed for another reason.
        """
        await self._channel.__aenter__()
        return self

    async def __aexit__(self, *exc_info: object) -> None:
        """Makes what is still to be made, if the directory is there, and closes the link."""
        self._closing = True
        await self.deafen()
        if self._draining is not None and self._mending is None:
            await asyncio.wait([self._draining])
        for task in (self._draining, self._mending):
            if task is not None:
                task.cancel()
                await asyncio.wait([task])
        await self._channel.close()

    async def empty(self) -> list[str]:
        """Removes what stands there from an earlier talk; gives the names."""
        return await self._channel.empty()

    def listen(self) -> None:
        """From now on `heard` is told."""
        self._reading = self._task(self._read(), "reading")

    async def deafen(self) -> None:
        """`heard` is told no more; what comes now stays in the directory."""
        if self._reading is not None:
            self._reading.cancel()
            await asyncio.wait([self._reading])

    def release(self, received: Received) -> None:
        """This key press is on record: its directory may go."""
        self._channel.release(received)

    def make(self, press: ToMake) -> None:
        """Makes a key press, after all before it, as soon as the directory takes it; nothing any
        more once the link is closed."""
        if self._closing:
            return
        self._outbox.append(press)
        if self._draining is None or self._draining.done():
            self._draining = self._task(self._drain(), "writing")

    def _task(self, work: Coroutine[None, None, None], what: str) -> asyncio.Task[None]:
        task = asyncio.create_task(work, name=f"{what} at the {self.place}")
        task.add_done_callback(self._done)
        return task

    def _done(self, task: asyncio.Task[None]) -> None:
        exc = None if task.cancelled() else task.exception()
        if exc is not None:
            self._ears.died(exc)

    async def _read(self) -> None:
        async for received in self._channel:
            self._ears.heard(self.place, received)

    async def _drain(self) -> None:
        while self._outbox:
            try:
                await self._channel.send(self._outbox[0].key)
            except LPPError as exc:
                self._trouble(str(exc).replace(self.directory.path, "…"))
                if self._closing:
                    return
                await asyncio.sleep(RETRY)
            else:
                self._ears.made(self._outbox.popleft())

    def _report(self, what: Violation | OSError) -> None:
        if isinstance(what, Violation):
            self._ears.broken(self.place, what)
            return
        try:
            self.directory.names()
        except OSError as exc:
            self._trouble(exc.strerror or type(exc).__name__)
        else:
            # A watch that is refused, a flood: the talk goes on over it.
            self._ears.troubled(self.place, what.strerror or type(what).__name__)

    def _trouble(self, what: str) -> None:
        if self._mending is None:
            self._ears.troubled(self.place, what)
            self._ears.away(self.place, what)
            self._mending = self._task(self._mend(), "mending")

    async def _mend(self) -> None:
        """Waits until the directory can be used again."""
        while True:
            await asyncio.sleep(RETRY)
            try:
                self.directory.names()
            except OSError:
                continue
            if not self._outbox:
                break
        self._mending = None
        self._ears.away(self.place, "")
