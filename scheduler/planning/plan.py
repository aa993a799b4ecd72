"""Plans a schedule: by squares where they reach everything, else by search, else by the solver."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from scheduler.errors import ProofFailed, Refused
from scheduler.planning.annealing import DESCENTS, annealed
from scheduler.planning.bounds import Bounds
from scheduler.planning.building import built, renamed
from scheduler.planning.model import NoPlan, SolverMissing, solve
from scheduler.planning.problem import WISHES, Cost, Problem
from scheduler.schedule import Pairing

SECONDS = 2.5
"""How long the solver searches, unless it is told otherwise: what it proves of a contest's size it
proves in less."""

MAX_VARIABLES = 60_000
"""How many pairings in rounds the solver is given to choose from: more would take minutes to be
laid out alone."""


class NotKept(Refused):
    """A wish that has to be granted whole can't be; the message says which and why."""


@dataclass(frozen=True)
class Plan:
    """A plan with what is known of it.

    Arguments:
        problem: what was asked for.
        planned: the pairings of the rounds that were to be planned.
        cost: what it costs.
        least: what is proved of the cost of any plan; a later number holds for plans whose earlier
            ones are the least.
        proved: how many of the cost's numbers, from the first on, are proved to be the least.
        by: what proved it, or why nothing did, as the end of a sentence.
    """

    problem: Problem
    planned: tuple[Pairing, ...]
    cost: Cost
    least: Cost
    proved: int
    by: str

    @property
    def optimal(self) -> bool:
        """Whether there is no better plan."""
        return self.proved == len(self.cost)


def plan(problem: Problem, seconds: float = SECONDS, seed: int = 0) -> Plan:
    """The best plan for a problem, or the best that was found.

    Arguments:
        seconds: how long the solver may search.
        seed: of the searches' choices. The same seed gives the same plan, unless the solver was
            stopped by its time.

    Raises:
        Refused: nobody can meet, or (:class:`NotKept`) a wish that has to be granted whole can't
            be.
        SolverMissing: that can't be told without the solver, which is not installed.
    """
    bounds = Bounds(problem)
    if not any(problem.capacity(number) for number in problem.rounds) or not any(
        problem.open.values()
    ):
        raise Refused(
            "nobody can meet anybody: in each round somebody of each kind has to be there who may "
            "meet the others"
        )
    _refuse_by_counting(problem, bounds)
    if not bounds.fewest_pairings:
        # All pairs that count anything have met before.
        return _counted(problem, (), "by counting")
    found = built(problem, bounds)
    if found is not None:
        return _counted(problem, found, "by a Graeco-Latin square and by counting")
    candidates = [each for each in (renamed(problem, seed),) if _sound(problem, each)]
    if not candidates or problem.cost(candidates[0]) != bounds.least:
        # A square with a few names moved is hard to beat: one descent, and the solver.
        descents = 1 if candidates else DESCENTS
        candidates.append(annealed(problem, bounds, seed, descents))
        candidates = [each for each in candidates if _sound(problem, each)]
    best = min(candidates, key=problem.cost, default=())
    if best and problem.cost(best) == bounds.least:
        by = "by that and by counting" if bounds.squareless else "by counting"
        return _counted(problem, best, by)
    return _solved(problem, bounds, best, seconds, seed)


def _sound(problem: Problem, planned: Iterable[Pairing]) -> bool:
    planned = tuple(planned)
    return bool(planned) and not problem.breach(planned)


def _counted(problem: Problem, planned: tuple[Pairing, ...], by: str) -> Plan:
    cost = problem.cost(planned)
    return _checked(Plan(problem, planned, cost, cost, len(cost), by))


def _solved(
    problem: Problem, bounds: Bounds, best: tuple[Pairing, ...], seconds: float, seed: int
) -> Plan:
    """What the solver makes of the best plan so far."""
    weak = "the bounds by counting are not reached"
    size = sum(len(j) * len(e) * len(c) for j, e, c in (problem.here(n) for n in problem.rounds))
    if best and size > MAX_VARIABLES:
        why = f"not proved: {weak}, and the problem is too large for the solver"
        return _open(problem, bounds, best, why)
    try:
        found = solve(problem, bounds, seconds, best, seed)
    except SolverMissing as error:
        if not best:
            raise
        return _open(problem, bounds, best, f"not proved: {weak}, and {error}")
    except NoPlan:
        raise NotKept(
            f"{_kept(problem)} can't be granted whole: no schedule does it (proved by the solver)"
        ) from None
    if found is None:
        raise Refused(
            f"no schedule that grants {_kept(problem)} whole was found in {seconds:g} seconds; "
            "give more with --time, or leave it soft"
        )
    cost = problem.cost(found.planned)
    by = "by the solver"
    if found.proved < len(cost):
        what = ("missing pairs", "repeats", "unevenness")[found.proved]
        by = f"the solver was stopped by its time at {what}"
    return _checked(Plan(problem, found.planned, cost, found.least, found.proved, by))


def _open(problem: Problem, bounds: Bounds, best: tuple[Pairing, ...], why: str) -> Plan:
    cost, least = problem.cost(best), bounds.least
    proved = next(i for i, (now, low) in enumerate(zip(cost, least, strict=True)) if now > low)
    return _checked(Plan(problem, best, cost, least, proved, why))


def _checked(made: Plan) -> Plan:
    """The plan, if it does nothing that it must not: that is our bug, whoever made it."""
    if fault := made.problem.breach(made.planned):
        raise ProofFailed(f"the schedule made is faulty: {fault}")
    return made


def _refuse_by_counting(problem: Problem, bounds: Bounds) -> None:
    for letter, kind in WISHES.items():
        room = bounds.rooms[kind]
        if kind in problem.hard and room.held < room.open:
            raise NotKept(
                f"wish ({letter}) can't be granted whole: {room.open - room.held} of "
                f"{room.open} pairs are lost at least, as {room.reason}"
            )


def _kept(problem: Problem) -> str:
    letters = [f"({letter})" for letter, kind in WISHES.items() if kind in problem.hard]
    if len(letters) == 1:
        return f"wish {letters[0]}"
    return f"wishes {', '.join(letters[:-1])} and {letters[-1]}"
