"""A reader over the directory channel: in this process, or in a separate one that can be stopped
and continued: `python -m benchmarks.reader DIR COUNT`.

The process sends "ready", reads and removes the keys, and sends what arrived and when.
"""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass

from benchmarks.helper import say
from lpp.channel import DirectoryChannel
from lpp.hints import Hint
from lpp.keypress import Side
from lpp.numbers import MemoryNumbers

#: The time limit in seconds for reading; after that, keys must have been lost.
PATIENCE = 100.0


@dataclass(frozen=True, slots=True)
class Reading:
    """The keys that a reader received.

    Attributes:
        numbers: the keys' numbers, in order of arrival.
        times: when each was delivered, in ns of the monotonic clock.
        emptied: when the last one's directory was removed, by the same clock.
    """

    numbers: list[int]
    times: list[int]
    emptied: int


async def read(path: str, count: int, go: Callable[[], None], hint: Hint | None = None) -> Reading:
    """Reads `count` keys from a directory through the channel.

    Arguments:
        path: the directory.
        count: how many keys to wait for, at most `PATIENCE` seconds.
        go: called when the channel is open.
        hint: wakes the channel; the channel's default if left out.
    """
    numbers: list[int] = []
    times: list[int] = []
    channel = DirectoryChannel(path, side=Side.JUDGE, hint=hint, numbers=MemoryNumbers())
    async with channel:
        go()
        try:
            async with asyncio.timeout(PATIENCE):
                async for received in channel:
                    times.append(time.perf_counter_ns())
                    numbers.append(received.press.number)
                    if len(numbers) == count:
                        break
                await channel.settled()
        except TimeoutError:
            pass  # lost keys show in the tally
        emptied = time.perf_counter_ns()
        numbers.extend(received.press.number for received in channel.receive_now())
    return Reading(numbers, times, emptied)


def _main(path: str, count: int) -> None:
    reading = asyncio.run(read(path, count, lambda: say("ready")))
    say(asdict(reading))


if __name__ == "__main__":
    _main(sys.argv[1], int(sys.argv[2]))
