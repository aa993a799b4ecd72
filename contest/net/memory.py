"""Connections in memory: a console or a link in the server's own process, without a socket.

Each frame goes through its text, as on a socket, and takes no time. What the client gets is what it
needs of a connection of the package `websockets`, so that it is the same client with either. The
network's faults can be had: a connection that is cut, and one that falls silent.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic

from websockets.exceptions import ConnectionClosed, ConnectionClosedError, ConnectionClosedOK
from websockets.frames import Close, CloseCode

from contest.errors import Refusal
from contest.net.sockets import H, I, Joined, O, WireProtocol
from lpp.wire import WireError

#: Seconds after which a client misses the answer to a ping; see lpp/connection.py.
CLIENT_NOTICES = 15.0
#: The same of the server: its pings come every 20 s, and have 20 s to be answered.
SERVER_NOTICES = 40.0


@dataclass(frozen=True, eq=False)
class ServersEnd(Generic[O]):
    """A connection as the server has it.

    Attributes:
        send: sends a frame; never blocks.
        close: ends the connection, and says why; what was sent before arrives.
    """

    send: Callable[[O], None]
    close: Callable[[str], None]


class MemoryConnection(Generic[H, I, O]):
    """One connection to the server, as its client has it.

    Arguments:
        protocol: its frames.
        join: lets the client in, given its hello; may raise Refusal.
    """

    def __init__(
        self,
        protocol: WireProtocol[H, I, O],
        join: Callable[[H, ServersEnd[O]], Joined[I]],
    ) -> None:
        self._protocol, self._join = protocol, join
        self._outlet = ServersEnd(self._deliver, self._close)
        self._client: Joined[I] | None = None
        self._texts: deque[str] = deque()
        self._came = asyncio.Event()
        self._over: ConnectionClosed | None = None
        self._silent = self._dead = False

    # The client's end

    async def send(self, text: str) -> None:
        """Sends a frame.

        Raises:
            ConnectionClosed: if the connection is over.
        """
        if self._over is not None:
            raise self._over
        if self._silent:
            return
        try:
            if self._client is None:
                hello = self._protocol.greeted(self._protocol.decode(text))
                self._client = self._join(hello, self._outlet)
            else:
                self._client.take(self._protocol.decode(text))
        except Refusal as exc:
            self._outlet.send(self._protocol.refused(exc.code, str(exc), exc.answers))
            self._outlet.close(str(exc))
        except WireError as exc:
            self._outlet.send(self._protocol.refused("bad-frame", str(exc), ""))
            self._outlet.close(str(exc))

    async def recv(self, decode: bool | None = None) -> str:
        """The next frame of the server.

        Raises:
            ConnectionClosed: if the connection is over, and all that came was received.
        """
        while not self._texts:
            if self._over is not None:
                raise self._over
            self._came.clear()
            await self._came.wait()
        return self._texts.popleft()

    async def close(self) -> None:
        """The client leaves."""
        self._end(_in_order("the connection was closed"))
        if not self._silent:
            self._tell_server_soon("the connection was closed")

    # The network

    def cut(self, why: str) -> None:
        """Both ends learn at once that the connection is gone."""
        self._texts.clear()
        self._end(ConnectionClosedError(None, None))
        self._tell_server_soon(why)

    def fall_silent(self) -> None:
        """Nothing arrives any more, and each end finds out in its time."""
        self._silent = True
        loop = asyncio.get_running_loop()
        loop.call_later(CLIENT_NOTICES, self._end, ConnectionClosedError(None, None))
        loop.call_later(SERVER_NOTICES, self._tell_server, "no answer to a ping")

    def die(self) -> None:
        """The server has stopped dead: it learns nothing any more."""
        self._dead = True
        if not self._silent:
            self.cut("the server has gone")

    # The server's end

    def _deliver(self, frame: O) -> None:
        if self._over is None and not self._silent:
            self._texts.append(self._protocol.encode(frame))
            self._came.set()

    def _close(self, why: str) -> None:
        if not self._silent:
            self._end(_in_order(why))
        self._tell_server_soon(why)

    def _end(self, over: ConnectionClosed) -> None:
        if self._over is None:
            self._over = over
            self._came.set()

    def _tell_server_soon(self, why: str) -> None:
        # In a turn of its own: whoever closes is in the middle of something.
        asyncio.get_running_loop().call_soon(self._tell_server, why)

    def _tell_server(self, why: str) -> None:
        client, self._client = self._client, None
        if client is not None and not self._dead:
            client.leave(why)


def _in_order(why: str) -> ConnectionClosedOK:
    return ConnectionClosedOK(Close(CloseCode.NORMAL_CLOSURE, why), None)
