"""The server's connections below its requests: how many there may be, how long a request may take,
and that no peer keeps one by doing nothing.

aiohttp closes a connection that has rested after an answer, and asks the other end of a WebSocket
whether it is there. It waits without end for a request that never comes whole, and for a peer that
reads nothing of what it is sent; these are cut off here.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from typing import cast

from aiohttp import web

from contest.net.limits import Client, Connections, Limits

#: Seconds between two looks at all connections.
LOOK = 1.0
#: Seconds without a request after which a connection may be cut off to make room for another. A new
#: one needs a moment for its first.
IDLE = 1.0
#: Seconds for a connection that is told to close.
CLOSING = 5.0
#: Descriptors that a server needs beside its connections: record, logs, entries' programs.
FILES = 200


class Line(asyncio.Protocol):
    """A connection: passes all on to the library's protocol, and notes whether a request is under
    way.

    Arguments:
        inner: the library's protocol.
        lines: all connections of the server, to which it adds itself.
        crowd: counts them.

    Attributes:
        requests: how many are under way: 1 also as long as a WebSocket is open, else 0.
        rests: since when none is, by the loop's clock.
    """

    transport: asyncio.Transport

    def __init__(self, inner: asyncio.Protocol, lines: set[Line], crowd: Connections) -> None:
        self._inner = inner
        self._lines = lines
        self._crowd = crowd
        self._now = asyncio.get_running_loop().time
        self._client: Client | None = None
        self.requests = 0
        self.rests = self._now()

    @classmethod
    def of(cls, request: web.BaseRequest) -> Line | None:
        """The connection of a request; None if it is gone."""
        protocol = None if request.transport is None else request.transport.get_protocol()
        return protocol if isinstance(protocol, Line) else None

    @property
    def idle(self) -> bool:
        """Whether no request has been under way for a while."""
        return not self.requests and self._now() - self.rests > IDLE

    @contextlib.contextmanager
    def busy(self) -> Iterator[None]:
        """A request is under way while the context is open."""
        self.requests += 1
        try:
            yield
        finally:
            self.requests -= 1
            self.rests = self._now()

    # What asyncio tells a protocol

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """The connection is there."""
        self.transport = cast(asyncio.Transport, transport)
        self._inner.connection_made(transport)
        self._lines.add(self)
        self._client = client_of(self.transport)
        if self._client is not None:
            self._crowd.come(self._client, lambda: self.idle, self.transport.abort)

    def connection_lost(self, exc: Exception | None) -> None:
        """The connection is gone."""
        self._lines.discard(self)
        if self._client is not None:
            self._crowd.go(self._client)
        self._inner.connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Something has come."""
        self._inner.data_received(data)

    def eof_received(self) -> bool | None:
        """The other end sends no more."""
        return self._inner.eof_received()

    def pause_writing(self) -> None:
        """Much waits to be sent."""
        self._inner.pause_writing()

    def resume_writing(self) -> None:
        """Little waits to be sent."""
        self._inner.resume_writing()


def client_of(transport: asyncio.BaseTransport | None) -> Client | None:
    """The other end's host and port; None where the system does not say."""
    peer = None if transport is None else transport.get_extra_info("peername")
    return (peer[0], peer[1]) if isinstance(peer, tuple) and len(peer) >= 2 else None


@asynccontextmanager
async def looked_after(limits: Limits) -> AsyncIterator[set[Line]]:
    """Cuts off what is stuck, while the context is open.

    Arguments:
        limits: of connections.

    Returns:
        The set to which connections add themselves.
    """
    lines: set[Line] = set()
    looking = asyncio.create_task(_look_after(lines, limits), name="connections")
    try:
        yield lines
    finally:
        looking.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await looking


async def _look_after(lines: set[Line], limits: Limits) -> None:
    now: Callable[[], float] = asyncio.get_running_loop().time
    # Of those for whom something waits: how much, and since when it is as much.
    stuck: dict[Line, tuple[int, float]] = {}
    closing: dict[Line, float] = {}
    while True:
        await asyncio.sleep(LOOK)
        for known in (stuck, closing):
            for gone in known.keys() - lines:
                del known[gone]
        for line in list(lines):
            waiting = line.transport.get_write_buffer_size()
            if stuck.get(line, (0, 0.0))[0] != waiting:
                stuck[line] = waiting, now()
            if line.transport.is_closing():
                closing.setdefault(line, now())
            if (
                (not line.requests and now() - line.rests > limits.request)
                or now() - closing.get(line, now()) > CLOSING
                or (waiting and now() - stuck[line][1] > limits.stuck)
            ):
                line.transport.abort()


def raise_file_limit(connections: int) -> None:
    """Has the system let this process hold so many connections, as far as it may.

    Arguments:
        connections: how many.
    """
    try:
        import resource
    except ImportError:  # Windows, which has no such limit
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = connections + FILES
    if hard != resource.RLIM_INFINITY:
        wanted = min(wanted, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        with contextlib.suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
