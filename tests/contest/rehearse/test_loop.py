"""The loop whose time jumps."""

from __future__ import annotations

import asyncio
import math
import threading
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

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


@given(st.lists(st.floats(0, 1000), min_size=1, max_size=20))
def test_who_wakes_first_is_first(delays: list[float]) -> None:
    woken: list[tuple[float, float]] = []

    async def sleeper(delay: float) -> None:
        await asyncio.sleep(delay)
        woken.append((delay, asyncio.get_running_loop().time()))

    async def all_of_them() -> None:
        await asyncio.gather(*(sleeper(delay) for delay in delays))

    run(all_of_them())
    assert [delay for delay, _ in woken] == sorted(delays)
    assert all(at == pytest.approx(delay, abs=1e-6) for delay, at in woken)


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


def test_calls_from_other_threads_come_in() -> None:
    async def work() -> int:
        loop = asyncio.get_running_loop()
        came: asyncio.Future[int] = loop.create_future()

        def call() -> None:
            loop.call_soon_threadsafe(came.set_result, 7)

        threading.Thread(target=call).start()
        for _ in range(1_000_000):
            if came.done():
                break
            await asyncio.sleep(1.0)
        return await came

    assert run(work()) == 7


def test_when_all_wait_for_one_another_that_is_said() -> None:
    async def wait() -> None:
        await asyncio.Event().wait()

    async def work() -> None:
        await asyncio.create_task(wait(), name="the sleeper")

    with pytest.raises(Asleep, match="the sleeper"):
        run(work())


def test_what_fails_is_told() -> None:
    async def fail() -> None:
        await asyncio.sleep(3)
        raise LookupError("nothing there")

    with pytest.raises(LookupError):
        run(fail())
