"""Graeco-Latin squares of every possible order, as rounds of a contest.

A Graeco-Latin square of order n is a schedule of n rounds in which n judges, n entries and n
confederates all play in each round, and any two people of different kinds meet exactly once. It
fulfils the wishes (a), (b) and (c) of section 3 of the 2010 rules without repetition. A square
exists for each order except 2 and 6. This module uses four constructions.

An *orthogonal array* of order n is an equivalent form that is easier to combine: a list of n² rows
of four points, 0 to n - 1, in which any two columns contain each pair of points exactly once. Its
columns are round, judge, entry and confederate.
"""

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import product

from scheduler.texts import Phrase

Triple = tuple[int, int, int]
"""Judge, entry, confederate, counted from 0."""

Array = list[tuple[int, int, int, int]]
"""The rows of an orthogonal array."""

Column = tuple[int | None, int | None, int | None, int | None]
"""A column of a quasi-difference matrix; None for an empty position."""

IMPOSSIBLE = frozenset({2, 6})
"""The only orders without a square: 2 (by inspection) and 6 (Tarry, 1900); all others have one
(Bose, Shrikhande and Parker, 1960)."""

_CIRCLES = {
    10: ((1, 3), (2, 6), (4, 5)),
    14: ((1, 2), (7, 10), (5, 8), (3, 4, 6, 9)),
}
"""Differences for the orders that Wilson's construction doesn't cover; see `_by_differences`."""

_SIX: Sequence[Column] = (
    *((0, 0, None, 0), (0, 3, None, 1), (0, None, 0, 2), (0, 1, 1, None)),
    *((0, None, 2, 3), (0, 2, 3, None), (None, 0, 3, 3), (None, 0, 2, 1)),
)
"""A quasi-difference matrix modulo 4 with two points at infinity."""


def why_impossible(order: int) -> str:
    """Why an order in :data:`IMPOSSIBLE` has no square, without a full stop."""
    source = " (Tarry, 1900)" * (order == 6)
    return Phrase(
        "there is no Graeco-Latin square of order {order}{source}", order=order, source=source
    )


def rounds(order: int) -> Iterator[tuple[Triple, ...]]:
    """Yields the rounds of a square.

    Arguments:
        order: the number of judges, of entries and of confederates, from 1, not in
            :data:`IMPOSSIBLE`.

    Returns:
        For each round its pairings, in the order of the confederates, as in the printed rules.
        Order 4 gives the schedule of 2010.
    """
    found = prime_power(order)
    if found is None:
        yield from _split(orthogonal_array(order), order)
        return
    # In round r, judge j compares entry j + a·r with confederate j + b·r. Any two of the three
    # determine the round if a, b and a - b are not zero. With b = 1 and a = 2 (for a proper prime
    # power, a = x), order 4 gives the schedule of 2010.
    field = Field(*found)
    a = field.prime if field.exponent > 1 else 2
    for r in range(order):
        step = field.multiply(a, r)
        pairings = ((j, field.add(j, step), field.add(j, r)) for j in range(order))
        yield tuple(sorted(pairings, key=lambda triple: triple[2]))


def near_rounds(order: int) -> list[tuple[Triple, ...]]:
    """Returns the best schedule for an order without a square (for 6: J. D. Horton, 1974).

    Only the last round repeats pairs: it repeats two pairs of entry and confederate, and two such
    pairs are missing. Judges meet everybody whom they rank. No schedule with as many rounds lacks
    fewer pairs. Proof: without a square, at least one pair is missing. Suppose that it is only one.
    Then there are n² pairings, because with fewer a pair of each kind would be missing. So
    everybody plays n times, and each of the two people of the missing pair meets some partner
    twice. These are two repeated pairs (a single one would be the missing pair itself), so two are
    missing.

    Arguments:
        order: 2 or 6.
    """
    rows = _developed(_SIX, 4) if order == 6 else []
    first, second = order - 2, order - 1
    rows += [
        (first, first, first, first),
        (first, second, second, second),
        (second, first, second, second),
        (second, second, first, first),
    ]
    return _split(rows, order)


