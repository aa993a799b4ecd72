"""Tests the audience's pages in a real browser: panes, escaped text, the reveal, the archive, and
the folder of pages opened from a disk.
"""

from __future__ import annotations

import asyncio
import json
import random
import re
from collections.abc import Callable
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Browser, Page, WebSocket

from contest.audience.routes import audience_routes
from contest.net.web import Access, application, serving
from contest.pages import static_route
from contest.record import bodies
from contest.record.reading import ListLog
from contest.results.contest import steps_of
from contest.results.document import Results
from contest.results.exports import files_of
from contest.results.page import outcome_of
from contest.setup.settings import parse
from lpp.conversation import Conversation
from lpp.lines import limit_accents
from lpp.names import MARK, keys_of
from tests.browser import (
    BROWSERS,
    PHONE,
    WIDE,
    Kind,
    browsing,
    opened,
    overflow,
    violations,
)
from tests.contest.audience.feed_contest import FedContest, desks
from tests.contest.build import brief
from texts import load

pytestmark = pytest.mark.timeout(300)

LEFT, RIGHT = "1.1.J1.left", "1.1.J1.right"
EVIL = "<script>document.title='caught'</script><img src=x onerror=alert(1)>"
SETTINGS = """\
[contest]
name = "A contest of <b>tests</b>"
venue = "Nowhere & everywhere"
date = 2010-10-23
[spectators]
delay_seconds = 0
"""


async def text_of(page: Page, side: str, desk: int = 1) -> str:
    """The text in a pane."""
    return await page.inner_text(f'[aria-label="Desk {desk}, {side}"]')


@pytest.mark.parametrize("kind", BROWSERS)
async def test_pages_in_a_browser(kind: Kind, tmp_path: Path) -> None:
    fed = FedContest(delay=0)
    view = brief().read()
    steps = steps_of(view.state)
    app = application(
        [
            static_route(),
            *audience_routes(fed.feed, parse(SETTINGS), lambda: brief().log()),
        ],
        Access(),
    )
    fed.open()
    for name, content in files_of(brief().log(), "html"):
        file = tmp_path / name
        file.parent.mkdir(exist_ok=True)
        file.write_bytes(b"".join(content))
    async with browsing(kind) as browser, AsyncExitStack() as stack:
        address = await stack.enter_async_context(serving(app, "127.0.0.1", 0))
        server = f"http://{address}"
        async with (
            opened(browser, server, complaints=("WebSocket", "ws://")) as page,
            opened(browser, server, size=PHONE, complaints=("WebSocket", "ws://")) as phone,
            opened(browser, server, size=(1920, 1080), complaints=("WebSocket", "ws://")) as hall,
            opened(browser, server, complaints=("WebSocket", "ws://")) as german,
        ):
            await page.goto("/")
            assert page.url == f"{server}/watch"
            assert await page.inner_text("h1") == "A contest of <b>tests</b>"
            await page.wait_for_selector("html.live")
            await page.wait_for_selector("text=Nobody is at a desk yet")
            await phone.goto("/watch")
            await hall.goto("/watch?hall")
            await german.goto("/watch?lang=de")
            await german.wait_for_selector("text=Noch sitzt niemand an einem Tisch")
            await _live(fed, page, phone, hall)
            await _in_german(german, "Runde 1 von 2: Die Gespräche laufen")
            await _revealed(fed, view, steps, page, hall)
            await german.wait_for_selector("text=1. Platz")
            await _in_german(german, "Alles ist entschieden: das Ergebnis")
            await _archived(page)
            async with opened(browser, server, scripts=False) as reader:
                await reader.goto("/watch")
                assert "Teapot" in await reader.inner_text("#step-places")
                await reader.click("text=All talks, to replay")
                await reader.click(".talk-list a >> nth=0")
                assert "What is a hammer for?" in await reader.inner_text(".said")
            await _conversations_are_the_consoles(browser, server)
            # The server ends: the page keeps its content, and says that it is no longer live.
            assert await hall.is_hidden("#away")
            await stack.aclose()
            await hall.wait_for_selector("text=The contest is over, and its server has ended.")
            assert await hall.locator(".place").count() == 2
            await german.wait_for_selector("text=Der Wettbewerb ist beendet, und sein Server läuft")
        async with opened(browser, tmp_path.as_uri()) as folder:
            await folder.goto(f"{tmp_path.as_uri()}/index.html")
            await _folder(folder)
        if kind == "chromium":  # only its protocol shows frames, and prints
            await _follows_only_the_desks_in_view(browser)
            await _results_page(browser, tmp_path.as_uri())


