"""Plans a schedule: by squares where they reach everything, else by search, else by the solver.
A plan says what it covers, what it lacks, and for each missing pair the reason."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from typing import TypeVar

from scheduler.checking import KINDS, Report, check
from scheduler.documents import MAX_ROUND
from scheduler.errors import BadInput, ProofFailed, Refused
from scheduler.formats import rounds_json
from scheduler.planning.annealing import DESCENTS, annealed
from scheduler.planning.bounds import Bounds
from scheduler.planning.building import built, renamed
from scheduler.planning.model import NoPlan, SolverMissing, solve
from scheduler.planning.problem import WISHES, Cost, Problem
from scheduler.planning.wishes import Wishes
from scheduler.schedule import PLACES, Pair, Pairing, Schedule
from scheduler.squares import IMPOSSIBLE, why_impossible
from scheduler.texts import counted, listed, natural, together

SECONDS = 2.5
"""How long the solver searches, unless it is told otherwise: what it proves of a contest's size it
proves in less."""

MAX_VARIABLES = 60_000
"""How many pairings in rounds the solver is given to choose from: more would take minutes to be
laid out alone."""

MAX_ORDER = 1000
"""No contest is larger, and a schedule of order n has n times n pairings."""

NO_WISHES = Wishes()

QUANTITIES = ("missing", "repeats", "unevenness")
"""What is minimized, in this order."""

_FURTHER = 3
"""How many rounds more than counting asks for are tried until everybody meets everybody."""


T = TypeVar("T")


class NotKept(Refused):
    """A wish that has to be granted whole can't be; the message says which and why."""


class BestInstead(Refused):
    """No schedule does what was asked for.

    Arguments:
        message: why.
        best: the best schedule that there is; the message goes on with what it lacks.
    """

    def __init__(self, message: str, best: Plan) -> None:
        lost = [
            f"{KINDS[kind]} {', '.join(map(''.join, pairs.missing))}"
            for kind, pairs in best.report.pairs.items()
            if pairs.missing
        ]
        known = "the best there is" if best.optimal else "the best that was found"
        super().__init__(f"{message}; {known} lacks {'; '.join(lost) or 'nothing'}")
        self.best = best


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
    def schedule(self) -> Schedule:
        """All rounds, within each in the order of the confederates, as the rules of 2010 print
        them."""
        planned = sorted(self.planned, key=lambda p: (p.round, natural(p.confederate)))
        return self.problem.schedule(planned)

    @cached_property
    def report(self) -> Report:
        """What the checker, which knows nothing of planning, says of the schedule."""
        return check(self.schedule)

    @cached_property
    def idle(self) -> tuple[tuple[str, ...], ...]:
        """For each round, the judges, entries and confederates who do not play in it."""
        everybody = [name for names in self.schedule.roster.people for name in names]
        playing = [{name for p in play for name in p.names} for play in self.schedule.rounds]
        return tuple(tuple(name for name in everybody if name not in busy) for busy in playing)

    @property
    def is_square(self) -> bool:
        """Whether everybody meets everybody exactly once, and nobody is ever idle."""
        return self.report.complete and not any(self.idle)

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
        """The document of ``schedule make --json``: ``idle`` where there are byes, ``proof`` where
        the schedule is not a whole square."""
        document: dict[str, object] = {
            "rounds": rounds_json(self.schedule),
            "pairs": self.report.pairs_json(),
            "optimal": self.optimal,
        }
        if any(self.idle):
            document["idle"] = [list(names) for names in self.idle]
        return document if self.is_square else document | {"proof": self.proof_json()}

    def proof_json(self) -> dict[str, object]:
        """What is known of the plan, and why it lacks what it lacks."""
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
        """The proof as lines for people."""
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


def make(
    judges: int,
    entries: int,
    confederates: int,
    rounds: int | None = None,
    seed: int | None = None,
    *,
    wishes: Wishes = NO_WISHES,
    seconds: float = SECONDS,
) -> Plan:
    """Makes the best schedule for so many people and rounds.

    Arguments:
        judges: how many judges, 1 to :data:`MAX_ORDER`; they are called J1, J2 and so on.
        entries: how many entries.
        confederates: how many confederates.
        rounds: how many rounds; if left out, as many as it takes until everybody has met everybody,
            or, with wishes, could have by counting.
        seed: draws names and the order of the rounds, the same for the same seed; without it
            order 4 gives the schedule of 2010.
        wishes: what is asked for beside the numbers.
        seconds: how long the solver may search, where it is needed.

    Raises:
        BadInput: a number is out of range, or a wish names somebody who does not take part.
        Refused: no schedule does it; as :class:`BestInstead` with the best that there is.
        SolverMissing: only the solver can tell, and it is not installed.
        ProofFailed: the checker disagrees: our bug.
    """
    sizes = (judges, entries, confederates)
    names = ("judges", "entries", "confederates", "rounds")
    for name, number in zip(names, (*sizes, 1 if rounds is None else rounds), strict=True):
        if not 1 <= number <= MAX_ORDER:
            raise BadInput(f"{name} must be between 1 and {MAX_ORDER}, not {number}")
    if seed is not None and seed < 0:
        raise BadInput(f"the seed must be a whole number from 0, not {seed}")
    js, es, cs = (
        [f"{kind}{i}" for i in range(1, size + 1)] for kind, size in zip("JEC", sizes, strict=True)
    )
    count = _enough(sizes) if rounds is None else rounds
    further = _FURTHER if rounds is None and wishes == NO_WISHES else 0
    for number in range(count, count + further + 1):
        made = planned(wishes.problem(js, es, cs, number), seconds, seed)
        if not any(pairs.missing for pairs in made.report.pairs.values()):
            break
    if wishes == NO_WISHES and {rounds} == set(sizes) and rounds in IMPOSSIBLE:
        raise BestInstead(
            f"no schedule of {judges} rounds for {judges} judges, {judges} entries and {judges} "
            f"confederates lets everybody meet exactly once: {why_impossible(judges)}; "
            f"the nearest orders that can be made are {judges - 1} and {judges + 1}, and in "
            f"{judges + 1} rounds, some people idle or meeting twice, everybody can meet",
            made,
        )
    return made


