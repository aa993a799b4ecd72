"""Tests logging in to the board: codes, cookies, and forms of the board and of other sites."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import websockets

from contest.net import limits
from contest.net.login import FORM_LIMIT
from contest.organizer.board import LOGGED_OUT
from contest.serving.server import Server
from tests.contest.organizer.board_server import (
    close_code,
    cookies,
    give,
    organizer,
    staged,
    token,
    visitor,
    watching,
)

PAGES = ("", "/log", "/result", "/codes", "/files", "/files/export/json", "/files/wire/1")


@pytest.fixture
async def stage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Server]:
    monkeypatch.setattr(limits, "SPACING", 0.05)
    async with staged(tmp_path / "contest") as made:
        yield made


async def test_every_page_requires_a_code(stage: Server) -> None:
    async with visitor(stage) as client:
        for page in PAGES:
            answer = await client.get(f"/board{page}")
            assert (answer.status_code, answer.headers["location"]) == (303, "/board/login")
            assert answer.text == ""
        asked = await client.post("/board/order", headers={"Accept": "application/json"})
        assert (asked.status_code, "error" in asked.json()) == (401, True)
        for path in ("/board/order", "/board/codes", "/board/logout"):
            assert (await client.post(path)).status_code == 303
        assert (await client.get("/board/order")).status_code == 405
        assert (await client.get("/board/nowhere")).status_code == 404


async def test_only_an_organizers_code_logs_in(stage: Server) -> None:
    async with visitor(stage) as client:
        for code in ("", stage.codes["J1"], "organizer-AAAA-BBBB-CCCC", "x" * 5000, "\x00"):
            answer = await client.post("/board/login", data={"code": code})
            assert answer.status_code == 401
            assert "set-cookie" not in answer.headers
            assert "not the organizer’s code" in answer.text
            assert code == "" or code not in answer.text
        answer = await client.post("/board/login", data={"code": f" {organizer(stage).lower()} "})
        assert (answer.status_code, answer.headers["location"]) == (303, "/board")
        cookie = answer.headers["set-cookie"]
        assert all(each in cookie for each in ("HttpOnly", "SameSite=Strict", "Path=/board"))
        assert organizer(stage) not in cookie
        assert "no-store" in answer.headers["cache-control"]
        assert (await client.get("/board")).status_code == 200
        assert (await client.get("/board/login")).headers["location"] == "/board"


async def test_pages_forbid_caching_and_framing(stage: Server) -> None:
    async with visitor(stage, organizer(stage)) as client:
        for page in ("", "/log", "/result", "/codes", "/files"):
            answer = await client.get(f"/board{page}")
            assert answer.status_code == 200
            assert answer.headers["cache-control"] == "no-store"
            assert "frame-ancestors 'none'" in answer.headers["content-security-policy"]
            inline = r"<style|\sstyle=|<script(?![^>]*(?:src=|/json))|\son\w+="
            assert not re.search(inline, answer.text)
            for code in (*stage.codes.values(), organizer(stage)):
                assert code not in answer.text


async def test_logging_out_ends_the_session(stage: Server) -> None:
    async with visitor(stage, organizer(stage)) as client:
        kept = dict(client.cookies)
        answer = await client.post("/board/logout", data={"form": await token(client)})
        assert answer.headers["location"] == "/board/login"
        for name, value in kept.items():
            client.cookies.set(name, value, path="/board")
        assert (await client.get("/board")).status_code == 303


async def test_a_new_code_ends_the_sessions_of_the_old_one(stage: Server) -> None:
    old = organizer(stage)
    async with visitor(stage, old) as client, visitor(stage, old) as other:
        answer = (await give(client, "codes", seat="organizer", sure="yes")).json()
        assert answer["code"] == organizer(stage) != old
        assert (await other.get("/board")).status_code == 303
        assert (await client.get("/board")).status_code == 303
        assert (await other.post("/board/login", data={"code": old})).status_code == 401
        assert (await other.post("/board/login", data={"code": answer["code"]})).status_code == 303


# Requests from other sites


FOREIGN = (
    {"Origin": "http://elsewhere.example"},
    {"Origin": "null"},
    {"Origin": "http://127.0.0.1:1"},
    {"Sec-Fetch-Site": "cross-site"},
    {"Sec-Fetch-Site": "same-site"},
)


async def test_orders_from_other_sites_are_refused(stage: Server) -> None:
    async with visitor(stage, organizer(stage)) as client:
        data = {"form": await token(client), "action": "start", "anyway": "yes", "sure": "yes"}
        before = stage.record.chains.last_seq
        for headers in FOREIGN:
            for path in ("/board/order", "/board/codes", "/board/login", "/board/logout"):
                answer = await client.post(path, data={**data, "code": "x"}, headers=headers)
                assert answer.status_code in (303, 403)
                assert not any(code in answer.text for code in stage.codes.values())
            assert await is_refused(stage, {"Cookie": cookies(client), **headers})
        assert (await client.get("/board")).status_code == 200, "still logged in"
        await stage.journal.flush()
        assert stage.record.chains.last_seq == before


async def is_refused(stage: Server, headers: dict[str, str], page: str = "") -> bool:
    """Whether a socket with these headers is refused, or closed before it gets any data."""
    try:
        async with websockets.connect(
            f"ws://{stage.address}/board/live{page}", additional_headers=headers
        ) as socket:
            return [frame async for frame in socket] == []
    except (websockets.InvalidStatus, websockets.ConnectionClosed):
        return True


async def test_a_form_needs_the_token_of_its_session(stage: Server) -> None:
    async with visitor(stage, organizer(stage)) as client, visitor(stage, organizer(stage)) as two:
        for each in ("", "x", "é" * 30, await token(two)):
            data = {"form": each, "action": "start", "anyway": "yes", "sure": "yes"}
            answer = await client.post(
                "/board/order", data=data, headers={"Accept": "application/json"}
            )
            assert answer.status_code == 403
            assert "reload the page" in answer.json()["error"]
        assert stage.conductor.status().phase.value == "before"


NO_FORMS = (
    (b"x=" + b"y" * FORM_LIMIT, "application/x-www-form-urlencoded", 413),
    (b"&".join(b"a%d=1" % n for n in range(100)), "application/x-www-form-urlencoded", 400),
    (b"action=%ff%fe", "application/x-www-form-urlencoded", 400),
    (b"action=\xff", "application/x-www-form-urlencoded", 400),
    (b'{"action": "start"}', "application/json", 415),
    (b"", "", 415),
    (b"--x", "multipart/form-data; boundary=x", 415),
)


async def test_malformed_forms_are_refused(stage: Server) -> None:
    async with visitor(stage, organizer(stage)) as client:
        for content, kind, status in NO_FORMS:
            headers = {"Content-Type": kind, "Accept": "application/json"}
            answer = await client.post("/board/order", content=content, headers=headers)
            assert answer.status_code == status, content
            assert answer.json()["error"]
            assert (await client.post("/board/login", content=content, headers=headers)).text


# The live socket


LIVE = (("", "orders"), ("/result", "result_orders"))


@pytest.mark.parametrize(("page", "part"), LIVE)
async def test_live_pages_require_a_session(stage: Server, page: str, part: str) -> None:
    assert await is_refused(stage, {}, page)
    async with visitor(stage, organizer(stage)) as client, watching(stage, client, page) as socket:
        assert part in json.loads(await socket.recv())["parts"]
        await client.post("/board/logout", data={"form": await token(client)})
        assert await close_code(socket) == LOGGED_OUT


async def test_a_viewer_that_sends_messages_is_disconnected(stage: Server) -> None:
    async with visitor(stage, organizer(stage)) as client, watching(stage, client) as socket:
        await socket.recv()
        await socket.send("hello")
        assert await close_code(socket) != LOGGED_OUT
