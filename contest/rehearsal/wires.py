"""Connections in memory, which can be cut and can fall silent.

A frame takes no time and goes through its JSON text, as on a socket. Both ends of a connection that
is cut learn it at once; of one that falls silent each end learns it from a ping without an answer.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from typing import Generic, TypeVar

_In = TypeVar("_In")
_Out = TypeVar("_Out")

#: Seconds until a console misses the answer to a ping (judge_console), and until the server does.
CONSOLE_NOTICES, SERVER_NOTICES = 15.0, 40.0


class Unreachable(Exception):
    """No server answers."""


class LineEnded(Exception):
    """A connection is over.

    Attributes:
        in_order: whether it was closed in order.
    """

    def __init__(self, why: str, in_order: bool) -> None:
        super().__init__(why)
        self.in_order = in_order


class Line(Generic[_In, _Out]):
    """One connection to the server.

    Arguments:
        through: encodes and decodes a frame of the server.
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

    def send(self, frame: _Out) -> None:
        """The server sends a frame; never blocks."""
        if self._over is None and not self._silent:
            self._frames.append(self._through(frame))
            self._came.set()

    def close(self, why: str) -> None:
        """The server closes the connection in order; what was sent before arrives."""
        if not self._silent:
            self._end(LineEnded(why, in_order=True))
        self._server_learns(why)

    def say(self, frame: _In) -> None:
        """The client sends a frame."""
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
        """The client closes the connection; the server learns it unless the network is silent."""
        why = "the connection was closed"
        self._end(LineEnded(why, in_order=True))
        if not self._silent:
            self._server_learns(why)

    def cut(self, why: str) -> None:
        """The network ends the connection; what was under way is lost."""
        self._frames.clear()
        self._end(LineEnded(why, in_order=False))
        self._server_learns(why)

    def fall_silent(self) -> None:
        """Nothing arrives any more, and each end learns it in its time."""
        self._silent = True
        missed = LineEnded("no answer to a ping", in_order=False)
        loop = asyncio.get_running_loop()
        loop.call_later(CONSOLE_NOTICES, self._end, missed)
        loop.call_later(SERVER_NOTICES, self._tell_server, str(missed))

    def die(self) -> None:
        """The server has stopped dead: it learns nothing any more."""
        self._ended = None
        if not self._silent:
            self.cut("the server is gone")

    def _end(self, over: LineEnded) -> None:
        if self._over is None:
            self._over = over
            self._came.set()

    def _server_learns(self, why: str) -> None:
        # In a turn of its own: the server may be in the middle of something.
        asyncio.get_running_loop().call_soon(self._tell_server, why)

    def _tell_server(self, why: str) -> None:
        if self._ended is not None:
            ended, self._ended = self._ended, None
            ended(why)
