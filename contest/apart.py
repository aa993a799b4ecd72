"""Work that computes for long, in a process of its own beside a running server.

A thread would take turns with the loop that serves keys. The process asks for less of the machine
than others, and is ended with its caller or when its time is up.
"""

from __future__ import annotations

import asyncio
import contextlib
import importlib
import os
import subprocess
import sys
from collections.abc import Callable
from typing import Any

from contest.errors import Surroundings


async def run(module: str, question: bytes, longest: float) -> bytes:
    """Has a function of a module called there.

    Arguments:
        module: its full name; the function is called `answered`, takes bytes and gives bytes.
        question: what it is given.
        longest: seconds of real time that it may take, the start of the process included.

    Returns:
        What it gave.

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
            **_aside(),
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


def _aside() -> dict[str, Any]:
    """How it is started: neither a Ctrl-C nor a terminal that is closed is meant for it."""
    if sys.platform == "win32":
        return {
            "creationflags": subprocess.CREATE_NEW_PROCESS_GROUP
            | subprocess.BELOW_NORMAL_PRIORITY_CLASS
        }
    return {"start_new_session": True}


def main(module: str) -> int:
    """Is that process; gives its exit code."""
    if sys.platform != "win32":
        os.nice(10)
    answered: Callable[[bytes], bytes] = importlib.import_module(module).answered
    sys.stdout.buffer.write(answered(sys.stdin.buffer.read()))
    sys.stdout.flush()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
