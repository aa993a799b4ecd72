"""Squares of every order but 2 and 6, proved by counts that share nothing with their making."""

from itertools import combinations, product

import pytest

from scheduler.squares import (
    IMPOSSIBLE,
    Field,
    Triple,
    construction,
    holed_array_of_six,
    near_rounds,
    prime_power,
    rounds,
)

ORDERS = [1, *(order for order in range(3, 31) if order != 6)]
FURTHER = [33, 34, 36, 38, 42, 45, 46, 50, 54, 58, 62, 66, 70, 74, 100]
PRIME_POWERS = [2, 3, 4, 5, 7, 8, 9, 11, 13, 16, 17, 19, 23, 25, 27, 29, 31, 32]


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
    assert said[14] == "a quasi-difference matrix modulo 11 with 3 points at infinity"
    assert said[18] == "Wilson's construction from 3 x 5 + 3"
    assert said[60] == "the product of 4 x 3 x 5"
    assert said[46] == "Wilson's construction from 3 x 13 + 7"
    for order, how in said.items():
        if how.startswith("Wilson"):
            size, extra = map(int, how.partition(" x ")[2].split(" + "))
            assert 3 * size + extra == order
            assert size >= 4
            assert 0 <= extra <= size
            assert extra not in IMPOSSIBLE


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


@pytest.mark.parametrize("order", range(-1, 34))
def test_prime_powers_are_told_from_other_numbers(order: int) -> None:
    found = prime_power(order)
    assert (found is not None) == (order in PRIME_POWERS)
    assert found is None or found[0] ** found[1] == order


@pytest.mark.parametrize("order", PRIME_POWERS)
def test_sums_and_products_form_a_field(order: int) -> None:
    found = prime_power(order)
    assert found is not None
    field = Field(*found)
    everything = list(range(order))
    assert field.order == order
    products = [[field.multiply(a, b) for b in everything] for a in everything]
    for a in everything:
        assert field.add(a, 0) == a
        assert products[a][0] == 0
        assert products[a][1] == a
        # Adding is a permutation, and so is multiplying by anything but zero.
        assert sorted(field.add(a, b) for b in everything) == everything
        assert a == 0 or sorted(products[a]) == everything
        for b in everything:
            assert field.add(a, b) == field.add(b, a)
            assert products[a][b] == products[b][a]
            c = (3 * a + b + 1) % order
            assert products[a][field.add(b, c)] == field.add(products[a][b], products[a][c])
            assert products[products[a][b]][c] == products[a][products[b][c]]
