"""The players that `loebner rehearse` passes to `contest.rehearse`: the consoles of judges and
confederates on connections in memory, and the bundled bots in this process."""

from __future__ import annotations

import asyncio
import datetime as dt
import random
from functools import partial
from pathlib import Path

from bots.bot import Context
from bots.entry import wall_clock
from bots.registry import BOTS, find
from bots.runner import Runner
from contest.rehearse.players import Cast, Connect, Program
from contest.setup.settings import EntryTable, Settings
from judge_console.client import SeatClient
from judge_console.memory import KeyMemory
from lpp.channel import DirectoryChannel
from lpp.clock import LoopClock
from lpp.program import split


class RehearsalConsole(SeatClient):
    """A console's seat at a rehearsal's server.

    Arguments:
        seat: the seat's id.
        connect: connects to it.
        folder: where own keys are kept against a crash.
    """

    def __init__(self, seat: str, connect: Connect, folder: Path) -> None:
        super().__init__(
            f"the rehearsal, {seat}",
            seat,
            client="rehearsal",
            monotonic=lambda: asyncio.get_running_loop().time(),
            memory=KeyMemory(folder),
            connection=connect,
        )


def cast(settings: Settings, seed: int) -> Cast:
    """The players of a contest's rehearsal.

    Arguments:
        settings: the contest's.
        seed: what the programs say depends on it.
    """
    begins = dt.datetime.combine(
        settings.contest.date or dt.date(2010, 10, 23), settings.contest.start or dt.time(9, 30)
    )
    ids = [entry.id for entry in settings.entry]

    def program(entry: EntryTable) -> Program:
        try:
            words = split(entry.command)
        except ValueError:
            words = []
        own = words[:2] == ["loebner", "bot"] and words[2:3] and words[2] in BOTS
        bot = words[2] if own else list(BOTS)[ids.index(entry.id) % len(BOTS)]
        name = f"loebner bot {bot}" + ("" if own else ", in its place")
        return Program(name, partial(_live, bot, f"{seed}/{entry.id}", begins))

    return Cast(RehearsalConsole, program)


async def _live(
    bot: str, seed: str, begins: dt.datetime, keys: DirectoryChannel, life: int
) -> None:
    """One life of a bundled bot."""
    loop = asyncio.get_running_loop()
    context = Context(random.Random(f"{seed}/{life}"), wall_clock(begins, 1.0, loop.time))
    typing = random.Random(f"typing {seed}/{life}")

    async def call(function):  # type: ignore[no-untyped-def]
        return function()  # on the loop's own thread: thinking takes no time on a virtual clock

    await Runner(find(bot)(context), keys, LoopClock(), rng=typing, call=call).run()
