"""The prizes, and how they are awarded to places.

Source: rules of the Loebner Prize 2010, "Prize Money" and section 3. :func:`scheduler.tally`
decides who has won the silver medal.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from fractions import Fraction

from scheduler.tallying import SilverMedal, Standing
from scheduler.texts import Phrase, grouped


@dataclass(frozen=True, slots=True)
class Prizes:
    """The prizes of a contest; money in whole units of the currency.

    Arguments:
        places: the prizes for the first place, the second and so on.
        finalist: paid to each finalist when the finalists are announced.
        finalist_is_advance: whether that is part of the place's prize; the rules don't say.
        silver: awarded with the silver medal.
        gold: awarded with the gold medal, for which the contest continues if the silver medal
            is won; 0 if there is none.
        currency: written before an amount.
        first_medal: the medal of the first place; empty if there is none.
        silver_medal: the name of the silver medal.
        gold_medal: the name of the gold medal.
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
        """The prizes by their names in the settings."""
        return asdict(self) | {"places": list(self.places)}

    def amount(self, money: Fraction | int) -> str:
        """Money in words.

        Arguments:
            money: the exact amount.

        Returns:
            Text such as ``US$ 1,583.33``, rounded down to hundredths, so that equal shares of a
            prize never add up to more than the prize.
        """
        hundredths = math.floor(Fraction(money) * 100)
        whole, rest = divmod(hundredths, 100)
        text = grouped(whole)
        if rest:
            text = Phrase("{whole}.{digits}", whole=text, digits=f"{rest:02d}")
        return (
            Phrase("{currency} {amount}", currency=self.currency, amount=text)
            if self.currency
            else text
        )


PRIZES_2010 = Prizes()
"""The prizes of 2010; the $5,000 prize money is the sum for the four places."""


@dataclass(frozen=True, slots=True)
class Award:
    """What an entry wins.

    Arguments:
        entry: the entry.
        money: the exact amount for its place; for a shared place an equal share.
        at_announcement: money paid when the finalists are announced.
        still_due: money for the place that is still to be paid.
        bronze: whether it wins the medal of the first place, alone or shared.
        silver: whether it wins the silver medal.
    """

    entry: str
    money: Fraction
    at_announcement: int
    still_due: Fraction
    bronze: bool
    silver: bool


def awards(
    standings: Sequence[Standing],
    medals: Iterable[SilverMedal] = (),
    prizes: Prizes = PRIZES_2010,
) -> tuple[Award, ...]:
    """Awards the prizes; entries that share a place share the prizes of the places that they
    occupy.

    Arguments:
        standings: the entries with their places, all finalists.
        medals: the winners of the silver medal.

    Returns:
        One award per entry, in the order given.
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
