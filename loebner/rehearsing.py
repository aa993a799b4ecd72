"""Who plays in a rehearsal: consoles as judges and confederates have them, on lines in memory, and
the bundled bots in this process."""

from __future__ import annotations

import asyncio
import datetime as dt
import random
from collections.abc import Callable
from functools import partial
from pathlib import Path

from bots.bot import Context
from bots.entry import wall_clock
from bots.registry import BOTS, find
from bots.runner import Outcome, Runner
from contest.rehearsal import (
    Cast,
    Connect,
    Keys,
    LineEnded,
    Program,
    SeatLine,
    Unreachable,
)
from contest.setup.settings import EntryTable, Settings
from judge_console.memory import KeyMemory
from judge_console.model import SeatModel
from judge_console.seat import Lost, Seat
from lpp.clock import LoopClock
from lpp.command_line import split
from lpp.reconnecting import next_pause


class RehearsalConsole(Seat):
    """A console's place at a rehearsal's server.

    Arguments:
        seat: the seat's id.
        connect: connects to it.
        folder: where own keys are kept against a crash.
    """

    def __init__(self, seat: str, connect: Connect, folder: Path) -> None:
        memory = KeyMemory(folder)
        super().__init__(
            SeatModel(seat, "rehearsal", False, memory.typed()),
            monotonic=lambda: asyncio.get_running_loop().time(),
            memory=memory,
        )
        self._seat = seat
        self._connect = connect
        self._cut = False

    @property
    def where(self) -> str:
        """The other end, for messages."""
        return f"the rehearsal, {self._seat}"

    @property
    def unconfirmed(self) -> int:
        """See contest.rehearsal.Console."""
        return sum(talk.unconfirmed for talk in self.model.talks.values())

    async def _live(self) -> None:
        loop = asyncio.get_running_loop()
        pause = 0.0
        while True:
            began = loop.time()
            try:
                why = await self._connection()
            except Unreachable as exc:
                why = str(exc)
            except LineEnded as exc:
                self._cut = not exc.in_order
                why = str(exc)
            self._linked = False
            self._tell(Lost(why))
            pause = next_pause(pause, loop.time() - began)
            await asyncio.sleep(pause)

    async def _connection(self) -> str:
        """One connection from beginning to end; returns why it ended."""
        line = self._connect(self.model.hello(self._cut))
        self._cut = True
        writer = asyncio.create_task(self._write(line), name=f"what {self._seat} says")
        try:
            while not self.model.needs_snapshot:
                self._take(await line.receive())
            return "a key was missing: the view has to be fetched again"
        finally:
            writer.cancel()
            await asyncio.wait([writer])
            line.hang_up()

    async def _write(self, line: SeatLine) -> None:
        while True:
            await self._to_send.wait()
            self._to_send.clear()
            for frame in self.model.outgoing():
                line.say(frame)


def cast(settings: Settings, seed: int) -> Cast:
    """Who plays in a contest's rehearsal.

    Arguments:
        settings: the contest's.
        seed: what the programs say depends on it.
    """
    begins = dt.datetime.combine(
        settings.contest.date or dt.date(2010, 10, 23), settings.contest.start or dt.time(9, 30)
    )
    ids = [entry.id for entry in settings.entry]

    def program(entry: EntryTable) -> Program:
        own = _bundled(entry)
        bot = own or list(BOTS)[ids.index(entry.id) % len(BOTS)]
        name = f"loebner bot {bot}" + ", in its place" * (own is None)
        return Program(name, partial(_live, bot, f"{seed}/{entry.id}", begins))

    return Cast(RehearsalConsole, program)


def _bundled(entry: EntryTable) -> str | None:
    """The bundled bot that an entry's command starts, if it does."""
    try:
        words = split(entry.command)
    except ValueError:
        return None
    return words[2] if words[:2] == ["loebner", "bot"] and words[2:3] and words[2] in BOTS else None


async def _live(bot: str, seed: str, begins: dt.datetime, keys: Keys, life: int) -> None:
    """One life of a bundled bot."""
    loop = asyncio.get_running_loop()
    context = Context(random.Random(f"{seed}/{life}"), wall_clock(begins, 1.0, loop.time))
    typing = random.Random(f"typing {seed}/{life}")
    await Runner(find(bot)(context), keys, LoopClock(), rng=typing, call=_at_once).run()


async def _at_once(function: Callable[[], Outcome]) -> Outcome:
    # On the loop's own thread: thinking takes no time by a clock that jumps.
    return function()
