"""Tests the prizes of 2010, and how entries that share a place share them."""

from fractions import Fraction

import pytest

from scheduler import PRIZES_2010, Prizes, Standing, awards


def standings(*places: int) -> list[Standing]:
    return [
        Standing(f"E{i}", 0, None, place, places.count(place) > 1)
        for i, place in enumerate(places, 1)
    ]


@pytest.mark.parametrize(
    ("places", "money"),
    [
        ((1, 2, 3, 4), [3000, 1000, 750, 250]),
        ((1, 2, 2, 4), [3000, 875, 875, 250]),
        ((1, 1, 3, 3), [2000, 2000, 500, 500]),
        ((1, 1, 1, 4), [Fraction(4750, 3)] * 3 + [250]),
        ((1, 1, 1, 1), [1250] * 4),
        ((1, 2, 3, 4, 4), [3000, 1000, 750, 125, 125]),
        ((1, 2, 3, 4, 5), [3000, 1000, 750, 250, 0]),
        ((1,), [3000]),
    ],
)
def test_entries_that_share_a_place_share_its_prizes(
    places: tuple[int, ...], money: list[Fraction]
) -> None:
    given = awards(standings(*places))
    assert [award.money for award in given] == money
    assert sum(award.money for award in given) == sum(PRIZES_2010.places[: len(places)])
    assert [award.bronze for award in given] == [place == 1 for place in places]


@pytest.mark.parametrize("count", range(1, 5))
@pytest.mark.parametrize("first", range(1, 5))
def test_rounded_shares_never_exceed_the_prizes(first: int, count: int) -> None:
    sharing = awards(standings(*range(1, first), *[first] * count))[first - 1 :]
    written = [PRIZES_2010.amount(award.money) for award in sharing]
    paid = sum(Fraction(text.removeprefix("US$ ").replace(",", "")) for text in written)
    prize = sum(PRIZES_2010.places[first - 1 : first - 1 + count])
    assert prize - Fraction(count, 100) < paid <= prize


@pytest.mark.parametrize(
    ("is_advance", "due"), [(False, [3000, 1000, 750, 250]), (True, [2750, 750, 500, 0])]
)
def test_the_finalists_money_may_be_an_advance(is_advance: bool, due: list[int]) -> None:
    given = awards(standings(1, 2, 3, 4), prizes=Prizes(finalist_is_advance=is_advance))
    assert [award.still_due for award in given] == due
    assert {award.at_announcement for award in given} == {250}
