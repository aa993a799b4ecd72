"""The server's WebSockets for consoles, links and pages, and the protocol of consoles and links: a
first frame that says hello, then frames in both directions.

Nothing in this module waits for a peer that doesn't read. The frames in its queue are limited in
number and size; a peer beyond the limit is cut off, and gets a snapshot when it reconnects.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections import deque
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from types import SimpleNamespace
from typing import Any, NamedTuple, Protocol, Self, TypeAlias, TypeVar

from aiohttp import WSMsgType, web
from websockets.exceptions import ConnectionClosed, ConnectionClosedError, ConnectionClosedOK
from websockets.frames import Close, CloseCode

from contest.errors import Refusal
from contest.links import linkwire
from contest.net.limits import Bucket, TooBusy
from lpp import wire
from lpp.wire import WireError

_F = TypeVar("_F")

#: The maximum number of frames in the queue for a slow peer.
QUEUE_FRAMES = 20_000
#: The maximum number of characters in that queue; more than a judge's two longest talks.
QUEUE_CHARACTERS = 16 * 1024 * 1024
#: Frames sent in one turn of the event loop. Between turns others are served, and the loop finds
#: out if the peer is gone; after five writes to a closed connection, asyncio logs each one.
BURST = 4
#: Seconds of real time to send the queue after the server has closed a connection.
CLOSE_LIMIT = 5.0
#: Seconds for which a peer that sends too fast is read more slowly; then it must reconnect. Its
#: unread frames are discarded; otherwise a peer that has left would seem connected until the end.
TOO_FAST_LIMIT = 15.0
#: The maximum number of characters of an error's text for a peer.
_WORDS = 500
#: Seconds between two pings to a silent peer.
HEARTBEAT = 20.0
#: Seconds of silence after which a page gets an empty frame.
PAGE_HEARTBEAT = 5.0
EMPTY_FRAME = "{}"

#: The open sockets, for the server to close when it stops.
SOCKETS = web.AppKey("sockets", set[web.WebSocketResponse])


class PeerGone(Exception):
    """The peer has disconnected."""


@asynccontextmanager
async def open_socket(request: web.Request) -> AsyncIterator[web.WebSocketResponse]:
    """Opens a WebSocket for a request, until the context ends or the peer leaves.

    Arguments:
        request: the request; the caller returns the socket as its answer.
    """
    socket = web.WebSocketResponse(
        timeout=CLOSE_LIMIT, heartbeat=HEARTBEAT, compress=False, max_msg_size=wire.FRAME_LIMIT
    )
    await socket.prepare(request)
    sockets = request.app[SOCKETS]
    sockets.add(socket)
    try:
        with contextlib.suppress(PeerGone, ConnectionError):
            yield socket
        await close(socket)
    finally:
        sockets.discard(socket)


async def close(socket: web.WebSocketResponse, code: int = 1000, why: str = "") -> None:
    """Closes a socket, if it is open, with a WebSocket close code and a reason in words, cut to the
    size of a close frame. Doesn't wait for a peer that does not answer."""
    with contextlib.suppress(TimeoutError, ConnectionError):
        async with asyncio.timeout(CLOSE_LIMIT):
            # A reason has 123 bytes at most (RFC 6455, section 5.5).
            words = why.encode()[:123].decode(errors="ignore").encode()
            await socket.close(code=code, message=words)


async def receive_frame(socket: web.WebSocketResponse, decode: Callable[[str], _F]) -> _F:
    """The next frame of an open socket, decoded by `decode`.

    Raises:
        PeerGone: if the peer has disconnected.
        WireError: if it is not a frame.
    """
    message = await socket.receive()
    if message.type is WSMsgType.TEXT:
        return decode(message.data)
    if message.type is WSMsgType.BINARY:
        raise WireError("frames must be text, not bytes")
    raise PeerGone


async def read_frames(
    socket: web.WebSocketResponse,
    decode: Callable[[str], _F],
    take: Callable[[_F], None],
    connection: Connection,
    buckets: Mapping[type | None, Bucket],
) -> None:
    """Handles frames one by one until the server closes the connection. `buckets` limit the rates
    of frames by type; `None` stands for all other types.

    Raises:
        PeerGone, WireError: see `receive_frame`.
        TooBusy: if the peer has sent too much for too long.
        Exception: anything that `take` raises.
    """
    now = asyncio.get_running_loop().time
    in_time = now()
    while True:
        frame = await receive_frame(socket, decode)
        wait = buckets.get(type(frame), buckets[None]).take(now())
        if not wait:
            in_time = now()
        elif now() - in_time > TOO_FAST_LIMIT:
            raise TooBusy("too many frames at once; connect again")
        else:
            # Meanwhile the peer's frames wait in the network and at its end.
            await asyncio.sleep(wait)
        if connection.reason:
            return  # another connection has taken this seat
        take(frame)


