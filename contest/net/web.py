"""The web server: which connections, host names and requests it accepts, and for how long.

The library (aiohttp) closes connections that are idle after an answer, and pings the peers of
WebSockets. But it waits forever for an incomplete request, and for a peer that reads nothing; this
module cuts off both.
"""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
import logging
import socket
from collections.abc import AsyncIterator, Callable, Coroutine, Iterable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from typing import Any, cast
from urllib.parse import urlsplit

from aiohttp import hdrs, web
from aiohttp.http_exceptions import HttpProcessingError
from aiohttp.typedefs import Handler, Middleware

from contest.errors import EnvironmentProblem, Refusal
from contest.net import sockets
from contest.net.codes import CodeTable
from contest.net.limits import Bucket, Gate, Limits, TooBusy, address_of
from contest.net.sockets import Connection, Join, WireProtocol
from contest.net.tls import Identity
from contest.pages import redirect, secure
from contest.tasks import running
from lpp import wire
from texts import Sentence

log = logging.getLogger(__name__)

METHODS = ("GET", "HEAD", "POST")
#: WebSocket close codes: "try again later", and "the server restarts".
TRY_AGAIN, _RESTARTS = 1013, 1012
#: Seconds between two checks of all connections.
CHECK_EVERY = 1.0
#: Seconds without a request after which a connection is idle and may be cut off to make room. A new
#: connection needs a moment until its first request.
IDLE = 1.0
#: Seconds for a connection to close, and for all of them when the server stops.
CLOSING, _CLOSE_ALL = 5.0, 2.0
#: File descriptors that a server needs besides its connections: record, logs, entries' programs.
FILES = 200
#: We refuse a request's head that is up to this many times the limit; the library refuses longer
#: ones.
_LONGER = 4


# Names


class Hosts:
    """The host names under which browsers may use this server, and whose pages may send data to it:
    `localhost`, the machine's own names, the address of each connection, and the given names.

    An attacker can make a host name of their own resolve to this machine (DNS rebinding). A browser
    then treats the attacker's pages as pages of this server; only the host name in its requests
    reveals them.

    Arguments:
        given: further names and addresses, each with or without a port. `*.example` stands for
            all names with exactly one more part.

    Attributes:
        names: all names and addresses except those of the connections.
    """

    def __init__(self, given: Iterable[str] = ()) -> None:
        own = socket.gethostname().lower()
        self._origins = frozenset(map(_origin, given))
        self.names = {"localhost", own, f"{own.partition('.')[0]}.local"}
        self.names |= set(map(host_of, self._origins))

    def knows(self, host: str, local: str) -> bool:
        """Whether a request uses one of the server's names. `host` is the header `Host`; `local` is
        the connection's address on this machine, empty if unknown."""
        name = host_of(host)
        known = {*self.names, host_of(_origin(local))} - {""}
        return name in known or f"*.{name.partition('.')[2]}" in known

    def trusts(self, origin: str, host: str) -> bool:
        """Whether a page may send data here, by the headers `Origin` and `Host`. It must be this
        server's page, or have a given name, because a proxy may pass on another `Host`."""
        try:
            place = urlsplit(origin).netloc.lower()
        except ValueError:
            return False
        return bool(place) and (place == host.lower() or place in self._origins)


def host_of(place: str) -> str:
    """The name or address in `HOST` or `HOST:PORT`, in lower case; empty if there is none."""
    try:
        name = urlsplit(f"//{place}").hostname or ""
    except ValueError:
        return ""
    name = name.rstrip(".").partition("%")[0]
    try:
        address = ipaddress.ip_address(name)
    except ValueError:
        return name
    return str(getattr(address, "ipv4_mapped", None) or address)


def _origin(given: str) -> str:
    """A name or address as browsers write it in `Origin`."""
    try:
        address = ipaddress.ip_address(given.partition("%")[0])
    except ValueError:
        return given.lower()
    return f"[{address}]" if address.version == 6 else str(address)


# Connections


