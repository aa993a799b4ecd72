"""An asyncio loop on a virtual clock: when every task sleeps, the clock jumps to the next timer.

Two hours of a contest take as long as the machine needs to compute them, and two runs are alike.
The clock stands still while something runs in a thread (`asyncio.to_thread`, `run_in_executor`), so
that a timer can't overtake it. Don't use sockets or other processes on this loop.
"""

from __future__ import annotations

import asyncio
import math
import selectors
from collections.abc import Callable, Coroutine
from concurrent.futures import Executor
from typing import Any, TypeVar

_T = TypeVar("_T")


class Asleep(RuntimeError):
    """Every task waits for another one, and no timer is left."""


class VirtualLoop(asyncio.SelectorEventLoop):
    """The loop. Its time begins at 0, in seconds."""

    def __init__(self) -> None:
        self._now = 0.0
        #: Calls that run in threads.
        self.in_threads = 0
        super().__init__(_Jumping(self))

    def time(self) -> float:
        """The virtual time, in seconds."""
        return self._now

    def call_later(  # type: ignore[override]
        self, delay: float, callback: Callable[..., object], *args: Any, context: Any = None
    ) -> asyncio.TimerHandle:
        """Calls later than now, however short the delay: a delay that is too short to change the
        time would keep a task that waits for it waiting without end."""
        when = self._now + delay
        if delay > 0 and when == self._now:
            when = math.nextafter(self._now, math.inf)
        return self.call_at(when, callback, *args, context=context)

    def run_in_executor(  # type: ignore[override]
        self, executor: Executor | None, func: Callable[..., _T], *args: Any
    ) -> asyncio.Future[_T]:
        """Runs a function in a thread; the clock stands still until it has returned."""
        future: asyncio.Future[_T] = super().run_in_executor(executor, func, *args)
        self.in_threads += 1
        future.add_done_callback(self._returned)
        return future

    def _returned(self, _future: object) -> None:
        self.in_threads -= 1

    async def shutdown_default_executor(self, *args: Any, **options: Any) -> None:
        """Waits for the threads to end; the clock stands still meanwhile."""
        self.in_threads += 1
        try:
            await super().shutdown_default_executor(*args, **options)
        finally:
            self.in_threads -= 1

    def jump(self, seconds: float | None) -> None:
        """Lets time pass; None: without end.

        Raises:
            Asleep: if no timer is left.
        """
        if seconds is None:
            names = sorted(task.get_name() for task in asyncio.all_tasks(self))
            raise Asleep(f"nothing will ever happen again; these wait: {', '.join(names)}")
        self._now += seconds


class _Jumping(selectors.DefaultSelector):
    """A selector that makes the clock jump instead of waiting."""

    def __init__(self, loop: VirtualLoop) -> None:
        super().__init__()
        self._loop = loop

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        """See selectors."""
        if timeout is not None and timeout <= 0:
            return super().select(0)
        ready = super().select(None if self._loop.in_threads else 0)
        if not ready and not self._loop.in_threads:
            self._loop.jump(timeout)
        return ready


async def ended(task: asyncio.Task[Any]) -> None:
    """Cancels a task and waits for its end; an exception of it is ignored."""
    task.cancel()
    await asyncio.wait([task])
    if not task.cancelled():
        task.exception()


def run(work: Coroutine[Any, Any, _T]) -> _T:
    """Runs a coroutine on a separate loop, as `asyncio.run` does.

    Raises:
        Asleep: if nothing will ever happen again before the end.
    """
    with asyncio.Runner(loop_factory=VirtualLoop) as runner:
        return runner.run(work)
