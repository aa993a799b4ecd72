"""Waiting for something to happen, or for a moment of the contest's clock."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from lpp.clock import Clock

#: Seconds of the clock that are waited at least: less is lost in rounding by some clocks.
RESOLUTION = 1e-5


def _never() -> float | None:
    return None


async def until(
    changed: asyncio.Event,
    clock: Clock,
    condition: Callable[[], bool],
    deadline: Callable[[], float | None] = _never,
) -> bool:
    """Waits until a condition holds, looking again whenever something has changed.

    Arguments:
        changed: set whenever something has; cleared here.
        clock: the contest's clock.
        condition: what to wait for.
        deadline: the second of the clock to give up at, asked anew each time, for a pause moves
            it; None is never.

    Returns:
        Whether it held in time.
    """
    while not condition():
        end = deadline()
        now = clock.now()
        if end is not None and now >= end:
            return False
        changed.clear()
        waits: set[asyncio.Task[object]] = {asyncio.create_task(changed.wait())}
        if end is not None:
            waits.add(asyncio.create_task(clock.sleep(max(end - now, RESOLUTION))))
        try:
            await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for wait in waits:
                wait.cancel()
    return True
