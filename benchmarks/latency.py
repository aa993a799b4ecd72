"""From mkdir in a writer to the reader's callback, keys 10 ms apart, compared with a bare reader of
inotify events. They alternate, so that other work on the machine affects all alike."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from statistics import median, quantiles

from benchmarks.bare import times_seen
from benchmarks.keys import tally
from benchmarks.places import directory, parents
from benchmarks.reader import read
from benchmarks.report import Row, Target
from benchmarks.writer import Writer
from lpp.hints import Hint, InotifyHint, ObserverHint

NAME = "latency"
GAP_MS = 10.0
#: The targets, set for directories in memory.
TARGET = {
    "observer": {"p50": Target(3), "p99": Target(5)},
    "descriptor": {"p50": Target(2), "p99": Target(4)},
}


def hints() -> dict[str, Callable[[], Hint]]:
    """watchdog's observer, and the inotify descriptor if available."""
    found: dict[str, Callable[[], Hint]] = {"observer": ObserverHint}
    if InotifyHint.available():
        found["descriptor"] = InotifyHint
    return found


def run(*, turns: int = 4, keys: int = 300) -> list[Row]:
    """Runs the benchmark.

    Arguments:
        turns: how many times each reader is measured; the medians over the turns count.
        keys: how many per turn.
    """
    rows = []
    for place, parent in parents().items():
        bare: list[list[float]] = []
        ours: dict[str, list[list[float]]] = {kind: [] for kind in hints()}
        faults = dict.fromkeys(ours, "")
        for _ in range(turns):
            with directory(parent) as path, Writer(path, keys, GAP_MS) as writer:
                seen = times_seen(path, keys, writer.go)
                bare.append(_delays(writer.times_made(), dict(enumerate(seen))))
            for kind, make in hints().items():
                with directory(parent) as path, Writer(path, keys, GAP_MS) as writer:
                    reading = asyncio.run(read(path, keys, writer.go, make()))
                    arrived = dict(zip(reading.numbers, reading.times, strict=False))
                    ours[kind].append(_delays(writer.times_made(), arrived))
                    if tally(reading.numbers, keys).faults:
                        faults[kind] = str(tally(reading.numbers, keys))
        for kind, turns_of in ours.items():
            for which, cut in (("p50", 49), ("p99", 98)):
                rows.append(
                    Row(
                        benchmark=NAME,
                        what=f"{which}, {place}, {kind}, keys {GAP_MS:g} ms apart",
                        measured=median(quantiles(delays, n=100)[cut] for delays in turns_of),
                        unit="ms",
                        baseline=median(quantiles(delays, n=100)[cut] for delays in bare),
                        target=TARGET[kind][which] if place == "in memory" else None,
                        note=faults[kind],
                    )
                )
    return rows


def _delays(made: list[int], arrived: dict[int, int]) -> list[float]:
    """Milliseconds from each key's mkdir to its arrival."""
    return [(arrived[number] - made[number]) / 1e6 for number in arrived]
