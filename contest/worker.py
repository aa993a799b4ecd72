"""Runs long computations of a running server in a separate process.

A thread would slow down the event loop, which serves keys. The process has a lower priority, and is
killed when its caller is cancelled or its time is up.
"""

from __future__ import annotations

import asyncio
import importlib
import os
import pickle
import sys
from collections.abc import Callable
from typing import ParamSpec, TypeVar, cast

import psutil

from contest import errors
from contest.errors import ContestError, EnvironmentProblem
from lpp.program import KILL, OWN_GROUP, signal_group

_P = ParamSpec("_P")
_T = TypeVar("_T")


async def call(
    work: Callable[_P, _T], limit: float, too_late: str, *given: _P.args, **options: _P.kwargs
) -> _T:
    """Calls a function in a separate process, and returns its result.

    Arguments:
        work: a module's function; its arguments and its result can be pickled.
        limit: the time limit in seconds of real time, including the start of the process.
        too_late: the message if it takes longer.
        given: the function's positional arguments.

    Raises:
        ContestError: the error that the function raised.
        EnvironmentProblem: if it takes too long, can't be started, or crashes.
    """
    assert not options
    name = f"{work.__module__}:{work.__qualname__}"
    try:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-P", "-m", __name__, name),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            # A Ctrl-C, or closing the terminal, must not end it.
            **OWN_GROUP,
        )
    except OSError as exc:
        raise EnvironmentProblem(f"no process can be started ({exc.strerror or exc})") from exc
    try:
        async with asyncio.timeout(limit):
            output, errors_output = await process.communicate(pickle.dumps(given))
    except TimeoutError:
        raise EnvironmentProblem(too_late) from None
    finally:
        if process.returncode is None:
            signal_group(process.pid, KILL)
            await process.communicate()
    if process.returncode:
        lines = errors_output.decode(errors="replace").strip().splitlines() or [""]
        raise EnvironmentProblem(
            f"a process of the server crashed ({name}, exit code {process.returncode}): {lines[-1]}"
        )
    # Our own process made it, so it can be trusted.
    value = pickle.loads(output)
    if isinstance(value, ContestError):
        raise value
    return cast(_T, value)


def main(name: str) -> int:
    """Runs a function in this process; returns the exit code.

    Arguments:
        name: the function, as `MODULE:FUNCTION`.
    """
    if sys.platform == "win32":
        psutil.Process().nice(psutil.BELOW_NORMAL_PRIORITY_CLASS)
    else:
        os.nice(10)
    module, _, function = name.partition(":")
    work = getattr(importlib.import_module(module), function)
    try:
        answer = work(*pickle.load(sys.stdin.buffer))
    except ContestError as exc:
        known = next(each for each in type(exc).__mro__ if each.__module__ == errors.__name__)
        answer = known(*exc.args[:1])
    sys.stdout.buffer.write(pickle.dumps(answer))
    sys.stdout.flush()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
