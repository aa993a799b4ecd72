"""Who plays in a rehearsal: consoles as judges and confederates have them, on lines in memory, and
the bundled bots in this process."""

from __future__ import annotations

import asyncio
import datetime as dt
import random
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

from websockets.exceptions import ConnectionClosed, ConnectionClosedOK

from bots.bot import Context
from bots.entry import wall_clock
from bots.registry import BOTS, find
from bots.runner import Outcome, Runner
from contest.rehearse import Cast, Connect, Keys, Program, SeatLine
from contest.setup.settings import EntryTable, Settings
from judge_console.client import Broken, Connection, Lost, SeatClient
from judge_console.memory import KeyMemory
from lpp.clock import LoopClock
from lpp.command_line import split
from lpp.wire import Hello, ToSeat, ToServer, decode_to_seat, encode


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
            connection=partial(_connection, connect),
        )


@asynccontextmanager
async def _connection(connect: Connect, hello: Hello) -> AsyncIterator[Connection]:
    try:
        line = connect()
    except OSError as exc:
        raise Broken(Lost(str(exc)), None) from exc
    connection = _Line(line)
    try:
        await connection.send(hello)
        yield connection
    finally:
        await line.close()


class _Line:
    """A connection in memory as a console's."""

    def __init__(self, line: SeatLine) -> None:
        self._line = line

    async def send(self, frame: Hello | ToServer) -> None:
        try:
            await self._line.send(encode(frame))
        except ConnectionClosed as exc:
            raise _broken(exc) from exc

    async def receive(self) -> ToSeat:
        try:
            return decode_to_seat(await self._line.recv())
        except ConnectionClosed as exc:
            raise _broken(exc) from exc


def _broken(exc: ConnectionClosed) -> Broken:
    return Broken(Lost(str(exc)), not isinstance(exc, ConnectionClosedOK))


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
