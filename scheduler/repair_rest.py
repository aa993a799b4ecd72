"""What becomes of the pairs by one way to go on, and why the lost ones are lost."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import product

from scheduler.checking import Pairs
from scheduler.formats import rounds_json
from scheduler.planning.plan import Plan
from scheduler.planning.proof import Lost
from scheduler.schedule import PLACES, Pair, Pairing, Schedule
from scheduler.texts import in_order, listed


@dataclass(frozen=True, slots=True)
class Rest:
    """What was played, and one way to go on.

    Arguments:
        schedule: all rounds, those that were played as they were.
        pairs: for each kind what becomes of its pairs among those who are still there, without
            those who must not meet.
        reasons: all lost pairs, by kind and reason.
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
            "pairs": {
                kind: {
                    "covered": pairs.covered,
                    "of": pairs.of,
                    "repeated": ["".join(pair) for pair in pairs.repeated],
                    "missing": ["".join(pair) for pair in pairs.missing],
                }
                for kind, pairs in self.pairs.items()
            },
            "reasons": [
                {
                    "kind": lost.kind,
                    "pairs": ["".join(pair) for pair in lost.pairs],
                    "reason": lost.reason,
                }
                for lost in self.reasons
            ],
        }


@dataclass(frozen=True)
class Fallen:
    """Why pairs are lost by the rest as it stands.

    Arguments:
        schedule: all rounds as they were planned.
        total: how many rounds there are to be.
        gone: who is not there any more.
        void: pairings that do not count.
    """

    schedule: Schedule
    total: int
    gone: frozenset[str]
    void: frozenset[Pairing]

    def reason(self, pair: Pair) -> str:
        """Why two do not meet, by the pairing in which they were to."""
        for pairing in self.schedule.pairings:
            names = set(pairing.names)
            if not set(pair) <= names:
                continue
            if pairing in self.void:
                return f"they met in round {pairing.round}, which does not count for them"
            if pairing.round > self.total:
                return f"they were to meet in round {pairing.round}, which is not played"
            if absent := in_order(names & self.gone):
                who = f"{listed(absent)}, who {'is' if len(absent) == 1 else 'are'} gone"
                return f"they were to meet in round {pairing.round} beside {who}"
        return "no round has them together"


def rest_of(begun: Iterable[Pairing], made: Plan, why: Iterable[Lost] | Fallen) -> Rest:
    """A plan, its pairs counted from the pairings alone.

    Arguments:
        begun: the pairings of the rounds that were begun.
        made: the plan of the rest.
        why: why pairs are lost; those who must not meet may be among them.
    """
    problem = made.problem
    people = problem.people
    schedule = Schedule.of(
        (*begun, *made.planned), judges=people[0], entries=people[1], confederates=people[2]
    )
    meetings = [pairing.names for pairing in (*problem.played, *made.planned)]
    pairs = {}
    reasons: dict[tuple[str, str], list[Pair]] = {}
    for kind, (one, other) in PLACES.items():
        met = Counter((each[one], each[other]) for each in meetings)
        whole = tuple(p for p in product(people[one], people[other]) if not problem.apart(*p))
        missing = tuple(pair for pair in whole if not met[pair])
        pairs[kind] = Pairs(
            covered=len(whole) - len(missing),
            of=len(whole),
            repeated=tuple(pair for pair in whole if met[pair] > 1),
            missing=missing,
            meetings=sum(met[pair] for pair in whole),
        )
        if isinstance(why, Fallen):
            for pair in missing:
                reasons.setdefault((kind, why.reason(pair)), []).append(pair)
    if isinstance(why, Fallen):
        lost = [
            Lost(kind, tuple(held), reason, set(held) <= set(problem.open[kind]))
            for (kind, reason), held in reasons.items()
        ]
    else:
        lost = [
            each for each in why if not any(problem.apart(one, other) for one, other in each.pairs)
        ]
    return Rest(schedule, pairs, tuple(lost))
