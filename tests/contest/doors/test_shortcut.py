"""The short way of texts: nothing is lost, doubled or out of order beside the long way, and what
breaks the rules of WebSockets is answered as the library answers it."""

from __future__ import annotations

import asyncio
import contextlib
import random
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any, cast

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from starlette.applications import Starlette
from starlette.routing import WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect
from uvicorn import Config
from uvicorn.protocols.websockets.auto import AutoWebSocketsProtocol
from uvicorn.server import ServerState
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidState
from websockets.frames import Frame, Opcode
from websockets.utils import apply_mask

from contest.doors.incoming import Reader
from contest.doors.limits import Bucket, Crowded, Rate
from contest.doors.outgoing import Connection
from contest.doors.shortcut import Shortcut
from contest.doors.web import serving
from tests.conftest import Until

REQUEST = (
    b"GET /seat HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
)


class Pipe(asyncio.Transport):
    """A transport that keeps what is written."""

    def __init__(self) -> None:
        super().__init__()
        self.written = b""
        self.closed = False

    def write(self, data: Any) -> None:
        self.written += data

    def is_closing(self) -> bool:
        return self.closed

    def close(self) -> None:
        self.closed = True

    def pause_reading(self) -> None:
        pass

    def resume_reading(self) -> None:
        pass


async def opened(kind: Callable[..., Any]) -> tuple[Any, Pipe]:
    """A WebSocket of that kind at its server's end, accepted by an application that does no more
    until the other end has gone."""
    accepted, gone = asyncio.Event(), asyncio.Event()

    async def application(_scope: Any, receive: Any, send: Any) -> None:
        await receive()
        await send({"type": "websocket.accept"})
        accepted.set()
        await gone.wait()

    config = Config(application, lifespan="off", log_config=None, ws_max_size=2000)
    config.ws_per_message_deflate = False
    config.load()
    pipe = Pipe()
    protocol = kind(config, ServerState(), {}, _loop=asyncio.get_running_loop())
    protocol.connection_made(pipe)
    protocol.data_received(REQUEST)
    await accepted.wait()
    protocol.gone = gone
    return protocol, pipe


async def over(protocol: Any) -> None:
    """Ends it, as a lost connection does."""
    protocol.gone.set()
    tasks = list(protocol.tasks)
    protocol.connection_lost(None)
    await asyncio.gather(*tasks)


async def waiting(protocol: Any) -> list[dict[str, object]]:
    """What has gone the long way and was not taken yet."""
    return [await protocol.receive() for _ in range(protocol.queue.qsize())]


def masked(frame: Frame, mask: bytes = b"\x01\x80\xfe\x37") -> bytes:
    """The frame as a client sends it."""
    whole = frame.serialize(mask=False)
    head = whole[: len(whole) - len(frame.data)]
    return bytes((head[0], head[1] | 0x80)) + head[2:] + mask + apply_mask(frame.data, mask)


TEXT, BEGUN = Frame(Opcode.TEXT, b"a short text"), Frame(Opcode.TEXT, b"begun", fin=False)
NOT_UTF8, GOODBYE = Frame(Opcode.TEXT, b"\xff"), Frame(Opcode.CLOSE, b"\x03\xe8bye")
TEXTS = st.text(max_size=20) | st.sampled_from(["", "x" * 125, "x" * 126, "é" * 700])
FRAMES = st.one_of(
    TEXTS.map(lambda text: Frame(Opcode.TEXT, text.encode())),
    TEXTS.map(lambda text: Frame(Opcode.TEXT, text.encode(), fin=False)),
    st.builds(Frame, st.just(Opcode.CONT), st.binary(max_size=9).map(bytes.hex).map(str.encode)),
    st.builds(Frame, st.just(Opcode.BINARY), st.binary(max_size=200)),
    st.builds(Frame, st.sampled_from([Opcode.PING, Opcode.PONG]), st.binary(max_size=125)),
)
ODD = st.one_of(
    st.just(Frame(Opcode.CLOSE, b"\x03\xe8bye")).map(masked),
    st.just(Frame(Opcode.TEXT, b"\xff\xfe")).map(masked),
    st.just(Frame(Opcode.TEXT, b"x" * 3000)).map(masked),
    st.just(Frame(Opcode.TEXT, b"no mask").serialize(mask=False)),
    st.just(b"\xc1" + masked(Frame(Opcode.TEXT, b"reserved"))[1:]),
    st.binary(min_size=1, max_size=12),
)
#: Mostly what the rules allow; then perhaps something else.
WIRES = st.tuples(st.lists(FRAMES.map(masked), max_size=12), st.lists(ODD, max_size=2)).map(
    lambda parts: b"".join([*parts[0], *parts[1]])
)


