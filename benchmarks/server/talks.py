"""From key to screen for 10 to 500 talks at 5 keys a second each, and the server's work.

All that is the server's is real: its process, its log on the disk, its sockets. What replaces
people and programs is a separate process: one connection a seat, and one a link for each entry,
that answer at once. A directory that stands for each entry would be the load's work, not the
server's, because it is beside the link.
"""

from __future__ import annotations

from dataclasses import dataclass

from benchmarks.report import Reach, Row
from benchmarks.server.crowd import Crowd, Outcome, Plan
from benchmarks.server.house import Server, folder, furnish, keys_on_record
from benchmarks.server.load import Others, load
from benchmarks.server.quantile import quantile

NAME = "talks"
#: design.md: milliseconds from key to screen at p99, for so many talks.
SCREEN, REACH_FROM = Reach(100, ratio=False), 500
#: Keys a second in a talk, both authors together.
RATE = 5.0


@dataclass(frozen=True, slots=True)
class Found:
    """What came of so many talks.

    Attributes:
        talks: how many.
        outcome: what the load says.
        recorded: keys on record.
        work: share of a core that the server took, all its threads.
        memory: the most that it had, in MB.
        load: the machine's load average before.
        others: cores that others took meanwhile.
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
    """Measures.

    Arguments:
        sizes: how many talks, each even: a judge has two.
        seconds: how long all type.
        warm: seconds of typing before, which do not count.
    """
    return [row for size in sizes for row in _rows(measure(size, seconds, warm))]


def measure(talks: int, seconds: float, warm: float) -> Found:
    """Has so many talks typed at once; see `run`."""
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
    told = [f"{outcome} of {outcome.pressed:,}"]
    # The first key of each desk, which tells who sits where, is none of the load's.
    if found.recorded != outcome.pressed + desks:
        told.append(f"LOST: {outcome.pressed + desks - found.recorded} are not in the record")
    told.append(f"load average {found.load} before, others took {found.others:.2f} cores")
    name = f"{found.talks} talks at {RATE:g} keys/s each"
    rows = [
        Row(
            NAME,
            f"{name}, key to screen, {which}",
            quantile(delays, cut),
            "ms",
            reach=SCREEN if which == "p99" and found.talks >= REACH_FROM else None,
            note="; ".join(told) if which == "p99" else "",
            line=which,
            size=found.talks,
        )
        for which, cut in (("p50", 50), ("p99", 99))
    ]
    rows.append(
        Row(NAME, f"{name}, of it late at the keyboard, p99", quantile(outcome.late, 99), "ms")
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
