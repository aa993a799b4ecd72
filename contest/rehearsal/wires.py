"""The network of a rehearsal: connections in memory, which can be cut and fall silent.

A frame takes no time and goes through its JSON text, as on a socket. A connection that is cut says
so to both ends at once; one that falls silent loses what is sent from then on, and each end learns
it from a ping that is not answered.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from typing import Generic, TypeVar

_In = TypeVar("_In")
_Out = TypeVar("_Out")

#: Seconds after which a console or a link misses the answer to a ping; see judge_console/client.py.
CONSOLE_NOTICES = 15.0
#: The same of the server: its pings come every 20 s, and have 20 s to be answered.
SERVER_NOTICES = 40.0


class Unreachable(Exception):
    """Nobody answers."""


class LineEnded(Exception):
    """A connection is over.

    Attributes:
        in_order: whether the server has closed it in order.
    """

    def __init__(self, why: str, in_order: bool) -> None:
        super().__init__(why)
        self.in_order = in_order


class Line(Generic[_In, _Out]):
    """One connection to the server.

    Arguments:
        through: takes the text of a frame to the other end: encodes and decodes it.
        take: the server's: a frame has come.
        ended: the server's: the connection is over, and why.
    """

    def __init__(
        self,
        through: Callable[[_Out], _Out],
        take: Callable[[_In], None],
        ended: Callable[[str], None],
    ) -> None:
        self._through = through
        self._take = take
        self._ended: Callable[[str], None] | None = ended
        self._frames: deque[_Out] = deque()
        self._came = asyncio.Event()
        self._over: LineEnded | None = None
        self._silent = False

    # The server's end: an outlet

    def send(self, frame: _Out) -> None:
        """Sends a frame; never blocks."""
        if self._over is None and not self._silent:
            self._frames.append(self._through(frame))
            self._came.set()

    def close(self, why: str) -> None:
        """The server closes the connection in order; what was sent before arrives."""
        if not self._silent:
            self._over_by(LineEnded(why, in_order=True))
        self._tell_server_soon(why)

    # The other end

    def say(self, frame: _In) -> None:
        """Sends a frame to the server."""
        if self._over is None and not self._silent:
            self._take(frame)

    async def receive(self) -> _Out:
        """The next frame of the server.

        Raises:
            LineEnded: if the connection is over, and all that came was received.
        """
        while not self._frames:
            if self._over is not None:
                raise self._over
            self._came.clear()
            await self._came.wait()
        return self._frames.popleft()

    def hang_up(self) -> None:
        """The other end goes."""
        self._over_by(LineEnded("the connection was closed", in_order=True))
        if not self._silent:
            self._tell_server_soon("the connection was closed")

    # The network

    def cut(self, why: str) -> None:
        """Both ends learn at once that the connection is gone."""
        self._frames.clear()
        self._over_by(LineEnded(why, in_order=False))
        self._tell_server_soon(why)

    def fall_silent(self) -> None:
        """Nothing arrives any more, and each end finds out in its time."""
        self._silent = True
        missed = LineEnded("no answer to a ping", in_order=False)
        loop = asyncio.get_running_loop()
        loop.call_later(CONSOLE_NOTICES, self._over_by, missed)
        loop.call_later(SERVER_NOTICES, self._tell_server, str(missed))

    def die(self) -> None:
        """The server has stopped dead: it learns nothing any more."""
        self._ended = None
        if not self._silent:
            self.cut("the server is gone")

    def _over_by(self, over: LineEnded) -> None:
        if self._over is None:
            self._over = over
            self._came.set()

    def _tell_server_soon(self, why: str) -> None:
        # In a turn of its own: whoever closes is in the middle of something.
        asyncio.get_running_loop().call_soon(self._tell_server, why)

    def _tell_server(self, why: str) -> None:
        if self._ended is not None:
            ended, self._ended = self._ended, None
            ended(why)