class Connection:
    """A WebSocket as an `Outlet`.

    Arguments:
        socket: an open socket.
        who: the peer's name in the message that it is too slow.
        heartbeats: whether the peer gets an empty frame after `PAGE_HEARTBEAT` seconds of silence;
            for pages, which can't see the library's pings.

    Attributes:
        reason: why the server closed the connection; empty while it is open.
    """

    def __init__(
        self, socket: web.WebSocketResponse, who: str, *, heartbeats: bool = False
    ) -> None:
        self._heartbeats = heartbeats
        self._socket = socket
        self._who = who
        self._texts: deque[str] = deque()
        self._size = 0
        self._more = asyncio.Event()
        self._patience: asyncio.Timeout | None = None
        self.reason = ""

    def send(self, frame: wire.Frame) -> None:
        """See Outlet."""
        if self.reason:
            return
        text = wire.encode(frame)
        self._size += len(text)
        if len(self._texts) >= QUEUE_FRAMES or self._size > QUEUE_CHARACTERS:
            self.cut(f"{self._who} is too slow")
            return
        self._texts.append(text)
        self._more.set()

    def close(self, why: str) -> None:
        """See Outlet. A peer that doesn't read the queue in `CLOSE_LIMIT` seconds is cut off."""
        self._end(why, CLOSE_LIMIT)

    def cut(self, why: str) -> None:
        """Ends the connection immediately, and discards the queue."""
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
            async with asyncio.timeout(CLOSE_LIMIT if self.reason else None) as self._patience:
                while await self._wait():
                    text = self._texts.popleft()
                    self._size -= len(text)
                    await self._socket.send_str(text)
                    sent += 1
                    if sent % BURST == 0:
                        await asyncio.sleep(0)
        except TimeoutError:
            self._texts.clear()
        finally:
            self._patience = None

    async def _wait(self) -> bool:
        """Waits for a frame to send or the end of the connection; returns whether there is a
        frame."""
        while not self._texts and not self.reason:
            self._more.clear()
            try:
                async with asyncio.timeout(PAGE_HEARTBEAT if self._heartbeats else None):
                    await self._more.wait()
            except TimeoutError:
                await self._socket.send_str(EMPTY_FRAME)
        return bool(self._texts)


# Consoles and links


class Outlet(Protocol):
    """The connection of a console or a link, as seen by the code that serves it."""

    def send(self, frame: Any) -> None:
        """Sends a frame; never blocks."""

    def close(self, why: str) -> None:
        """Ends the connection after sending all frames in the queue."""


class Joined(NamedTuple):
    """The callbacks for a client that has joined: `take` gets its frames (a Refusal ends the
    connection), and `leave` gets the reason when the connection has ended."""

    take: Callable[[Any], None]
    leave: Callable[[str], None]


#: Connects a client, given the name of its code, its hello and its connection; may raise Refusal.
Join: TypeAlias = Callable[[str, Any, Outlet], Joined]


@dataclass(frozen=True)
class WireProtocol:
    """The protocol of one kind of client.

    Attributes:
        path: the URL path for these clients.
        who: the client in words, such as `console`.
        what: what its code is for, in words, such as `seat`.
        version: the protocol's version.
        hello: the first frame's type.
        decode: decodes a frame; raises WireError.
        rates: the name in `Limits` of the rate for frames of a type; `None` stands for all other
            types.
        for_pages: whether only pages in browsers may use this path; otherwise none may. A browser
            marks a page's requests with the header `Origin`, which no page can hide.
    """

    path: str
    who: str
    what: str
    version: int
    hello: type
    decode: Callable[[str], Any]
    rates: Mapping[type | None, str]
    for_pages: bool = False

    def check_hello(self, frame: Any) -> Any:
        """Checks that the first frame of a connection is a hello, and returns it.

        Raises:
            Refusal: if it is not a hello, or has another version.
        """
        if not isinstance(frame, self.hello):
            raise Refusal(
                "hello", "the first frame must be a hello", str(frame.__struct_config__.tag)
            )
        if frame.version != self.version:  # type: ignore[attr-defined]
            raise Refusal(
                "version",
                f"this server uses version {self.version} of the protocol, the {self.who} version "
                f"{frame.version}; install the same release on both",  # type: ignore[attr-defined]
                "hello",
            )
        return frame


