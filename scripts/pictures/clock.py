"""A contest's clock that can be advanced, so that taking pictures need not wait for a round."""

from __future__ import annotations

import asyncio
import time


class LeapingClock:
    """The clock of a contest, as `lpp.clock.Clock`.

    Arguments:
        speed: seconds of contest time per second of real time.
    """

    def __init__(self, speed: float) -> None:
        self.speed = speed
        self._origin = time.monotonic()
        self._ahead = 0.0
        self._leaped = asyncio.Event()

    def monotonic(self) -> float:
        """Real time in seconds, including leaps, for the windows' own timing. Thread-safe."""
        return time.monotonic() + self._ahead / self.speed

    def now(self) -> float:
        """Seconds of contest time since the beginning."""
        return (self.monotonic() - self._origin) * self.speed

    async def sleep(self, seconds: float) -> None:
        """Waits for some seconds of contest time; leaps count."""
        end = self.now() + seconds
        await asyncio.sleep(0)
        while (left := end - self.now()) > 0:
            try:
                async with asyncio.timeout(left / self.speed):
                    await self._leaped.wait()
            except TimeoutError:
                pass

    def leap(self, seconds: float) -> None:
        """Advances the clock by some seconds of contest time; call it in the contest's thread."""
        self._ahead += max(0.0, seconds)
        self._leaped.set()
        self._leaped = asyncio.Event()
