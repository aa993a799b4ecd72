"""Pictures of the audience's pages: a contest that runs by itself, shown in a real browser."""

from __future__ import annotations

import asyncio
from pathlib import Path

from playwright.async_api import Browser, Page
from PySide6.QtGui import QImage

from contest.organizer.scripted import organize
from contest.scripted import Person, scripted_people
from contest.serving.server import Server
from contest.serving.set_up import set_up
from contest.setup import folder as folders
from contest.setup.planning import schedule_of
from contest.setup.settings import Settings, load
from judge_console.client import SeatClient
from lpp.clock import LoopClock
from scripts.pictures.contest import settings_text
from scripts.pictures.png import save_png
from tests.browser import PHONE, Scheme, opened

#: The size of a projector's picture.
HALL = (1280, 720)
#: Settings for a whole contest in a minute or two.
MINUTES = "interaction_minutes = 8\nscoring_minutes = 1\nranking_minutes = 2\n"
#: Milliseconds of a talk that are replayed before its picture is taken.
PLAYED = 200_000


class Audience:
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
        """Plays a contest.

        Returns:
            The names of the pictures.
        """
        text = settings_text(4, self._speed, self._seed).replace("[rules]\n", f"[rules]\n{MINUTES}")
        folders.make(self._folder, f"{text}\n[spectators]\ndelay_seconds = 2\n")
        settings = load(self._folder)
        async with set_up(
            *(self._folder, settings, schedule_of(settings, self._folder)),
            LoopClock(self._speed),
        ) as stage:
            server = f"http://{stage.address}"
            people = [
                asyncio.create_task(self._sit(stage, seat, person))
                for seat, person in self._cast(settings).items()
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
        return sorted(file.stem for file in self._out.glob("spectators-*.png"))

    async def _scenes(self, page: Page, phone: Page, hall: Page) -> None:
        await page.goto("/watch")
        await phone.goto("/watch?desk=J2")
        await hall.goto("/watch?hall")
        # Wait until there is something to read in every pane.
        for number in range(1, 5):
            for side in ("left", "right"):
                pane = f'[aria-label="Desk {number}, {side}"]'
                await page.wait_for_selector(f"{pane} .line:nth-child(5)")
        await self._take(page, "live")
        await self._take(phone, "phone", "dark")
        await hall.keyboard.press("1")
        await hall.wait_for_selector('[data-desk="J2"]', state="hidden")
        await self._take(hall, "hall")
        await page.wait_for_selector("text=First place", timeout=300_000)
        await self._take(page, "result")
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
        await self._take(page, "talk")

    async def _take(self, page: Page, name: str, scheme: Scheme = "light") -> None:
        await page.emulate_media(color_scheme=scheme)
        shot = await page.screenshot()
        save_png(QImage.fromData(shot), self._out / f"spectators-{name}.png")

    def _cast(self, settings: Settings) -> dict[str, Person]:
        judges = [judge.id for judge in settings.judge]
        confederates = [confederate.id for confederate in settings.confederate]
        return scripted_people(judges, confederates, self._seed)

    async def _sit(self, stage: Server, seat: str, person: Person) -> None:
        address = f"ws://{stage.address}/seat"
        async with SeatClient(address, stage.codes[seat], client="scripted person") as client:
            await person.play(client, LoopClock(self._speed))
