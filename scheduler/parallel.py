"""Divides a matrix into parallel rounds, if that is possible.

A *transversal* of a square matrix is a choice of cells that contains each judge, each entry and
each confederate exactly once: a round in which everybody plays. A matrix of order n can be played
in n rounds if and only if its cells can be divided into n transversals. Both searches are limited.
"""

from collections import Counter
from collections.abc import Collection, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from scheduler.schedule import Matrix, Pairing, Schedule, Trio
from scheduler.texts import counted

MAX_WORK = 10_000_000
"""The most comparisons before a search gives up undecided; they take some seconds."""

MAX_OPTIONS = 100_000
"""The most pairs of a cell and a round in a search; more would fill the memory."""

Item = TypeVar("Item", bound=Hashable)
Option = TypeVar("Option", bound=Hashable)


class Undecided(Exception):
    """The limit was reached before the end of the search."""


@dataclass(frozen=True, slots=True)
class RoundDivision:
    """The result of dividing a matrix into parallel rounds.

    Arguments:
        rounds: the number of rounds.
        schedulable: whether it is possible; None if the search stopped undecided.
        reason: why it is impossible or undecided; empty if it is possible.
        schedule: one such schedule, if possible.
    """

    rounds: int
    schedulable: bool | None
    reason: str = ""
    schedule: Schedule | None = None


def divide_into_rounds(matrix: Matrix) -> RoundDivision:
    """Divides a matrix into as many rounds as its busiest judge or entry has pairings."""
    cells, roster = matrix.triples, matrix.roster
    load = Counter(name for cell in cells for name in cell)
    rounds = max(load[name] for name in (*roster.judges, *roster.entries))
    cannot = f"can't be played in {counted(rounds, 'parallel round')}"
    if over := [name for name in roster.confederates if load[name] > rounds]:
        reason = f"the matrix {cannot}: {over[0]} is in {load[over[0]]} cells"
        return RoundDivision(rounds, False, reason)
    try:
        # If everybody must play in each round, first look for one such round.
        if set(load.values()) == {rounds}:
            options = {cell: tuple(enumerate(cell)) for cell in cells}
            everybody = {item for held in options.values() for item in held}
            if _cover(options, sorted(everybody)) is None:
                reason = f"the matrix has no transversal and {cannot}: no {rounds} of its cells"
                return RoundDivision(rounds, False, f"{reason} contain everybody exactly once")
        numbers = _colouring(cells, rounds)
    except Undecided:
        reason = (
            f"undecided whether the matrix can be played in {rounds} parallel rounds: the "
            f"search stopped at its limit of {MAX_WORK:,} comparisons or "
            f"{MAX_OPTIONS:,} choices"
        )
        return RoundDivision(rounds, None, reason)
    if numbers is None:
        return RoundDivision(rounds, False, f"the matrix {cannot} (all ways were tried)")
    # Number the rounds in the order in which the cells first use them.
    order = {number: k for k, number in enumerate(dict.fromkeys(numbers), 1)}
    pairings = (Pairing(order[n], *cell) for cell, n in zip(cells, numbers, strict=True))
    return RoundDivision(rounds, True, "", Schedule.of(pairings))


def _colouring(cells: Sequence[Trio], rounds: int) -> list[int] | None:
    """A round for each cell, so that nobody is in two places at once; None if that is
    impossible."""
    if len(cells) * rounds > MAX_OPTIONS:
        raise Undecided
    load = Counter(name for cell in cells for name in cell)
    # The talks of the busiest person can be numbered freely, which avoids trying all orders.
    busiest = max(load, key=lambda name: load[name])
    fixed = {cell: i for i, cell in enumerate(c for c in cells if busiest in c)}
    options: dict[tuple[Trio, int], tuple[object, ...]] = {}
    for cell in cells:
        for number in [fixed[cell]] if cell in fixed else range(rounds):
            options[cell, number] = (cell, *((name, number) for name in cell))
    must: list[object] = list(cells)
    must += [(n, r) for n, talks in load.items() if talks == rounds for r in range(rounds)]
    cover = _cover(options, must)
    return None if cover is None else [dict(cover)[cell] for cell in cells]


def _cover(
    options: Mapping[Option, Collection[Item]], items: Collection[Item]
) -> tuple[Option, ...] | None:
    """A set of options that contains each item exactly once, and other items at most once, found by
    Knuth's Algorithm X. The search is exhaustive, so None means that there is no such set.

    Raises:
        Undecided: after `MAX_WORK` comparisons; the time is proportional to them, whatever the
            problem's size.
    """
    work = MAX_WORK
    # Dictionaries serve as ordered sets, so that every run finds the same cover.
    holders: dict[Item, dict[Option, None]] = {item: {} for item in items}
    for option, covered in options.items():
        for item in covered:
            holders.setdefault(item, {})[option] = None
    wanted, must = frozenset(items), dict.fromkeys(items)
    chosen: list[tuple[Option, list[tuple[Item, dict[Option, None]]]]] = []
    # An explicit stack, because a schedule of a few hundred talks would exceed Python's.
    stack: list[Iterator[Option]] = []
    while must:
        work -= len(must)
        rarest = min(must, key=lambda i: len(holders[i]))
        stack.append(iter(list(holders[rarest])))
        while (following := next(stack[-1], None)) is None:
            stack.pop()
            if not stack:
                return None
            for item, held in reversed(chosen.pop()[1]):
                holders[item] = held
                if item in wanted:
                    must[item] = None
                for clashing in held:
                    for other in options[clashing]:
                        if other != item:
                            holders[other][clashing] = None
        removed = []
        for item in options[following]:
            work -= len(holders[item])
            for clashing in holders[item]:
                for other in options[clashing]:
                    if other != item:
                        del holders[other][clashing]
            removed.append((item, holders.pop(item)))
            must.pop(item, None)
        chosen.append((following, removed))
        if work < 0:
            raise Undecided
    return tuple(option for option, _ in chosen)
