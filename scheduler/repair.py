"""Repair: some rounds are played, somebody is gone or a round is void; the rest is planned anew.

A *pair* is two who are to meet: judge and entry, judge and confederate, entry and confederate. It
is *lost* if both are still there and meet in no pairing that counts, neither in what was played nor
in the rest. Of those who are gone no pair is lost, for nothing could be done about it. The repaired
plan has the fewest lost pairs; of such plans the one with the fewest repeats, and then the most
even one. Wishes hold as in a schedule that is made: who must not meet does not, and no such pair is
lost; a weight says what a lost pair counts.
"""

from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace

from scheduler.checking import check
from scheduler.documents import MAX_ROUND
from scheduler.errors import BadInput, ProofFailed, Refused
from scheduler.planning.plan import Plan, plan
from scheduler.planning.problem import Cost, Problem
from scheduler.planning.proof import prove
from scheduler.planning.wishes import Wishes
from scheduler.repair_rest import Fallen, Rest, rest_of
from scheduler.schedule import PLACES, Pairing, Roster, Schedule
from scheduler.texts import listed, near, shown

SECONDS = 60.0
"""How long a plan is searched for at most; contests as large as those held take a second or so."""

NO_WISHES = Wishes()


@dataclass(frozen=True, slots=True)
class Repair:
    """Two plans for the rest of a contest.

    Arguments:
        present: who is still there.
        gone: who is not, in natural order.
        played: how many rounds were begun; they stay as they are.
        void: pairings among these that do not count.
        as_it_stands: the rest as it was planned, without the pairings of those who are gone.
        repaired: the rest planned anew.
        least_lost: whether it is proved that no plan loses fewer pairs than the repaired one.
        optimal: whether it is proved that no plan is better in any respect.
        by: what proved it, or why nothing did, as the end of a sentence.
        weighed: whether lost pairs count by weights of their kinds: the fewest may then be more.
        breach: what the rest as it stands does that it must not by the wishes; empty if nothing.
    """

    present: Roster
    gone: tuple[str, ...]
    played: int
    void: tuple[Pairing, ...]
    as_it_stands: Rest
    repaired: Rest
    least_lost: bool
    optimal: bool
    by: str
    weighed: bool = False
    breach: str = ""

    def as_json(self) -> dict[str, object]:
        """The document of ``schedule repair --json``."""
        return {
            "played": self.played,
            "gone": list(self.gone),
            "void": [
                {"round": p.round, "judge": p.judge, "entry": p.entry, "confederate": p.confederate}
                for p in self.void
            ],
            "as_it_stands": self.as_it_stands.as_json(),
            "repaired": self.repaired.as_json(),
            "least_lost": self.least_lost,
            "optimal": self.optimal,
            "breach": self.breach,
        }


