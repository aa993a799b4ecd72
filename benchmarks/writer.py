"""A writer of key presses in a separate process: `python -m benchmarks.writer DIR COUNT GAP_MS`.

It sends "ready", waits for a line on standard input, writes, and sends when it began to make each
directory, in ns of the monotonic clock, which all processes of a machine share.
"""

from __future__ import annotations

import os
import sys
import time

from benchmarks.helper import Helper, say
from benchmarks.keys import name_of_number


class Writer(Helper):
    """A handle on that process for its parent; use it in a `with` statement.

    Arguments:
        path: the directory to write into.
        count: how many keys, numbered from 0.
        gap_ms: milliseconds between keys; 0 writes as fast as it can.
    """

    def __init__(self, path: str, count: int, gap_ms: float = 0.0) -> None:
        super().__init__("benchmarks.writer", path, str(count), str(gap_ms))
        assert self.hear() == "ready"

    def go(self) -> None:
        """Starts the writing."""
        self.tell("go")

    def times_made(self) -> list[int]:
        """When it began to make each directory, by number; waits until all are made."""
        times: list[int] = self.hear()
        return times


def _main(path: str, count: int, gap: float) -> None:
    names = [f"{path}/{name_of_number(number)}" for number in range(count)]
    times = [0] * count
    say("ready")
    sys.stdin.readline()
    for number, name in enumerate(names):
        if gap:
            time.sleep(gap)
        times[number] = time.perf_counter_ns()
        os.mkdir(name)
    say(times)


if __name__ == "__main__":
    _main(sys.argv[1], int(sys.argv[2]), float(sys.argv[3]) / 1000)
