"""The server's sockets: who may connect, under which names, and for how long; and what is served.

The library (aiohttp) closes a connection that has rested after an answer, and asks the other end of
a WebSocket whether it is there. It waits without end for a request that never comes whole, and for
a peer that reads nothing; these are cut off here.
"""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
import logging
import socket
from collections.abc import AsyncIterator, Coroutine, Iterable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from typing import Any, cast
from urllib.parse import urlsplit

from aiohttp import hdrs, web
from aiohttp.http_exceptions import HttpProcessingError
from aiohttp.typedefs import Handler, Middleware

from contest.errors import Refusal, Surroundings
from contest.net.codes import CodeTable
from contest.net.limits import Bucket, Crowded, Gate, Limits, address_of
from contest.net.sockets import (
    SOCKETS,
    Connection,
    Join,
    WireProtocol,
    close,
    last_words,
    opened,
    read,
    received,
)
from contest.net.tls import Identity
from contest.pages import redirect, secure
from contest.tasks import running
from lpp import wire

log = logging.getLogger(__name__)

METHODS = ("GET", "HEAD", "POST")
#: WebSocket's codes: "try again later", and for a server that ends and may be back.
TRY_AGAIN, _RESTARTS = 1013, 1012
#: Seconds between two looks at all connections.
LOOK = 1.0
#: Seconds without a request after which a connection may be cut off to make room for another. A new
#: one needs a moment for its first.
IDLE = 1.0
#: Seconds for a connection that is told to close, and for all of them when the server ends.
CLOSING, _GOODBYES = 5.0, 2.0
#: Descriptors that a server needs beside its connections: record, logs, entries' programs.
FILES = 200
#: How much longer than allowed a request's head may be for us to say so, and not the library.
_LONGER = 4


# Names


class Hosts:
    """The names by which browsers may ask for this server, and whose pages may send something to
    it: `localhost`, the machine's, the address that a connection came to, and those that are given.

    The owner of a strange name can have it resolve to this machine (DNS rebinding). A browser then
    takes the owner's pages for pages of this server; only the name, which the browser sends, gives
    them away.

    Arguments:
        given: further names and addresses, each with a port or without. `*.example` stands for
            all names of one more part.
        machine: the machine's own name; the system's if left out.

    Attributes:
        names: all names and addresses but those that a connection comes to.
    """

    def __init__(self, given: Iterable[str] = (), machine: str = "") -> None:
        own = (machine or socket.gethostname()).lower()
        self._origins = frozenset(map(_origin, given))
        self.names = {"localhost", own, f"{own.partition('.')[0]}.local"}
        self.names |= set(map(host_of, self._origins))

    def knows(self, host: str, local: str) -> bool:
        """Whether a server is asked for by one of its names: as the header `Host` has it, and at
        which address of this machine (`local`, empty if unknown)."""
        name = host_of(host)
        known = {*self.names, host_of(_origin(local))} - {""}
        return name in known or f"*.{name.partition('.')[2]}" in known

    def trusts(self, origin: str, host: str) -> bool:
        """Whether a page may send something here, by the headers `Origin` and `Host`: one of this
        server, or of a name that is given, because a proxy may pass on another `Host`."""
        try:
            place = urlsplit(origin).netloc.lower()
        except ValueError:
            return False
        return bool(place) and (place == host.lower() or place in self._origins)


def host_of(place: str) -> str:
    """The name or address of `HOST` or `HOST:PORT`, in small letters; empty if it is not one."""
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
    """A name or address as browsers write it where a page comes from."""
    try:
        address = ipaddress.ip_address(given.partition("%")[0])
    except ValueError:
        return given.lower()
    return f"[{address}]" if address.version == 6 else str(address)


# Connections


