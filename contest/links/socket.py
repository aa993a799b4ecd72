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
from lpp import linkwire

#: Seconds of real time that a link has to say who it is.
HELLO_TIME = 10.0
#: Seconds of real time before a wrong code is answered: guessing must not be worth while.
WRONG_CODE_PAUSE = 1.0
#: Frames that may wait for a slow link; then it is cut off, and gets the rest when it is back.
QUEUE = 20_000


class Connection:
    """A link's WebSocket, as an outlet."""

    def __init__(self, websocket: WebSocket) -> None:
        self._websocket = websocket
        self._frames: asyncio.Queue[linkwire.ToLink | None] = asyncio.Queue(QUEUE)
        self.reason = ""

    def send(self, frame: linkwire.ToLink) -> None:
        """See remote.Outlet."""
        try:
            self._frames.put_nowait(frame)
        except asyncio.QueueFull:
            self.close("the link is too slow")

    def close(self, why: str) -> None:
        """See remote.Outlet."""
        if not self.reason:
            self.reason = why
            while self._frames.full():
                self._frames.get_nowait()
            self._frames.put_nowait(None)

    async def write(self) -> None:
        """Sends frames until the connection is closed."""
        while (frame := await self._frames.get()) is not None:
            await self._websocket.send_text(linkwire.encode(frame))
            await asyncio.sleep(0)


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

    link, connection = links[entry], Connection(websocket)
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


async def _read(websocket: WebSocket, link: RemoteLink, connection: Connection) -> None:
    while True:
        frame = await _receive(websocket)
        if connection.reason:
            return  # it is no longer this connection that speaks for the link
        link.receive(frame)


async def _receive(websocket: WebSocket) -> linkwire.ToServer:
    message = await websocket.receive()
    if message["type"] == "websocket.disconnect":
        raise WebSocketDisconnect(message.get("code") or 1006)
    text = message.get("text")
    if text is None:
        raise linkwire.WireError("frames are text, not bytes")
    return linkwire.decode_to_server(text)
