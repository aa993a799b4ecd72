"""A rater of each discipline in a browser, by keyboard alone."""

from __future__ import annotations

import importlib
from pathlib import Path

import pytest
from playwright.async_api import Browser, Page, expect

from contest.net.web import serving
from disciplines.page import PAGE
from disciplines.raters import COMMENT, Pages, Questionnaire
from tests.browser import (
    PHONE,
    browsing,
    needs_chromium,
    needs_firefox,
    opened,
    overflow,
    violations,
)
from tests.disciplines.questionnaires import QUESTIONNAIRES


async def focused(page: Page, name: str) -> None:
    """Tabs to an element."""
    for _ in range(60):
        await page.keyboard.press("Tab")
        if await page.evaluate("document.activeElement.name") == name:
            return
    raise AssertionError(f"no tab leads to {name}")


async def rated(page: Page, asked: Questionnaire, comment: str) -> None:
    """Gives scores of 3, and a comment wherever there is room for one, without a mouse."""
    for each in asked.criteria:
        await focused(page, each.name)
        # The space bar chooses the first score, and two arrow keys lead to the third.
        await page.keyboard.press("Space")
        await page.keyboard.press("ArrowRight")
        await page.keyboard.press("ArrowRight")
        if each.comment:
            await focused(page, each.name + COMMENT)
            await page.keyboard.type(comment)


async def tour(browser: Browser, server: str, link: str, asked: Questionnaire) -> None:
    """Rates the first item and part of the second one. In between the browser is closed, and then
    the server can't be reached."""
    first = asked.criteria[0].name
    comment = next(each.name for each in asked.criteria if each.comment) + COMMENT
    async with opened(browser, server) as page:
        await page.goto(link)
        assert await violations(page) == []
        await rated(page, asked, "Fine <b> & so")
        await expect(page.locator("#saved")).to_have_text("Saved.")
        await focused(page, "go")
        await page.keyboard.press("Enter")
        await page.wait_for_url(f"**{link}/2")
        # In the middle of the second one the browser is closed.
        await focused(page, first)
        await page.keyboard.press("Space")
        await focused(page, comment)
        await page.keyboard.type("half a tho")
        await expect(page.locator("#saved")).to_have_text("Saved.")
    async with opened(browser, server, size=PHONE, complaints=("ERR_FAILED",)) as page:
        await page.goto(link)
        await page.wait_for_url(f"**{link}/2")
        box = page.locator(f"textarea[name='{comment}']")
        await expect(box).to_have_value("half a tho")
        await expect(page.locator(f"input[name={first}]:checked")).to_have_value("1")
        assert await overflow(page) == 0
        # While the server can't be reached, the page stays and says so.
        await page.route("**/r/**", lambda route: route.abort())
        await focused(page, comment)
        await page.keyboard.press("End")
        await page.keyboard.type("ught")
        await focused(page, "go")
        await page.keyboard.press("Enter")
        await expect(page.locator("#saved")).to_contain_text("Not saved yet")
        await page.unroute("**/r/**")
        await expect(page.locator("#saved")).to_have_text("Saved.")
        assert asked.typed("R1", asked.raters["R1"][1])[comment] == "half a thought"
        await page.goto(f"{link}?list")
        assert await violations(page) == []
        await page.goto(f"{link}/1")
        await expect(page.locator(f"textarea[name='{comment}']")).to_have_value("Fine <b> & so")
    assert asked.left("R1") == [2]


async def rated_in(browser: Browser, discipline: str, folder: Path) -> None:
    """A rater rates one item and part of another; then the report is checked."""
    with QUESTIONNAIRES[discipline](folder) as asked:
        pages = Pages(asked)
        links, access = pages.invitations.links, pages.invitations.access
        async with serving(pages.app(), "127.0.0.1", 0, access=access) as address:
            await tour(browser, f"http://{address}", links["R1"], asked)
            report = importlib.import_module(f"disciplines.{discipline}.report")
            _, files = report.results(asked.run.state)
            async with opened(browser, f"http://{address}") as page:
                await page.set_content(files[PAGE].decode())
                assert await violations(page) == []


@needs_chromium
@pytest.mark.asyncio(loop_scope="session")
@pytest.mark.parametrize("discipline", QUESTIONNAIRES)
async def test_a_rater_by_keyboard_alone(
    discipline: str, chromium: Browser, tmp_path: Path
) -> None:
    await rated_in(chromium, discipline, tmp_path)


@needs_firefox
@pytest.mark.soak
@pytest.mark.parametrize("discipline", QUESTIONNAIRES)
async def test_a_rater_in_firefox(discipline: str, tmp_path: Path) -> None:
    async with browsing("firefox") as browser:
        await rated_in(browser, discipline, tmp_path)
