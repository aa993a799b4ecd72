"""How fast a reader catches up with 30,000 keys that were written while it was stopped, which is
more than the kernel's queue of events holds; compared with a bare loop of mkdir and rmdir."""

from __future__ import annotations

import os
import signal
import time

from benchmarks.bare import pairs_per_second
from benchmarks.helper import Helper
from benchmarks.keys import name_of_number, tally
from benchmarks.places import directory, parents
from benchmarks.report import Row, Target

NAME = "frozen"
TARGET = Target(0.4, at_least=True)
#: The maximum number of pairs from which the bare rate is computed, because they are slow on a
#: disk.
PAIRS = 10_000


def run(*, keys: int = 30_000) -> list[Row]:
    """Runs the benchmark.

    Arguments:
        keys: how many are written while the reader is stopped.
    """
    rows = []
    for place, parent in parents().items():
        with directory(parent) as path:
            bare = pairs_per_second(path, min(keys, PAIRS))
        with directory(parent) as path:
            numbers, seconds = _read_frozen(path, keys)
        rows.append(
            Row(
                benchmark=NAME,
                what=f"{keys:,} keys {place} behind a frozen reader, read and removed",
                measured=len(numbers) / seconds,
                unit="keys/s",
                baseline=bare,
                target=TARGET,
                note=str(tally(numbers, keys)),
            )
        )
    return rows


def _read_frozen(path: str, keys: int) -> tuple[list[int], float]:
    """The numbers that arrived, and the seconds from continuing the reader to the last removal."""
    with Helper("benchmarks.reader", path, str(keys)) as reader:
        assert reader.hear() == "ready"
        os.kill(reader.pid, signal.SIGSTOP)
        for number in range(keys):
            os.mkdir(f"{path}/{name_of_number(number)}")
        begun = time.perf_counter_ns()
        os.kill(reader.pid, signal.SIGCONT)
        reading = reader.hear()
    return reading["numbers"], (reading["emptied"] - begun) / 1e9
