"""Tasks: those that live as long as what started them, and the one that a signal ends in order."""

from __future__ import annotations

import asyncio
import contextlib
import signal
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from typing import Any, TypeVar

_T = TypeVar("_T")

#: A person who does not want to wait sends this signal; the command ends at once.
AT_ONCE = 3


@asynccontextmanager
async def running(work: Coroutine[Any, Any, _T], name: str) -> AsyncIterator[asyncio.Task[_T]]:
    """Has something run while the context is open; at its end it is cancelled, and waited for.

    Arguments:
        work: what runs.
        name: the task's, for who looks for a fault.

    Raises:
        Exception: at the end, what has ended the work before.
    """
    task = asyncio.create_task(work, name=name)
    try:
        yield task
    finally:
        task.cancel()
        # Not awaited itself: who is cancelled here would be told of the task's end instead.
        await asyncio.wait([task])
        if not task.cancelled():
            task.result()


def end_on_terminate(again: Callable[[], None] | None = None) -> None:
    """Has SIGTERM, or a terminal that is closed, cancel the running task, so that all ends in
    order: once, for a second signal would cut the order short. Windows' loop knows no signals,
    Windows no SIGHUP, and a thread that is not the main one gets none.

    Arguments:
        again: called when there is a second signal. With it Ctrl-C is taken in the same way, and
            the third of them interrupts whatever is under way; without it Ctrl-C is Python's.
    """
    task = asyncio.current_task()
    assert task is not None
    asked = 0

    def ask(interrupted: bool) -> None:
        nonlocal asked
        asked += 1
        if asked == 1:
            task.cancel()
        elif interrupted and asked >= AT_ONCE:
            raise KeyboardInterrupt
        elif again is not None:
            again()

    for name in ("SIGTERM", "SIGHUP", *(["SIGINT"] if again is not None else [])):
        with contextlib.suppress(NotImplementedError, AttributeError, ValueError, RuntimeError):
            number = getattr(signal, name)
            asyncio.get_running_loop().add_signal_handler(number, ask, name == "SIGINT")


def run_in_order(work: Coroutine[Any, Any, _T]) -> _T:
    """Runs a coroutine to its end, as `asyncio.run` does. SIGTERM and a closed terminal end it in
    order, as Ctrl-C does.

    Raises:
        KeyboardInterrupt: if it was ended so.
    """

    async def ended_in_order() -> _T:
        end_on_terminate()
        return await work

    try:
        return asyncio.run(ended_in_order())
    except asyncio.CancelledError:
        raise KeyboardInterrupt from None
