"""The silver medal: which verdicts win it, and who did, with the evidence.

An entry wins it that was taken for the human by so many *judges*, who compared it with so many
different *humans*. How many, is the rule of the year.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import ClassVar

from scheduler.schedule import Roster
from scheduler.texts import in_order
from scheduler.verdicts import Choice, Verdict


class SilverRule(ABC):
    """How many judges and humans it takes.

    Attributes:
        name: as settings call it.
    """

    name: ClassVar[str]

    @abstractmethod
    def needed(self, roster: Roster) -> tuple[int, int]:
        """How many judges, and how many humans, it takes in a contest of these."""

    @abstractmethod
    def words(self, roster: Roster) -> str:
        """Who has to take the entry for the human, as the end of `taken for the human by`."""


class TwoJudgesTwoHumans(SilverRule):
    """Two or more judges comparing two or more humans (rules 2010, section 3)."""

    name = "two-judges-two-humans"

    def needed(self, roster: Roster) -> tuple[int, int]:
        """See SilverRule."""
        return 2, 2

    def words(self, roster: Roster) -> str:
        """See SilverRule."""
        return "two or more judges comparing it with two or more different humans"


class Half(SilverRule):
    """At least half of the judges, when paired with at least half of the humans (2012 and later):
    of all judges and confederates of the contest, whether they met the entry or not."""

    name = "half"

    def needed(self, roster: Roster) -> tuple[int, int]:
        """See SilverRule."""
        return -(-len(roster.judges) // 2), -(-len(roster.confederates) // 2)

    def words(self, roster: Roster) -> str:
        """See SilverRule."""
        judges, humans = self.needed(roster)
        return (
            f"at least half of the judges ({judges} of {len(roster.judges)}) comparing it with at "
            f"least half of the humans ({humans} of {len(roster.confederates)})"
        )


SILVER: Mapping[str, SilverRule] = {rule.name: rule for rule in (TwoJudgesTwoHumans(), Half())}
"""All rules for the silver medal by their names."""


@dataclass(frozen=True, slots=True)
class Silver:
    """An entry that won the silver medal, with the evidence.

    Arguments:
        entry: the entry.
        judges: the judges who took it for the human.
        confederates: the humans whom they compared it with.
    """

    entry: str
    judges: tuple[str, ...]
    confederates: tuple[str, ...]

    def as_json(self) -> dict[str, object]:
        """The evidence as the JSON contract has it."""
        return {
            "entry": self.entry,
            "judges": list(self.judges),
            "confederates": list(self.confederates),
        }


def silver_medals(
    verdicts: Iterable[Verdict], roster: Roster, rule: SilverRule
) -> tuple[Silver, ...]:
    """Who won the silver medal.

    "If any entry fools two or more judges comparing two or more humans into thinking that the
    entry is the human, the US$25,000 and Silver Medal will be awarded" (rules 2010, section 3).
    Two judges and two humans in an entry's favour always hold two verdicts that differ in both:
    were there none, all would share their judge or their human.

    Arguments:
        verdicts: all verdicts that count.
        roster: who is there.
        rule: how many judges and humans it takes.

    Returns:
        The entries that did, in natural order; all judges and humans that count are named.
    """
    favourable: dict[str, list[Verdict]] = {}
    for verdict in verdicts:
        if verdict.choice is Choice.ENTRY:
            favourable.setdefault(verdict.pairing.entry, []).append(verdict)
    needed_judges, needed_humans = rule.needed(roster)
    medals = []
    for entry in in_order(favourable):
        judges = in_order(v.pairing.judge for v in favourable[entry])
        confederates = in_order(v.pairing.confederate for v in favourable[entry])
        if len(judges) >= needed_judges and len(confederates) >= needed_humans:
            medals.append(Silver(entry, judges, confederates))
    return tuple(medals)
