"""Tests scanning for new directories, on virtual time: hints, sweeps, bursts, and scans that take
many turns."""

from __future__ import annotations

import asyncio
import errno
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager

import pytest

from lpp.hints import Hint, NoHint
from lpp.keypress import Side, Violation
from lpp.scanner import BATCH, BURST, UNWATCHED_SWEEP_INTERVAL, WATCH_RETRY, Scanner
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

    def iter_names(self) -> Iterator[str]:
        self.scans += 1
        for entry in super().iter_names():
            yield entry
            self.while_scanning()


class UnavailableHint:
    """A hint that refuses to watch while `refusal` is set; it is its own watch."""

    def __init__(self, refusal: OSError | None = None) -> None:
        self.refusal = refusal
        self.asked = self.watching = 0

    def watch(self, path: str, wake: Callable[[], None]) -> UnavailableHint:
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
    """A scanner, its directory, and what it delivered and reported."""

    def __init__(self, hint: Hint | None = None, sweep: float = 1000.0) -> None:
        self.directory = CountingDirectory()
        self.delivered: list[str] = []
        self.reports: list[Violation | OSError] = []
        self.session = Session(Side.JUDGE)
        self.on_delivery: Callable[[], object] = lambda: None
        self.scanner = Scanner(
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
    async def scanning(self) -> AsyncIterator[None]:
        self.scanner.start()
        await turns()
        try:
            yield
        finally:
            await self.scanner.stop()


async def turns(count: int = 4) -> None:
    """Lets the loop run some turns."""
    for _ in range(count):
        await asyncio.sleep(0)


async def turns_until(condition: Callable[[], object]) -> int:
    """Lets the loop run until a condition holds. Returns the number of turns."""
    count = 0
    while not condition():
        await asyncio.sleep(0)
        count += 1
    return count


async def test_many_hints_cause_one_scan() -> None:
    bench = Bench()
    async with bench.scanning():
        before = bench.directory.scans
        bench.make(*range(BURST - 1))
        await turns()
        assert bench.delivered == [name(number) for number in range(BURST - 1)]
        assert bench.directory.scans == before + 1  # no gap, so no second listing


async def test_the_sweep_finds_keys_without_a_hint() -> None:
    bench = Bench(NoHint(), sweep=0.25)
    bench.scanner.scan()
    assert bench.delivered == []  # nothing before the start
    async with bench.scanning():
        bench.make(0)
        await asyncio.sleep(0.24)
        assert bench.delivered == []
        await asyncio.sleep(0.02)
        assert bench.delivered == [name(0)]
    bench.make(1)
    bench.scanner.scan()
    await asyncio.sleep(10)
    assert bench.delivered == [name(0)]


# Faults


async def test_scans_are_more_frequent_if_the_hint_cannot_watch() -> None:
    hint = UnavailableHint(LIMIT)
    bench = Bench(hint, sweep=0.25)
    async with bench.scanning():
        bench.make(0)
        await asyncio.sleep(1.5 * UNWATCHED_SWEEP_INTERVAL)
        assert bench.delivered == [name(0)]
        await asyncio.sleep(2.5 * WATCH_RETRY)
        assert hint.asked == 3
        assert bench.reports == [LIMIT]
        hint.refusal = None
        await asyncio.sleep(WATCH_RETRY)
        assert hint.watching == 1
        before = bench.directory.scans
        await asyncio.sleep(10)
        assert bench.directory.scans - before <= 45  # at its usual pace again
    assert hint.watching == 0


# Bursts


async def test_watching_pauses_during_a_burst() -> None:
    hint = UnavailableHint()
    bench = Bench(hint)
    watching: list[int] = []
    async with bench.scanning():
        bench.make(*range(BURST))
        bench.on_delivery = lambda: watching.append(hint.watching)
        bench.scanner.scan()
        await turns(1)
        assert watching == [0]
        bench.make(BURST)  # found although nobody watches
        await turns(10)
        assert bench.delivered == [name(number) for number in range(BURST + 1)]
        assert (hint.watching, hint.asked) == (1, 2)
        hint.refusal = LIMIT  # watching is refused from now on
        bench.make(*range(BURST + 1, 2 * BURST + 1))
        bench.scanner.scan()
        await asyncio.sleep(1001)
        bench.make(2 * BURST + 1)
        await asyncio.sleep(1.5 * UNWATCHED_SWEEP_INTERVAL)
        assert len(bench.delivered) == 2 * BURST + 2
        assert bench.reports == [LIMIT]


# Scans of many turns


async def test_a_key_whose_removal_is_confirmed_during_a_scan_is_not_delivered_again() -> None:
    bench = Bench(NoHint())
    early = [name(number) for number in range(3)]
    bench.make(0, 1, 2)
    async with bench.scanning():
        assert bench.delivered == early
        bench.make(*range(3, 3 * BATCH))
        bench.scanner.scan()
        await turns(1)  # the first turn of the first listing, which has the early names
        assert bench.delivered == early
        bench.directory.memory.entries.difference_update(early)
        bench.scanner.gone(early)
        await turns_until(lambda: len(bench.delivered) == 3 * BATCH)
        assert bench.delivered == [name(number) for number in range(3 * BATCH)]
        assert not bench.session.awaiting_removal & set(early)