def _odd(*frames: Frame | bytes) -> tuple[bytes, int, int, float]:
    wire = b"".join(each if isinstance(each, bytes) else masked(each) for each in frames)
    return wire, 400, 0, 1.0


@example(*_odd(BEGUN, Frame(Opcode.PING, b""), TEXT))
@example(*_odd(BEGUN, Frame(Opcode.CONT, b"", fin=False), TEXT))
@example(*_odd(TEXT, TEXT.serialize(mask=False)))
@example(*_odd(TEXT, NOT_UTF8, TEXT))
@example(*_odd(TEXT, NOT_UTF8, TEXT, GOODBYE))
@example(*_odd(TEXT, masked(Frame(Opcode.TEXT, b"x" * 126), bytes(4)), TEXT))
@given(
    WIRES, st.integers(1, 400), st.integers(0, 2**32), st.sampled_from([0.0, 0.5, 0.8, 0.95, 1.0])
)
def test_both_ways_together_give_what_the_long_way_gives(
    wire: bytes, longest: int, seed: int, share: float
) -> None:
    """Whatever comes, in whatever pieces, and whichever frames are taken at once: all comes, once
    and in order, and is answered as the library answers it."""
    rng = random.Random(seed)
    pieces, rest = list[bytes](), wire
    while rest:
        size = rng.randint(1, longest)
        pieces.append(rest[:size])
        rest = rest[size:]

    async def long_way() -> tuple[list[dict[str, object]], bytes, bool]:
        protocol, pipe = await opened(cast(Callable[..., Any], AutoWebSocketsProtocol))
        for piece in pieces:
            if not pipe.closed:
                try:
                    protocol.data_received(piece)
                except InvalidState:
                    # uvicorn meets a text that is not UTF-8 and whose sender has said goodbye in
                    # the same packet. It leaves out how it ends all other breaches.
                    protocol.handle_parser_exception()
        got = await waiting(protocol), pipe.written, pipe.closed
        await over(protocol)
        return got

    async def both_ways() -> tuple[list[dict[str, object]], bytes, bool]:
        protocol, pipe = await opened(Shortcut)
        got: list[dict[str, object]] = []

        def hear(text: str) -> bool:
            taken = rng.random() < share
            if taken:
                got.append({"type": "websocket.receive", "text": text})
            return taken

        protocol.hear = hear
        for piece in pieces:
            if not pipe.closed:
                protocol.data_received(piece)
            if rng.random() < 0.5:  # the task's turn
                got += await waiting(protocol)
        got += await waiting(protocol)
        result = got, pipe.written, pipe.closed
        await over(protocol)
        return result

    assert asyncio.run(both_ways()) == asyncio.run(long_way())


@pytest.mark.parametrize("at_once", [True, False])
async def test_texts_take_the_short_way_through_a_server(at_once: bool) -> None:
    """Which uvicorn's and the library's next versions have to allow as well."""
    heard: list[str] = []
    said: list[bool] = []

    async def echo(websocket: WebSocket) -> None:
        shortcut = Shortcut.of(websocket.scope)
        assert shortcut is not None
        said.append(shortcut.say("before it is accepted"))
        await websocket.accept()

        def hear(text: str) -> bool:
            heard.append(text)
            return at_once and text != "the end" and shortcut.say(text)

        shortcut.hear = hear
        while (text := await websocket.receive_text()) != "the end":
            if not (at_once and shortcut.say(text)):
                await websocket.send_text(text)
        await websocket.close()
        said.append(shortcut.say("after it was closed"))

    app = Starlette(routes=[WebSocketRoute("/echo", echo)])
    async with (
        serving(app, "127.0.0.1", 0) as address,
        connect(f"ws://{address}/echo", compression=None, proxy=None) as console,
    ):
        texts = ["a", "ü" * 60, "", *("x" * size for size in (125, 126, 65_535, 65_536))]
        for text in texts:
            await console.send(text)
            assert await console.recv() == text
        await console.send("the end")
        await console.wait_closed()
        assert console.close_code == 1000
    assert heard == [*texts, "the end"]
    assert said == [False, False]


