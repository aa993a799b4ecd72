"""Pictures of the organizer's board: a contest controlled by an organizer in a real browser."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path

from playwright.async_api import Browser, Page, expect
from PySide6.QtGui import QImage

from contest.net import addresses, codes
from contest.organizer.status import STATES
from contest.scripted import Person, scripted_people
from contest.serving.server import Server
from contest.serving.set_up import set_up
from contest.setup import folder as folders
from contest.setup.planning import schedule_of
from contest.setup.settings import load
from judge_console.client import SeatClient
from lpp.clock import LoopClock
from scripts.pictures.contest import settings_text
from scripts.pictures.png import save_png
from tests.browser import PHONE, Scheme, opened

#: The person who comes late.
LATE = "C3"
#: The reasons for pausing and extending the interaction.
BREAK, LONGER = "A lamp fell down.", "The lamp took its time."
BELL = "The bell rang early."


class Board:
    """Takes the pictures.

    Arguments:
        folder: the contest's folder to make; new or empty.
        out: where the pictures go.
        speed: seconds of contest time in a second.
        seed: draws what people and bots say.
    """

    def __init__(self, folder: Path, out: Path, speed: float, seed: int) -> None:
        self._folder, self._out = folder, out
        self._speed, self._seed = speed, seed

    async def play(self, browser: Browser) -> list[str]:
        """Plays as much of a contest as the pictures need.

        Returns:
            The names of the pictures.
        """
        folders.make(self._folder, settings_text(4, self._speed, self._seed))
        settings = load(self._folder)
        async with set_up(
            *(self._folder, settings, schedule_of(settings, self._folder)),
            LoopClock(self._speed),
        ) as stage:
            playing = asyncio.create_task(stage.play())
            server = f"http://{stage.address}"
            try:
                async with asyncio.TaskGroup() as seats:
                    people = {
                        seat: seats.create_task(self._sit(stage, seat, person))
                        for seat, person in self._cast(stage).items()
                        if seat != LATE
                    }
                    async with (
                        opened(browser, server) as page,
                        opened(browser, server, size=PHONE) as phone,
                    ):
                        await self._scenes(stage, page, phone, seats, people)
                    for task in people.values():
                        task.cancel()
            finally:
                playing.cancel()
                await asyncio.wait([playing])
        return sorted(file.stem for file in self._out.glob("board-*.png"))

    async def _scenes(
        self,
        stage: Server,
        page: Page,
        phone: Page,
        seats: asyncio.TaskGroup,
        people: dict[str, asyncio.Task[None]],
    ) -> None:
        for each in (page, phone):
            await each.goto("/board")
            await each.fill("#code", addresses.find_control(self._folder).code)
            await each.keyboard.press("Enter")
            await each.wait_for_selector("#connection-mark.ok")
        await expect(page.locator("#checks .ended")).to_have_count(1)
        person = self._cast(stage)[LATE]
        people[LATE] = seats.create_task(self._sit(stage, LATE, person))
        await page.get_by_role("button", name="Start round 1").click()
        await self._everybody_types(page)
        await order(page, "pause", BREAK)
        await page.wait_for_selector("text=is paused")
        await order(page, "extend", LONGER, minutes="5")
        await page.get_by_role("button", name="Resume").first.click()
        await page.wait_for_selector("text=is on")
        await self._everybody_types(page)
        await page.evaluate("document.getElementById('said').hidden = true")
        await self._take(page, "round")
        await phone.evaluate("scrollTo(0, document.querySelector('#desks').offsetTop - 140)")
        await self._take(phone, "phone", "dark")
        await phone.get_by_role("link", name="End the interaction…").click()
        await phone.keyboard.type(BELL)
        await phone.keyboard.press("Enter")
        await phone.wait_for_selector(".sure")
        await self._take(phone, "sure")
        await phone.get_by_role("button", name="Yes").click()
        await page.wait_for_selector("text=is being scored")
        decided = page.locator(f"#desks .party.{STATES['decided'].shape}")
        await expect(decided).to_have_count(4)
        await order(page, "close", BELL)
        await page.get_by_role("button", name="Yes").click()
        await page.wait_for_selector("text=is closed")
        await page.goto("/board/result")
        await self._take(page, "result")
        await page.goto("/board/codes")
        await page.fill("#address", "192.168.1.10:8765")
        await page.get_by_role("button", name="Show the codes").click()
        await page.wait_for_selector(".codecard")
        await self._hide_codes(page, stage.codes)
        await self._take(page, "codes")

    async def _hide_codes(self, page: Page, given: Mapping[str, str]) -> None:
        """Replaces the codes on the page with invalid ones."""
        fresh = codes.issue(given)
        await page.evaluate(
            "fresh => document.querySelectorAll('.codecard').forEach(card => {"
            " card.querySelector('.code').textContent ="
            " fresh[card.querySelector('h2').firstChild.textContent.trim()] })",
            fresh,
        )

    async def _everybody_types(self, page: Page) -> None:
        """Waits until somebody is typing at every desk."""
        typing = page.locator(".desk").filter(has=page.locator(".party.typing"))
        await expect(typing).to_have_count(4)

    async def _take(self, page: Page, name: str, scheme: Scheme = "light") -> None:
        await page.emulate_media(color_scheme=scheme)
        shot = await page.screenshot()
        save_png(QImage.fromData(shot), self._out / f"board-{name}.png")

    def _cast(self, stage: Server) -> dict[str, Person]:
        settings = stage.conductor.settings
        judges = [judge.id for judge in settings.judge]
        confederates = [confederate.id for confederate in settings.confederate]
        return scripted_people(judges, confederates, self._seed)

    async def _sit(self, stage: Server, seat: str, person: Person) -> None:
        address = f"ws://{stage.address}/seat"
        async with SeatClient(address, stage.codes[seat], client="scripted person") as client:
            await person.play(client, LoopClock(self._speed))


async def order(page: Page, action: str, reason: str, **fields: str) -> None:
    """Gives an order with a reason."""
    form = page.locator(f"#order-{action}")
    if await form.get_attribute("open") is None:
        await form.locator("summary").click()
    for name, value in fields.items():
        await form.locator(f"[name={name}]").fill(value)
    await form.locator("[name=reason]").fill(reason)
    await form.locator("button[type=submit]").click()
