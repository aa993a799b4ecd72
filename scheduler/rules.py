"""The rules of a tally: the steps that decide places, and how the silver medal is won.

A *step* gives each entry a value and says whether higher or lower values are better. The first step
orders the entries, the second orders entries that are equal in the first, and so on. Entries that
are equal after the last step are *tied* and share the place; ties are never broken by chance or by
the order of the entries. A step may have no value for an entry, such as the mean rank of an entry
that no ballot ranks. Such an entry is neither better nor worse than the others, so the step can't
decide a group that contains one.

The rules of 2010 apply unless a contest's settings name other steps. To add a step, add a row to
:data:`STEPS`.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import groupby

from scheduler.errors import BadInput
from scheduler.schedule import Roster
from scheduler.texts import Phrase, did_you_mean, listed, natural, number, shown
from scheduler.verdicts import Choice, Verdict

Values = Mapping[str, Fraction | None]
"""Each entry's value in a step; None if the step has no value for it."""


@dataclass(frozen=True, slots=True)
class TallyInput:
    """The input of the steps: what counts in a tally.

    Arguments:
        roster: who takes part.
        verdicts: the verdicts that count; some may have no choice yet.
        ranks: for each judge whose ballot counts, the rank of each participant.
    """

    roster: Roster
    verdicts: tuple[Verdict, ...]
    ranks: Mapping[str, Mapping[str, Fraction]]

    def of(self, entry: str, choice: Choice) -> int:
        """How many verdicts on an entry made this choice."""
        return sum(v.choice is choice and v.pairing.entry == entry for v in self.verdicts)


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a rule; see the module.

    Arguments:
        name: its name in settings and commands.
        heading: its name in tables.
        rule: its criterion, in words for readers of a result.
        values: gives each entry of the roster its value.
        lower_is_better: whether lower values are better.
        source: what values come from, as in "the rankings can't decide it".
        lacking: the template of the message about missing values; its field is ``entries``.
        unit: the unit of a value, such as "point"; empty for none.
        bare: whether a sentence gives the value without the heading: "has 2", not "has a score of
            2".
    """

    name: str
    heading: str
    rule: str
    values: Callable[[TallyInput], Values]
    lower_is_better: bool = False
    source: str = "rankings"
    lacking: str = "no ballot ranks {entries}"
    unit: str = ""
    bare: bool = False

    def amount(self, value: Fraction) -> str:
        """A value in words after "has", such as `a mean rank of 2.25`."""
        if self.unit:
            return Phrase(f"{{value}} {self.unit}{'s' * (value != 1)}", value=number(value))
        return (
            number(value)
            if self.bare
            else Phrase(f"a {self.heading} of {{value}}", value=number(value))
        )

    def compared(self, values: Iterable[Fraction]) -> str:
        """Several different values in words: `mean ranks 2.25 and 2.75`."""
        return Phrase(
            f"{self.unit or self.heading}s {{values}}", values=listed(map(number, values))
        )

    def equal(self, value: Fraction) -> str:
        """A value that several entries share, in words: `the mean rank of each is 2.25`."""
        if self.unit:
            return Phrase("each has {amount}", amount=self.amount(value))
        return Phrase(f"the {self.heading} of each is {{value}}", value=number(value))

    def lacks(self, entries: Iterable[str] = ()) -> str:
        """Says that these entries have no value; without arguments, it refers to them as "them"."""
        names = list(entries)
        return Phrase(self.lacking, entries=listed(names) if names else Phrase("them"))


def _mean_rank(counted: TallyInput) -> Values:
    """The mean of the ranks on all ballots that rank the entry."""
    means: dict[str, Fraction | None] = {}
    for entry in counted.roster.entries:
        given = [ballot[entry] for ballot in counted.ranks.values() if entry in ballot]
        means[entry] = Fraction(sum(given), len(given)) if given else None
    return means


def _points(counted: TallyInput) -> Values:
    """Points for the order of the entries on each ballot, ignoring confederates: of four entries,
    the best has 4, the others 3, 2 and 1. Entries with equal ranks share the points of their
    places. A ballot that lacks an entry gives it nothing."""
    entries = counted.roster.entries
    points: dict[str, Fraction | None] = dict.fromkeys(entries)
    for ballot in counted.ranks.values():
        ranked = sorted((e for e in entries if e in ballot), key=lambda e: ballot[e])
        left = len(entries)
        for _, same in groupby(ranked, key=lambda e: ballot[e]):
            sharing = list(same)
            # The mean of this many consecutive points, of which `left` is the highest.
            each = left - Fraction(len(sharing) - 1, 2)
            left -= len(sharing)
            for entry in sharing:
                points[entry] = (points[entry] or Fraction(0)) + each
    return points


def _verdicts(choice: Choice) -> Callable[[TallyInput], Values]:
    """How many verdicts made this choice. A pairing without a verdict adds nothing."""
    return lambda counted: {e: Fraction(counted.of(e, choice)) for e in counted.roster.entries}


def _share(counted: TallyInput) -> Values:
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
            "the points for the order of the entries in the judges' rankings",
            _points,
            unit="point",
        ),
        # Differs from the score if some entries have more pairings than others.
        Step(
            "fewest-lost",
            "lost",
            "the number of verdicts that took the confederate for the human",
            _verdicts(Choice.CONFEDERATE),
            lower_is_better=True,
            unit="lost verdict",
        ),
        # Fair if some entries have more pairings than others.
        Step(
            "share",
            "share",
            "the share of the verdicts on the entry that took it for the human",
            _share,
            source="verdicts",
            lacking="there is no verdict on {entries}",
        ),
    )
}
"""All steps by their names."""


@dataclass(frozen=True, slots=True)
class SilverRule:
    """How many judges must take an entry for the human, compared with how many different humans.

    Arguments:
        name: its name in settings.
        needed: gives both numbers for the people of a contest.
        words: who must take the entry for the human, to follow `taken for the human by`; with the
            placeholders `judges`, `humans`, `all_judges` and `all_humans` for numbers.
    """

    name: str
    needed: Callable[[Roster], tuple[int, int]]
    words: str

    def in_words(self, roster: Roster) -> str:
        """Who must take the entry for the human, with the numbers of this contest."""
        judges, humans = self.needed(roster)
        return Phrase(
            self.words,
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
        steps: the steps that decide places, in this order; at least one.
        silver: the rule for the silver medal.
    """

    steps: tuple[Step, ...]
    silver: SilverRule

    def as_json(self) -> dict[str, object]:
        """The rules by their names in the settings."""
        return {"tally": [step.name for step in self.steps], "silver": self.silver.name}


