"""Graeco-Latin squares by finite fields, as rounds of a contest.

A Graeco-Latin square of order n is a schedule of n rounds in which n judges, n entries and n
confederates all play in each round and any two people of different kinds meet exactly once: the
wishes (a), (b) and (c) of section 3 of the 2010 rules, with nothing repeated.
"""

from collections.abc import Iterator

from scheduler.errors import Refused
from scheduler.fields import Field, prime_power

Triple = tuple[int, int, int]
"""Judge, entry, confederate, counted from 0."""

IMPOSSIBLE = frozenset({2, 6})
"""The only orders without a square: 2 by inspection, 6 by Tarry (1900); all others have one by
Bose, Shrikhande and Parker (1960)."""


def constructible(order: int) -> bool:
    """Whether :func:`rounds` can make this order.

    Arguments:
        order: the number of judges, of entries and of confederates.

    Returns:
        True for 1 and for the prime powers from 3.
    """
    return order == 1 or (order > 2 and prime_power(order) is not None)


def rounds(order: int) -> Iterator[tuple[Triple, ...]]:
    """The rounds of a square, one after the other.

    In round r, judge j compares entry j + a·r with confederate j + b·r, computed in the field of
    `order` elements. Any two of judge, entry and confederate then determine the round as long as
    a, b and a - b are not zero. With b = 1 and a = 2, or x in a proper power of a prime, order 4
    gives the schedule of 2010 itself.

    Arguments:
        order: the number of judges, of entries and of confederates.

    Returns:
        For each round its pairings in the order of the confederates, as the rules print them.

    Raises:
        Refused: there is no square of the order, or not by this construction; at once, not when
            the first round is asked for.
    """
    if not constructible(order):
        raise Refused(_refusal(order))
    if order == 1:
        return iter([((0, 0, 0),)])
    found = prime_power(order)
    assert found is not None
    return _field_rounds(Field(*found))


def _field_rounds(field: Field) -> Iterator[tuple[Triple, ...]]:
    a = field.prime if field.exponent > 1 else 2
    for r in range(field.order):
        step = field.multiply(a, r)
        pairings = ((j, field.add(j, step), field.add(j, r)) for j in range(field.order))
        yield tuple(sorted(pairings, key=lambda triple: triple[2]))


def _refusal(order: int) -> str:
    below = next(n for n in range(order - 1, 0, -1) if constructible(n))
    above = next(n for n in range(order + 1, 2 * order + 1) if constructible(n))
    if order in IMPOSSIBLE:
        why = (
            f"no schedule for {order} judges, {order} entries and {order} confederates lets "
            f"everybody meet exactly once: there is no Graeco-Latin square of order {order}"
            + (" (Tarry, 1900)" if order == 6 else "")
        )
    else:
        why = (
            f"a Graeco-Latin square of order {order} exists, but not by finite fields, the only "
            f"construction there is here so far ({order} is no power of a prime)"
        )
    return f"{why}; the nearest orders that can be made are {below} and {above}"
