"""The server's sockets: consoles at `/seat`, as docs/reference/wire.md has it, and what else is
served beside them."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from functools import partial

import uvicorn
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.routing import BaseRoute, WebSocketRoute
from starlette.types import ASGIApp
from starlette.websockets import WebSocket

from contest.doors.codes import CodeTable
from contest.doors.guard import Guard
from contest.doors.handshake import Porter
from contest.doors.protocol import SEAT, join_seat
from contest.doors.tls import Identity
from contest.doors.transports import LimitedConfig, look_after, quiet, raise_file_limit
from contest.errors import Surroundings
from contest.pages import SecurityHeaders
from contest.talks.seats import Seats
from lpp import wire

#: Seconds that connections have to end when the server ends; then they are cut off. uvicorn would
#: log a traceback for each task that still waits for one after `_TASKS` seconds.
_GOODBYES, _TASKS = 2.0, 3


def application(
    seats: Seats,
    codes: CodeTable,
    more: Sequence[BaseRoute] = (),
    porter: Porter | None = None,
) -> Starlette:
    """The web application.

    Arguments:
        seats: where consoles sit down.
        codes: of the seats.
        more: what else is served.
        porter: what all doors have together; one of its own if left out.
    """
    keeper = porter or Porter()
    join = partial(join_seat, seats, keeper.limits)

    async def seat(websocket: WebSocket) -> None:
        await keeper.attend(websocket, SEAT, codes, join)

    return Starlette(
        routes=[WebSocketRoute("/seat", seat), *more],
        middleware=[
            Middleware(SecurityHeaders),
            Middleware(Guard, limits=keeper.limits, hosts=keeper.hosts),
        ],
    )


class _Server(uvicorn.Server):
    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        # Signals are the command's business, which closes the contest in order.
        yield


@asynccontextmanager
async def serving(
    app: ASGIApp,
    host: str,
    port: int,
    identity: Identity | None = None,
    porter: Porter | None = None,
) -> AsyncIterator[str]:
    """Serves an application while the context is open.

    Arguments:
        app: what to serve.
        host: the address to bind to.
        port: the port; 0 takes a free one.
        identity: with it, TLS is spoken and nothing else; without, none is.
        porter: of the application, with the limits of connections; one of its own if left out.

    Returns:
        Where it listens, as `HOST:PORT`.

    Raises:
        Surroundings: if the address can't be had.
    """
    porter = porter or Porter()
    limits = porter.limits
    raise_file_limit(limits.connections)
    quiet()
    config = LimitedConfig(
        app,
        limits,
        porter.connections,
        log_config=None,  # logging is the command's to set up
        access_log=False,
        lifespan="off",
        # Who says on whose behalf he asks is believed by nobody: addresses count for limits.
        proxy_headers=False,
        server_header=False,
        ws_max_size=wire.FRAME_LIMIT,
        ws_per_message_deflate=False,
        timeout_graceful_shutdown=_TASKS,
    )
    config.load()
    config.ssl = None if identity is None else identity.context
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
        looking = asyncio.create_task(look_after(server, limits), name="connections")
        try:
            # uvicorn tells nobody when it listens; the socket is bound already, so this is short.
            while not server.started and not serve.done():  # noqa: ASYNC110
                await asyncio.sleep(0.01)
            yield f"{shown}:{bound[1]}"
        finally:
            porter.gate.close()
            server.should_exit = True
            await asyncio.wait({serve}, timeout=_GOODBYES)
            for connection in list(server.server_state.connections):
                connection.transport.abort()
            await serve
            looking.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await looking
    finally:
        listener.close()
