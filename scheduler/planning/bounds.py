"""Lower bounds on the cost of plans, by counting, without any search.

A plan whose cost equals the bound is optimal, no matter how it was found. Plans often reach the
bounds; if not, the solver decides.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from scheduler.planning.problem import Cost, Problem
from scheduler.schedule import PLACES, ROLES
from scheduler.squares import IMPOSSIBLE, why_impossible
from scheduler.texts import Phrase, counted


@dataclass(frozen=True)
class Room:
    """How many pairs of a kind can meet for the first time in the rounds to be planned.

    Arguments:
        open: the number of pairs that have not met and could.
        held: the largest number of these that can meet.
        reason: why not all of them can meet, as the end of a sentence; empty if counting gives no
            reason.
    """

    open: int
    held: int
    reason: str


class Bounds:
    """The bounds for a problem.

    Arguments:
        problem: the problem.
    """

    def __init__(self, problem: Problem) -> None:
        self._problem = problem
        self._capacity = {number: problem.capacity(number) for number in problem.rounds}

    @property
    def pairings(self) -> int:
        """The most pairings that there is room for."""
        return sum(self._capacity.values())

    @cached_property
    def rooms(self) -> dict[str, Room]:
        """For each kind of pair, how many can meet."""
        return {kind: self._room(kind) for kind in PLACES}

    @cached_property
    def least(self) -> Cost:
        """A lower bound on the cost of any plan. The bounds on repeats and unevenness apply only to
        plans whose earlier numbers are at their bounds."""
        problem = self._problem
        if self.no_square_reason:
            # See scheduler.squares.near_rounds: two pairs of one kind are missing, two repeated.
            weights = [problem.weight(kind) for kind in PLACES if kind not in problem.hard]
            lost = 2 * min(weights, default=0)
            whole = self.least_with(self.pairings)
            return whole._replace(missing=whole.missing + lost, repeats=lost)
        return self.least_with(self.fewest_pairings)

    def least_with(self, pairings: int) -> Cost:
        """A lower bound on the cost of plans with this many pairings; each of its numbers applies
        to plans whose earlier numbers are at their bounds.

        Arguments:
            pairings: the number of pairings in all rounds together.
        """
        missing = repeats = 0
        for kind, room in self.rooms.items():
            # Each pairing is a meeting of every kind; meetings that aren't first ones are repeats.
            first = min(room.held, pairings)
            missing += self._problem.weight(kind) * (room.open - first)
            repeats += self._problem.weight(kind) * (pairings - first)
        return Cost(missing, repeats, self._even(pairings))

    def pairings_for(self, missing: int) -> int:
        """The fewest pairings of a plan that lacks no more than `missing`.

        Arguments:
            missing: missing pairs, by weight; at least the bound in `least`.
        """
        pairings = self.fewest_pairings
        while pairings and self.least_with(pairings - 1).missing <= missing:
            pairings -= 1
        return pairings

    @cached_property
    def no_square_reason(self) -> str:
        """Why not all pairs can meet although there is room for them, if the reason is that a
        square does not exist; else empty."""
        problem = self._problem
        order = len(problem.rounds)
        if order in IMPOSSIBLE and problem.plain and {order} == set(map(len, problem.people)):
            return why_impossible(order)
        return ""

    @property
    def fewest_pairings(self) -> int:
        """The fewest pairings of a plan with the fewest missing pairs."""
        return max(
            room.held
            for kind, room in self.rooms.items()
            if self._problem.weight(kind) or kind in self._problem.hard
        )

    def _room(self, kind: str) -> Room:
        problem = self._problem
        pairs = problem.open[kind]
        found = Room(len(pairs), len(pairs), "")
        if self.pairings < found.held:
            found = Room(len(pairs), self.pairings, self._few_pairings())
        for place in (0, 1):
            partners = Counter(pair[place] for pair in pairs)
            present = {name: self._rounds_of(name) for name in partners}
            held = sum(min(count, present[name]) for name, count in partners.items())
            if held < found.held:
                short = [name for name, count in partners.items() if present[name] < count]
                name = short[0]
                rounds = counted(present[name], "round")
                whom = ROLES[PLACES[kind][1 - place]]
                whom = counted(partners[name], whom)
                fields = {"who": name, "more": len(short) - 1, "rounds": rounds, "whom": whom}
                one = "{who} has {rounds} for {whom} they could meet"
                several = "{who} and {more} more have {rounds} for {whom} they could meet"
                reason = Phrase(one if len(short) == 1 else several, **fields)
                found = Room(len(pairs), held, reason)
        return found

    def _few_pairings(self) -> str:
        problem = self._problem
        rounds = counted(len(problem.rounds), "round")
        most = max(self._capacity.values())
        whole = len(problem.rounds) * min(map(len, problem.people))
        if self.pairings < whole and problem.narrow_rounds:
            few = Phrase(
                "{rounds} with {desks} at most", rounds=rounds, desks=counted(most, "desk")
            )
        elif self.pairings < whole:
            few = Phrase("{rounds} in which not everybody is present", rounds=rounds)
        else:
            fewest, role = min((len(names), i) for i, names in enumerate(problem.people))
            people = counted(fewest, ROLES[role])
            few = Phrase("{rounds} with {people}", rounds=rounds, people=people)
        room = "the number of pairings possible in {few} is {pairings}"
        return Phrase(room, few=few, pairings=self.pairings)

    def _rounds_of(self, name: str) -> int:
        """The number of rounds in which somebody can play."""
        away = self._problem.away.get(name, ())
        return sum(room > 0 and number not in away for number, room in self._capacity.items())

    def _even(self, pairings: int) -> int:
        """The least unevenness with this many pairings."""
        problem = self._problem
        before = Counter(name for p in problem.played for name in p.names)
        total = _squares([(0, room) for room in self._capacity.values()], pairings)
        for names in problem.people:
            total += _squares([(before[name], self._rounds_of(name)) for name in names], pairings)
        return total


def spread(places: Sequence[tuple[int, int]], number: int) -> list[int]:
    """Spreads things over places as evenly as possible.

    Arguments:
        places: for each place, how many it already has, and how many more it can take.
        number: how many things there are; those without a place are left out.

    Returns:
        How many each place then has, with the least possible sum of squares.
    """
    has = [had for had, _ in places]
    heap = [(had, i) for i, (had, room) in enumerate(places) if room]
    heapq.heapify(heap)
    for _ in range(number):
        if not heap:
            break
        had, i = heap[0]
        has[i] += 1
        if has[i] < places[i][0] + places[i][1]:
            heapq.heapreplace(heap, (had + 1, i))
        else:
            heapq.heappop(heap)
    return has


def _squares(places: Sequence[tuple[int, int]], number: int) -> int:
    return sum(has * has for has in spread(places, number))
