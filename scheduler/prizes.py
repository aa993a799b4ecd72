"""Prizes and medals: the silver rule with its evidence, and what the places are worth.

Source: rules of the Loebner Prize 2010, "Prize Money" and section 3.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from scheduler.standings import Standing
from scheduler.texts import in_order
from scheduler.verdicts import Choice, Verdict

SILVER_JUDGES = 2
"""So many judges have to take the entry for the human ..."""

SILVER_CONFEDERATES = 2
"""... while comparing it with so many different humans."""


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


def silver_medals(verdicts: Iterable[Verdict]) -> tuple[Silver, ...]:
    """Who won the silver medal.

    "If any entry fools two or more judges comparing two or more humans into thinking that the
    entry is the human, the US$25,000 and Silver Medal will be awarded" (section 3). Two judges and
    two humans in an entry's favour always hold two verdicts that differ in both: were there none,
    all would share their judge or their human.

    Arguments:
        verdicts: all verdicts.

    Returns:
        The entries that did, in natural order; all judges and humans that count are named.
    """
    favourable: dict[str, list[Verdict]] = {}
    for verdict in verdicts:
        if verdict.choice is Choice.ENTRY:
            favourable.setdefault(verdict.pairing.entry, []).append(verdict)
    medals = []
    for entry in in_order(favourable):
        judges = in_order(v.pairing.judge for v in favourable[entry])
        confederates = in_order(v.pairing.confederate for v in favourable[entry])
        if len(judges) >= SILVER_JUDGES and len(confederates) >= SILVER_CONFEDERATES:
            medals.append(Silver(entry, judges, confederates))
    return tuple(medals)


@dataclass(frozen=True, slots=True)
class Prizes:
    """What there is to win, in US$.

    Arguments:
        places: for the first place, the second and so on. The first has the bronze medal, too.
        finalist: for each finalist when the finalists are announced.
        finalist_is_advance: whether that is part of the place's prize; the rules do not say.
        silver: with the silver medal.
    """

    places: tuple[int, ...] = (3000, 1000, 750, 250)
    finalist: int = 250
    finalist_is_advance: bool = False
    silver: int = 25_000


PRIZES_2010 = Prizes()
"""The prizes of 2010; the $5,000 of prize money are the sum of its four places."""


@dataclass(frozen=True, slots=True)
class Award:
    """What an entry wins.

    Arguments:
        entry: the entry.
        money: US$ for its place, exactly; of a shared place an equal share.
        at_announcement: US$ given when the finalists are announced.
        still_due: US$ for the place that are not yet paid.
        bronze: whether it has the bronze medal, alone or shared.
        silver: whether it has fulfilled the silver rule.
    """

    entry: str
    money: Fraction
    at_announcement: int
    still_due: Fraction
    bronze: bool
    silver: bool


def awards(
    standings: Sequence[Standing],
    medals: Iterable[Silver] = (),
    prizes: Prizes = PRIZES_2010,
) -> tuple[Award, ...]:
    """What the places are worth; those who share a place share the prizes of the places taken.

    Arguments:
        standings: the entries with their places, all finalists.
        medals: who has fulfilled the silver rule.
        prizes: what there is to win.

    Returns:
        An award an entry, in the order given.
    """
    silver = {medal.entry for medal in medals}
    result = []
    for standing in standings:
        sharing = sum(other.place == standing.place for other in standings)
        taken = prizes.places[standing.place - 1 : standing.place - 1 + sharing]
        money = Fraction(sum(taken), sharing)
        due = money - prizes.finalist if prizes.finalist_is_advance else money
        result.append(
            Award(
                standing.entry,
                money,
                prizes.finalist,
                max(Fraction(0), due),
                standing.place == 1,
                standing.entry in silver,
            )
        )
    return tuple(result)
