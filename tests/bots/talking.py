"""Tools for the tests of the bots: bots without a runner, and a channel in memory."""

from __future__ import annotations

import asyncio
import datetime
import functools
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
    """A context with a fixed seed and a stopped clock."""
    return Context(random.Random(seed), lambda: now)


def new_bot(name: str, seed: int = 1, now: datetime.datetime = CONTEST_DAY) -> Bot:
    """A bundled bot at the beginning of a talk."""
    bot = find(name)(context(seed, now))
    bot.begin()
    return bot


def shared_bot(name: str, seed: int) -> Bot:
    """A bundled bot at the beginning of a talk, which replies as one from `new_bot`. All talks of a
    name share one bot, because loading a bot takes a tenth of a second."""
    bot = _loaded(name)
    bot.context.rng.seed(seed)
    bot.begin()
    return bot


_loaded = functools.cache(new_bot)


def last_reply(bot: Bot, *lines: str) -> str:
    """A bot's reply to the last of these lines."""
    reply = None
    for line in lines:
        reply = bot.reply(line)
    return reply or ""


async def inline(method: Callable[[], Outcome]) -> Outcome:
    """Runs a bot's method without a thread, because threads don't work with virtual time."""
    return method()


class FakeKeys:
    """The judge's end of a channel in memory.

    Attributes:
        sent: the bot's key presses, as (loop time, key name).
    """

    def __init__(self) -> None:
        self.sent: list[tuple[float, str]] = []
        self._coming: asyncio.Queue[Received | None] = asyncio.Queue()
        self._number = 0

    async def send(self, key: str) -> None:
        """Records a key press of the bot."""
        self.sent.append((asyncio.get_running_loop().time(), key))

    def __aiter__(self) -> AsyncIterator[Received]:
        return self

    async def __anext__(self) -> Received:
        received = await self._coming.get()
        if received is None:
            raise StopAsyncIteration
        return received

    def press(self, *keys: str) -> None:
        """Presses keys as the judge, all at once."""
        for key in keys:
            self._number += 1
            raw = f"{self._number:010d}.{key}.judge"
            self._coming.put_nowait(Received(KeyPress(self._number, raw, key, Side.JUDGE)))

    def type(self, text: str) -> None:
        """Types a text as the judge, all at once."""
        self.press(*keys_of(text))

    def close(self) -> None:
        """Ends the channel."""
        self._coming.put_nowait(None)

    @property
    def pane(self) -> str:
        """The bot's text as the judge sees it."""
        return Pane(key for _, key in self.sent).text

    @property
    def lines(self) -> list[str]:
        """The finished lines of the bot's text."""
        return self.pane.split("\n")[:-1]
