"""A fast search that often finds a plan at the bounds, without the solver.

Each round has a fixed number of pairings; the numbers are as equal as possible. In each step, two
people of a kind change places in a round; one of them may be idle. Steps that improve the plan are
kept; worse ones are kept with a probability that decreases over time (simulated annealing:
Kirkpatrick, Gelatt and Vecchi, 1983). The search doesn't prove that there is no better plan: if its
plan is not at the bounds, the solver continues from it.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterator

from scheduler.planning.bounds import Bounds, spread
from scheduler.planning.problem import Cost, Problem
from scheduler.schedule import PLACES, Pairing

STEPS = 5_000
"""Steps of one descent per pairing, limited to :data:`MANY` in total, but no fewer than
:data:`AT_LEAST` per pairing."""

MANY, AT_LEAST = 150_000, 500

DESCENTS = 3
"""How often the search starts before it returns its best plan."""

_PAIR, _HARD, _APART = 8, 32, 64
"""The weight of a missing pair, what is added if no pair of its kind may be missing, and the weight
of a pair that must not meet but does. One step of unevenness weighs 1."""

_LATE = 0.3
"""The last part of the steps, in which each better plan is considered."""

_WARM, _COLD = 4.0, 0.3
"""The first and the last temperature, in the unit of the weights."""


def search_by_annealing(
    problem: Problem, bounds: Bounds, seed: int = 0, descents: int = DESCENTS
) -> tuple[Pairing, ...]:
    """Searches for a plan.

    If no plan with the fewest pairings reaches the bound on missing pairs, plans with more pairings
    are tried: some pairs then meet twice, but it is much easier for all to meet.

    Arguments:
        seed: for the random choices; the same seed gives the same plan.
        descents: how often the search starts with the fewest pairings.

    Returns:
        The best plan found that breaks no hard rule; empty if there is none.
    """
    low, number = bounds.fewest_pairings, bounds.pairings
    found = _with_pairings(problem, bounds, low, f"{seed}", descents)
    plans = [found]
    while number > low and not bounds.no_square_reason and not _all_meet(problem, bounds, plans[0]):
        found = _with_pairings(problem, bounds, number, f"{seed} {number}", 1)
        plans.append(found)
        if _all_meet(problem, bounds, found):
            high = number
        elif number == bounds.pairings:
            break
        else:
            low = number
        number = (low + high) // 2
    return min((plan for plan in plans if plan), key=problem.cost, default=())


def _all_meet(problem: Problem, bounds: Bounds, plan: tuple[Pairing, ...]) -> bool:
    return bool(plan) and problem.cost(plan).missing == bounds.least.missing


def _with_pairings(
    problem: Problem, bounds: Bounds, pairings: int, seed: str, descents: int
) -> tuple[Pairing, ...]:
    """The best plan found with this many pairings; empty if all found break a hard rule."""
    places = [(0, problem.capacity(number)) for number in problem.rounds]
    sizes = dict(zip(problem.rounds, spread(places, pairings), strict=True))
    least = bounds.least_with(pairings)
    best: tuple[Pairing, ...] = ()
    lowest: Cost | None = None
    steps = max(min(STEPS * pairings, MANY), AT_LEAST * pairings)
    for descent in range(descents):
        search = _Search(problem, sizes, random.Random(f"{seed} {descent}"), least)
        for plan in search.descend(steps):
            cost = problem.cost(plan)
            if (lowest is None or cost < lowest) and not problem.breach(plan):
                best, lowest = plan, cost
                if cost == least:
                    return best
    return best


class _Search:
    """One descent.

    Arguments:
        problem: the problem.
        sizes: the number of desks used in each round.
        draw: the source of random choices.
        least: the bounds.
    """

    def __init__(
        self, problem: Problem, sizes: dict[int, int], draw: random.Random, least: Cost
    ) -> None:
        self._problem, self._draw = problem, draw
        self._sizes = {number: size for number, size in sizes.items() if size}
        people = problem.people
        self._number = [{name: i for i, name in enumerate(names)} for names in people]
        # For each round and kind: first the people at desks, in the desks' order, then the idle.
        self._seated: dict[int, list[list[int]]] = {}
        for number in self._sizes:
            self._seated[number] = [
                self._shuffle([self._number[kind][name] for name in names])
                for kind, names in enumerate(problem.present_in(number))
            ]
        self._gain = [[[0] * len(second) for _ in first] for first, second in self._two()]
        self._met = [[[0] * len(second) for _ in first] for first, second in self._two()]
        self._talks = [[0] * len(names) for names in people]
        self._count()
        # Energies are only known up to a constant, so compute how far the energy can fall.
        start = problem.cost(self.plan())
        self._to_fall = (
            _PAIR * (start.missing - least.missing) + start.unevenness - least.unevenness
        )

    def _two(self) -> Iterator[tuple[tuple[str, ...], tuple[str, ...]]]:
        for i, k in PLACES.values():
            yield self._problem.people[i], self._problem.people[k]

    def _shuffle(self, numbers: list[int]) -> list[int]:
        return sorted(numbers, key=lambda _: self._draw.random())

    def _count(self) -> None:
        """Computes the value of each pair's first meeting, and how often each pair meets."""
        problem = self._problem
        for place, (kind, (i, k)) in enumerate(PLACES.items()):
            first, second = self._number[i], self._number[k]
            gain = _PAIR * problem.weight(kind) + _HARD * (kind in problem.hard)
            for one, other in problem.open[kind]:
                self._gain[place][first[one]][second[other]] = gain
            for conflict in problem.conflicts:
                for one in conflict & first.keys():
                    for other in conflict & second.keys():
                        self._gain[place][first[one]][second[other]] = -_APART
        for pairing in problem.played:
            for kind_, name in enumerate(pairing.names):
                if name in self._number[kind_]:
                    self._talks[kind_][self._number[kind_][name]] += 1
        for number, size in self._sizes.items():
            for desk in range(size):
                trio = [seated[desk] for seated in self._seated[number]]
                for place, (i, k) in enumerate(PLACES.values()):
                    self._met[place][trio[i]][trio[k]] += 1
                for kind_, who in enumerate(trio):
                    self._talks[kind_][who] += 1

    def descend(self, steps: int) -> Iterator[tuple[Pairing, ...]]:
        """Takes this many steps. Yields the first and the last plan, and in between plans that are
        better than all before, if they may be at the bounds or the search is near its end."""
        rounds = list(self._sizes)
        energy = lowest = 0
        random_ = self._draw.random
        cooling = (_COLD / _WARM) ** (1 / steps)
        heat = _WARM
        yield self.plan()
        for left in range(steps, 0, -1):
            heat *= cooling
            number = rounds[int(random_() * len(rounds))]
            kind = int(random_() * 3)
            seated = self._seated[number][kind]
            one = int(random_() * self._sizes[number])
            other = int(random_() * len(seated))
            if one == other:
                continue
            change = self._swap(number, kind, one, other)
            if change > 0 and random_() >= math.exp(-change / heat):
                self._swap(number, kind, one, other)
                continue
            energy += change
            if energy < lowest:
                lowest = energy
                if left < steps * _LATE or energy <= -self._to_fall:
                    yield self.plan()
        yield self.plan()

    def _swap(self, number: int, kind: int, one: int, other: int) -> int:
        """Swaps two people of a kind in a round; returns by how much the plan becomes worse."""
        seated = self._seated[number]
        mine = seated[kind]
        change = self._sit(number, kind, one, -1)
        idle = other >= self._sizes[number]
        if not idle:
            change += self._sit(number, kind, other, -1)
        mine[one], mine[other] = mine[other], mine[one]
        change += self._sit(number, kind, one, 1)
        if idle:
            talks = self._talks[kind]
            talks[mine[other]] -= 1
            change += 2 * (talks[mine[one]] - talks[mine[other]])
            talks[mine[one]] += 1
        else:
            change += self._sit(number, kind, other, 1)
        return change

    def _sit(self, number: int, kind: int, desk: int, come: int) -> int:
        """Updates the meetings when somebody comes to a desk (1) or leaves it (-1); returns by how
        much the plan becomes worse."""
        change = 0
        seated = self._seated[number]
        for place, i, k in _TOUCHED[kind]:
            row, column = seated[i][desk], seated[k][desk]
            met = self._met[place][row]
            gain = self._gain[place][row][column]
            met[column] += come
            if gain < 0 or met[column] == (come > 0):
                change -= come * gain
        return change

    def plan(self) -> tuple[Pairing, ...]:
        """The current plan."""
        people = self._problem.people
        return tuple(
            Pairing(number, *(people[kind][self._seated[number][kind][desk]] for kind in range(3)))
            for number, size in self._sizes.items()
            for desk in range(size)
        )


_TOUCHED = [
    [(place, i, k) for place, (i, k) in enumerate(PLACES.values()) if kind in (i, k)]
    for kind in range(3)
]
"""For each kind of people, the kinds of pairs that they are in."""