def planned(problem: Problem, seconds: float = SECONDS, seed: int | None = None) -> Plan:
    """The best schedule for people of any names.

    Arguments:
        seconds: how long the solver may search, where it is needed.
        seed: draws among plans as good as one another, names and rounds too where they are alike.

    Raises:
        Refused: no schedule does it; as :class:`BestInstead` with the best that leaves all wishes
            soft.
        SolverMissing: only the solver can tell, and it is not installed.
        ProofFailed: the checker disagrees: our bug.
    """
    try:
        found = plan(problem, seconds, seed or 0)
    except NotKept as error:
        soft = plan(replace(problem, hard=frozenset()), seconds, seed or 0)
        raise BestInstead(f"{error}; with all wishes soft", _checked(soft)) from None
    if seed is not None and problem.plain:
        found = _renamed(found, random.Random(seed))
    return _checked(found)


def _enough(sizes: Sequence[int]) -> int:
    """How many rounds have room for all pairs, where each holds as many as it can."""
    small, middle, large = sorted(sizes)
    count = -(-middle * large // small)
    if count > MAX_ROUND:
        raise BadInput(
            f"it takes {count} rounds until everybody could have met everybody; say how many "
            f"rounds there are, up to {MAX_ROUND}"
        )
    return count


def _checked(found: Plan) -> Plan:
    """The plan, if the checker finds in it what was planned, and each round is used."""
    sizes = Counter(pairing.round for pairing in found.planned)
    if empty := [number for number in found.problem.rounds if not sizes[number]]:
        raise Refused(_empty_rounds(found.problem, len(found.planned), empty[0]))
    pairs = found.report.pairs.values()
    missing = sum(len(kind.missing) for kind in pairs)
    if found.report.clashes or missing != sum(len(lost.pairs) for lost in found.lost):
        raise ProofFailed(f"the schedule made is not what was planned: {found.report.reason}")
    return found


def _empty_rounds(problem: Problem, pairings: int, empty: int) -> str:
    if not problem.capacity(empty):
        return (
            f"nobody could play in round {empty}: it takes a judge, an entry, a confederate "
            "and a desk"
        )
    return (
        f"{len(problem.rounds)} rounds are too many: everybody who can has met after "
        f"{counted(pairings, 'pairing')}, and more would repeat pairs; take "
        f"{counted(pairings, 'round')} or fewer"
    )


def _renamed(found: Plan, draw: random.Random) -> Plan:
    """The same plan with names and rounds drawn: where all are alike, as good."""
    problem = found.problem
    names: dict[str, str] = {}
    for kind in problem.people:
        names |= dict(zip(kind, _shuffled(draw, kind), strict=True))
    numbers = dict(zip(_shuffled(draw, problem.rounds), problem.rounds, strict=True))
    renamed = (
        Pairing(numbers[p.round], names[p.judge], names[p.entry], names[p.confederate])
        for p in found.planned
    )
    return replace(found, planned=tuple(renamed))


def _shuffled(draw: random.Random, items: Sequence[T]) -> list[T]:
    # random.shuffle may change between versions of Python; the numbers of random() do not.
    return sorted(items, key=lambda _: draw.random())


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
    return _lawful(Plan(problem, planned, cost, cost, len(cost), by))


def _solved(
    problem: Problem, bounds: Bounds, best: tuple[Pairing, ...], seconds: float, seed: int
) -> Plan:
    """What the solver makes of the best plan so far."""
    least = bounds.least
    proved = problem.cost(best).reached(least)
    by = "not proved: the bounds by counting are not reached, and "
    size = sum(len(j) * len(e) * len(c) for j, e, c in (problem.here(n) for n in problem.rounds))
    if best and size > MAX_VARIABLES:
        by += "the problem is too large for the solver"
    else:
        try:
            best, least, proved = solve(problem, bounds, seconds, best, seed)
            by = "by the solver"
        except SolverMissing as error:
            if not best:
                raise
            by += str(error)
        except NoPlan:
            raise NotKept(
                f"{_kept(problem)} can't be granted whole: no schedule does it (proved by the "
                "solver)"
            ) from None
        else:
            if proved < len(least):
                what = QUANTITIES[proved] if proved else "missing pairs"
                by = f"the solver was stopped by its time at {what}"
    if not best:
        raise Refused(
            f"no schedule that grants {_kept(problem)} whole was found in {seconds:g} seconds; "
            "give more with --time, or leave it soft"
        )
    return _lawful(Plan(problem, best, problem.cost(best), least, proved, by))


def _lawful(made: Plan) -> Plan:
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
