"""Tests that a task ends with its context, and that signals end a program in order, once; the third
Ctrl-C ends it at once."""

from __future__ import annotations

import asyncio
import signal
import subprocess
import sys

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


SIGNALS = pytest.mark.skipif(sys.platform == "win32", reason="Windows' loop knows no signals")

#: Sends itself a signal, and another one for each turn of what it does in the end.
PROGRAM = """
import asyncio, os, sys
from contest.tasks import end_on_terminate

number, more, hurried = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3] == "hurried"

async def signalled(times):
    for _ in range(times):
        os.kill(os.getpid(), number)
        await asyncio.sleep(0.01)

async def main():
    end_on_terminate((lambda: print("a moment")) if hurried else None)
    try:
        await signalled(1)
        await asyncio.Event().wait()
    finally:
        await signalled(more)
        print("in order")

try:
    asyncio.run(main())
except BaseException as exc:
    print(type(exc).__name__)
"""


def said(number: signal.Signals, more: int, *, hurried: bool) -> list[str]:
    words = [str(int(number)), str(more), "hurried" if hurried else "as it is"]
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, *words],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert done.stderr == ""
    return done.stdout.splitlines()


@SIGNALS
@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP"])
def test_more_signals_do_not_cut_the_end_short(name: str) -> None:
    number = signal.Signals[name]
    assert said(number, 3, hurried=False) == ["in order", "CancelledError"]
    assert said(number, 2, hurried=True) == ["a moment"] * 2 + ["in order", "CancelledError"]


@SIGNALS
def test_the_third_of_a_person_s_ends_it_at_once() -> None:
    assert said(signal.SIGINT, 0, hurried=True) == ["in order", "CancelledError"]
    assert said(signal.SIGINT, 1, hurried=True) == ["a moment", "in order", "CancelledError"]
    # asyncio's own way out is another cancel, by which the end is cut short.
    assert said(signal.SIGINT, 2, hurried=True) == ["a moment", "KeyboardInterrupt"]


@SIGNALS
def test_ctrl_c_is_python_s_where_nobody_says_otherwise() -> None:
    assert said(signal.SIGINT, 0, hurried=False) == ["in order", "KeyboardInterrupt"]
