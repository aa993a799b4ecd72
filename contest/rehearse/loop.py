"""An asyncio loop on a virtual clock: when every task sleeps, the clock jumps to the next timer.

Two hours of a contest take as long as the machine needs to compute them, everything in them happens
at its exact second, and two runs are alike. The clock stands still while something runs in a thread
(`asyncio.to_thread`, `run_in_executor`), so a timer can't overtake it. Sockets and other processes
have no place here.
"""

from __future__ import annotations

import asyncio
import math
import selectors
from collections.abc import Callable, Coroutine
from concurrent.futures import Executor
from typing import Any, TypeVar

_T = TypeVar("_T")

#: Turns of the loop after which the system is asked for input while no thread works: asking costs
#: more than most turns.
ASK_EVERY = 100


class Asleep(RuntimeError):
    """Every task waits for another one, and nothing will ever happen again."""


class VirtualLoop(asyncio.SelectorEventLoop):
    """The loop. Its time begins at 0, in seconds."""

    def __init__(self) -> None:
        self._now = 0.0
        self._in_threads = 0
        super().__init__(_Jumping(self))

    def time(self) -> float:
        """The virtual time, in seconds."""
        return self._now

    def call_later(  # type: ignore[override]
        self, delay: float, callback: Callable[..., object], *args: Any, context: Any = None
    ) -> asyncio.TimerHandle:
        """Calls later, however short the delay: a rest too small to be added to the time would make
        a task that waits for it wait without end."""
        when = self._now + delay
        if delay > 0 and when == self._now:
            when = math.nextafter(self._now, math.inf)
        return self.call_at(when, callback, *args, context=context)

    def run_in_executor(  # type: ignore[override]
        self, executor: Executor | None, func: Callable[..., _T], *args: Any
    ) -> asyncio.Future[_T]:
        """Runs a function in a thread; the clock stands still until it has returned."""
        future: asyncio.Future[_T] = super().run_in_executor(executor, func, *args)
        self._in_threads += 1
        future.add_done_callback(self._returned)
        return future

    async def shutdown_default_executor(self, *args: Any, **options: Any) -> None:
        """Waits for the threads to end; the clock stands still meanwhile."""
        self._in_threads += 1
        try:
            await super().shutdown_default_executor(*args, **options)
        finally:
            self._in_threads -= 1

    def _returned(self, _future: object) -> None:
        self._in_threads -= 1

    @property
    def in_threads(self) -> bool:
        """Whether a thread works for this loop."""
        return self._in_threads > 0

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
    """A selector that has the clock jump instead of waiting."""

    def __init__(self, loop: VirtualLoop) -> None:
        super().__init__()
        self._loop = loop
        self._turns = 0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        """See selectors."""
        self._turns += 1
        if timeout is not None and timeout <= 0:
            asks = self._loop.in_threads or self._turns % ASK_EVERY == 0
            return super().select(0) if asks else []
        if self._loop.in_threads:
            return super().select(None)
        if timeout is None or self._turns % ASK_EVERY == 0:
            ready = super().select(0)
            if ready:
                return ready
        self._loop.jump(timeout)
        return []


async def ended(task: asyncio.Task[Any]) -> None:
    """Cancels a task and waits for its end; an exception of it is ignored."""
    task.cancel()
    await asyncio.wait([task])
    if not task.cancelled():
        task.exception()


def run(work: Coroutine[Any, Any, _T]) -> _T:
    """Runs something to its end on a loop of its own, as `asyncio.run` does.

    Raises:
        Asleep: if nothing will ever happen again before the end.
    """
    with asyncio.Runner(loop_factory=VirtualLoop) as runner:
        return runner.run(work)
