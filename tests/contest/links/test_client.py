"""Tests a link's messages at the terminal about a server that it can't reach."""

from __future__ import annotations

import asyncio
from itertools import pairwise
from types import SimpleNamespace
from typing import cast

import pytest

from contest.links import client
from contest.links.client import NoServer, keep_linked
from contest.links.directory import LinkedDirectory
from lpp.connection import Trust


@pytest.mark.parametrize(
    ("scheme", "hint"),
    [
        ("ws", "if the server uses TLS, its address begins with wss://"),
        ("wss", "if the server doesn't use TLS, its address is HOST:PORT, without wss://"),
    ],
)
async def test_refused_connection_hints_at_tls(scheme: str, hint: str) -> None:
    async def hang_up(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if scheme == "wss":
            await reader.read(1)
            writer.write(b"HTTP/1.1 400 Bad Request\r\n\r\n")
        writer.close()

    told: asyncio.Queue[str] = asyncio.Queue()
    end = SimpleNamespace(connected=False, lost=lambda: None)
    nobody = cast(LinkedDirectory, SimpleNamespace(end=end))
    async with await asyncio.start_server(hang_up, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        task = asyncio.create_task(
            keep_linked(
                nobody, lambda: (f"{scheme}://127.0.0.1:{port}/link", Trust()), told.put_nowait
            )
        )
        said = await told.get()
        task.cancel()
        await asyncio.wait([task])
    assert said.startswith(f"no connection to {scheme}://127.0.0.1:{port}/link: ")
    assert said.endswith(f"; {hint}; trying again")


@pytest.mark.looptime
async def test_link_gives_up_after_a_long_time_without_a_server(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The time counts from the end of the last accepted connection; refused ones don't count."""
    end = SimpleNamespace(connected=False)
    end.lost = lambda: setattr(end, "connected", False)
    nobody = cast(LinkedDirectory, SimpleNamespace(end=end))
    loop = asyncio.get_running_loop()
    stays = iter([None, 3000.0, None, 1000.0])

    async def connection(*_: object) -> str:
        await asyncio.sleep(1)
        stay = next(stays, None)
        if stay is not None:
            end.connected = True
            await asyncio.sleep(stay)
        return "gone"

    monkeypatch.setattr(client, "_connection", connection)
    asked: list[float] = []

    def patience() -> float:
        asked.append(loop.time())
        return 600.0

    told: list[str] = []
    with pytest.raises(NoServer, match="10 minutes"):
        await keep_linked(nobody, lambda: ("ws://nowhere", Trust()), told.append, patience=patience)
    lost = 4000  # and some seconds: the time while it was linked
    assert lost + 600 < loop.time() < lost + 640
    assert max(b - a for a, b in pairwise(asked) if b > lost + 60) < 30
