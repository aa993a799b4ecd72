"""Signals end a program in good order, once; the third Ctrl-C ends it at once."""

from __future__ import annotations

import signal
import subprocess
import sys

import pytest

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows' loop knows no signals")

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


@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP"])
def test_more_signals_do_not_cut_the_end_short(name: str) -> None:
    number = signal.Signals[name]
    assert said(number, 3, hurried=False) == ["in order", "CancelledError"]
    assert said(number, 2, hurried=True) == ["a moment"] * 2 + ["in order", "CancelledError"]


def test_the_third_of_a_person_s_ends_it_at_once() -> None:
    assert said(signal.SIGINT, 0, hurried=True) == ["in order", "CancelledError"]
    assert said(signal.SIGINT, 1, hurried=True) == ["a moment", "in order", "CancelledError"]
    # asyncio's own way out is another cancel, by which the end is cut short.
    assert said(signal.SIGINT, 2, hurried=True) == ["a moment", "KeyboardInterrupt"]


def test_ctrl_c_is_python_s_where_nobody_says_otherwise() -> None:
    assert said(signal.SIGINT, 0, hurried=False) == ["in order", "KeyboardInterrupt"]
