"""Repairs a schedule: plans the remaining rounds again if somebody has left or a played round is
void.

A *pair* is two people who should meet: judge and entry, judge and confederate, entry and
confederate. It is *lost* if both are still taking part but meet in no pairing that counts, played
or planned. Pairs with people who have left don't count as lost, because nothing can be done about
them. The repaired plan has the fewest lost pairs; among such plans it has the fewest repeats, and
then it is the most even one. Wishes apply as for a new schedule: people who must not meet don't,
and such pairs don't count as lost; a lost pair counts by its weight.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from itertools import product

from scheduler.checking import Pairs, check
from scheduler.documents import MAX_ROUND
from scheduler.errors import BadInput, ProofFailed, Refused
from scheduler.formats import rounds_json
from scheduler.planning.plan import NO_WISHES, Lost, Plan, plan
from scheduler.planning.problem import Problem
from scheduler.planning.wishes import Wishes
from scheduler.schedule import PLACES, ROLES, Pairing, Roster, Schedule
from scheduler.texts import Phrase, counted, did_you_mean, joined, listed, shown, together

SECONDS = 60.0
"""The longest time to search for a plan; contests of the usual size take about a second."""


@dataclass(frozen=True, slots=True)
class RemainingPlan:
    """The played rounds, and one plan for the rest.

    Arguments:
        schedule: all rounds; played ones are unchanged.
        pairs: for each kind the counts of pairs among those still taking part, without those who
            must not meet.
        reasons: the lost pairs, by kind and reason; empty for a plan that was not made here.
    """

    schedule: Schedule
    pairs: Mapping[str, Pairs]
    reasons: tuple[Lost, ...]

    @property
    def lost(self) -> int:
        """The number of lost pairs."""
        return sum(len(pairs.missing) for pairs in self.pairs.values())

    @property
    def repeats(self) -> int:
        """The number of meetings after each pair's first, among those still taking part."""
        return sum(pairs.meetings - pairs.covered for pairs in self.pairs.values())

    def as_json(self) -> dict[str, object]:
        """The plan with its proof."""
        return {
            "rounds": rounds_json(self.schedule),
            "lost": self.lost,
            "pairs": {kind: pairs.as_json() for kind, pairs in self.pairs.items()},
            "reasons": [lost.as_json() for lost in self.reasons],
        }


@dataclass(frozen=True, slots=True)
class Repair:
    """Two plans for the rest of a contest.

    Arguments:
        gone: the people who have left, in natural order.
        played: how many rounds have begun; they stay unchanged.
        void: pairings in these rounds that don't count.
        as_it_stands: the old plan for the rest, without the pairings of people who have left.
        repaired: the new plan for the rest.
        plan: the new plan with its proof.
        breach: the wish that `as_it_stands` breaks; empty if none.
    """

    gone: tuple[str, ...]
    played: int
    void: tuple[Pairing, ...]
    as_it_stands: RemainingPlan
    repaired: RemainingPlan
    plan: Plan
    breach: str = ""

    def as_json(self) -> dict[str, object]:
        """The document of ``schedule repair --json``."""
        return {
            "played": self.played,
            "gone": list(self.gone),
            "void": [asdict(pairing) for pairing in self.void],
            "as_it_stands": self.as_it_stands.as_json(),
            "repaired": self.repaired.as_json(),
            "least_lost": self.plan.proved > 0,
            "optimal": self.plan.optimal,
            "breach": self.breach,
        }


def pairings_of(schedule: Schedule, rounds: Iterable[int]) -> tuple[Pairing, ...]:
    """The pairings of whole rounds, in their order; BadInput if there is no such round."""
    wanted, known = set(rounds), {pairing.round for pairing in schedule.pairings}
    if strange := sorted(wanted - known):
        numbers = ", ".join(map(str, sorted(known)))
        none = "there is no round {round}; rounds: {numbers}"
        raise BadInput(Phrase(none, round=strange[0], numbers=numbers))
    return tuple(pairing for pairing in schedule.pairings if pairing.round in wanted)


