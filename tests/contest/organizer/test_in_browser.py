"""Tests the board in a browser on a phone: missing people come first, updates don't disturb what is
being typed, and the remaining rounds can be planned again with only the keyboard."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.async_api import Page, expect

from contest.serving.server import Server
from judge_console.client import SeatClient
from tests.browser import BROWSERS, PHONE, Kind, Scheme, browsing, opened, overflow, violations
from tests.contest.organizer.board_server import give, organizer, staged, visitor


@pytest.mark.timeout(300)
@pytest.mark.usefixtures("work_in_this_process")
@pytest.mark.parametrize("kind", BROWSERS)
async def test_on_a_phone(kind: Kind, tmp_path: Path) -> None:
    async with (
        staged(tmp_path / "contest") as stage,
        browsing(kind) as browser,
        opened(browser, f"http://{stage.address}", size=PHONE) as page,
    ):
        await page.goto("/board/login")
        await page.get_by_label("The organizer’s code").fill(organizer(stage))
        await page.keyboard.press("Enter")
        await page.wait_for_url("**/board")
        await focus_survives_updates(page)
        async with visitor(stage, organizer(stage)) as client:
            await give(client, "start", anyway="yes", sure="yes")
        await missing_people_come_first(page, stage)
        await result_updates_keep_a_typed_reason(page, stage)
        async with visitor(stage, organizer(stage)) as client:
            await give(client, "start", anyway="yes", sure="yes")
        await the_schedule_is_planned_again(page)
        assert len(list(stage.record.events(kind="schedule-changed"))) == 1
        async with opened(browser, f"http://{stage.address}") as other:
            await german_pages_fit(other, stage)


FIRST = """<div id="part">
<h2 id="head">One</h2>
<p id="open">still open</p>
<div id="table" tabindex="0">1</div>
<p>a line</p></div>"""
THEN = """<div id="part">
<h2 id="head">Two</h2>
<div id="table" tabindex="0">2</div>
<p>a line</p><p id="more">another</p></div>"""


async def focus_survives_updates(page: Page) -> None:
    """The focused element keeps the focus while parts before and after it come and go."""
    await page.goto("/board/files")  # a page without its own script
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


async def missing_people_come_first(page: Page, stage: Server) -> None:
    await page.goto("/board")
    await expect(page.locator("#connection-mark")).to_have_text("● live")
    away = page.locator("#missing-J2")
    await expect(away).to_contain_text("Ines")
    tops = [
        (await page.locator(place).bounding_box() or {"y": -1})["y"]
        for place in ("#missing", "#desks", "#orders")
    ]
    assert tops[0] == min(tops) > 0
    # Nobody is listed twice; orders that are not possible now are folded.
    await expect(page.locator("#desks")).to_contain_text("Harriet")
    await expect(page.locator("#entries")).to_be_hidden()
    await expect(page.locator("#order-resume")).to_be_hidden()
    await page.locator("#orders-later summary").click()
    await expect(page.locator("#order-resume")).to_be_visible()
    async with SeatClient(f"ws://{stage.address}", stage.codes["J2"]) as console:
        await console.ready()
        await expect(away).to_have_count(0)
    await expect(away).to_be_visible()
    assert await overflow(page) == 0


async def result_updates_keep_a_typed_reason(page: Page, stage: Server) -> None:
    """The result is updated while a person types a reason."""
    await page.goto("/board/result")
    await expect(page.locator("#connection-mark")).to_have_text("● live")
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
    await expect(page.locator("#result-open")).to_contain_text("round 1: no verdict from J1, J2")
    await expect(page.get_by_role("button", name="Yes: void it")).to_be_focused()
    await page.keyboard.press("Enter")
    await expect(page.locator("#said")).to_contain_text("Done")
    await expect(void.locator("summary")).to_be_focused()
    (voided,) = stage.record.events(kind="voided")
    assert (voided.body["reason"], voided.talk or voided.body["talk"]) == (
        "a lamp fell",
        "1.1.J2.right",
    )


async def the_schedule_is_planned_again(page: Page) -> None:
    """Chooses absent people, compares both plans, and adopts one."""
    await page.goto("/board")
    await page.get_by_role("link", name="Schedule").press("Enter")
    await expect(page.locator("h1")).to_have_text("Schedule: who meets whom")
    await page.get_by_label("J1").focus()
    await page.keyboard.press("Space")
    await page.get_by_label("C2 Gordon").focus()
    await page.keyboard.press("Space")
    await page.keyboard.press("Enter")
    await expect(page.get_by_text("loses 2 pairs fewer")).to_be_visible()
    await expect(page.get_by_label("C2 Gordon")).to_be_checked()
    assert await overflow(page) == 0
    assert await violations(page) == []
    await page.get_by_role("radio", name="new plan").focus()
    await page.keyboard.press("Space")
    await page.get_by_label("Reason").fill("J1 and C2 are ill")
    await page.keyboard.press("Enter")
    await expect(page.locator(".note.ok")).to_contain_text("have a new plan")


async def german_pages_fit(page: Page, stage: Server) -> None:
    """German pages pass the accessibility checks, and cut nothing; test_german.py reads them.
    tests/end_to_end/test_board.py checks them in English, and in light colours."""
    await page.goto("/board/login?lang=de")
    assert await violations(page, schemes=DARK) == []
    await page.get_by_label("Code der Wettbewerbsleitung").fill(organizer(stage))
    await page.keyboard.press("Enter")
    await page.wait_for_url("**/board")
    await expect(page.locator("#connection-mark")).to_have_text("● verbunden")
    await page.locator("#orders-later summary").click()
    await page.locator("a[href='#order-pause']").click()
    await page.locator("#order-pause").get_by_label("Grund").fill("eine Lampe")
    await page.keyboard.press("Enter")
    await expect(page.locator("#said")).to_have_text("Erledigt: die Runde ist angehalten.")
    await expect(page.locator("#state")).to_have_text(re.compile("Runde . ist angehalten"))
    await page.locator("#order-again summary").click()
    await page.locator("#order-again").get_by_label("Grund").fill("die Lampe")
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("group", name="Sind Sie sicher?")).to_contain_text("der neue")
    for path in (
        "",
        "/log",
        "/result",
        "/schedule",
        "/schedule?plan=yes&gone=J1",
        "/codes",
        "/files",
    ):
        if path:
            await page.goto(f"/board{path}")
        await expect(page.locator("html")).to_have_attribute("lang", "de")
        # The English schedule has been checked; the codes are checked below, with their cards.
        if not path.startswith(("/schedule", "/codes")):
            assert await violations(page, schemes=DARK) == [], path
        for width, height in GERMAN_SIZES:
            await page.set_viewport_size({"width": width, "height": height})
            assert await overflow(page) == 0, (path, width)
            assert await page.evaluate(CUT) == [], (path, width)
    await page.goto("/board/codes")
    await page.get_by_role("button", name="Codes zeigen").click()
    await expect(page.locator(".codecard").first).to_contain_text("Adresse")
    square = await page.locator(".qr path").first.bounding_box()
    assert square is not None
    assert square["width"] > 90, "a phone can read it"
    assert await violations(page, schemes=DARK) == []


DARK: tuple[Scheme, ...] = ("dark",)
#: Windows on a desktop, on a phone, and on a desktop at 200 %, in which German words must fit, too.
GERMAN_SIZES = ((1366, 768), (390, 844), (683, 384))
#: The controls whose words don't fit into them.
CUT = """() => [...document.querySelectorAll("button, .button, th, h1, h2, .mark")]
  .filter((each) => each.checkVisibility() && !each.closest(".unseen, .log thead"))
  .filter((each) => each.scrollWidth > each.clientWidth + 1 && each.clientWidth)
  .map((each) => each.textContent)"""