async def _results_page(browser: Browser, folder: str) -> None:
    """The self-contained page of results: wide and on a phone, light, dark, printed."""
    colour_of = "each => getComputedStyle(each).fill"
    for size in (WIDE, PHONE):
        async with opened(browser, folder, size=size) as page:
            await page.goto(f"{folder}/results.html")
            # A phone shows the same page, so axe checks it only once, in both colour schemes.
            if size == PHONE:
                assert await violations(page) == []
            assert await overflow(page) == 0
            bar = page.locator("svg.interval path.f-entity").first
            for look, colour in (("dark", "rgb(243, 183, 140)"), ("light", "rgb(122, 58, 12)")):
                await page.emulate_media(color_scheme=look)  # type: ignore[arg-type]
                assert await bar.evaluate(colour_of) == colour
    async with opened(browser, folder, size=(700, 990)) as page:
        # The width of an A4 sheet without margins.
        await page.goto(f"{folder}/results.html")
        await page.emulate_media(media="print")
        assert await overflow(page) == 0
        assert len(await page.pdf(format="A4")) > 10_000


async def _follows_only_the_desks_in_view(browser: Browser) -> None:
    """A page with many desks gets the text of those in view."""
    settings, plan = desks(30)
    fed = FedContest(delay=0, settings=settings, plan=plan)
    app = application(
        [
            static_route(),
            *audience_routes(fed.feed, parse(SETTINGS), lambda: ListLog(())),
        ],
        Access(),
    )
    fed.open()
    async with (
        serving(app, "127.0.0.1", 0) as address,
        opened(browser, f"http://{address}") as page,
        opened(browser, f"http://{address}", size=PHONE) as phone,
    ):
        said: list[str] = []
        came: list[str | bytes] = []

        def socket(each: WebSocket) -> None:
            each.on("framesent", lambda data: said.append(str(data)))
            each.on("framereceived", lambda data: came.append(data))

        page.on("websocket", socket)
        await page.goto("/watch")
        await phone.goto("/watch")
        fed.round({f"J{n}": "left" for n in range(1, 31)})
        fed.type("1.1.J1.left", "judge", "at the first " + "x" * 400)
        fed.type("1.1.J30.right", "entity", "at the last")
        await page.wait_for_selector("text=at the first")
        await phone.wait_for_selector("text=at the first")
        assert await page.locator(".desk").count() == 30
        assert not any("at the last" in str(data) for data in came)
        assert any(isinstance(data, bytes) for data in came), "long frames are compressed"
        followed = json.loads(said[-1])["desks"]
        assert "J1" in followed
        assert "J30" not in followed

        # After scrolling, the desk has its earlier text, and new text.
        for each in (page, phone):
            await each.locator('[data-desk="J30"]').scroll_into_view_if_needed()
            await each.wait_for_selector("text=at the last")
        fed.type("1.1.J30.right", "entity", " one")
        fed.type("1.1.J1.left", "judge", " unseen")
        for each in (page, phone):
            await each.wait_for_selector("text=at the last one")
            assert await overflow(each) == 0
        assert "J1" not in json.loads(said[-1])["desks"]
        await page.evaluate("scrollTo(0, 0)")
        await page.wait_for_selector("text=unseen")
        assert (await text_of(page, "left")).count("at the first") == 1

        # A single desk.
        await page.select_option("#desk", "J30")
        await page.wait_for_selector("text=at the last one")
        await _until(lambda: json.loads(said[-1])["desks"] == ["J30"])


async def _until(true: Callable[[], bool]) -> None:
    while not true():  # noqa: ASYNC110 -- the state is in the browser
        await asyncio.sleep(0.02)


