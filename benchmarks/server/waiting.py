"""Waiting for another process."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

#: Seconds between two checks.
CHECK_SECONDS = 0.01


async def until(condition: Callable[[], bool], seconds: float) -> None:
    """Waits until a condition is true.

    Raises:
        TimeoutError: if it is not true within this many seconds.
    """
    async with asyncio.timeout(seconds):
        while not condition():  # noqa: ASYNC110 -- what changes it is another process
            await asyncio.sleep(CHECK_SECONDS)