class Connections:
    """All connections of a server.

    A connection is admitted once its other end has shown a right code or a session. When there are
    too many, one that is not admitted is cut off, of the address that has the most of them: the
    oldest idle one, or else the oldest. So a flood pushes out itself, and admitted connections
    stay.

    Attributes:
        lines: all of them.
    """

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self.lines: set[Line] = set()
        # Those that are not admitted, by address, the oldest first.
        self._strangers: dict[str, dict[Line, None]] = {}

    def come(self, line: Line) -> None:
        """Takes in a new connection, and makes room for it."""
        self.lines.add(line)
        self._strangers.setdefault(line.address, {})[line] = None
        if len(self.lines) > self._limits.connections:
            crowd = max(self._strangers.values(), key=len)
            line = next((each for each in crowd if each.idle), next(iter(crowd)))
            self.go(line)
            line.cut()

    def admit(self, line: Line) -> None:
        """Notes that the other end of a connection has shown who it is."""
        crowd = self._strangers.get(line.address, {})
        crowd.pop(line, None)
        if not crowd:
            self._strangers.pop(line.address, None)

    def go(self, line: Line) -> None:
        """Forgets a connection."""
        self.lines.discard(line)
        self.admit(line)

    async def look_after(self) -> None:
        """Cuts off connections that are stuck, until it is cancelled."""
        while True:
            await asyncio.sleep(LOOK)
            for line in list(self.lines):
                line.look(self._limits)


class Line:
    """A connection, as an asyncio protocol: hands everything on to the library's protocol, and
    notes whether a request is under way.

    Arguments:
        inner: the library's protocol.
        crowd: all connections of the server.
    """

    transport: asyncio.Transport
    address = ""

    def __init__(self, inner: asyncio.Protocol, crowd: Connections) -> None:
        self._inner, self._crowd = inner, crowd
        self.data_received, self.eof_received = inner.data_received, inner.eof_received
        self.pause_writing, self.resume_writing = inner.pause_writing, inner.resume_writing
        self._now = asyncio.get_running_loop().time
        # Requests that are under way (an open WebSocket is one), and since when none is.
        self._requests, self._rests = 0, self._now()
        # How much waits to be sent, and since when it is as much.
        self._waits, self._waits_since = 0, 0.0
        self._closes_since: float | None = None

    @classmethod
    def of(cls, request: web.BaseRequest) -> Line | None:
        """The connection of a request; None if it is gone."""
        transport = request.transport
        protocol: object = None if transport is None else transport.get_protocol()
        return protocol if isinstance(protocol, Line) else None

    @property
    def idle(self) -> bool:
        """Whether no request has been under way for a while."""
        return not self._requests and self._now() - self._rests > IDLE

    @contextlib.contextmanager
    def busy(self) -> Iterator[None]:
        """A request is under way while the context is open."""
        self._requests += 1
        try:
            yield
        finally:
            self._requests -= 1
            self._rests = self._now()

    def cut(self) -> None:
        """Ends the connection at once."""
        self.transport.abort()

    def look(self, limits: Limits) -> None:
        """Ends the connection if it is stuck."""
        now, waits = self._now(), self.transport.get_write_buffer_size()
        if waits != self._waits:
            self._waits, self._waits_since = waits, now
        if self._closes_since is None and self.transport.is_closing():
            self._closes_since = now
        if (
            (not self._requests and now - self._rests > limits.request)
            or (self._closes_since is not None and now - self._closes_since > CLOSING)
            or (waits and now - self._waits_since > limits.stuck)
        ):
            self.cut()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """asyncio: the connection is there."""
        self.transport = cast(asyncio.Transport, transport)
        self._inner.connection_made(transport)
        peer = transport.get_extra_info("peername")
        self.address = address_of(peer[0] if isinstance(peer, tuple) else None)
        self._crowd.come(self)

    def connection_lost(self, exc: Exception | None) -> None:
        """asyncio: the connection is gone."""
        self._crowd.go(self)
        self._inner.connection_lost(exc)


