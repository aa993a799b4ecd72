"""An audience at a contest, as on the day: `loebner serve` in a separate process, scripted people
at the seats, the organizer's orders, and a spectator in a browser who uses only links."""

from __future__ import annotations

import asyncio
import json
import time
from pathlib import Path

import pytest
from playwright.async_api import Page

from contest.net import addresses
from contest.results.contest import Contest
from contest.scripted import scripted_people
from judge_console.client import SeatClient
from tests.browser import PHONE, browsing, needs_chromium, opened, overflow, violations
from tests.end_to_end.test_serve import (
    PATIENCE,
    SETTINGS,
    RunningServer,
    running_server,
    seats_of,
    sit,
    until,
)

#: The audience's delay in seconds.
DELAY = 2
OWN = f"{SETTINGS}\n[spectators]\ndelay_seconds = {DELAY}\n"

#: Each page is also tested in tests/contest/audience.
pytestmark = [needs_chromium, pytest.mark.timeout(240), pytest.mark.soak]


async def test_a_spectator_follows_a_contest(tmp_path: Path) -> None:
    place = tmp_path / "contest"
    async with (
        running_server(place, OWN) as on,
        asyncio.TaskGroup() as tasks,
        browsing() as browser,
    ):
        server = addresses.find_control(place).server
        given = seats_of(place)
        cast = scripted_people(("J1", "J2"), ("C1", "C2"), 1)
        address = server.replace("http", "ws", 1)
        clients = {seat: SeatClient(f"{address}/seat", given[seat]) for seat in cast}
        people = [tasks.create_task(sit(cast[seat], clients[seat])) for seat in cast]
        for client in clients.values():
            await client.ready()
        async with (
            opened(browser, server) as page,
            opened(browser, server, size=PHONE, scheme="dark") as phone,
        ):
            await page.goto("/")
            await page.wait_for_selector("text=The contest has not begun yet")
            await phone.goto("/watch")
            await _round(on, page, clients["J1"])
            assert await violations(page) == []
            assert await overflow(phone) == 0
            await _closed(on, clients)
            await page.wait_for_selector("text=Round 1 of 2 is over")
            await on.order("start")
            await _closed(on, clients)
            await on.order("start")
            await until(lambda: all("ranking" in clients[j].model.saved for j in ("J1", "J2")))
            await on.close_ranking("all have ranked")
            await _reveal(on, page)
            assert await page.inner_text("#step-places h2") == "The result, still provisional"
            await on.order("final", "nobody objects")
            await page.wait_for_selector("text=The contest is over")
            await page.wait_for_selector('#step-places h2:text-is("The result")')
            await page.wait_for_selector("text=First place")
            await page.wait_for_selector("text=US$")
            assert await overflow(phone) == 0
            await _archive(page, place)
        async with asyncio.timeout(PATIENCE):
            await asyncio.gather(*people)
        on.process.terminate()
        async with asyncio.timeout(PATIENCE):
            await on.process.wait()
    assert "Traceback" not in (tmp_path / "serve.log").read_text(encoding="utf-8")


async def _round(on: RunningServer, page: Page, judge: SeatClient) -> None:
    """The first round: the judge's text is shown, but not before the delay."""
    await on.order("start")
    await until(lambda: any(judge.keys(side) for side in judge.places))
    typed = time.monotonic()
    assert await page.locator(".line").count() == 0
    await page.wait_for_selector(".line.judge")
    assert time.monotonic() - typed > DELAY - 1
    await page.wait_for_selector("text=Round 1 of 2: the talks are in progress")
    # All text of a desk was on the judge's screen, too.
    await page.wait_for_selector(".line.entity")
    await on.order("pause", "E2 hangs")
    await page.wait_for_selector("text=Round 1 of 2 is paused")
    sides = {"left": "Left", "right": "Right"}
    for side in judge.places:
        shown = await page.inner_text(f'[aria-label="Desk 1, {side}"]')
        own = await page.locator(
            f'[aria-label="Desk 1, {side}"] .line:not(.more)'
        ).all_inner_texts()
        assert "E2" not in shown
        assert all(line.startswith(("Judge:", f"{sides[side]}:")) for line in own)
    everything = await page.content()
    for secret in ("Therapist", "Ben", "Gordon", "E1", "C1"):
        assert secret not in everything
    await on.order("resume")


async def _closed(on: RunningServer, clients: dict[str, SeatClient]) -> None:
    """Ends a round early; the judges decide."""
    await on.order("end", "nearly six")
    await until(lambda: all("verdict" in clients[judge].model.saved for judge in ("J1", "J2")))
    await on.order("close", "all are sure")


async def _reveal(on: RunningServer, page: Page) -> None:
    """Each step of the reveal appears automatically."""
    await page.wait_for_selector("text=Everything is decided: the result")
    assert await page.locator(".step").count() == 0
    await on.order("reveal")
    await page.wait_for_selector("#step-names")
    assert "Therapist" in await page.inner_text("#step-names")
    assert await page.locator("#step-table").count() == 0
    await on.order("reveal")
    await page.wait_for_selector("#step-table")
    assert await page.locator("#step-places").count() == 0
    await on.order("reveal")
    await page.wait_for_selector(".place")
    assert "US$" not in await page.inner_text("#outcome")


async def _archive(page: Page, place: Path) -> None:
    """All talks can be replayed, and the record downloaded."""
    await page.click("text=All talks, to replay")
    await page.wait_for_selector("text=Official result")
    head = (place / "head.txt").read_text(encoding="ascii").strip()
    assert await page.inner_text(".head") == head
    async with page.expect_download() as download:
        await page.click("text=events.jsonl")
    file = place.parent / "events.jsonl"
    await (await download.value).save_as(file)
    events = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    assert events[-1]["hash"] == head

    view = Contest.load(place)
    talk = next(each for each in view.talks if (each.judge, each.side) == ("J1", "left"))
    await page.click(".talk-list a >> nth=0")
    await page.wait_for_selector(".player:not([hidden])")
    log = page.locator(".log").first
    assert await log.inner_text() == ""
    await page.select_option('[data-player="speed"]', "64")
    await page.click('[data-player="play"]')
    await page.wait_for_selector(".log .line")
    await page.focus('[data-player="line"]')
    await page.keyboard.press("End")
    said = await log.inner_text()
    assert said.count("Judge:") >= 1
    assert f"{view.name(talk.entity)}:" in said
    assert await violations(page) == []
