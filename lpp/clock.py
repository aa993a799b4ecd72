"""A clock that controls waiting, so that a contest can run faster, and a test in no time.

Code whose waits follow the contest's time takes a `Clock`; code that waits in real time, such as a
directory's scanner, uses asyncio directly. `LoopClock` multiplies the
seconds of the asyncio loop by a speed: at speed 60, a contest minute takes one second of real time.
Under a test's loop with virtual time, the same clock is virtual, too.
"""

from __future__ import annotations

import asyncio
import math
from typing import Protocol


class Clock(Protocol):
    """Waits, and tells the time.

    Attributes:
        speed: seconds of contest time per second.
    """

    speed: float

    def now(self) -> float:
        """Seconds of contest time since some fixed moment; never decreases."""

    async def sleep(self, seconds: float) -> None:
        """Waits for that many seconds of contest time."""


class LoopClock:
    """The running loop's monotonic clock, multiplied by a speed.

    Arguments:
        speed: seconds of contest time per second of loop time; above 0 and finite.
    """

    def __init__(self, speed: float = 1.0) -> None:
        if not 0 < speed < math.inf:
            raise ValueError(f"a clock's speed must be above 0 and finite, not {speed!r}")
        self.speed = speed
        self._origin: float | None = None

    def now(self) -> float:
        """Seconds of contest time, 0 at the first call."""
        loop_time = asyncio.get_running_loop().time()
        if self._origin is None:
            self._origin = loop_time
        return (loop_time - self._origin) * self.speed

    async def sleep(self, seconds: float) -> None:
        """Waits for that many seconds of contest time; 0 or less lets other tasks run once."""
        await asyncio.sleep(max(0.0, seconds) / self.speed)
