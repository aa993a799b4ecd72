"""From key to screen while another desk's entry makes 100,000 directories at once, compared with
the same without the flood. That desk's judge does not type, so the entry's keys are not shown."""

from __future__ import annotations

import subprocess
import sys
from contextlib import ExitStack

from benchmarks.places import directory, parents
from benchmarks.report import Row
from benchmarks.server.crowd import Crowd, Outcome, Plan
from benchmarks.server.desks import AUTHORS, RATE
from benchmarks.server.load import load
from benchmarks.server.process import Server, folder, furnish
from benchmarks.server.quantile import quantile

NAME = "flood"
#: Makes directories as fast as it can. Arguments: the place, and how many.
_PROGRAM = """
import os, sys
for number in range(1, int(sys.argv[2]) + 1):
    os.mkdir(f"{sys.argv[1]}/{number:010d}.a.other")
"""


def run(
    *, desks: int = 2, keys: int = 100_000, seconds: float = 15.0, warm: float = 2.0
) -> list[Row]:
    """Runs the benchmark.

    Arguments:
        desks: how many, not counting that of the flooding entry.
        keys: how many directories that entry makes.
        seconds: how long the others type, from the beginning of the flood.
        warm: seconds of typing before that.
    """
    before = load()
    calm, flooded = _turn(desks, 0, seconds, warm), _turn(desks, keys, seconds, warm)
    alone, beside = (
        [delay for delays in each.delays.values() for delay in delays] for each in (calm, flooded)
    )
    return [
        Row(
            NAME,
            f"key to screen during a flood of {keys:,}, {which}",
            quantile(beside, cut),
            "ms",
            quantile(alone, cut),
            None,
            f"{flooded}; load average {before} before" if which == "p99" else "",
        )
        for which, cut in (("p50", 50), ("p99", 99))
    ]


def _turn(desks: int, keys: int, seconds: float, warm: float) -> Outcome:
    with ExitStack() as after:
        place = after.enter_context(folder())
        memory = parents()["in memory"]
        names = [f"E{n}" for n in range(1, desks + 2)]
        rooms = {name: after.enter_context(directory(memory)) for name in names}
        contest = furnish(place, desks + 1, rooms)
        server = after.enter_context(Server(contest))
        address = server.listens()
        own = {name: rooms[name] for name in names[:desks]}
        plan = Plan(address, server.codes(), desks, own, RATE / AUTHORS, seconds, warm)
        crowd = after.enter_context(Crowd(plan))
        crowd.seated()
        server.order("start", anyway=True)
        words = [sys.executable, "-c", _PROGRAM, str(rooms[names[-1]]), str(keys)]
        flood = after.enter_context(subprocess.Popen(words))
        try:
            outcome = crowd.run()
        finally:
            flood.kill()
        server.end()
        return outcome
