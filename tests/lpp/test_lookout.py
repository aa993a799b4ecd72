"""Looking for what is new, on virtual time: hints, sweeps, bursts, and looks of many turns."""

from __future__ import annotations

import asyncio
import errno
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from lpp.hints import Hint, NoHint
from lpp.keypress import Side
from lpp.lookout import BURST, REST_LAST, SWEEP_BLIND, SWEEP_NAMES, TURN, WATCH_AGAIN, Lookout
from lpp.session import Received, Session
from lpp.testing import MemoryDirectory
from lpp.violations import Violation
from tests.lpp.faulty import FaultyDirectory

pytestmark = pytest.mark.looptime

AWAY = FileNotFoundError(errno.ENOENT, "the share is away")


def name(number: int) -> str:
    return f"{number:010d}.a.other"


class CountingDirectory(FaultyDirectory):
    """Counts listings."""

    def __init__(self) -> None:
        self.memory = MemoryDirectory()
        super().__init__(self.memory)
        self.scans = 0
        self.while_scanning: Callable[[], None] | None = None

    def scan(self) -> Iterator[str]:
        self.scans += 1
        for entry in super().scan():
            yield entry
            if self.while_scanning is not None:
                self.while_scanning()


class Bench:
    """A lookout, what it looks at, and what it told."""

    def __init__(self, *, hint: Hint | None = None, sweep: float = 1000.0) -> None:
        self.directory = CountingDirectory()
        self.delivered: list[str] = []
        self.reports: list[Violation | OSError] = []
        self.session = Session(Side.JUDGE)
        self.on_delivery: Callable[[], None] | None = None
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
        if self.on_delivery is not None:
            self.on_delivery()

    def __enter__(self) -> Bench:
        self.lookout.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.lookout.stop()


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


async def test_what_stands_there_comes_with_the_start() -> None:
    bench = Bench()
    for number in (2, 0, 1):
        bench.directory.make(name(number))
    with bench:
        assert bench.delivered == [name(0), name(1), name(2)]


async def test_many_hints_are_one_look() -> None:
    with Bench() as bench:
        before = bench.directory.scans
        for number in range(BURST - 1):
            bench.directory.make(name(number))
        await turns()
        assert bench.delivered == [name(number) for number in range(BURST - 1)]
        assert bench.directory.scans == before + 1  # no gap, so no second listing


async def test_a_hint_from_any_thread() -> None:
    with Bench() as bench:
        thread = threading.Thread(target=bench.directory.make, args=[name(0)])
        thread.start()
        await asyncio.to_thread(thread.join)
        await turns()
        assert bench.delivered == [name(0)]


async def test_the_sweep_finds_what_no_hint_told() -> None:
    with Bench(hint=NoHint(), sweep=0.25) as bench:
        bench.directory.make(name(0))
        await asyncio.sleep(0.24)
        assert bench.delivered == []
        await asyncio.sleep(0.02)
        assert bench.delivered == [name(0)]


async def test_many_names_are_swept_less_often() -> None:
    bench = Bench(hint=NoHint(), sweep=0.25)
    for number in range(4 * SWEEP_NAMES):
        bench.directory.make(f"{number:010d}.a.judge")
    with bench:
        await asyncio.sleep(0.01)
        before = bench.directory.scans
        await asyncio.sleep(10)
        assert 8 <= bench.directory.scans - before <= 12


async def test_after_the_end_nothing_comes() -> None:
    bench = Bench(sweep=0.25)
    with bench:
        bench.directory.make(name(0))
    bench.directory.make(name(1))
    bench.lookout.look()
    await asyncio.sleep(10)
    assert bench.delivered == []


async def test_before_the_start_nothing_comes() -> None:
    bench = Bench()
    bench.directory.make(name(0))
    bench.lookout.look()
    assert bench.delivered == []


def test_a_hint_after_the_loop_has_closed_is_nothing() -> None:
    async def leave_without_stopping() -> Bench:
        return Bench().__enter__()

    with asyncio.Runner() as runner:
        bench = runner.run(leave_without_stopping())
    bench.directory.make(name(0))
    assert bench.delivered == []


# Troubles


