"""What a link says at its terminal of a server that it does not reach."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import cast

from contest.links.beside import Beside
from contest.links.client import keep_linked


async def test_a_server_that_takes_no_plain_connection_may_speak_tls() -> None:
    async def hang_up(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.close()

    told: asyncio.Queue[str] = asyncio.Queue()
    nobody = cast(Beside, SimpleNamespace(end=SimpleNamespace(connected=False), lost=lambda: None))
    async with await asyncio.start_server(hang_up, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        task = asyncio.create_task(
            keep_linked(nobody, f"ws://127.0.0.1:{port}/link", told.put_nowait)
        )
        async with asyncio.timeout(20):
            said = await told.get()
        task.cancel()
        await asyncio.wait([task])
    assert said.startswith(f"no connection to ws://127.0.0.1:{port}/link: ")
    assert said.endswith(
        "; where the server speaks TLS, its address begins with wss://; trying again"
    )
