"""Tests the server's WebSockets: how fast they are read, what ends them, and that no peer can keep
the server from stopping."""

from __future__ import annotations

import asyncio
import base64
import contextlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import NoReturn, cast

import pytest
from aiohttp import WSMessage, WSMsgType, web
from websockets.frames import Frame, Opcode

from contest.net import sockets
from contest.net import web as web_
from contest.net.limits import Bucket, Rate, TooBusy
from contest.net.sockets import Connection, PeerGone, open_socket, read_frames, receive_frame
from contest.net.web import serving
from lpp.wire import FRAME_LIMIT
from tests.conftest import Until


class Peer:
    """A WebSocket that receives texts from the test."""

    def __init__(self) -> None:
        self.texts: asyncio.Queue[str] = asyncio.Queue()
        self.out: list[str] = []

    async def receive(self) -> WSMessage:
        return WSMessage(WSMsgType.TEXT, await self.texts.get(), None)

    async def send_str(self, text: str) -> None:
        self.out.append(text)

    @property
    def socket(self) -> web.WebSocketResponse:
        return cast(web.WebSocketResponse, self)


def bucket(second: float, burst: int) -> dict[type | None, Bucket]:
    return {None: Bucket(Rate(second, burst), asyncio.get_running_loop().time())}


@pytest.mark.looptime
async def test_peer_that_sends_too_fast_is_read_more_slowly() -> None:
    peer, taken = Peer(), list[tuple[str, float]]()
    now = asyncio.get_running_loop().time
    begin = now()

    def take(text: str) -> None:
        taken.append((text, round(now() - begin, 3)))

    out = Connection(peer.socket, "the console")
    reading = asyncio.create_task(read_frames(peer.socket, str, take, out, bucket(2, 3)))
    for text in "abcdef":
        peer.texts.put_nowait(text)
    await asyncio.sleep(10)
    peer.texts.put_nowait("g")
    await asyncio.sleep(0.001)
    reading.cancel()
    # Three immediately, then two per second.
    assert taken == [("a", 0), ("b", 0), ("c", 0), ("d", 0.5), ("e", 1), ("f", 1.5), ("g", 10)]


@pytest.mark.looptime
async def test_peer_that_keeps_sending_too_fast_is_disconnected() -> None:
    peer, taken = Peer(), list[str]()
    out = Connection(peer.socket, "the console")
    reading = asyncio.create_task(read_frames(peer.socket, str, taken.append, out, bucket(1, 1)))
    await asyncio.sleep(100)  # silence doesn't count as too fast
    for number in range(40):
        peer.texts.put_nowait(str(number))
    with pytest.raises(TooBusy):
        await reading
    assert taken == [str(number) for number in range(len(taken))]
    assert 15 <= len(taken) <= 18


@pytest.mark.looptime
async def test_no_frames_are_taken_after_the_server_closed_the_connection() -> None:
    peer, taken = Peer(), list[str]()
    out = Connection(peer.socket, "the console")
    reading = asyncio.create_task(read_frames(peer.socket, str, taken.append, out, bucket(1000, 9)))
    peer.texts.put_nowait("a")
    await asyncio.sleep(0.001)
    out.close("another console took over this seat")
    peer.texts.put_nowait("b")
    await reading
    assert taken == ["a"]


# Real sockets

KEY = base64.b64encode(b"0" * 16).decode()
REQUEST = (
    f"GET /talk HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    f"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {KEY}\r\n\r\n"
).encode()
GOODBYE = Frame(Opcode.CLOSE, b"\x03\xe8")


def masked(frame: Frame) -> bytes:
    return frame.serialize(mask=True)


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Shortens the server's time limits for peers."""
    for module, name in (
        *((sockets, "CLOSE_LIMIT"), (sockets, "HEARTBEAT")),
        *((web_, "CLOSING"), (web_, "CHECK_EVERY"), (web_, "_CLOSE_ALL")),
    ):
        monkeypatch.setattr(module, name, 0.3)


@asynccontextmanager
async def stranger(
    address: str,
) -> AsyncIterator[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
    host, _, port = address.rpartition(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    try:
        yield reader, writer
    finally:
        writer.transport.abort()
        with contextlib.suppress(ConnectionError):
            await writer.wait_closed()


NOT_UTF8 = masked(Frame(Opcode.TEXT, b"\xff\xfe"))


BREACHES = [
    NOT_UTF8,
    NOT_UTF8 + masked(GOODBYE),
    NOT_UTF8 + b"\xff" * 20,
    masked(GOODBYE) * 2,
    masked(GOODBYE) + NOT_UTF8,
    masked(Frame(Opcode.TEXT, b"x" * (FRAME_LIMIT + 1))),
    Frame(Opcode.TEXT, b"not masked").serialize(mask=False),
    b"\x89\xfe\x00\x7e" + bytes(4 + 126),  # a ping that is too long
    b"\x8b\x80\x00\x00\x00\x00",  # an unknown opcode
]


async def test_protocol_violation_only_ends_the_connection(
    caplog: pytest.LogCaptureFixture, impatient: None
) -> None:
    ended = asyncio.Event()

    async def listen(request: web.Request) -> web.StreamResponse:
        async with open_socket(request) as socket:
            try:
                while True:
                    await receive_frame(socket, str)
            except PeerGone:
                ended.set()
        return socket

    app = web.Application()
    app.router.add_get("/talk", listen)
    async with serving(app, "127.0.0.1", 0) as address:
        for breach in BREACHES:
            ended.clear()
            async with stranger(address) as (reader, writer):
                writer.write(REQUEST)
                await reader.readuntil(b"\r\n\r\n")
                writer.write(breach)
                with contextlib.suppress(ConnectionError):
                    # A close frame, a ping, or nothing.
                    assert (await reader.read())[:1] in (b"\x88", b"\x89", b"")
                await ended.wait()
    assert [record for record in caplog.records if record.levelname in ("WARNING", "ERROR")] == []


async def test_server_stops_in_order_if_a_peer_does_not_read(
    until: Until, caplog: pytest.LogCaptureFixture, impatient: None
) -> None:
    said: list[int] = []

    async def talk(request: web.Request) -> NoReturn:
        async with open_socket(request) as socket:
            while True:
                said.append(60_000)
                await socket.send_str("x" * 60_000)

    app = web.Application()
    app.router.add_get("/talk", talk)
    async with (
        contextlib.AsyncExitStack() as stack,
        serving(app, "127.0.0.1", 0) as address,
    ):
        # The peer closes only after the server has stopped.
        _, writer = await stack.enter_async_context(stranger(address))
        cast(asyncio.Transport, writer.transport).pause_reading()
        writer.write(REQUEST)
        seen = 0

        def full() -> bool:
            nonlocal seen
            before, seen = seen, len(said)
            return before == seen > 0

        await until(full)
    assert [record for record in caplog.records if record.levelname in ("WARNING", "ERROR")] == []
