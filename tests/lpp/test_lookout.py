"""Tests looking for new directories, on virtual time: hints, sweeps, bursts, and looks that take
many turns."""

from __future__ import annotations

import asyncio
import errno
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager

import pytest

from lpp.hints import Hint, NoHint
from lpp.keypress import Side, Violation
from lpp.lookout import BURST, SWEEP_BLIND, TURN, WATCH_AGAIN, Lookout
from lpp.session import Received, Session
from lpp.testing import MemoryDirectory
from tests.lpp.faulty import FaultyDirectory

pytestmark = pytest.mark.looptime

LIMIT = OSError(errno.EMFILE, "inotify instance limit reached")


def name(number: int) -> str:
    return f"{number:010d}.a.other"


class CountingDirectory(FaultyDirectory):
    """Counts listings, and calls something between two names."""

    def __init__(self) -> None:
        self.memory = MemoryDirectory()
        super().__init__(self.memory)
        self.scans = 0
        self.while_scanning: Callable[[], None] = lambda: None

    def scan(self) -> Iterator[str]:
        self.scans += 1
        for entry in super().scan():
            yield entry
            self.while_scanning()


class ScarceHint:
    """A hint that can't be had, for as long as it is set so; its watch is itself."""

    def __init__(self, refusal: OSError | None = None) -> None:
        self.refusal = refusal
        self.asked = self.watching = 0

    def watch(self, path: str, wake: Callable[[], None]) -> ScarceHint:
        self.asked += 1
        if self.refusal is not None:
            raise self.refusal
        self.watching += 1
        return self

    def alive(self) -> bool:
        return True

    def end(self) -> None:
        self.watching -= 1


class Bench:
    """A lookout, what it looks at, and what it told."""

    def __init__(self, hint: Hint | None = None, sweep: float = 1000.0) -> None:
        self.directory = CountingDirectory()
        self.delivered: list[str] = []
        self.reports: list[Violation | OSError] = []
        self.session = Session(Side.JUDGE)
        self.on_delivery: Callable[[], object] = lambda: None
        self.lookout = Lookout(
            self.directory,
            self.session,
            hint if hint is not None else self.directory.memory,
            sweep,
            deliver=self.deliver,
            report=self.reports.append,
        )

    def deliver(self, received: list[Received]) -> None:
        self.delivered += [item.press.raw for item in received]
        self.on_delivery()

    def make(self, *numbers: int) -> None:
        for number in numbers:
            self.directory.make(name(number))

    @asynccontextmanager
    async def looking(self) -> AsyncIterator[None]:
        self.lookout.start()
        await turns()
        try:
            yield
        finally:
            await self.lookout.stop()


async def turns(count: int = 4) -> None:
    """Lets the loop go round."""
    for _ in range(count):
        await asyncio.sleep(0)


async def turns_until(condition: Callable[[], object]) -> int:
    """Lets the loop go round until a condition holds; how often it did."""
    count = 0
    while not condition():
        await asyncio.sleep(0)
        count += 1
    return count


async def test_many_hints_are_one_look() -> None:
    bench = Bench()
    async with bench.looking():
        before = bench.directory.scans
        bench.make(*range(BURST - 1))
        await turns()
        assert bench.delivered == [name(number) for number in range(BURST - 1)]
        assert bench.directory.scans == before + 1  # no gap, so no second listing


async def test_the_sweep_finds_what_no_hint_told_until_the_end() -> None:
    bench = Bench(NoHint(), sweep=0.25)
    bench.lookout.look()
    assert bench.delivered == []  # nothing before the start
    async with bench.looking():
        bench.make(0)
        await asyncio.sleep(0.24)
        assert bench.delivered == []
        await asyncio.sleep(0.02)
        assert bench.delivered == [name(0)]
    bench.make(1)
    bench.lookout.look()
    await asyncio.sleep(10)
    assert bench.delivered == [name(0)]


# Troubles


async def test_without_the_hint_that_was_wanted_it_looks_often() -> None:
    hint = ScarceHint(LIMIT)
    bench = Bench(hint, sweep=0.25)
    async with bench.looking():
        bench.make(0)
        await asyncio.sleep(1.5 * SWEEP_BLIND)
        assert bench.delivered == [name(0)]
        await asyncio.sleep(2.5 * WATCH_AGAIN)
        assert hint.asked == 3
        assert bench.reports == [LIMIT]
        hint.refusal = None
        await asyncio.sleep(WATCH_AGAIN)
        assert hint.watching == 1
        before = bench.directory.scans
        await asyncio.sleep(10)
        assert bench.directory.scans - before <= 45  # at its usual pace again
    assert hint.watching == 0


# Bursts


async def test_in_a_burst_it_stops_watching_and_watches_again_when_it_is_over() -> None:
    hint = ScarceHint()
    bench = Bench(hint)
    watching: list[int] = []
    async with bench.looking():
        bench.make(*range(BURST))
        bench.on_delivery = lambda: watching.append(hint.watching)
        bench.lookout.look()
        await turns(1)
        assert watching == [0]
        bench.make(BURST)  # what comes while nobody watches is found
        await turns(10)
        assert bench.delivered == [name(number) for number in range(BURST + 1)]
        assert (hint.watching, hint.asked) == (1, 2)
        hint.refusal = LIMIT  # it can't be had again, and is done without
        bench.make(*range(BURST + 1, 2 * BURST + 1))
        bench.lookout.look()
        await asyncio.sleep(1001)
        bench.make(2 * BURST + 1)
        await asyncio.sleep(1.5 * SWEEP_BLIND)
        assert len(bench.delivered) == 2 * BURST + 2
        assert bench.reports == [LIMIT]


# Looks of many turns


async def test_a_key_whose_removal_is_confirmed_during_a_look_does_not_come_again() -> None:
    bench = Bench(NoHint())
    early = [name(number) for number in range(3)]
    bench.make(0, 1, 2)
    async with bench.looking():
        assert bench.delivered == early
        bench.make(*range(3, 3 * TURN))
        bench.lookout.look()
        await turns(1)  # the first turn of the first listing: the early ones stand there
        assert bench.delivered == early
        bench.directory.memory.entries.difference_update(early)
        bench.lookout.gone(early)
        await turns_until(lambda: len(bench.delivered) == 3 * TURN)
        assert bench.delivered == [name(number) for number in range(3 * TURN)]
        assert not bench.session.awaiting_removal & set(early)
