"""The season in a real browser, wide and on a phone, light and dark, with the keyboard: a marker
fills in the sheets, and an organizer registers, corrects and tests an entry."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.async_api import Browser, Page, expect

from contest.net.web import serving
from contest.screening import marking as steps
from contest.screening.pages import marking_site, season_site
from contest.screening.register import COMPLIES, FIELDS, assess
from contest.screening.season import Season
from contest.setup import folder
from lpp.conformance.cases import choose
from tests.browser import PHONE, WIDE, browsing, needs_chromium, opened, overflow, violations
from tests.contest.screening.seasons import sat
from tests.contest.screening.test_pages import SCRIPT, five

pytestmark = [needs_chromium, pytest.mark.timeout(180), pytest.mark.soak]

#: The maximum number of Tabs to reach an element.
TABS = 90
#: The browser's message about a refused form.
REFUSED = ("status of 4",)


@pytest.fixture
def marked(tmp_path: Path) -> Iterator[Season]:
    """A season ready for marking; asked before the test's own loop runs."""
    with sat(tmp_path / "marked") as season:
        steps.begin(season)
        yield season


async def tab_to(page: Page, selector: str) -> None:
    """Presses Tab until an element has the focus."""
    for _ in range(TABS):
        if await page.evaluate("s => document.activeElement.matches(s)", selector):
            return
        await page.keyboard.press("Tab")
    raise AssertionError(f"{selector} can't be reached by Tab")


async def type_in(page: Page, name: str, text: str) -> None:
    """Focuses a field and types."""
    await tab_to(page, f'[name="{name}"]')
    await page.keyboard.press("Control+A")
    await page.keyboard.type(text)


async def check_page(page: Page) -> None:
    """Checks that a page is accessible and fits its window: wide and light, and dark on a phone."""
    assert await overflow(page) == 0
    wide = page.viewport_size == {"width": WIDE[0], "height": WIDE[1]}
    assert await violations(page, schemes=("light",) if wide else ("dark",)) == []


async def log_in(page: Page, code: str) -> None:
    await page.goto("/board")
    await expect(page.locator("#code")).to_be_focused()
    await page.keyboard.type(code)
    await page.keyboard.press("Enter")
    await page.wait_for_url("**/board")


async def test_the_season_in_a_browser(marked: Season, tmp_path: Path) -> None:
    async with browsing() as browser:
        await marking(browser, marked)
        await board(browser, tmp_path / "contest")


async def marking(browser: Browser, season: Season) -> None:
    """Ann gives every answer the highest mark, with only Tab, arrows and Return."""
    pages = marking_site(season, ["Ann"])
    async with (
        serving(pages.app(), "127.0.0.1", 0) as address,
        opened(browser, f"http://{address}") as page,
    ):
        await log_in(page, pages.codes["Ann"])
        await check_page(page)
        await tab_to(page, 'a[href="/board/sheet/1"]')
        await page.keyboard.press("Enter")
        await expect(page.locator("h1")).to_have_text("What says meow?")
        # A program's answer is escaped.
        await expect(page.locator(".said").filter(has_text="=HYPERLINK(<b>1")).to_have_count(1)
        await check_page(page)
        for number in (1, 2):
            for each in steps.letters(season.state):
                await tab_to(page, f'[name="{each}"]')
                await page.keyboard.press("Space")
                await page.keyboard.press("ArrowRight")
                await page.keyboard.press("ArrowRight")
            await page.keyboard.press("Enter")
            said = page.get_by_role("status")
            await expect(said).to_have_text(f"Saved: things-{number}.")
        await expect(page.get_by_text("You have marked all answers")).to_be_visible()
    assert {mark["Ann"] for mark in season.state.marks.values()} == {1}
    assert steps.missing(season.state) == {"Ann": 0}


async def board(browser: Browser, place: Path) -> None:
    with Season(folder.make(place).parent) as season:
        five(season)
        site = season_site(season)
        code = site.codes["organizer"]
        async with (
            serving(site.app(), "127.0.0.1", 0, access=site.access) as address,
            opened(browser, f"http://{address}", complaints=REFUSED) as page,
            opened(browser, f"http://{address}", size=PHONE, complaints=REFUSED) as phone,
        ):
            await log_in(page, code)
            for path in ("", "/E2", "/E4/restore"):
                await page.goto(f"/board{path}")
                await check_page(page)
            await register_entry(page)
            await log_in(phone, code)
            await correct_and_test_entry(phone)
        entry = season.state.entries["E6"]
        assert assess(season.state, "E6").state == COMPLIES
    assert [form.media for form in entry.versions] == ["floppy disk", "DVD"]
    assert [change.by for change in entry.changes] == ["Ada", "Bo"]


async def register_entry(page: Page) -> None:
    """Registers an entry with the keyboard, at first with a wrong date."""
    await page.goto("/board")
    await tab_to(page, 'a[href="/board/new"]')
    await page.keyboard.press("Enter")
    await expect(page.locator("h1")).to_have_text("Register an entry")
    for name, text in (
        *(("program", "<b>Rosette</b>"), ("entrant", "Bruce Wilcox"), ("posted", "12 May")),
        *(("service", "FedEx"), ("proof", "8702"), ("received", "2010-06-12")),
    ):
        await type_in(page, name, text)
    await tab_to(page, '[name="way"]')
    await page.keyboard.press("Space")
    for name, text in (("media", "floppy disk"), ("platforms", "Windows XP"), ("by", "Ada")):
        await type_in(page, name, text)
    await page.keyboard.press("Enter")
    # The wrong field has the focus, and the other fields keep their values.
    await expect(page.get_by_role("alert")).to_contain_text("one field needs to be corrected")
    await expect(page.locator('[name="posted"]')).to_be_focused()
    await expect(page.locator('[name="posted"]')).to_have_accessible_description(
        re.compile(rf"'12 May' is not a date.*{re.escape(FIELDS['posted'].holds)}")
    )
    await expect(page.locator('[name="platforms"]')).to_have_value("Windows XP")
    await check_page(page)
    await type_in(page, "posted", "2010-05-12 09:00")
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("status")).to_have_text("E6 is registered.")
    await expect(page.locator("main")).to_contain_text("“All entrants must submit their entries")


async def correct_and_test_entry(page: Page) -> None:
    """Corrects the medium, then records a test, which is at first refused by the order of
    receipt."""
    await page.goto("/board/E6/change")
    for name, text in (("media", "DVD"), ("reason", "it is a DVD"), ("by", "Bo")):
        await page.locator(f'[name="{name}"]').fill(text)
    await page.get_by_role("button", name="Save the correction").click()
    await expect(page.get_by_role("status")).to_have_text("E6 is corrected.")
    await page.goto("/board/E6/test")
    await expect(page.locator("main")).to_contain_text("E5 was received before E6 and must be")
    for item in ("programs", "runs", "path", "variable", "browse"):
        await page.locator(f'[name="outcome-{item}"][value="pass"]').check()
    document = json.dumps(
        {"cases": [{"id": case.id, "outcome": "pass"} for case in choose(())], "passed": True}
    )
    for name, text in (("document", document), ("tested", "2010-06-14"), ("by", f"Cy {SCRIPT}")):
        await page.locator(f'[name="{name}"]').fill(text)
    await page.get_by_role("button", name="Save the test").click()
    await expect(page.locator('[name="out_of_order"]')).to_be_focused()
    await check_page(page)
    await page.keyboard.type("his appointment")
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("status")).to_have_text("The test of E6 is recorded.")
    await expect(page.locator("main")).to_contain_text(f"Cy {SCRIPT}")
