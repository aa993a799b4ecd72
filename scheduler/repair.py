"""Repair: some rounds are played, somebody is gone or a round is void; the rest is planned again.

A *pair* is two who are to meet: judge and entry, judge and confederate, entry and confederate. It
is *lost* if both are still there and meet in no pairing that counts, neither in what was played nor
in the rest. Of those who are gone no pair is lost, for nothing could be done about it. The repaired
plan has the fewest lost pairs; of such plans the one with the fewest repeats, and then the most
even one. Wishes hold as in a schedule that is made: who must not meet does not, and no such pair is
lost; a weight says what a lost pair counts.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from itertools import product

from scheduler.checking import Pairs, check
from scheduler.documents import MAX_ROUND
from scheduler.errors import BadInput, ProofFailed, Refused
from scheduler.formats import rounds_json
from scheduler.planning.plan import Lost, Plan, plan
from scheduler.planning.problem import Problem
from scheduler.planning.wishes import Wishes
from scheduler.schedule import PLACES, ROLES, Pairing, Roster, Schedule
from scheduler.texts import counted, listed, near, shown, together

SECONDS = 60.0
"""How long a plan is searched for at most; contests as large as those held take a second or so."""

NO_WISHES = Wishes()


@dataclass(frozen=True, slots=True)
class Rest:
    """What was played, and one way to go on.

    Arguments:
        schedule: all rounds, those that were played as they were.
        pairs: for each kind what becomes of its pairs among those who are still there, without
            those who must not meet.
        reasons: the lost pairs, by kind and reason; empty for a plan that was not made here.
    """

    schedule: Schedule
    pairs: Mapping[str, Pairs]
    reasons: tuple[Lost, ...]

    @property
    def lost(self) -> int:
        """How many pairs are lost."""
        return sum(len(pairs.missing) for pairs in self.pairs.values())

    @property
    def repeats(self) -> int:
        """How many meetings there are beyond each pair's first, among those still there."""
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
        gone: who is not there any more, in natural order.
        played: how many rounds were begun; they stay as they are.
        void: pairings among these that do not count.
        as_it_stands: the rest as it was planned, without the pairings of those who are gone.
        repaired: the rest planned again.
        plan: what is proved of it.
        breach: what the rest as it stands does that it must not by the wishes; empty if nothing.
    """

    gone: tuple[str, ...]
    played: int
    void: tuple[Pairing, ...]
    as_it_stands: Rest
    repaired: Rest
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
        raise BadInput(f"there is no round {strange[0]}; rounds: {listed(map(str, sorted(known)))}")
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
        played: how many rounds were begun, from 0.
        gone: the ids of those who are not there any more.
        void: pairings of the rounds begun that do not count; see :func:`pairings_of`.
        rounds: how many rounds there are to be in all; as many as before if left out.
        wishes: what holds for the rest beside this, by the rounds' numbers in the whole schedule;
            none is hard, because what was played may have made it impossible.

    Returns:
        Both plans, counted by what the search knows nothing of.

    Raises:
        BadInput: a number is none of this schedule, or a name, of a wish too, is nobody's.
        Refused: there is no rest to be planned, nobody to play it, or nothing that it could mend.
        ProofFailed: what was found is not a plan, or a worse one: our bug.
    """
    planned = len(schedule.rounds)
    total = planned if rounds is None else rounds
    if not 0 <= played <= planned:
        raise BadInput(f"{played} of {planned} rounds can't have been played; give 0 to {planned}")
    if not 1 <= total <= MAX_ROUND:
        raise BadInput(f"rounds must be between 1 and {MAX_ROUND}, not {total}")
    if total <= played:
        raise Refused(f"all {total} rounds have been played: there is nothing left to plan")
    begun = tuple(pairing for pairing in schedule.pairings if pairing.round <= played)
    for pairing in void:
        if pairing not in begun:
            where = f"round {pairing.round}, {pairing.label}"
            raise BadInput(f"{where}, was not played: it can't be void")
    counting = tuple(pairing for pairing in begun if pairing not in set(void))
    kept = tuple(
        pairing
        for pairing in schedule.pairings
        if played < pairing.round <= total and not set(pairing.names) & set(gone)
    )
    # The wishes name those who are gone as well, and all rounds.
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
            "everybody who is still there has met: the old plan is as good as any, and the contest "
            "can stop"
        )
    found = plan(problem, seconds)
    breach, cost = problem.breach(kept), problem.cost(kept)
    stands = _rest(begun, problem, kept)
    if not breach and cost <= found.cost:
        # Nothing is changed for nothing. Where the search was stopped, this may even be better:
        # as much of its cost is proved as the same bounds prove.
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
) -> Rest:
    """The rounds begun and a plan of the rest, its pairs counted from the pairings alone."""
    judges, entries, confederates = people = problem.people
    planned = tuple(planned)
    schedule = Schedule.of(
        (*begun, *planned), judges=judges, entries=entries, confederates=confederates
    )
    pairs = {}
    for kind, (one, other) in PLACES.items():
        met = Counter(pairing.pair(kind) for pairing in (*problem.played, *planned))
        whole = [p for p in product(people[one], people[other]) if not problem.apart(*p)]
        pairs[kind] = Pairs.counted(met, whole)
    return Rest(schedule, pairs, reasons)