class Connections:
    """All connections of a server.

    A connection is admitted once its client has given a right code or has a session. When there are
    too many connections, the address with the most unadmitted ones loses one of these: the oldest
    idle one, or else the oldest. So a flood displaces only itself, and admitted connections stay.

    Attributes:
        all: all connections.
    """

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self.all: set[TcpConnection] = set()
        # The unadmitted connections by address, the oldest first.
        self._unadmitted: dict[str, dict[TcpConnection, None]] = {}

    def add(self, connection: TcpConnection) -> None:
        """Adds a new connection, and makes room for it if necessary."""
        self.all.add(connection)
        self._unadmitted.setdefault(connection.address, {})[connection] = None
        if len(self.all) > self._limits.connections:
            crowd = max(self._unadmitted.values(), key=len)
            connection = next((each for each in crowd if each.idle), next(iter(crowd)))
            self.remove(connection)
            connection.cut()

    def admit(self, connection: TcpConnection) -> None:
        """Marks a connection as admitted."""
        crowd = self._unadmitted.get(connection.address, {})
        crowd.pop(connection, None)
        if not crowd:
            self._unadmitted.pop(connection.address, None)

    def remove(self, connection: TcpConnection) -> None:
        """Forgets a connection."""
        self.all.discard(connection)
        self.admit(connection)

    async def watch(self) -> None:
        """Cuts off stuck connections until cancelled."""
        while True:
            await asyncio.sleep(CHECK_EVERY)
            for connection in list(self.all):
                connection.cut_if_stuck(self._limits)


class TcpConnection:
    """A connection, as an asyncio protocol: passes everything on to the library's protocol, and
    keeps track of requests in progress.

    Arguments:
        inner: the library's protocol.
        connections: all connections of the server.
    """

    transport: asyncio.Transport
    address = ""

    def __init__(self, inner: asyncio.Protocol, connections: Connections) -> None:
        self._inner, self._connections = inner, connections
        self.data_received, self.eof_received = inner.data_received, inner.eof_received
        self.pause_writing, self.resume_writing = inner.pause_writing, inner.resume_writing
        self._now = asyncio.get_running_loop().time
        # Requests in progress (an open WebSocket counts), and since when there have been none.
        self._requests, self._idle_since = 0, self._now()
        # How many bytes wait to be sent, and since when that number has not changed.
        self._waits, self._waits_since = 0, 0.0
        self._closes_since: float | None = None

    @classmethod
    def of(cls, request: web.BaseRequest) -> TcpConnection | None:
        """The connection of a request; None if it is closed."""
        transport = request.transport
        protocol: object = None if transport is None else transport.get_protocol()
        return protocol if isinstance(protocol, TcpConnection) else None

    @property
    def idle(self) -> bool:
        """Whether no request has been in progress for a while."""
        return not self._requests and self._now() - self._idle_since > IDLE

    @contextlib.contextmanager
    def busy(self) -> Iterator[None]:
        """Counts a request as in progress while the context is open."""
        self._requests += 1
        try:
            yield
        finally:
            self._requests -= 1
            self._idle_since = self._now()

    def cut(self) -> None:
        """Ends the connection immediately."""
        self.transport.abort()

    def cut_if_stuck(self, limits: Limits) -> None:
        """Ends the connection if it is stuck."""
        try:
            now, waits = self._now(), self.transport.get_write_buffer_size()
        except AttributeError:
            # The connection uses TLS and was closed twice. asyncio ends it after a while.
            return
        if waits != self._waits:
            self._waits, self._waits_since = waits, now
        if self._closes_since is None and self.transport.is_closing():
            self._closes_since = now
        if (
            (not self._requests and now - self._idle_since > limits.request)
            or (self._closes_since is not None and now - self._closes_since > CLOSING)
            or (waits and now - self._waits_since > limits.stuck)
        ):
            self.cut()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """asyncio: the connection is established."""
        self.transport = cast(asyncio.Transport, transport)
        self._inner.connection_made(transport)
        peer = transport.get_extra_info("peername")
        self.address = address_of(peer[0] if isinstance(peer, tuple) else None)
        self._connections.add(self)

    def connection_lost(self, exc: Exception | None) -> None:
        """asyncio: the connection is closed."""
        self._connections.remove(self)
        self._inner.connection_lost(exc)


