"""Work that computes for long, in a process of its own beside a running server.

A thread would take turns with the event loop, which serves keys. The process runs at a lower
priority, and is ended with its caller or when its time is up.
"""

from __future__ import annotations

import asyncio
import contextlib
import importlib
import os
import sys
from collections.abc import Callable

import psutil

from contest.errors import Surroundings
from lpp.program import OWN_GROUP


async def run(module: str, question: bytes, longest: float) -> bytes:
    """Calls a module's function `answered` there, which takes bytes and returns bytes.

    Arguments:
        module: its full name.
        question: what the function is given.
        longest: seconds of real time that it may take, the start of the process included.

    Returns:
        What the function returned.

    Raises:
        TimeoutError: if it takes longer.
        Surroundings: if it can't be started, or breaks down.
    """
    try:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-P", "-m", __name__, module),
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
            said, trouble = await process.communicate(question)
    finally:
        if process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                process.kill()
            await process.communicate()
    if process.returncode:
        told = trouble.decode(errors="replace").strip().splitlines() or [""]
        raise Surroundings(
            f"a process of the server broke down ({module}, exit code {process.returncode}): "
            f"{told[-1]}"
        )
    return said


def main(module: str) -> int:
    """The process; gives its exit code."""
    if sys.platform == "win32":
        psutil.Process().nice(psutil.BELOW_NORMAL_PRIORITY_CLASS)
    else:
        os.nice(10)
    answered: Callable[[bytes], bytes] = importlib.import_module(module).answered
    sys.stdout.buffer.write(answered(sys.stdin.buffer.read()))
    sys.stdout.flush()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
