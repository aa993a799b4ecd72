"""The server's socket for links: entries on other machines at `/link`, as docs/reference/link.md
has it."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Mapping

from starlette.routing import WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect, WebSocketState

from contest import codes
from contest.links.remote import RemoteLink
from contest.links.server_end import NotTaken
from contest.outgoing import Connection, received_text
from lpp import linkwire

#: Seconds of real time that a link has to say who it is.
HELLO_TIME = 10.0
#: Seconds of real time before a wrong code is answered: guessing must not be worth while.
WRONG_CODE_PAUSE = 1.0


def link_route(links: Mapping[str, RemoteLink], hashes: Mapping[str, str]) -> WebSocketRoute:
    """Where the server takes links.

    Arguments:
        links: entry id to its link.
        hashes: entry id to the hash of its code.
    """

    async def link(websocket: WebSocket) -> None:
        await _serve(websocket, links, hashes)

    return WebSocketRoute("/link", link)


async def _serve(
    websocket: WebSocket, links: Mapping[str, RemoteLink], hashes: Mapping[str, str]
) -> None:
    await websocket.accept()
    with contextlib.suppress(WebSocketDisconnect):
        try:
            await _link(websocket, links, hashes)
        except NotTaken as exc:
            refused = linkwire.Refused(exc.code, str(exc), exc.answers)
            await websocket.send_text(linkwire.encode(refused))
        except linkwire.WireError as exc:
            refused = linkwire.Refused("bad-frame", str(exc)[:500])
            await websocket.send_text(linkwire.encode(refused))
        if websocket.application_state is not WebSocketState.DISCONNECTED:
            await websocket.close()


async def _link(
    websocket: WebSocket, links: Mapping[str, RemoteLink], hashes: Mapping[str, str]
) -> None:
    try:
        async with asyncio.timeout(HELLO_TIME):
            hello = await _receive(websocket)
    except TimeoutError:
        raise NotTaken("hello", "say hello first") from None
    if not isinstance(hello, linkwire.Hello):
        raise NotTaken("hello", "say hello first", str(hello.__struct_config__.tag))
    if hello.version != linkwire.VERSION:
        raise NotTaken(
            "version",
            f"this server speaks version {linkwire.VERSION}, the link version {hello.version}; "
            "install the same release on both",
            "hello",
        )
    # scrypt takes its time on purpose; keys of others must not wait for it.
    entry = await asyncio.to_thread(codes.seat_of, hello.code, hashes)
    if entry is None:
        await asyncio.sleep(WRONG_CODE_PAUSE)
        raise NotTaken("bad-code", "this code opens no link; look at it again, or ask", "hello")

    link, connection = (
        links[entry],
        Connection[linkwire.ToLink](websocket, linkwire.encode, "the link"),
    )
    link.connect(connection, hello)
    reader = asyncio.create_task(_read(websocket, link, connection))
    writer = asyncio.create_task(connection.write())
    try:
        done, _ = await asyncio.wait({reader, writer}, return_when=asyncio.FIRST_COMPLETED)
        for task in done:
            task.result()
    finally:
        for task in (reader, writer):
            task.cancel()
            with contextlib.suppress(
                asyncio.CancelledError, WebSocketDisconnect, linkwire.WireError, NotTaken
            ):
                await task
        link.disconnect(connection, connection.reason or "the connection ended")


async def _read(
    websocket: WebSocket, link: RemoteLink, connection: Connection[linkwire.ToLink]
) -> None:
    while True:
        frame = await _receive(websocket)
        if connection.reason:
            return  # it is no longer this connection that speaks for the link
        link.receive(frame)


async def _receive(websocket: WebSocket) -> linkwire.ToServer:
    text = await received_text(websocket)
    if text is None:
        raise linkwire.WireError("frames are text, not bytes")
    return linkwire.decode_to_server(text)
