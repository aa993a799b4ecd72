"""What there is to win, and what the places are worth.

Source: rules of the Loebner Prize 2010, "Prize Money" and section 3. Who has won the silver medal
is found by :func:`scheduler.tally`.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from fractions import Fraction

from scheduler.tallying import Silver, Standing


@dataclass(frozen=True, slots=True)
class Prizes:
    """What there is to win; money in whole units of the currency.

    Arguments:
        places: for the first place, the second and so on.
        finalist: for each finalist when the finalists are announced.
        finalist_is_advance: whether that is part of the place's prize; the rules do not say.
        silver: with the silver medal.
        gold: with the medal of the contest that follows when the silver one is won; 0 if none
            does.
        currency: as it stands before an amount.
        first_medal: the medal of the first place; empty if there is none.
        silver_medal: what the silver medal is called.
        gold_medal: what the medal after it is called.
    """

    places: tuple[int, ...] = (3000, 1000, 750, 250)
    finalist: int = 250
    finalist_is_advance: bool = False
    silver: int = 25_000
    gold: int = 100_000
    currency: str = "US$"
    first_medal: str = "bronze medal"
    silver_medal: str = "silver medal"
    gold_medal: str = "audio-visual gold medal"

    def as_json(self) -> dict[str, object]:
        """The prizes by the names that settings have for them."""
        return asdict(self) | {"places": list(self.places)}

    def amount(self, money: Fraction | int) -> str:
        """Money in words.

        Arguments:
            money: how much, exactly.

        Returns:
            Such as ``US$ 1,583.33``: to the hundredth, rounded down, so that equal shares of a
            prize never add up to more than the prize.
        """
        hundredths = math.floor(Fraction(money) * 100)
        whole, rest = divmod(hundredths, 100)
        text = f"{whole:,}" + (f".{rest:02d}" if rest else "")
        return f"{self.currency} {text}" if self.currency else text


PRIZES_2010 = Prizes()
"""The prizes of 2010; the $5,000 of prize money are the sum of its four places."""


@dataclass(frozen=True, slots=True)
class Award:
    """What an entry wins.

    Arguments:
        entry: the entry.
        money: for its place, exactly; of a shared place an equal share.
        at_announcement: money given when the finalists are announced.
        still_due: money for the place that is not yet paid.
        bronze: whether it has the medal of the first place, alone or shared.
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
                standing.place == 1 and bool(prizes.first_medal),
                standing.entry in silver,
            )
        )
    return tuple(result)
