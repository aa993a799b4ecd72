"""Plans a schedule: by squares where they reach everything, else by search, else by the solver.
A plan says what it covers, what it lacks, and for each missing pair the reason."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from itertools import product

from scheduler.errors import ProofFailed, Refused
from scheduler.planning.annealing import DESCENTS, annealed
from scheduler.planning.bounds import Bounds
from scheduler.planning.building import built, renamed
from scheduler.planning.model import NoPlan, SolverMissing, solve
from scheduler.planning.problem import WISHES, Cost, Problem
from scheduler.schedule import PLACES, Pair, Pairing
from scheduler.texts import listed, together

SECONDS = 2.5
"""How long the solver searches, unless it is told otherwise: what it proves of a contest's size it
proves in less."""

MAX_VARIABLES = 60_000
"""How many pairings in rounds the solver is given to choose from: more would take minutes to be
laid out alone."""

QUANTITIES = ("missing", "repeats", "unevenness")
"""What is minimized, in this order."""


class NotKept(Refused):
    """A wish that has to be granted whole can't be; the message says which and why."""


@dataclass(frozen=True)
class Lost:
    """Missing pairs of a kind, and why they are.

    Arguments:
        kind: which kind of pair.
        pairs: those that never meet.
        reason: why, as a sentence without a full stop.
        ever: whether some other schedule could have them meet.
    """

    kind: str
    pairs: tuple[Pair, ...]
    reason: str
    ever: bool

    def as_json(self) -> dict[str, object]:
        """The pairs with their reason."""
        pairs = ["".join(pair) for pair in self.pairs]
        return {"kind": self.kind, "pairs": pairs, "reason": self.reason}


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

    @cached_property
    def lost(self) -> tuple[Lost, ...]:
        """All pairs that never meet, by kind and reason."""
        problem, lost = self.problem, []
        for kind, (i, k) in PLACES.items():
            met = {pairing.pair(kind) for pairing in (*problem.played, *self.planned)}
            could = set(problem.open[kind])
            soft = self._soft_reason(kind, len(could - met))
            groups: dict[tuple[str, bool], list[Pair]] = {}
            for pair in product(problem.people[i], problem.people[k]):
                if pair not in met:
                    ever = pair in could
                    reason = soft if ever else _hard_reason(problem, *pair)
                    groups.setdefault((reason, ever), []).append(pair)
            lost += [Lost(kind, tuple(pairs), *why) for why, pairs in groups.items()]
        return tuple(lost)

    def _soft_reason(self, kind: str, missing: int) -> str:
        """Why pairs that could meet do not."""
        bounds = Bounds(self.problem)
        room = bounds.rooms[kind]
        if room.reason and missing == room.open - room.held:
            return f"{room.reason}; of {room.open} pairs, {missing} stay out at least"
        if not self.proved:
            return "none better was found"
        # With the missing pairs proved, a solver that was stopped was stopped at what comes after.
        by = self.by if self.optimal else "as far as the missing pairs go"
        return bounds.squareless or f"no schedule lacks fewer pairs in all (proved {by})"

    def as_json(self) -> dict[str, object]:
        """The ``proof`` of ``schedule make --json``."""
        document: dict[str, object] = {
            name: {
                "value": self.cost[i],
                "least": self.least[i] if i <= self.proved else None,
                "proved": i < self.proved,
            }
            for i, name in enumerate(QUANTITIES)
        }
        problem = self.problem
        return document | {
            "by": self.by,
            "possible": {k: len(problem.open[k]) + len(problem.met[k]) for k in PLACES},
            "lost": [lost.as_json() | {"possible": lost.ever} for lost in self.lost],
        }

    def in_words(self) -> list[str]:
        """The same as lines for people."""
        said = [
            f"{named_pairs(lost.pairs)} never meet{'s' * (len(lost.pairs) == 1)}: {lost.reason}"
            for lost in self.lost
        ]
        if self.optimal:
            return [
                *said,
                f"optimal: no schedule lacks fewer pairs, then repeats fewer, then spreads the "
                f"talks more evenly (proved {self.by})",
            ]
        if self.proved:
            said.append(f"{listed(QUANTITIES[: self.proved])}: nothing less is possible")
        found, least = self.cost[self.proved], self.least[self.proved]
        name = QUANTITIES[self.proved]
        return [*said, f"{name}: {found} found, less than {least} is impossible; {self.by}"]


def named_pairs(pairs: Iterable[Pair]) -> str:
    """Pairs by name, such as ``J1E1, Ann with hal``."""
    return ", ".join(together(pair, " with ") for pair in pairs)


def _hard_reason(problem: Problem, one: str, other: str) -> str:
    """Why two can never meet."""
    if problem.apart(one, other):
        return "they must not meet (conflict of interest)"
    away = {*problem.away.get(one, ()), *problem.away.get(other, ())}
    if not any(problem.capacity(number) for number in problem.rounds if number not in away):
        return "there is no round with a desk in which both are there"
    return "nobody is there to make three who may meet both of them"


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
    best = renamed(problem, seed)
    if not best or problem.breach(best):
        best = annealed(problem, bounds, seed, DESCENTS)
    elif problem.cost(best) != bounds.least:
        # A square with a few names moved is hard to beat: one descent, and the solver.
        best = min(best, annealed(problem, bounds, seed, 1) or best, key=problem.cost)
    if best and problem.cost(best) == bounds.least:
        by = "by that and by counting" if bounds.squareless else "by counting"
        return _counted(problem, best, by)
    return _solved(problem, bounds, best, seconds, seed)


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
        what = "missing pairs" if not found.proved else QUANTITIES[found.proved]
        by = f"the solver was stopped by its time at {what}"
    return _checked(Plan(problem, found.planned, cost, found.least, found.proved, by))


def _open(problem: Problem, bounds: Bounds, best: tuple[Pairing, ...], why: str) -> Plan:
    cost, least = problem.cost(best), bounds.least
    proved = next(i for i, (now, low) in enumerate(zip(cost, least, strict=True)) if now > low)
    return _checked(Plan(problem, best, cost, least, proved, why))


def _checked(made: Plan) -> Plan:
    """The plan, if it does nothing that it must not: that is our bug, no matter who made it."""
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
    return f"wish{'es' * (len(letters) > 1)} {listed(letters)}"
