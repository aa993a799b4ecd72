"""A season on virtual time, and subjects in memory: programs of all kinds, one class each."""

from __future__ import annotations

import asyncio
import contextlib
import datetime as dt
import functools
import random
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Mapping
from pathlib import Path
from typing import ParamSpec

import msgspec

from bots.bot import Bot, Context
from bots.runner import Runner
from contest.rehearsal.loop import run
from contest.screening.asking.ask import Opened, Subject, Way
from contest.screening.bodies import AnyBody, EntryRegistered, ScreeningBegun
from contest.screening.season import Season
from contest.setup import folder
from lpp.channel import DirectoryChannel
from lpp.clock import LoopClock
from lpp.keypress import Side
from lpp.lines import LineEditor
from lpp.names import keys_of
from lpp.numbers import ForgetfulNumbers
from lpp.pace import Pace
from lpp.testing import MemoryDirectory
from tests.bots.talking import inline
from tests.contest.screening.submissions import GOOD

_P = ParamSpec("_P")

AT = dt.datetime(2010, 6, 30, 9, 30, tzinfo=dt.UTC)

#: A life of a program: gets its channel, and how often it was started.
Life = Callable[[DirectoryChannel, int], Awaitable[None]]


def virtual(now: float) -> dt.datetime:
    """The moment when the loop's clock shows so many seconds."""
    return AT + dt.timedelta(seconds=now)


def loop_time() -> float:
    try:
        return asyncio.get_running_loop().time()
    except RuntimeError:
        return 0.0


def local() -> dt.datetime:
    return virtual(loop_time()).replace(tzinfo=None)


def new_contest(place: Path) -> Path:
    folder.make(place)
    return place


def opened(place: Path) -> Season:
    """A season on the loop's clock."""
    return Season(place, wall=lambda: virtual(loop_time()), clock=loop_time)


def begin(season: Season, ids: list[str]) -> None:
    """Registers entries that comply, and begins screening."""
    bodies: list[AnyBody] = [
        EntryRegistered(
            id_,
            1,
            msgspec.structs.replace(GOOD, program=f"Program {id_}", entrant=f"Person {id_}"),
        )
        for id_ in ids
    ]
    bodies = [
        msgspec.structs.replace(
            body, form=msgspec.structs.replace(body.form, command="program {dir}")
        )
        for body in bodies
        if isinstance(body, EntryRegistered)
    ]
    for body in (*bodies, ScreeningBegun(ids)):
        season.write("Ada", body)


def on_virtual_time(test: Callable[_P, Coroutine[object, object, None]]) -> Callable[_P, None]:
    """Runs a test on the rehearsal's loop, whose time jumps: an afternoon of asking in a second."""

    @functools.wraps(test)
    def runs(*args: _P.args, **named: _P.kwargs) -> None:
        run(test(*args, **named))

    return runs


class InMemory:
    """A program in memory, as `contest.screening.asking.sitting.Program`."""

    def __init__(self, life: Life, place: MemoryDirectory) -> None:
        self.words = ["program", "memory"]
        self._life = life
        self._place = place
        self._numbers = ForgetfulNumbers()
        self._task: asyncio.Task[None] | None = None
        self.lives = 0

    async def start(self, changed: Callable[[], None]) -> None:
        self.lives += 1
        self._task = asyncio.create_task(self._live(self.lives), name="program")
        self._task.add_done_callback(lambda _: changed())

    async def _live(self, nth: int) -> None:
        async with DirectoryChannel(
            self._place, side=Side.OTHER, numbers=self._numbers, sweep=10
        ) as channel:
            await self._life(channel, nth)

    async def stop(self) -> None:
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    @property
    def running(self) -> bool:
        return self._task is not None and not self._task.done()

    @property
    def ending(self) -> str:
        return "exit code 1"

    @property
    def spoke(self) -> bool:
        return True


def in_memory(
    lives: Mapping[str, Life],
) -> Callable[[Subject], contextlib.AbstractAsyncContextManager[Opened]]:
    """Opens subjects in memory, each with the life of its id."""

    @contextlib.asynccontextmanager
    async def opens(subject: Subject) -> AsyncIterator[Opened]:
        place = MemoryDirectory(subject.id)
        yield place, InMemory(lives[subject.id], place)

    return opens


def way(lives: Mapping[str, Life], side_by_side: int = 4, pace: Pace | None = None) -> Way:
    """A way of asking on the loop's clock."""
    return Way(LoopClock(), in_memory(lives), side_by_side, pace or Pace(), local, sweep=10)


def bot(make: Callable[[Context], Bot], seed: int = 1) -> Life:
    """A bundled bot."""

    async def live(channel: DirectoryChannel, nth: int) -> None:
        made = make(Context(random.Random(seed), local))
        rng = random.Random(f"{seed} {nth}")
        await Runner(made, channel, LoopClock(), rng=rng, call=inline).run()

    return live


async def lines(channel: DirectoryChannel) -> AsyncIterator[str]:
    """The judge's lines."""
    editor = LineEditor()
    async for received in channel:
        line = editor.press(received.press.key)
        if line is not None:
            yield line


def answers(reply: Callable[[str], str], after: float = 1.0, end: str = "\n") -> Life:
    """Answers each line at once, so many seconds later."""

    async def live(channel: DirectoryChannel, _nth: int) -> None:
        async for line in lines(channel):
            await asyncio.sleep(after)
            await press(channel, reply(line) + end)

    return live


async def press(channel: DirectoryChannel, text: str) -> None:
    for key in keys_of(text):
        await asyncio.sleep(0.1)
        await channel.send(key)


async def silent(channel: DirectoryChannel, _nth: int) -> None:
    """Reads, and never says anything."""
    async for _ in channel:
        pass


def dies(on: str) -> Life:
    """Repeats what it is told, and dies of a line that holds some text."""

    async def live(channel: DirectoryChannel, _nth: int) -> None:
        async for line in lines(channel):
            if on in line:
                return
            await press(channel, f"You said: {line}\n")

    return live


class Quiet:
    """Shows nothing, and remembers what was told."""

    def __init__(self) -> None:
        self.told: list[tuple[str, ...]] = []

    def began(self, subject: str, done: int, of: int) -> None:
        self.told.append(("began", subject, str(done), str(of)))

    def over(self, subject: str, done: int, of: int, how: str) -> None:
        self.told.append(("over", subject, str(done), str(of), how))

    def ended(self, subject: str) -> None:
        self.told.append(("ended", subject))

    def failed(self, subject: str, why: str) -> None:
        self.told.append(("failed", subject, why))
