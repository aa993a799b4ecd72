"""Plans a schedule from squares if they are enough, else by a search, else by the solver. A plan
says what it covers, what it lacks, and the reason for each missing pair."""

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
from scheduler.planning.annealing import DESCENTS, search_by_annealing
from scheduler.planning.bounds import Bounds
from scheduler.planning.building import assign_names, build_from_squares
from scheduler.planning.model import NoPlan, SolverMissing, solve
from scheduler.planning.problem import WISHES, Cost, Problem
from scheduler.planning.wishes import Wishes
from scheduler.schedule import PLACES, Pair, Pairing, Schedule
from scheduler.squares import IMPOSSIBLE, why_impossible
from scheduler.texts import Phrase, counted, listed, natural, together

SECONDS = 2.5
"""How long the solver searches by default; for a contest's size, its proofs take less."""

MAX_VARIABLES = 60_000
"""The most possible pairings for the solver; with more, building the model alone takes minutes."""

MAX_ORDER = 1000
"""The largest number of people or rounds: no contest is larger, and a schedule of order n has n
times n pairings."""

NO_WISHES = Wishes()

QUANTITIES = ("missing", "repeats", "unevenness")
"""The quantities to minimize, in this order."""

_FURTHER = 3
"""How many rounds beyond the count by :func:`_rounds_needed` are tried until everybody meets
everybody."""


T = TypeVar("T")


class HardWishImpossible(Refused):
    """A hard wish can't be granted completely; the message says which and why."""


class NoValidSchedule(Refused):
    """No schedule fulfils the request.

    Arguments:
        message: why.
        best: the best schedule; the message also says what it lacks.
    """

    def __init__(self, message: str, best: Plan) -> None:
        lost = [
            f"{KINDS[kind]} {', '.join(map(''.join, pairs.missing))}"
            for kind, pairs in best.report.pairs.items()
            if pairs.missing
        ]
        rounds = counted(len(best.problem.rounds), "round")
        known = f"the best {'possible schedule' if best.optimal else 'schedule found'} of {rounds}"
        super().__init__(f"{message}; {known} lacks {'; '.join(lost) or 'nothing'}")
        self.best = best


@dataclass(frozen=True)
class Lost:
    """Missing pairs of a kind, and why they are missing.

    Arguments:
        kind: the kind of pair.
        pairs: the pairs that never meet.
        reason: why, as a sentence without a full stop.
        possible: whether they could meet in some other schedule.
    """

    kind: str
    pairs: tuple[Pair, ...]
    reason: str
    possible: bool

    def as_json(self) -> dict[str, object]:
        """The pairs with their reason."""
        pairs = ["".join(pair) for pair in self.pairs]
        return {"kind": self.kind, "pairs": pairs, "reason": self.reason}