def repair(
    schedule: Schedule,
    played: int,
    gone: Collection[str] = (),
    void: Collection[Pairing] = (),
    rounds: int | None = None,
    seconds: float = SECONDS,
    *,
    wishes: Wishes = NO_WISHES,
) -> Repair:
    """Plans the rest of a contest again.

    Arguments:
        schedule: all rounds as they were planned.
        played: how many rounds have begun, from 0.
        gone: the ids of the people who have left.
        void: pairings that don't count, in rounds that have begun; see :func:`pairings_of`.
        rounds: the total number of rounds; by default as many as before.
        wishes: wishes for the remaining rounds, numbered as in the whole schedule. All count as
            soft, because the played rounds may have made hard ones impossible.

    Returns:
        Both plans, with counts that don't depend on the search.

    Raises:
        BadInput: a number doesn't fit this schedule, or an id is unknown.
        Refused: no rounds remain, nobody can play them, or nothing can be improved.
        ProofFailed: the plan found is invalid; a bug.
    """
    planned = len(schedule.rounds)
    total = planned if rounds is None else rounds
    if not 0 <= played <= planned:
        raise BadInput(f"{played} of {planned} rounds can't have been played; give 0 to {planned}")
    if not 1 <= total <= MAX_ROUND:
        raise BadInput(f"rounds must be between 1 and {MAX_ROUND}, not {total}")
    if total <= played:
        all_played = "all {rounds} rounds have been played; there is nothing left to plan"
        raise Refused(Phrase(all_played, rounds=total))
    begun = tuple(pairing for pairing in schedule.pairings if pairing.round <= played)
    for pairing in void:
        if pairing not in begun:
            unplayed = "round {round}, {pairing}, was not played, so it can't be void"
            raise BadInput(Phrase(unplayed, round=pairing.round, pairing=pairing.label))
    counting = tuple(pairing for pairing in begun if pairing not in set(void))
    kept = tuple(
        pairing
        for pairing in schedule.pairings
        if played < pairing.round <= total and not set(pairing.names) & set(gone)
    )
    # The wishes may also name people who have left, and all rounds.
    whole = wishes.problem(*schedule.roster.people, total)
    judges, entries, confederates = _present(schedule.roster, gone)
    problem = replace(
        whole,
        judges=judges,
        entries=entries,
        confederates=confederates,
        rounds=tuple(range(played + 1, total + 1)),
        conflicts=frozenset(pair for pair in whole.conflicts if pair.isdisjoint(gone)),
        hard=frozenset(),
        played=counting,
    )
    if not any(problem.open.values()):
        raise Refused(
            Phrase(
                "all who can still meet have met: the old plan is as good as any, and the contest "
                "can stop"
            )
        )
    found = plan(problem, seconds)
    breach, cost = problem.breach(kept), problem.cost(kept)
    stands = _rest(begun, problem, kept)
    if not breach and cost <= found.cost:
        # Don't change the plan without a reason. If the search was stopped, the old plan may even
        # be better; the same bounds prove part of its cost.
        found = replace(found, planned=kept, cost=cost, proved=cost.reached(found.least))
        stands = replace(stands, reasons=_reasons(found))
    repaired = _rest(begun, problem, found.planned, _reasons(found))
    if faults := check(repaired.schedule).clashes:
        raise ProofFailed(f"the repaired plan can't be played: {faults[0]}")
    gone = tuple(n for names in schedule.roster.people for n in names if n in set(gone))
    return Repair(gone, played, tuple(sorted(void)), stands, repaired, found, breach)


def _rest(
    begun: Iterable[Pairing],
    problem: Problem,
    planned: Iterable[Pairing],
    reasons: tuple[Lost, ...] = (),
) -> RemainingPlan:
    """The rounds that have begun and a plan for the rest, with pairs counted from the pairings
    alone."""
    judges, entries, confederates = people = problem.people
    planned = tuple(planned)
    schedule = Schedule.of(
        (*begun, *planned), judges=judges, entries=entries, confederates=confederates
    )
    pairs = {}
    for kind, (one, other) in PLACES.items():
        met = Counter(pairing.pair(kind) for pairing in (*problem.played, *planned))
        whole = [p for p in product(people[one], people[other]) if not problem.must_not_meet(*p)]
        pairs[kind] = Pairs.counted(met, whole)
    return RemainingPlan(schedule, pairs, reasons)


