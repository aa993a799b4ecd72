"""Makes a schedule and proves it."""

import random
from dataclasses import dataclass
from typing import TypeVar

from scheduler.checking import Report, check
from scheduler.errors import BadInput, ProofFailed, Refused
from scheduler.formats import rounds_json
from scheduler.schedule import Pairing, Schedule
from scheduler.squares import rounds as square_rounds

MAX_ORDER = 1000
"""No contest is larger, and a schedule of order n has n times n pairings."""

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Made:
    """A schedule of our own making, with its proof.

    Arguments:
        schedule: the schedule.
        report: what the checker says of it.
        optimal: whether no schedule of as many rounds has fewer missing pairs, or as few of them
            with fewer repeats.
    """

    schedule: Schedule
    report: Report
    optimal: bool

    def as_json(self) -> dict[str, object]:
        """The document of ``schedule make --json``."""
        return {
            "rounds": rounds_json(self.schedule),
            "pairs": self.report.pairs_json(),
            "optimal": self.optimal,
        }


def make(
    judges: int,
    entries: int,
    confederates: int,
    rounds: int | None = None,
    seed: int | None = None,
) -> Made:
    """Makes a schedule in which everybody plays in each round and nobody meets twice.

    Arguments:
        judges: how many judges, 1 to :data:`MAX_ORDER`; they are called J1, J2 and so on.
        entries: how many entries.
        confederates: how many confederates.
        rounds: how many rounds; as many as judges if left out. With fewer, what is missing is
            the least possible: a round has room for one meeting of each person and kind.
        seed: draws names and the order of the rounds, the same for the same seed; without it
            order 4 gives the schedule of 2010.

    Returns:
        The schedule and its proof.

    Raises:
        BadInput: a number is none of a contest.
        Refused: the numbers differ, no square of the order can be made, or there are more rounds
            than a schedule without repeats can have.
        ProofFailed: the checker disagrees: our bug.
    """
    for name, number in (("judges", judges), ("entries", entries), ("confederates", confederates)):
        _in_range(name, number)
    if rounds is not None:
        _in_range("rounds", rounds)
    if seed is not None and seed < 0:
        raise BadInput(f"{seed} is no seed; give a whole number from 0")
    if not judges == entries == confederates:
        raise Refused(
            f"{judges} judges, {entries} entries and {confederates} confederates: schedules for "
            "unequal numbers can't be made yet; take as many of each"
        )
    order = judges
    plays = square_rounds(order)
    count = order if rounds is None else rounds
    if count > order:
        raise Refused(
            f"{count} rounds for {order} judges, entries and confederates: after {order} rounds "
            f"everybody has met, and more would repeat pairs; take {order} rounds or fewer"
        )
    drawn = [list(range(order)) for _ in range(3)]
    if seed is None:
        chosen = [play for play, _ in zip(plays, range(count), strict=False)]
    else:
        draw = random.Random(seed)
        drawn = [_shuffled(draw, numbers) for numbers in drawn]
        chosen = _shuffled(draw, list(plays))[:count]
    pairings = []
    for number, play in enumerate(chosen, 1):
        named = (tuple(drawn[kind][i] + 1 for kind, i in enumerate(triple)) for triple in play)
        pairings += [
            Pairing(number, f"J{j}", f"E{e}", f"C{c}")
            for j, e, c in sorted(named, key=lambda triple: triple[2])
        ]
    return _proved(Schedule.of(pairings), order, count)


def _proved(schedule: Schedule, order: int, rounds: int) -> Made:
    """The schedule with its proof: nothing repeated, nothing clashing, the least missing.

    A round has at most `order` meetings of each kind, so rounds * order different pairs are the
    most that can be had; reaching it with no repeats is an optimum.
    """
    report = check(schedule)
    sound = report.schedulable is True and all(
        not pairs.repeated and pairs.covered == rounds * order and pairs.of == order * order
        for pairs in report.pairs.values()
    )
    if not sound:
        raise ProofFailed(f"the schedule made for order {order} is faulty: {report.reason}")
    return Made(schedule, report, optimal=True)


def _in_range(name: str, number: int) -> None:
    if not 1 <= number <= MAX_ORDER:
        raise BadInput(f"{number} is no number of {name}; give 1 to {MAX_ORDER}")


def _shuffled(draw: random.Random, items: list[T]) -> list[T]:
    # random.shuffle may change between versions of Python; the numbers of random() do not.
    return sorted(items, key=lambda _: draw.random())
