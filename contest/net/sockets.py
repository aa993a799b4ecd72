"""WebSockets of the server: frames in, frames out, the same for consoles, links and pages; and the
protocol of consoles and links: a first frame that says hello, then frames both ways.

Nothing here waits for a peer that does not read. What waits to be sent to it is limited in number
and in size; beyond that it is cut off, and gets a snapshot when it is back.
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
from contest.net.limits import Bucket, Crowded
from lpp import wire
from lpp.wire import WireError

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
#: Seconds for which a peer that is too fast is read more slowly; then it has to come again. What it
#: has sent is thrown away, or a peer that has gone would seem to be there until all is read.
BEHIND = 15.0
#: Characters of an error's text that the other end gets.
_WORDS = 500
#: Seconds between two questions whether a silent peer is still there.
HEARTBEAT = 20.0
#: Seconds of silence after which a page gets a frame that says nothing.
BEAT = 5.0
SIGN_OF_LIFE = "{}"

#: The sockets that are open, for the server to close when it ends.
SOCKETS = web.AppKey("sockets", set[web.WebSocketResponse])


class Gone(Exception):
    """The other end has gone."""


@asynccontextmanager
async def opened(request: web.Request) -> AsyncIterator[web.WebSocketResponse]:
    """A WebSocket for a request that asks for one, open as long as the context is or its other end
    stays.

    Arguments:
        request: the request; the caller returns the socket as its answer.
    """
    socket = web.WebSocketResponse(
        timeout=LAST_WORDS, heartbeat=HEARTBEAT, compress=False, max_msg_size=wire.FRAME_LIMIT
    )
    await socket.prepare(request)
    sockets = request.app[SOCKETS]
    sockets.add(socket)
    try:
        with contextlib.suppress(Gone, ConnectionError):
            yield socket
        await close(socket)
    finally:
        sockets.discard(socket)


async def close(socket: web.WebSocketResponse, code: int = 1000, why: str = "") -> None:
    """Closes a socket, if it is open, with a code of WebSocket's and a reason in words, which is
    cut to what a close frame holds; a peer that does not answer is not waited for."""
    with contextlib.suppress(TimeoutError, ConnectionError):
        async with asyncio.timeout(LAST_WORDS):
            # A reason has 123 bytes at most (RFC 6455, section 5.5).
            words = why.encode()[:123].decode(errors="ignore").encode()
            await socket.close(code=code, message=words)


async def received(socket: web.WebSocketResponse, decode: Callable[[str], _F]) -> _F:
    """The next frame of an open socket, as `decode` reads it.

    Raises:
        Gone: if the other end has gone.
        WireError: if what comes is not a frame.
    """
    message = await socket.receive()
    if message.type is WSMsgType.TEXT:
        return decode(message.data)
    if message.type is WSMsgType.BINARY:
        raise WireError("frames are text, not bytes")
    raise Gone


async def read(
    socket: web.WebSocketResponse,
    decode: Callable[[str], _F],
    take: Callable[[_F], None],
    connection: Connection,
    buckets: Mapping[type | None, Bucket],
) -> None:
    """Takes frames, one after another, until the connection is closed from here. `buckets` say how
    fast frames of a type may come; those of other types count for `None`.

    Raises:
        Gone, WireError: see `received`.
        Crowded: if too much has come for too long.
        Exception: what `take` raises.
    """
    now = asyncio.get_running_loop().time
    in_time = now()
    while True:
        frame = await received(socket, decode)
        wait = buckets.get(type(frame), buckets[None]).take(now())
        if not wait:
            in_time = now()
        elif now() - in_time > BEHIND:
            raise Crowded("too much at once; connect again")
        else:
            # What a peer sends too fast waits in the network, and at its end.
            await asyncio.sleep(wait)
        if connection.reason:
            return  # another connection speaks for this seat now
        take(frame)


class Connection:
    """A WebSocket as an `Outlet`.

    Arguments:
        socket: an open one.
        who: what the other end is called where it is too slow.
        beats: whether the other end, a page, gets `SIGN_OF_LIFE` after `BEAT` seconds of silence:
            it can't see the library's pings.

    Attributes:
        reason: why it was closed from here; empty as long as it was not.
    """

    def __init__(self, socket: web.WebSocketResponse, who: str, *, beats: bool = False) -> None:
        self._beats = beats
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
        if len(self._texts) >= QUEUE or self._size > QUEUE_SIZE:
            self.cut(f"{self._who} is too slow")
            return
        self._texts.append(text)
        self._more.set()

    def close(self, why: str) -> None:
        """See Outlet; a peer that takes nothing for `LAST_WORDS` seconds is cut off."""
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
                    await self._socket.send_str(text)
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
            try:
                async with asyncio.timeout(BEAT if self._beats else None):
                    await self._more.wait()
            except TimeoutError:
                await self._socket.send_str(SIGN_OF_LIFE)
        return bool(self._texts)


# Consoles and links


class Outlet(Protocol):
    """The connection of a console or a link, as those who serve it know it."""

    def send(self, frame: Any) -> None:
        """Sends a frame; never blocks."""

    def close(self, why: str) -> None:
        """Ends the connection, once all that was sent before has gone out."""


class Joined(NamedTuple):
    """A client that was let in: what takes its frames (a Refusal ends the connection), and what is
    told why the connection has ended."""

    take: Callable[[Any], None]
    leave: Callable[[str], None]


#: Lets a client in, by what its code opens, its hello, and its connection; may raise Refusal.
Join: TypeAlias = Callable[[str, Any, Outlet], Joined]


@dataclass(frozen=True)
class WireProtocol:
    """The frames of one kind of client.

    Attributes:
        path: where these clients come in.
        who: what the client is called, such as `console`.
        what: what its code opens, such as `seat`.
        version: of the protocol.
        hello: the first frame's type.
        decode: reads a frame; raises WireError.
        rates: which of the `Limits` holds for frames of a type; `None` stands for other types.
        for_pages: whether pages in browsers come in here, and nobody else: a browser says by the
            header `Origin` that it is a page, and no page can hide it.
    """

    path: str
    who: str
    what: str
    version: int
    hello: type
    decode: Callable[[str], Any]
    rates: Mapping[type | None, str]
    for_pages: bool = False

    def greeted(self, frame: Any) -> Any:
        """The first frame of a connection, as a hello.

        Raises:
            Refusal: if it is not one, or of another version.
        """
        if not isinstance(frame, self.hello):
            raise Refusal("hello", "say hello first", str(frame.__struct_config__.tag))
        if frame.version != self.version:  # type: ignore[attr-defined]
            raise Refusal(
                "version",
                f"this server speaks version {self.version}, the {self.who} version "
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


def last_words(exc: Refusal | WireError) -> wire.Refused:
    """The frame that tells a client why it is refused."""
    if isinstance(exc, Refusal):
        return wire.Refused(exc.code, str(exc), exc.answers)
    return wire.Refused("bad-frame", str(exc)[:_WORDS])


# Connections in memory

#: Seconds after which a client misses the answer to a ping; see lpp/connection.py.
CLIENT_NOTICES = 15.0
#: The same of the server: its pings come every 20 s, and have 20 s to be answered.
SERVER_NOTICES = 40.0


class MemoryConnection:
    """A connection to the server in its own process, without a socket, as its client has it: what
    that needs of one of the package `websockets`. Each frame goes through its text and takes no
    time. The connection can be cut, and can fall silent.

    Arguments:
        protocol: its frames.
        join: lets the client in, given its hello and its outlet; may raise Refusal.
    """

    def __init__(self, protocol: WireProtocol, join: Callable[[Any, Outlet], Joined]) -> None:
        self._protocol, self._join = protocol, join
        # The server's end.
        self._outlet: Any = SimpleNamespace(send=self._deliver, close=self._close)
        self._client: Joined | None = None
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
            frame = self._protocol.decode(text)
            if self._client is None:
                self._client = self._join(self._protocol.greeted(frame), self._outlet)
            else:
                self._client.take(frame)
        except (Refusal, WireError) as exc:
            self._deliver(last_words(exc))
            self._close(str(exc))

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

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """The client leaves."""
        self._end("the connection was closed")
        if not self._silent:
            self._tell_server_soon("the connection was closed")

    # The network

    def cut(self, why: str) -> None:
        """Both ends learn at once that the connection is gone."""
        self._texts.clear()
        self._end()
        self._tell_server_soon(why)

    def fall_silent(self) -> None:
        """Nothing arrives any more, and each end finds out in its time."""
        self._silent = True
        loop = asyncio.get_running_loop()
        loop.call_later(CLIENT_NOTICES, self._end)
        loop.call_later(SERVER_NOTICES, self._tell_server, "no answer to a ping")

    def die(self) -> None:
        """The server has stopped dead: it learns nothing any more."""
        self._dead = True
        if not self._silent:
            self.cut("the server has gone")

    # The server's end

    def _deliver(self, frame: wire.Frame) -> None:
        if self._over is None and not self._silent:
            self._texts.append(wire.encode(frame))
            self._came.set()

    def _close(self, why: str) -> None:
        if not self._silent:
            self._end(why)
        self._tell_server_soon(why)

    def _end(self, why: str | None = None) -> None:
        """The client learns that the connection is over: closed with these words, or gone."""
        if self._over is None:
            closed = None if why is None else Close(CloseCode.NORMAL_CLOSURE, why)
            kind = ConnectionClosedError if closed is None else ConnectionClosedOK
            self._over = kind(closed, None)
            self._came.set()

    def _tell_server_soon(self, why: str) -> None:
        # In a turn of its own: the one who closes is in the middle of something.
        asyncio.get_running_loop().call_soon(self._tell_server, why)

    def _tell_server(self, why: str) -> None:
        client, self._client = self._client, None
        if client is not None and not self._dead:
            client.leave(why)