async def test_a_directory_that_is_away_is_told_once_and_found_again() -> None:
    with Bench(sweep=0.25) as bench:
        for _ in range(2):
            bench.directory.list_error = AWAY
            await asyncio.sleep(5)
            assert bench.reports == [AWAY]
            bench.directory.list_error = None
            bench.directory.memory.entries.add(name(len(bench.delivered)))
            await asyncio.sleep(0.3)
            bench.reports.clear()
        assert bench.delivered == [name(0), name(1)]


async def test_a_listing_that_breaks_off_gives_nothing_and_loses_nothing() -> None:
    bench = Bench()
    for number in range(10):
        bench.directory.make(name(number))

    def break_off() -> None:
        raise OSError(errno.EIO, "input/output error")

    bench.directory.while_scanning = break_off
    with bench:
        assert bench.delivered == []
        assert [type(report) for report in bench.reports] == [OSError]
        bench.directory.while_scanning = None
        bench.lookout.look()
        assert bench.delivered == [name(number) for number in range(10)]


class ScarceHint:
    """A hint that can't be had, for as long as it is set so."""

    def __init__(self) -> None:
        self.refusal: OSError | None = OSError(errno.EMFILE, "inotify instance limit reached")
        self.asked = 0
        self.watching = 0

    def watch(self, path: str, wake: Callable[[], None]) -> Callable[[], None]:
        self.asked += 1
        if self.refusal is not None:
            raise self.refusal
        self.watching += 1

        def unwatch() -> None:
            self.watching -= 1

        return unwatch

    def healthy(self) -> bool:
        return True


async def test_without_the_hint_that_was_wanted_it_looks_often() -> None:
    hint = ScarceHint()
    with Bench(hint=hint, sweep=0.25) as bench:
        bench.directory.make(name(0))
        await asyncio.sleep(1.5 * SWEEP_BLIND)
        assert bench.delivered == [name(0)]
        await asyncio.sleep(2.5 * WATCH_AGAIN)
        assert hint.asked == 3
        assert bench.reports == [hint.refusal]
        hint.refusal = None
        await asyncio.sleep(WATCH_AGAIN)
        assert hint.watching == 1
        before = bench.directory.scans
        await asyncio.sleep(10)
        assert bench.directory.scans - before <= 45  # at its usual pace again
    assert hint.watching == 0


async def test_a_bug_does_not_make_it_deaf() -> None:
    told: list[dict[str, Any]] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: told.append(context))

    def fail() -> None:
        raise ZeroDivisionError

    with Bench() as bench:
        bench.on_delivery = fail
        bench.directory.make(name(0))
        await turns()
        assert [type(context["exception"]) for context in told] == [ZeroDivisionError]
        bench.on_delivery = None
        bench.directory.make(name(1))
        await turns()
        assert bench.delivered == [name(0), name(1)]


# Bursts


async def test_in_a_burst_it_stops_watching_and_watches_again_when_it_is_over() -> None:
    hint = ScarceHint()
    hint.refusal = None
    with Bench(hint=hint) as bench:
        for number in range(BURST):
            bench.directory.make(name(number))
        bench.on_delivery = lambda: watching.append(hint.watching)
        watching: list[int] = []
        bench.lookout.look()
        assert watching == [0]
        bench.directory.make(name(BURST))  # what comes while nobody watches is found
        await turns(10)
        assert bench.delivered == [name(number) for number in range(BURST + 1)]
        assert hint.watching == 1
        assert hint.asked == 2


async def test_what_comes_just_before_it_watches_again_is_found() -> None:
    bench = Bench(hint=NoHint())

    class LateHint(ScarceHint):
        def watch(self, path: str, wake: Callable[[], None]) -> Callable[[], None]:
            bench.directory.make(name(1000 + self.asked))
            return super().watch(path, wake)

    hint = LateHint()
    hint.refusal = None
    bench.lookout._hint = hint
    for number in range(BURST):
        bench.directory.make(name(number))
    with bench:
        await turns(20)
        assert hint.asked == 2
        assert bench.delivered[BURST:] == [name(1000), name(1001)]