@dataclass(frozen=True)
class Plan:
    """A plan and what is proved about it.

    Arguments:
        problem: the problem.
        planned: the pairings of the planned rounds.
        cost: its cost.
        least: the proved lower bound on the cost of any plan; each number applies to plans whose
            earlier numbers are at their bounds.
        proved: how many of the cost's numbers, from the first on, are proved to be the least.
        by: the means of proof, or why there is none, as the end of a sentence.
    """

    problem: Problem
    planned: tuple[Pairing, ...]
    cost: Cost
    least: Cost
    proved: int
    by: str

    @property
    def optimal(self) -> bool:
        """Whether it is proved that there is no better plan."""
        return self.proved == len(self.cost)

    @cached_property
    def schedule(self) -> Schedule:
        """All rounds, each in the order of the confederates, as the rules of 2010 print them."""
        planned = sorted(self.planned, key=lambda p: (p.round, natural(p.confederate)))
        return self.problem.schedule(planned)

    @cached_property
    def report(self) -> Report:
        """The findings of the checker, which doesn't depend on the planning."""
        return check(self.schedule)

    @cached_property
    def idle(self) -> tuple[tuple[str, ...], ...]:
        """For each round, the judges, entries and confederates who don't play."""
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
                    possible = pair in could
                    reason = soft if possible else _hard_reason(problem, *pair)
                    groups.setdefault((reason, possible), []).append(pair)
            lost += [Lost(kind, tuple(pairs), *why) for why, pairs in groups.items()]
        return tuple(lost)

    def _soft_reason(self, kind: str, missing: int) -> str:
        """Why pairs that could meet don't."""
        bounds = Bounds(self.problem)
        room = bounds.rooms[kind]
        if room.reason and missing == room.open - room.held:
            too_few = "{why}; at least {missing} of {all} pairs can't meet"
            return Phrase(too_few, why=room.reason, missing=missing, all=room.open)
        if not self.proved:
            return Phrase("the search found nothing better")
        # The number of missing pairs is proved; if the solver was stopped, it was at a later step.
        by = self.by if self.optimal else Phrase("as far as the missing pairs go")
        none_better = "no schedule lacks fewer pairs in all (proved {by})"
        return bounds.no_square_reason or Phrase(none_better, by=by)

    def as_json(self) -> dict[str, object]:
        """The document of ``schedule make --json``: with ``idle`` if there are byes, and ``proof``
        if the schedule is not a complete square."""
        document: dict[str, object] = {
            "rounds": rounds_json(self.schedule),
            "pairs": self.report.pairs_json(),
            "optimal": self.optimal,
        }
        if any(self.idle):
            document["idle"] = [list(names) for names in self.idle]
        return document if self.is_square else document | {"proof": self.proof_json()}

    def proof_json(self) -> dict[str, object]:
        """What is proved about the plan, and why pairs are missing."""
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
            "lost": [lost.as_json() | {"possible": lost.possible} for lost in self.lost],
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
                "optimal: no schedule has fewer missing pairs; of those with as few, none has "
                f"fewer repeats; of those, none spreads the talks more evenly (proved {self.by})",
            ]
        if self.proved:
            said.append(f"{listed(QUANTITIES[: self.proved])}: proved to be the minimum")
        found, least = self.cost[self.proved], self.least[self.proved]
        name = QUANTITIES[self.proved]
        return [*said, f"{name}: {found} found, less than {least} is impossible; {self.by}"]


def named_pairs(pairs: Iterable[Pair]) -> str:
    """Pairs by name, such as ``J1E1, Ann with hal``."""
    return ", ".join(together(pair, " with ") for pair in pairs)


def _hard_reason(problem: Problem, one: str, other: str) -> str:
    """Why two people can never meet."""
    if problem.must_not_meet(one, other):
        return Phrase("they must not meet (conflict of interest)")
    away = {*problem.away.get(one, ()), *problem.away.get(other, ())}
    if not any(problem.capacity(number) for number in problem.rounds if number not in away):
        return Phrase("no round in which both are present has room for a pairing")
    return Phrase("nobody who may meet both of them is present to complete the pairing")


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
    """Makes the best schedule for these numbers of people and rounds.

    Arguments:
        judges: the number of judges, 1 to :data:`MAX_ORDER`; they are called J1, J2 and so on.
        entries: the number of entries.
        confederates: the number of confederates.
        rounds: the number of rounds; by default as many as are needed for everybody to meet
            everybody, or, with wishes, as many as would be enough by counting.
        seed: for the random order of names and rounds; the same seed gives the same schedule.
            Without a seed, order 4 gives the schedule of 2010.
        wishes: further requests.
        seconds: how long the solver may search if it is needed.

    Raises:
        BadInput: a number is out of range, or a wish names somebody who does not take part.
        Refused: no schedule is possible; as :class:`NoValidSchedule` with the best alternative.
        SolverMissing: the solver is needed and not installed.
        ProofFailed: the checker disagrees; a bug.
    """
    sizes = (judges, entries, confederates)
    names = ("judges", "entries", "confederates", "rounds")
    for name, number in zip(names, (*sizes, 1 if rounds is None else rounds), strict=True):
        if not 1 <= number <= MAX_ORDER:
            raise BadInput(f"{name} must be between 1 and {MAX_ORDER}, not {number}")
    if seed is not None and seed < 0:
        raise BadInput(f"the seed must be a whole number, 0 or higher, not {seed}")
    js, es, cs = (
        [f"{kind}{i}" for i in range(1, size + 1)] for kind, size in zip("JEC", sizes, strict=True)
    )
    count = _rounds_needed(sizes) if rounds is None else rounds
    further = _FURTHER if rounds is None and wishes == NO_WISHES else 0
    for number in range(count, count + further + 1):
        made = make_plan(wishes.problem(js, es, cs, number), seconds, seed)
        if not any(pairs.missing for pairs in made.report.pairs.values()):
            break
    if wishes == NO_WISHES and {rounds} == set(sizes) and rounds in IMPOSSIBLE:
        raise NoValidSchedule(
            f"no schedule of {judges} rounds for {judges} judges, {judges} entries and {judges} "
            f"confederates lets everybody meet exactly once: {why_impossible(judges)}; "
            f"the nearest possible orders are {judges - 1} and {judges + 1}; in {judges + 1} "
            "rounds everybody can meet, if some people are idle or meet twice",
            made,
        )
    return made


