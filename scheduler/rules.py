"""Which rules a tally goes by: the steps that settle places, and what wins the silver medal.

A *step* gives each entry a value and says whether the higher or the lower one is better. The first
step orders the entries, the second orders those who are equal there, and so on. Entries that are
equal after the last step are *tied* and share the place: never a coin, never the order of entry. A
step has no value for an entry that it knows nothing of, such as the mean rank of one that no ballot
ranks. Such an entry is neither better nor worse than the others, so the step can't settle a group
that holds one.

The rules of 2010 hold unless a contest's settings name other steps. Another step is another row of
:data:`STEPS`.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import groupby

from scheduler.errors import BadInput
from scheduler.schedule import Roster
from scheduler.texts import listed, natural, near, number, shown
from scheduler.verdicts import Choice, Verdict

Values = Mapping[str, Fraction | None]
"""For each entry its value in a step; None where the step knows nothing of it."""


@dataclass(frozen=True, slots=True)
class Counted:
    """What steps look at.

    Arguments:
        roster: who takes part.
        verdicts: those that count; some may have no choice yet.
        ranks: for each judge whose ballot counts, participant to rank.
    """

    roster: Roster
    verdicts: tuple[Verdict, ...]
    ranks: Mapping[str, Mapping[str, Fraction]]

    def of(self, entry: str, choice: Choice) -> int:
        """How many verdicts on an entry took the one of `choice` for the human."""
        return sum(v.choice is choice and v.pairing.entry == entry for v in self.verdicts)


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a rule; see the module.

    Arguments:
        name: as settings and commands call it.
        heading: as a table calls it.
        rule: what it goes by, in words for readers of a result.
        values: gives each entry of the roster its value.
        lower_is_better: whether the lower value is the better one.
        source: what can settle nothing where it is lacking, as in "the rankings can't settle it".
        lacking: the words where it is lacking, for the entries in the place of ``{}``.
        unit: what a value counts, such as "point"; empty for a value without a unit.
        bare: whether a sentence gives the value without the heading: "has 2", not "has the score
            2".
    """

    name: str
    heading: str
    rule: str
    values: Callable[[Counted], Values]
    lower_is_better: bool = False
    source: str = "rankings"
    lacking: str = "no ballot ranks {}"
    unit: str = ""
    bare: bool = False

    def amount(self, value: Fraction) -> str:
        """A value as what an entry has: `has the mean rank 2.25`, without the `has`."""
        if self.unit:
            return f"{number(value)} {self.unit}{'s' * (value != 1)}"
        return number(value) if self.bare else f"the {self.heading} {number(value)}"

    def compared(self, values: Iterable[Fraction]) -> str:
        """Several values that differ: `mean ranks 2.25 and 2.75`."""
        return f"{self.unit or self.heading}s {listed(map(number, values))}"

    def equal(self, value: Fraction) -> str:
        """One value that several have: `the mean rank of each is 2.25`."""
        if self.unit:
            return f"each has {self.amount(value)}"
        return f"the {self.heading} of each is {number(value)}"


def _mean_rank(counted: Counted) -> Values:
    """The mean of the ranks on all ballots that rank the entry."""
    means: dict[str, Fraction | None] = {}
    for entry in counted.roster.entries:
        given = [ballot[entry] for ballot in counted.ranks.values() if entry in ballot]
        means[entry] = Fraction(sum(given), len(given)) if given else None
    return means


def _points(counted: Counted) -> Values:
    """Points by the order of the entries among themselves on each ballot: of four entries the best
    one has 4, the others 3, 2 and 1. Equal ones share the points of the places that they take up. A
    ballot that lacks an entry gives it nothing."""
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


def _verdicts(choice: Choice) -> Callable[[Counted], Values]:
    """How many verdicts took the one of `choice` for the human. A pairing without a verdict adds
    nothing."""
    return lambda counted: {e: Fraction(counted.of(e, choice)) for e in counted.roster.entries}


def _share(counted: Counted) -> Values:
    """The share of the verdicts on an entry that took it for the human."""
    shares: dict[str, Fraction | None] = {}
    for entry in counted.roster.entries:
        won, lost = counted.of(entry, Choice.ENTRY), counted.of(entry, Choice.CONFEDERATE)
        shares[entry] = Fraction(won, won + lost) if won + lost else None
    return shares


