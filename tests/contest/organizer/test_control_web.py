"""Tests the organizer's orders by HTTP: authentication, and refusals of malformed orders."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from contest.errors import BadOrder, EnvironmentProblem, UserError, WrongMoment
from contest.net import addresses, codes, limits
from contest.net.addresses import ControlAddress
from contest.serving.server import Server
from loebner.common import send
from lpp import wire
from tests.contest.organizer.board_server import organizer, staged


@pytest.fixture
async def stage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Server]:
    monkeypatch.setattr(limits, "SPACING", 0.1)
    async with staged(tmp_path / "contest") as made:
        yield made


async def order(stage: Server, **order: Any) -> dict[str, Any]:
    return await asyncio.to_thread(send, addresses.find_control(stage.folder), order)


async def raw(stage: Server, body: bytes, code: str) -> tuple[int, dict[str, Any]]:
    """Sends raw, possibly malformed HTTP."""
    host, _, port = stage.address.rpartition(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    head = "POST /control HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
    bearer = f"Authorization: Bearer {code}\r\n" if code else ""
    writer.write(f"{head}{bearer}Content-Length: {len(body)}\r\n\r\n".encode() + body)
    answer = await reader.read()
    writer.close()
    await writer.wait_closed()
    first, _, rest = answer.partition(b"\r\n")
    return int(first.split()[1]), json.loads(rest.partition(b"\r\n\r\n")[2])


async def test_wrong_codes_and_malformed_orders_are_refused(stage: Server) -> None:
    before = stage.record.chains.last_seq
    for body in (
        *(b"", b"null", b'{"action": "dance"}', b'{"action": "status", "x": "\xff"}'),
        *(b"[" * 10_000, b'{"action": "pause", "reason": "' + b"x" * 20_000 + b'"}'),
    ):
        status, answer = await raw(stage, body, organizer(stage))
        assert status == 400
        assert answer["error"]
    for code in ("", stage.codes["J1"], "organizer-AAAA-BBBB-CCCC", "x" * 5000):
        began = time.monotonic()
        answers = await asyncio.gather(
            *(raw(stage, b'{"action": "status"}', code) for _ in range(2))
        )
        assert answers == [(401, {"error": "this is not the organizer's code"})] * 2
        assert time.monotonic() - began >= 0.2, "one at a time, and late"
    await stage.journal.flush()
    kinds = {event.kind for event in stage.record.events(after=before)}
    assert kinds <= {"wrong-codes"}, "nothing was recorded"


class Outlet:
    """A console that only listens."""

    def __init__(self) -> None:
        self.frames: list[wire.ToSeat] = []
        self.closed = ""

    def send(self, frame: wire.ToSeat) -> None:
        self.frames.append(frame)

    def close(self, why: str) -> None:
        self.closed = why


async def test_an_order_is_durable_before_it_is_answered(stage: Server) -> None:
    seats = stage.conductor.seats
    outlets = {seat: Outlet() for seat in stage.codes}
    for seat, outlet in outlets.items():
        if seat != "C2":
            seats.join(seat, wire.Hello(""), outlet)
    with pytest.raises(WrongMoment, match=r"not ready \(seat C2: no console is connected"):
        await order(stage, action="start")
    checked = await order(stage, action="check")
    assert not checked["ready"]
    assert "seat C2" in {each["what"] for each in checked["checks"] if not each["ok"]}
    answer = await order(stage, action="start", anyway=True)
    assert answer["done"] == "round 1 has begun"
    assert answer["status"]["phase"] == "interaction"
    assert answer["status"]["next"] == {"round": 2, "attempt": 1}
    told = [f for f in outlets["J1"].frames if isinstance(f, wire.State)][-1]
    assert told.phase == "interaction"
    await order(stage, action="pause", reason="a lamp fell down")
    (event,) = stage.record.events(kind="round-paused")
    assert (event.actor, event.body["reason"]) == ("organizer", "a lamp fell down")
    status = (await order(stage, action="status"))["status"]
    (incident,) = (each for each in status["incidents"] if each["kind"] == "round-paused")
    assert incident["what"] == "round 1 was paused: a lamp fell down"
    with pytest.raises(WrongMoment, match="round 1 is paused"):
        await order(stage, action="pause", reason="again")

    old = stage.codes["J1"]
    answer = await order(stage, action="codes", seat="J1")
    assert answer["code"] != old
    assert outlets["J1"].closed == "a new code was issued for this seat"
    text = (stage.folder / codes.FILE_NAME).read_text(encoding="utf-8")
    assert (answer["code"] in text, old in text) == (True, False)
    with pytest.raises(UserError, match="no seat or link 'J9'"):
        await order(stage, action="codes", seat="J9")
    with pytest.raises(UserError, match="did not start a program"):
        await order(stage, action="restart", entry="E1", reason="it was never started")


@pytest.mark.parametrize("server", ["", "somewhere", "file:///etc/passwd", "http://"])
def test_an_invalid_address_is_refused(server: str) -> None:
    with pytest.raises(BadOrder, match="not a server's address"):
        send(ControlAddress(server, "x"), {"action": "status"})


def test_no_server_at_the_address_is_an_error() -> None:
    with pytest.raises(EnvironmentProblem, match="can't be reached"):
        send(ControlAddress("http://127.0.0.1:1", "x"), {"action": "status"})
