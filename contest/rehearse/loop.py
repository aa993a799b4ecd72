"""An asyncio loop on a virtual clock: when every task sleeps, the clock jumps to the next timer.

Two hours of a contest take as long as the machine needs to compute them, and two runs are alike.
Functions passed to `asyncio.to_thread` run on the loop and take no virtual time. Don't use sockets,
threads or other processes on this loop.
"""

from __future__ import annotations

import asyncio
import math
import selectors
from collections.abc import Callable
from concurrent.futures import Executor
from typing import Any, TypeVar

_T = TypeVar("_T")


class Deadlock(RuntimeError):
    """A deadlock: every task is waiting for another one, and no timer is left."""


class VirtualLoop(asyncio.SelectorEventLoop):
    """The loop, for `asyncio.Runner`. Its time begins at 0, in seconds."""

    def __init__(self) -> None:
        self.now = 0.0
        super().__init__(_Jumping(self))

    def time(self) -> float:
        """The virtual time, in seconds."""
        return self.now

    def call_later(  # type: ignore[override]
        self, delay: float, callback: Callable[..., object], *args: Any, context: Any = None
    ) -> asyncio.TimerHandle:
        """Schedules a call strictly later than now: with a delay too short to change the time, a
        task that waits for the clock to move would wait forever."""
        when = self.now + delay
        if delay > 0 and when == self.now:
            when = math.nextafter(self.now, math.inf)
        return self.call_at(when, callback, *args, context=context)

    def run_in_executor(  # type: ignore[override]
        self, executor: Executor | None, func: Callable[..., _T], *args: Any
    ) -> asyncio.Future[_T]:
        """Runs a function immediately, on the loop's own thread."""
        future: asyncio.Future[_T] = self.create_future()
        try:
            future.set_result(func(*args))
        except Exception as exc:  # noqa: BLE001 -- as an executor does
            future.set_exception(exc)
        return future


class _Jumping(selectors.DefaultSelector):
    """A selector that advances the clock instead of waiting."""

    def __init__(self, loop: VirtualLoop) -> None:
        super().__init__()
        self._loop = loop

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        """See selectors.

        Raises:
            Deadlock: if no timer is left.
        """
        if ready := super().select(0):
            return ready
        if timeout is None:
            names = sorted(task.get_name() for task in asyncio.all_tasks(self._loop))
            raise Deadlock(f"deadlock: all tasks are waiting: {', '.join(names)}")
        self._loop.now += max(0.0, timeout)
        return []


async def cancel_and_wait(task: asyncio.Task[Any]) -> None:
    """Cancels a task and waits for it to end, ignoring any exception that it raises."""
    task.cancel()
    await asyncio.wait([task])
    if not task.cancelled():
        task.exception()