def make_plan(problem: Problem, seconds: float = SECONDS, seed: int | None = None) -> Plan:
    """Makes the best schedule for people with any names.

    Arguments:
        seconds: how long the solver may search if it is needed.
        seed: chooses among equally good plans, and shuffles interchangeable names and rounds.

    Raises:
        Refused: no schedule is possible; as :class:`NoValidSchedule` with the best one if all
            wishes are soft.
        SolverMissing: the solver is needed and not installed.
        ProofFailed: the checker disagrees; a bug.
    """
    try:
        found = plan(problem, seconds, seed or 0)
    except HardWishImpossible as error:
        soft = plan(replace(problem, hard=frozenset()), seconds, seed or 0)
        raise NoValidSchedule(
            f"{error}; without hard wishes a schedule is possible", _checked(soft)
        ) from None
    if seed is not None and problem.plain:
        found = _shuffle_names(found, random.Random(seed))
    return _checked(found)


def _rounds_needed(sizes: Sequence[int]) -> int:
    """The number of full rounds that have room for all pairs."""
    small, middle, large = sorted(sizes)
    count = -(-middle * large // small)
    if count > MAX_ROUND:
        raise BadInput(
            f"{count} rounds are needed for everybody to meet everybody; give the number of "
            f"rounds, up to {MAX_ROUND}"
        )
    return count


def _checked(found: Plan) -> Plan:
    """Returns the plan if the checker confirms it, and each round is used."""
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
            f"nobody can play in round {empty}: a pairing needs a judge, an entry, a confederate "
            "and a desk"
        )
    return (
        f"{len(problem.rounds)} rounds are too many: all possible pairs have met after "
        f"{counted(pairings, 'pairing')}, and more would repeat pairs; use "
        f"{counted(pairings, 'round')} or fewer"
    )


def _shuffle_names(found: Plan, draw: random.Random) -> Plan:
    """The plan with names and rounds shuffled; if all are interchangeable, it is as good."""
    problem = found.problem
    names: dict[str, str] = {}
    for kind in problem.people:
        names |= dict(zip(kind, _shuffle(draw, kind), strict=True))
    numbers = dict(zip(_shuffle(draw, problem.rounds), problem.rounds, strict=True))
    renamed = (
        Pairing(numbers[p.round], names[p.judge], names[p.entry], names[p.confederate])
        for p in found.planned
    )
    return replace(found, planned=tuple(renamed))


def _shuffle(draw: random.Random, items: Sequence[T]) -> list[T]:
    # random.shuffle may change between versions of Python; the numbers from random() don't.
    return sorted(items, key=lambda _: draw.random())


