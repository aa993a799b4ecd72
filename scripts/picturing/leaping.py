"""A contest's clock that can be put forward: who takes pictures need not wait for the end."""

from __future__ import annotations

import asyncio
import time


class LeapingClock:
    """The clock of a contest, as `lpp.clock.Clock`.

    Arguments:
        speed: seconds of contest time in a second of the wall.
    """

    def __init__(self, speed: float) -> None:
        self.speed = speed
        self._origin = time.monotonic()
        self._ahead = 0.0
        self._leaped = asyncio.Event()

    def monotonic(self) -> float:
        """Seconds of the wall, leaps included: what windows have to count by. Any thread may
        ask."""
        return time.monotonic() + self._ahead / self.speed

    def now(self) -> float:
        """Seconds of contest time since the beginning."""
        return (self.monotonic() - self._origin) * self.speed

    async def sleep(self, seconds: float) -> None:
        """Waits for so many seconds of contest time; a leap counts."""
        end = self.now() + seconds
        await asyncio.sleep(0)
        while (left := end - self.now()) > 0:
            try:
                async with asyncio.timeout(left / self.speed):
                    await self._leaped.wait()
            except TimeoutError:
                pass

    def leap(self, seconds: float) -> None:
        """Puts it forward by so many seconds of contest time; in the contest's own thread."""
        self._ahead += max(0.0, seconds)
        self._leaped.set()
        self._leaped = asyncio.Event()
