"""Tests the updates that open pages of the contest and of the result receive."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import websockets
from websockets.asyncio.client import ClientConnection

from contest.net.codes import CodeTable
from contest.net.web import Access
from contest.organizer import board
from contest.organizer.board import CROWDED, Board
from contest.record import bodies
from contest.serving.server import Server
from tests.contest.organizer.board_server import give, organizer, staged, token, visitor, watching
from texts import Texts, load

SCRIPT = "<script>alert(1)</script>"


@pytest.fixture
async def stage(tmp_path: Path) -> AsyncIterator[Server]:
    async with staged(tmp_path / "contest", ("Harriet", SCRIPT)) as made:
        yield made


async def parts_of(socket: ClientConnection, wanted: str) -> dict[str, str]:
    """The parts of the next message that contains these words."""
    while True:
        parts: dict[str, str] = json.loads(await socket.recv()).get("parts", {})
        if any(wanted in html for html in parts.values()):
            return parts


async def test_the_result_is_recomputed_only_after_new_events(
    stage: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[int] = []

    def counted(events: list[object], _texts: Texts) -> str:
        made.append(len(events))
        return ""

    monkeypatch.setattr(board, "result_part", counted)
    pages = Board(stage, Access(), CodeTable({}))
    for _ in range(3):
        await pages.render_result(load())
    await stage.journal.write_and_wait(None, "server", bodies.Trouble("the hall", "a lamp fell"))
    await pages.render_result(load())
    assert made == [made[0], made[0] + 1]


async def test_updates_of_the_result_carry_no_session_token(stage: Server) -> None:
    async with visitor(stage, organizer(stage)) as client, watching(stage, client, "/result") as on:
        own = await token(client)
        page = (await client.get("/board/result")).text
        assert page.count(f'name="form" value="{own}"') >= 4, "the page's own forms have the token"
        seen = await parts_of(on, "not played to the end")
        assert set(seen) == {"result", "proposals", "result_steps", "result_orders"}
        await give(client, "start", anyway="yes", sure="yes")
        seen |= await parts_of(on, "Round 1: J1, left")
        await give(client, "end", reason="x", sure="yes")
        await give(client, "close", reason="x", sure="yes")
        seen |= await parts_of(on, "round 1: no verdict from J1, J2")
        assert own not in str(seen)
        assert SCRIPT not in str(seen)


async def test_too_many_viewers_are_told_to_try_later(
    stage: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(board, "MOST_VIEWERS", 1)
    async with visitor(stage, organizer(stage)) as client, watching(stage, client, "/result") as on:
        await on.recv()
        async with watching(stage, client, "/result") as other:
            with pytest.raises(websockets.ConnectionClosed):
                await other.recv()
            assert other.close_code == CROWDED
        async with watching(stage, client) as contest:
            assert "now" in await contest.recv(), "other pages have their own limit"
