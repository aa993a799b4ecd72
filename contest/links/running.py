"""Running a link: its connection and the entry's program in its care, until one of them ends for
good or the process is told to end."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from pathlib import Path

from contest.links.beside import Beside
from contest.links.program_beside import KeptProgram


async def run(
    beside: Beside,
    linking: Coroutine[None, None, None],
    words: Sequence[str],
    output: Path,
    lock: Path,
    say: Callable[[str], None],
) -> None:
    """Runs an open link.

    Arguments:
        beside: the link.
        linking: keeps its connection (client.py).
        words: what starts the entry's program; none for one that somebody else starts.
        output: the file that the program's output is added to.
        lock: by which the next link knows that the program runs.
        say: told what happens, for a person's eyes.

    Raises:
        LinkRefused: if the server does not have us.
        YoursToFix: if the program can't be started.
    """
    work = [asyncio.create_task(linking, name="link")]
    if words:
        program = KeptProgram(words, output, lock, beside.started, beside.exited, say)
        beside.restart = program.restart
        work.append(asyncio.create_task(program.keep(), name="program"))
    try:
        done, _ = await asyncio.wait(work, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in work:
            task.cancel()
        await asyncio.wait(work)
    for task in done:
        task.result()
