"""Tests the event loop on a virtual clock."""

from __future__ import annotations

import asyncio
import math
import time

import pytest

from contest.rehearse.loop import Deadlock
from tests.contest.rehearse.build import run


def test_virtual_hours_pass_quickly_and_exactly() -> None:
    async def sleep() -> float:
        await asyncio.sleep(7200)
        return asyncio.get_running_loop().time()

    began = time.perf_counter()
    assert run(sleep()) == 7200
    assert time.perf_counter() - began < 60


@pytest.mark.parametrize("rest", [5e-324, 1e-13, 1e-9, 1.0])
@pytest.mark.parametrize("begun", [0.0, 0.1, 86_400.1])
def test_time_advances_even_after_the_shortest_wait(begun: float, rest: float) -> None:
    """A remaining time may be smaller than the clock's resolution."""

    async def sleep() -> tuple[float, float]:
        now = asyncio.get_running_loop().time
        await asyncio.sleep(begun)
        before = now()
        await asyncio.sleep(rest)
        return before, now()

    before, after = run(sleep())
    assert before == begun
    assert before < after <= max(before + rest, math.nextafter(before, math.inf))


def test_to_thread_takes_no_virtual_time() -> None:
    async def work() -> tuple[str, float]:
        with pytest.raises(ValueError, match="nothing"):
            await asyncio.to_thread(int, "nothing")
        return await asyncio.to_thread(str.upper, "done"), asyncio.get_running_loop().time()

    assert run(work()) == ("DONE", 0.0)


def test_deadlock_is_reported() -> None:
    async def wait() -> None:
        await asyncio.Event().wait()

    async def work() -> None:
        await asyncio.create_task(wait(), name="the sleeper")

    with pytest.raises(Deadlock, match="the sleeper"):
        run(work())
