"""The loop whose time jumps."""

from __future__ import annotations

import asyncio
import math
import time

import pytest

from contest.rehearse.loop import Asleep, run


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


def test_a_timer_does_not_overtake_what_is_done_in_a_thread() -> None:
    async def work() -> list[str]:
        told: list[str] = []
        loop = asyncio.get_running_loop()
        loop.call_later(0.001, told.append, "timer")
        began = loop.time()
        await asyncio.to_thread(time.sleep, 0.05)
        told.append("thread")
        assert loop.time() == began
        await asyncio.sleep(1)
        return told

    assert run(work()) == ["thread", "timer"]


def test_when_all_wait_for_one_another_that_is_said() -> None:
    async def wait() -> None:
        await asyncio.Event().wait()

    async def work() -> None:
        await asyncio.create_task(wait(), name="the sleeper")

    with pytest.raises(Asleep, match="the sleeper"):
        run(work())
