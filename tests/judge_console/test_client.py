"""Tests the connection around the model, with a real local server.

Nothing here waits for a fixed time: each test waits for a condition (`SeatServer.until`, or an
    event of the client), limited only by pytest's timeout.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import pytest
from websockets.asyncio.server import Server, ServerConnection, serve
from websockets.exceptions import ConnectionClosed

from judge_console.client import ConnectionLost, SeatClient, seat_url
from judge_console.model.seat import SeatRefused
from lpp.wire import (
    Hello,
    Key,
    Refused,
    Saved,
    State,
    Talk,
    ToSeat,
    ToServer,
    Welcome,
    decode_to_server,
    encode,
)
from tests.judge_console.model_server import ModelServer


class SeatServer:
    """A real server with one seat, whose answers can be changed and whose connection can be cut."""

    def __init__(self) -> None:
        self.model = ModelServer()
        self.answer: Callable[[ToServer], list[ToSeat]] = self.model.receive
        self.socket: ServerConnection | None = None
        self.connections = 0
        self._changed = asyncio.Condition()
        self._server: Server | None = None
        self.port = 0

    async def open(self) -> None:
        """Listens, on the same port as before if it was open earlier."""
        self._server = await serve(self._handle, "127.0.0.1", self.port)
        self.port = next(iter(self._server.sockets)).getsockname()[1]

    async def close(self) -> None:
        """Stops listening, and cuts the connection."""
        assert self._server is not None
        self._server.close()
        await self._server.wait_closed()

    @property
    def url(self) -> str:
        return f"ws://127.0.0.1:{self.port}/seat"

    async def _handle(self, socket: ServerConnection) -> None:
        self.socket = socket
        self.connections += 1
        try:
            async for text in socket:
                for frame in self.answer(decode_to_server(text)):
                    await socket.send(encode(frame))
                async with self._changed:
                    self._changed.notify_all()
        except ConnectionClosed:
            pass

    async def send(self, *frames: ToSeat) -> None:
        assert self.socket is not None
        for frame in frames:
            await self.socket.send(encode(frame))

    async def until(self, predicate: Callable[[], bool]) -> None:
        """Waits until a frame from the seat has made a condition true."""
        async with self._changed:
            await self._changed.wait_for(predicate)

    def cut(self) -> None:
        """Cuts the connection without a close frame."""
        assert self.socket is not None
        self.socket.transport.abort()


@asynccontextmanager
async def seat_server() -> AsyncIterator[SeatServer]:
    room = SeatServer()
    await room.open()
    try:
        yield room
    finally:
        await room.close()


async def event(client: SeatClient, kind: type) -> object:
    """The next event of a kind."""
    async for happened in client:
        if isinstance(happened, kind):
            return happened
    raise AssertionError("the client ended")


def is_connected(client: SeatClient) -> bool:
    """Reads the property again, because a type checker assumes that it hasn't changed."""
    return client.connected


async def settled(client: SeatClient) -> None:
    """Waits until both talks have arrived."""
    while len(client.model.talks) < 2:
        await event(client, Talk)


async def test_greeting_snapshot_and_keys() -> None:
    async with seat_server() as room, SeatClient(room.url, "secret", client="test") as client:
        assert not is_connected(client)
        await client.ready()
        assert is_connected(client)
        frames = [await anext(client) for _ in range(4)]
        assert [type(frame) for frame in frames] == [Welcome, State, Talk, Talk]
        assert room.model.hellos == [Hello("secret", client="test")]
        assert (client.model.role, client.phase, client.round, client.model.state.attempt) == (
            "judge",
            "interaction",
            1,
            1,
        )
        assert client.places == ("left", "right")
        remaining = client.remaining()
        assert remaining is not None
        assert 1_400 < remaining <= 1_500
        for key in "Hi":
            assert await client.press("left", key)
        assert client.keys("left") == [("judge", "H"), ("judge", "i")]
        assert not await client.press("only", "x")
        await room.until(lambda: room.model.talks["left"].taken == ["H", "i"])
        await room.send(room.model.type("right", "w"))
        await event(client, Key)
        assert client.keys("right") == [("entity", "w")]
        await room.until(lambda: room.model.talks["right"].acknowledged == 1)


