"""What goes out over a server's WebSocket: the same for consoles and for links, which differ in
their frames alone.

A frame goes at once where its WebSocket has a short way (shortcut.py) and nothing waits before it.
What waits for a slow other end is limited, in number and in size: then it is cut off, and is told
the rest, or gets a snapshot, when it is back. Nobody else ever waits for it.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from typing import Generic, TypeVar

from starlette.websockets import WebSocket

from contest.doors.shortcut import Shortcut

_F = TypeVar("_F")

#: Frames that may wait for a slow other end.
QUEUE = 20_000
#: Characters that they may have together: both talks of a judge at their longest, and more.
QUEUE_SIZE = 16 * 1024 * 1024
#: Frames that are sent in one turn of the loop. Between turns the others are served, and it is
#: learnt that the other end is gone: asyncio complains of each write after the fifth.
BURST = 4
#: Seconds of real time for what was said before a connection was closed from here.
LAST_WORDS = 5.0


class Connection(Generic[_F]):
    """A WebSocket as an outlet, which never blocks.

    Arguments:
        websocket: an accepted one.
        encode: a frame's text.
        who: what the other end is called where it is too slow.
        shortcut: its short way, if it has one.

    Attributes:
        reason: why it was closed from here; empty as long as it was not.
    """

    def __init__(
        self,
        websocket: WebSocket,
        encode: Callable[[_F], str],
        who: str,
        shortcut: Shortcut | None = None,
    ) -> None:
        self._websocket = websocket
        self._encode = encode
        self._who = who
        self._shortcut = shortcut
        # Whether one is on its long way out, and no longer among those that wait.
        self._sending = False
        self._texts: deque[str] = deque()
        self._size = 0
        self._more = asyncio.Event()
        self._patience: asyncio.Timeout | None = None
        self.reason = ""

    def send(self, frame: _F) -> None:
        """Sends a frame; never blocks."""
        if self.reason:
            return
        text = self._encode(frame)
        waits = self._sending or bool(self._texts)
        if not waits and self._shortcut is not None and self._shortcut.say(text):
            return
        self._size += len(text)
        if len(self._texts) >= QUEUE or self._size > QUEUE_SIZE:
            self.cut(f"{self._who} is too slow")
            return
        self._texts.append(text)
        self._more.set()

    def close(self, why: str) -> None:
        """Ends the connection, once all that was sent before has gone out; whoever does not take
        it within `LAST_WORDS` seconds is cut off."""
        self._end(why, LAST_WORDS)

    def cut(self, why: str) -> None:
        """Ends the connection at once; what waits is thrown away."""
        self._texts.clear()
        self._end(why, 0.0)

    def _end(self, why: str, patience: float) -> None:
        if self.reason:
            return
        self.reason = why
        self._more.set()
        if self._patience is not None and not self._patience.expired():
            self._patience.reschedule(asyncio.get_running_loop().time() + patience)

    async def write(self) -> None:
        """Sends frames until the connection is closed."""
        sent = 0
        try:
            async with asyncio.timeout(LAST_WORDS if self.reason else None) as self._patience:
                while await self._wait():
                    text = self._texts.popleft()
                    self._size -= len(text)
                    self._sending = True
                    await self._websocket.send_text(text)
                    self._sending = False
                    sent += 1
                    if sent % BURST == 0:
                        await asyncio.sleep(0)
        except TimeoutError:
            self._texts.clear()
        finally:
            self._patience = None

    async def _wait(self) -> bool:
        """Whether there is something to send; waits for it, unless the connection is closed."""
        while not self._texts and not self.reason:
            self._more.clear()
            await self._more.wait()
        return bool(self._texts)
