"""The server reads on while a few frames of a connection wait, and stops where they gather."""

from __future__ import annotations

import asyncio

from starlette.applications import Starlette
from starlette.routing import WebSocketRoute
from starlette.websockets import WebSocket
from websockets.asyncio.client import connect

from contest.doors.readahead import AHEAD, ReadsAhead
from contest.doors.shortcut import Shortcut
from contest.doors.web import serving
from tests.conftest import Until


async def test_a_flood_waits_with_its_sender_and_a_few_frames_do_not(until: Until) -> None:
    go_on = asyncio.Event()
    heard: list[str] = []
    reads: list[ReadsAhead] = []

    async def slow(websocket: WebSocket) -> None:
        reads.extend(filter(None, [Shortcut.of(websocket.scope)]))
        await websocket.accept()
        await go_on.wait()
        while len(heard) < 10 * AHEAD:
            heard.append(await websocket.receive_text())
        await websocket.close()

    app = Starlette(routes=[WebSocketRoute("/slow", slow)])
    async with (
        serving(app, "127.0.0.1", 0) as address,
        connect(f"ws://{address}/slow", compression=None) as console,
    ):
        (connection,) = reads
        for number in range(AHEAD - 1):
            await console.send(str(number))
        await until(lambda: connection.queue.qsize() == AHEAD - 1)
        assert connection.transport.is_reading()
        for number in range(AHEAD - 1, 10 * AHEAD):
            await console.send(str(number))
        await until(lambda: not connection.transport.is_reading())
        go_on.set()
        await console.wait_closed()
    assert heard == [str(number) for number in range(10 * AHEAD)]
