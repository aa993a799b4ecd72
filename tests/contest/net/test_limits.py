"""Tests the limits: rates, wrong codes, requests, connections, slow readers."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import ssl
from asyncio import sslproto
from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, cast

import pytest
from aiohttp import web as aio
from hypothesis import given
from hypothesis import strategies as st

from contest.net import codes, sockets, web
from contest.net.limits import (
    MAX_WAITING,
    REPORT_AFTER,
    REPORTED_ADDRESSES,
    SPACING,
    Bucket,
    Gate,
    Limits,
    Rate,
    TooBusy,
    address_of,
)
from contest.net.sockets import CLOSE_LIMIT, TOO_FAST_LIMIT, Connection
from contest.net.web import TRY_AGAIN, Access, Connections, Hosts
from lpp import wire

# The documentation


def test_documented_limits() -> None:
    page = (Path(__file__).parents[3] / "docs/reference/wire.md").read_text(encoding="utf-8")
    said = page.partition("## Limits")[2]
    assert f"more than {wire.FRAME_LIMIT:,} bytes" in said
    assert f"{sockets.QUEUE_FRAMES:,} frames or {sockets.QUEUE_CHARACTERS // 2**20} MiB" in said
    assert f"at {1 / SPACING:g} a second, and {MAX_WAITING} may wait" in said
    keys = " ".join(str(Limits.__doc__).split())
    assert f"{TOO_FAST_LIMIT:g} seconds" in keys
    assert str(TRY_AGAIN) in keys


# Rates


@given(
    st.floats(0.1, 1000),
    st.integers(1, 100),
    st.lists(st.floats(0, 10), max_size=200),
)
def test_bucket_enforces_its_rate_without_longer_waits_than_necessary(
    second: float, burst: int, gaps: list[float]
) -> None:
    bucket, now, used = Bucket(Rate(second, burst), 0.0), 0.0, []
    for gap in gaps:
        now += gap
        # Wait before the next one, as a reader does.
        now += bucket.take(now)
        used.append(now)
    for n, at in enumerate(used):
        for m, later in enumerate(used[n:], 1):
            assert m <= burst + second * (later - at) + 1e-6 * m + 1
        if n < burst:
            assert at <= sum(gaps[: n + 1]) + 1e-9


@pytest.mark.parametrize(
    ("host", "address"),
    [
        ("192.168.1.77", "192.168.1.77"),
        ("::ffff:192.168.1.77", "192.168.1.77"),
        ("2001:db8:1:2:aaaa:bbbb:cccc:dddd", "2001:db8:1:2::/64"),
        ("2001:db8:1:2::1", "2001:db8:1:2::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        ("::1", "::1"),
        ("::ffff:127.0.0.1", "127.0.0.1"),
        ("127.0.0.9", "127.0.0.9"),
        (None, "nowhere"),
        ("testclient", "testclient"),
    ],
)
def test_address_under_which_a_connection_is_counted(host: str | None, address: str) -> None:
    assert address_of(host) == address


# All connections


@dataclass(eq=False)
class PendingConnection:
    """A connection that was not admitted."""

    number: int
    address: str
    idle: bool
    cuts: list[int]

    def cut(self) -> None:
        """Ends the connection."""
        self.cuts.append(self.number)


def test_only_unadmitted_connections_of_the_busiest_address_are_cut() -> None:
    crowd, cut = Connections(Limits(connections=5)), list[int]()
    lines: dict[int, PendingConnection] = {}

    def come(number: int, address: str, *, idle: bool = True) -> None:
        lines[number] = PendingConnection(number, address, idle, cut)
        crowd.add(cast(web.TcpConnection, lines[number]))

    for number, idle in enumerate((True, False, True, True)):
        come(number, "10.0.0.1", idle=idle)
    crowd.admit(cast(web.TcpConnection, lines[0]))
    come(10, "10.0.0.2")
    for number in (4, 5, 6):
        come(number, "10.0.0.1", idle=False)
    # 2 and 3 are idle and go first, then the oldest; 0 is admitted.
    assert cut == [2, 3, 1]
    for line in [*lines.values(), *lines.values()]:
        crowd.remove(cast(web.TcpConnection, line))  # twice for cut connections
    assert crowd.all == set()
    for number in range(20, 25):
        come(number, "10.0.0.1")
        crowd.admit(cast(web.TcpConnection, lines[number]))
    come(30, "10.0.0.3")
    assert cut == [2, 3, 1, 30], "only this one is not admitted"


async def test_a_tls_connection_that_was_closed_twice_does_not_end_the_watch() -> None:
    connection = web.TcpConnection(asyncio.Protocol(), Connections(Limits()))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    loop = asyncio.get_running_loop()
    tls: Any = sslproto.SSLProtocol(
        loop, asyncio.Protocol(), context, loop.create_future(), False, "localhost"
    )
    connection.transport = tls._get_app_transport()
    # After the second close, asyncio no longer knows how much is waiting to be sent.
    for _ in range(2):
        connection.transport.close()
    connection.cut_if_stuck(Limits())


# Codes


ISSUED = {"J1": "J1-7KQ2-M4XD-9TRA", "J2": "J2-AAAA-BBBB-CCCC"}
TABLE = codes.CodeTable(ISSUED)
WRONG = "J1-7KQ2-M4XD-9TRB"


async def took(made: Gate, code: str, address: str) -> tuple[str | None, float]:
    loop = asyncio.get_running_loop()
    began = loop.time()
    try:
        found = await made.check(code, TABLE, address)
    except TooBusy:
        found = "crowded"
    return found, round(loop.time() - began, 3)


@pytest.mark.looptime
async def test_every_wrong_code_is_answered_after_the_same_delay() -> None:
    made = Gate()
    assert await took(made, ISSUED["J1"].lower(), "a") == ("J1", 0)
    near, far = "J1-7KQ2-M4XD-9TR", "J3-7KQ2-M4XD-9TRA"
    for wrong in (WRONG, near, far, "", "J1-", "nobody", "x" * 60_000, "\ud800", "J1-\udcff"):
        assert await took(made, wrong, "b") == (None, SPACING)


@pytest.mark.looptime
async def test_guessers_are_slowed_down_and_lock_nobody_out() -> None:
    """30 guessers try for a minute; then as many more as may wait."""
    made, loop, answers = Gate(), asyncio.get_running_loop(), list[float]()

    async def guess() -> None:
        while True:
            assert await made.check(WRONG, TABLE, "shared") is None
            answers.append(loop.time())

    async with asyncio.TaskGroup() as group:
        guessers = [group.create_task(guess()) for _ in range(30)]
        for _ in range(30):
            await asyncio.sleep(2)
            for name, code in ISSUED.items():
                assert await took(made, code, "shared") == (name, 0)
        more = await asyncio.gather(*(took(made, WRONG, f"a{n}") for n in range(MAX_WAITING)))
        assert more.count(("crowded", 0)) == 30
        for each in guessers:
            each.cancel()
    gaps = [late - early for early, late in itertools.pairwise(answers)]
    assert min(gaps) >= SPACING - 1e-6


@pytest.mark.looptime
async def test_waiting_wrong_codes_are_refused_when_the_server_stops() -> None:
    made = Gate()
    waiting = [asyncio.create_task(took(made, WRONG, f"a{n % 3}")) for n in range(30)]
    await asyncio.sleep(SPACING / 2)
    made.close()
    assert {each[0] for each in await asyncio.gather(*waiting)} == {"crowded"}
    assert await took(made, WRONG, "b") == ("crowded", 0)


@pytest.mark.looptime
async def test_wrong_codes_are_reported_once_per_address_up_to_a_limit() -> None:
    told: list[tuple[str, int]] = []
    made = Gate(lambda *what: told.append(what))
    for n in range(REPORTED_ADDRESSES + 5):
        for _ in range(REPORT_AFTER + 2):
            await made.check(WRONG, TABLE, f"10.0.0.{n}")
    assert told == [
        *((f"10.0.0.{n}", REPORT_AFTER) for n in range(REPORTED_ADDRESSES)),
        ("further addresses", REPORT_AFTER),
    ]


# Slow readers


class StuckSocket:
    """A WebSocket whose peer stops reading after `takes` frames."""

    def __init__(self, takes: int) -> None:
        self.taken: list[str] = []
        self._takes = takes

    async def send_str(self, text: str) -> None:
        if len(self.taken) == self._takes:
            await asyncio.Event().wait()
        self.taken.append(text)


def connection(stuck: StuckSocket) -> Connection:
    return Connection(cast(aio.WebSocketResponse, stuck), "the console")


@pytest.mark.looptime
@pytest.mark.parametrize(("frames", "size"), [(sockets.QUEUE_FRAMES + 9, 1), (40, 2**19)])
async def test_peer_that_stops_reading_is_cut_off_and_its_queue_discarded(
    frames: int, size: int
) -> None:
    stuck = StuckSocket(3)
    out = connection(stuck)
    writing = asyncio.create_task(out.write())
    frame = wire.Past(1, 1, "left", [(0, "judge", "x" * size)])
    for _ in range(frames):
        out.send(frame)
        if not out.reason:
            assert len(out._texts) * size <= sockets.QUEUE_CHARACTERS
        if len(out._texts) < 5:
            await asyncio.sleep(0)
    assert out.reason == "the console is too slow"
    async with asyncio.timeout(1):
        await writing
    assert not out._texts
    assert asyncio.get_running_loop().time() < 0.1


@pytest.mark.looptime
async def test_closing_sends_the_queue_within_a_time_limit() -> None:
    a, b = wire.Taken(1, 1, "left", 1), wire.Taken(1, 1, "left", 2)
    for takes, heard, seconds in ((9, [a, b], 0), (1, [a], CLOSE_LIMIT)):
        began = asyncio.get_running_loop().time()
        stuck = StuckSocket(takes)
        out = connection(stuck)
        writing = asyncio.create_task(out.write())
        out.send(a)
        out.send(b)
        await asyncio.sleep(0.001)
        out.close("the contest is over")
        out.send(b)
        await writing
        assert stuck.taken == [*map(wire.encode, heard)]
        assert asyncio.get_running_loop().time() - began == pytest.approx(seconds, abs=0.01)
    # A connection that was closed before the writer started.
    out = connection(stuck := StuckSocket(9))
    out.send(a)
    out.close("why")
    await out.write()
    assert stuck.taken == [wire.encode(a)]


# Requests


async def _say(request: aio.Request) -> aio.Response:
    return aio.json_response({"body": len(await request.read()), "method": request.method})


async def _much(request: aio.Request) -> aio.StreamResponse:
    answer = aio.StreamResponse()
    await answer.prepare(request)
    for _ in range(1000):
        await answer.write(b"x" * 65536)
    return answer


async def _long(_request: aio.Request) -> aio.Response:
    await asyncio.sleep(0.7)
    return aio.Response(text="done")


ROUTES = [aio.route("*", "/say", _say), aio.get("/much", _much), aio.get("/long", _long)]
LIMITS = Limits(connections=12, request=0.4, body=1000, head=4096, stuck=0.3)


@pytest.fixture
def limits(request: pytest.FixtureRequest) -> Limits:
    """The limits of the server at `port`. Only requests that must be too late have short ones: a
    busy machine may need longer for the others."""
    case = getattr(request.node, "callspec", None)
    if case is None or case.params.get("status", 408) == 408:
        return LIMITS
    return replace(LIMITS, request=20.0, stuck=20.0)


@pytest.fixture
async def port(limits: Limits, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[int]:
    monkeypatch.setattr(web, "CHECK_EVERY", 0.02)
    monkeypatch.setattr(web, "CLOSING", 0.2)
    hosts = Hosts(["proxied.example", "other.example:8443"])
    access = Access(limits=limits, hosts=hosts)
    app = web.application(ROUTES, access)
    async with web.serving(app, "127.0.0.1", 0, access=access) as address:
        yield int(address.rpartition(":")[2])


class RawConnection:
    """A raw connection to the server."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader, self.writer = reader, writer

    async def ask(self, *parts: bytes) -> int:
        """Sends, and reads the answer's status; 0 if there is none."""
        with contextlib.suppress(ConnectionError):
            for part in parts:
                self.writer.write(part)
                await self.writer.drain()
            async with asyncio.timeout(5):
                line = await self.reader.readline()
                return int(line.split()[1]) if line else 0
        return 0

    async def gone(self) -> bool:
        """Waits until the server has closed it."""
        with contextlib.suppress(ConnectionError):
            async with asyncio.timeout(5):
                while await self.reader.read(65536):
                    pass
        return True


