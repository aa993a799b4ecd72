"""The server's connections below its frames: how many there may be, how long a request may take,
and that nobody keeps one by doing nothing.

uvicorn closes what has rested after an answer, and asks the other end of a WebSocket whether it is
there. It waits for ever for a request that never comes whole, and for an other end that takes
nothing of what is sent to it; here these are cut off.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from asyncio import BaseTransport, Transport
from typing import Any

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle

from contest.doors.limits import Connections, Limits
from contest.doors.shortcut import Shortcut

#: Seconds between two looks at all connections.
LOOK = 1.0
#: Seconds without a request after which a connection may be cut off to make room for another. One
#: that has just come needs a moment for its first.
IDLE = 1.0
#: Seconds for a connection that is told to close.
CLOSING = 5.0
#: Descriptors that a server needs beside its connections: record, logs, entries' programs.
FILES = 200
#: What anybody can make uvicorn say, as often as he likes: it says nothing of the server.
NOISE = (
    "Invalid HTTP request received.",
    "Invalid UTF-8 sequence received from client.",
    "Unsupported upgrade request.",
    # A WebSocket that is refused with an answer of ours, which uvicorn takes for none.
    "ASGI callable returned without completing handshake.",
)


class LimitedConfig(uvicorn.Config):
    """uvicorn's settings, with our limits.

    Arguments:
        app: what to serve.
        limits: of a request's head.
        crowd: counts the connections.
        options: as uvicorn has them.
    """

    def __init__(self, app: Any, limits: Limits, crowd: Connections, **options: Any) -> None:
        super().__init__(
            app, http=_Http, ws=_WebSocket, h11_max_incomplete_event_size=limits.head, **options
        )
        self.crowd = crowd


class _Http(H11Protocol):
    """A connection that speaks HTTP, until it becomes a WebSocket."""

    config: LimitedConfig

    def connection_made(self, transport: BaseTransport) -> None:
        assert isinstance(transport, Transport)
        super().connection_made(transport)
        #: Since when no request is under way.
        self.rests = self.loop.time()
        if self.client is not None:
            self.config.crowd.come(self.client, self._is_idle, transport.abort)

    def _is_idle(self) -> bool:
        """Whether no request has been under way for a while, and it is no WebSocket."""
        is_http = self.transport.get_protocol() is self
        return is_http and self.at_rest and self.loop.time() - self.rests > IDLE

    def connection_lost(self, exc: Exception | None) -> None:
        if self.client is not None:
            self.config.crowd.go(self.client)
        super().connection_lost(exc)

    def on_response_complete(self) -> None:
        self.rests = self.loop.time()
        super().on_response_complete()

    @property
    def at_rest(self) -> bool:
        """Whether no request is under way; one of which not all headers are here is not."""
        cycle: RequestResponseCycle | None = self.cycle
        return cycle is None or cycle.response_complete


class _WebSocket(Shortcut):
    """What a connection that spoke HTTP has become."""

    config: LimitedConfig

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if not self.handshake_initiated:
            # The head is too long for the library. It has its answer ready, but gives no event, so
            # uvicorn would leave the connection open for ever.
            self.transport.write(b"".join(self.conn.data_to_send()))
            self.transport.close()

    def shutdown(self) -> None:
        if self.transport.is_closing():
            # Both sides have said goodbye; uvicorn would try to say it again, and fail.
            self.transport.abort()
        else:
            super().shutdown()

    def connection_lost(self, exc: Exception | None) -> None:
        if self.client is not None:
            self.config.crowd.go(self.client)
        super().connection_lost(exc)


async def look_after(server: uvicorn.Server, limits: Limits) -> None:
    """Cuts off, until it is cancelled, what is stuck.

    Arguments:
        server: it runs.
        limits: of connections.
    """
    loop = asyncio.get_running_loop()
    # Of those for whom something waits: how much, and since when it is as much.
    stuck: dict[object, tuple[int, float]] = {}
    closing: dict[object, float] = {}
    while True:
        await asyncio.sleep(LOOK)
        now, connections = loop.time(), set(server.server_state.connections)
        for known in (stuck, closing):
            for gone in known.keys() - connections:
                del known[gone]
        for one in connections:
            transport: Transport = one.transport
            waiting = transport.get_write_buffer_size()
            if stuck.get(one, (0, 0.0))[0] != waiting:
                stuck[one] = waiting, now
            if transport.is_closing():
                closing.setdefault(one, now)
            late = isinstance(one, _Http) and one.at_rest and now - one.rests > limits.request
            if (
                late
                or now - closing.get(one, now) > CLOSING
                or (waiting and now - stuck[one][1] > limits.stuck)
            ):
                transport.abort()


def quiet() -> None:
    """Keeps out of the log what strangers can make the server say at will; and whole frames, which
    hold codes and whatever is typed, also where somebody wants to see all."""
    logger = logging.getLogger("uvicorn.error")
    if not any(isinstance(each, _Noise) for each in logger.filters):
        logger.addFilter(_Noise())


class _Noise(logging.Filter):
    def filter(self, record: logging.LogRecord) -> bool:
        return record.msg not in NOISE and record.levelno > logging.DEBUG


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
