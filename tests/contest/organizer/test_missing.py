"""Who is needed and not here is the first thing on the board, with what to do; on a phone nothing
runs off the edge."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import expect

from contest.net import door
from contest.organizer.status import missing
from contest.state.phases import Phase
from judge_console.client import SeatClient
from loebner.common import send
from tests.browser import browsing, needs_chromium, opened, overflow
from tests.contest.organizer.house import organizer, staged

PHONE = (360, 740)


def status(*here: str) -> dict[str, Any]:
    """Two desks, and a third judge and confederate who have none in this round."""
    roles = {"J": "judge", "C": "confederate"}
    return {
        "pairings": [{"judge": f"J{n}", "confederate": f"C{n}", "entry": f"E{n}"} for n in (1, 2)],
        "seats": [
            {"seat": seat, "name": seat, "role": roles[seat[0]], "here": seat in here}
            for seat in ("C1", "C2", "C3", "J1", "J2", "J3")
        ],
        "entries": [
            {"entry": entry, "name": entry, "here": entry in here, "program": program}
            for entry, program in (("E1", "ended"), ("E2", None), ("E3", None))
        ],
    }


@pytest.mark.parametrize(
    ("phase", "here", "found"),
    [
        ("interaction", (), ["J1", "J2", "C1", "C2", "E1", "E2"]),
        ("interaction", ("J1", "C1", "E1", "E2"), ["J2", "C2", "E1"]),
        ("paused", ("J1", "J2", "C1", "C2", "E2"), ["E1"]),
        ("scoring", ("J1",), ["J2"]),
        ("ranking", ("J1",), ["J2", "J3"]),
        ("before", (), []),
        ("closed", (), []),
        ("over", (), []),
    ],
)
def test_who_is_missing(phase: str, here: tuple[str, ...], found: list[str]) -> None:
    known = status(*here)
    told = missing(Phase(phase), known["pairings"], known["seats"], known["entries"])
    assert [each["id"] for each in told] == found
    assert all(each["remedy"] for each in told)
    assert all(("pause" in each["remedy"]) == (phase == "interaction") for each in told)


@needs_chromium
async def test_on_a_phone(tmp_path: Path) -> None:
    async with (
        staged(tmp_path / "contest") as stage,
        browsing() as browser,
        opened(browser, f"http://{stage.address}", size=PHONE) as page,
    ):
        at = door.find(stage.folder)
        await asyncio.to_thread(send, at, {"action": "start", "anyway": True})
        await page.goto("/board")
        await page.fill("#code", organizer(stage))
        await page.keyboard.press("Enter")
        await expect(page.locator("#connection-mark")).to_have_text("● live")
        away = page.locator("#missing-J2")
        await expect(away).to_contain_text("Ines")
        tops = [
            (await page.locator(place).bounding_box() or {"y": -1})["y"]
            for place in ("#missing", "#desks", "#orders")
        ]
        assert tops[0] == min(tops) > 0
        # Nobody stands at a desk and in another list; what can't be ordered is folded.
        await expect(page.locator("#desks")).to_contain_text("Harriet")
        await expect(page.locator("#entries")).to_be_hidden()
        await expect(page.locator("#order-resume")).to_be_hidden()
        await page.locator("#orders-later summary").click()
        await expect(page.locator("#order-resume")).to_be_visible()
        async with SeatClient(f"ws://{stage.address}", stage.codes["J2"]) as console:
            await console.ready()
            await expect(away).to_have_count(0)
        await expect(away).to_be_visible()
        for path in ("", "/schedule"):
            await page.goto(f"/board{path}")
            assert await overflow(page) == 0
