"""How places are settled: steps in a declared order, each one a small class.

A *step* gives each entry a value, and says whether the higher or the lower one is better. The first
step orders the entries; who is equal there is ordered by the second step, and so on. Who is equal
after the last step is *tied* and shares the place: never a coin, never the order of entry.

A step has no value for an entry that it knows nothing of, such as the mean rank of one that no
ballot ranks. That entry is neither better nor worse than one with a value, so the step can't settle
anything among the entries that it has to settle at once with it.

Another rule is another class here, named in :data:`STEPS`; what uses steps does not change.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import groupby
from typing import ClassVar

from scheduler.numbers import number
from scheduler.schedule import Roster
from scheduler.standings import Standing
from scheduler.texts import listed, natural
from scheduler.verdicts import Choice, Verdict

Values = Mapping[str, Fraction | None]
"""For each entry its value in a step; None where the step knows nothing of it."""


@dataclass(frozen=True, slots=True)
class Counted:
    """What steps look at.

    Arguments:
        roster: who is there.
        verdicts: those that count; some may have no choice yet.
        ranks: for each judge whose ballot counts, participant to rank.
    """

    roster: Roster
    verdicts: tuple[Verdict, ...]
    ranks: Mapping[str, Mapping[str, Fraction]]

    def of(self, entry: str, choice: Choice) -> int:
        """How many verdicts on an entry took the one of `choice` for the human."""
        return sum(v.choice is choice and v.pairing.entry == entry for v in self.verdicts)


class Step(ABC):
    """One step of a rule; see the module.

    Attributes:
        name: as settings and commands call it.
        heading: as a table calls it.
        rule: what it goes by, in words for whoever reads a result.
        lower_is_better: whether the lower value is the better one.
        source: what can settle nothing where it is lacking, as in "the rankings can't settle it".
        lacking: where it is lacking, of the entries in the place of ``{}``.
    """

    name: ClassVar[str]
    heading: ClassVar[str]
    rule: ClassVar[str]
    lower_is_better: ClassVar[bool] = False
    source: ClassVar[str] = "rankings"
    lacking: ClassVar[str] = "no ballot ranks {}"

    @abstractmethod
    def values(self, counted: Counted) -> Values:
        """The value of each entry of the roster."""

    def of(self, standing: Standing) -> Fraction | None:
        """The value that the step had for an entry, from its standing."""
        return dict(standing.values)[self.name]

    def amount(self, value: Fraction) -> str:
        """A value as what an entry has: `has the mean rank 2.25`, without the `has`."""
        return f"the {self.heading} {number(value)}"

    def compared(self, values: Iterable[Fraction]) -> str:
        """Several values that differ: `mean ranks 2.25 and 2.75`."""
        return f"{self.heading}s {listed(map(number, values))}"

    def equal(self, value: Fraction) -> str:
        """One value that several have: `the mean rank of each is 2.25`."""
        return f"the {self.heading} of each is {number(value)}"


class ColumnSum(Step):
    """How many verdicts took the entry for the human: the sum of its column (rules 2010,
    section 3). A pairing without a verdict adds nothing."""

    name = "column-sum"
    heading = "score"
    rule = "the score, which is the number of verdicts that took the entry for the human"

    def values(self, counted: Counted) -> Values:
        """See Step."""
        return {e: Fraction(counted.of(e, Choice.ENTRY)) for e in counted.roster.entries}

    def of(self, standing: Standing) -> Fraction:
        """See Step."""
        return Fraction(standing.score)

    def amount(self, value: Fraction) -> str:
        """See Step."""
        return number(value)


class MeanRank(Step):
    """The mean of the ranks on all ballots that rank the entry, lower is better (rules 2010,
    section 3; alone in 2014 to 2016)."""

    name = "mean-rank"
    heading = "mean rank"
    rule = "the mean of the judges' rankings"
    lower_is_better = True

    def values(self, counted: Counted) -> Values:
        """See Step."""
        means: dict[str, Fraction | None] = {}
        for entry in counted.roster.entries:
            given = [ballot[entry] for ballot in counted.ranks.values() if entry in ballot]
            means[entry] = Fraction(sum(given), len(given)) if given else None
        return means

    def of(self, standing: Standing) -> Fraction | None:
        """See Step."""
        return standing.mean_rank


class Points(Step):
    """Points by the order of the entries among themselves on each ballot (2017): of four entries
    the best one has 4, the others 3, 2 and 1. Equal ones share the points of the places that they
    take up. A ballot that lacks an entry gives it nothing."""

    name = "points"
    heading = "points"
    rule = "the points for the order of the entries among themselves in the judges' rankings"

    def values(self, counted: Counted) -> Values:
        """See Step."""
        entries = counted.roster.entries
        points: dict[str, Fraction | None] = dict.fromkeys(entries)
        for ballot in counted.ranks.values():
            ranked = sorted((e for e in entries if e in ballot), key=lambda e: ballot[e])
            left = len(entries)
            for _, same in groupby(ranked, key=lambda e: ballot[e]):
                sharing = list(same)
                # The mean of as many points in a row, the highest of them `left`.
                each = left - Fraction(len(sharing) - 1, 2)
                left -= len(sharing)
                for entry in sharing:
                    points[entry] = (points[entry] or Fraction(0)) + each
        return points

    def amount(self, value: Fraction) -> str:
        """See Step."""
        return f"{number(value)} point{'s' * (value != 1)}"

    def compared(self, values: Iterable[Fraction]) -> str:
        """See Step."""
        return f"points {listed(map(number, values))}"

    def equal(self, value: Fraction) -> str:
        """See Step."""
        return f"each has {self.amount(value)}"


class FewestLost(Step):
    """How many verdicts took the confederate for the human; fewer are better. It differs from the
    score where entries have not as many pairings each."""

    name = "fewest-lost"
    heading = "lost"
    rule = "the number of verdicts that took the confederate for the human"
    lower_is_better = True

    def values(self, counted: Counted) -> Values:
        """See Step."""
        return {e: Fraction(counted.of(e, Choice.CONFEDERATE)) for e in counted.roster.entries}

    def amount(self, value: Fraction) -> str:
        """See Step."""
        return f"{number(value)} lost verdict{'s' * (value != 1)}"

    def compared(self, values: Iterable[Fraction]) -> str:
        """See Step."""
        return f"lost verdicts {listed(map(number, values))}"

    def equal(self, value: Fraction) -> str:
        """See Step."""
        return f"each has {self.amount(value)}"


class Share(Step):
    """The share of the verdicts on an entry that took it for the human: fair where entries have
    not as many pairings each."""

    name = "share"
    heading = "share"
    rule = "the share of the verdicts on the entry that took it for the human"
    source = "verdicts"
    lacking = "there is no verdict on {}"

    def values(self, counted: Counted) -> Values:
        """See Step."""
        shares: dict[str, Fraction | None] = {}
        for entry in counted.roster.entries:
            won, lost = counted.of(entry, Choice.ENTRY), counted.of(entry, Choice.CONFEDERATE)
            shares[entry] = Fraction(won, won + lost) if won + lost else None
        return shares


STEPS: Mapping[str, Step] = {
    step.name: step for step in (ColumnSum(), MeanRank(), Points(), FewestLost(), Share())
}
"""All steps by their names."""


def placed(counted: Counted, steps: Sequence[Step]) -> list[list[str]]:
    """The entries in the order of their places.

    Arguments:
        counted: what counts.
        steps: in the order in which they settle.

    Returns:
        For each place who has it; those who share one in natural order.
    """
    known = [(step, step.values(counted)) for step in steps]
    return _settled(sorted(counted.roster.entries, key=natural), known)


def _settled(group: list[str], known: Sequence[tuple[Step, Values]]) -> list[list[str]]:
    """A group parted as far as the steps part it. Each part is looked at from the first step again:
    one that lacked a value may have held up the others, and be gone from among them."""
    for step, values in known:
        parts = _parted(group, values, step)
        if len(parts) > 1:
            return [each for part in parts for each in _settled(part, known)]
    return [group]


def _parted(group: list[str], values: Values, step: Step) -> list[list[str]]:
    known = {entry: value for entry in group if (value := values[entry]) is not None}
    if len(known) < len(group):
        return [group]
    ordered = sorted(group, key=lambda entry: known[entry], reverse=not step.lower_is_better)
    return [list(same) for _, same in groupby(ordered, key=lambda entry: known[entry])]


def tie_warnings(standings: Sequence[Standing], steps: Sequence[Step]) -> Iterable[str]:
    """Ties that stay because something is lacking, not because entries are equal.

    Arguments:
        standings: the entries with their places.
        steps: what settled them.

    Returns:
        Warnings, one a tie and step.
    """
    for _, group in groupby(standings, key=lambda standing: standing.place):
        tied = list(group)
        for step in steps if len(tied) > 1 else ():
            without = [s.entry for s in tied if step.of(s) is None]
            if without:
                yield (
                    f"The tie of {listed(s.entry for s in tied)} can't be settled by the "
                    f"{step.source}: {step.lacking.format(listed(without))}"
                )
