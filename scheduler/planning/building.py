"""Plans put together from Graeco-Latin squares.

A square of order n gives n people of each kind n rounds. With more of a kind, they take turns in
groups of n; with fewer, whoever is not there leaves his pairings out. Where people must not meet or
are away, it is tried which names in which places of the square lose the fewest pairings by it. What
comes out is a candidate: where its cost is the bound by counting, it is as good as any plan.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from itertools import islice, product

from scheduler.planning.bounds import Bounds
from scheduler.planning.problem import Problem
from scheduler.schedule import Pairing
from scheduler.squares import IMPOSSIBLE, Triple, rounds

_LARGER = 2
"""How much larger than the largest number of people a square may be: beyond it too much is cut."""

_TRIES = 2_000
"""How many exchanges of names are tried."""

_LARGEST_RENAMED = 40
"""The largest square with which names are tried: each try goes through all of it."""


def built(problem: Problem, bounds: Bounds) -> tuple[Pairing, ...] | None:
    """A plan from squares that is proved to be the best by counting alone.

    Arguments:
        problem: what is asked for.
        bounds: of that problem.

    Returns:
        The pairings, or None where no plan of this kind reaches the bounds, and where not
        everybody is there all the time or may meet everybody.
    """
    if not problem.plain:
        return None
    sizes = sorted(set(map(len, problem.people)))
    for order in (*sizes, *range(sizes[-1] + 1, sizes[-1] + _LARGER + 1)):
        if order not in IMPOSSIBLE:
            found = tuple(_in_turns(problem, order))
            if len(found) == bounds.fewest_pairings and problem.cost(found) == bounds.least:
                return found
    return None


def renamed(problem: Problem, seed: int = 0) -> tuple[Pairing, ...]:
    """A plan from the square that holds everybody, with the names in the best places found.

    Arguments:
        problem: what is asked for.
        seed: of the exchanges that are tried; the same seed gives the same plan.

    Returns:
        The pairings; none where there is no such square of a size to try, or it has fewer rounds.
    """
    order = max(map(len, problem.people))
    while order in IMPOSSIBLE:
        order += 1
    if order > _LARGEST_RENAMED or order < len(problem.rounds):
        return ()
    places = _Places(problem, list(rounds(order)), random.Random(f"{seed}"))
    places.improve()
    return tuple(places.pairings())


def _in_turns(problem: Problem, order: int) -> Iterator[Pairing]:
    """The pairings of the square of an order, group by group, as long as there are rounds."""
    groups = [
        [names[i : i + order] for i in range(0, len(names), order)] for names in problem.people
    ]
    numbers = iter(problem.rounds)
    square = list(islice(rounds(order), len(problem.rounds)))
    for judges, entries, confederates in product(*groups):
        for play, number in zip(square, numbers, strict=False):
            for j, e, c in play:
                if j < len(judges) and e < len(entries) and c < len(confederates):
                    yield Pairing(number, judges[j], entries[e], confederates[c])


class _Places:
    """Which name stands for which number of a square, and which round for which of its rounds.

    Arguments:
        problem: what is asked for.
        square: its rounds, not fewer than are to be planned.
        draw: where exchanges are drawn from.
    """

    def __init__(
        self, problem: Problem, square: list[tuple[Triple, ...]], draw: random.Random
    ) -> None:
        self._problem, self._square, self._draw = problem, square, draw
        order = len(square)
        self._names: list[list[str | None]] = [
            [*names, *[None] * (order - len(names))] for names in problem.people
        ]
        self._rounds: list[int | None] = [
            *problem.rounds,
            *[None] * (order - len(problem.rounds)),
        ]

    def improve(self) -> None:
        """Exchanges names, and rounds, as long as no fewer pairings are left."""
        kept = sum(1 for _ in self.pairings())
        most = sum(map(self._problem.capacity, self._problem.rounds))
        columns: list[list[str | None] | list[int | None]] = [*self._names, self._rounds]
        for _ in range(_TRIES):
            if kept == most:
                return
            column = columns[int(self._draw.random() * 4)]
            one, other = (int(self._draw.random() * len(column)) for _ in range(2))
            column[one], column[other] = column[other], column[one]  # type: ignore[call-overload]
            now = sum(1 for _ in self.pairings())
            if now < kept:
                column[one], column[other] = column[other], column[one]  # type: ignore[call-overload]
            else:
                kept = now

    def pairings(self) -> Iterator[Pairing]:
        """The pairings whose three people are there and may meet, as many as there are desks."""
        problem = self._problem
        judges, entries, confederates = self._names
        sizes: Counter[int] = Counter()
        for number, play in zip(self._rounds, self._square, strict=True):
            if number is None:
                continue
            room = problem.capacity(number)
            for j, e, c in play:
                judge, entry, confederate = judges[j], entries[e], confederates[c]
                if (
                    judge is not None
                    and entry is not None
                    and confederate is not None
                    and sizes[number] < room
                    and not any(
                        number in problem.away.get(name, ())
                        for name in (judge, entry, confederate)
                    )
                    and not problem.apart(judge, entry)
                    and not problem.apart(judge, confederate)
                    and not problem.apart(entry, confederate)
                ):
                    sizes[number] += 1
                    yield Pairing(number, judge, entry, confederate)
