"""Pairings, schedules with rounds, and matrices without rounds.

Terms: a *pairing* is one judge, one entry and one confederate in one round. A *schedule* consists
of pairings in rounds. A *matrix* gives, for each judge and entry, the confederate with whom the
judge compares the entry, but not the round. The *roster* lists everybody who takes part.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Self

from scheduler.documents import Node
from scheduler.errors import BadInput
from scheduler.texts import Phrase, id_problem, in_order, shown

ROLES = ("judge", "entry", "confederate")
"""The three kinds of people."""

PLACES = {"judge_entry": (0, 1), "judge_confederate": (0, 2), "entry_confederate": (1, 2)}
"""The positions of each kind of pair among judge, entry and confederate."""

Pair = tuple[str, str]
"""Two people of different kinds, in the order judge, entry, confederate."""

Trio = tuple[str, str, str]
"""Judge, entry and confederate."""


@dataclass(frozen=True, slots=True, order=True)
class Pairing:
    """One judge, one entry and one confederate in one round.

    Arguments:
        round: the round, from 1.
        judge: the judge's id, such as J1.
        entry: the entry's id, such as E1.
        confederate: the confederate's id, such as C1.
    """

    round: int
    judge: str
    entry: str
    confederate: str

    @property
    def names(self) -> Trio:
        """Judge, entry and confederate."""
        return self.judge, self.entry, self.confederate

    @property
    def label(self) -> str:
        """The three ids in a row, such as J1E1C1."""
        return "".join(self.names)

    def pair(self, kind: str) -> Pair:
        """The pair of a kind in :data:`PLACES`."""
        one, other = PLACES[kind]
        return self.names[one], self.names[other]


@dataclass(frozen=True, slots=True)
class Roster:
    """Everybody who takes part, each kind in natural order.

    Arguments:
        judges: the judges' ids.
        entries: the entries' ids.
        confederates: the confederates' ids.
    """

    judges: tuple[str, ...]
    entries: tuple[str, ...]
    confederates: tuple[str, ...]

    @classmethod
    def of(
        cls,
        judges: Iterable[str],
        entries: Iterable[str],
        confederates: Iterable[str],
        source: str = "",
    ) -> Self:
        """Makes a roster of these people, in any order and possibly with repetitions.

        Raises:
            BadInput: an id is invalid, or is used for two kinds of people.
        """
        kinds = {"judge": judges, "entry": entries, "confederate": confederates}
        people = {kind: in_order(names) for kind, names in kinds.items()}
        owner: dict[str, str] = {}
        for kind, names in people.items():
            for name in names:
                problem = id_problem(name)
                if name in owner:
                    both = f"{{id}} is the id of both {owner[name]} and {kind}; give each its own"
                    problem = Phrase(both, id=shown(name))
                if problem:
                    raise BadInput(problem, source=source, field=kind)
                owner[name] = kind
        return cls(*people.values())

    @property
    def people(self) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
        """Judges, entries, confederates."""
        return self.judges, self.entries, self.confederates

    @property
    def participants(self) -> tuple[str, ...]:
        """Everybody on a judge's ballot: the entries, then the confederates."""
        return self.entries + self.confederates


@dataclass(frozen=True, slots=True)
class Schedule:
    """Pairings in rounds; create it with :meth:`of`.

    Arguments:
        pairings: the pairings in the order of their rounds.
        roster: everybody who takes part, including people without a pairing.
    """

    pairings: tuple[Pairing, ...]
    roster: Roster

    @classmethod
    def of(
        cls,
        pairings: Iterable[Pairing],
        *,
        judges: Iterable[str] = (),
        entries: Iterable[str] = (),
        confederates: Iterable[str] = (),
        source: str = "",
    ) -> Self:
        """Makes a schedule of these pairings.

        Arguments:
            pairings: in any order of rounds; within a round the order is kept.
            judges: further judges who are not in the pairings.
            entries: further entries that are not in the pairings.
            confederates: further confederates who are not in the pairings.

        Returns:
            The schedule, which may be faulty; use :func:`scheduler.check`.

        Raises:
            BadInput: there are no pairings, a round is out of range, or an id is invalid or
                ambiguous.
        """
        held = tuple(sorted(pairings, key=lambda pairing: pairing.round))
        if not held:
            raise BadInput("has no pairings", source=source)
        for pairing in (held[0], held[-1]):
            Node(pairing.round, source, "round").round()
        playing = zip(*(pairing.names for pairing in held), strict=True)
        more = (judges, entries, confederates)
        people = [[*names, *others] for names, others in zip(playing, more, strict=True)]
        return cls(held, Roster.of(people[0], people[1], people[2], source))

    @property
    def rounds(self) -> tuple[tuple[Pairing, ...], ...]:
        """The pairings of round 1, round 2 and so on; empty for unused numbers."""
        held: list[list[Pairing]] = [[] for _ in range(self.pairings[-1].round)]
        for pairing in self.pairings:
            held[pairing.round - 1].append(pairing)
        return tuple(tuple(r) for r in held)


@dataclass(frozen=True, slots=True)
class Matrix:
    """Pairings without rounds; create it with :meth:`of`.

    Arguments:
        triples: the pairings, as judge, entry, confederate.
        roster: everybody who takes part, including judges and entries without a pairing.
    """

    triples: tuple[Trio, ...]
    roster: Roster

    @classmethod
    def of(
        cls,
        triples: Iterable[Trio],
        judges: Iterable[str],
        entries: Iterable[str],
        source: str = "",
    ) -> Self:
        """Makes a matrix of these pairings.

        Raises:
            BadInput: there are no pairings, or an id is invalid or ambiguous.
        """
        held = tuple(triples)
        if not held:
            raise BadInput("the matrix has no confederates", source=source)
        return cls(held, Roster.of(judges, entries, (c for _, _, c in held), source))
