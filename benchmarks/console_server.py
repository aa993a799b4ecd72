"""The server of the console's benchmark: serves one judge, whose two partners type at a given rate.
Each key is one frame on a real socket."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from websockets.asyncio.server import ServerConnection, serve
from websockets.exceptions import ConnectionClosed

from benchmarks.flood import RATE, keys
from lpp.wire import Key, Place, Shown, State, Talk, ToSeat, Welcome, decode_to_server, encode

PLACES: tuple[Place, ...] = ("left", "right")
#: Seconds between two batches of keys: far less than a screen's refresh interval.
BEAT = 0.002
#: The time limit in seconds until the last keys are on the screen.
PATIENCE = 30.0


class FloodServer:
    """The server.

    Arguments:
        count: how many keys each partner presses; with 0 the talk stays silent and open.

    Attributes:
        shown: place to the number of keys on the judge's screen, as reported by the console.
    """

    def __init__(self, count: int) -> None:
        self._keys = keys(count)
        self.shown = dict.fromkeys(PLACES, 0)
        self.url = ""

    @asynccontextmanager
    async def listening(self) -> AsyncIterator[str]:
        """Yields the address, as HOST:PORT."""
        async with serve(self._seat, "127.0.0.1", 0, ping_interval=None) as server:
            port = next(iter(server.sockets)).getsockname()[1]
            yield f"127.0.0.1:{port}"

    async def _seat(self, socket: ServerConnection) -> None:
        try:
            await self._serve(socket)
        except ConnectionClosed:
            return  # the console has disconnected

    async def _serve(self, socket: ServerConnection) -> None:
        await socket.recv()  # Hello
        await self._say(socket, Welcome("J1", "judge", "Benchmark", 1, contest_id="benchmark"))
        await self._say(socket, State("interaction", 1, 1, PLACES))
        for place in PLACES:
            await self._say(socket, Talk(1, 1, place, []))
        hearing = asyncio.create_task(self._hear(socket))
        try:
            if self._keys:
                await self._type(socket)
                async with asyncio.timeout(PATIENCE):
                    while any(n < len(self._keys) for n in self.shown.values()):  # noqa: ASYNC110
                        await asyncio.sleep(BEAT)
                await self._say(socket, State("over", 1, 1, PLACES))
            await socket.wait_closed()
        finally:
            hearing.cancel()
            await asyncio.wait([hearing])

    async def _type(self, socket: ServerConnection) -> None:
        loop = asyncio.get_running_loop()
        start, sent = loop.time(), 0
        while sent < len(self._keys):
            due = min(len(self._keys), int((loop.time() - start) * RATE))
            for n in range(sent + 1, due + 1):
                for place in PLACES:
                    key = Key(1, 1, place, "entity", n, self._keys[n - 1])
                    await self._say(socket, key)
            sent = max(sent, due)
            await asyncio.sleep(BEAT)

    async def _hear(self, socket: ServerConnection) -> None:
        async for text in socket:
            frame = decode_to_server(text)
            if isinstance(frame, Shown):
                self.shown[frame.place] = frame.n

    async def _say(self, socket: ServerConnection, frame: ToSeat) -> None:
        await socket.send(encode(frame))
