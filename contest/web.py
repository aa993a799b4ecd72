"""The server's sockets: consoles at `/seat`, as docs/reference/wire.md has it."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager

import uvicorn
from starlette.applications import Starlette
from starlette.routing import BaseRoute, WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect, WebSocketState

from contest import codes
from contest.errors import Surroundings
from contest.outgoing import Connection, received_text
from contest.seats import SeatRefused, Seats
from lpp import wire

#: Seconds of real time that a console has to say who it is.
HELLO_TIME = 10.0
#: Seconds of real time before a wrong code is answered: guessing must not be worth while.
WRONG_CODE_PAUSE = 1.0


def application(
    seats: Seats, hashes: Mapping[str, str], more: Sequence[BaseRoute] = ()
) -> Starlette:
    """The web application.

    Arguments:
        seats: where consoles sit down.
        hashes: seat to the hash of its code.
        more: what else is served.
    """

    async def seat(websocket: WebSocket) -> None:
        await websocket.accept()
        with contextlib.suppress(WebSocketDisconnect):
            try:
                await _sit(websocket, seats, hashes)
            except SeatRefused as exc:
                refused = wire.Refused(exc.code, str(exc), exc.answers)
                await websocket.send_text(wire.encode(refused))
            except wire.WireError as exc:
                await websocket.send_text(wire.encode(wire.Refused("bad-frame", str(exc)[:500])))
            if websocket.application_state is not WebSocketState.DISCONNECTED:
                await websocket.close()

    return Starlette(routes=[WebSocketRoute("/seat", seat), *more])


async def _sit(websocket: WebSocket, seats: Seats, hashes: Mapping[str, str]) -> None:
    try:
        async with asyncio.timeout(HELLO_TIME):
            hello = await _receive(websocket)
    except TimeoutError:
        raise SeatRefused("hello", "say hello first", "") from None
    if not isinstance(hello, wire.Hello):
        raise SeatRefused("hello", "say hello first", str(hello.__struct_config__.tag))
    if hello.version != wire.VERSION:
        raise SeatRefused(
            "version",
            f"this server speaks version {wire.VERSION}, the console version {hello.version}; "
            "install the same release on both",
        )
    # scrypt takes its time on purpose; keys of others must not wait for it.
    seat_id = await asyncio.to_thread(codes.seat_of, hello.code, hashes)
    if seat_id is None:
        await asyncio.sleep(WRONG_CODE_PAUSE)
        raise SeatRefused("bad-code", "this code opens no seat; look at it again, or ask")

    connection = Connection[wire.ToSeat](websocket, wire.encode, "the console")
    seat = seats.join(seat_id, connection, hello.client, hello.take_over)
    reader = asyncio.create_task(_read(websocket, seats, seat_id))
    writer = asyncio.create_task(connection.write())
    try:
        done, _ = await asyncio.wait({reader, writer}, return_when=asyncio.FIRST_COMPLETED)
        for task in done:
            task.result()
    finally:
        for task in (reader, writer):
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError, WebSocketDisconnect, wire.WireError):
                await task
        seats.leave(seat, connection, connection.reason or "the connection ended")


async def _read(websocket: WebSocket, seats: Seats, seat_id: str) -> None:
    seat = seats.seats[seat_id]
    while True:
        seats.handle(seat, await _receive(websocket))


async def _receive(websocket: WebSocket) -> wire.ToServer:
    text = await received_text(websocket)
    if text is None:
        raise wire.WireError("frames are text, not bytes")
    return wire.decode_to_server(text)


class _Server(uvicorn.Server):
    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        # Signals are the command's business, which closes the contest in order.
        yield


@asynccontextmanager
async def serving(app: Starlette, host: str, port: int) -> AsyncIterator[str]:
    """Serves an application while the context is open.

    Arguments:
        app: what to serve.
        host: the address to bind to.
        port: the port; 0 takes a free one.

    Returns:
        Where it listens, as `HOST:PORT`.

    Raises:
        Surroundings: if the address can't be had.
    """
    config = uvicorn.Config(
        app,
        log_config=None,  # logging is the command's to set up
        access_log=False,
        lifespan="off",
        ws_max_size=wire.FRAME_LIMIT,
        ws_per_message_deflate=False,
        timeout_graceful_shutdown=2,
    )
    # With the protocol named, or asyncio leaves Nagle on, and a key waits 40 ms for an answer.
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((host, port))
        except OSError as exc:
            raise Surroundings(
                f"can't listen at {host}:{port} ({exc.strerror or exc}); choose another port"
            ) from exc
        server = _Server(config)
        serve = asyncio.create_task(server.serve(sockets=[listener]), name="uvicorn")
        bound = listener.getsockname()
        shown = f"[{bound[0]}]" if ":" in bound[0] else bound[0]
        try:
            # uvicorn tells nobody when it listens; the socket is bound already, so this is short.
            while not server.started and not serve.done():  # noqa: ASYNC110
                await asyncio.sleep(0.01)
            yield f"{shown}:{bound[1]}"
        finally:
            server.should_exit = True
            await serve
    finally:
        listener.close()