def _raise_file_limit(connections: int) -> None:
    """Raises the process's limit of open files for this many connections, as far as allowed."""
    try:
        import resource
    except ImportError:  # Windows has no such limit
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = connections + FILES
    if hard != resource.RLIM_INFINITY:
        wanted = min(wanted, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        with contextlib.suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


# Clients


class Access:
    """The access checks that all routes of a server share: codes, limits, host names, connections.

    Arguments:
        gate: checks codes.
        limits: all limits.
        hosts: this server's names.
    """

    def __init__(
        self, gate: Gate | None = None, limits: Limits | None = None, hosts: Hosts | None = None
    ) -> None:
        self.gate = gate or Gate()
        self.limits = limits or Limits()
        self.hosts = hosts or Hosts()
        self.connections = Connections(self.limits)
        # By client, not by connection, so that reconnecting doesn't raise anybody's limit.
        self._buckets: dict[tuple[str, str, type | None], Bucket] = {}

    def admit(self, request: web.Request) -> None:
        """Marks the connection of a request as admitted."""
        if (connection := TcpConnection.of(request)) is not None:
            self.connections.admit(connection)

    async def check_code(self, code: str, table: CodeTable, request: web.Request) -> str | None:
        """Checks a code that came with a request; see `Gate.check`."""
        name = await self.gate.check(code, table, address_of(request.remote))
        if name is not None:
            self.admit(request)
        return name

    def route(self, protocol: WireProtocol, table: CodeTable, join: Join) -> web.RouteDef:
        """The route for one kind of client: its protocol, the valid codes, and the function that
        connects a client once its code is known."""

        async def serve_client(request: web.Request) -> web.StreamResponse:
            if (hdrs.ORIGIN in request.headers) != protocol.for_pages:
                who = "pages in browsers" if protocol.for_pages else f"{protocol.who}s, not pages"
                return _refuse(403, f"this address is for {who}")
            async with sockets.open_socket(request) as socket:
                try:
                    name, hello = await self._named(request, socket, protocol, table)
                    connection = Connection(
                        socket, f"the {protocol.who}", heartbeats=protocol.for_pages
                    )
                    client = join(name, hello, connection)
                    try:
                        now = asyncio.get_running_loop().time()
                        buckets = {
                            type_: self._buckets.setdefault(
                                (protocol.what, name, type_),
                                Bucket(getattr(self.limits, rate), now),
                            )
                            for type_, rate in protocol.rates.items()
                        }
                        reading = sockets.read_frames(
                            socket, protocol.decode, client.take, connection, buckets
                        )
                        await _exchange(reading, connection.write())
                    finally:
                        client.leave(connection.reason or Sentence("left.ended"))
                except TooBusy as exc:
                    await sockets.close(socket, TRY_AGAIN, str(exc))
                except (Refusal, wire.WireError) as exc:
                    if not socket.closed:
                        await socket.send_str(wire.encode(sockets.refusal_frame(exc)))
            return socket

        return web.get(protocol.path, serve_client)

    async def _named(
        self,
        request: web.Request,
        socket: web.WebSocketResponse,
        protocol: WireProtocol,
        table: CodeTable,
    ) -> tuple[str, Any]:
        """The client's name, by its code; and its first frame."""
        try:
            async with asyncio.timeout(self.limits.hello):
                hello = protocol.check_hello(await sockets.receive_frame(socket, protocol.decode))
        except TimeoutError:
            words = f"no hello came within {self.limits.hello:g} seconds"
            raise Refusal("hello", words) from None
        name = await self.check_code(hello.code, table, request)
        if name is None:
            words = f"this is not the code of a {protocol.what}; check it, or ask the organizer"
            raise Refusal("bad-code", words, "hello")
        return name, hello


async def _exchange(reading: Coroutine[Any, Any, None], writing: Coroutine[Any, Any, None]) -> None:
    """Exchanges frames in both directions until one end leaves."""
    reader, writer = asyncio.create_task(reading), asyncio.create_task(writing)
    try:
        done, _ = await asyncio.wait({reader, writer}, return_when=asyncio.FIRST_COMPLETED)
        if reader in done and reader.exception() is None:
            # The server closed the connection: send the remaining frames.
            await asyncio.wait({writer})
            done.add(writer)
        for task in done:
            task.result()
    finally:
        for task in (reader, writer):
            task.cancel()
        await asyncio.gather(reader, writer, return_exceptions=True)


# Requests


def _guard(limits: Limits, hosts: Hosts) -> Middleware:
    """Middleware that checks the size, host name and origin of requests. Handlers get a request's
    body complete or not at all."""

    def refusal(request: web.Request) -> web.Response | None:
        if request.method not in METHODS:
            raise web.HTTPMethodNotAllowed(request.method, METHODS)
        # The library limits each line; this limits their sum.
        head = len(request.raw_path) + sum(len(n) + len(v) for n, v in request.raw_headers)
        if head > limits.head:
            return _refuse(431, f"a request's head can have at most {limits.head} bytes")
        words = _why_refused(request, hosts)
        return _refuse(403, words) if words else None

    @web.middleware
    async def guarded(request: web.Request, handler: Handler) -> web.StreamResponse:
        connection = TcpConnection.of(request)
        if connection is None:
            raise ConnectionResetError("the client disconnected before it got an answer")
        with connection.busy():
            if (refused := refusal(request)) is not None:
                return refused
            try:
                async with asyncio.timeout(limits.request):
                    await request.read()
            except TimeoutError:
                return _refuse(408, "the request took too long")
            except web.HTTPRequestEntityTooLarge:
                return _refuse(413, f"a request's body can have at most {limits.body} bytes")
            return await handler(request)

    return guarded


def _why_refused(request: web.Request, hosts: Hosts) -> str:
    """Why a browser's request is refused: it is for another server, or another server's page sent
    it. Empty if the request is all right.

    Programs that send no origin are harmless, because they carry no cookies.
    """
    host, origin = request.headers.get(hdrs.HOST, ""), request.headers.get(hdrs.ORIGIN)
    own = request.get_extra_info("sockname") or ("",)
    socket = request.headers.get(hdrs.UPGRADE, "").lower() == "websocket"
    if not (socket and origin is None) and not hosts.knows(host, own[0]):
        return _not_known(host)
    if not socket and request.method != "POST":
        return ""
    if origin is not None and not hosts.trusts(origin, host):
        return _not_known(origin.rpartition("/")[2])
    if request.headers.get("Sec-Fetch-Site", "none") not in ("same-origin", "none"):
        return "this comes from a page of another site"
    return ""


def _not_known(name: str) -> str:
    return (
        f"this server does not know the name {name[:200]!r}: use an address that the server "
        "printed at its start; if the name is right, add it to names in [server] of contest.toml "
        "and restart the server"
    )


def _refuse(status: int, words: str) -> web.Response:
    answer = web.json_response({"error": words}, status=status)
    answer.force_close()  # don't wait for the rest of the request
    return answer


def application(routes: Sequence[web.RouteDef], access: Access) -> web.Application:
    """A web application with the limits and host names of its access checks."""
    limits = access.limits
    app = web.Application(
        middlewares=[_guard(limits, access.hosts)],
        client_max_size=limits.body,
        logger=log,
    )
    # On unknown paths, too: the library answers unknown expectations with an error.
    for route in (*routes, web.route("*", "/{path:(?s:.*)}", _not_found)):
        kwargs = {**route.kwargs, "expect_handler": _expect}
        web.RouteDef(route.method, route.path, route.handler, kwargs).register(app.router)
    secure(app)
    return app


async def _not_found(request: web.Request) -> web.Response:
    """Answers requests that match no route, such as a wrong method or an extra slash at the end."""

    async def methods(of: web.Request) -> set[str]:
        pages = request.app.router.resources()
        found: set[str] = set().union(*[(await page.resolve(of))[1] for page in pages])
        return found - {hdrs.METH_ANY}

    if found := await methods(request):
        raise web.HTTPMethodNotAllowed(request.method, found)
    path = request.path.rstrip("/")
    # A request with a body can't be cloned; browsers send none here.
    if path != request.path and not await request.read():
        other = request.clone(rel_url=request.rel_url.with_path(path or "/"))
        if hdrs.METH_GET in await methods(other):
            return redirect(other.rel_url.raw_path, 307)
    return web.Response(text="there is no such page\n", status=404)


async def _expect(request: web.Request) -> web.Response | None:
    """Answers the header `Expect` (RFC 9110, section 10.1.1)."""
    if request.headers.get(hdrs.EXPECT, "").lower() != "100-continue":
        return web.Response(text="only 100-continue can be expected\n", status=417)
    await request.writer.write(b"HTTP/1.1 100 Continue\r\n\r\n")
    # The real answer follows: count its bytes from 0.
    request.writer.output_size = 0
    return None


@asynccontextmanager
async def serving(
    app: web.Application,
    host: str,
    port: int,
    identity: Identity | None = None,
    access: Access | None = None,
) -> AsyncIterator[str]:
    """Serves an application while the context is open.

    Arguments:
        app: what to serve.
        host: the address to bind to.
        port: the port; 0 for any free one.
        identity: the TLS identity; by default the server speaks plain HTTP.
        access: the application's, with the limits on connections; by default a new one.

    Returns:
        The address at which it listens, as `HOST:PORT`.

    Raises:
        EnvironmentProblem: if the address is not available.
    """
    access = access or Access()
    limits = access.limits
    _raise_file_limit(limits.connections)
    app[sockets.SOCKETS] = set()

    async def close_sockets(app: web.Application) -> None:
        closing = [
            asyncio.create_task(sockets.close(each, _RESTARTS)) for each in app[sockets.SOCKETS]
        ]
        if closing:
            await asyncio.wait(closing, timeout=_CLOSE_ALL)

    app.on_shutdown.append(close_sockets)
    runner = web.AppRunner(
        app,
        access_log=None,
        logger=_requests,
        keepalive_timeout=limits.request,
        lingering_time=0,
        max_line_size=_LONGER * limits.head,
        max_field_size=_LONGER * limits.head,
        shutdown_timeout=_CLOSE_ALL,
    )
    with _bound(host, port) as listener:
        await runner.setup()
        made = runner.server
        assert made is not None
        async with running(access.connections.watch(), "connections"):
            server = await asyncio.get_running_loop().create_server(
                lambda: cast(asyncio.Protocol, TcpConnection(made(), access.connections)),
                sock=listener,
                ssl=None if identity is None else identity.context,
            )
            bound = listener.getsockname()
            shown = f"[{bound[0]}]" if ":" in bound[0] else bound[0]
            try:
                yield f"{shown}:{bound[1]}"
            finally:
                access.gate.close()
                server.close()
                await runner.cleanup()
                for connection in list(access.connections.all):
                    connection.cut()


def serve_until_interrupted(
    app: web.Application, host: str, port: int, access: Access, announce: Callable[[str], None]
) -> None:
    """Serves an application until Ctrl-C.

    Arguments:
        app, host, port, access: see `serving`.
        announce: called with the address when it listens.

    Raises:
        EnvironmentProblem: if the address is not available.
    """

    async def serve() -> None:
        async with serving(app, host, port, access=access) as address:
            announce(address)
            await asyncio.Event().wait()

    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(serve())


@contextmanager
def _bound(host: str, port: int) -> Iterator[socket.socket]:
    """A socket that is bound to an address."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((host, port))
        except OSError as exc:
            raise EnvironmentProblem(
                f"can't listen on {host}:{port} ({exc.strerror or exc}); choose another port"
            ) from exc
        yield listener


def _is_worth_logging(record: logging.LogRecord) -> bool:
    """Drops log records that strangers could trigger at will: malformed requests, and clients that
    disconnect before the answer."""
    noise = (HttpProcessingError, ConnectionResetError)
    return record.exc_info is None or not isinstance(record.exc_info[1], noise)


_requests = logging.getLogger(f"{__name__}.requests")
_requests.addFilter(_is_worth_logging)
