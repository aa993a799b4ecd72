"""The model for a constraint solver, which finds the best plan and proves that none is better.

There is a Boolean variable for each pairing in each round, and one for each pair that could meet.
The model is solved in steps: first the fewest missing pairs, then among such plans the fewest
repeats, then the most even plan. The order of interchangeable people and rounds is fixed, so that
the solver need not try the other orders. The solver is CP-SAT of OR-Tools, from the extra
`scheduling`; it is imported only here.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, ClassVar

from scheduler.errors import SchedulerError
from scheduler.planning.bounds import Bounds
from scheduler.planning.problem import Cost, Problem
from scheduler.schedule import PLACES, Pairing
from scheduler.texts import Phrase

if TYPE_CHECKING:
    from ortools.sat.python import cp_model


_ASKING = 0.85
"""The part of the remaining time that one question may take."""


class SolverMissing(SchedulerError):
    """The solver is not installed.

    Attributes:
        extra: the extra that contains it; the command says how to install it.
    """

    exit_code: ClassVar[int] = 2
    extra: ClassVar[str] = "scheduling"


class NoPlan(SchedulerError):
    """The solver has proved that no plan grants all hard wishes."""


def solver() -> Any:
    """The solver's module.

    Raises:
        SolverMissing: it is not installed.
    """
    try:
        from ortools.sat.python import cp_model
    except ModuleNotFoundError as error:
        missing = (
            "a schedule for these numbers and wishes needs the constraint solver of the extra "
            "'scheduling' ({package} is not installed)"
        )
        raise SolverMissing(Phrase(missing, package=error.name)) from None
    return cp_model


def solve(
    problem: Problem,
    bounds: Bounds,
    seconds: float,
    best: tuple[Pairing, ...] = (),
    seed: int = 0,
) -> tuple[tuple[Pairing, ...], Cost, int]:
    """Finds the best plan.

    Arguments:
        best: the best plan known; empty if none is.
        seed: for the solver's choices.

    Returns:
        Three values: the best plan found, empty if the time was too short for any; the proved lower
        bound on the cost (no plan has fewer missing pairs, none with as few has fewer repeats, and
        so on); and how many of the three steps were solved completely.

    Raises:
        SolverMissing: it is not installed.
        NoPlan: no plan grants all hard wishes.
    """
    return _Model(problem, bounds, solver(), seed).solve(seconds, best)


class _Model:
    def __init__(self, problem: Problem, bounds: Bounds, cp: Any, seed: int) -> None:
        self._problem, self._bounds, self._cp, self._seed = problem, bounds, cp, seed
        self._left = 0.0  # seconds
        self._model: cp_model.CpModel = cp.CpModel()
        self._plays: dict[Pairing, cp_model.IntVar] = {}
        self._at: dict[tuple[int, str], list[cp_model.IntVar]] = defaultdict(list)
        self._in: dict[int, list[cp_model.IntVar]] = defaultdict(list)
        self._meets: dict[str, dict[tuple[str, str], list[cp_model.IntVar]]] = {
            kind: defaultdict(list) for kind in PLACES
        }
        for number in problem.rounds:
            for triple in problem.triples(number):
                play = self._model.new_bool_var(f"{number} {' '.join(triple)}")
                self._plays[Pairing(number, *triple)] = play
                self._in[number].append(play)
                for name in triple:
                    self._at[number, name].append(play)
                for kind, (i, k) in PLACES.items():
                    self._meets[kind][triple[i], triple[k]].append(play)
        for plays in self._at.values():
            self._model.add_at_most_one(plays)
        for number, plays in self._in.items():
            self._model.add(sum(plays) <= problem.capacity(number))
        if not problem.played:
            self._order()
        self._lost = self._missing_pairs()

    def _order(self) -> None:
        """Breaks symmetries: of the plans that differ only by swapping interchangeable people or
        rounds, it leaves one.

        The order is based on the judge with the most conflicts: this judge meets the entries in
        their order, those met more often first, and the confederates in theirs; and the other
        judges sit in the first round in the order of their confederates.
        """
        problem, model = self._problem, self._model
        judge = max(problem.judges, key=lambda name: sum(name in two for two in problem.conflicts))
        judges, entries, confederates = (
            [name for name in names if name != judge and self._like_others(name)]
            for names in problem.people
        )
        for one, other in pairwise(entries):
            often, seldom = (self._meets["judge_entry"][judge, name] for name in (one, other))
            model.add(sum(often) >= sum(seldom))
        for one, other in pairwise(confederates):
            before: list[cp_model.IntVar] = []
            for number in problem.rounds:
                for play in self._with(number, judge, other):
                    model.add_bool_or([*before, ~play])
                before += self._with(number, judge, one)
        first = problem.rounds[0]
        for one, other in pairwise(judges):
            model.add(
                self._place(first, one, problem.confederates)
                <= self._place(first, other, problem.confederates)
            )
        alike = len({problem.capacity(number) for number in problem.rounds}) == 1
        if alike and not any(problem.away.values()):
            for number, next_ in pairwise(problem.rounds):
                model.add(
                    self._place(number, judge, problem.entries)
                    <= self._place(next_, judge, problem.entries)
                )

    def _like_others(self, name: str) -> bool:
        """Whether somebody may meet everybody and is always present."""
        return not self._problem.away.get(name) and not any(
            name in two for two in self._problem.conflicts
        )

    def _with(self, number: int, one: str, other: str) -> list[cp_model.IntVar]:
        """The variables of those pairings in a round that have both people."""
        return [
            play
            for pairing, play in self._plays.items()
            if pairing.round == number and {one, other} <= set(pairing.names)
        ]

    def _place(self, number: int, name: str, others: Sequence[str]) -> Any:
        """The index in `others` of the person whom somebody meets in a round; the length of
        `others` if there is none."""
        most = len(others)
        return most - sum(
            (most - place) * play
            for place, other in enumerate(others)
            for play in self._with(number, name, other)
        )

    def solve(
        self, seconds: float, planned: tuple[Pairing, ...]
    ) -> tuple[tuple[Pairing, ...], Cost, int]:
        """Solves the three steps, one after the other."""
        self._left = seconds
        least = [0, 0, 0]
        if planned:
            planned, least[0] = self._fewest_missing(planned)
        steps = (lambda _: (self._lost, 1, 0), self._repeats, self._unevenness)
        for step, quantity in enumerate(steps):
            expression, factor, offset = quantity(least)
            least[step] = max(least[step], self._counted(least[:step]))
            self._model.add(factor * expression + offset >= least[step])
            if not planned or self._problem.cost(planned)[step] > least[step]:
                found, low = self._run(self._model, self._left, expression)
                planned = min(filter(None, (planned, found)), key=self._problem.cost, default=())
                least[step] = max(least[step], factor * low + offset)
                if not planned or self._problem.cost(planned)[step] > least[step]:
                    return planned, Cost(*least[: step + 1], *[0] * (2 - step)), step
            self._model.add(factor * expression + offset == least[step])
        return planned, Cost(*least), len(steps)

    def _fewest_missing(self, planned: tuple[Pairing, ...]) -> tuple[tuple[Pairing, ...], int]:
        """Asks whether there is a plan that lacks only as many pairs as the bound, then one more,
        and so on, until the answer is yes or takes too long.

        This is easier for the solver than minimizing: counting tells how many pairings such a plan
        must have, and often this means that everybody plays in each round.

        Returns:
            The best plan, and the least number of pairs that any plan lacks.
        """
        least = self._bounds.least.missing
        while least < self._problem.cost(planned).missing:
            asked = self._model.clone()
            asked.add(self._lost <= least)
            self._fill(asked, self._bounds.pairings_for(least))
            try:
                found, _ = self._run(asked, self._left * _ASKING)
            except NoPlan:
                least += 1
            else:
                return found or planned, least
        return planned, least

    def _fill(self, model: cp_model.CpModel, pairings: int) -> None:
        """Requires at least this many pairings. If all rounds must be full, everybody of a kind
        that has no more people than desks plays in each round; stating this helps the solver a
        lot."""
        model.add(sum(self._plays.values()) >= pairings)
        if pairings == self._bounds.pairings:
            for number in self._problem.rounds:
                for names in self._problem.present_in(number):
                    if len(names) == self._problem.capacity(number):
                        for name in names:
                            model.add_exactly_one(self._at[number, name])

    def _run(
        self, model: cp_model.CpModel, seconds: float, expression: Any = None
    ) -> tuple[tuple[Pairing, ...], int]:
        """Minimizes the expression, or without one finds any plan; returns the plan found, empty if
        there is none, and the proved bound."""
        if expression is not None:
            model.minimize(expression)
        solver = self._cp.CpSolver()
        # One worker gives the same plan in every run, and is cheaper than several for problems of a
        # contest's size. Linear bounds are essential for minimizing, but slow down plain questions.
        solver.parameters.num_workers = 1
        solver.parameters.linearization_level = 0 if expression is None else 2
        solver.parameters.random_seed = self._seed
        solver.parameters.max_time_in_seconds = max(0.1, seconds)
        status = solver.solve(model)
        self._left -= solver.wall_time
        if status == self._cp.INFEASIBLE:
            raise NoPlan("no plan grants all hard wishes")
        # The bound is a floating-point number; slightly below an integer, it means that integer.
        low = math.ceil(solver.best_objective_bound - 1e-6)
        if status not in (self._cp.OPTIMAL, self._cp.FEASIBLE):
            return (), low
        return tuple(pairing for pairing, play in self._plays.items() if solver.value(play)), low

    def _missing_pairs(self) -> Any:
        """The missing pairs, weighted by kind; requires that none of a hard kind is missing."""
        problem = self._problem
        lost = []
        for kind in PLACES:
            weight = problem.weight(kind)
            for pair in problem.open[kind]:
                plays = self._meets[kind][pair]
                if kind in problem.hard:
                    self._model.add_bool_or(plays)
                elif weight:
                    met = self._model.new_bool_var(f"met {' '.join(pair)}")
                    self._model.add_bool_or([*plays, ~met])
                    lost.append(weight * (1 - met))
        return sum(lost)

    # The quantities minimized next: an expression, with the factor and offset that turn it into the
    # number of the cost.

    def _repeats(self, least: Sequence[int]) -> tuple[Any, int, int]:
        """A pairing is a meeting of each kind, and the missing pairs determine the number of first
        meetings. So repeats depend only on the number of pairings."""
        every, first = self._meetings(least[0])
        return sum(self._plays.values()), every, -first

    def _meetings(self, missing: int) -> tuple[int, int]:
        """By weight: the meetings per pairing, and the first meetings in a plan that lacks this
        many."""
        weights = {kind: self._problem.weight(kind) for kind in PLACES}
        first = sum(weights[kind] * len(self._problem.open[kind]) for kind in PLACES)
        return sum(weights.values()), first - missing

    def _counted(self, least: Sequence[int]) -> int:
        """The bound by counting on the next number of the cost, given the earlier ones."""
        if not least:
            return self._bounds.least.missing
        every, first = self._meetings(least[0])
        if len(least) == 1:
            return every * self._bounds.pairings_for(least[0]) - first
        return self._bounds.least_with((least[1] + first) // every).unevenness

    def _unevenness(self, _least: Sequence[int]) -> tuple[Any, int, int]:
        problem = self._problem
        before = Counter(name for p in problem.played for name in p.names)
        squares, known = [], 0
        for names in problem.people:
            for name in names:
                at = [self._at[number, name] for number in problem.rounds]
                plays = [play for each in at for play in each]
                squares += self._squared(before[name], plays, sum(map(bool, at)))
                known += before[name] ** 2
        for number, plays in self._in.items():
            squares += self._squared(0, plays, problem.capacity(number))
        return sum(squares), 1, known

    def _squared(self, had: int, plays: list[cp_model.IntVar], most: int) -> list[Any]:
        """The square of the new count minus the square of the old one, as a sum of the increasing
        steps 1, 3, 5 …, which are used from the lowest."""
        steps = [self._model.new_bool_var("") for _ in range(most)]
        self._model.add(sum(plays) == sum(steps))
        for lower, upper in pairwise(steps):
            self._model.add_implication(upper, lower)
        return [(2 * (had + i) + 1) * step for i, step in enumerate(steps)]
