"""A task lives as long as what started it."""

from __future__ import annotations

import asyncio

import pytest

from contest.tasks import running


async def test_it_ends_with_its_owner_and_not_before() -> None:
    ended = asyncio.Event()

    async def work() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            await asyncio.sleep(0)
            ended.set()

    async with running(work(), "work") as task:
        await asyncio.sleep(0)
        assert not task.done()
    assert ended.is_set(), "it was waited for"
    assert task.cancelled()


async def test_what_ends_it_before_is_raised() -> None:
    async def broken() -> None:
        raise LookupError("a mistake")

    with pytest.raises(LookupError, match="a mistake"):
        async with running(broken(), "work"):
            await asyncio.sleep(0)


async def test_who_is_cancelled_is_told_so() -> None:
    async def owner() -> None:
        async with running(asyncio.sleep(60), "work"):
            await asyncio.sleep(60)

    task = asyncio.create_task(owner())
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
