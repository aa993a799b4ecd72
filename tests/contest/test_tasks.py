"""Tests that a task ends with its context, that the first signal ends a program cleanly, and that
the third Ctrl-C ends it immediately."""

from __future__ import annotations

import asyncio
import signal
import subprocess
import sys

import pytest

from contest.tasks import running


async def test_task_runs_until_its_context_ends() -> None:
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
    assert ended.is_set(), "the context waited for it"
    assert task.cancelled()


async def test_error_in_the_task_is_raised_when_the_context_ends() -> None:
    async def broken() -> None:
        raise LookupError("a mistake")

    with pytest.raises(LookupError, match="a mistake"):
        async with running(broken(), "work"):
            await asyncio.sleep(0)


async def test_cancelling_the_owner_raises_cancelled_error() -> None:
    async def owner() -> None:
        async with running(asyncio.sleep(60), "work"):
            await asyncio.sleep(60)

    task = asyncio.create_task(owner())
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


SIGNALS = pytest.mark.skipif(sys.platform == "win32", reason="Windows' loop has no signal handlers")

#: Sends itself one signal, and `more` signals while it cleans up.
PROGRAM = """
import asyncio, os, sys
from contest.tasks import cancel_on_signals

number, more, hurried = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3] == "hurried"

async def signalled(times):
    for _ in range(times):
        os.kill(os.getpid(), number)
        await asyncio.sleep(0.01)

async def main():
    cancel_on_signals((lambda: print("a moment")) if hurried else None)
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


def output_after(number: signal.Signals, more: int, *, hurried: bool) -> list[str]:
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
def test_further_signals_do_not_interrupt_the_cleanup(name: str) -> None:
    number = signal.Signals[name]
    assert output_after(number, 3, hurried=False) == ["in order", "CancelledError"]
    assert output_after(number, 2, hurried=True) == ["a moment"] * 2 + [
        "in order",
        "CancelledError",
    ]


@SIGNALS
def test_third_ctrl_c_ends_the_program_immediately() -> None:
    assert output_after(signal.SIGINT, 0, hurried=True) == ["in order", "CancelledError"]
    assert output_after(signal.SIGINT, 1, hurried=True) == [
        "a moment",
        "in order",
        "CancelledError",
    ]
    # The interrupt cancels the task again, so the clean-up is cut short.
    assert output_after(signal.SIGINT, 2, hurried=True) == ["a moment", "KeyboardInterrupt"]


@SIGNALS
def test_python_handles_ctrl_c_by_default() -> None:
    assert output_after(signal.SIGINT, 0, hurried=False) == ["in order", "KeyboardInterrupt"]