def _reasons(found: Plan) -> tuple[Lost, ...]:
    """Why a plan loses pairs, without those who must not meet."""
    must_not_meet = found.problem.must_not_meet
    return tuple(
        lost for lost in found.lost if not any(must_not_meet(*pair) for pair in lost.pairs)
    )


def _present(roster: Roster, gone: Collection[str]) -> list[tuple[str, ...]]:
    known = [name for names in roster.people for name in names]
    for name in gone:
        if name not in known:
            hint = did_you_mean(name, known)
            raise BadInput(Phrase("nobody has the id {name}{hint}", name=shown(name), hint=hint))
    present = [tuple(name for name in names if name not in gone) for names in roster.people]
    for names, role in zip(present, ROLES, strict=True):
        if not names:
            raise Refused(Phrase(f"no {role} is left, so nothing can be played"))
    return present


# Repairs in words.


def introduction(found: Repair) -> list[str]:
    """The starting point of a repair, in sentences without a full stop: how many rounds have begun,
    who is still taking part, who has left, and which pairings don't count."""
    kinds = zip(ROLES, found.plan.problem.people, strict=True)
    there = listed(counted(len(names), what) for what, names in kinds)
    begin = {"rounds": counted(found.played, "round"), "there": there}
    said: list[str] = [Phrase("{rounds} played; still taking part: {there}", **begin)]
    if found.gone:
        some_gone = "{rounds} played; still taking part: {there}; left: {gone}"
        said = [Phrase(some_gone, **begin, gone=", ".join(found.gone))]
    if found.void:
        named = [
            Phrase("round {round} {pairing}", round=p.round, pairing=together(p.names))
            for p in found.void
        ]
        said.append(Phrase("does not count: {pairings}", pairings=joined(named, ", ")))
    if found.breach:
        said.append(Phrase("the old plan breaks a wish: {fault}", fault=found.breach))
    return said


def compare(found: Repair) -> str:
    """A sentence that compares the repaired plan with the old one, and says what is proved."""
    weighed = any(found.plan.problem.weight(kind) != 1 for kind in PLACES)
    fewer = found.as_it_stands.lost - found.repaired.lost
    if found.repaired == found.as_it_stands:
        said = Phrase("The old plan can stay")
    elif found.breach:
        said = Phrase("The repaired plan respects the wishes")
    elif fewer == 1:
        said = Phrase("The repaired plan loses 1 pair fewer")
    elif fewer > 0:
        said = Phrase("The repaired plan loses {number} pairs fewer", number=fewer)
    elif found.repaired.repeats < found.as_it_stands.repeats and not fewer:
        said = Phrase("The repaired plan loses as many pairs, but repeats fewer")
    elif weighed:
        said = Phrase("The repaired plan loses less by the weights of the wishes")
    else:
        said = Phrase("The repaired plan loses as many pairs, but spreads the talks more evenly")
    fields = {"comparison": said, "by": found.plan.by, "least": found.repaired.lost}
    if not found.plan.proved:
        return Phrase("{comparison}; another plan may lose fewer ({by}).", **fields)
    if weighed:
        by_weights = "{comparison}; by the weights of the wishes, no plan loses less (proved {by})."
        return Phrase(by_weights, **fields)
    return Phrase("{comparison}; no plan loses fewer than {least} (proved {by}).", **fields)


def reasons(plan: RemainingPlan) -> list[str]:
    """Why a plan loses pairs: for each reason, a sentence without a full stop."""
    return [
        Phrase("{pairs}: {why}", pairs=", ".join(map(together, lost.pairs)), why=lost.reason)
        for lost in plan.reasons
    ]
