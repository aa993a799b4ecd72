"""Which rules a tally goes by: the steps that settle places, and what wins the silver medal.

The rules of 2010 are the ones that hold unless others are named. Later years' are here by the year
that first had them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from scheduler.errors import BadInput
from scheduler.medals import SILVER, SilverRule
from scheduler.texts import listed, near, shown
from scheduler.ties import STEPS, Step


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
"""Rules of 2010, section 3. The published result of 2009 (Brighton, "average rank" 4.5, 5 and 5.5
among six, nobody taken for the human) comes out of them as well."""

YEARS: Mapping[str, Rules] = {
    "2010": RULES_2010,
    # Places by "judges' ranked scores" (2014 to 2016), the silver medal for "at least half the
    # judges, when compared to at least half the humans" (the call of 2014; of 2012 before).
    "2014": _rules("half", "mean-rank"),
    # "Each judge individually awarded the most human-like bot 4 points with the runners-up being
    # awarded 3, 2, and 1 points" (the organizers' announcement of the result of 2017).
    "2017": _rules("half", "points"),
}
"""Rules by the first year that had them."""


def rules_of(steps: Sequence[str], silver: str, source: str = "") -> Rules:
    """Rules by the names of their parts.

    Arguments:
        steps: names of :data:`scheduler.ties.STEPS`, in the order in which they settle.
        silver: a name of :data:`scheduler.medals.SILVER`.
        source: where the names come from, for messages.

    Returns:
        The rules.

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
            raise BadInput(f"the step {name} stands twice; name it once", source=source)
    if silver not in SILVER:
        raise BadInput(
            f"there is no rule {shown(silver)} for the silver medal{near(silver, SILVER)}",
            source=source,
        )
    return _rules(silver, *steps)


def rules_named(name: str) -> Rules:
    """Rules by a name, as a command is given it.

    Arguments:
        name: a year of :data:`YEARS`, or steps with commas between them, such as
            ``points,mean-rank``; these come with the silver rule of 2010.

    Returns:
        The rules.

    Raises:
        BadInput: there are no such rules.
    """
    if name in YEARS:
        return YEARS[name]
    steps = [step.strip() for step in name.split(",")]
    if len(steps) == 1 and steps[0] not in STEPS:
        raise BadInput(
            f"there are no rules {shown(name)}{near(name, [*YEARS, *STEPS])}; name a year, or "
            "steps with commas between them",
            source="--rules",
        )
    return rules_of(steps, RULES_2010.silver.name, "--rules")
