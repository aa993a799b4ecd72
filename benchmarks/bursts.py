"""Bursts of 1 to 100,000 keys, until the last one is read and removed, compared with a bare loop
that makes and removes as many."""

from __future__ import annotations

import asyncio
from statistics import median

from benchmarks.bare import pairs_per_second
from benchmarks.keys import tally
from benchmarks.places import directory, parents
from benchmarks.reader import read
from benchmarks.report import Row, Target
from benchmarks.writer import Writer

NAME = "bursts"
#: Target: at least 40 % of the bare rate, for bursts of 10,000 and 100,000.
TARGET = Target(0.4, at_least=True)
TARGET_FROM = 10_000
#: The largest burst on a disk, where it takes a hundred times as long.
LARGEST_ON_DISK = 10_000
#: The minimum number of pairs for computing a rate.
PAIRS = 2_000


def run(*, sizes: tuple[int, ...] = (1, 100, 10_000, 100_000), turns: int = 3) -> list[Row]:
    """Runs the benchmark.

    Arguments:
        sizes: keys in a burst.
        turns: how many times each is measured, alternating with the bare loop; the medians count.
            On a disk only once.
    """
    rows = []
    for place, parent in parents().items():
        on_disk = place != "in memory"
        for size in sizes:
            if on_disk and size > LARGEST_ON_DISK:
                continue
            rates, firsts, lasts, bare = [], [], [], []
            note = ""
            for _ in range(1 if on_disk else turns):
                with directory(parent) as path:
                    bare.append(pairs_per_second(path, max(size, PAIRS)))
                with directory(parent) as path, Writer(path, size) as writer:
                    reading = asyncio.run(read(path, size, writer.go))
                    begun = writer.times_made()[0]
                result = tally(reading.numbers, size)
                if result.faults or not note:
                    note = str(result)
                if reading.times:
                    rates.append(len(reading.times) * 1e9 / (reading.emptied - begun))
                    firsts.append((reading.times[0] - begun) / 1e6)
                    lasts.append((reading.times[-1] - begun) / 1e6)
            rows.append(
                Row(
                    benchmark=NAME,
                    what=f"burst of {size:,} {place}, read and removed",
                    measured=median(rates),
                    unit="keys/s",
                    baseline=median(bare),
                    target=TARGET if size >= TARGET_FROM else None,
                    note=f"{note}; first after {median(firsts):.2f} ms, "
                    f"last after {median(lasts):.2f} ms",
                )
            )
    return rows
