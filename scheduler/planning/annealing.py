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
        # For each kind of pair, the value of each pair's first meeting, and how often it meets.
        self._gain = [[0] * (len(people[i]) * len(people[k])) for i, k in PLACES.values()]
        self._met = [[0] * len(gain) for gain in self._gain]
        # For each kind of people, the kinds of pairs that they are in: both lists, the partners'
        # kind, and the factors of a person's and a partner's number in the position of their pair.
        self._touched: list[list[tuple[list[int], list[int], int, int, int]]] = [[], [], []]
        for gain, met, (i, k) in zip(self._gain, self._met, PLACES.values(), strict=True):
            width = len(people[k])
            self._touched[i].append((gain, met, k, width, 1))
            self._touched[k].append((gain, met, i, 1, width))
        self._talks = [[0] * len(names) for names in people]
        self._count()
        # Energies are only known up to a constant, so compute how far the energy can fall.
        start = problem.cost(self.plan())
        self._to_fall = (
            _PAIR * (start.missing - least.missing) + start.unevenness - least.unevenness
        )

    def _shuffle(self, numbers: list[int]) -> list[int]:
        return sorted(numbers, key=lambda _: self._draw.random())

    def _count(self) -> None:
        """Computes the value of each pair's first meeting, and how often each pair meets."""
        problem = self._problem
        for place, (kind, (i, k)) in enumerate(PLACES.items()):
            first, second = self._number[i], self._number[k]
            value = _PAIR * problem.weight(kind) + _HARD * (kind in problem.hard)
            gain, met = self._gain[place], self._met[place]
            for one, other in problem.open[kind]:
                gain[first[one] * len(second) + second[other]] = value
            for conflict in problem.conflicts:
                for one in conflict & first.keys():
                    for other in conflict & second.keys():
                        gain[first[one] * len(second) + second[other]] = -_APART
            for number, size in self._sizes.items():
                seated = self._seated[number]
                for one_, other_ in zip(seated[i][:size], seated[k][:size], strict=True):
                    met[one_ * len(second) + other_] += 1
        for kind_, numbers in enumerate(self._number):
            for pairing in problem.played:
                if (name := pairing.names[kind_]) in numbers:
                    self._talks[kind_][numbers[name]] += 1
            for number, size in self._sizes.items():
                for who in self._seated[number][kind_][:size]:
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
            change = self._change(number, kind, one, other)
            if change > 0 and random_() >= math.exp(-change / heat):
                continue
            self._swap(number, kind, one, other)
            energy += change
            if energy < lowest:
                lowest = energy
                if left < steps * _LATE or energy <= -self._to_fall:
                    yield self.plan()
        yield self.plan()

    def _change(self, number: int, kind: int, one: int, other: int) -> int:
        """By how much the plan becomes worse if two people of a kind swap places in a round."""
        seated = self._seated[number]
        who, whom = seated[kind][one], seated[kind][other]
        idle = other >= self._sizes[number]
        talks = self._talks[kind]
        change = 2 * (talks[whom] - talks[who] + 1) if idle else 0
        for gain, met, partner, step, stride in self._touched[kind]:
            beside = seated[partner][one] * stride
            old, new = who * step + beside, whom * step + beside
            if gain[old] < 0 or met[old] == 1:
                change += gain[old]
            if gain[new] < 0 or not met[new]:
                change -= gain[new]
            # Written out for both desks: a loop over them would take a third longer.
            if not idle:
                beside = seated[partner][other] * stride
                old, new = whom * step + beside, who * step + beside
                if gain[old] < 0 or met[old] == 1:
                    change += gain[old]
                if gain[new] < 0 or not met[new]:
                    change -= gain[new]
        return change

    def _swap(self, number: int, kind: int, one: int, other: int) -> None:
        """Swaps two people of a kind in a round; the second may be idle."""
        seated = self._seated[number]
        mine = seated[kind]
        who, whom = mine[one], mine[other]
        changes = [(one, who, whom), (other, whom, who)]
        if other >= self._sizes[number]:
            changes.pop()
            self._talks[kind][who] -= 1
            self._talks[kind][whom] += 1
        for _, met, partner, step, stride in self._touched[kind]:
            for desk, leaves, comes in changes:
                beside = seated[partner][desk] * stride
                met[leaves * step + beside] -= 1
                met[comes * step + beside] += 1
        mine[one], mine[other] = whom, who

    def plan(self) -> tuple[Pairing, ...]:
        """The current plan."""
        people = self._problem.people
        return tuple(
            Pairing(number, *(people[kind][self._seated[number][kind][desk]] for kind in range(3)))
            for number, size in self._sizes.items()
            for desk in range(size)
        )
