"""Tests the results page in a real browser: wide and on a phone, light, dark, printed."""

from __future__ import annotations

from pathlib import Path

import pytest

from contest.results.document import Results
from contest.results.page import page_stream
from tests.browser import PHONE, WIDE, browsing, needs_chromium, opened, overflow, violations
from tests.contest.build import contest

pytestmark = [needs_chromium, pytest.mark.timeout(180)]

COLOUR = "each => getComputedStyle(each).fill"


async def test_the_page_in_a_browser(tmp_path: Path) -> None:
    html = "".join(page_stream(Results(contest().read())))
    (tmp_path / "results.html").write_text(html, encoding="utf-8")
    address = f"{tmp_path.as_uri()}/results.html"
    async with browsing() as browser:
        for size in (WIDE, PHONE):
            async with opened(browser, tmp_path.as_uri(), size=size) as page:
                await page.goto(address)
                # A phone shows the same page, so axe checks it only once, in both colour schemes.
                if size == PHONE:
                    assert await violations(page) == []
                assert await overflow(page) == 0
                bar = page.locator("svg.interval path.f-entity").first
                for look, colour in (("dark", "rgb(243, 183, 140)"), ("light", "rgb(122, 58, 12)")):
                    await page.emulate_media(color_scheme=look)  # type: ignore[arg-type]
                    assert await bar.evaluate(COLOUR) == colour
        async with opened(browser, tmp_path.as_uri(), size=(700, 990)) as page:
            # The width of an A4 sheet without margins.
            await page.goto(address)
            await page.emulate_media(media="print")
            assert await overflow(page) == 0
            assert len(await page.pdf(format="A4")) > 10_000