async def test_many_wakes_are_a_burst_before_anything_is_listed() -> None:
    with Bench() as bench:
        for number in range(BURST):
            bench.directory.make(name(number))
        before = bench.directory.scans
        bench.directory.while_scanning = lambda: watched.append(len(bench.directory.memory._wakes))
        watched: list[int] = []
        await turns(1)
        assert bench.directory.scans == before + 1
        assert set(watched) == {0}
        await turns(10)
        assert len(bench.directory.memory._wakes) == 1


async def test_a_hint_that_can_t_be_had_again_after_a_burst_is_done_without() -> None:
    hint = ScarceHint()
    hint.refusal = None
    with Bench(hint=hint) as bench:
        for number in range(BURST):
            bench.directory.make(name(number))
        hint.refusal = OSError(errno.EMFILE, "inotify instance limit reached")
        bench.lookout.look()
        await asyncio.sleep(1001)
        bench.directory.make(name(BURST))
        await asyncio.sleep(1.5 * SWEEP_BLIND)
        assert len(bench.delivered) == BURST + 1
        assert bench.reports == [hint.refusal]


# Looks of many turns


async def test_a_large_directory_is_taken_in_turns() -> None:
    bench = Bench(hint=NoHint())
    count = 5 * TURN + 7
    for number in range(1, count + 1):  # not from 0: two listings
        bench.directory.make(name(number))
    with bench:
        others_turns = await turns_until(lambda: len(bench.delivered) == count)
        assert others_turns >= 3 * count // TURN
    assert bench.delivered == [name(number) for number in range(1, count + 1)]


async def test_a_key_whose_removal_is_confirmed_during_a_look_does_not_come_again() -> None:
    bench = Bench(hint=NoHint())
    early = [name(number) for number in range(3)]
    for key in early:
        bench.directory.make(key)
    with bench:
        assert bench.delivered == early
        for number in range(3, 3 * TURN):
            bench.directory.make(name(number))
        bench.lookout.look()  # the first turn of the first listing: the early ones stand there
        assert bench.delivered == early
        for key in early:
            bench.directory.memory.entries.discard(key)
        bench.lookout.gone(early)
        await turns_until(lambda: len(bench.delivered) == 3 * TURN)
        assert bench.delivered == [name(number) for number in range(3 * TURN)]
        assert not bench.session.awaiting_removal & set(early)


async def test_looks_asked_for_meanwhile_are_one_look_afterwards() -> None:
    with Bench(hint=NoHint()) as bench:
        for number in range(2 * TURN):
            bench.directory.make(f"{number:010d}.a.judge")
        bench.lookout.look()
        for _ in range(5):
            bench.lookout.look()
        bench.directory.make(name(0))
        await turns(20)
        assert bench.delivered == [name(0)]


async def test_a_pause_gives_up_the_look_under_way_and_loses_nothing() -> None:
    bench = Bench(sweep=0.25)
    count = 3 * TURN
    for number in range(count):
        bench.directory.make(name(number))
    with bench:
        await turns_until(lambda: bench.delivered)
        before = list(bench.delivered)
        with bench.lookout.paused():
            bench.directory.make(name(count))
            await asyncio.sleep(10)
            assert bench.delivered == before
        await turns_until(lambda: len(bench.delivered) == count + 1)
        assert bench.delivered == [name(number) for number in range(count + 1)]


async def test_stopping_in_the_middle_of_a_look() -> None:
    bench = Bench()
    for number in range(3 * TURN):
        bench.directory.make(name(number))
    with bench:
        await turns_until(lambda: bench.delivered)
    delivered = len(bench.delivered)
    await turns(20)
    assert len(bench.delivered) == delivered
    assert len(bench.session.awaiting_removal) == delivered


async def test_after_a_long_look_hints_wait_a_little() -> None:
    with Bench() as bench:
        bench.lookout._rested = asyncio.get_running_loop().time() + REST_LAST / 2
        before = bench.directory.scans
        for number in range(3):
            bench.directory.make(name(number))
            await turns()
        assert bench.directory.scans == before
        await asyncio.sleep(REST_LAST)
        assert bench.delivered == [name(number) for number in range(3)]
        assert bench.directory.scans == before + 1
