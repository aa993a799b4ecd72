"""The keys that an entry types in a pause: held, and given on when the pause is over.

People can't type in a pause, and programs don't know about pauses. Keys that are left out of a
sentence, or shown in one block, would tell the judge which side is the program; so would a program
that stays late by the length of the pause because it types on. Held keys are therefore given on in
the entry's own rhythm, only faster, until the entry has caught up: within a few seconds of the
pause's end, however long the pause was.

Nothing is lost: a held key is not confirmed, and its directory stands until it is.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable

from lpp.clock import Clock

#: Seconds between two looks whether the clock runs again.
LOOK_EVERY = 0.1
#: Seconds at most between a held key and the one before it: a long thought is not thought twice.
LONGEST_GAP = 1.0
#: Seconds after a pause within which all keys that came in it are given on.
CATCH_UP = 3.0
#: Gaps shrink to this share at least: an entry that types on would never catch up at its own pace.
PACE = 0.5


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
            give_on: gives it on.
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
        """Gives on all held keys at once: the talk is over."""
        if self._task is not None:
            self._task.cancel()
            self._task = None
        while self._keys:
            self._keys.popleft()[1]()

    def drop(self) -> None:
        """Forgets the held keys: they stand in the directory, and the next server finds them."""
        self._keys.clear()
        self.let_go()

    async def _give_on(self) -> None:
        while self._keys:
            while self._paused():
                await self._clock.sleep(LOOK_EVERY)
            total = sum(gap for gap, _ in self._keys)
            pace = PACE if total * PACE <= CATCH_UP else CATCH_UP / total
            due = self._clock.now()
            while self._keys and not self._paused():
                due += self._keys[0][0] * pace
                # By the time that is due, not from key to key: sleeps that end late don't add up.
                await self._clock.sleep(due - self._clock.now())
                if self._keys and not self._paused():
                    self._keys.popleft()[1]()
