"""A contest whose entries never connect, and HTTP clients that use its board as a browser would."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import httpx
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

from contest.net import addresses
from contest.serving.server import Server
from contest.serving.set_up import set_up
from contest.setup import folder, settings
from contest.setup.planning import schedule_of
from lpp.clock import Clock, LoopClock


@asynccontextmanager
async def staged(
    place: Path, *more: tuple[str, str], clock: Clock | None = None
) -> AsyncIterator[Server]:
    """A contest of the template's settings.

    Arguments:
        place: the folder to make for it.
        more: parts of the settings, each with its replacement.
        clock: the contest's clock; by default the loop's.
    """
    text = re.sub(r"^link = .*\n", "", folder.template(), flags=re.MULTILINE)
    text = re.sub(r"^command = .*$", 'link = "remote"', text, flags=re.MULTILINE)
    for old, new in more:
        assert old in text
        text = text.replace(old, new, 1)
    folder.make(place, text)
    own = settings.load(place)
    async with set_up(place, own, schedule_of(own, place), clock or LoopClock()) as made:
        play = asyncio.create_task(made.play())
        try:
            yield made
        finally:
            play.cancel()
            await asyncio.wait([play])


@asynccontextmanager
async def visitor(stage: Server, code: str | None = None) -> AsyncIterator[httpx.AsyncClient]:
    """An HTTP client with its own cookies; it doesn't follow redirects.

    Arguments:
        stage: the contest.
        code: the code to log in with; None to stay logged out.
    """
    # Without TLS; loading all certificates for it takes longer than most tests.
    async with httpx.AsyncClient(
        base_url=f"http://{stage.address}", timeout=30, verify=False
    ) as client:
        if code is not None:
            answer = await client.post("/board/login", data={"code": code})
            assert answer.status_code == 303
        yield client


def organizer(stage: Server) -> str:
    """The organizer's code."""
    return addresses.find_control(stage.folder).code


async def token(client: httpx.AsyncClient) -> str:
    """The token that this client's forms must send back."""
    page = (await client.get("/board")).text
    found = re.search(r'data-form="([^"]+)"', page)
    assert found is not None
    return found[1]


async def give(client: httpx.AsyncClient, action: str, **fields: str) -> httpx.Response:
    """Gives an order as the page's script does."""
    data = {"form": await token(client), "action": action, **fields}
    return await client.post("/board/order", data=data, headers={"Accept": "application/json"})


def cookies(client: httpx.AsyncClient) -> str:
    """This client's cookies, as a header."""
    return "; ".join(f"{name}={value}" for name, value in client.cookies.items())


@asynccontextmanager
async def watching(
    stage: Server, client: httpx.AsyncClient, page: str = ""
) -> AsyncIterator[ClientConnection]:
    """The live socket of a page.

    Arguments:
        stage: the contest.
        client: a logged-in client.
        page: the socket's address after `/board/live`.
    """
    async with connect(
        f"ws://{stage.address}/board/live{page}",
        additional_headers={"Cookie": cookies(client)},
    ) as socket:
        yield socket


async def close_code(socket: ClientConnection) -> int | None:
    """Waits until the other side closes a socket. Reads its frames, because with 16 unread
    frames the library would not notice the close."""
    with suppress(ConnectionClosed):
        async for _ in socket:
            pass
    return socket.close_code