def _reasons(found: Plan) -> tuple[Lost, ...]:
    """Why a plan loses pairs, without those who must not meet."""
    apart = found.problem.apart
    return tuple(lost for lost in found.lost if not any(apart(*pair) for pair in lost.pairs))


def _present(roster: Roster, gone: Collection[str]) -> list[tuple[str, ...]]:
    known = [name for names in roster.people for name in names]
    for name in gone:
        if name not in known:
            raise BadInput(f"nobody is called {shown(name)}{near(name, known)}")
    present = [tuple(name for name in names if name not in gone) for names in roster.people]
    for names, role in zip(present, ROLES, strict=True):
        if not names:
            raise Refused(f"no {role} is left: nothing can be played")
    return present


# A repair in words.


def introduced(found: Repair) -> list[str]:
    """From where it was planned, in sentences without a full stop: how many rounds were begun, who
    is there, who is gone, and what of the rounds begun does not count."""
    kinds = zip(ROLES, found.plan.problem.people, strict=True)
    there = listed(counted(len(names), what) for what, names in kinds)
    gone = f"; gone: {', '.join(found.gone)}" if found.gone else ""
    said = [f"{counted(found.played, 'round')} played; still there: {there}{gone}"]
    if found.void:
        named = (f"round {p.round} {together(p.names)}" for p in found.void)
        said.append(f"does not count: {', '.join(named)}")
    if found.breach:
        said.append(f"the old plan breaks a wish: {found.breach}")
    return said


def proved(found: Repair) -> str:
    """What is known of the repaired plan beside the rest as it stands: a sentence."""
    weighed = any(found.plan.problem.weight(kind) != 1 for kind in PLACES)
    fewer = found.as_it_stands.lost - found.repaired.lost
    if found.repaired == found.as_it_stands:
        said = "The old plan can stay"
    elif found.breach:
        said = "Repaired, the plan respects the wishes"
    elif fewer > 0:
        said = f"Repaired, {fewer} pair{'s' * (fewer != 1)} fewer are lost"
    elif found.repaired.repeats < found.as_it_stands.repeats and not fewer:
        said = "Repaired, as many pairs are lost and fewer meet again"
    elif weighed:
        said = "Repaired, less is lost by the weights of the wishes"
    else:
        said = "Repaired, as many pairs are lost and all are more evenly busy"
    by = found.plan.by
    if not found.plan.proved:
        return f"{said}; whether another plan loses fewer was not found out ({by})."
    if weighed:
        return f"{said}: by the weights of the wishes, no plan loses less (proved {by})."
    return f"{said}: no plan loses fewer than {found.repaired.lost} (proved {by})."


def reasons(plan: Rest) -> list[str]:
    """Why one of the two plans loses pairs: for each reason a sentence without a full stop."""
    return [f"{', '.join(map(together, lost.pairs))}: {lost.reason}" for lost in plan.reasons]