STEPS: Mapping[str, Step] = {
    step.name: step
    for step in (
        # Rules 2010, section 3.
        Step(
            "column-sum",
            "score",
            "the score, which is the number of verdicts that took the entry for the human",
            _verdicts(Choice.ENTRY),
            bare=True,
        ),
        # Rules 2010, section 3; alone in 2014 to 2016.
        Step(
            "mean-rank",
            "mean rank",
            "the mean of the judges' rankings",
            _mean_rank,
            lower_is_better=True,
        ),
        # 2017.
        Step(
            "points",
            "points",
            "the points for the order of the entries among themselves in the judges' rankings",
            _points,
            unit="point",
        ),
        # Differs from the score where some entries have more pairings than others.
        Step(
            "fewest-lost",
            "lost",
            "the number of verdicts that took the confederate for the human",
            _verdicts(Choice.CONFEDERATE),
            lower_is_better=True,
            unit="lost verdict",
        ),
        # Fair where some entries have more pairings than others.
        Step(
            "share",
            "share",
            "the share of the verdicts on the entry that took it for the human",
            _share,
            source="verdicts",
            lacking="there is no verdict on {}",
        ),
    )
}
"""All steps by their names."""


@dataclass(frozen=True, slots=True)
class SilverRule:
    """How many judges, and how many different humans, have to be on an entry's side.

    Arguments:
        name: as settings call it.
        needed: gives both numbers for the people of a contest.
        words: who has to take the entry for the human, as the end of `taken for the human by`;
            with the places `judges`, `humans`, `all_judges` and `all_humans` for numbers.
    """

    name: str
    needed: Callable[[Roster], tuple[int, int]]
    words: str

    def in_words(self, roster: Roster) -> str:
        """Who has to take the entry for the human, with the numbers of this contest."""
        judges, humans = self.needed(roster)
        return self.words.format(
            judges=judges,
            humans=humans,
            all_judges=len(roster.judges),
            all_humans=len(roster.confederates),
        )


SILVER: Mapping[str, SilverRule] = {
    rule.name: rule
    for rule in (
        # Rules 2010, section 3.
        SilverRule(
            "two-judges-two-humans",
            lambda _roster: (2, 2),
            "two or more judges comparing it with two or more different humans",
        ),
        # 2012 and later: of all judges and confederates, whether they met the entry or not.
        SilverRule(
            "half",
            lambda roster: (-(-len(roster.judges) // 2), -(-len(roster.confederates) // 2)),
            "at least half of the judges ({judges} of {all_judges}) comparing it with at least "
            "half of the humans ({humans} of {all_humans})",
        ),
    )
}
"""All rules for the silver medal by their names."""


@dataclass(frozen=True, slots=True)
class Rules:
    """The rules of a tally.

    Arguments:
        steps: what settles places, in this order; one at least.
        silver: what wins the silver medal.
    """

    steps: tuple[Step, ...]
    silver: SilverRule

    def as_json(self) -> dict[str, object]:
        """The rules by the names that settings have for them."""
        return {"tally": [step.name for step in self.steps], "silver": self.silver.name}


def _rules(silver: str, *steps: str) -> Rules:
    return Rules(tuple(STEPS[name] for name in steps), SILVER[silver])


RULES_2010 = _rules("two-judges-two-humans", "column-sum", "mean-rank")
"""Rules of 2010, section 3."""


def rules_of(steps: Sequence[str], silver: str, source: str = "") -> Rules:
    """Rules by the names of their parts.

    Arguments:
        steps: names of :data:`STEPS`, in the order in which they settle.
        silver: a name of :data:`SILVER`.
        source: where the names come from, for messages.

    Raises:
        BadInput: a name is unknown, a step is there twice, or there is none.
    """
    if not steps:
        raise BadInput(f"no step settles the places; name {listed(STEPS)}", source=source)
    for name in steps:
        if name not in STEPS:
            raise BadInput(
                f"there is no step {shown(name)} in a tally{near(name, STEPS)}", source=source
            )
        if list(steps).count(name) > 1:
            raise BadInput(f"the step {name} is there twice; name it once", source=source)
    if silver not in SILVER:
        raise BadInput(
            f"there is no rule {shown(silver)} for the silver medal{near(silver, SILVER)}",
            source=source,
        )
    return _rules(silver, *steps)


def placed(counted: Counted, steps: Sequence[Step]) -> list[list[str]]:
    """The entries in the order of their places.

    Arguments:
        counted: what counts.
        steps: in the order in which they settle.

    Returns:
        For each place its entries; those who share one in natural order.
    """
    known = [(step, step.values(counted)) for step in steps]
    return _settled(sorted(counted.roster.entries, key=natural), known)


def _settled(group: list[str], known: Sequence[tuple[Step, Values]]) -> list[list[str]]:
    """A group parted as far as the steps part it. Each part starts at the first step again: an
    entry that lacked a value may have held up the others, and be in another part now."""
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
