"""The organizer's door: who gets in, and that nothing odd becomes an order."""

from __future__ import annotations

import asyncio
import json
import re
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from contest.errors import BadOrder, Surroundings, WrongMoment, YoursToFix
from contest.net import codes, door, limits
from contest.net.door import Door
from contest.organizer.orders import read_order
from contest.serving.server import Server
from contest.serving.set_up import set_up
from contest.setup import folder, settings
from contest.setup.planning import schedule_of
from loebner.common import send
from lpp import wire
from lpp.clock import LoopClock


@asynccontextmanager
async def staged(place: Path) -> AsyncIterator[Server]:
    text = re.sub(r"^command = .*\n", "", folder.template(), flags=re.MULTILINE)
    folder.make(place, text)
    own = settings.load(place)
    async with set_up(place, own, schedule_of(own, place), LoopClock()) as made:
        yield made


@pytest.fixture
async def stage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Server]:
    monkeypatch.setattr(limits, "PAUSE", 0.1)
    async with staged(tmp_path / "contest") as made:
        play = asyncio.create_task(made.play())
        yield made
        play.cancel()
        await asyncio.wait([play])


async def order(stage: Server, **order: Any) -> dict[str, Any]:
    return await asyncio.to_thread(send, door.find(stage.folder), order)


async def raw(stage: Server, body: bytes, headers: str) -> tuple[int, dict[str, Any]]:
    """Speaks HTTP as nobody should."""
    host, _, port = stage.address.rpartition(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    head = f"POST /control HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n{headers}"
    writer.write(f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body)
    async with asyncio.timeout(10):
        answer = await reader.read()
    writer.close()
    await writer.wait_closed()
    first, _, rest = answer.partition(b"\r\n")
    return int(first.split()[1]), json.loads(rest.partition(b"\r\n\r\n")[2])


def key(stage: Server) -> str:
    return f"Authorization: Bearer {door.find(stage.folder).code}\r\n"


@pytest.mark.parametrize("who", ["nobody", "a judge", "a guess", "too long"])
async def test_only_the_organizer_gets_in_and_guesses_wait(stage: Server, who: str) -> None:
    given = {
        "nobody": "",
        "a judge": f"Authorization: Bearer {stage.codes['J1']}\r\n",
        "a guess": "Authorization: Bearer organizer-AAAA-BBBB-CCCC\r\n",
        "too long": f"Authorization: Bearer {'x' * 5000}\r\n",
    }[who]
    began = time.monotonic()
    tries = [raw(stage, b'{"action": "status"}', given) for _ in range(3)]
    answers = await asyncio.gather(*tries)
    assert answers == [(401, {"error": "this is not the organizer's code"})] * 3
    assert time.monotonic() - began >= 0.2 + 0.4, "one after another, and each later than the last"


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"null",
        b"[]",
        b"{}",
        b'{"action": "dance"}',
        b'{"action": "pause"}',
        b'{"action": "pause", "reason": ""}',
        b'{"action": "pause", "reason": " \\n "}',
        b'{"action": "pause", "reason": "' + b"x" * 501 + b'"}',
        b'{"action": "extend", "minutes": 0, "reason": "x"}',
        b'{"action": "extend", "minutes": 1e9, "reason": "x"}',
        b'{"action": "extend", "minutes": "5", "reason": "x"}',
        b'{"action": "status", "please": true}',
        b'{"action": "status", "x": "\xff"}',
        b"[" * 10_000,
        b'{"action": "pause", "reason": "' + b"x" * 20_000 + b'"}',
    ],
)
async def test_what_is_no_order_is_refused(stage: Server, body: bytes) -> None:
    before = stage.record.chains.last_seq
    status, answer = await raw(stage, body, key(stage))
    assert status == 400
    assert answer["error"]
    await stage.journal.flushed()
    assert stage.record.chains.last_seq == before, "nothing went on record"


