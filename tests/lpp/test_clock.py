"""Tests the clock that all waiting uses."""

from __future__ import annotations

import asyncio
import math

import pytest

from lpp.clock import LoopClock


@pytest.mark.looptime
@pytest.mark.parametrize("speed", [1.0, 60.0, 0.5])
async def test_contest_time_is_loop_time_multiplied_by_speed(speed: float) -> None:
    clock = LoopClock(speed)
    loop = asyncio.get_running_loop()
    assert clock.now() == 0
    begun = loop.time()
    await clock.sleep(90)
    assert clock.now() == pytest.approx(90)
    assert loop.time() - begun == pytest.approx(90 / speed)


@pytest.mark.parametrize("speed", [0.0, -1.0, math.inf, math.nan])
def test_an_invalid_speed_is_refused(speed: float) -> None:
    with pytest.raises(ValueError, match="speed"):
        LoopClock(speed)
