"""From key to screen for 10 to 500 talks at 5 keys a second each, and the server's work.

The server is real: its process, its log on the disk, its sockets. A separate process stands in for
people and programs, with one connection for each seat and for each entry's link, and answers at
once. There are no directories, because they would be work for the load and not for the server: an
entry's directory is on the link's machine.
"""

from __future__ import annotations

from dataclasses import dataclass

from benchmarks.report import Row, Target
from benchmarks.server.crowd import Crowd, Outcome, Plan
from benchmarks.server.load import Others, load
from benchmarks.server.process import Server, folder, furnish, keys_on_record
from benchmarks.server.quantile import quantile

NAME = "talks"
#: Target: milliseconds from key to screen at p99, for this many talks.
SCREEN, TARGET_FROM = Target(100, ratio=False), 500
#: Keys per second in a talk, from both authors together.
RATE = 5.0


@dataclass(frozen=True, slots=True)
class Found:
    """The results for a number of talks.

    Attributes:
        talks: the number of talks.
        outcome: the load's measurements.
        recorded: keys on record.
        work: the share of a core that the server used, in all threads.
        memory: the server's peak memory, in MB.
        load: the machine's load average before.
        others: the cores that other programs used meanwhile.
    """

    talks: int
    outcome: Outcome
    recorded: int
    work: float
    memory: float
    load: str
    others: float


def run(
    *,
    sizes: tuple[int, ...] = (10, 20, 50, 100, 250, 500),
    seconds: float = 20.0,
    warm: float = 5.0,
) -> list[Row]:
    """Runs the benchmark.

    Arguments:
        sizes: numbers of talks, which must be even, because a judge has two.
        seconds: how long all type.
        warm: seconds of typing before, not counted.
    """
    return [row for size in sizes for row in _rows(measure(size, seconds, warm))]


def measure(talks: int, seconds: float, warm: float) -> Found:
    """Measures this many talks at once; see `run`."""
    before = load()
    desks = talks // 2
    with folder() as place:
        contest = furnish(place, desks)
        with Server(contest) as server:
            plan = Plan(server.listens(), server.codes(), desks, {}, RATE / 2, seconds, warm)
            with Crowd(plan) as crowd:
                crowd.seated()
                server.order("start")
                began, others = server.work(), Others((server.process.pid, crowd.pid))
                outcome = crowd.run()
                work = (server.work() - began) / (seconds + warm)
                share = others.share()
            memory = server.memory()
            server.end()
        recorded = keys_on_record(contest)
    return Found(talks, outcome, recorded, work, memory, before, share)


def _rows(found: Found) -> list[Row]:
    outcome, desks = found.outcome, found.talks // 2
    delays = [delay for each in outcome.from_due.values() for delay in each]
    notes = [f"{outcome} of {outcome.pressed:,}"]
    # The load does not count the first key of each desk, which shows who sits where.
    if found.recorded != outcome.pressed + desks:
        notes.append(f"LOST: {outcome.pressed + desks - found.recorded} not in the record")
    notes.append(f"load average {found.load} before, others took {found.others:.2f} cores")
    name = f"{found.talks} talks at {RATE:g} keys/s each"
    rows = [
        Row(
            NAME,
            f"{name}, key to screen, {which}",
            quantile(delays, cut),
            "ms",
            target=SCREEN if which == "p99" and found.talks >= TARGET_FROM else None,
            note="; ".join(notes) if which == "p99" else "",
            line=which,
            size=found.talks,
        )
        for which, cut in (("p50", 50), ("p99", 99))
    ]
    rows.append(
        Row(NAME, f"{name}, late key presses of the load, p99", quantile(outcome.late, 99), "ms")
    )
    rows.append(
        Row(
            NAME,
            f"{name}, the server's work",
            found.work * 100,
            "% of a core",
            note=f"{found.memory:.0f} MB; the load took {outcome.share:.0%} of a core",
            line="work",
            size=found.talks,
        )
    )
    return rows