def _split(array: Array, order: int) -> list[tuple[Triple, ...]]:
    held: list[list[Triple]] = [[] for _ in range(order)]
    for number, judge, entry, confederate in array:
        held[number].append((judge, entry, confederate))
    return [tuple(sorted(each, key=lambda triple: triple[2])) for each in held]


# Finite fields.


def prime_power(order: int) -> tuple[int, int] | None:
    """Returns ``(p, k)`` with ``order == p**k``; None if there is no such pair (also for 1)."""
    if order < 2:
        return None
    prime = next((d for d in range(2, int(order**0.5) + 1) if order % d == 0), order)
    exponent = 0
    while order % prime == 0:
        order //= prime
        exponent += 1
    return (prime, exponent) if order == 1 else None


class Field:
    """The field of ``prime**exponent`` elements.

    An element is a number whose digits in base `prime` are the coefficients of a polynomial, lowest
    first. Elements are added digit by digit, and multiplied modulo an irreducible polynomial. So 0
    is zero, 1 is one and, for an exponent above 1, `prime` is the polynomial x.

    Arguments:
        prime: the characteristic.
        exponent: the degree over the prime field.
    """

    def __init__(self, prime: int, exponent: int) -> None:
        self.prime, self.exponent = prime, exponent
        self.order: int = prime**exponent

    def add(self, a: int, b: int) -> int:
        """The sum of two elements."""
        if self.exponent == 1:
            return (a + b) % self.prime
        return self._number(x + y for x, y in zip(self._digits(a), self._digits(b), strict=True))

    def multiply(self, a: int, b: int) -> int:
        """The product of two elements."""
        if self.exponent == 1:
            return a * b % self.prime
        result = [0] * (2 * self.exponent - 1)
        for i, x in enumerate(self._digits(a)):
            for j, y in enumerate(self._digits(b)):
                result[i + j] += x * y
        return self._number(_remainder(result, self._modulus, self.prime))

    @cached_property
    def _modulus(self) -> tuple[int, ...]:
        """The first monic polynomial of this degree that no polynomial of a lower degree divides,
        as coefficients, lowest first."""
        digits = range(self.prime)
        lower = [
            (*low, 1)
            for degree in range(1, self.exponent // 2 + 1)
            for low in product(digits, repeat=degree)
        ]
        candidates = ((*low, 1) for low in product(digits, repeat=self.exponent))
        return next(
            monic
            for monic in candidates
            if all(any(_remainder(monic, divisor, self.prime)) for divisor in lower)
        )

    def _digits(self, number: int) -> list[int]:
        return [number // self.prime**place % self.prime for place in range(self.exponent)]

    def _number(self, digits: Iterable[int]) -> int:
        return sum(digit % self.prime * self.prime**place for place, digit in enumerate(digits))


def _remainder(polynomial: Iterable[int], monic: Sequence[int], prime: int) -> list[int]:
    """The remainder of a polynomial divided by a monic one, with as many digits as its degree."""
    rest = list(polynomial)
    degree = len(monic) - 1
    for top in range(len(rest) - 1, degree - 1, -1):
        factor = rest[top]
        for place, coefficient in enumerate(monic):
            rest[top - degree + place] = (rest[top - degree + place] - factor * coefficient) % prime
    return rest[:degree]


# Orthogonal arrays.


def orthogonal_array(order: int) -> Array:
    """An orthogonal array of an order of at least 1 that is not in :data:`IMPOSSIBLE`."""
    if order == 1:
        return [(0, 0, 0, 0)]
    if order in _CIRCLES:
        return _by_differences(order)
    if (found := prime_power(order)) is not None:
        return [(x, a, b, c) for x, (a, b, c) in _lines(Field(*found), (0, 1, 2))]
    if order % 4 == 2:
        return _wilson(*_wilson_sizes(order))
    # The direct product (H. F. MacNeish, 1922).
    left = _factors(order)[0]
    right = order // left
    inner = orthogonal_array(right)
    return [
        (a * right + e, b * right + f, c * right + g, d * right + h)
        for a, b, c, d in orthogonal_array(left)
        for e, f, g, h in inner
    ]


def _factors(order: int) -> list[int]:
    """The prime powers whose product is this order, sorted by their primes."""
    powers = (
        (found, divisor)
        for divisor in range(2, order + 1)
        if order % divisor == 0 and (found := prime_power(divisor)) and order // divisor % found[0]
    )
    return [divisor for _, divisor in sorted(powers)]


def _lines(field: Field, slopes: Sequence[int]) -> Iterator[tuple[int, list[int]]]:
    """Yields, for each point x, y of the plane, x and the lines of each slope through the point."""
    for x in range(field.order):
        steps = [field.multiply(slope, x) for slope in slopes]
        for y in range(field.order):
            yield x, [field.add(y, step) for step in steps]


def _wilson_sizes(order: int) -> tuple[int, int]:
    """Splits an order into 3t + u: t is a prime power of at least 4, and u is at most t and
    is 0 or an order that has an array. Returns t and u."""
    return next(
        (size, extra)
        for size in range(order // 3, 3, -1)
        if (extra := order - 3 * size) not in IMPOSSIBLE
        and extra <= size
        and prime_power(size) is not None
    )


def _wilson(size: int, extra: int) -> Array:
    """An array of order 3t + u (R. M. Wilson, 1974).

    The construction uses five parallel classes of lines of a plane of order t, and only u lines of
    the fifth class. The lines of the first four classes are tripled, and the u lines are added as
    points. For a point of the plane on one of the u lines, an array of order 4 without one row
    connects the triples of its lines and that added point; for other points an array of order 3
    connects the triples. An array of order u connects the added points.
    """
    base = 3 * size
    three = orthogonal_array(3)
    # The row of four zeros stands for the added points, which have their own rows.
    four = [row for row in orthogonal_array(4) if any(row)]
    rows: Array = []
    for x, block in _lines(Field(*(prime_power(size) or (size, 1))), (0, 1, 2, 3)):
        added = [base + x] if x < extra else []
        one, two, three_, last = ([*added, 3 * p, 3 * p + 1, 3 * p + 2] for p in block)
        rows += [(one[a], two[b], three_[c], last[d]) for a, b, c, d in (four if added else three)]
    return rows + _shifted(orthogonal_array(extra) if extra else [], base)


def _shifted(array: Array, by: int) -> Array:
    return [(a + by, b + by, c + by, d + by) for a, b, c, d in array]


def _by_differences(order: int) -> Array:
    """An array from a quasi-difference matrix (Bose, Shrikhande and Parker, 1960).

    Such a matrix over the numbers modulo m with h points at infinity has four rows, and each column
    has at most one open place. For any two rows, the differences in the columns where both are
    filled are all numbers modulo m, each once; each row has h open places. To get an array on m + h
    points, add every number modulo m to every column, and fill the open places of a row with the
    points at infinity, one for each column. The array lacks only the pairs of two points at
    infinity; an array of order h fills this hole.

    Here m is 3 modulo 4, h is 3, and rotating the rows maps the matrix to itself: with the column
    (a, b, c, d) it contains (d, a, b, c) and so on. So only the differences of neighbours along
    such a circle matter. They are all numbers except 0, each once: three circles have an open place
    and two such differences, a and b; the other (m - 7) / 4 have four, a, b, c and d, which add up
    to 0. The differences of opposite rows are the sums of two neighbours, a + b or b + c; for each
    y except 0, exactly one of y and -y is such a sum. With the column of four zeros, this is a
    matrix for the order m + 3.
    """
    columns: list[Column] = [(0, 0, 0, 0)]
    for circle in _CIRCLES[order]:
        a, b, c, d = (
            (None, 0, circle[0], sum(circle))
            if len(circle) == 2
            else (0, circle[0], circle[0] + circle[1], sum(circle[:3]))
        )
        columns += [(a, b, c, d), (d, a, b, c), (c, d, a, b), (b, c, d, a)]
    return _developed(columns, order - 3) + _shifted(orthogonal_array(3), order - 3)


def _developed(columns: Iterable[Column], modulus: int) -> Array:
    """Adds each number to each column; open places get the row's next point at infinity."""
    used = [0] * 4
    rows = []
    for column in columns:
        infinity = [modulus + number for number in used]
        for row in range(4):
            used[row] += column[row] is None
        for shift in range(modulus):
            a, b, c, d = (
                infinity[row] if place is None else (place + shift) % modulus
                for row, place in enumerate(column)
            )
            rows.append((a, b, c, d))
    return rows
