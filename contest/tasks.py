"""Tasks that end with their context, and a main task that ends cleanly at a signal."""

from __future__ import annotations

import asyncio
import contextlib
import signal
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from typing import Any, TypeVar

_T = TypeVar("_T")

#: The third Ctrl-C ends a command immediately, without any clean-up.
FORCED = 3


@asynccontextmanager
async def running(work: Coroutine[Any, Any, _T], name: str) -> AsyncIterator[asyncio.Task[_T]]:
    """Runs a task while the context is open; at the end, cancels it and waits for it.

    Arguments:
        work: the coroutine to run.
        name: the task's name, for debugging.

    Raises:
        Exception: at the end, the error that ended the work.
    """
    task = asyncio.create_task(work, name=name)
    try:
        yield task
    finally:
        task.cancel()
        # Don't await the task itself, or its cancellation would look like the caller's.
        await asyncio.wait([task])
        if not task.cancelled():
            task.result()


def cancel_on_signals(again: Callable[[], None] | None = None) -> None:
    """Makes SIGTERM, or closing the terminal, cancel the running task, so that the program ends
    cleanly. Only the first signal cancels it: a second cancellation would interrupt the clean-up.
    Windows has no such signals, and only the main thread can handle them.

    Arguments:
        again: called at a second signal. With it, Ctrl-C is handled in the same way, and the third
            Ctrl-C interrupts everything; without it, Python handles Ctrl-C.
    """
    task = asyncio.current_task()
    assert task is not None
    asked = 0

    def ask(interrupted: bool) -> None:
        nonlocal asked
        asked += 1
        if asked == 1:
            task.cancel()
        elif interrupted and asked >= FORCED:
            raise KeyboardInterrupt
        elif again is not None:
            again()

    for name in ("SIGTERM", "SIGHUP", *(["SIGINT"] if again is not None else [])):
        with contextlib.suppress(NotImplementedError, AttributeError, ValueError, RuntimeError):
            number = getattr(signal, name)
            asyncio.get_running_loop().add_signal_handler(number, ask, name == "SIGINT")


def run_with_signals(work: Coroutine[Any, Any, _T]) -> _T:
    """Runs a coroutine to its end, as `asyncio.run` does. SIGTERM and a closed terminal end it
    cleanly, as Ctrl-C does.

    Raises:
        KeyboardInterrupt: if a signal ended it.
    """

    async def ended_in_order() -> _T:
        cancel_on_signals()
        return await work

    try:
        return asyncio.run(ended_in_order())
    except asyncio.CancelledError:
        raise KeyboardInterrupt from None
