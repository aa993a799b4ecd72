"""A writer of key presses in a process of its own: `python -m benchmarks.writer DIR COUNT GAP_MS`.

It says `ready`, waits for a line on standard input, writes, and prints when it began to make each
directory, in ns of the monotonic clock, which all processes of a machine share.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from types import TracebackType

from benchmarks.keys import name_of_number


class Writer:
    """That process, as its parent sees it; to be used in a `with` statement.

    Arguments:
        path: the directory to write into.
        count: how many keys, numbered from 0.
        gap_ms: milliseconds between keys; 0 writes as fast as it can.
    """

    def __init__(self, path: str, count: int, gap_ms: float = 0.0) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "benchmarks.writer", path, str(count), str(gap_ms)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self._process.stdout is not None
        assert self._process.stdout.readline() == "ready\n"

    def go(self) -> None:
        """Lets it write."""
        assert self._process.stdin is not None
        self._process.stdin.write("\n")
        self._process.stdin.flush()

    def times_made(self) -> list[int]:
        """When it began to make each directory, by number; waits until it has made all."""
        output, _ = self._process.communicate(timeout=120)
        times: list[int] = json.loads(output)
        return times

    def __enter__(self) -> Writer:
        return self

    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._process.kill()
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                stream.close()


def _main(path: str, count: int, gap: float) -> None:
    names = [f"{path}/{name_of_number(number)}" for number in range(count)]
    times = [0] * count
    print("ready", flush=True)
    sys.stdin.readline()
    for number, name in enumerate(names):
        if gap:
            time.sleep(gap)
        times[number] = time.perf_counter_ns()
        os.mkdir(name)
    json.dump(times, sys.stdout)


if __name__ == "__main__":
    _main(sys.argv[1], int(sys.argv[2]), float(sys.argv[3]) / 1000)
