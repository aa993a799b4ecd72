"""The pages of the contest and of the result while somebody has them open: what is sent, and what a
reader keeps of it in a browser."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import websockets
from playwright.async_api import Page, expect
from websockets.asyncio.client import ClientConnection

from contest.net.codes import CodeTable
from contest.net.web import Porter
from contest.organizer import board
from contest.organizer.board import CROWDED, Board
from contest.record import bodies
from contest.serving.server import Server
from tests.browser import browsing, needs_chromium, opened, violations
from tests.contest.organizer.house import give, organizer, staged, token, visitor, watching

SCRIPT = "<script>alert(1)</script>"
TALK = "1.1.J1.left"


@pytest.fixture
async def stage(tmp_path: Path) -> AsyncIterator[Server]:
    async with staged(tmp_path / "contest", ("Harriet", SCRIPT)) as made:
        yield made


async def parts_of(socket: ClientConnection, wanted: str) -> dict[str, str]:
    """The parts of the next message in which one of them has these words."""
    while True:
        parts: dict[str, str] = json.loads(await socket.recv()).get("parts", {})
        if any(wanted in html for html in parts.values()):
            return parts


async def test_the_result_is_computed_only_when_something_has_happened(
    stage: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[int] = []

    def counted(events: list[object]) -> str:
        made.append(len(events))
        return ""

    monkeypatch.setattr(board, "result_part", counted)
    pages = Board(stage, Porter(), CodeTable({}))
    for _ in range(3):
        await pages.look_at_result()
    await stage.journal.written(None, "server", bodies.Trouble("the hall", "a lamp fell"))
    await pages.look_at_result()
    assert made == [made[0], made[0] + 1]


async def test_the_result_is_renewed_and_brings_no_session_s_token(stage: Server) -> None:
    async with visitor(stage, organizer(stage)) as client, watching(stage, client, "/result") as on:
        own = await token(client)
        page = (await client.get("/board/result")).text
        assert page.count(f'name="form" value="{own}"') >= 4, "the forms of the page itself have it"
        seen = await parts_of(on, "not played to the end")
        assert set(seen) == {"result", "proposals", "result_steps", "result_orders"}
        await give(client, "start", anyway="yes", sure="yes")
        seen |= await parts_of(on, "Round 1: J1, left")
        await give(client, "end", reason="x", sure="yes")
        await give(client, "close", reason="x", sure="yes")
        seen |= await parts_of(on, "round 1: no verdict of J1, J2")
        assert own not in str(seen)
        assert SCRIPT not in str(seen)


async def test_where_too_many_read_the_next_one_comes_later(
    stage: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(board, "MOST", 1)
    async with visitor(stage, organizer(stage)) as client, watching(stage, client, "/result") as on:
        await on.recv()
        async with watching(stage, client, "/result") as other:
            with pytest.raises(websockets.ConnectionClosed):
                await other.recv()
            assert other.close_code == CROWDED
        async with watching(stage, client) as contest:
            assert "now" in await contest.recv(), "the contest itself is seen by others"


# What a reader keeps


async def log_in(page: Page, stage: Server) -> None:
    await page.goto("/board/login")
    await page.get_by_label("The organizer’s code").fill(organizer(stage))
    await page.keyboard.press("Enter")
    await page.wait_for_url("**/board")


@needs_chromium
async def test_in_a_browser(tmp_path: Path) -> None:
    async with (
        staged(tmp_path / "contest", ("Harriet", SCRIPT)) as stage,
        browsing() as browser,
        opened(browser, f"http://{stage.address}") as page,
    ):
        await log_in(page, stage)
        await what_has_the_focus(page)
        await the_result(page, stage)


FIRST = """<div id="part">
<h2 id="head">One</h2>
<p id="open">still open</p>
<div id="table" tabindex="0">1</div>
<p>a line</p></div>"""
THEN = """<div id="part">
<h2 id="head">Two</h2>
<div id="table" tabindex="0">2</div>
<p>a line</p><p id="more">another</p></div>"""


async def what_has_the_focus(page: Page) -> None:
    """It keeps it while parts before and behind it come and go."""
    await page.goto("/board/files")  # without a script of its own
    found = await page.evaluate(
        """async ([first, then]) => {
          const { morphAll } = await import("/static/pages/morph.js");
          const main = document.querySelector("main");
          main.innerHTML = first;
          document.getElementById("table").focus();
          return [then, first, then].map((html) => {
            morphAll(html);
            return [document.activeElement.id, main.innerHTML === html];
          });
        }""",
        [FIRST, THEN],
    )
    assert found == 3 * [["table", True]]


async def the_result(page: Page, stage: Server) -> None:
    """It is renewed while somebody writes a reason."""
    await page.goto("/board/result")
    await expect(page.locator("#connection-mark")).to_have_text("● live")
    async with visitor(stage, organizer(stage)) as client:
        await give(client, "start", anyway="yes", sure="yes")
    void = page.locator("#order-void")
    await void.locator("summary").press("Enter")
    talk = void.get_by_label("Talk, attempt or ballot")
    await talk.select_option("1.1.J2.right")
    await void.get_by_label("Reason").type("a lamp")
    async with visitor(stage, organizer(stage)) as client:
        await give(client, "again", reason="x", sure="yes")
        await give(client, "start", anyway="yes", sure="yes")
        await expect(talk.locator("option[value='1.2.J1.left']")).to_have_count(1)
        await expect(talk).to_have_value("1.1.J2.right")
        await page.keyboard.type(" fell")
        await page.keyboard.press("Enter")
        await expect(page.get_by_role("button", name="Yes: void it")).to_be_focused()
        await give(client, "end", reason="x", sure="yes")
        await give(client, "close", reason="x", sure="yes")
    await expect(page.locator("#result-open")).to_contain_text("round 1: no verdict of J1, J2")
    await expect(page.get_by_role("button", name="Yes: void it")).to_be_focused()
    assert await violations(page, schemes=("light",)) == []
    await page.keyboard.press("Enter")
    await expect(page.locator("#said")).to_contain_text("Done")
    await expect(void.locator("summary")).to_be_focused()
    (voided,) = stage.record.events(kind="voided")
    assert (voided.body["reason"], voided.talk or voided.body["talk"]) == (
        "a lamp fell",
        "1.1.J2.right",
    )
