"""For tests of anything that speaks LPP: a directory in memory, a scripted peer.

async with DirectoryChannel(path, side=Side.JUDGE) as channel:
    peer = ScriptedPeer(channel)
    await peer.say("Hello.\\n")
    assert "hi" in (await peer.line(timeout=5)).lower()
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Iterator
from typing import Protocol

from lpp.directory import Directory
from lpp.keypress import KeyPress
from lpp.lines import LineEditor, Pane
from lpp.names import keys_of
from lpp.session import Received


class MemoryDirectory(Directory):
    """A communications directory in memory; itself a hint that never fails to wake. All happens on
    the loop's own thread, so that virtual time holds.

    Arguments:
        path: a name for messages.

    Attributes:
        entries: the names that stand in it.
    """

    def __init__(self, path: str = "memory") -> None:
        self._path = path
        self.entries: set[str] = set()
        self._watches: list[MemoryWatch] = []

    @property
    def path(self) -> str:
        """A name for messages."""
        return self._path

    def scan(self) -> Iterator[str]:
        """See lpp.directory.Directory."""
        return iter(list(self.entries))

    def make(self, name: str) -> None:
        """See lpp.directory.Directory."""
        if name in self.entries:
            raise FileExistsError(17, "File exists", name)
        self.entries.add(name)
        for watch in list(self._watches):
            watch.wake()

    def remove_at_once(self, name: str) -> bool:
        """See lpp.directory.Directory."""
        self.entries.discard(name)
        return True

    def remove(self, name: str) -> str | None:
        """See lpp.directory.Directory."""
        self.entries.discard(name)
        return None

    def watch(self, path: str, wake: Callable[[], None]) -> MemoryWatch:
        """See lpp.hints.Hint."""
        watch = MemoryWatch(self._watches, wake)
        self._watches.append(watch)
        return watch


class MemoryWatch:
    """A watch of a `MemoryDirectory`."""

    def __init__(self, among: list[MemoryWatch], wake: Callable[[], None]) -> None:
        self.wake = wake
        self._among = among

    def alive(self) -> bool:
        """See lpp.hints.Watch."""
        return True

    def end(self) -> None:
        """See lpp.hints.Watch."""
        with contextlib.suppress(ValueError):
            self._among.remove(self)


class Channel(Protocol):
    """What a scripted peer speaks through."""

    async def send(self, key: str) -> KeyPress:
        """Presses a key."""

    async def __anext__(self) -> Received:
        """The next key press of the other side."""


class ScriptedPeer:
    """Says what a test says, and hears what the other side says.

    Arguments:
        channel: an open channel, whose reading is now this peer's.

    Attributes:
        heard: all key presses that were taken from the channel.
    """

    def __init__(self, channel: Channel) -> None:
        self._channel = channel
        self._line = LineEditor()
        self.heard: list[Received] = []

    async def say(self, text: str, gap: float = 0.0) -> None:
        """Types a text.

        Arguments:
            text: may hold newlines, which are Return.
            gap: seconds of the loop between keys.
        """
        await self.press(*keys_of(text), gap=gap)

    async def press(self, *keys: str, gap: float = 0.0) -> None:
        """Presses keys by their names, known or unknown."""
        for key in keys:
            await self._channel.send(key)
            if gap:
                await asyncio.sleep(gap)

    async def key(self, timeout: float) -> Received:
        """The next key press of the other side.

        Raises:
            TimeoutError: after so many seconds of the loop.
            EOFError: if the channel was closed.
        """
        async with asyncio.timeout(timeout):
            try:
                received = await self._channel.__anext__()
            except StopAsyncIteration:
                raise EOFError("the channel was closed") from None
        self.heard.append(received)
        return received

    async def line(self, timeout: float) -> str:
        """The next line of the other side, as it stands at its Return, without the newline.

        What came before a time-out is part of the line that is asked for next.

        Raises:
            TimeoutError: if no Return came within so many seconds of the loop.
            EOFError: if the channel was closed.
        """
        async with asyncio.timeout(timeout):
            while True:
                line = self._line.press((await self.key(timeout)).press.key)
                if line is not None:
                    return line

    @property
    def pane(self) -> str:
        """All that the other side typed, as a judge would see it."""
        return Pane(received.press.key for received in self.heard).text
