"""Log and result while somebody has them open: what is made when, what is sent, and what a reader
keeps of it in a browser."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator, Collection
from pathlib import Path

import pytest
import websockets
from playwright.async_api import Browser, Page, expect
from websockets.asyncio.client import ClientConnection

from contest.net.codes import CodeTable
from contest.net.web import Porter
from contest.organizer import updates as live
from contest.organizer.board import CROWDED, Board
from contest.organizer.log import PAGE, Filter, Log
from contest.organizer.log import Page as LogPage
from contest.record import bodies
from contest.record.bodies import OF_KEYS
from contest.record.events import Event
from contest.record.store import Record
from contest.serving.server import Server
from tests.browser import PHONE, browsing, needs_chromium, opened, overflow, violations
from tests.contest.build import small
from tests.contest.organizer.house import give, organizer, staged, token, visitor, watching

SCRIPT = "<script>alert(1)</script>"
TALK = "1.1.J1.left"


@pytest.fixture
async def stage(tmp_path: Path) -> AsyncIterator[Server]:
    async with staged(tmp_path / "contest", ("Harriet", SCRIPT)) as made:
        yield made


def fall(stage: Server, lamps: int, first: int = 1) -> None:
    """So many things happen at once."""
    for number in range(first, first + lamps):
        stage.journal.write(None, "server", bodies.Trouble("the hall", f"lamp {number} <b>"))


async def parts_of(socket: ClientConnection, wanted: str) -> dict[str, str]:
    """The parts of the next message in which one of them has these words."""
    while True:
        parts: dict[str, str] = json.loads(await socket.recv()).get("parts", {})
        if any(wanted in html for html in parts.values()):
            return parts


# What is made


class Counted(Log):
    """A log that says what was read of it."""

    def __init__(self, events: list[Event], record: Record) -> None:
        super().__init__(record, events)
        self.asked: list[set[Filter]] = []

    def read_all(self, wanted: Collection[Filter]) -> dict[Filter, LogPage]:
        self.asked.append(set(wanted))
        return super().read_all(wanted)


async def test_a_page_is_made_once_for_all_and_only_when_something_has_happened(
    stage: Server, record: Record
) -> None:
    b = small(lambda b, talks: b.type(talks["E1"], "entity", "E1", "hello"), close=False)
    talk = next(e.talk for e in b.events if e.kind == "talk-opened" and e.body["entity"] == "E1")
    assert talk is not None
    events = [event for event in b.events if event.kind not in OF_KEYS]
    record.take_over(b.events)
    history = Counted(events, record)
    stage.log = history
    pages = Board(stage, Porter(), CodeTable({}))
    whole, keys, older = Filter(), Filter(talk=talk), Filter(page=2)
    topics = frozenset({whole, keys, older, None})

    first = await pages.look(topics)
    assert await pages.look(topics) == first
    assert history.asked == [{whole, keys, older}]
    assert sum(name.startswith("event-") for name in first[whole].parts) == len(events)
    assert "data-key" in "".join(first[keys].parts.values())
    assert first[older].parts == {"news": first[whole].parts["news"]}

    key = b.key(talk, "entity", "E1", "x")
    record.take_over([key])
    history.event(key)
    second = await pages.look(topics)
    assert history.asked[1:] == [{keys}], "a key is of no other page"
    assert f"event-{key.seq}" in second[keys].parts

    verdict = b.write(bodies.VerdictGiven(1, 1, "J1", "left", 1), actor="J1")
    history.event(verdict)
    third = await pages.look(topics)
    assert history.asked[2:] == [{whole, keys, older}]
    assert f"event-{verdict.seq}" in third[whole].parts
    assert f"event-{verdict.seq}" not in third[keys].parts
    assert f'data-found="{len(history.events)}"' in third[older].parts["news"]

    await pages.look(frozenset({None}))
    assert len(history.asked) == 3, "of the log nothing is made for the result"
    await pages.look(topics)
    assert len(history.asked) == 4, "and nothing is kept that nobody reads"


# What is sent


async def test_new_events_that_fit_are_sent_and_no_others(stage: Server) -> None:
    async with (
        visitor(stage, organizer(stage)) as client,
        watching(stage, client, "/log?kind=trouble&text=LAMP") as newest,
        watching(stage, client, "/log?kind=trouble&page=7") as older,
    ):
        assert "0 events" in (await parts_of(newest, "0 events"))["found"]
        await parts_of(older, 'data-found="0"')
        stage.journal.write(None, "server", bodies.Trouble("the hall", "a door is open"))
        fall(stage, 1)
        sent = await parts_of(newest, "1 event,")
        (row,) = (html for name, html in sent.items() if name.startswith("event-"))
        assert "lamp 1 &lt;b&gt;" in row
        assert not any("a door" in html or "<b>" in html for html in sent.values())
        told = await parts_of(older, 'data-found="2"')
        assert set(told) == {"news"}
        fall(stage, 1, 2)
        sent = await parts_of(newest, "2 events,")
        assert sum(name.startswith("event-") for name in sent) == 1, "what was sent is not repeated"


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


async def test_what_two_have_to_agree_on_stands_beside_the_result(tmp_path: Path) -> None:
    two = ("two_persons = false", "two_persons = true")
    async with (
        staged(tmp_path / "contest", two) as stage,
        visitor(stage, organizer(stage)) as client,
        watching(stage, client, "/result") as on,
    ):
        await give(client, "start", anyway="yes", sure="yes")
        await give(client, "void", what=TALK, reason=SCRIPT, sure="yes")
        sent = await parts_of(on, 'id="proposal-1"')
        assert "&lt;script&gt;" in sent["proposals"]
        assert 'id="proposal-1"' in (await client.get("/board/result")).text


async def test_where_too_many_read_the_next_one_comes_later(
    stage: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live, "MOST", 1)
    async with visitor(stage, organizer(stage)) as client, watching(stage, client, "/log") as one:
        await one.recv()
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


async def read(page: Page, path: str) -> None:
    await page.goto(f"/board{path}")
    await expect(page.locator("#connection-mark")).to_have_text("● live")


@needs_chromium
async def test_in_a_browser(tmp_path: Path) -> None:
    async with (
        staged(tmp_path / "contest", ("Harriet", SCRIPT)) as stage,
        browsing() as browser,
        opened(browser, f"http://{stage.address}") as page,
    ):
        await log_in(page, stage)
        await what_has_the_focus(page)
        await the_log(page, stage)
        await what_is_chosen(page, stage)
        await the_result(page, stage)
        await an_older_page(browser, stage)


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


async def the_log(page: Page, stage: Server) -> None:
    """New events come in; what is typed, chosen or in sight stays."""
    await read(page, "/log?kind=trouble")
    rows, news = page.locator("#events tr"), page.locator("#news")
    await expect(page.locator("#log")).to_be_hidden()
    await page.get_by_label("Text").type("half a wo")
    fall(stage, 1)
    await expect(rows).to_have_count(1)
    await expect(rows.first).to_contain_text("lamp 1 <b>")
    await expect(page.get_by_label("Text")).to_be_focused()
    await expect(page.get_by_label("Text")).to_have_value("half a wo")
    await expect(page.locator("#heard")).to_have_text("1 new event.")

    fall(stage, PAGE + 10, 2)
    await expect(rows.first).to_contain_text(f"lamp {PAGE + 11} ")
    await expect(page.locator("#found")).to_contain_text(f"{PAGE + 11} events, page 1 of 2")
    await expect(page.get_by_role("link", name="Older")).to_be_visible()
    assert await news.is_hidden()

    # At the end of the page: what would be on the next one now stays as long as it is in sight.
    end = page.locator(f"#{await rows.last.get_attribute('id')}")
    await end.scroll_into_view_if_needed()
    fall(stage, 1, PAGE + 12)
    await expect(rows.first).to_contain_text(f"lamp {PAGE + 12} ")
    await expect(end).to_be_in_viewport()
    # In the middle of the table: what is read stays where it is, and what is chosen chosen.
    mine = page.get_by_text("lamp 40 ", exact=False)
    await mine.evaluate("e => scrollBy(0, e.getBoundingClientRect().top - 200)")
    await mine.evaluate("e => getSelection().selectAllChildren(e)")
    fall(stage, 2, PAGE + 13)
    await expect(rows.first).to_contain_text(f"lamp {PAGE + 14} ")
    assert await mine.evaluate("e => Math.round(e.getBoundingClientRect().top)") == 200
    assert "lamp 40 " in await page.evaluate("getSelection().toString()")
    # More than a page at once: what is read is not taken away.
    before = await rows.count()
    fall(stage, PAGE + 1, PAGE + 15)
    await expect(news).to_have_text(f"{PAGE + 1} new events")
    assert await rows.count() == before
    assert await mine.evaluate("e => Math.round(e.getBoundingClientRect().top)") == 200
    assert await violations(page) == []
    await news.get_by_role("link").press("Enter")
    await expect(rows.first).to_contain_text(f"lamp {2 * PAGE + 15} ")
    await expect(rows).to_have_count(PAGE)


async def what_is_chosen(page: Page, stage: Server) -> None:
    """More can be chosen from; what is chosen stays what it is."""
    await read(page, "/log")
    kind = page.get_by_label("Kind")
    await kind.select_option("trouble")
    async with visitor(stage, organizer(stage)) as client:
        await give(client, "start", anyway="yes", sure="yes")
    await expect(kind.locator("option[value=round-started]")).to_have_count(1)
    await expect(kind).to_have_value("trouble")
    await expect(page.locator(f'#talk option[value="{TALK}"]')).to_have_count(1)


async def the_result(page: Page, stage: Server) -> None:
    """It is renewed while somebody writes a reason."""
    await read(page, "/result")
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


async def an_older_page(browser: Browser, stage: Server) -> None:
    """It is told how many have come, on a phone; and without scripts nothing lacks."""
    async with opened(browser, f"http://{stage.address}", size=PHONE, scheme="dark") as page:
        await log_in(page, stage)
        await read(page, "/log?kind=trouble&page=2")
        rows = await page.locator("#events").inner_text()
        fall(stage, 2, 500)
        await expect(page.locator("#news")).to_have_text("2 new events")
        await expect(page.locator("#heard")).to_have_text("2 new events.")
        assert await page.locator("#events").inner_text() == rows
        assert await overflow(page) == 0
        assert await violations(page, schemes=("dark",)) == []
        await page.get_by_role("link", name="2 new events").press("Enter")
        await expect(page.locator("#events tr").first).to_contain_text("lamp 501 ")
    async with opened(browser, f"http://{stage.address}", scripts=False) as page:
        await log_in(page, stage)
        await page.goto("/board/log?kind=trouble")
        await expect(page.locator("#events tr")).to_have_count(PAGE)
        await expect(page.locator("#connection-mark")).to_have_text("without live updates")
        await page.get_by_role("link", name="Older").press("Enter")
        await expect(page.locator("#found")).to_contain_text(re.compile("page 2 of"))
