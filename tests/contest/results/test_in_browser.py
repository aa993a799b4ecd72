"""The results page with its pictures in a real browser: wide and on a phone, light, dark, printed;
and a picture's file by itself. One browser for all."""

from __future__ import annotations

from pathlib import Path

import pytest

from contest.results.document import Results
from contest.results.page import page_stream
from contest.results.pictures import pictures_of, svg_file
from tests.browser import PHONE, WIDE, browsing, needs_chromium, opened, overflow, violations
from tests.contest.build import contest

pytestmark = [needs_chromium, pytest.mark.timeout(180)]

COLOUR = "each => getComputedStyle(each).fill"


async def test_the_page_in_a_browser(tmp_path: Path) -> None:
    view = contest().read()
    (tmp_path / "results.html").write_text("".join(page_stream(Results(view))), encoding="utf-8")
    made = pictures_of(Results(view))
    for name, picture in made.items():
        (tmp_path / f"{name}.svg").write_bytes(svg_file(picture))
    server = tmp_path.as_uri()
    async with browsing() as browser:
        for size in (WIDE, PHONE):
            async with opened(browser, server, size=size) as page:
                await page.goto(f"{server}/results.html")
                # On a phone it is the same page: axe looks at it once, in both looks.
                if size == PHONE:
                    assert await violations(page) == []
                assert await overflow(page) == 0
                drawn = page.locator("section > .part svg.picture, section > figure svg.picture")
                assert await drawn.count() == len(made) == 5
                # Text keeps its size, also where the picture has to be scrolled.
                assert await drawn.first.evaluate(
                    "each => each.getBoundingClientRect().width / each.viewBox.baseVal.width"
                ) == pytest.approx(1)
                await page.emulate_media(color_scheme="dark")
                dot = page.locator("#t-shares ~ circle.f-entity").first
                assert await dot.evaluate(COLOUR) == "rgb(242, 173, 128)"
                await page.emulate_media(color_scheme="light")
                assert await dot.evaluate(COLOUR) == "rgb(147, 64, 15)"
        async with opened(browser, server, size=(700, 990)) as page:
            # As wide as a sheet of A4 with margins.
            await page.goto(f"{server}/results.html")
            await page.emulate_media(media="print")
            assert await overflow(page) == 0
            for at in range(5):
                box = await page.locator("svg.picture").nth(at).bounding_box()
                assert box is not None
                assert box["x"] >= 0
                assert box["x"] + box["width"] <= 700
            assert len(await page.pdf(format="A4")) > 10_000
        async with opened(browser, server) as page:
            await page.goto(f"{server}/shares.svg")
            fill = await page.locator("circle.f-entity").first.evaluate(COLOUR)
            assert fill == "rgb(147, 64, 15)"
