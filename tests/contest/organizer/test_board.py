"""Tests the board's addresses: orders, log, result, codes, downloads."""

from __future__ import annotations

import asyncio
import io
import re
import zipfile
from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import pytest

from contest.net import codes
from contest.organizer.orders import ORDERS
from contest.serving.server import Server
from lpp import wire
from tests.contest.german import english_in
from tests.contest.organizer.board_server import give, organizer, staged, token, visitor

SCRIPT = "<script>alert(1)</script>"


@pytest.fixture
async def stage(tmp_path: Path) -> AsyncIterator[Server]:
    names = (("Harriet", SCRIPT), ('name = "Therapist"', f"name = '''{SCRIPT}'''"))
    async with staged(tmp_path / "contest", *names) as made:
        yield made


class Outlet:
    """A console that only listens."""

    def send(self, frame: wire.ToSeat) -> None:
        pass

    def close(self, why: str) -> None:
        pass


async def do(client: httpx.AsyncClient, action: str, **fields: str) -> None:
    """Gives an order, and checks that it is carried out."""
    answer = await give(client, action, **fields, sure="yes")
    assert answer.status_code == 200, answer.text
    assert answer.json()["done"]


async def rank_nobody(stage: Server, client: httpx.AsyncClient) -> None:
    """Plays a contest from its first round to its end, without any verdict or ballot."""
    await do(client, "end", reason="x")
    await do(client, "close", reason="x")
    await do(client, "stop", reason="x")
    await do(client, "start", anyway="yes")
    await do(client, "close", reason="x")
    while stage.conductor.state.result is None:  # noqa: ASYNC110 -- nothing signals this change
        await asyncio.sleep(0.01)


# Orders


async def test_an_order_is_carried_out_and_recorded(stage: Server) -> None:
    async with visitor(stage, organizer(stage)) as client:
        said = await give(client, "start")
        assert said.status_code == 409
        assert "not ready" in said.json()["error"]
        said = await give(client, "start", anyway="yes")
        assert said.json() == {"confirm": ORDERS["start"].warning}
        assert stage.conductor.status().phase.value == "before", "nothing was done"
        said = await give(client, "start", anyway="yes", sure="yes")
        assert said.json() == {"done": "round 1 has begun"}
        assert said.headers["cache-control"] == "no-store"
        said = await give(client, "pause", reason=f"{SCRIPT} fell down")
        assert said.json()["done"] == "the round is paused"
        (event,) = stage.record.events(kind="round-paused")
        assert (event.actor, event.body["reason"]) == ("organizer", f"{SCRIPT} fell down")
        assert (await give(client, "pause", reason="again")).status_code == 409
        assert (
            await give(client, "restart", entry="E9", reason="x", sure="yes")
        ).status_code == 400
        for page in ("", "/log", "/result", "/codes", "/files"):
            text = (await client.get(f"/board{page}")).text
            assert SCRIPT not in text
        assert (
            "&lt;script&gt;alert(1)&lt;/script&gt; fell down" in (await client.get("/board")).text
        )


async def test_the_same_forms_work_without_scripts(stage: Server) -> None:
    async with visitor(stage, organizer(stage)) as client:
        form = {"form": await token(client), "action": "start", "anyway": "yes"}
        asked = await client.post("/board/order", data=form)
        assert asked.status_code == 200
        assert "are you sure?" in asked.text
        assert 'name="sure" value="yes"' in asked.text
        done = await client.post("/board/order", data={**form, "sure": "yes"})
        assert (done.status_code, done.headers["location"]) == (303, "/board")
        assert "Done: round 1 has begun." in (await client.get("/board")).text
        assert "Done: round" not in (await client.get("/board")).text, (
            "the message appears only once"
        )
        await client.post("/board/order", data={"form": form["form"], "action": "resume"})
        assert "the round is not paused" in (await client.get("/board")).text


async def test_two_persons_are_needed_if_the_settings_require_them(tmp_path: Path) -> None:
    two = ("two_persons = false", "two_persons = true")
    async with staged(tmp_path / "contest", two) as stage:
        given = codes.read_file(stage.folder / codes.FILE_NAME)
        async with (
            visitor(stage, organizer(stage)) as one,
            visitor(stage, given[codes.WITNESS]) as other,
        ):
            await do(one, "start", anyway="yes")
            said = await give(one, "end", reason=f"{SCRIPT} rang", sure="yes")
            assert "proposed as order 1" in said.json()["done"]
            assert stage.conductor.status().phase.value == "interaction"
            for client in (one, other):
                page = (await client.get("/board")).text
                assert 'id="proposal-1"' in page
                assert SCRIPT not in page
            own = await give(one, "confirm", number="1")
            assert (own.status_code, "your own" in own.json()["error"]) == (409, True)
            await do(other, "confirm", number="1")
            assert stage.conductor.status().phase.value == "scoring"
            assert 'id="proposal-1"' not in (await one.get("/board")).text
            (ended,) = stage.record.events(kind="round-ended")
            assert ended.actor == "organizer"
            sheet = await other.post("/board/codes", data={"form": await token(other)})
            assert given[codes.WITNESS] not in sheet.text
            assert given[codes.ORGANIZER] not in sheet.text