async def _live(fed: FedContest, page: Page, phone: Page, hall: Page) -> None:
    fed.round({"J1": "left", "J2": "right"})
    fed.type(LEFT, "judge", "Hi")
    fed.type(RIGHT, "entity", EVIL + "\n")
    await page.wait_for_selector(f"text={EVIL}")
    assert "Judge: Hi" in await text_of(page, "left")
    assert f"Right: {EVIL}" in await text_of(page, "right")
    assert await page.locator(".log script, .log img").count() == 0
    assert await page.title() == "A contest of <b>tests</b>"

    # Later keys are added, and BackSpace removes a character.
    fed.type(LEFT, "judge", "\b\bHello.\n")
    fed.type(LEFT, "entity", "yes")
    await page.wait_for_selector("text=Left: yes")
    assert "Hi" not in await text_of(page, "left")
    assert "Round 1 of 2: the talks are in progress" in await page.inner_text("#words")
    assert (await page.inner_text("#left")).endswith("left")
    live = [await page.get_attribute(f"#{each}", "aria-live") for each in ("left", "desks")]
    assert live == ["off", None]
    assert await page.inner_text("#said") == "Round 1 of 2: the talks are in progress"

    # A pause is announced once, without its reason.
    fed.event(bodies.RoundPaused(1, 1, "E2 hangs"))
    await page.wait_for_selector("text=Round 1 of 2 is paused")
    assert await page.inner_text("#said") == "Round 1 of 2 is paused"
    stands = await page.inner_text("#left")
    fed.event(bodies.RoundResumed(1, 1))
    await page.wait_for_selector("text=the talks are in progress")
    assert stands.endswith("left")

    # A single desk, also on a phone, and chosen by a key in the hall.
    await phone.select_option("#desk", "J2")
    await phone.wait_for_selector('[data-desk="J1"]', state="hidden")
    assert "desk=J2" in phone.url
    await phone.reload()
    await phone.wait_for_selector('[data-desk="J2"]')
    await phone.wait_for_selector('[data-desk="J1"]', state="hidden")
    assert await hall.locator(".desk:visible").count() == 2
    await hall.keyboard.press("1")
    await hall.wait_for_selector('[data-desk="J2"]', state="hidden")
    size = "parseFloat(getComputedStyle(document.querySelector('.log')).fontSize)"
    assert await hall.evaluate(size) >= 28
    await hall.keyboard.press("0")
    await hall.wait_for_selector('[data-desk="J2"]')
    assert await violations(page) == []
    assert await violations(phone, schemes=("dark",)) == []
    assert await violations(hall, schemes=("light",)) == []
    for each in (page, phone, hall):
        assert await overflow(each) == 0

    # A desk that is closed while it is visible.
    fed.event(bodies.ConsentGiven("C1", False, 1))
    await page.wait_for_selector("text=Not shown, at the request of a participant.")
    assert "yes" not in await page.inner_text("#desks")
    fed.event(bodies.ConsentGiven("C1", True, 2))
    await page.wait_for_selector("text=Left: yes")

    # Updates don't move a pane that was scrolled back; a new page has the whole text.
    fed.type(RIGHT, "judge", "".join(f"line {n}\n" for n in range(60)))
    await page.wait_for_selector("text=line 59")
    log = page.locator('[aria-label="Desk 1, right"]')
    at_end = "each => each.scrollHeight - each.scrollTop - each.clientHeight < 50"
    assert await log.evaluate(at_end)
    await log.evaluate("each => { each.scrollTop = 0; }")
    fed.type(RIGHT, "judge", "one more\n")
    await page.wait_for_selector("text=one more", state="attached")
    assert await log.evaluate("each => each.scrollTop") == 0
    before = await text_of(page, "right")
    await page.reload()
    await page.wait_for_selector("text=one more", state="attached")
    assert await text_of(page, "right") == before


async def _in_german(page: Page, words: str) -> None:
    """The page has no English words of the catalogue, except in parts marked as English."""
    await page.wait_for_selector(f"#words:text-is('{words}')")
    shown = await page.evaluate(
        """() => {
            const body = document.body.cloneNode(true);
            const others = body.querySelectorAll("[lang=en], bdi, .title, script");
            for (const each of others) each.remove();
            const named = [...body.querySelectorAll("[aria-label]")];
            return [body.textContent, ...named.map(each => each.ariaLabel)].join("\\n");
        }"""
    )
    english, german = (
        {
            piece.strip(" .,:()")
            for key in load(language)
            if key.startswith(("audience.", "outcome."))
            for form in load(language).forms(key).values()
            for piece in re.split(r"\{\w+\}|1", form)
        }
        for language in ("en", "de")
    )
    pieces = english - german - {""}
    found = [p for p in pieces if re.search(rf"(?<!\w){re.escape(p)}(?!\w)", shown)]
    assert len(pieces) > 50
    assert found == []
    assert await page.get_attribute("html", "lang") == "de"
    assert await violations(page, schemes=("light",)) == []
    assert await overflow(page) == 0


