"""The server is killed and restarted in the middle of a line while a judge and a confederate type
in browsers: both pages reconnect by themselves, and nothing is lost or doubled."""

from __future__ import annotations

import asyncio
import contextlib
import time
from pathlib import Path

import pytest
from playwright.async_api import Page, expect

from contest.net import codes
from contest.record import reading
from contest.setup import folder
from contest.verify.verify import verify
from lpp.lines import Pane
from tests.browser import BROWSERS, PATIENCE, Kind, browsing, opened
from tests.faults.test_server import Server, gone

pytestmark = pytest.mark.soak

SETTINGS = """\
[contest]
name = "Browsers whose server dies"
[rules]
rounds = 1
interaction_minutes = 600
[publication]
default = "publish"
[seats]
browser = "all"
[[judge]]
id = "J1"
[[entry]]
id = "E1"
command = "loebner bot therapist --dir {dir}"
[[confederate]]
id = "C1"
"""
#: A page complains of a socket that no server answers.
REFUSED = ("WebSocket connection to", "can’t establish a connection", "was interrupted while")
#: Seconds within which a page reconnects once the server listens; and by which clocks may differ.
BACK, APART = 10.0, 2.0
#: Milliseconds between two keys of a person.
GAP = 30.0
JUDGE_SAYS = "In the middle of this line the server is killed, and I go on typing."
PERSON_SAYS = "I am a person, and I have seen nothing of it, whatever became of it."


async def sit(page: Page, code: str) -> None:
    await page.goto(f"/sit#{code}")
    if code.startswith("C"):  # confirms the hardware keyboard
        await page.locator("#keyboard").check()
        await page.locator("#view-code button.main").click()
    await expect(page.locator("#where")).not_to_be_empty()


async def lines(page: Page, place: str, author: str) -> str:
    """An author's lines as a screen shows them."""
    side = page.locator(f"#side-{place}")
    said = await side.locator(f".line.{author} span").all_text_contents()
    return "\n".join(said)


async def typed(page: Page, sentence: str, enough: asyncio.Event) -> str:
    """Types a sentence repeatedly, each time in a new line, until `enough` is set; returns the
    lines."""
    said = [sentence]
    while True:
        await page.keyboard.type(sentence, delay=GAP)
        await page.keyboard.press("Enter")
        if enough.is_set():
            return "\n".join(said)
        said.append(sentence)


async def waiting(page: Page, *, some: bool) -> None:
    """Waits until there are keys that the record does not have yet, or none."""
    async with asyncio.timeout(PATIENCE / 1000):
        while bool(await page.evaluate("localStorage.length")) != some:  # noqa: ASYNC110 -- in the page
            await asyncio.sleep(0.05)


async def remaining(page: Page) -> int:
    """Seconds on a page's clock."""
    minutes, seconds = (await page.locator("#clock").inner_text()).split(":")
    return 60 * int(minutes) + int(seconds)


@pytest.mark.timeout(300)
@pytest.mark.parametrize("kind", BROWSERS)
async def test_both_pages_reconnect_by_themselves(kind: Kind, tmp_path: Path) -> None:
    place = tmp_path / "contest"
    folder.make(place, SETTINGS)
    server = Server(place)
    await server.start()
    try:
        await killed_under(server, kind)
        await server.end()
    finally:
        with contextlib.suppress(ProcessLookupError):
            await server.kill()
        await gone(place)
    assert "Traceback" not in server.said()
    assert verify(place).ok


async def killed_under(server: Server, kind: Kind) -> None:
    given = codes.read_file(server.place / codes.FILE_NAME)
    address = f"http://127.0.0.1:{server.port}"
    async with (
        browsing(kind) as browser,
        browsing(kind) as another,
        opened(browser, address, complaints=REFUSED) as judge,
        opened(another, address, complaints=REFUSED) as person,
    ):
        await sit(judge, given["J1"])
        await sit(person, given["C1"])
        await server.order("start", anyway=True)
        await expect(judge.locator(".side.here textarea")).to_be_focused()
        # Type the side's name on both sides; the confederate receives that of its own side.
        where = await found(judge, person)
        await judge.locator(f"#side-{where} textarea").focus()
        enough = asyncio.Event()
        typing = [
            asyncio.create_task(typed(judge, JUDGE_SAYS, enough)),
            asyncio.create_task(typed(person, PERSON_SAYS, enough)),
        ]
        for _ in range(2):
            await asyncio.sleep(1.5)
            left, killed = await remaining(judge), time.monotonic()
            await server.kill()
            for page in (judge, person):
                await expect(page.locator("#link")).to_be_visible()
            for page in (judge, person):  # the keys typed meanwhile are waiting
                await waiting(page, some=True)
            await server.start()
            listens = time.monotonic()
            for page in (judge, person):
                await expect(page.locator("#link")).to_be_hidden()
            assert time.monotonic() - listens < BACK
            for page in (judge, person):
                await page.wait_for_timeout(500)  # its clock is drawn anew
                now, status = await remaining(page), await server.order("status")
                assert abs(now - status["remaining"]) < APART
                assert left - (time.monotonic() - killed) - APART < now < left + APART
        enough.set()
        judges, persons = await asyncio.gather(*typing)
        for page in (judge, person):
            await waiting(page, some=False)
        other = "right" if where == "left" else "left"
        there = judge.locator(f"#side-{where} .line.entity span")
        await expect(there).to_have_text(persons.split("\n"))
        there = person.locator("#side-only .line.judge span")
        await expect(there).to_have_text([where, *judges.split("\n")])
        assert await lines(judge, where, "judge") == f"{where}\n{judges}"
        assert await lines(person, "only", "entity") == persons
        assert await lines(judge, other, "judge") == other
    keys: dict[str, list[str]] = {"judge": [], "entity": []}
    for event in reading.open_log(server.place).events():
        if event.kind == "key" and event.body["side"] == where:
            keys[str(event.body["author"])].append(str(event.body["key"]))
    assert Pane(keys["judge"]).text == f"{where}\n{judges}\n"
    assert Pane(keys["entity"]).text == f"{persons}\n"


async def found(judge: Page, person: Page) -> str:
    """Types a line on both sides; returns the confederate's side."""
    for place in ("left", "right"):
        await judge.locator(f"#side-{place} textarea").focus()
        await judge.keyboard.type(place)
        await judge.keyboard.press("Enter")
    said = person.locator("#side-only .line.judge:not(.open) span")
    await expect(said).to_have_count(1)
    return str(await said.text_content())