# Log and result


async def test_the_form_filters_the_log(stage: Server) -> None:
    async with visitor(stage, organizer(stage)) as client:
        await do(client, "start", anyway="yes")
        text = (await client.get("/board/log", params={"kind": "talk-opened", "who": "j1"})).text
        assert text.count('<tr id="event-') == 2
        assert "J1 talks with" in text
        for page in ("0", "-1", "x", "9" * 400, "٣"):
            answer = await client.get("/board/log", params={"page": page, "text": SCRIPT})
            assert answer.status_code == 200
            assert SCRIPT not in answer.text
        answer = await client.get("/board/log?talk=../../etc/passwd&kind=%00&who=%ff")
        assert answer.status_code == 200


# Codes


async def test_codes_are_shown_only_on_request(stage: Server) -> None:
    async with visitor(stage, organizer(stage)) as client:
        stage.conductor.seats.join("J1", wire.Hello(""), Outlet())
        await stage.journal.flush()
        page = (await client.get("/board/codes")).text
        assert not any(code in page for code in stage.codes.values())
        words = re.findall(
            r"<strong>(\w+)</strong>\s*<span[^>]*>[^<]*</span> ([\w ]+)</span>", page
        )
        assert dict(words)["J1"] == "used"
        assert {said for name, said in words if name not in ("J1", "organizer")} == {"not used yet"}
        form = {"form": await token(client), "address": "192.168.1.10:8765"}
        sheet = await client.post("/board/codes", data=form)
        assert sheet.headers["cache-control"] == "no-store"
        given = {**stage.codes, **stage.link_codes}
        for name, code in given.items():
            assert sheet.text.count(f">{code}</dd>") == 1, name
            # By default, only judges may take their seats in a browser.
            in_browser = f'href="http://192.168.1.10:8765/sit#{code}"' in sheet.text
            assert in_browser == name.startswith("J"), name
        assert organizer(stage) not in sheet.text
        assert sheet.text.count(">192.168.1.10:8765</dd>") == len(given)
        refused = await client.post("/board/codes", data={"form": "x"})
        assert refused.status_code == 303
        new = (await give(client, "codes", seat="J2", sure="yes")).json()["code"]
        sheet = await client.post("/board/codes", data=form)
        assert new in sheet.text
        assert stage.codes["J2"] not in sheet.text


# Downloads


@pytest.mark.usefixtures("work_in_this_process")
async def test_downloads_wait_until_the_talks_are_over_and_wire_logs_until_the_end(
    stage: Server,
) -> None:
    async with visitor(stage, organizer(stage)) as client:
        made = await client.get("/board/files/export/json")
        assert made.status_code == 200
        assert made.headers["content-disposition"] == 'attachment; filename="contest-json.zip"'
        with zipfile.ZipFile(io.BytesIO(made.content)) as archive:
            assert set(archive.namelist()) == {*("events.jsonl", "results.json", "statistics.json")}
        for path in ("/board/files/export/none", "/board/files/wire/99"):
            assert (await client.get(path)).status_code == 404
        assert (await client.get("/board/files/wire/1")).status_code == 303
        assert "once all verdicts" in (await client.get("/board/files")).text
        await do(client, "start", anyway="yes")
        assert (await client.get("/board/files/export/json")).status_code == 303
        page = (await client.get("/board/files")).text
        assert 'bad" role="status">The interaction of round 1 is running. Downloads' in page
        await rank_nobody(stage, client)
        wire_log = await client.get("/board/files/wire/1")
        assert wire_log.status_code == 200
        assert wire_log.text.startswith("Wire log of E1 (<script>")
        assert wire_log.headers["content-type"].startswith("text/plain")
        assert wire_log.headers["x-content-type-options"] == "nosniff"


# German


async def test_the_board_is_in_the_organizers_language(stage: Server) -> None:
    async with visitor(stage, organizer(stage)) as client:
        await client.get("/board?lang=de")
        await do(client, "start", anyway="yes")
        await do(client, "pause", reason="Feuer")
        await do(client, "resume")
        await do(client, "extend", minutes="2,5", reason="Feuer")
        answer = await give(client, "extend", minutes="viele", reason="Feuer")
        assert answer.json()["error"].endswith("höchstens 240 Minuten sein, nicht 'viele'")
        answer = await give(client, "resume")
        assert answer.status_code == 409
        assert english_in(answer.json()["error"]) == []
        await rank_nobody(stage, client)
        done = (await give(client, "reveal", sure="yes")).json()["done"]
        assert english_in(done) == []
        page = (await client.get("/board/log")).text
        assert "Runde 1 wurde um 2 min 30 s verlängert: Feuer" in page
        for path in (
            "/board",
            "/board/log",
            "/board/log?page=2",
            "/board/result",
            "/board/schedule",
        ):
            assert english_in((await client.get(path)).text) == [], path
        found = (await client.get("/board/log", params={"text": "angehalten"})).text
        assert found.count('<tr id="event-') == 1
