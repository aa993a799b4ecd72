"""What goes out over a server's WebSocket, and the text that comes in: the same for consoles and
for links, which differ in their frames alone."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Generic, TypeVar

from starlette.websockets import WebSocket, WebSocketDisconnect

_F = TypeVar("_F")

#: Frames that may wait for a slow other end; then it is cut off, and is told the rest, or gets a
#: snapshot, when it is back.
QUEUE = 20_000
#: Frames that are sent in one turn of the loop. Between turns the others are served, and it is
#: learnt that the other end is gone: asyncio complains of each write after the fifth.
BURST = 4


class Connection(Generic[_F]):
    """A WebSocket as an outlet, which never blocks.

    Arguments:
        websocket: an accepted one.
        encode: a frame's text.
        who: what the other end is called where it is too slow.

    Attributes:
        reason: why it was closed from here; empty as long as it was not.
    """

    def __init__(self, websocket: WebSocket, encode: Callable[[_F], str], who: str) -> None:
        self._websocket = websocket
        self._encode = encode
        self._who = who
        self._frames: asyncio.Queue[_F | None] = asyncio.Queue(QUEUE)
        self.reason = ""

    def send(self, frame: _F) -> None:
        """Sends a frame; never blocks."""
        try:
            self._frames.put_nowait(frame)
        except asyncio.QueueFull:
            self.close(f"{self._who} is too slow")

    def close(self, why: str) -> None:
        """Ends the connection."""
        if not self.reason:
            self.reason = why
            while self._frames.full():
                self._frames.get_nowait()
            self._frames.put_nowait(None)

    async def write(self) -> None:
        """Sends frames until the connection is closed."""
        sent = 0
        while (frame := await self._frames.get()) is not None:
            await self._websocket.send_text(self._encode(frame))
            sent += 1
            if sent % BURST == 0:
                await asyncio.sleep(0)


async def received_text(websocket: WebSocket) -> str | None:
    """The next message's text; None for one of bytes.

    Raises:
        WebSocketDisconnect: if the other end has gone.
    """
    message = await websocket.receive()
    if message["type"] == "websocket.disconnect":
        raise WebSocketDisconnect(message.get("code") or 1006)
    text: str | None = message.get("text")
    return text
