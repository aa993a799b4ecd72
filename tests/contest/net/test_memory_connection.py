"""Tests connections in memory: order, cuts, silence, and a server that has died."""

from __future__ import annotations

import asyncio

import pytest
from websockets.exceptions import ConnectionClosed, ConnectionClosedOK

from contest.net.sockets import (
    CLIENT_NOTICES,
    SEAT,
    SERVER_NOTICES,
    Joined,
    MemoryConnection,
    Outlet,
)
from lpp import wire

pytestmark = pytest.mark.looptime

PRESS = wire.Press(1, 1, "left", 1, "a")
CLOSED = wire.Saved("verdict", 1, "2010-10-23T17:00:00Z")


class MemoryClient:
    """A connection that has said hello, and the frames that its server received."""

    def __init__(self) -> None:
        self.received: list[object] = []
        self.endings: list[tuple[float, str]] = []
        self.connection = MemoryConnection(SEAT, self._join)

    def _join(self, hello: wire.Hello, outlet: Outlet) -> Joined:
        self.outlet = outlet
        return Joined(self.received.append, self._left)

    def _left(self, why: str) -> None:
        self.endings.append((asyncio.get_running_loop().time(), why))

    async def say(self) -> None:
        await self.connection.send(wire.encode(PRESS))

    async def closing_error(self) -> ConnectionClosed:
        with pytest.raises(ConnectionClosed) as caught:
            await self.connection.recv()
        return caught.value


@pytest.fixture
async def client() -> MemoryClient:
    client = MemoryClient()
    await client.connection.send(wire.encode(wire.Hello("code")))
    return client


async def test_frames_arrive_before_the_orderly_end(client: MemoryClient) -> None:
    await client.say()
    client.outlet.send(CLOSED)
    client.outlet.close("enough")
    client.outlet.send(CLOSED)
    assert client.received == [PRESS]
    assert wire.decode_to_seat(await client.connection.recv()) == CLOSED
    assert isinstance(await client.closing_error(), ConnectionClosedOK)
    await asyncio.sleep(0)
    assert [why for _, why in client.endings] == ["enough"]


async def test_cut_connection_loses_frames_under_way(client: MemoryClient) -> None:
    client.outlet.send(CLOSED)
    client.connection.cut("the cable is out")
    assert not isinstance(await client.closing_error(), ConnectionClosedOK)
    await asyncio.sleep(0)
    assert [why for _, why in client.endings] == ["the cable is out"]


async def test_each_end_notices_silence_after_its_own_time(client: MemoryClient) -> None:
    began = asyncio.get_running_loop().time()
    client.connection.stop_delivering()
    client.outlet.send(CLOSED)
    await client.say()
    assert not isinstance(await client.closing_error(), ConnectionClosedOK)
    assert asyncio.get_running_loop().time() - began == pytest.approx(CLIENT_NOTICES)
    await client.connection.close()  # the server does not hear it
    await asyncio.sleep(SERVER_NOTICES)
    assert client.received == []
    assert [at - began for at, _ in client.endings] == [pytest.approx(SERVER_NOTICES)]


async def test_dead_server_gets_no_calls(client: MemoryClient) -> None:
    client.connection.crash_server()
    assert not isinstance(await client.closing_error(), ConnectionClosedOK)
    await client.connection.close()
    await asyncio.sleep(1)
    assert client.endings == []
