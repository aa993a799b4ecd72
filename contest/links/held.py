"""What an entry types in a pause: held, and given on at the entry's own pace when it is over.

People can't type in a pause; a program knows of none. Shown at once afterwards, or left out of its
sentence, its keys would tell the judge who is the program. Nothing is lost by it: a key that is
held is not confirmed, and stands in the entry's directory still.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable

from lpp.clock import Clock

#: Seconds between two looks whether the clock runs again.
LOOK_EVERY = 0.1
#: Seconds that a key follows the one before it at most: who thought for the whole pause is not
#: waited for as long again.
LONGEST_GAP = 3.0


class Held:
    """The keys of one entry.

    Arguments:
        paused: whether the interaction is.
        clock: the contest's, which runs on in a pause.
    """

    def __init__(self, paused: Callable[[], bool], clock: Clock) -> None:
        self._paused, self._clock = paused, clock
        self._keys: deque[tuple[float, Callable[[], None]]] = deque()
        self._last = 0.0
        self._task: asyncio.Task[None] | None = None

    def take(self, give_on: Callable[[], None]) -> None:
        """A key comes: it is given on at once, or when it is its turn.

        Arguments:
            give_on: does it.
        """
        waits = bool(self._keys) or self._paused()
        now = self._clock.now()
        if not waits:
            self._last = now
            give_on()
            return
        self._keys.append((min(now - self._last, LONGEST_GAP), give_on))
        self._last = now
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._give_on(), name="held keys")

    def let_go(self) -> None:
        """Gives on whatever is held, at once: the talk is over."""
        if self._task is not None:
            self._task.cancel()
            self._task = None
        while self._keys:
            self._keys.popleft()[1]()

    def drop(self) -> None:
        """Forgets what is held: it stands in the directory, and the next server finds it there."""
        self._keys.clear()
        self.let_go()

    async def _give_on(self) -> None:
        while self._keys:
            while self._paused():
                await self._clock.sleep(LOOK_EVERY)
            await self._clock.sleep(self._keys[0][0])
            if self._keys and not self._paused():
                self._keys.popleft()[1]()