def _rules(silver: str, *steps: str) -> Rules:
    return Rules(tuple(STEPS[name] for name in steps), SILVER[silver])


RULES_2010 = _rules("two-judges-two-humans", "column-sum", "mean-rank")
"""Rules of 2010, section 3."""


def rules_of(steps: Sequence[str], silver: str, source: str = "") -> Rules:
    """Makes rules from the names of their parts.

    Arguments:
        steps: names in :data:`STEPS`, in the order in which they apply.
        silver: a name in :data:`SILVER`.
        source: where the names come from, for messages.

    Raises:
        BadInput: a name is unknown, a step appears twice, or there are no steps.
    """
    if not steps:
        problem = f"no step decides the places; give one or more of {listed(STEPS)}"
        raise BadInput(problem, source=source)
    for name in steps:
        if name not in STEPS:
            raise BadInput(
                f"there is no step {shown(name)} in a tally{did_you_mean(name, STEPS)}",
                source=source,
            )
        if list(steps).count(name) > 1:
            raise BadInput(f"the step {name} appears twice; give it once", source=source)
    if silver not in SILVER:
        raise BadInput(
            f"there is no rule {shown(silver)} for the silver medal{did_you_mean(silver, SILVER)}",
            source=source,
        )
    return _rules(silver, *steps)


def order_by_place(counted: TallyInput, steps: Sequence[Step]) -> list[list[str]]:
    """The entries in the order of their places.

    Arguments:
        counted: the verdicts and ranks.
        steps: the steps, in the order in which they apply.

    Returns:
        For each place its entries; entries that share a place are in natural order.
    """
    known = [(step, step.values(counted)) for step in steps]
    return _split_group(sorted(counted.roster.entries, key=natural), known)


def _split_group(group: list[str], known: Sequence[tuple[Step, Values]]) -> list[list[str]]:
    """Splits a group by the steps as far as possible. Each part starts again at the first step,
    because an entry without a value may have blocked that step, and may now be in another part."""
    for step, values in known:
        parts = _split_by(group, values, step)
        if len(parts) > 1:
            return [each for part in parts for each in _split_group(part, known)]
    return [group]


def _split_by(group: list[str], values: Values, step: Step) -> list[list[str]]:
    known = {entry: value for entry in group if (value := values[entry]) is not None}
    if len(known) < len(group):
        return [group]
    ordered = sorted(group, key=lambda entry: known[entry], reverse=not step.lower_is_better)
    return [list(same) for _, same in groupby(ordered, key=lambda entry: known[entry])]
