"""Tools for the tests of the bots: bots without a runner, and a channel in memory."""

from __future__ import annotations

import asyncio
import datetime
import random
from collections.abc import AsyncIterator, Callable

from bots.bot import Bot, Context
from bots.registry import find
from bots.runner import Outcome
from lpp.keypress import KeyPress, Side
from lpp.lines import Pane
from lpp.names import keys_of
from lpp.session import Received

#: Saturday of the contest, in its second round.
CONTEST_DAY = datetime.datetime(2010, 10, 23, 10, 17)


def context(seed: int = 1, now: datetime.datetime = CONTEST_DAY) -> Context:
    """Chance that repeats itself, and a clock that stands."""
    return Context(random.Random(seed), lambda: now)


def new_bot(name: str, seed: int = 1, now: datetime.datetime = CONTEST_DAY) -> Bot:
    """A bundled bot at the beginning of a talk."""
    bot = find(name)(context(seed, now))
    bot.begin()
    return bot


def last_reply(bot: Bot, *lines: str) -> str:
    """What a bot says to the last of some lines."""
    reply = None
    for line in lines:
        reply = bot.reply(line)
    return reply or ""


async def inline(method: Callable[[], Outcome]) -> Outcome:
    """Runs a bot's method at once: threads and virtual time do not mix."""
    return method()


class FakeKeys:
    """The judge's end of a channel in memory.

    Attributes:
        sent: what the bot pressed, as (loop time, key name).
    """

    def __init__(self) -> None:
        self.sent: list[tuple[float, str]] = []
        self._coming: asyncio.Queue[Received | None] = asyncio.Queue()
        self._number = 0

    async def send(self, key: str) -> None:
        """The bot's key press."""
        self.sent.append((asyncio.get_running_loop().time(), key))

    def __aiter__(self) -> AsyncIterator[Received]:
        return self

    async def __anext__(self) -> Received:
        received = await self._coming.get()
        if received is None:
            raise StopAsyncIteration
        return received

    def press(self, *keys: str) -> None:
        """The judge's key presses, all at once."""
        for key in keys:
            self._number += 1
            raw = f"{self._number:010d}.{key}.judge"
            self._coming.put_nowait(Received(KeyPress(self._number, raw, key, Side.JUDGE)))

    def type(self, text: str) -> None:
        """The judge's text, all at once."""
        self.press(*keys_of(text))

    def close(self) -> None:
        """Ends the channel."""
        self._coming.put_nowait(None)

    @property
    def pane(self) -> str:
        """What the bot's key presses leave on the judge's screen."""
        return Pane(key for _, key in self.sent).text

    @property
    def lines(self) -> list[str]:
        """The finished lines of it."""
        return self.pane.split("\n")[:-1]
