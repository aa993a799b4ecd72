"""The server's sockets: consoles at `/seat`, as docs/reference/wire.md has it, and what else is
served beside them."""

from __future__ import annotations

import asyncio
import logging
import socket
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from functools import partial

from aiohttp import hdrs, web
from aiohttp.http_exceptions import HttpProcessingError

from contest.errors import Surroundings
from contest.live.seats import Seats
from contest.net.codes import CodeTable
from contest.net.guard import guard
from contest.net.handshake import Porter
from contest.net.protocol import SEAT, join_seat
from contest.net.sockets import SOCKETS, close
from contest.net.tls import Identity
from contest.net.transports import Line, looked_after, raise_file_limit
from contest.pages import redirect, secure

log = logging.getLogger(__name__)

#: Seconds that connections have to end when the server ends; then they are cut off.
_GOODBYES = 2.0
#: WebSocket's code for a server that ends and may be back.
_RESTARTS = 1012
#: How much longer than allowed a request's head may be for us to say so, and not the library.
_LONGER = 4


def application(
    seats: Seats,
    codes: CodeTable,
    more: Sequence[web.RouteDef] = (),
    porter: Porter | None = None,
) -> web.Application:
    """The web application.

    Arguments:
        seats: where consoles sit down.
        codes: of the seats.
        more: what else is served.
        porter: what all doors have together; one of its own if left out.
    """
    keeper = porter or Porter()
    join = partial(join_seat, seats, keeper.limits)

    async def seat(request: web.Request) -> web.StreamResponse:
        return await keeper.attend(request, SEAT, codes, join)

    return guarded([web.get("/seat", seat), *more], keeper)


def guarded(routes: Sequence[web.RouteDef], porter: Porter) -> web.Application:
    """An application behind the limits of a server.

    Arguments:
        routes: what it serves.
        porter: has the limits, and the server's names.
    """
    limits = porter.limits
    app = web.Application(
        middlewares=[guard(limits, porter.hosts)], client_max_size=limits.body, logger=log
    )
    # Of what is nowhere, too: the library's own way with strange expectations is an error.
    for route in (*routes, web.route("*", "/{path:(?s:.*)}", _nowhere)):
        kwargs = {**route.kwargs, "expect_handler": _expect}
        web.RouteDef(route.method, route.path, route.handler, kwargs).register(app.router)
    secure(app)
    return app


async def _nowhere(request: web.Request) -> web.Response:
    if methods := await _methods_of(request):
        raise web.HTTPMethodNotAllowed(request.method, methods)
    path = request.path.rstrip("/")
    if path != request.path and not await request.read():
        other = request.clone(rel_url=request.rel_url.with_path(path or "/"))
        if hdrs.METH_GET in await _methods_of(other):
            return redirect(path, 307)
    return web.Response(text="there is no such page\n", status=404)


async def _methods_of(request: web.Request) -> set[str]:
    """The methods that the page of a request's path takes; none where there is no such page."""
    found: set[str] = set()
    for page in request.app.router.resources():
        _, methods = await page.resolve(request)
        found |= methods
    return found - {hdrs.METH_ANY}


async def _expect(request: web.Request) -> web.Response | None:
    """Answers the header `Expect` (RFC 9110, section 10.1.1)."""
    if request.headers.get(hdrs.EXPECT, "").lower() != "100-continue":
        return web.Response(text="only 100-continue can be expected\n", status=417)
    await request.writer.write(b"HTTP/1.1 100 Continue\r\n\r\n")
    # What comes after it is the answer, which counts from its own beginning.
    request.writer.output_size = 0
    return None


@asynccontextmanager
async def serving(
    app: web.Application,
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
    app[SOCKETS] = set()
    app.on_shutdown.append(_close_sockets)
    runner = web.AppRunner(
        app,
        access_log=None,
        logger=_quiet(),
        keepalive_timeout=limits.request,
        lingering_time=0,
        max_line_size=_LONGER * limits.head,
        max_field_size=_LONGER * limits.head,
        shutdown_timeout=_GOODBYES,
    )
    with _bound(host, port) as listener:
        await runner.setup()
        made = runner.server
        assert made is not None
        async with looked_after(limits) as lines:
            server = await asyncio.get_running_loop().create_server(
                lambda: Line(made(), lines, porter.connections),
                sock=listener,
                ssl=None if identity is None else identity.context,
            )
            bound = listener.getsockname()
            shown = f"[{bound[0]}]" if ":" in bound[0] else bound[0]
            try:
                yield f"{shown}:{bound[1]}"
            finally:
                porter.gate.close()
                server.close()
                await runner.cleanup()
                for line in list(lines):
                    line.transport.abort()


async def _close_sockets(app: web.Application) -> None:
    closing = [asyncio.create_task(close(each, _RESTARTS)) for each in app[SOCKETS]]
    if closing:
        await asyncio.wait(closing, timeout=_GOODBYES)


@contextmanager
def _bound(host: str, port: int) -> Iterator[socket.socket]:
    """A socket that is bound to an address."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((host, port))
        except OSError as exc:
            raise Surroundings(
                f"can't listen at {host}:{port} ({exc.strerror or exc}); choose another port"
            ) from exc
        yield listener


def _quiet() -> logging.Logger:
    """The logger for requests, without what strangers can make the server say at will: that a
    request was none, and that its sender went before it was answered."""
    logger = logging.getLogger(f"{__name__}.requests")
    if not logger.filters:
        logger.addFilter(_no_noise)
    return logger


def _no_noise(record: logging.LogRecord) -> bool:
    noise = (HttpProcessingError, ConnectionResetError)
    return record.exc_info is None or not isinstance(record.exc_info[1], noise)
