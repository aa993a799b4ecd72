"""Work that computes for long, in a separate process beside a running server.

A thread would take turns with the event loop, which serves keys. The process runs at a lower
priority, and is ended with its caller or when its time is up.
"""

from __future__ import annotations

import asyncio
import importlib
import os
import sys
from collections.abc import Callable
from inspect import signature
from types import GenericAlias
from typing import Any, ParamSpec, TypeVar, cast, get_type_hints

import msgspec
import psutil

from contest import errors
from contest.errors import ContestError, Surroundings
from lpp.program import KILL, OWN_GROUP, signal_group

_P = ParamSpec("_P")
_T = TypeVar("_T")


async def ask(
    work: Callable[_P, _T], longest: float, late: str, *given: _P.args, **options: _P.kwargs
) -> _T:
    """Calls a function in a separate process, and gives what it returns.

    Arguments:
        work: a function of a module, whose annotated arguments and result `msgspec` can encode.
        longest: seconds of real time that it may take, the start of the process included.
        late: what is said if it takes longer.
        given: its arguments, by their places alone.

    Raises:
        ContestError: what the function raised.
        Surroundings: if it takes too long, can't be started, or breaks down.
    """
    assert not options
    name = f"{work.__module__}:{work.__qualname__}"
    try:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-P", "-m", __name__, name),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            # Neither a Ctrl-C nor a terminal that is closed is meant for it.
            **OWN_GROUP,
        )
    except OSError as exc:
        raise Surroundings(f"no process can be started ({exc.strerror or exc})") from exc
    try:
        async with asyncio.timeout(longest):
            said, trouble = await process.communicate(msgspec.msgpack.encode(given))
    except TimeoutError:
        raise Surroundings(late) from None
    finally:
        if process.returncode is None:
            signal_group(process.pid, KILL)
            await process.communicate()
    if process.returncode:
        told = trouble.decode(errors="replace").strip().splitlines() or [""]
        raise Surroundings(
            f"a process of the server broke down ({name}, exit code {process.returncode}): "
            f"{told[-1]}"
        )
    result = GenericAlias(tuple, (str, str, get_type_hints(work)["return"] | None))
    error, words, made = msgspec.msgpack.decode(said, type=result)
    if error:
        raise getattr(errors, error)(words)
    return cast(_T, made)


def main(name: str) -> int:
    """The process; gives its exit code.

    Arguments:
        name: of the function, as `MODULE:FUNCTION`.
    """
    if sys.platform == "win32":
        psutil.Process().nice(psutil.BELOW_NORMAL_PRIORITY_CLASS)
    else:
        os.nice(10)
    module, _, function = name.partition(":")
    work = getattr(importlib.import_module(module), function)
    hints = get_type_hints(work)
    types = tuple(hints[each] for each in signature(work).parameters)
    given = msgspec.msgpack.decode(sys.stdin.buffer.read(), type=tuple[types])  # type: ignore[valid-type]
    answer: tuple[str, str, Any]
    try:
        answer = ("", "", work(*given))
    except ContestError as exc:
        known = next(each for each in type(exc).__mro__ if each.__module__ == errors.__name__)
        answer = (known.__name__, str(exc), None)
    sys.stdout.buffer.write(msgspec.msgpack.encode(answer))
    sys.stdout.flush()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
