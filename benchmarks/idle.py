"""The share of a core that 1 and 64 silent channels use, with all their threads."""

from __future__ import annotations

import asyncio
import time
from contextlib import AsyncExitStack, ExitStack

from benchmarks.places import directory, parents
from benchmarks.report import Row, Target
from lpp.channel import DirectoryChannel
from lpp.keypress import Side
from lpp.numbers import MemoryNumbers

NAME = "idle"
#: Target: number of directories watched to percent of a core.
TARGET = {1: Target(0.5, ratio=False), 64: Target(3, ratio=False)}


def run(*, seconds: float = 6.0, counts: tuple[int, ...] = (1, 64)) -> list[Row]:
    """Runs the benchmark.

    Arguments:
        seconds: how long each stays idle.
        counts: how many directories at once.
    """
    return [
        Row(
            benchmark=NAME,
            what=f"{count} idle {'directory' if count == 1 else 'directories'}",
            measured=asyncio.run(_share(count, seconds)) * 100,
            unit="% of a core",
            target=TARGET.get(count),
        )
        for count in counts
    ]


async def _share(count: int, seconds: float) -> float:
    parent = parents()["in memory"]
    with ExitStack() as places:
        async with AsyncExitStack() as channels:
            for _ in range(count):
                path = places.enter_context(directory(parent))
                channel = DirectoryChannel(path, side=Side.JUDGE, numbers=MemoryNumbers())
                await channels.enter_async_context(channel)
            await asyncio.sleep(0.5)  # don't count work left over from opening
            wall, work = time.perf_counter(), time.process_time()
            await asyncio.sleep(seconds)
            return (time.process_time() - work) / (time.perf_counter() - wall)