async def _revealed(fed: FedContest, view: Any, steps: list[str], page: Page, hall: Page) -> None:
    fed.event(bodies.RankingOpened())
    fed.event(bodies.RankingClosed("all have ranked"))
    fed.event(bodies.SidesRevealed([]))
    await page.wait_for_selector("text=The result appears here step by step")
    for number, step in enumerate(steps, 1):
        fed.outcome = outcome_of(Results(view), steps[:number])
        fed.event(bodies.Revealed(step))
        wanted = "step-places" if step.startswith("place") else f"step-{step}"
        await page.wait_for_selector(f"#{wanted}")
        if step.startswith("place"):
            places = page.locator(".place")
            await places.nth(0).wait_for()
    await page.wait_for_selector("text=First place")
    assert await page.locator(".place").count() == 2
    assert await page.locator("#outcome script, #outcome img").count() == 0
    assert "<i>Sly</i>" in await page.inner_text("#step-places")
    assert await violations(page) == []
    for each in (page, hall):
        assert await overflow(each) == 0


async def _archived(page: Page) -> None:
    await page.click("text=All talks, to replay")
    await page.wait_for_selector("text=Official result")
    assert await violations(page) == []
    assert await overflow(page) == 0
    await page.click(".talk-list a >> nth=0")
    await _player(page)
    assert await violations(page) == []


async def _player(page: Page) -> None:
    """Replays a talk, with mouse and keyboard."""
    await page.wait_for_selector(".player:not([hidden])")
    await page.set_viewport_size({"width": PHONE[0], "height": PHONE[1]})
    assert await overflow(page) == 0
    await page.set_viewport_size({"width": 1280, "height": 900})
    logs = page.locator(".log")
    assert await logs.nth(0).inner_text() == ""
    await page.focus('[data-player="line"]')
    await page.keyboard.press("End")
    full = [await logs.nth(each).inner_text() for each in (0, 1)]
    assert all("Judge: Hello." in text for text in full)
    await page.keyboard.press("Home")
    assert await logs.nth(0).inner_text() == ""
    await page.select_option('[data-player="speed"]', "64")
    await page.focus('[data-player="line"]')
    await page.keyboard.press("Space")
    assert await page.inner_text('[data-player="play"]') == "Pause"
    # Nobody types in the last minutes, so they are skipped.
    await page.wait_for_function(
        "full => [...document.querySelectorAll('.log')].every((e, n) => e.innerText === full[n])",
        arg=full,
    )
    await page.fill('[data-player="line"]', "280000")
    await page.wait_for_selector('[data-player="play"]:text-is("Play")')
    assert [await logs.nth(each).inner_text() for each in (0, 1)] == full
    await page.keyboard.press("ArrowLeft")
    assert await page.get_attribute('[data-player="line"]', "aria-valuetext") == "4:55 of 5:00"
    await page.keyboard.press("-")
    assert await page.input_value('[data-player="speed"]') == "32"


async def _folder(page: Page) -> None:
    """The archive's pages opened from a folder, without a server."""
    await page.click(".talk-list a >> nth=3")
    await _player(page)
    await page.click("text=Next talk")
    await page.wait_for_selector(".player:not([hidden])")
    await page.click("text=All talks")
    await page.wait_for_selector("#talks")


async def _conversations_are_the_consoles(browser: Browser, server: str) -> None:
    """The script's panes show the same blocks as a console's, for any typed text."""
    rng = random.Random(5)
    pieces = ["a", "b.", "?", " ", "\n", "\n", "\b", "\b\b", 'o"', "é", "word " * 90, "x" * 500]
    pieces += ["\u0323\u0301\u20dd", MARK]
    talks = []
    for _ in range(40):
        typed = [
            (rng.choice(["judge", "entity"]), rng.choice(pieces)) for _ in range(rng.randint(1, 30))
        ]
        talks.append(typed)
    async with opened(browser, server) as page:
        await page.goto("/watch")
        await page.wait_for_selector("html.live")
        found = await page.evaluate(
            """talks => talks.map(typed => {
                const log = document.createElement("div");
                document.body.append(log);
                const pane = new window.talks.Pane(log, "Left");
                for (const [author, text] of typed) { pane.type(author, text); pane.draw(); }
                const drawn = [...log.children].map(p => p.lastChild.textContent);
                log.remove();
                return [drawn, pane.conversation.blocks.map(b =>
                    [b.author, b.chars.join(""), b.ended, b.continues, b.settled])];
            })""",
            talks,
        )
    for typed, (shown, blocks) in zip(talks, found, strict=True):
        ours = Conversation()
        for author, text in typed:
            for key in keys_of(text):
                ours.press("judge" if author == "judge" else "entity", key)
        wanted = [[b.author, b.text, b.ended, b.continues, b.settled] for b in ours.blocks]
        assert blocks == wanted, typed
        assert shown == [limit_accents(b.text) for b in ours.blocks], typed
