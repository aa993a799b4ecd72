"""Pictures of the organizer's board: a contest controlled by an organizer in a real browser."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

from playwright.async_api import Browser, Page, expect

from contest.net import addresses, codes
from contest.organizer.status import STATES
from contest.serving.server import Server
from scripts.pictures.contest import cast, settings_text, sit
from scripts.pictures.pages import Pictures
from tests.browser import PHONE, opened

#: The person who comes late.
LATE = "C3"
#: The reasons for pausing and extending the interaction.
BREAK, LONGER = "A lamp fell down.", "The lamp had to be replaced."
BELL = "The bell rang early."


class Board:
    """Takes the board's pictures, and plays only as much of a contest as they need."""

    def __init__(self, pictures: Pictures) -> None:
        self._pictures = pictures

    async def play(self, browser: Browser) -> list[str]:
        """Plays as much of a contest as the pictures need.

        Returns:
            The names of the pictures.
        """
        own = self._pictures
        async with own.served(settings_text(4, own.speed, own.seed)) as stage:
            playing = asyncio.create_task(stage.play())
            server = f"http://{stage.address}"
            try:
                async with asyncio.TaskGroup() as seats:
                    people = {
                        seat: seats.create_task(sit(stage, seat, person, own.clock))
                        for seat, person in cast(stage.conductor.settings, own.seed).items()
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
        return own.names

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
            await each.fill("#code", addresses.find_control(self._pictures.folder).code)
            await each.keyboard.press("Enter")
            await each.wait_for_selector("#connection-mark.ok")
        await expect(page.locator("#checks .ended")).to_have_count(1)
        own = self._pictures
        person = cast(stage.conductor.settings, own.seed)[LATE]
        people[LATE] = seats.create_task(sit(stage, LATE, person, own.clock))
        await page.get_by_role("button", name="Start round 1").click()
        await self._everybody_types(page)
        await order(page, "pause", BREAK)
        await page.wait_for_selector("text=is paused")
        await order(page, "extend", LONGER, minutes="5")
        await page.get_by_role("button", name="Resume").first.click()
        await page.wait_for_selector("text=is running")
        await self._everybody_types(page)
        await page.evaluate("document.getElementById('said').hidden = true")
        await self._pictures.take(page, "round")
        await phone.evaluate("scrollTo(0, document.querySelector('#desks').offsetTop - 140)")
        await self._pictures.take(phone, "phone", "dark")
        await phone.get_by_role("link", name="End the interaction…").click()
        await phone.keyboard.type(BELL)
        await phone.keyboard.press("Enter")
        await phone.wait_for_selector(".sure")
        await self._pictures.take(phone, "sure")
        await phone.get_by_role("button", name="Yes").click()
        await page.wait_for_selector("text=is being scored")
        decided = page.locator(f"#desks .party.{STATES['decided']}")
        await expect(decided).to_have_count(4)
        await order(page, "close", BELL)
        await page.get_by_role("button", name="Yes").click()
        await page.wait_for_selector("text=is closed")
        await page.goto("/board/result")
        await self._pictures.take(page, "result")
        await page.goto("/board/codes")
        await page.fill("#address", "192.168.1.10:8765")
        await page.get_by_role("button", name="Show the codes").click()
        await page.wait_for_selector(".codecard")
        await self._hide_codes(page, stage.codes)
        await self._pictures.take(page, "codes")

    async def _hide_codes(self, page: Page, given: Mapping[str, str]) -> None:
        """Replaces the codes in the texts of the page with invalid ones."""
        fresh = codes.issue(given)
        await page.evaluate(
            """fresh => document.querySelectorAll(".codecard").forEach(card => {
                const code = fresh[card.querySelector("h2").firstChild.textContent.trim()];
                card.querySelector(".code").textContent = code;
                const link = card.querySelector(".qr a");
                if (link) link.textContent = link.textContent.replace(/#.*/, "#" + code);
            })""",
            fresh,
        )

    async def _everybody_types(self, page: Page) -> None:
        """Waits until somebody is typing at every desk."""
        typing = page.locator(".desk").filter(has=page.locator(".party.typing"))
        await expect(typing).to_have_count(4)


async def order(page: Page, action: str, reason: str, **fields: str) -> None:
    """Gives an order with a reason."""
    form = page.locator(f"#order-{action}")
    if await form.get_attribute("open") is None:
        await form.locator("summary").click()
    for name, value in fields.items():
        await form.locator(f"[name={name}]").fill(value)
    await form.locator("[name=reason]").fill(reason)
    await form.locator("button[type=submit]").click()