async def test_lost_connections_lose_and_double_nothing() -> None:
    """The connection is cut repeatedly while both sides type, and answers are lost."""
    async with seat_server() as room, SeatClient(room.url, "secret") as client:
        await settled(client)
        first, second = "abcdefghijklmnopqrstuvwxyz0123", "ABCDEFGHIJKLMNOPQRSTUVWXYZ4567"
        taken = room.model.talks["left"].taken
        for cut in range(1, 4):
            for key in first:
                assert await client.press("left", key)
            await room.until(lambda: len(taken) % 60 >= 10)
            await room.send(room.model.type("right", f"r{cut}"))
            room.cut()
            for key in second:  # typed without a connection: it arrives later
                assert await client.press("left", key)
            await event(client, ConnectionLost)
            assert not is_connected(client)
            await event(client, Talk)
            await event(client, Talk)
            await room.until(lambda: len(taken) % 60 == 0)
        assert taken == list(first + second) * 3
        await room.until(lambda: room.model.talks["right"].acknowledged == 3)
        assert [key for _, key in client.keys("right")] == ["r1", "r2", "r3"]
        assert room.connections == 4
        assert all(hello.take_over for hello in room.model.hellos[1:])


async def test_the_client_waits_for_a_late_or_missing_server() -> None:
    room = SeatServer()
    await room.open()
    await room.close()
    async with SeatClient(room.url, "secret") as client:
        assert isinstance(await anext(client), ConnectionLost)
        await room.open()
        await client.ready()
        await settled(client)
        await client.verdict("right", 55, "it never asked anything")
        await event(client, Saved)
        assert not client.model.unsaved
        await room.close()
        lost = await event(client, ConnectionLost)
        assert isinstance(lost, ConnectionLost)
        assert lost.trouble
        await room.open()
        await event(client, Welcome)
        await client.rank({"A": 2, "B": 4})
        await room.until(lambda: bool(room.model.ranks))
        assert len(room.model.verdicts) == 1
    await room.close()


async def test_a_missing_key_causes_a_new_snapshot() -> None:
    async with seat_server() as room, SeatClient(room.url, "secret") as client:
        await settled(client)
        room.model.type("left", "a")  # never sent
        await room.send(room.model.type("left", "b"))
        await event(client, ConnectionLost)
        while client.keys("left") != [("entity", "a"), ("entity", "b")]:
            await event(client, Talk)
        assert room.connections == 2


@pytest.mark.parametrize("code", ["bad-code", "version", "seat-taken"])
async def test_a_fatal_refusal_ends_the_client(code: str) -> None:
    async with seat_server() as room:
        room.answer = lambda frame: [Refused(code, "not here")]
        async with SeatClient(room.url, "wrong") as client:
            with pytest.raises(SeatRefused, match="not here") as caught:
                await client.ready()
            assert caught.value.code == code
            with pytest.raises(SeatRefused):
                await anext(client)
            with pytest.raises(SeatRefused):
                await anext(client)
        assert room.connections == 1


@pytest.mark.parametrize(
    ("server", "url"),
    [
        ("localhost:8765", "ws://localhost:8765/seat"),
        ("localhost", "ws://localhost/seat"),
        ("http://10.0.0.1:80", "ws://10.0.0.1:80/seat"),
        ("https://contest.example/", "wss://contest.example/seat"),
        ("ws://h:1/seat", "ws://h:1/seat"),
        ("wss://h:1/other/seat", "wss://h:1/other/seat"),
        ("[::1]:8765", "ws://[::1]:8765/seat"),
    ],
)
def test_addresses(server: str, url: str) -> None:
    assert seat_url(server) == url
    assert seat_url(url) == url