def test_an_order_is_read_as_it_stands() -> None:
    read = read_order('{"action": "extend", "minutes": 2.5, "reason": "<b>日本"}'.encode())
    assert read.values == {"minutes": 2.5, "reason": "<b>日本"}


class Outlet:
    """A console that only listens."""

    def __init__(self) -> None:
        self.frames: list[wire.ToSeat] = []
        self.closed = ""

    def send(self, frame: wire.ToSeat) -> None:
        self.frames.append(frame)

    def close(self, why: str) -> None:
        self.closed = why


async def test_a_start_says_what_is_lacking(stage: Server) -> None:
    outlets = {seat: Outlet() for seat in stage.codes}
    seats = stage.conductor.seats
    for seat, outlet in outlets.items():
        if seat != "C2":
            seats.join(seat, outlet, "test", False)
    with pytest.raises(WrongMoment, match=r"not ready \(seat C2: no console is here"):
        await order(stage, action="start")
    checked = await order(stage, action="check")
    assert not checked["ready"]
    assert {each["what"] for each in checked["checks"] if not each["ok"]} == {"seat C2"}
    seats.join("C2", outlets["C2"], "test", False)
    assert (await order(stage, action="check"))["ready"]
    answer = await order(stage, action="start")
    assert answer["done"] == "round 1 has begun"
    assert answer["status"]["phase"] == "interaction"
    assert answer["status"]["next"] == {"round": 2, "attempt": 1}
    told = [f for f in outlets["J1"].frames if isinstance(f, wire.State)][-1]
    assert told.phase == "interaction"


async def test_an_order_is_on_record_when_it_is_answered(stage: Server) -> None:
    await order(stage, action="start", anyway=True)
    await order(stage, action="pause", reason="a lamp fell down")
    (event,) = stage.record.events(kind="round-paused")
    assert (event.actor, event.body["reason"]) == ("organizer", "a lamp fell down")
    status = (await order(stage, action="status"))["status"]
    (told,) = (each for each in status["incidents"] if each["kind"] == "round-paused")
    assert told["what"] == "round 1 was stopped for a while: a lamp fell down"
    with pytest.raises(WrongMoment, match="round 1 is paused"):
        await order(stage, action="pause", reason="again")


async def test_a_new_code_opens_the_seat_and_the_old_one_nothing(stage: Server) -> None:
    outlet, old = Outlet(), stage.codes["J1"]
    stage.conductor.seats.join("J1", outlet, "test", False)
    answer = await order(stage, action="codes", seat="J1")
    assert answer["code"] != old
    assert outlet.closed == "a new code was made for this seat"
    text = (stage.folder / codes.FILE_NAME).read_text(encoding="utf-8")
    assert answer["code"] in text
    assert old not in text
    sealed = stage.record.unseal("codes/1")["codes/1"]
    assert codes.fits(answer["code"], sealed["J1"])
    assert not codes.fits(old, sealed["J1"])
    record = (stage.folder / "record.db").read_bytes()
    assert answer["code"].encode() not in record
    with pytest.raises(YoursToFix, match="no seat 'J9'"):
        await order(stage, action="codes", seat="J9")
    with pytest.raises(YoursToFix, match="no program"):
        await order(stage, action="restart", entry="E1", reason="it was never started")


@pytest.mark.parametrize("server", ["", "somewhere", "file:///etc/passwd", "http://"])
def test_an_address_that_is_none(server: str) -> None:
    with pytest.raises(BadOrder, match="no address"):
        send(Door(server, "x"), {"action": "status"})


def test_a_code_that_no_header_holds_is_not_quoted() -> None:
    with pytest.raises(BadOrder) as refused:
        send(Door("http://127.0.0.1:1", "secret\nword"), {"action": "status"})
    assert "secret" not in str(refused.value)


def test_where_nobody_listens() -> None:
    with pytest.raises(Surroundings, match="can't be reached"):
        send(Door("http://127.0.0.1:1", "x"), {"action": "status"})
