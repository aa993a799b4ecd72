"""An asyncio loop whose time jumps: when all sleep, it is at once the time of whoever wakes first.

Two hours of a contest take as long as the machine needs to compute them, everything in them happens
at its exact second, and two runs are alike.

What is done in a thread (`asyncio.to_thread`, `run_in_executor`) takes no time at all here: while
any of it is under way, the clock stands still, so that a timer can't overtake it. What comes from
outside the process takes none either, for nobody here waits for it: sockets and programs of the
system have no place in a rehearsal. Other threads that call in by `call_soon_threadsafe` are not
known to the clock, and may be overtaken.
"""

from __future__ import annotations

import asyncio
import math
import selectors
from collections.abc import Callable, Coroutine, Mapping
from concurrent.futures import Executor
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from _typeshed import FileDescriptorLike

_T = TypeVar("_T")

#: Turns of the loop after which the system is asked again whether anything has come from outside,
#: while nobody works in a thread: that costs more than most turns.
ASK_EVERY = 100


class Asleep(RuntimeError):
    """Everybody waits for somebody else, and nothing will ever happen again."""


class VirtualLoop(asyncio.SelectorEventLoop):
    """The loop. Its time begins at 0, in seconds."""

    def __init__(self) -> None:
        self._now = 0.0
        self._in_threads = 0
        super().__init__(
            _Jumping(selectors.DefaultSelector(), self._jump, lambda: self._in_threads > 0)
        )

    def time(self) -> float:
        """The virtual time, in seconds."""
        return self._now

    def call_later(  # type: ignore[override]
        self, delay: float, callback: Callable[..., object], *args: Any, context: Any = None
    ) -> asyncio.TimerHandle:
        """See asyncio. However short a delay is, it is later then: who waits for the rest of a
        time, and looks again, would else wait for ever where the rest is too small to be added."""
        when = self._now + delay
        if delay > 0 and when == self._now:
            when = math.nextafter(self._now, math.inf)
        return self.call_at(when, callback, *args, context=context)

    def run_in_executor(  # type: ignore[override]
        self, executor: Executor | None, func: Callable[..., _T], *args: Any
    ) -> asyncio.Future[_T]:
        """See asyncio; the clock stands still until the function has returned."""
        future: asyncio.Future[_T] = super().run_in_executor(executor, func, *args)
        self._in_threads += 1
        future.add_done_callback(self._back)
        return future

    async def shutdown_default_executor(self, *args: Any, **options: Any) -> None:
        """See asyncio; a thread of its own waits for the others to end."""
        self._in_threads += 1
        try:
            await super().shutdown_default_executor(*args, **options)
        finally:
            self._in_threads -= 1

    def _back(self, _future: object) -> None:
        self._in_threads -= 1

    def _jump(self, seconds: float | None) -> bool:
        """All sleep, for so many seconds at least (None: for ever). Returns whether it is later
        now; if not, somebody works in a thread and has to be waited for.

        Raises:
            Asleep: if nobody will ever wake.
        """
        if self._in_threads:
            return False
        if seconds is None:
            names = sorted(task.get_name() for task in asyncio.all_tasks(self))
            raise Asleep(f"nothing will ever happen again; these wait: {', '.join(names)}")
        self._now += seconds
        return True


class _Jumping(selectors.BaseSelector):
    """A selector that does not wait, but has the clock jump instead.

    Arguments:
        inner: the system's.
        jump: has the clock jump, if it may.
        awaited: whether something is to come from outside.
    """

    def __init__(
        self,
        inner: selectors.BaseSelector,
        jump: Callable[[float | None], bool],
        awaited: Callable[[], bool],
    ) -> None:
        self._inner = inner
        self._jump = jump
        self._awaited = awaited
        self._turns = 0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        self._turns += 1
        if self._awaited() or timeout is None or self._turns % ASK_EVERY == 0:
            ready = self._inner.select(0)
            if ready:
                return ready
        if timeout is not None and timeout <= 0:
            return []
        return [] if self._jump(timeout) else self._inner.select(None)

    def register(
        self, fileobj: FileDescriptorLike, events: int, data: Any = None
    ) -> selectors.SelectorKey:
        return self._inner.register(fileobj, events, data)

    def unregister(self, fileobj: FileDescriptorLike) -> selectors.SelectorKey:
        return self._inner.unregister(fileobj)

    def modify(
        self, fileobj: FileDescriptorLike, events: int, data: Any = None
    ) -> selectors.SelectorKey:
        return self._inner.modify(fileobj, events, data)

    def close(self) -> None:
        self._inner.close()

    def get_map(self) -> Mapping[FileDescriptorLike, selectors.SelectorKey]:
        return self._inner.get_map()


async def ended(task: asyncio.Task[Any]) -> None:
    """Cancels a task and waits for its end; what it may have died of before is its own affair, for
    whoever looks for that has looked."""
    task.cancel()
    await asyncio.wait([task])
    if not task.cancelled():
        task.exception()


def run(work: Coroutine[Any, Any, _T]) -> _T:
    """Runs something to its end on a loop of its own, as `asyncio.run` does; Ctrl-C ends it.

    Raises:
        Asleep: if it comes to a state in which nothing will ever happen again.
    """
    with asyncio.Runner(loop_factory=VirtualLoop) as runner:
        return runner.run(work)
