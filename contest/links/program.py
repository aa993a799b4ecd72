"""An entry's program: the words that start it, and how it is ended. It runs beside the entry's
link (`contest.links.program_beside`)."""

from __future__ import annotations

import asyncio
import contextlib
import sys
from pathlib import Path

from contest.errors import BadSettings
from lpp.command_line import split

#: Seconds that a program has to end after it was asked to.
GRACE = 5.0


def command_line(
    entry: str, command: str, directory: Path, platform: str = sys.platform
) -> list[str]:
    """The words that start an entry's program.

    Arguments:
        entry: its id, for messages.
        command: as in contest.toml; `{dir}` stands for the communications directory, and a first
            word `loebner` for this very installation.
        directory: the communications directory.
        platform: as `sys.platform`: whose rules hold for blanks and quotes.

    Raises:
        BadSettings: if the command can't be split into words.
    """
    try:
        words = split(command, platform)
    except ValueError as exc:
        raise BadSettings(f"the command of {entry} can't be read ({exc}): {command}") from exc
    if words[:1] == ["loebner"]:
        words[:1] = [sys.executable, "-m", "loebner"]
    return [word.replace("{dir}", str(directory)) for word in words]


async def end_process(process: asyncio.subprocess.Process) -> None:
    """Asks a program to end, waits until it has, and kills one that takes longer than `GRACE`."""
    with contextlib.suppress(ProcessLookupError):
        process.terminate()
    try:
        async with asyncio.timeout(GRACE):
            await process.wait()
    except TimeoutError:
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        await process.wait()