@contextlib.asynccontextmanager
async def stranger(
    address: str,
) -> AsyncIterator[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
    host, port = address.split(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    try:
        yield reader, writer
    finally:
        writer.transport.abort()
        with contextlib.suppress(ConnectionError):
            await writer.wait_closed()


@pytest.mark.parametrize(
    ("head", "after", "answer"),
    [
        (b"X: " + b"x" * 9000 + b"\r\n", b"", b"HTTP/1.1 431 "),
        (b"X: x\r\n" * 200, b"", b"HTTP/1.1 431 "),
        (b"", masked(NOT_UTF8) + masked(GOODBYE), GOODBYE.serialize(mask=False)),
        (b"", masked(NOT_UTF8) * 2, b"\x88\x02\x03\xef"),
        (b"", masked(NOT_UTF8) + b"\xff" * 20, b"\x88"),
        (b"", masked(GOODBYE) * 2, GOODBYE.serialize(mask=False)),
    ],
    ids=["long header", "many headers", "text and goodbye", "texts", "text and noise", "goodbyes"],
)
async def test_a_breach_ends_the_connection_and_nothing_else(
    head: bytes, after: bytes, answer: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    ended = asyncio.Event()

    async def listen(websocket: WebSocket) -> None:
        await websocket.accept()
        with contextlib.suppress(WebSocketDisconnect):
            while True:
                await websocket.receive_text()
        ended.set()

    app = Starlette(routes=[WebSocketRoute("/seat", listen)])
    async with (
        asyncio.timeout(20),
        serving(app, "127.0.0.1", 0) as address,
        stranger(address) as (reader, writer),
    ):
        writer.write(REQUEST[:-2] + head + b"\r\n")
        if after:
            await reader.readuntil(b"\r\n\r\n")
            writer.write(after)
        assert (await reader.read()).startswith(answer)
        if after:
            await ended.wait()
    assert [record for record in caplog.records if record.levelname in ("WARNING", "ERROR")] == []


@pytest.mark.parametrize("goodbye", [b"", masked(GOODBYE)], ids=["silent", "goodbye"])
async def test_a_server_ends_in_good_order_where_one_does_not_read(
    goodbye: bytes, until: Until, caplog: pytest.LogCaptureFixture
) -> None:
    said: list[int] = []

    async def talk(websocket: WebSocket) -> None:
        await websocket.accept()
        with contextlib.suppress(WebSocketDisconnect):
            while True:
                said.append(60_000)
                await websocket.send_text("x" * 60_000)

    app = Starlette(routes=[WebSocketRoute("/seat", talk)])
    async with (
        asyncio.timeout(20),
        contextlib.AsyncExitStack() as stack,
        serving(app, "127.0.0.1", 0) as address,
    ):
        # Closed only after the server has ended.
        _, writer = await stack.enter_async_context(stranger(address))
        cast(asyncio.Transport, writer.transport).pause_reading()
        writer.write(REQUEST)
        seen = 0

        def full() -> bool:
            nonlocal seen
            before, seen = seen, len(said)
            return before == seen > 0

        await until(full)
        writer.write(goodbye)
        await writer.drain()
    assert [record for record in caplog.records if record.levelname in ("WARNING", "ERROR")] == []


async def test_nothing_is_said_to_an_end_that_does_not_take_it() -> None:
    protocol, pipe = await opened(Shortcut)
    before = len(pipe.written)
    assert protocol.say("a")
    protocol.pause_writing()
    assert not protocol.say("b")
    protocol.resume_writing()
    assert protocol.say("c")
    pipe.close()
    assert not protocol.say("d")
    assert pipe.written[before:] == b"\x81\x01a\x81\x01c"
    await over(protocol)


async def test_nothing_is_said_to_one_whose_goodbye_came_with_what_is_heard() -> None:
    protocol, pipe = await opened(Shortcut)
    said: list[bool] = []
    protocol.hear = lambda text: not said.append(protocol.say(text))  # type: ignore[func-returns-value]
    before = len(pipe.written)
    goodbye = Frame(Opcode.CLOSE, b"\x03\xe8")
    protocol.data_received(masked(TEXT) + masked(goodbye))
    assert said == [False]
    assert pipe.written[before:] == goodbye.serialize(mask=False)
    assert pipe.closed
    await over(protocol)


async def test_nothing_is_heard_after_it_was_closed_from_here() -> None:
    protocol, _ = await opened(Shortcut)
    heard: list[str] = []
    protocol.hear = lambda text: not heard.append(text)  # type: ignore[func-returns-value]
    protocol.data_received(masked(TEXT))
    await protocol.send({"type": "websocket.close"})
    await waiting(protocol)
    protocol.data_received(masked(TEXT))
    assert heard == ["a short text"]
    assert not await waiting(protocol)
    protocol.close_timer.cancel()
    await over(protocol)


# What goes out and what comes in


class Both:
    """A WebSocket with both ways, either of which may be stopped."""

    def __init__(self) -> None:
        self.out: list[str] = []
        self.short = True
        self.open = asyncio.Event()
        self.open.set()
        self.texts: asyncio.Queue[str] = asyncio.Queue()

    def say(self, text: str) -> bool:
        if self.short:
            self.out.append(text)
        return self.short

    async def send_text(self, text: str) -> None:
        await self.open.wait()
        self.out.append(text)

    async def receive(self) -> dict[str, str]:
        return {"type": "websocket.receive", "text": await self.texts.get()}


def connection(both: Both) -> Connection[str]:
    return Connection(cast(WebSocket, both), str, "the console", cast(Shortcut, both))


@pytest.mark.looptime
async def test_what_is_said_overtakes_nothing_that_waits() -> None:
    both = Both()
    out = connection(both)
    out.send("a")  # before anybody writes
    writing = asyncio.create_task(out.write())
    both.open.clear()
    both.short = False
    out.send("b")
    both.short = True
    out.send("c")
    await asyncio.sleep(0.001)
    out.send("d")  # while b is on its way
    assert both.out == ["a"]
    both.open.set()
    await asyncio.sleep(0.001)
    out.send("e")
    assert both.out == ["a", "b", "c", "d", "e"]
    out.close("the contest is over")
    out.send("too late")
    await writing
    assert both.out == ["a", "b", "c", "d", "e"]


@pytest.mark.looptime
@pytest.mark.parametrize("short", [True, False])
async def test_whoever_is_too_fast_is_read_more_slowly_on_either_way(short: bool) -> None:
    both, taken = Both(), list[tuple[str, float]]()
    now = asyncio.get_running_loop().time
    begin = now()

    def take(text: str) -> None:
        taken.append((text, round(now() - begin, 3)))

    reader = Reader(cast(WebSocket, both), str, take, connection(both), {None: bucket(2, 3)})
    reading = asyncio.create_task(reader.read())
    await asyncio.sleep(0)
    for text in "abcdef":
        await come(both, reader.hear if short else None, text)
    await asyncio.sleep(10)
    await come(both, reader.hear if short else None, "g")
    await asyncio.sleep(0)
    reading.cancel()
    # Three at once, then two in a second.
    assert taken == [("a", 0), ("b", 0), ("c", 0), ("d", 0.5), ("e", 1), ("f", 1.5), ("g", 10)]


@pytest.mark.looptime
async def test_what_is_wrong_with_a_frame_ends_the_reading_on_either_way() -> None:
    class Wrong(Exception):
        pass

    taken: list[str] = []

    def take(text: str) -> None:
        taken.append(text)
        if text == "wrong":
            raise Wrong

    for way in (True, False):
        taken.clear()
        both = Both()
        reader = Reader(cast(WebSocket, both), str, take, connection(both), {None: bucket(1000, 9)})
        hear = reader.hear if way else None
        assert not reader.hear("before anybody reads")
        reading = asyncio.create_task(reader.read())
        await asyncio.sleep(0)
        for text in ("a", "wrong", "b"):
            await come(both, hear, text)
        with pytest.raises(Wrong):
            await reading
        assert taken == ["a", "wrong"]
        assert not reader.hear("after the end")


@pytest.mark.looptime
async def test_nothing_is_taken_from_whoever_was_closed_from_here() -> None:
    both, taken = Both(), list[str]()
    out = connection(both)
    reader = Reader(cast(WebSocket, both), str, taken.append, out, {None: bucket(1000, 9)})
    reading = asyncio.create_task(reader.read())
    await asyncio.sleep(0)
    await come(both, reader.hear, "a")
    out.close("another console took this seat over")
    await come(both, reader.hear, "b")
    await reading
    assert taken == ["a"]


@pytest.mark.looptime
async def test_one_that_goes_on_being_too_fast_has_to_come_again() -> None:
    both, taken = Both(), list[str]()
    reader = Reader(
        cast(WebSocket, both), str, taken.append, connection(both), {None: bucket(1, 1)}
    )
    reading = asyncio.create_task(reader.read())
    await asyncio.sleep(100)  # in which nothing came is not taken for being too fast
    for number in range(40):
        await come(both, reader.hear, str(number))
    with pytest.raises(Crowded):
        await reading
    assert taken == [str(number) for number in range(len(taken))]
    assert 15 <= len(taken) <= 18


def bucket(second: float, burst: int) -> Bucket:
    return Bucket(Rate(second, burst), asyncio.get_running_loop().time())


async def come(both: Both, hear: Callable[[str], bool] | None, text: str) -> None:
    """A text comes, as `Shortcut` has it: at once only if none waits."""
    if hear is None or not both.texts.empty() or not hear(text):
        both.texts.put_nowait(text)
    await turn()


turn: Callable[[], Awaitable[None]] = lambda: asyncio.sleep(0)  # noqa: E731
