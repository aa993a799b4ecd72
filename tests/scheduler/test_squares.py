"""Squares of every order but 2 and 6, proved by counts that share nothing with their making."""

from itertools import combinations, product

import pytest

from scheduler.arrays import field_array, product_array
from scheduler.fields import Field
from scheduler.quasi_difference import (
    LARGEST,
    Circles,
    circles,
    column_of,
    holed_array_of_six,
    quasi_difference_array,
    searchable,
    turns_of,
)
from scheduler.squares import IMPOSSIBLE, Triple, construction, near_rounds, rounds

ORDERS = [1, *(order for order in range(3, 31) if order != 6)]
FURTHER = [33, 34, 36, 38, 42, 45, 46, 50, 54, 58, 62, 66, 70, 74, 100]


def pairs_held(plays: list[tuple[Triple, ...]]) -> list[int]:
    """How many different pairs there are of round, judge, entry and confederate, two by two."""
    rows = [(number, *triple) for number, play in enumerate(plays) for triple in play]
    return [len({(row[a], row[b]) for row in rows}) for a, b in combinations(range(4), 2)]


@pytest.mark.parametrize("order", [*ORDERS, *FURTHER])
def test_any_two_meet_exactly_once(order: int) -> None:
    plays = list(rounds(order))
    people = set(range(order))
    assert len(plays) == order
    for play in plays:
        assert all(set(kind) == people for kind in zip(*play, strict=True))
        assert len(play) == order
    # n² rows and n² different pairs of each two columns: each pair exactly once.
    assert pairs_held(plays) == [order * order] * 6


def test_every_order_up_to_1000_has_a_construction_that_fits_it() -> None:
    said = {order: construction(order) for order in range(1, 1001)}
    assert [order for order, how in said.items() if not how] == sorted(IMPOSSIBLE)
    assert said[4] == "the finite field of 4 elements"
    assert said[30] == "a quasi-difference matrix modulo 27 with 3 points at infinity"
    assert said[60] == "the product of 4 x 3 x 5"
    assert said[46] == "Wilson's construction from 3 x 13 + 7"
    for order, how in said.items():
        if how.startswith("Wilson"):
            size, extra = map(int, how.partition(" x ")[2].split(" + "))
            assert 3 * size + extra == order
            assert size >= 4
            assert 0 <= extra <= size
            assert extra not in IMPOSSIBLE


def test_order_30_is_a_product_as_well() -> None:
    rows = product_array(field_array(Field(3, 1), (0, 1, 2)), quasi_difference_array(10), 10)
    for a, b in combinations(range(4), 2):
        assert len({(row[a], row[b]) for row in rows}) == len(rows) == 900


@pytest.mark.parametrize("order", [n for n in range(1, LARGEST + 4) if searchable(n)])
def test_differences_of_the_matrix_are_all_different(order: int) -> None:
    modulus = order - 3
    columns = [turned for base in circles(modulus) for turned in turns_of(column_of(base))]
    columns.append((0, 0, 0, 0))
    assert len(columns) == modulus + 6
    for one, other in combinations(range(4), 2):
        differences = [
            (column[one] - column[other]) % modulus  # type: ignore[operator]
            for column in columns
            if column[one] is not None and column[other] is not None
        ]
        assert sorted(differences) == list(range(modulus))
    for row in range(4):
        assert sum(column[row] is None for column in columns) == 3


def test_the_search_finds_a_matrix_in_few_steps_and_always_the_same() -> None:
    steps = {}
    for order in range(10, LARGEST + 1, 4):
        search = Circles(order - 3)
        assert search.extend(3, (order - 10) // 4)
        assert search.chosen == circles(order - 3)
        steps[order] = search.steps
    # Work, not time: what a machine of any speed does. The whole list takes some 13,000 steps.
    assert steps[10] == 8
    assert sum(count for order, count in steps.items() if order <= 30) < 1_000
    assert sum(steps.values()) < 20_000


def test_a_search_that_finds_nothing_says_so() -> None:
    # Three pairs fill six numbers; without the four that order 14 needs, some are left over.
    assert not Circles(11).extend(3, 0)


@pytest.mark.parametrize("order", sorted(IMPOSSIBLE))
def test_what_is_nearest_to_a_square_lacks_two_pairs(order: int) -> None:
    plays = near_rounds(order)
    whole = order * order
    assert pairs_held(plays) == [whole, whole, whole, whole, whole, whole - 2]
    assert pairs_held(plays[:-1]) == [whole - order] * 6


def test_the_hole_of_six_holds_no_pair() -> None:
    rows = holed_array_of_six()
    assert len(rows) == 32
    outside = {pair for pair in product(range(6), repeat=2) if not set(pair) <= {4, 5}}
    for a, b in combinations(range(4), 2):
        assert sorted((row[a], row[b]) for row in rows) == sorted(outside)


def test_two_has_nothing_better_by_trying_all() -> None:
    """All schedules of two rounds for two of each in which everybody plays."""
    plays = [((0, e, c), (1, 1 - e, 1 - c)) for e, c in product(range(2), repeat=2)]
    best = max(sum(pairs_held([one, two])[3:]) for one, two in product(plays, repeat=2))
    assert best == sum(pairs_held(near_rounds(2))[3:]) == 10
