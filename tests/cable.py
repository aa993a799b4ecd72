"""A network cable between a console and a server, which a test can cut and mend."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager


class Cable:
    """Forwards bytes in both directions. While it is cut, nothing gets through, and connections
    fail.

    Attributes:
        address: the address to which the console connects, `HOST:PORT`.
        carried: the number of connections through it so far.
    """

    def __init__(self, target: str) -> None:
        host, _, port = target.rpartition(":")
        self._target = (host, int(port))
        self._writers: set[asyncio.StreamWriter] = set()
        self._carriers: set[asyncio.Task[None]] = set()
        self._cut = False
        self._server: asyncio.Server | None = None
        self.carried = 0
        self.address = ""

    async def start(self) -> None:
        """Starts forwarding."""
        self._server = await asyncio.start_server(self._connected, "127.0.0.1", 0)
        host, port = self._server.sockets[0].getsockname()
        self.address = f"{host}:{port}"

    def cut(self) -> None:
        """Cuts the cable: connections break without a close frame."""
        self._cut = True
        for writer in self._writers:
            writer.transport.abort()

    def mend(self) -> None:
        """Repairs the cable."""
        self._cut = False

    async def stop(self) -> None:
        """Closes all connections, and stops forwarding."""
        assert self._server is not None
        self.cut()
        self._server.close()
        if self._carriers:
            await asyncio.wait(self._carriers)
        await self._server.wait_closed()

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._carriers.add(task)
        try:
            if self._cut:
                writer.transport.abort()
                return
            there_reader, there_writer = await asyncio.open_connection(*self._target)
            self.carried += 1
            self._writers |= {writer, there_writer}
            await asyncio.gather(
                _carry(reader, there_writer), _carry(there_reader, writer), return_exceptions=True
            )
            self._writers -= {writer, there_writer}
        finally:
            self._carriers.discard(task)


async def _carry(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with contextlib.suppress(OSError):
        while data := await reader.read(65536):
            writer.write(data)
            await writer.drain()
    writer.close()


@asynccontextmanager
async def cable(target: str) -> AsyncIterator[Cable]:
    """A cable to a server at `HOST:PORT`."""
    laid = Cable(target)
    await laid.start()
    try:
        yield laid
    finally:
        await laid.stop()
