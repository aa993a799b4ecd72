"""Tests the event loop on a virtual clock."""

from __future__ import annotations

import asyncio
import math
import time

import pytest

from contest.rehearse.loop import Deadlock, run


def test_hours_pass_in_no_time_and_to_the_second() -> None:
    async def sleep() -> float:
        await asyncio.sleep(7200)
        return asyncio.get_running_loop().time()

    began = time.perf_counter()
    assert run(sleep()) == 7200
    assert time.perf_counter() - began < 60


@pytest.mark.parametrize("rest", [5e-324, 1e-13, 1e-9, 1.0])
@pytest.mark.parametrize("begun", [0.0, 0.1, 86_400.1])
def test_after_the_shortest_wait_it_is_later(begun: float, rest: float) -> None:
    """The rest of a time, counted from some moment, may be finer than the clock is by then."""

    async def sleep() -> tuple[float, float]:
        now = asyncio.get_running_loop().time
        await asyncio.sleep(begun)
        before = now()
        await asyncio.sleep(rest)
        return before, now()

    before, after = run(sleep())
    assert before == begun
    assert before < after <= max(before + rest, math.nextafter(before, math.inf))


def test_what_would_run_in_a_thread_takes_no_time() -> None:
    async def work() -> tuple[str, float]:
        with pytest.raises(ValueError, match="nothing"):
            await asyncio.to_thread(int, "nothing")
        return await asyncio.to_thread(str.upper, "done"), asyncio.get_running_loop().time()

    assert run(work()) == ("DONE", 0.0)


def test_when_all_wait_for_one_another_that_is_said() -> None:
    async def wait() -> None:
        await asyncio.Event().wait()

    async def work() -> None:
        await asyncio.create_task(wait(), name="the sleeper")

    with pytest.raises(Deadlock, match="the sleeper"):
        run(work())
