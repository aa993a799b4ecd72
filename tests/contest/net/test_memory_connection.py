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


class Ends:
    """A connection that has said hello, and the frames that its server received."""

    def __init__(self) -> None:
        self.heard: list[object] = []
        self.over: list[tuple[float, str]] = []
        self.line = MemoryConnection(SEAT, self._join)

    def _join(self, hello: wire.Hello, outlet: Outlet) -> Joined:
        self.outlet = outlet
        return Joined(self.heard.append, self._left)

    def _left(self, why: str) -> None:
        self.over.append((asyncio.get_running_loop().time(), why))

    async def say(self) -> None:
        await self.line.send(wire.encode(PRESS))

    async def ended(self) -> ConnectionClosed:
        with pytest.raises(ConnectionClosed) as caught:
            await self.line.recv()
        return caught.value


@pytest.fixture
async def ends() -> Ends:
    ends = Ends()
    await ends.line.send(wire.encode(wire.Hello("code")))
    return ends


async def test_frames_arrive_before_the_orderly_end(ends: Ends) -> None:
    await ends.say()
    ends.outlet.send(CLOSED)
    ends.outlet.close("enough")
    ends.outlet.send(CLOSED)
    assert ends.heard == [PRESS]
    assert wire.decode_to_seat(await ends.line.recv()) == CLOSED
    assert isinstance(await ends.ended(), ConnectionClosedOK)
    await asyncio.sleep(0)
    assert [why for _, why in ends.over] == ["enough"]


async def test_cut_connection_loses_frames_under_way(ends: Ends) -> None:
    ends.outlet.send(CLOSED)
    ends.line.cut("the cable is out")
    assert not isinstance(await ends.ended(), ConnectionClosedOK)
    await asyncio.sleep(0)
    assert [why for _, why in ends.over] == ["the cable is out"]


async def test_each_end_notices_silence_after_its_own_time(ends: Ends) -> None:
    began = asyncio.get_running_loop().time()
    ends.line.fall_silent()
    ends.outlet.send(CLOSED)
    await ends.say()
    assert not isinstance(await ends.ended(), ConnectionClosedOK)
    assert asyncio.get_running_loop().time() - began == pytest.approx(CLIENT_NOTICES)
    await ends.line.close()  # the server does not hear it
    await asyncio.sleep(SERVER_NOTICES)
    assert ends.heard == []
    assert [at - began for at, _ in ends.over] == [pytest.approx(SERVER_NOTICES)]


async def test_dead_server_gets_no_calls(ends: Ends) -> None:
    ends.line.die()
    assert not isinstance(await ends.ended(), ConnectionClosedOK)
    await ends.line.close()
    await asyncio.sleep(1)
    assert ends.over == []
