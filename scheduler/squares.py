"""Graeco-Latin squares of every order that has one, as rounds of a contest.

A Graeco-Latin square of order n is a schedule of n rounds in which n judges, n entries and n
confederates all play in each round and any two people of different kinds meet exactly once: the
wishes (a), (b) and (c) of section 3 of the 2010 rules, with nothing repeated. There is one for each
order but 2 and 6, and each is made here by one of four constructions; no square is stored.
"""

from collections.abc import Iterator
from functools import cache

from scheduler.arrays import Array, field_array, product_array, wilson_array
from scheduler.fields import Field, prime_power
from scheduler.quasi_difference import holed_array_of_six, quasi_difference_array, searchable

Triple = tuple[int, int, int]
"""Judge, entry, confederate, counted from 0."""

IMPOSSIBLE = frozenset({2, 6})
"""The only orders without a square: 2 by inspection, 6 by Tarry (1900); all others have one by
Bose, Shrikhande and Parker (1960)."""


def why_impossible(order: int) -> str:
    """Why an order has no square.

    Arguments:
        order: one of :data:`IMPOSSIBLE`.

    Returns:
        A sentence without a full stop.
    """
    return f"there is no Graeco-Latin square of order {order}{' (Tarry, 1900)' * (order == 6)}"


def construction(order: int) -> str:
    """By what an order is made.

    Arguments:
        order: the number of judges, of entries and of confederates, from 1.

    Returns:
        Such as ``the finite field of 9 elements``; empty for :data:`IMPOSSIBLE`.
    """
    if order in IMPOSSIBLE:
        return ""
    if order == 1:
        return "inspection"
    if prime_power(order) is not None:
        return f"the finite field of {order} elements"
    if order % 4 != 2:
        return f"the product of {' x '.join(map(str, _factors(order)))}"
    if searchable(order):
        return f"a quasi-difference matrix modulo {order - 3} with 3 points at infinity"
    size, extra = _wilson(order)
    return f"Wilson's construction from 3 x {size} + {extra}"


def rounds(order: int) -> Iterator[tuple[Triple, ...]]:
    """The rounds of a square, one after the other.

    Arguments:
        order: the number of judges, of entries and of confederates, from 1, none of
            :data:`IMPOSSIBLE`.

    Returns:
        For each round its pairings in the order of the confederates, as the rules print them.
        Order 4 is the schedule of 2010 itself.
    """
    found = prime_power(order)
    if found is not None and order not in IMPOSSIBLE:
        return _field_rounds(Field(*found))
    return iter(_split(_array(order), order))


def near_rounds(order: int) -> list[tuple[Triple, ...]]:
    """The best that there is for an order without a square.

    All but the last round are without a repeated pair; in the last one two pairs of entry and
    confederate are repeated, and two are missing: that judges meet all whom they rank is kept. No
    schedule of as many rounds lacks fewer. None lacks nothing. One that lacks a single pair has n²
    pairings, or it would lack one of each kind; so everybody plays n times, and whoever misses one
    partner meets another twice, as that partner does: two repeated pairs of the kind, or one that
    would be the missing one itself; and so there are two that are missing.

    Arguments:
        order: 2 or 6.

    Returns:
        For each round its pairings.
    """
    rows = holed_array_of_six() if order == 6 else []
    first, second = order - 2, order - 1
    rows += [
        (first, first, first, first),
        (first, second, second, second),
        (second, first, second, second),
        (second, second, first, first),
    ]
    return _split(rows, order)


def _field_rounds(field: Field) -> Iterator[tuple[Triple, ...]]:
    """In round r, judge j compares entry j + a·r with confederate j + b·r. Any two of judge, entry
    and confederate then determine the round as long as a, b and a - b are not zero. With b = 1 and
    a = 2, or x in a proper power of a prime, order 4 gives the schedule of 2010 itself."""
    a = field.prime if field.exponent > 1 else 2
    for r in range(field.order):
        step = field.multiply(a, r)
        pairings = ((j, field.add(j, step), field.add(j, r)) for j in range(field.order))
        yield tuple(sorted(pairings, key=lambda triple: triple[2]))


def _array(order: int) -> Array:
    if order == 1:
        return [(0, 0, 0, 0)]
    if order % 4 != 2:
        first, *others = _factors(order)
        array = _of_field(first)
        for factor in others:
            array = product_array(array, _of_field(factor), factor)
        return array
    if searchable(order):
        return quasi_difference_array(order)
    size, extra = _wilson(order)
    found = prime_power(size)
    assert found is not None
    return wilson_array(Field(*found), extra, _array)


def _of_field(order: int) -> Array:
    found = prime_power(order)
    assert found is not None, f"{order} is no power of a prime"
    return field_array(Field(*found), (0, 1, 2))


@cache
def _factors(order: int) -> tuple[int, ...]:
    """The powers of different primes whose product an order is."""
    factors = []
    divisor = 2
    while order > 1:
        power = 1
        while order % divisor == 0:
            order //= divisor
            power *= divisor
        if power > 1:
            factors.append(power)
        divisor += 1
    return tuple(factors)


@cache
def _wilson(order: int) -> tuple[int, int]:
    """How an order is 3t + u, t a power of a prime from 4, u at most t and an order, 0 or 1."""
    return next(
        (size, extra)
        for size in range(order // 3, 3, -1)
        if (extra := order - 3 * size) not in IMPOSSIBLE
        and extra <= size
        and prime_power(size) is not None
    )


def _split(array: Array, order: int) -> list[tuple[Triple, ...]]:
    held: list[list[Triple]] = [[] for _ in range(order)]
    for number, judge, entry, confederate in array:
        held[number].append((judge, entry, confederate))
    return [tuple(sorted(each, key=lambda triple: triple[2])) for each in held]
