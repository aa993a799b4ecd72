"""Repair: some rounds are played, somebody is gone or a round is void; the rest is planned anew.

A *pair* is two who are to meet: judge and entry, judge and confederate, entry and confederate. It
is *lost* if both are still there and meet in no pairing that counts, neither in what was played nor
in the rest. Of those who are gone no pair is lost, for nothing could be done about it. The repaired
plan has the fewest lost pairs; of such plans the one with the fewest repeats, and then the most
even one.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from itertools import product

from scheduler.checking import Pairs, check
from scheduler.errors import BadInput, ProofFailed, Refused
from scheduler.formats import rounds_json
from scheduler.planning.plan import Plan, plan
from scheduler.planning.problem import PLACES, Cost, Problem, names_of
from scheduler.schedule import MAX_ROUND, Pairing, Roster, Schedule
from scheduler.texts import listed, near, shown

SECONDS = 60.0
"""How long a plan is searched for at most; contests as large as those held take a second or so."""


@dataclass(frozen=True, slots=True)
class Rest:
    """What was played, and one way to go on.

    Arguments:
        schedule: all rounds, those that were played as they were.
        pairs: for each kind what becomes of its pairs among those who are still there.
    """

    schedule: Schedule
    pairs: Mapping[str, Pairs]

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
            "pairs": {
                kind: {
                    "covered": pairs.covered,
                    "of": pairs.of,
                    "repeated": ["".join(pair) for pair in pairs.repeated],
                    "missing": ["".join(pair) for pair in pairs.missing],
                }
                for kind, pairs in self.pairs.items()
            },
        }


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
) -> Repair:
    """Plans the rest of a contest anew.

    Arguments:
        schedule: all rounds as they were planned.
        played: how many rounds were begun, from 0.
        gone: the ids of those who are not there any more.
        void: pairings of the rounds begun that do not count; see :func:`pairings_of`.
        rounds: how many rounds there are to be in all; as many as before if left out.
        seconds: how long to search at most.

    Returns:
        Both plans, counted by what the search knows nothing of.

    Raises:
        BadInput: a number is none of this schedule, or a name is in no pairing.
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
        if played < pairing.round <= total and not set(names_of(pairing)) & set(gone)
    )
    as_it_stands = _rest(begun, counted, kept, present)
    to_come = tuple(range(played + 1, total + 1))
    problem = Problem(*_people(present), to_come, played=counted)
    if not any(problem.open.values()):
        raise Refused(
            "no pair of those who are there is still to meet: the rest as it stands is as good as "
            "any, and the contest can stop"
        )
    found = plan(problem, seconds)
    repaired = _rest(begun, counted, found.planned, present)
    proved = found.proved
    if not problem.breach(kept) and problem.cost(kept) <= found.cost:
        # Nothing is changed for nothing. Where the search was stopped, this may even be better.
        repaired = as_it_stands
        proved = _still_proved(problem.cost(kept), found)
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


def _rest(
    begun: Iterable[Pairing],
    counted: Iterable[Pairing],
    planned: Iterable[Pairing],
    present: Roster,
) -> Rest:
    """A plan, its pairs counted from the pairings alone."""
    people, planned = _people(present), tuple(planned)
    schedule = Schedule.of(
        (*begun, *planned),
        judges=present.judges,
        entries=present.entries,
        confederates=present.confederates,
    )
    meetings = [names_of(pairing) for pairing in (*counted, *planned)]
    pairs = {}
    for kind, (one, other) in PLACES.items():
        met = Counter((each[one], each[other]) for each in meetings)
        whole = tuple(product(people[one], people[other]))
        pairs[kind] = Pairs(
            covered=sum(met[pair] > 0 for pair in whole),
            of=len(whole),
            repeated=tuple(pair for pair in whole if met[pair] > 1),
            missing=tuple(pair for pair in whole if not met[pair]),
            meetings=sum(met[pair] for pair in whole),
        )
    return Rest(schedule, pairs)
