"""Schedules with proof for 4 to 200 judges, and their tally.

The target is for all squares of orders 3 to 30 except 6 together: under 60 seconds.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

from benchmarks.report import Row, Target
from scheduler import Ballot, Choice, Plan, Schedule, Verdict, make, tally
from scheduler.planning.wishes import Wishes

NAME = "schedules"

T = TypeVar("T")

#: A judge who must not meet an entry, and one who is away in a round.
WISHES = Wishes(conflicts=(("J1", "E2"),), away=(("J2", 3),))


def run(
    *,
    orders: tuple[int, ...] = (4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30, 50, 100, 200),
    judges: tuple[int, ...] = (4, 8, 12, 16, 20, 30, 50, 100, 200),
    largest: int = 30,
) -> list[Row]:
    """Runs the benchmark.

    Arguments:
        orders: how many judges there are, and as many entries and confederates; order 6 gets eight
            rounds.
        judges: numbers of judges for 4 entries and 4 confederates, and for 5 and 3.
        largest: the largest order of the squares for the target.
    """
    rows = [_whole(largest)]
    for order in orders:
        seconds, made = _seconds(lambda n=order: make(n, n, n, 8 if n == 6 else n))  # type: ignore[misc]
        rows.append(_row(made, f"{order} of each", seconds, "equal numbers of each", order))
        seconds, _ = _seconds(lambda s=made.schedule: tally(*_papers(s), s))  # type: ignore[misc]
        rows.append(
            Row(NAME, f"{order} of each, tally", seconds, "s", line="the tally", size=order)
        )
    for number in judges:
        seconds, made = _seconds(lambda n=number: make(n, 4, 4, n))  # type: ignore[misc]
        rows.append(_row(made, f"{number}, 4 and 4", seconds, "4 entries, 4 confederates", number))
        seconds, made = _seconds(lambda n=number: make(n, 5, 3, n + 1, wishes=WISHES))  # type: ignore[misc]
        what = f"{number}, 5 and 3, a conflict, an absence"
        rows.append(_row(made, what, seconds, "5 and 3, with wishes", number))
    return rows


def _whole(largest: int) -> Row:
    orders = [order for order in range(3, largest + 1) if order != 6]
    seconds, all_made = _seconds(lambda: [make(order, order, order) for order in orders])
    valid = sum(made.report.valid for made in all_made)
    return Row(
        NAME,
        f"all orders from 3 to {largest} except 6",
        seconds,
        "s",
        target=Target(60, ratio=False),
        note=f"{valid} of {len(orders)} valid",
    )


def _row(made: Plan, what: str, seconds: float, line: str, size: int) -> Row:
    missing = sum(len(pairs.missing) for pairs in made.report.pairs.values())
    note = f"{missing} pairs missing, {'optimal' if made.optimal else 'not proved optimal'}"
    return Row(
        NAME,
        what,
        seconds,
        "s",
        note=f"{note}; made {'by a square' if made.is_square else made.by}",
        line=line,
        size=size,
    )


def _papers(schedule: Schedule) -> tuple[list[Verdict], list[Ballot]]:
    """Verdicts on all pairings, and a complete ballot from each judge."""
    verdicts = [
        Verdict(pairing, Choice.ENTRY if i % 7 == 0 else Choice.CONFEDERATE)
        for i, pairing in enumerate(schedule.pairings)
    ]
    names = schedule.roster.participants
    ballots = [
        Ballot.of(judge, {name: 1 + (i + k) % len(names) for i, name in enumerate(names)})
        for k, judge in enumerate(schedule.roster.judges)
    ]
    return verdicts, ballots


def _seconds(do: Callable[[], T]) -> tuple[float, T]:
    before = time.perf_counter()
    result = do()
    return time.perf_counter() - before, result