def pairings_of(schedule: Schedule, rounds: Iterable[int]) -> tuple[Pairing, ...]:
    """The pairings of whole rounds.

    Arguments:
        schedule: all rounds.
        rounds: their numbers.

    Returns:
        The pairings, in the order of the rounds.

    Raises:
        BadInput: there is no such round.
    """
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
    """Plans the rest of a contest anew.

    Arguments:
        schedule: all rounds as they were planned.
        played: how many rounds were begun, from 0.
        gone: the ids of those who are not there any more.
        void: pairings of the rounds begun that do not count; see :func:`pairings_of`.
        rounds: how many rounds there are to be in all; as many as before if left out.
        seconds: how long to search at most.
        wishes: what holds for the rest beside this, by the rounds' numbers in the whole schedule;
            none is hard, for what was played may have made it impossible.

    Returns:
        Both plans, counted by what the search knows nothing of.

    Raises:
        BadInput: a number is none of this schedule, or a name, of a wish too, is nobody's.
        Refused: there is no rest to be planned, nobody to play it, or nothing that it could mend.
        ProofFailed: what was found is no plan, or a worse one: our bug.
    """
    total = len(schedule.rounds) if rounds is None else rounds
    _check_numbers(schedule, played, total)
    present = _present(schedule.roster, gone)
    begun = tuple(pairing for pairing in schedule.pairings if pairing.round <= played)
    for pairing in void:
        if pairing not in begun:
            where = f"round {pairing.round}, {pairing.label}"
            raise BadInput(f"{where}, was not played: it can't be void")
    counted = tuple(pairing for pairing in begun if pairing not in set(void))
    kept = tuple(
        pairing
        for pairing in schedule.pairings
        if played < pairing.round <= total and not set(pairing.names) & set(gone)
    )
    to_come = tuple(range(played + 1, total + 1))
    problem = _problem(wishes, schedule.roster, present, to_come, counted)
    if not any(problem.open.values()):
        raise Refused(
            "no pair of those who are there is still to meet: the rest as it stands is as good as "
            "any, and the contest can stop"
        )
    found = plan(problem, seconds)
    repaired = rest_of(begun, found, prove(found).lost)
    breach = problem.breach(kept)
    cost = problem.cost(kept)
    proved = found.proved
    standing = replace(found, planned=kept, cost=cost)
    if not breach and cost <= found.cost:
        # Nothing is changed for nothing. Where the search was stopped, this may even be better.
        proved = _still_proved(cost, found)
        standing = replace(standing, proved=proved)
        as_it_stands = repaired = rest_of(begun, standing, prove(standing).lost)
    else:
        why = Fallen(schedule, total, frozenset(gone), frozenset(void))
        as_it_stands = rest_of(begun, standing, why)
    if faults := check(repaired.schedule).clashes:
        raise ProofFailed(f"the repaired plan can't be played: {faults[0]}")
    return Repair(
        present=present,
        gone=tuple(n for names in _people(schedule.roster) for n in names if n in set(gone)),
        played=played,
        void=tuple(sorted(void)),
        as_it_stands=as_it_stands,
        repaired=repaired,
        least_lost=proved > 0,
        optimal=proved == len(found.cost),
        by=found.by,
        weighed=any(problem.weight(kind) != 1 for kind in PLACES),
        breach=breach,
    )


def _problem(
    wishes: Wishes,
    everybody: Roster,
    present: Roster,
    to_come: tuple[int, ...],
    counted: tuple[Pairing, ...],
) -> Problem:
    """What is asked for of the rest: the wishes name those who are gone as well, and all rounds."""
    whole = wishes.problem(*_people(everybody), to_come[-1])
    here = {name for names in _people(present) for name in names}
    parts = (tuple(n for n in numbers if n in to_come) for numbers in whole.sessions)
    judges, entries, confederates = _people(present)
    return replace(
        whole,
        judges=judges,
        entries=entries,
        confederates=confederates,
        rounds=to_come,
        conflicts=frozenset(pair for pair in whole.conflicts if pair <= here),
        hard=frozenset(),
        sessions=tuple(numbers for numbers in parts if numbers),
        played=counted,
    )


def _still_proved(cost: Cost, found: Plan) -> int:
    """How much of a cost, no worse than that of the plan found, is proved by the same bounds."""
    pairs = zip(cost, found.least, strict=True)
    return next((i for i, (now, least) in enumerate(pairs) if now > least), len(cost))


def _check_numbers(schedule: Schedule, played: int, total: int) -> None:
    planned = len(schedule.rounds)
    if not 0 <= played <= planned:
        raise BadInput(f"{played} of {planned} rounds can't have been played; give 0 to {planned}")
    if not 1 <= total <= MAX_ROUND:
        raise BadInput(f"{total} is no number of rounds; give 1 to {MAX_ROUND}")
    if total <= played:
        raise Refused(f"{played} of {total} rounds are played: there is no rest to be planned")


def _present(roster: Roster, gone: Collection[str]) -> Roster:
    people = _people(roster)
    known = [name for names in people for name in names]
    for name in gone:
        if name not in known:
            raise BadInput(f"nobody is called {shown(name)}{near(name, known)}")
    judges, entries, confederates = (
        [name for name in names if name not in gone] for names in people
    )
    for names, what in ((judges, "judge"), (entries, "entry"), (confederates, "confederate")):
        if not names:
            raise Refused(f"no {what} is left: nothing can be played")
    return Roster.of(judges, entries, confederates)


def _people(roster: Roster) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
    return roster.judges, roster.entries, roster.confederates
