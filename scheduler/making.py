"""Makes a schedule and proves it."""

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from scheduler.checking import KINDS, Report, check
from scheduler.documents import MAX_ROUND
from scheduler.errors import BadInput, ProofFailed, Refused
from scheduler.formats import rounds_json
from scheduler.planning.plan import SECONDS, NotKept, Plan, plan
from scheduler.planning.problem import Problem
from scheduler.planning.wishes import Wishes
from scheduler.schedule import Pairing, Schedule
from scheduler.squares import IMPOSSIBLE, why_impossible
from scheduler.texts import counted, natural

MAX_ORDER = 1000
"""No contest is larger, and a schedule of order n has n times n pairings."""

NO_WISHES = Wishes()

_SUFFICIENT = {2: 3, 6: 7}
"""For an order without a square the rounds in which all can meet, some of them twice."""

_FURTHER = 3
"""How many rounds more than counting asks for are tried until everybody meets everybody."""

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Made:
    """A schedule of our own making, with its proof.

    Arguments:
        schedule: the schedule.
        report: what the checker says of it.
        optimal: whether it is proved that no schedule of as many rounds has fewer missing pairs,
            or as few of them with fewer repeats, or as few of both with talks spread more evenly.
        proof: of a schedule that is not a whole square: what is missing, and why.
    """

    schedule: Schedule
    report: Report
    optimal: bool
    proof: Plan | None = None

    @property
    def idle(self) -> tuple[tuple[str, ...], ...]:
        """For each round who does not play in it: judges, entries, confederates."""
        return _idle(self.schedule)

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
        if self.proof is not None:
            document["proof"] = self.proof.as_json()
        return document


class BestInstead(Refused):
    """No schedule does what was asked for.

    Arguments:
        message: why, and what the best schedule lacks.
        best: that schedule.
    """

    def __init__(self, message: str, best: Made) -> None:
        super().__init__(message)
        self.best = best


def make(
    judges: int,
    entries: int,
    confederates: int,
    rounds: int | None = None,
    seed: int | None = None,
    *,
    wishes: Wishes = NO_WISHES,
    seconds: float = SECONDS,
) -> Made:
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
    people = (
        [f"J{i}" for i in range(1, judges + 1)],
        [f"E{i}" for i in range(1, entries + 1)],
        [f"C{i}" for i in range(1, confederates + 1)],
    )
    even = wishes == NO_WISHES and len(set(sizes)) == 1
    count, further = rounds, 0
    if count is None:
        count = _enough(sizes)
        if wishes == NO_WISHES:
            further = _FURTHER
        if even:
            count = _SUFFICIENT.get(judges, count)
    for number in range(count, count + further + 1):
        made = planned(wishes.problem(*people, number), seconds, seed)
        if not any(pairs.missing for pairs in made.report.pairs.values()):
            break
    if even and count == judges and judges in IMPOSSIBLE:
        raise _instead(
            f"no schedule of {judges} rounds for {judges} judges, {judges} entries and {judges} "
            f"confederates lets everybody meet exactly once: {why_impossible(judges)}; "
            f"the nearest orders that can be made are {judges - 1} and {judges + 1}, and in "
            f"{_SUFFICIENT[judges]} rounds, some people idle or meeting twice, everybody can meet",
            made,
        )
    return made


def planned(problem: Problem, seconds: float = SECONDS, seed: int | None = None) -> Made:
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
        raise _instead(f"{error}; with all wishes soft", _of_plan(soft)) from None
    if seed is not None and problem.plain:
        found = _renamed(found, random.Random(seed))
    return _of_plan(found)


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


def _of_plan(found: Plan) -> Made:
    """The schedule of a plan, checked once more by code that knows nothing of planning."""
    problem = found.problem
    # In the order of the confederates, as the rules of 2010 print them.
    pairings = sorted(found.planned, key=lambda p: (p.round, natural(p.confederate)))
    sizes = Counter(pairing.round for pairing in pairings)
    if empty := [number for number in problem.rounds if not sizes[number]]:
        raise Refused(_empty_rounds(problem, len(pairings), empty))
    schedule = problem.schedule(pairings)
    report = check(schedule)
    met = sum(pairs.covered for pairs in report.pairs.values())
    missing = sum(len(pairs.missing) for pairs in report.pairs.values())
    if report.clashes or missing != sum(len(lost.pairs) for lost in found.lost) or not met:
        raise ProofFailed(f"the schedule made is not what was planned: {report.reason}")
    is_square = report.complete and not any(_idle(schedule))
    return Made(schedule, report, found.optimal, None if is_square else found)


def _idle(schedule: Schedule) -> tuple[tuple[str, ...], ...]:
    everybody = [name for names in schedule.roster.people for name in names]
    playing = [{name for p in play for name in p.names} for play in schedule.rounds]
    return tuple(tuple(name for name in everybody if name not in busy) for busy in playing)


def _empty_rounds(problem: Problem, pairings: int, empty: Sequence[int]) -> str:
    if closed := [number for number in empty if not problem.capacity(number)]:
        return (
            f"nobody could play in round {closed[0]}: it takes a judge, an entry, a confederate "
            "and a desk"
        )
    return (
        f"{len(problem.rounds)} rounds are too many: everybody who can has met after "
        f"{counted(pairings, 'pairing')}, and more would repeat pairs; take "
        f"{counted(pairings, 'round')} or fewer"
    )


def _instead(message: str, best: Made) -> BestInstead:
    """A refusal with the best schedule, and in words what that lacks."""
    lost = [
        f"{KINDS[kind]} {', '.join(''.join(pair) for pair in pairs.missing)}"
        for kind, pairs in best.report.pairs.items()
        if pairs.missing
    ]
    known = "the best there is" if best.optimal else "the best that was found"
    return BestInstead(f"{message}; {known} lacks {'; '.join(lost) or 'nothing'}", best)


def _renamed(found: Plan, draw: random.Random) -> Plan:
    """The same plan with names and rounds drawn: where all are alike, as good."""
    problem = found.problem
    names: dict[str, str] = {}
    for kind in problem.people:
        names |= dict(zip(kind, _shuffled(draw, list(kind)), strict=True))
    numbers = dict(zip(_shuffled(draw, list(problem.rounds)), problem.rounds, strict=True))
    renamed = (
        Pairing(numbers[p.round], names[p.judge], names[p.entry], names[p.confederate])
        for p in found.planned
    )
    return replace(found, planned=tuple(renamed))


def _shuffled(draw: random.Random, items: list[T]) -> list[T]:
    # random.shuffle may change between versions of Python; the numbers of random() do not.
    return sorted(items, key=lambda _: draw.random())
