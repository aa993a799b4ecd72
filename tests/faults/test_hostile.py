"""Hostile and broken clients at real sockets: they stop reading, flood, guess codes, or keep using
a seat that is no longer theirs.

Nobody else's talk is slowed down, and nothing is lost.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import os
import socket
import struct
import time
import tracemalloc
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

from contest.live.hub import Hub
from contest.live.seats import Seats
from contest.net import codes, sockets, web
from contest.net import limits as limits_
from contest.net.codes import CodeTable
from contest.net.limits import Gate, Limits, Rate
from contest.net.web import TRY_AGAIN, Access
from contest.record.bodies import WrongCodes
from contest.record.journal import Journal
from contest.record.store import Record, sqlite_url
from contest.state.model import Talk
from contest.state.phases import Phase, Status
from judge_console.client import SeatClient
from lpp import wire
from lpp.clock import LoopClock
from tests.conftest import Until
from tests.contest.journals import bodies
from tests.contest.seat_app import settings_of, site

ROLES: dict[str, wire.Role] = {
    "J1": "judge",
    "C1": "confederate",
    "J2": "judge",
    "C2": "confederate",
}


@dataclass
class Room:
    """A server with two desks: J1 talks with C1, J2 with C2."""

    address: str
    codes: dict[str, str]
    table: CodeTable
    seats: Seats
    hub: Hub
    talks: dict[str, Talk]
    record: Record
    journal: Journal
    access: Access
    told: list[str] = field(default_factory=list)

    @asynccontextmanager
    async def at(self, source: str = "127.0.0.1") -> AsyncIterator[ClientConnection]:
        async with connect(
            f"ws://{self.address}/seat",
            proxy=None,
            max_size=None,
            max_queue=None,
            close_timeout=0.2,
            local_addr=(source, 0),
        ) as line:
            yield line

    @asynccontextmanager
    async def seated(self, seat: str) -> AsyncIterator[SeatClient]:
        async with SeatClient(f"ws://{self.address}", self.codes[seat]) as client:
            await client.ready()
            yield client


@asynccontextmanager
async def served(place: Path, limits: Limits) -> AsyncIterator[Room]:
    clock = LoopClock()
    with Record(sqlite_url(place / "record.db"), create=True) as record:
        async with Journal(record, clock) as journal:
            hub = Hub(journal, lambda: Phase.INTERACTION)
            status = Status(Phase.INTERACTION, 1, 1, None)
            seats = Seats(settings_of(ROLES), hub, lambda: status)
            talks = {}
            for desk in "12":
                talk = hub.open_talk(1, 1, f"J{desk}", f"C{desk}", "left")
                seats.assign(f"J{desk}", "left", talk)
                seats.assign(f"C{desk}", "only", talk)
                talk.begun = True
                talks[desk] = talk
            issued = codes.issue(ROLES)
            table = CodeTable(issued)
            access = Access(
                Gate(lambda where, n: journal.write(None, "server", WrongCodes(where, n))), limits
            )
            app = site(seats, table, access=access)
            async with web.serving(app, "127.0.0.1", 0, access=access) as address:
                yield Room(address, issued, table, seats, hub, talks, record, journal, access)
            await journal.flush()


@pytest.fixture
def limits() -> Limits:
    return Limits()


@pytest.fixture
async def room(
    tmp_path: Path, limits: Limits, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Room]:
    monkeypatch.setattr(web, "CHECK_EVERY", 0.05)
    monkeypatch.setattr(sockets, "CLOSE_LIMIT", 0.3)
    async with served(tmp_path, limits) as made:
        yield made


@asynccontextmanager
async def deaf(room: Room, seat: str) -> AsyncIterator[socket.socket]:
    """A console that connects and never reads; its system buffers as little as possible."""
    with socket.socket() as line:
        await sit_down(room, seat, line)
        yield line


async def sit_down(room: Room, seat: str, line: socket.socket) -> None:
    line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
    line.setblocking(False)
    host, _, port = room.address.rpartition(":")
    loop = asyncio.get_running_loop()
    await loop.sock_connect(line, (host, int(port)))
    head = "GET /seat HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
    head += "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
    await loop.sock_sendall(line, head.encode())
    await loop.sock_recv(line, 1024)
    text = wire.encode(wire.Hello(room.codes[seat], take_over=True)).encode()
    assert len(text) < 126
    mask = os.urandom(4)
    masked = bytes(each ^ mask[n % 4] for n, each in enumerate(text))
    await loop.sock_sendall(line, struct.pack("!BB", 0x81, 0x80 | len(text)) + mask + masked)


async def trip(judge: SeatClient, confederate: SeatClient, key: str) -> float:
    """Seconds from a key press until the other console shows it."""
    began = time.perf_counter()
    before = len(confederate.model.talks["only"].shown)
    await judge.press("left", key)
    while len(confederate.model.talks["only"].shown) == before:  # noqa: ASYNC110
        await asyncio.sleep(0.0005)
    return time.perf_counter() - began


async def test_console_that_stops_reading_delays_nobody_and_gets_all_keys_after_reconnecting(
    room: Room, until: Until, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sockets, "QUEUE_FRAMES", 3000)
    talk = room.talks["1"]
    async with room.seated("J2") as judge, room.seated("C2") as confederate:
        typed = 0

        async def trip_beside_typing() -> float:
            """As `trip`, while 150 keys are typed at J1's desk."""
            nonlocal typed
            for _ in range(150):
                typed += 1
                room.hub.press(talk, "entity", "C1", "b", typed)
            return await trip(judge, confederate, "a")

        calm = sorted([await trip_beside_typing() for _ in range(10)])
        async with deaf(room, "J1"):
            seat = room.seats.seats["J1"]
            await until(lambda: seat.outlet is not None)
            outlet = seat.outlet
            assert outlet is not None
            # The systems at both ends buffer a few megabytes before frames queue in the server.
            for _ in range(200):
                outlet.send(wire.Agreement("x" * 60_000))
            tracemalloc.start()
            try:
                busy = []
                while seat.outlet is not None:
                    busy.append(await trip_beside_typing())
                    assert typed < 9000, "it is never cut off"
                _, most = tracemalloc.get_traced_memory()
            finally:
                tracemalloc.stop()
            assert most < 100e6
            # It was disconnected because of its queued frames, and nobody waited for it.
            assert "too slow" in getattr(outlet, "reason", "")
            assert len(busy) >= 10
            busy.sort()
            assert busy[len(busy) // 2] < 10 * calm[len(calm) // 2] + 0.25
            await until(lambda: room.hub.durable(talk, "entity") == typed)
            async with room.seated("J1") as back:
                await until(lambda: "left" in back.model.talks)
                await until(lambda: len(back.model.talks["left"].shown) == typed)
    await room.journal.flush()
    left = [body for body in bodies(room.record, "seat-left") if body["seat"] == "J1"]
    assert left[0]["reason"] == "the console is too slow"


async def test_flood_of_frames_is_read_slowly_and_delays_nobody(room: Room) -> None:
    async with (
        room.seated("J2") as judge,
        room.seated("C2") as confederate,
        room.at() as flood,
    ):
        await flood.send(wire.encode(wire.Hello(room.codes["J1"])))
        texts = [
            wire.encode(frame)
            for frame in (
                wire.Consent(True, ""),
                wire.Read(1, 1, "left"),
                wire.Verdict(1, 1, "left", 50, "x" * 60_000),
                wire.Ranks({"a": 1}),
            )
        ]

        async def send() -> None:
            with contextlib.suppress(ConnectionClosed):
                for n in range(100_000):
                    await flood.send(texts[n % len(texts)])

        sending = asyncio.create_task(send())
        began = time.monotonic()
        trips = [await trip(judge, confederate, "a") for _ in range(100)]
        seconds = time.monotonic() - began
        sending.cancel()
        await asyncio.wait([sending])
        flood.transport.abort()
        rate = room.access.limits.frames
        await room.journal.flush()
        assert len(bodies(room.record, "consent")) <= rate.burst + rate.per_second * (seconds + 5)
        assert sorted(trips)[50] < 0.25


@pytest.mark.parametrize("limits", [Limits(keys=Rate(50, 3000))])
async def test_console_that_reconnects_with_thousands_of_keys_is_not_cut_off(
    room: Room, limits: Limits, until: Until
) -> None:
    """Sends nearly as many keys at once as the limit allows."""
    keys = 2500
    async with room.at() as line:
        await line.send(wire.encode(wire.Hello(room.codes["J1"])))
        began = time.monotonic()
        for n in range(1, keys + 1):
            await line.send(wire.encode(wire.Press(1, 1, "left", n, "a")))
        await until(lambda: room.hub.durable(room.talks["1"], "judge") == keys, 60)
        assert time.monotonic() - began < keys / limits.keys.per_second
    assert [body["n"] for body in bodies(room.record, "key")] == list(range(1, keys + 1))


@pytest.mark.parametrize("limits", [Limits(connections=30)])
async def test_idle_connections_lock_nobody_out_at_the_same_address(
    room: Room, until: Until
) -> None:
    host, _, port = room.address.rpartition(":")

    async def idle(count: int) -> None:
        for _ in range(count):
            line = socket.create_connection((host, int(port)))
            stack.callback(line.close)
            await asyncio.sleep(0)

    async with contextlib.AsyncExitStack() as stack:
        await idle(40)
        judge = await stack.enter_async_context(room.seated("J1"))
        # Connected clients are not disconnected either.
        await idle(70)
        confederate = await stack.enter_async_context(room.seated("C1"))
        await idle(40)
        await until(lambda: len(room.access.connections.all) == 30)
        await judge.press("left", "a")
        await until(lambda: confederate.model.talks["only"].shown)
    await room.journal.flush()
    assert len(bodies(room.record, "seat-joined")) == 2


async def guess(room: Room, source: str, seat: str = "J1") -> str:
    async with room.at(source=source) as line:
        try:
            await line.send(wire.encode(wire.Hello(f"{seat}-AAAA-BBBB-CCCC")))
            return json.loads(await line.recv())["code"]  # type: ignore[no-any-return]
        except ConnectionClosed as exc:
            return str(exc.rcvd.code if exc.rcvd is not None else 1006)


async def test_guesser_locks_no_judge_out_and_is_reported(
    room: Room, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(limits_, "SPACING", 0.05)
    monkeypatch.setattr(limits_, "MAX_WAITING", 20)
    began = time.monotonic()
    guesses = [asyncio.create_task(guess(room, "127.0.0.1")) for _ in range(60)]
    await asyncio.sleep(0.1)
    for seat in ROLES:
        async with room.seated(seat):
            pass
    answers = await asyncio.gather(*guesses)
    assert set(answers) == {"bad-code", str(TRY_AGAIN)}
    assert time.monotonic() - began >= answers.count("bad-code") * 0.05
    await room.journal.flush()
    assert bodies(room.record, "wrong-codes") == [{"address": "127.0.0.1", "tries": 3}]
    assert [r for r in caplog.records if r.levelno >= logging.WARNING] == []
