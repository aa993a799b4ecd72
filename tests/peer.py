"""A scripted peer for tests of channels.

async with DirectoryChannel(path, side=Side.JUDGE) as channel:
    peer = ScriptedPeer(channel)
    await peer.say("Hello.\\n")
    assert "hi" in (await peer.line(timeout=5)).lower()
"""

from __future__ import annotations

import asyncio
from typing import Protocol

from lpp.keypress import KeyPress
from lpp.lines import LineEditor, Pane
from lpp.names import keys_of
from lpp.session import Received


class Channel(Protocol):
    """The channel of a scripted peer."""

    async def send(self, key: str) -> KeyPress:
        """Presses a key."""

    async def __anext__(self) -> Received:
        """The next key press of the other side."""


class ScriptedPeer:
    """Types for a test, and collects the key presses of the other side.

    Arguments:
        channel: an open channel, from which only this peer reads.

    Attributes:
        heard: all key presses received from the channel.
    """

    def __init__(self, channel: Channel) -> None:
        self._channel = channel
        self._line = LineEditor()
        self.heard: list[Received] = []

    async def say(self, text: str, gap: float = 0.0) -> None:
        """Types a text.

        Arguments:
            text: newlines are Return.
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
            TimeoutError: after this many seconds of the loop.
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
        """The next line of the other side as it was at its Return, without the newline.

        Keys received before a time-out belong to the line that the next call returns.

        Raises:
            TimeoutError: if there is no Return within this many seconds of the loop.
            EOFError: if the channel was closed.
        """
        async with asyncio.timeout(timeout):
            while True:
                line = self._line.press((await self.key(timeout)).press.key)
                if line is not None:
                    return line

    @property
    def pane(self) -> str:
        """The other side's text, as a judge would see it."""
        return Pane(received.press.key for received in self.heard).text