def plan(problem: Problem, seconds: float = SECONDS, seed: int = 0) -> Plan:
    """Finds the best plan for a problem, or the best within the time.

    Arguments:
        seconds: how long the solver may search.
        seed: for the random choices. The same seed gives the same plan, unless the solver runs out
            of time.

    Raises:
        Refused: nobody can meet, or (:class:`HardWishImpossible`) a hard wish can't be granted
            completely.
        SolverMissing: the solver is needed and not installed.
    """
    bounds = Bounds(problem)
    if not any(problem.capacity(number) for number in problem.rounds) or not any(
        problem.open.values()
    ):
        raise Refused(
            Phrase(
                "nobody can meet anybody: a round needs a judge, an entry and a confederate who "
                "are present and may meet"
            )
        )
    _refuse_by_counting(problem, bounds)
    if not bounds.fewest_pairings:
        # All pairs with a weight have met before.
        return _counted(problem, (), Phrase("by counting"))
    found = build_from_squares(problem, bounds)
    if found is not None:
        return _counted(problem, found, Phrase("by a Graeco-Latin square and by counting"))
    best = assign_names(problem, seed)
    if not best or problem.breach(best):
        best = search_by_annealing(problem, bounds, seed, DESCENTS)
    elif problem.cost(best) != bounds.least:
        # A square with a few swapped names is hard to beat: use one descent, then the solver.
        best = min(best, search_by_annealing(problem, bounds, seed, 1) or best, key=problem.cost)
    if best and problem.cost(best) == bounds.least:
        both, counting = Phrase("by that and by counting"), Phrase("by counting")
        return _counted(problem, best, both if bounds.no_square_reason else counting)
    return _improve_with_solver(problem, bounds, best, seconds, seed)


def _counted(problem: Problem, planned: tuple[Pairing, ...], by: str) -> Plan:
    cost = problem.cost(planned)
    return _assert_hard_rules(Plan(problem, planned, cost, cost, len(cost), by))


def _improve_with_solver(
    problem: Problem, bounds: Bounds, best: tuple[Pairing, ...], seconds: float, seed: int
) -> Plan:
    """Improves the best plan so far with the solver."""
    least = bounds.least
    proved = problem.cost(best).reached(least)
    by, why = "not proved: the bounds by counting are not reached, and {why}", ""
    size = sum(
        len(j) * len(e) * len(c) for j, e, c in (problem.present_in(n) for n in problem.rounds)
    )
    if best and size > MAX_VARIABLES:
        why = Phrase("the problem is too large for the solver")
    else:
        try:
            best, least, proved = solve(problem, bounds, seconds, best, seed)
            by = Phrase("by the solver")
        except SolverMissing:
            if not best:
                raise
            why = Phrase("the constraint solver of the extra 'scheduling' is not installed")
        except NoPlan:
            raise HardWishImpossible(
                f"{_hard_wishes(problem)} can't be granted completely by any schedule (proved by "
                "the solver)"
            ) from None
        else:
            if proved < len(least):
                what = Phrase(QUANTITIES[proved] if proved else "missing pairs")
                by = Phrase("the solver ran out of time at {what}", what=what)
    if not best:
        raise Refused(
            f"found no schedule that grants {_hard_wishes(problem)} completely within {seconds:g} "
            "seconds; allow more with --time, or make the wish soft"
        )
    by = Phrase(by, why=why) if why else by
    return _assert_hard_rules(Plan(problem, best, problem.cost(best), least, proved, by))


def _assert_hard_rules(made: Plan) -> Plan:
    """Returns the plan if it breaks no hard rule; if it does, that is a bug."""
    if fault := made.problem.breach(made.planned):
        raise ProofFailed(f"the schedule made is faulty: {fault}")
    return made


def _refuse_by_counting(problem: Problem, bounds: Bounds) -> None:
    for letter, kind in WISHES.items():
        room = bounds.rooms[kind]
        if kind in problem.hard and room.held < room.open:
            raise HardWishImpossible(
                f"wish ({letter}) can't be granted completely: at least {room.open - room.held} "
                f"of {room.open} pairs are lost, because {room.reason}"
            )


def _hard_wishes(problem: Problem) -> str:
    letters = [f"({letter})" for letter, kind in WISHES.items() if kind in problem.hard]
    return f"wish{'es' * (len(letters) > 1)} {listed(letters)}"