def _raise_file_limit(connections: int) -> None:
    """Asks the system to let this process hold so many connections, as far as it may."""
    try:
        import resource
    except ImportError:  # Windows, which has no such limit
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = connections + FILES
    if hard != resource.RLIM_INFINITY:
        wanted = min(wanted, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        with contextlib.suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


# People and programs at the door


class Porter:
    """What all addresses of a server share: the gate, limits, names and connections.

    Arguments:
        gate: looks codes up.
        limits: of everything.
        hosts: this server's names.
    """

    def __init__(
        self, gate: Gate | None = None, limits: Limits | None = None, hosts: Hosts | None = None
    ) -> None:
        self.gate = gate or Gate()
        self.limits = limits or Limits()
        self.hosts = hosts or Hosts()
        self.connections = Connections(self.limits)
        # By who it is, and not by connection: coming again gives nobody more.
        self._buckets: dict[tuple[str, str, type | None], Bucket] = {}

    def admit(self, request: web.Request) -> None:
        """Notes that the other end of a connection has shown who it is."""
        if (line := Line.of(request)) is not None:
            self.connections.admit(line)

    async def opened(self, code: str, table: CodeTable, request: web.Request) -> str | None:
        """What a code opens that came with a request; see `Gate.opened`."""
        name = await self.gate.opened(code, table, address_of(request.remote))
        if name is not None:
            self.admit(request)
        return name

    def route(self, protocol: WireProtocol, table: CodeTable, join: Join) -> web.RouteDef:
        """Where clients of one kind come in: their frames, the codes that are good here, and what
        lets the client in that a code has named."""

        async def attend(request: web.Request) -> web.StreamResponse:
            if (hdrs.ORIGIN in request.headers) != protocol.for_pages:
                who = "pages in browsers" if protocol.for_pages else f"{protocol.who}s, not pages"
                return _say(403, f"this address is for {who}")
            async with opened(request) as socket:
                try:
                    name, hello = await self._named(request, socket, protocol, table)
                    connection = Connection(socket, f"the {protocol.who}", beats=protocol.for_pages)
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
                        reading = read(socket, protocol.decode, client.take, connection, buckets)
                        await _either(reading, connection.write())
                    finally:
                        client.leave(connection.reason or "the connection ended")
                except Crowded as exc:
                    await close(socket, TRY_AGAIN, str(exc))
                except (Refusal, wire.WireError) as exc:
                    if not socket.closed:
                        await socket.send_str(wire.encode(last_words(exc)))
            return socket

        return web.get(protocol.path, attend)

    async def _named(
        self,
        request: web.Request,
        socket: web.WebSocketResponse,
        protocol: WireProtocol,
        table: CodeTable,
    ) -> tuple[str, Any]:
        """Who the other end is, by its code; and its first frame."""
        try:
            async with asyncio.timeout(self.limits.hello):
                hello = protocol.greeted(await received(socket, protocol.decode))
        except TimeoutError:
            raise Refusal("hello", "say hello first") from None
        name = await self.opened(hello.code, table, request)
        if name is None:
            words = f"this is not the code of a {protocol.what}; check it, or ask"
            raise Refusal("bad-code", words, "hello")
        return name, hello


async def _either(reading: Coroutine[Any, Any, None], writing: Coroutine[Any, Any, None]) -> None:
    """Frames both ways, until one end leaves."""
    reader, writer = asyncio.create_task(reading), asyncio.create_task(writing)
    try:
        done, _ = await asyncio.wait({reader, writer}, return_when=asyncio.FIRST_COMPLETED)
        if reader in done and reader.exception() is None:
            # It was closed from here: what was said before goes out.
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
    """The middleware that looks at requests: size, the name that they ask for, and where
    they are from. A body comes to the page as a whole, or not at all."""

    def refusal(request: web.Request) -> web.Response | None:
        if request.method not in METHODS:
            raise web.HTTPMethodNotAllowed(request.method, METHODS)
        # The library limits each line; this is all of them.
        head = len(request.raw_path) + sum(len(n) + len(v) for n, v in request.raw_headers)
        if head > limits.head:
            return _say(431, f"a request's head may have at most {limits.head} bytes")
        words = _strange(request, hosts)
        return _say(403, words) if words else None

    @web.middleware
    async def guarded(request: web.Request, handler: Handler) -> web.StreamResponse:
        line = Line.of(request)
        if line is None:
            raise ConnectionResetError("the other end left before it got an answer")
        with line.busy():
            if (refused := refusal(request)) is not None:
                return refused
            try:
                async with asyncio.timeout(limits.request):
                    await request.read()
            except TimeoutError:
                return _say(408, "the request took too long")
            except web.HTTPRequestEntityTooLarge:
                return _say(413, f"a request's body may have at most {limits.body} bytes")
            return await handler(request)

    return guarded


def _strange(request: web.Request, hosts: Hosts) -> str:
    """The refusal for a browser that asks for another server, or that another server's page sent
    here; empty where nothing is wrong.

    Programs that say nothing of where they come from are no danger: they have nobody's cookies.
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
        "printed at its start; if the name is right, add it to names in [server] of contest.toml, "
        "and restart the server"
    )


def _say(status: int, words: str) -> web.Response:
    answer = web.json_response({"error": words}, status=status)
    answer.force_close()  # what is left of the request is not waited for
    return answer


def application(routes: Sequence[web.RouteDef], porter: Porter) -> web.Application:
    """A web application behind the limits and the names of a server, which the porter has."""
    limits = porter.limits
    app = web.Application(
        middlewares=[_guard(limits, porter.hosts)],
        client_max_size=limits.body,
        logger=log,
    )
    # Of what is nowhere, too: the library's own way with strange expectations is an error.
    for route in (*routes, web.route("*", "/{path:(?s:.*)}", _nowhere)):
        kwargs = {**route.kwargs, "expect_handler": _expect}
        web.RouteDef(route.method, route.path, route.handler, kwargs).register(app.router)
    secure(app)
    return app


async def _nowhere(request: web.Request) -> web.Response:
    """Answers where no route fits: another method of a page, or a slash too many at its end."""

    async def methods(of: web.Request) -> set[str]:
        pages = request.app.router.resources()
        found: set[str] = set().union(*[(await page.resolve(of))[1] for page in pages])
        return found - {hdrs.METH_ANY}

    if found := await methods(request):
        raise web.HTTPMethodNotAllowed(request.method, found)
    path = request.path.rstrip("/")
    # A request that had a body can't be cloned; a browser sends none there.
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
        porter: of the application, with the limits of connections; its own if left out.

    Returns:
        Where it listens, as `HOST:PORT`.

    Raises:
        Surroundings: if the address is not available.
    """
    porter = porter or Porter()
    limits = porter.limits
    _raise_file_limit(limits.connections)
    app[SOCKETS] = set()

    async def goodbye(app: web.Application) -> None:
        closing = [asyncio.create_task(close(each, _RESTARTS)) for each in app[SOCKETS]]
        if closing:
            await asyncio.wait(closing, timeout=_GOODBYES)

    app.on_shutdown.append(goodbye)
    runner = web.AppRunner(
        app,
        access_log=None,
        logger=_requests,
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
        async with running(porter.connections.look_after(), "connections"):
            server = await asyncio.get_running_loop().create_server(
                lambda: cast(asyncio.Protocol, Line(made(), porter.connections)),
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
                for line in list(porter.connections.lines):
                    line.cut()


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


def _no_noise(record: logging.LogRecord) -> bool:
    """Leaves out what strangers can make the server say at will: that a request was none, and that
    its sender went before it was answered."""
    noise = (HttpProcessingError, ConnectionResetError)
    return record.exc_info is None or not isinstance(record.exc_info[1], noise)


_requests = logging.getLogger(f"{__name__}.requests")
_requests.addFilter(_no_noise)
