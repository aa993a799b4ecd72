"""Common code for the pictures of the board and of the audience's pages: a running contest, and
taking a picture of a page."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from playwright.async_api import Page
from PySide6.QtGui import QImage

from contest.serving.server import Server
from contest.serving.set_up import set_up
from contest.setup import folder as folders
from contest.setup.planning import schedule_of
from contest.setup.settings import load
from lpp.clock import LoopClock
from scripts.pictures.png import save_png
from tests.browser import Scheme


@dataclass(frozen=True)
class Pictures:
    """The contest to show in pictures of pages, and the directory for the pictures.

    Attributes:
        folder: the contest's folder to make; new or empty.
        out: the directory for the pictures.
        prefix: the beginning of their names.
        speed: seconds of contest time in a second.
        seed: draws what people and bots say.
    """

    folder: Path
    out: Path
    prefix: str
    speed: float
    seed: int

    @property
    def clock(self) -> LoopClock:
        """A clock of this speed."""
        return LoopClock(self.speed)

    @property
    def names(self) -> list[str]:
        """The names of the pictures taken so far."""
        return sorted(file.stem for file in self.out.glob(f"{self.prefix}-*.png"))

    @asynccontextmanager
    async def served(self, settings: str) -> AsyncIterator[Server]:
        """Sets up a contest from the text of its contest.toml."""
        folders.make(self.folder, settings)
        own = load(self.folder)
        async with set_up(self.folder, own, schedule_of(own, self.folder), self.clock) as stage:
            yield stage

    async def take(self, page: Page, name: str, scheme: Scheme = "light") -> None:
        """Takes a picture of a page."""
        await page.emulate_media(color_scheme=scheme)
        shot = await page.screenshot()
        save_png(QImage.fromData(shot), self.out / f"{self.prefix}-{name}.png")
