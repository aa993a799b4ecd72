"""Tasks that live as long as what started them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager
from typing import Any, TypeVar

_T = TypeVar("_T")


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