SEAT = WireProtocol(
    *("/seat", "console", "seat", wire.VERSION, wire.Hello, wire.decode_to_server),
    {wire.Press: "keys", wire.Shown: "keys", None: "frames"},
)
BROWSER_SEAT = replace(SEAT, path="/sit/seat", who="browser", for_pages=True)
LINK = WireProtocol(
    *("/link", "link", "link", linkwire.VERSION, linkwire.Hello, linkwire.decode_to_server),
    {None: "link"},
)


def refusal_frame(exc: Refusal | WireError) -> wire.Refused:
    """The frame that tells a client why it was refused."""
    if isinstance(exc, Refusal):
        return wire.Refused(exc.code, str(exc), exc.answers)
    return wire.Refused("bad-frame", str(exc)[:_WORDS])


# Connections in memory

#: Seconds after which a client notices that its ping got no answer; see lpp/connection.py.
CLIENT_NOTICES = 15.0
#: The same for the server, which pings after 20 s of silence; aiohttp waits 10 s for the answer.
SERVER_NOTICES = 30.0


class MemoryConnection:
    """A client's connection to a server in the same process, without a socket. It has the methods
    that clients use of a connection of the package `websockets`. Frames are encoded as text, and
    arrive without delay. The connection can be cut, and can fall silent.

    Arguments:
        protocol: the client's protocol.
        join: connects the client, given its hello and its outlet; may raise Refusal.
    """

    def __init__(self, protocol: WireProtocol, join: Callable[[Any, Outlet], Joined]) -> None:
        self._protocol, self._join = protocol, join
        # The server's end.
        self._outlet: Any = SimpleNamespace(send=self._deliver, close=self._close)
        self._client: Joined | None = None
        self._texts: deque[str] = deque()
        self._changed = asyncio.Event()
        self._closed: ConnectionClosed | None = None
        self._silent = self._dead = False

    # The client's end

    async def send(self, text: str) -> None:
        """Sends a frame.

        Raises:
            ConnectionClosed: if the connection is over.
        """
        if self._closed is not None:
            raise self._closed
        if self._silent:
            return
        try:
            frame = self._protocol.decode(text)
            if self._client is None:
                self._client = self._join(self._protocol.check_hello(frame), self._outlet)
            else:
                self._client.take(frame)
        except (Refusal, WireError) as exc:
            self._deliver(refusal_frame(exc))
            self._close(str(exc))

    async def recv(self, decode: bool | None = None) -> str:
        """The next frame from the server.

        Raises:
            ConnectionClosed: if the connection is over, and no frames are left.
        """
        while not self._texts:
            if self._closed is not None:
                raise self._closed
            self._changed.clear()
            await self._changed.wait()
        return self._texts.popleft()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """The client leaves."""
        self._end("the connection was closed")
        if not self._silent:
            self._notify_server_soon("the connection was closed")

    # The network

    def cut(self, why: str) -> None:
        """Both ends learn immediately that the connection is gone."""
        self._texts.clear()
        self._end()
        self._notify_server_soon(why)

    def stop_delivering(self) -> None:
        """Nothing arrives any more; each end notices after its own time."""
        self._silent = True
        loop = asyncio.get_running_loop()
        loop.call_later(CLIENT_NOTICES, self._end)
        loop.call_later(SERVER_NOTICES, self._notify_server, "no answer to a ping")

    def crash_server(self) -> None:
        """Simulates a crash of the server, which then gets no more calls."""
        self._dead = True
        if not self._silent:
            self.cut("the server has gone")

    # The server's end

    def _deliver(self, frame: wire.Frame) -> None:
        if self._closed is None and not self._silent:
            self._texts.append(wire.encode(frame))
            self._changed.set()

    def _close(self, why: str) -> None:
        if not self._silent:
            self._end(why)
        self._notify_server_soon(why)

    def _end(self, why: str | None = None) -> None:
        """The client learns that the connection is over: closed with these words, or gone."""
        if self._closed is None:
            closed = None if why is None else Close(CloseCode.NORMAL_CLOSURE, why)
            kind = ConnectionClosedError if closed is None else ConnectionClosedOK
            self._closed = kind(closed, None)
            self._changed.set()

    def _notify_server_soon(self, why: str) -> None:
        # In a later turn of the event loop, because the caller is in the middle of something.
        asyncio.get_running_loop().call_soon(self._notify_server, why)

    def _notify_server(self, why: str) -> None:
        client, self._client = self._client, None
        if client is not None and not self._dead:
            client.leave(why)