@contextlib.asynccontextmanager
async def connect_raw(port: int, source: str = "127.0.0.1") -> AsyncIterator[RawConnection]:
    reader, writer = await asyncio.open_connection("127.0.0.1", port, local_addr=(source, 0))
    try:
        yield RawConnection(reader, writer)
    finally:
        writer.transport.abort()
        with contextlib.suppress(ConnectionError):
            await writer.wait_closed()


def request(line: str, body: bytes = b"", **headers: str) -> bytes:
    named = {"Host": "localhost:8765", "Length": str(len(body)), **headers}
    named["Content-Length"] = named.pop("Length")
    head = "".join(f"{name}: {value}\r\n" for name, value in named.items())
    return f"{line} HTTP/1.1\r\n{head}\r\n".encode() + body


@pytest.mark.parametrize(
    ("sent", "status"),
    [
        (request("GET /say"), 200),
        (request("POST /say", b"x" * 1000), 200),
        (request("POST /say", b"x" * 1001), 413),
        (request("POST /say", b"", Length="999999999999999"), 408),
        (request("POST /say", b"x" * 400, Length="900"), 408),
        (request("DELETE /say"), 405),
        (request("TRACE /say"), 405),
        (request("OPTIONS *"), 405),
        (request("POST /much", b"x"), 405),
        (request("GET /long/"), 307),
        (request("GET /say", Expect="the unexpected"), 417),
        (request("GET /" + "x" * 5000), 431),
        (request("GET /say?" + "x" * 5000), 431),
        (request("GET /say", Cookie="x" * 5000), 431),
        (request("POST /say", Origin="http://localhost:8765"), 200),
        (request("POST /say", Origin="http://localhost:8766"), 403),
        (request("GET /say", Host="127.0.0.1:1"), 200),
        (request("GET /say", Host="LOCALHOST."), 200),
        (request("GET /say", Host="127.0.0.2"), 403),
        (request("GET /say", Host="[::1]"), 403),
        (request("GET /say", Host="evil.example"), 403),
        (request("GET /say", Host="["), 403),
        (request("GET /say", Host="evil.example", Origin="http://evil.example"), 403),
        (request("POST /say", Host="evil.example", Origin="http://evil.example"), 403),
        (request("POST /say", Host="proxied.example", Origin="https://proxied.example"), 200),
        (request("POST /say", Origin="https://proxied.example"), 200),
        (request("POST /say", Origin="https://other.example:8443"), 200),
        (request("POST /say", Origin="https://other.example"), 403),
        (request("POST /say", b"", **{"Sec-Fetch-Site": "cross-site"}), 403),
        (request("POST /say", b"", **{"Sec-Fetch-Site": "none"}), 200),
        (request("POST /say", Origin="http://evil.example"), 403),
        (request("POST /say", Origin="null"), 403),
        (request("POST /say", Origin="http://["), 403),
        (request("GET /nowhere", Origin="http://evil.example"), 404),
        (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", 400),
        (b"nonsense\r\n\r\n", 400),
    ],
)
async def test_requests_have_limits(
    port: int, sent: bytes, status: int, caplog: pytest.LogCaptureFixture
) -> None:
    async with connect_raw(port) as line:
        assert await line.ask(sent) == status
    assert [record for record in caplog.records if record.levelname in ("WARNING", "ERROR")] == []


async def test_incomplete_request_is_cut_off(port: int) -> None:
    for parts in ([], [b"GET /say HT"], [b"GET /say HTTP/1.1\r\n", b"Host: x\r\n"]):
        async with connect_raw(port) as line:
            assert await line.ask(*parts) == 0
    # So is a second request that arrives byte by byte.
    async with connect_raw(port) as line:
        assert await line.ask(request("GET /say")) == 200
        for byte in b"GET /say HTTP/1.1\r\nX: " + b"x" * 60:
            line.writer.write(bytes([byte]))
            await asyncio.sleep(0.01)
            if line.reader.at_eof():
                break
        assert await line.gone()


async def test_client_that_does_not_read_the_answer_is_cut_off(port: int) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=1)
    transport = cast(Any, writer.transport)
    transport.pause_reading()
    writer.write(request("GET /much"))
    loop = asyncio.get_running_loop()
    began = loop.time()
    # The client notices only when it reads again.
    await asyncio.sleep(3 * LIMITS.stuck)
    transport.resume_reading()
    total = 0
    with contextlib.suppress(ConnectionError):
        async with asyncio.timeout(5):
            while part := await reader.read(1 << 20):
                total += len(part)
    assert total < 1000 * 65536
    assert loop.time() - began < 5
    writer.close()
    with contextlib.suppress(ConnectionError):
        await writer.wait_closed()


# On a busy machine, the other tests' short limit for a request may be too short here.
@pytest.mark.parametrize("limits", [Limits(connections=12)])
async def test_connections_are_limited(port: int) -> None:
    async with contextlib.AsyncExitStack() as stack:

        async def at_once(source: str, count: int) -> int:
            lines = [
                await stack.enter_async_context(connect_raw(port, source)) for _ in range(count)
            ]
            statuses = await asyncio.gather(*(line.ask(request("GET /say")) for line in lines))
            assert set(statuses) <= {0, 200}
            return statuses.count(200)

        assert await at_once("127.0.0.1", 16) == 12
        # Connections from the first address make room.
        assert await at_once("127.0.0.2", 4) == 4
    for _ in range(100):
        async with connect_raw(port) as line:
            if await line.ask(request("GET /say")) == 200:
                break
            await asyncio.sleep(0.02)
    else:
        pytest.fail("closed connections are still counted")
