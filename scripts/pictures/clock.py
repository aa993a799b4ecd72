"""A contest's clock that can be advanced, so that taking pictures need not wait for a round."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from contextlib import contextmanager

#: The shortest wait in seconds of real time.
_LOOK = 0.01


class LeapingClock:
    """The clock of a contest, as `lpp.clock.Clock`.

    Arguments:
        speed: seconds of contest time per second of real time.
    """

    def __init__(self, speed: float) -> None:
        self.speed = speed
        self._origin = time.monotonic()
        self._ahead = 0.0
        # While the clock is held, the time at which it stopped; and the seconds that it was held.
        self._held: tuple[float | None, float] = (None, 0.0)
        self._leaped = asyncio.Event()

    def monotonic(self) -> float:
        """Real time in seconds, including leaps, for the windows' own timing. Thread-safe."""
        since, lost = self._held
        return (time.monotonic() if since is None else since) - lost + self._ahead / self.speed

    @contextmanager
    def held(self) -> Iterator[None]:
        """Stops the clock while the context is open, except for leaps, so that a busy machine
        misses nothing that is shown for a short time. Thread-safe."""
        _, lost = self._held
        since = time.monotonic()
        self._held = since, lost
        try:
            yield
        finally:
            self._held = None, lost + time.monotonic() - since

    def now(self) -> float:
        """Seconds of contest time since the beginning."""
        return (self.monotonic() - self._origin) * self.speed

    async def sleep(self, seconds: float) -> None:
        """Waits for some seconds of contest time; leaps count."""
        end = self.now() + seconds
        await asyncio.sleep(0)
        while (left := end - self.now()) > 0:
            try:
                # Not less, because the clock may be held.
                async with asyncio.timeout(max(left / self.speed, _LOOK)):
                    await self._leaped.wait()
            except TimeoutError:
                pass

    def leap(self, seconds: float) -> None:
        """Advances the clock by some seconds of contest time; call it in the contest's thread."""
        self._ahead += max(0.0, seconds)
        self._leaped.set()
        self._leaped = asyncio.Event()
