"""The problem that a schedule solves: who is present in which rounds, how many desks there are, and
who must not meet; and the cost of a schedule.

The three kinds of pairs are the wishes of the rules of 2010, section 3: (a) entry with confederate,
(b) judge with entry, (c) judge with confederate.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations, product
from typing import NamedTuple

from scheduler.schedule import PLACES, Pair, Pairing, Schedule, Trio
from scheduler.texts import Phrase

WISHES = {"a": "entry_confederate", "b": "judge_entry", "c": "judge_confederate"}
"""The letter of each kind of pair in the rules."""


class Cost(NamedTuple):
    """The quantities to minimize, in this order.

    Arguments:
        missing: pairs that could meet but don't, each with its kind's weight.
        repeats: meetings after a pair's first, each with its kind's weight.
        unevenness: the sum of the squares of each person's number of talks and each round's number
            of pairings; it is least if all are as equal as possible.
    """

    missing: int
    repeats: int
    unevenness: int

    def reached(self, least: Cost) -> int:
        """How many numbers, from the first on, equal the proved minimum."""
        over = (i for i, (now, low) in enumerate(zip(self, least, strict=True)) if now > low)
        return next(over, len(self))


@dataclass(frozen=True)
class Problem:
    """The requirements for a schedule.

    Arguments:
        judges: their ids.
        entries: their ids.
        confederates: their ids.
        rounds: the numbers of the rounds to plan, ascending.
        desks: maps a round to the number of pairings that it has room for; other rounds have room
            for all.
        conflicts: pairs that must not meet, ids in any order.
        away: maps an id to the rounds in which that person is absent.
        weights: maps a kind of pair to its weight, a whole number, 0 or higher; the default is 1.
        hard: kinds of which no possible pair may be missing.
        played: pairings of earlier rounds, which count as meetings; their people may have left.
    """

    judges: tuple[str, ...]
    entries: tuple[str, ...]
    confederates: tuple[str, ...]
    rounds: tuple[int, ...]
    desks: Mapping[int, int] = field(default_factory=dict)
    conflicts: frozenset[frozenset[str]] = frozenset()
    away: Mapping[str, frozenset[int]] = field(default_factory=dict)
    weights: Mapping[str, int] = field(default_factory=dict)
    hard: frozenset[str] = frozenset()
    played: tuple[Pairing, ...] = ()

    @property
    def people(self) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
        """Judges, entries, confederates."""
        return self.judges, self.entries, self.confederates

    @property
    def plain(self) -> bool:
        """Whether everybody is always present and may meet everybody, with room for all."""
        return not (self.conflicts or any(self.away.values()) or self.played or self.narrow_rounds)

    @cached_property
    def narrow_rounds(self) -> tuple[int, ...]:
        """The rounds with fewer desks than people who could sit at them."""
        return tuple(
            number
            for number in self.rounds
            if self.desks.get(number, len(self.judges)) < min(map(len, self.present_in(number)))
        )

    def weight(self, kind: str) -> int:
        """How much a missing pair of a kind counts."""
        return self.weights.get(kind, 1)

    def present_in(self, number: int) -> tuple[list[str], list[str], list[str]]:
        """Who is present in a round: judges, entries, confederates."""
        judges, entries, confederates = (
            [name for name in names if number not in self.away.get(name, ())]
            for names in self.people
        )
        return judges, entries, confederates

    def capacity(self, number: int) -> int:
        """The most pairings that a round has room for."""
        fewest = min(map(len, self.present_in(number)))
        return min(fewest, self.desks.get(number, fewest))

    def must_not_meet(self, one: str, other: str) -> bool:
        """Whether two people must not meet."""
        return frozenset((one, other)) in self.conflicts

    def triples(self, number: int) -> Iterator[Trio]:
        """Yields the possible pairings of a round, as judge, entry and confederate."""
        if self.capacity(number):
            judges, entries, confederates = self.present_in(number)
            for j, e in product(judges, entries):
                if not self.must_not_meet(j, e):
                    for c in confederates:
                        if not self.must_not_meet(j, c) and not self.must_not_meet(e, c):
                            yield j, e, c

    @cached_property
    def met(self) -> dict[str, frozenset[Pair]]:
        """For each kind, the pairs that met in earlier rounds and are both still taking part."""
        return {
            kind: frozenset(met) & self._everything(kind)
            for kind, met in _meetings(self.played).items()
        }

    @cached_property
    def open(self) -> dict[str, tuple[Pair, ...]]:
        """For each kind, the pairs that have not met and could: a third person is available."""
        if self.plain:
            return {kind: tuple(product(*self._two(kind))) for kind in PLACES}
        could: dict[str, dict[Pair, None]] = {kind: {} for kind in PLACES}
        seen: set[Trio] = set()
        for number in self.rounds:
            for triple in self.triples(number):
                if triple not in seen:
                    seen.add(triple)
                    for kind, (i, k) in PLACES.items():
                        could[kind][triple[i], triple[k]] = None
        return {
            kind: tuple(pair for pair in pairs if pair not in self.met[kind])
            for kind, pairs in could.items()
        }

    def cost(self, planned: Iterable[Pairing]) -> Cost:
        """The cost of a plan, counted from its pairings alone.

        Arguments:
            planned: the pairings of the planned rounds.
        """
        planned = tuple(planned)
        before, after = _meetings(self.played), _meetings(planned)
        missing = repeats = 0
        for kind in PLACES:
            missing += self.weight(kind) * sum(pair not in after[kind] for pair in self.open[kind])
            fresh = sum(pair not in before[kind] for pair in after[kind])
            repeats += self.weight(kind) * (after[kind].total() - fresh)
        everybody = set().union(*self.people)
        talks = Counter(
            name for p in (*self.played, *planned) for name in p.names if name in everybody
        )
        uneven = sum(count * count for count in talks.values())
        sizes = Counter(p.round for p in planned)
        return Cost(missing, repeats, uneven + sum(size * size for size in sizes.values()))

    def breach(self, planned: Iterable[Pairing]) -> str:
        """Says which hard rule a plan breaks.

        Arguments:
            planned: the pairings of the planned rounds.

        Returns:
            A sentence without a full stop; empty if it breaks none.
        """
        places: Counter[tuple[int, str]] = Counter()
        sizes: Counter[int] = Counter()
        met: dict[str, set[Pair]] = {kind: set() for kind in PLACES}
        kinds = [set(names) for names in self.people]
        for p in planned:
            where = {"round": p.round, "pairing": p.label}
            if p.round not in self.rounds:
                unplanned = "round {round}, {pairing}: round {round} was not to be planned"
                return Phrase(unplanned, **where)
            for name, held in zip(p.names, kinds, strict=True):
                if name not in held or p.round in self.away.get(name, ()):
                    return Phrase("round {round}, {pairing}: {who} is absent", **where, who=name)
                places[p.round, name] += 1
                if places[p.round, name] > 1:
                    twice = "round {round}, {pairing}: {who} is in two places at once"
                    return Phrase(twice, **where, who=name)
            for one, other in combinations(p.names, 2):
                if self.must_not_meet(one, other):
                    apart = "round {round}, {pairing}: {one} and {other} must not meet"
                    return Phrase(apart, **where, one=one, other=other)
            for kind in PLACES:
                met[kind].add(p.pair(kind))
            sizes[p.round] += 1
            if sizes[p.round] > self.capacity(p.round):
                full = "round {round}, {pairing}: round {round} has only {desks} desks"
                return Phrase(full, **where, desks=self.capacity(p.round))
        for kind in sorted(self.hard):
            if lost := [pair for pair in self.open[kind] if pair not in met[kind]]:
                one, other = lost[0]
                never = "{one} and {other} never meet, but all pairs of their kind must"
                return Phrase(never, one=one, other=other)
        return ""

    def schedule(self, planned: Iterable[Pairing]) -> Schedule:
        """The schedule of the played and planned pairings, with everybody present on its roster."""
        return Schedule.of(
            (*self.played, *planned),
            judges=self.judges,
            entries=self.entries,
            confederates=self.confederates,
        )

    def _two(self, kind: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
        i, k = PLACES[kind]
        return self.people[i], self.people[k]

    def _everything(self, kind: str) -> frozenset[Pair]:
        return frozenset(product(*self._two(kind)))


def _meetings(pairings: Iterable[Pairing]) -> dict[str, Counter[Pair]]:
    pairings = tuple(pairings)
    return {kind: Counter(pairing.pair(kind) for pairing in pairings) for kind in PLACES}
