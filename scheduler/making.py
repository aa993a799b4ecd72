"""Makes a schedule and proves it."""

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import TypeVar

from scheduler.checking import KINDS, Report, check
from scheduler.documents import MAX_ROUND
from scheduler.errors import BadInput, ProofFailed, Refused
from scheduler.formats import rounds_json
from scheduler.planning.bounds import Bounds
from scheduler.planning.plan import SECONDS, NotKept, Plan, plan
from scheduler.planning.problem import Problem
from scheduler.planning.wishes import Wishes
from scheduler.schedule import Pairing, Schedule
from scheduler.squares import IMPOSSIBLE, construction, near_rounds, why_impossible
from scheduler.squares import rounds as square_rounds
from scheduler.texts import natural

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
        by: what it was made by.
        proof: of a schedule that is no whole square: what can't be had, and why.
        rooms: for each round the room of each of its pairings, where rooms were asked for.
    """

    schedule: Schedule
    report: Report
    optimal: bool
    by: str = ""
    proof: Plan | None = None
    rooms: tuple[tuple[str, ...], ...] = ()

    @property
    def idle(self) -> tuple[tuple[str, ...], ...]:
        """For each round who does not play in it: judges, entries, confederates."""
        everybody = [name for names in self.schedule.roster.people for name in names]
        playing = [{name for p in play for name in p.names} for play in self.schedule.rounds]
        return tuple(tuple(name for name in everybody if name not in busy) for busy in playing)

    def as_json(self) -> dict[str, object]:
        """The document of ``schedule make --json``: ``idle`` where there are byes, ``proof`` where
        the schedule is no whole square, ``rooms`` where they were asked for."""
        document: dict[str, object] = {
            "rounds": rounds_json(self.schedule),
            "pairs": self.report.pairs_json(),
            "optimal": self.optimal,
        }
        if any(self.idle):
            document["idle"] = [list(names) for names in self.idle]
        if self.proof is not None:
            document["proof"] = self.proof.as_json()
        if self.rooms:
            document["rooms"] = [list(names) for names in self.rooms]
        return document


class BestInstead(Refused):
    """What was asked for can't be had, and here is the best that can.

    Arguments:
        message: why it can't be had, and what the best lacks.
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
        rounds: how many rounds; if left out, those of the sessions that are wished for, or as many
            as it takes until everybody has met everybody, or, with wishes, could have by counting.
        seed: draws names and the order of the rounds, the same for the same seed; without it
            order 4 gives the schedule of 2010.
        wishes: what is asked for beside the numbers.
        seconds: how long the solver may search, where it is needed.

    Raises:
        BadInput: a number is none of a contest, or a wish names somebody who is not there.
        Refused: it can't be had; as :class:`BestInstead` with the best that can.
        SolverMissing: that can't be told without the solver, which is not installed.
        ProofFailed: the checker disagrees: our bug.
    """
    for name, number in (("judges", judges), ("entries", entries), ("confederates", confederates)):
        _in_range(name, number)
    if rounds is not None:
        _in_range("rounds", rounds)
    if seed is not None and seed < 0:
        raise BadInput(f"{seed} is no seed; give a whole number from 0")
    sizes = (judges, entries, confederates)
    count = rounds or wishes.rounds
    further = 0
    if not count:
        count = _enough(sizes)
        if wishes == NO_WISHES:
            further = _FURTHER
            if len(set(sizes)) == 1:
                count = _SUFFICIENT.get(judges, count)
    square = wishes == NO_WISHES and len(set(sizes)) == 1 and count <= judges
    if square and (judges not in IMPOSSIBLE or count < judges):
        return _of_square(judges, count, seed)
    made = _planned_for(sizes, count, seed, wishes, seconds)
    for more in range(1, further + 1):
        if not any(pairs.missing for pairs in made.report.pairs.values()):
            break
        made = _planned_for(sizes, count + more, seed, wishes, seconds)
    if square:
        raise _instead(
            f"no schedule of {judges} rounds for {judges} judges, {judges} entries and {judges} "
            f"confederates lets everybody meet exactly once: {why_impossible(judges)}; "
            f"the nearest orders that can be made are {judges - 1} and {judges + 1}, and in "
            f"{_SUFFICIENT[judges]} rounds, some people idle or meeting twice, everybody can meet",
            made,
        )
    return made


def _planned_for(
    sizes: tuple[int, int, int], count: int, seed: int | None, wishes: Wishes, seconds: float
) -> Made:
    """The best schedule for so many judges, entries and confederates in so many rounds."""
    problem = _problem(wishes, sizes, count)
    if seed is None or wishes != NO_WISHES:
        return planned(problem, seconds, wishes=wishes, seed=seed or 0)
    return _of_plan(_renamed(plan(problem, seconds, seed), random.Random(seed)), wishes)


def planned(
    problem: Problem, seconds: float = SECONDS, *, wishes: Wishes = NO_WISHES, seed: int = 0
) -> Made:
    """The best schedule for people of any names.

    Arguments:
        seconds: how long the solver may search, where it is needed.
        wishes: those that the problem was made of, for the rooms.
        seed: draws among plans as good as one another.

    Raises:
        Refused: it can't be had; as :class:`BestInstead` with the best that leaves all wishes soft.
        SolverMissing: that can't be told without the solver, which is not installed.
        ProofFailed: the checker disagrees: our bug.
    """
    try:
        return _of_plan(plan(problem, seconds, seed), wishes)
    except NotKept as error:
        soft = plan(replace(problem, hard=frozenset()), seconds, seed)
        raise _instead(f"{error}; with all wishes soft", _of_plan(soft, wishes)) from None


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


def _of_square(order: int, count: int, seed: int | None) -> Made:
    """The first rounds of a square, or with a seed any of them."""
    drawn = [list(range(order)) for _ in range(3)]
    # What is near a square is as good as one until its last round.
    plays = iter(near_rounds(order)[:-1]) if order in IMPOSSIBLE else square_rounds(order)
    if seed is None:
        chosen = list(islice(plays, count))
    else:
        draw = random.Random(seed)
        drawn = [_shuffled(draw, numbers) for numbers in drawn]
        chosen = _shuffled(draw, list(plays))[:count]
    problem = _problem(NO_WISHES, (order, order, order), count)
    pairings = []
    for number, play in enumerate(chosen, 1):
        named = (tuple(drawn[kind][i] + 1 for kind, i in enumerate(triple)) for triple in play)
        pairings += [
            Pairing(number, f"J{j}", f"E{e}", f"C{c}")
            for j, e, c in sorted(named, key=lambda triple: triple[2])
        ]
    schedule, cost = Schedule.of(pairings), problem.cost(pairings)
    report = check(schedule)
    if report.clashes or cost != Bounds(problem).least:
        raise ProofFailed(f"the schedule made for order {order} is faulty: {report.reason}")
    by = construction(order) or f"the nearest thing to a square of order {order}"
    how = "by a Graeco-Latin square and by counting"
    proof = Plan(problem, tuple(pairings), cost, cost, len(cost), how)
    return Made(schedule, report, optimal=True, by=by, proof=proof if count < order else None)


def _of_plan(found: Plan, wishes: Wishes) -> Made:
    """The schedule of a plan, checked once more by what knows nothing of planning."""
    problem = found.problem
    pairings = sorted(found.planned, key=lambda p: (p.round, natural(p.judge)))
    sizes = Counter(pairing.round for pairing in pairings)
    if empty := [number for number in problem.rounds if not sizes[number]]:
        raise Refused(_empty_rounds(problem, len(pairings), empty))
    schedule = problem.schedule(pairings)
    report = check(schedule)
    met = sum(pairs.covered for pairs in report.pairs.values())
    missing = sum(len(pairs.missing) for pairs in report.pairs.values())
    if report.clashes or missing != sum(len(lost.pairs) for lost in found.lost) or not met:
        raise ProofFailed(f"the schedule made is not what was planned: {report.reason}")
    rooms: tuple[tuple[str, ...], ...] = ()
    if wishes.rooms:
        rooms = tuple(tuple(wishes.rooms_of(n, sizes[n])) for n in problem.rounds)
    return Made(schedule, report, found.optimal, by=found.by, proof=found, rooms=rooms)


def _empty_rounds(problem: Problem, pairings: int, empty: Sequence[int]) -> str:
    count = len(problem.rounds)
    if closed := [number for number in empty if not problem.capacity(number)]:
        return (
            f"nobody could play in round {closed[0]}: a judge, an entry and a confederate have to "
            "be there, and a desk"
        )
    return (
        f"{count} rounds are too many: everybody who can has met after {pairings} "
        f"pairing{'s' * (pairings > 1)}, and more would repeat pairs; take {pairings} "
        f"round{'s' * (pairings > 1)} or fewer"
    )


def _instead(message: str, best: Made) -> BestInstead:
    """A refusal with the best that can be had, and in words what that lacks."""
    lost = [
        f"{KINDS[kind]} {', '.join(''.join(pair) for pair in pairs.missing)}"
        for kind, pairs in best.report.pairs.items()
        if pairs.missing
    ]
    known = "the best there is" if best.optimal else "the best that was found"
    return BestInstead(f"{message}; {known} lacks {'; '.join(lost) or 'nothing'}", best)


def _renamed(found: Plan, draw: random.Random) -> Plan:
    """The same plan with names and rounds drawn: where nobody differs from others, as good."""
    problem = found.problem
    names: dict[str, str] = {}
    for kind in problem.people:
        names |= dict(zip(kind, _shuffled(draw, list(kind)), strict=True))
    numbers = dict(zip(problem.rounds, _shuffled(draw, list(problem.rounds)), strict=True))
    return replace(
        found,
        planned=tuple(
            Pairing(numbers[p.round], names[p.judge], names[p.entry], names[p.confederate])
            for p in found.planned
        ),
    )


def _problem(wishes: Wishes, sizes: tuple[int, int, int], count: int) -> Problem:
    """What is asked for, for so many judges, entries and confederates, called J1, E1, C1."""
    judges, entries, confederates = (
        [f"{kind}{i}" for i in range(1, n + 1)] for kind, n in zip("JEC", sizes, strict=True)
    )
    return wishes.problem(judges, entries, confederates, count)


def _in_range(name: str, number: int) -> None:
    if not 1 <= number <= MAX_ORDER:
        raise BadInput(f"{number} is no number of {name}; give 1 to {MAX_ORDER}")


def _shuffled(draw: random.Random, items: list[T]) -> list[T]:
    # random.shuffle may change between versions of Python; the numbers of random() do not.
    return sorted(items, key=lambda _: draw.random())
