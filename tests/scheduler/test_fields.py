"""Finite fields: the axioms that the squares rest on, for every field up to 32 elements."""

import pytest

from scheduler.fields import Field, prime_power

PRIME_POWERS = [2, 3, 4, 5, 7, 8, 9, 11, 13, 16, 17, 19, 23, 25, 27, 29, 31, 32]


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
