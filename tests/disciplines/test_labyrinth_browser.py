"""A rater in Chromium, by keyboard alone."""

from __future__ import annotations

import json
from pathlib import Path

from playwright.async_api import Page, expect

from contest.net.web import serving
from disciplines.labyrinth.pages import Pages
from disciplines.labyrinth.rating import COMMENT, opened
from disciplines.labyrinth.report import write
from disciplines.page import PAGE
from tests.browser import PHONE, browsing, needs_chromium, overflow, violations
from tests.browser import opened as opened_page
from tests.disciplines.labyrinth_games import RECORD
from tests.disciplines.test_labyrinth_contest import SETTINGS


async def focused(page: Page, name: str) -> None:
    """Tabs to an element."""
    for _ in range(60):
        await page.keyboard.press("Tab")
        if await page.evaluate("document.activeElement.name || document.activeElement.value") in (
            name,
        ):
            return
    raise AssertionError(f"no tab leads to {name}")


async def rated(page: Page, comment: str) -> None:
    """Gives three scores of 3, and a comment, without a mouse."""
    for metric in ("consistency", "reliability", "interestingness"):
        await focused(page, metric)
        # To the third: the first is chosen by a blank, the next ones by arrows.
        await page.keyboard.press("Space")
        await page.keyboard.press("ArrowRight")
        await page.keyboard.press("ArrowRight")
        if metric == "consistency":
            await focused(page, metric + COMMENT)
            await page.keyboard.type(comment)


@needs_chromium
async def test_a_rater_by_keyboard_alone(tmp_path: Path) -> None:
    (tmp_path / "contest.toml").write_text(SETTINGS)
    (tmp_path / "game.json").write_text(json.dumps(RECORD))
    with opened(tmp_path) as contest:
        pages = Pages(contest)
        link = pages.invitations.links["R1"]
        async with (
            serving(pages.app(), "127.0.0.1", 0, access=pages.invitations.access) as address,
            browsing() as browser,
        ):
            server = f"http://{address}"
            async with opened_page(browser, server) as page:
                await page.goto(link)
                assert await violations(page) == []
                await rated(page, "Fine <b> & so")
                await expect(page.locator("#saved")).to_have_text("Saved.")
                await page.keyboard.press("Enter")
                await page.wait_for_url(f"**{link}/2")
                # In the middle of the second one the browser is closed.
                await focused(page, "consistency")
                await page.keyboard.press("Space")
                await focused(page, "consistency" + COMMENT)
                await page.keyboard.type("half a tho")
                await expect(page.locator("#saved")).to_have_text("Saved.")
            async with opened_page(browser, server, size=PHONE, complaints=("ERR_FAILED",)) as page:
                await page.goto(link)
                await page.wait_for_url(f"**{link}/2")
                box = page.locator(f"textarea[name='consistency{COMMENT}']")
                await expect(box).to_have_value("half a tho")
                await expect(page.locator("input[name=consistency]:checked")).to_have_value("1")
                assert await overflow(page) == 0
                # While the server can't be reached, the page stays and says so.
                await page.route("**/r/**", lambda route: route.abort())
                await focused(page, "consistency" + COMMENT)
                await page.keyboard.press("End")
                await page.keyboard.type("ught")
                await focused(page, "go")
                await page.keyboard.press("Enter")
                await expect(page.locator("#saved")).to_contain_text("Not saved yet")
                await page.unroute("**/r/**")
                await expect(page.locator("#saved")).to_have_text("Saved.")
                assert contest.typed("R1", "game-2")["consistency" + COMMENT] == "half a thought"
                await page.goto(f"{link}?list")
                assert await violations(page) == []
                await page.goto(f"{link}/1")
                await expect(page.locator(f"textarea[name='consistency{COMMENT}']")).to_have_value(
                    "Fine <b> & so"
                )
            assert contest.left("R1") == [2]
            write(contest)
            async with opened_page(browser, server) as page:
                await page.set_content((tmp_path / PAGE).read_text())
                assert await violations(page) == []
