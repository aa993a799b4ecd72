"""Checks schedules: repeated and missing pairs, clashes, and whether a matrix can be played in
parallel rounds.

The wishes of the rules of 2010, section 3, are: (a) each entry is compared with every confederate,
(b) each judge evaluates every entry, (c) each judge evaluates every confederate. A valid schedule
fulfils all three without repeated pairs, and nobody is in two places in one round.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby, product
from typing import Self

from scheduler.parallel import RoundDivision, divide_into_rounds
from scheduler.schedule import PLACES, Matrix, Pair, Roster, Schedule, Trio
from scheduler.texts import Phrase, listed

KINDS = {
    "judge_entry": "judge with entry",
    "judge_confederate": "judge with confederate",
    "entry_confederate": "entry with confederate",
}
"""The three kinds of pairs: their keys in JSON, and their names in words."""

NAMED_IN_REASON = 12
"""The most pairs that a reason names; the rest are only counted. The lists contain all of them."""


@dataclass(frozen=True, slots=True)
class Pairs:
    """The counts for one kind of pair.

    Arguments:
        covered: the number of different pairs that meet.
        of: the number of possible pairs.
        repeated: the pairs that meet more than once.
        missing: the pairs that never meet.
        meetings: the number of meetings, including repeated ones.
    """

    covered: int
    of: int
    repeated: tuple[Pair, ...]
    missing: tuple[Pair, ...]
    meetings: int

    @classmethod
    def counted(cls, met: Counter[Pair], whole: Sequence[Pair]) -> Self:
        """Counts a kind of pair.

        Arguments:
            met: how often each pair meets.
            whole: all possible pairs.
        """
        repeated = tuple(pair for pair in whole if met[pair] > 1)
        missing = tuple(pair for pair in whole if not met[pair])
        meetings = sum(met[pair] for pair in whole)
        return cls(len(whole) - len(missing), len(whole), repeated, missing, meetings)

    def as_json(self) -> dict[str, object]:
        """The counts in the form of the JSON contract."""
        return {
            "covered": self.covered,
            "of": self.of,
            "repeated": ["".join(pair) for pair in self.repeated],
            "missing": ["".join(pair) for pair in self.missing],
        }


@dataclass(frozen=True, slots=True)
class Report:
    """The checker's findings.

    Arguments:
        roster: who takes part.
        pairs: the counts for each of :data:`KINDS`.
        clashes: people who are in two places at once, such as ``Round 2: J1 in J1E1C1 and J1E2C2``.
        reason: why the schedule is not valid; empty if it is.
        parallel: for a matrix, whether and how it can be played in parallel rounds; else None.
    """

    roster: Roster
    pairs: dict[str, Pairs]
    clashes: tuple[str, ...]
    reason: str
    parallel: RoundDivision | None

    @property
    def schedulable(self) -> bool | None:
        """For a schedule, whether nobody is in two places at once; for a matrix, whether it can be
        played in parallel rounds, None if the search didn't decide."""
        return self.parallel.schedulable if self.parallel is not None else not self.clashes

    @property
    def valid(self) -> bool:
        """Whether no pair is missing or repeated, nobody clashes, and it can be played."""
        return self.schedulable is True and self.complete

    @property
    def complete(self) -> bool:
        """Whether each pair of each kind meets exactly once."""
        return not any(pairs.repeated or pairs.missing for pairs in self.pairs.values())

    def pairs_json(self) -> dict[str, object]:
        """The counts of pairs in the form of the JSON contract."""
        return {kind: pairs.as_json() for kind, pairs in self.pairs.items()}

    def as_json(self) -> dict[str, object]:
        """The document of ``schedule check --json``; undecided counts as not schedulable."""
        return {
            "valid": self.valid,
            "pairs": self.pairs_json(),
            "rounds": {"clashes": list(self.clashes)},
            "schedulable": self.schedulable is True,
            "reason": self.reason,
        }


def check(schedule: Schedule | Matrix) -> Report:
    """Checks a schedule or a matrix; a faulty one raises no error."""
    roster = schedule.roster
    clashes: tuple[str, ...] = ()
    parallel, reasons = None, []
    if isinstance(schedule, Matrix):
        triples: Sequence[Trio] = schedule.triples
        parallel = divide_into_rounds(schedule)
        if parallel.reason:
            reasons.append(parallel.reason)
    else:
        triples = [p.names for p in schedule.pairings]
        if clashes := _clashes(schedule):
            reasons.append(label_names("in two places at once", clashes, "; "))
    people = roster.people
    pairs = {
        kind: Pairs.counted(
            Counter((t[i], t[k]) for t in triples), list(product(people[i], people[k]))
        )
        for kind, (i, k) in PLACES.items()
    }
    for kind, counted in pairs.items():
        for fault, names in (("repeated", counted.repeated), ("missing", counted.missing)):
            if names:
                joined = ["".join(pair) for pair in names]
                reasons.append(label_names(f"{KINDS[kind]} {fault}", joined, ", "))
    return Report(roster, pairs, clashes, "; ".join(reasons), parallel)


def _clashes(schedule: Schedule) -> tuple[str, ...]:
    clashes: list[str] = []
    for number, pairings in groupby(schedule.pairings, key=lambda pairing: pairing.round):
        places: dict[str, list[str]] = {}
        for pairing in pairings:
            for name in pairing.names:
                places.setdefault(name, []).append(pairing.label)
        clashes += [
            Phrase("Round {round}: {who} in {where}", round=number, who=name, where=listed(labels))
            for name, labels in places.items()
            if len(labels) > 1
        ]
    return tuple(clashes)


def label_names(what: str, names: Sequence[str], comma: str) -> str:
    """A label followed by names; names beyond :data:`NAMED_IN_REASON` are only counted."""
    more = len(names) - NAMED_IN_REASON
    return f"{what}: {comma.join(names[:NAMED_IN_REASON])}" + (
        f"{comma}and {more} more" if more > 0 else ""
    )
