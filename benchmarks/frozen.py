"""A reader that is stopped (SIGSTOP) while 30,000 keys are written, more than the kernel keeps
events for, and is then let go on."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time

from benchmarks.bare import pairs_per_second
from benchmarks.keys import name_of_number, tally
from benchmarks.places import directory, parents
from benchmarks.report import Reach, Row

NAME = "frozen"
REACH = Reach(0.4, at_least=True)
#: Pairs that the bare rate is taken over, at most: they take their time on a disk.
PAIRS = 10_000


def run(*, keys: int = 30_000) -> list[Row]:
    """Measures.

    Arguments:
        keys: how many are written while the reader stands still.
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
                reach=REACH,
                note=str(tally(numbers, keys)),
            )
        )
    return rows


def _read_frozen(path: str, keys: int) -> tuple[list[int], float]:
    """The numbers that came, and the seconds from going on to the last removal."""
    with subprocess.Popen(
        [sys.executable, "-m", "benchmarks.reader", path, str(keys)],
        stdout=subprocess.PIPE,
        text=True,
    ) as reader:
        assert reader.stdout is not None
        try:
            assert reader.stdout.readline() == "ready\n"
            reader.send_signal(signal.SIGSTOP)
            for number in range(keys):
                os.mkdir(f"{path}/{name_of_number(number)}")
            begun = time.perf_counter_ns()
            reader.send_signal(signal.SIGCONT)
            output, _ = reader.communicate(timeout=120)
        finally:
            reader.kill()
    reading = json.loads(output)
    return reading["numbers"], (reading["emptied"] - begun) / 1e9
