"""Pictures of the audience's pages: a contest that runs by itself, shown in a real browser."""

from __future__ import annotations

import asyncio

from playwright.async_api import Browser, Page

from contest.organizer.scripted import organize
from scripts.pictures.contest import cast, settings_text, sit
from scripts.pictures.pages import Pictures
from tests.browser import PHONE, opened

#: The size of a projector's picture.
HALL = (1280, 720)
#: Settings for a whole contest in a minute or two.
MINUTES = "interaction_minutes = 8\nscoring_minutes = 1\nranking_minutes = 2\n"
#: Milliseconds of a talk that are replayed before its picture is taken.
PLAYED = 200_000


class Audience:
    """Takes the audience's pictures, and plays a whole contest."""

    def __init__(self, pictures: Pictures) -> None:
        self._pictures = pictures

    async def play(self, browser: Browser) -> list[str]:
        """Plays a contest.

        Returns:
            The names of the pictures.
        """
        own = self._pictures
        text = settings_text(4, own.speed, own.seed).replace("[rules]\n", f"[rules]\n{MINUTES}")
        async with own.served(f"{text}\n[spectators]\ndelay_seconds = 2\n") as stage:
            server = f"http://{stage.address}"
            people = [
                asyncio.create_task(sit(stage, seat, person, own.clock))
                for seat, person in cast(stage.conductor.settings, own.seed).items()
            ]
            playing = asyncio.create_task(stage.play())
            people.append(asyncio.create_task(organize(lambda: stage, "for the pictures")))
            try:
                async with (
                    opened(browser, server) as page,
                    opened(browser, server, size=PHONE) as phone,
                    opened(browser, server, size=HALL) as hall,
                ):
                    await self._scenes(page, phone, hall)
            finally:
                for task in (playing, *people):
                    task.cancel()
                await asyncio.wait([playing, *people])
        return own.names

    async def _scenes(self, page: Page, phone: Page, hall: Page) -> None:
        await page.goto("/watch")
        await phone.goto("/watch?desk=J2")
        await hall.goto("/watch?hall")
        # Wait until there is something to read in every pane.
        for number in range(1, 5):
            for side in ("left", "right"):
                pane = f'[aria-label="Desk {number}, {side}"]'
                await page.wait_for_selector(f"{pane} .line:nth-child(5)")
        await self._pictures.take(page, "live")
        await self._pictures.take(phone, "phone", "dark")
        await hall.keyboard.press("1")
        await hall.wait_for_selector('[data-desk="J2"]', state="hidden")
        await self._pictures.take(hall, "hall")
        await page.wait_for_selector("text=First place", timeout=300_000)
        await self._pictures.take(page, "result")
        await page.goto("/archive/")
        await page.click(".talk-list a >> nth=0")
        await page.wait_for_selector(".player:not([hidden])")
        await page.evaluate(
            """played => {
                const line = document.querySelector('[data-player="line"]');
                line.value = played;
                line.dispatchEvent(new Event("input"));
            }""",
            PLAYED,
        )
        await self._pictures.take(page, "talk")
