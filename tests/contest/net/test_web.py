"""The server's socket: who may sit down, and that nothing odd reaches a talk."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass

import pytest
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

from contest.errors import Surroundings
from contest.live.hub import Hub
from contest.live.seats import Seats
from contest.net import codes, limits, web
from contest.net.limits import Limits
from contest.net.web import Porter
from contest.record.store import Record
from contest.state.phases import Phase, Status
from lpp import wire
from tests.contest.conftest import HandClock
from tests.contest.journals import InlineJournal, bodies


@dataclass
class Served:
    """A server with one judge's seat."""

    address: str
    code: str
    seats: Seats

    def connect(self) -> connect:
        return connect(f"ws://{self.address}/seat", proxy=None, open_timeout=10)


@pytest.fixture
async def served(
    journal: InlineJournal, clock: HandClock, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Served]:
    monkeypatch.setattr(limits, "SPACING", 0.01)
    hub = Hub(journal, lambda: Phase.INTERACTION)
    status = Status(Phase.INTERACTION, 1, 1, None)
    seats = Seats(hub.state, {"J1": "judge"}, "Contest", 4, hub, journal, lambda: status)
    seats.assign("J1", "left", hub.open_talk(1, 1, "J1", "C1", "left"))
    code = codes.issue(["J1"])["J1"]
    porter = Porter(limits=Limits(hello=0.5))
    app = web.application(seats, codes.CodeTable({"J1": code}), porter=porter)
    async with web.serving(app, "127.0.0.1", 0) as address:
        yield Served(address, code, seats)


async def frame(socket: ClientConnection) -> wire.ToSeat:
    async with asyncio.timeout(10):
        return wire.decode_to_seat(await socket.recv(decode=True))


async def refusal(socket: ClientConnection, answers: str = "") -> str:
    answer = await frame(socket)
    assert isinstance(answer, wire.Refused)
    assert answer.answers == answers
    with pytest.raises(ConnectionClosed):
        await frame(socket)
    return answer.code


async def sit(served: Served, socket: ClientConnection, take_over: bool = False) -> None:
    await socket.send(wire.encode(wire.Hello(served.code, client="test", take_over=take_over)))
    assert isinstance(await frame(socket), wire.Welcome)
    assert isinstance(await frame(socket), wire.State)
    assert isinstance(await frame(socket), wire.Talk)
    assert isinstance(await frame(socket), wire.Agreement)


async def test_a_judge_sits_down_and_types(served: Served, record: Record) -> None:
    async with served.connect() as socket:
        await sit(served, socket)
        await socket.send(wire.encode(wire.Press(1, 1, "left", 1, "H")))
        assert await frame(socket) == wire.Taken(1, 1, "left", 1)
    async with asyncio.timeout(10):
        while served.seats.seats["J1"].outlet is not None:
            await served.seats.changed.wait()
            served.seats.changed.clear()
    assert [body["seat"] for body in bodies(record, "seat-left")] == ["J1"]


@pytest.mark.parametrize(
    ("sent", "code", "answers"),
    [
        (wire.encode(wire.Hello("J1-AAAA-BBBB-CCCC")), "bad-code", "hello"),
        (wire.encode(wire.Hello("")), "bad-code", "hello"),
        (wire.encode(wire.Hello("x", version=99)), "version", "hello"),
        (wire.encode(wire.Press(1, 1, "left", 1, "H")), "hello", "press"),
        ("", "bad-frame", ""),
        ("null", "bad-frame", ""),
        ('{"type": "hello"}', "bad-frame", ""),
        ('{"type": "open-the-door", "code": "x"}', "bad-frame", ""),
        ('{"type": "hello", "code": "x", "admin": true}', "bad-frame", ""),
        ("[" * 5000, "bad-frame", ""),
    ],
)
async def test_who_may_not_sit_down(served: Served, sent: str, code: str, answers: str) -> None:
    async with served.connect() as socket:
        await socket.send(sent)
        assert await refusal(socket, answers) == code
    assert served.seats.seats["J1"].outlet is None


async def test_a_seat_is_taken_over(served: Served) -> None:
    async with served.connect() as first, served.connect() as second:
        await sit(served, first)
        await second.send(wire.encode(wire.Hello(served.code)))
        assert await refusal(second, "hello") == "seat-taken"
        async with served.connect() as third:
            await sit(served, third, take_over=True)
            assert await refusal(first) == "seat-taken"


async def test_an_address_that_is_taken(served: Served) -> None:
    port = int(served.address.rpartition(":")[2])
    app = web.application(served.seats, codes.CodeTable({}))
    with pytest.raises(Surroundings, match="choose another port"):
        async with web.serving(app, "127.0.0.1", port):
            pass
