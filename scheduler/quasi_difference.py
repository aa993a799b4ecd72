"""Orthogonal arrays by quasi-difference matrices: a few columns, found by search, and turned.

A *quasi-difference matrix* over the numbers modulo m with h points at infinity has four rows, and
in each column at most one place is left open. Over the columns in which two rows are both filled,
their differences are all numbers modulo m, each once; each row has h open places. Every column plus
every number modulo m, with the open places of a row filled by the points at infinity, one a column,
is then an orthogonal array on m + h points but for the pairs of two points at infinity: a hole,
which an array of order h fills.

For m = 3 modulo 4 and h = 3 we look for a matrix that turning its rows takes to itself: column
(a, b, c, d) comes with (d, a, b, c) and so on. Only the differences of neighbours along such a
circle count then. They are all numbers but 0, each once, in three pairs (open, a, b, c), whose
third difference is their sum, and (m - 7) / 4 fours (a, b, c, d), which add up to 0; the sums of
two neighbours are one of each of y and -y (the differences of opposite rows). With the column of
four zeros that is a matrix for the order m + 3: 10, 14, 18, 22 and so on, the orders twice an odd
number. Small enough to be found by plain trial: 42 takes some 8,000 steps.

Source: R. C. Bose, S. S. Shrikhande, E. T. Parker (1960) for the method and its order 10; the hole
of order 2 in order 6 is J. D. Horton's (1974).
"""

from itertools import combinations, product

from scheduler.arrays import Array, field_array
from scheduler.exact_cover import Budget, exact_covers
from scheduler.fields import Field

Column = tuple[int | None, int | None, int | None, int | None]
"""A column of a quasi-difference matrix; None where it is left open."""

LARGEST = 42
"""The largest order that the search is asked for: it takes some 8,000 steps, the next 37,000."""

_HOLE = 3


def searchable(order: int) -> bool:
    """Whether :func:`quasi_difference_array` makes an order.

    Arguments:
        order: a positive number.

    Returns:
        True for 10, 14, 18 and so on up to :data:`LARGEST`.
    """
    return 10 <= order <= LARGEST and order % 4 == 2


def quasi_difference_array(order: int) -> Array:
    """The orthogonal array of an order that is twice an odd number.

    Arguments:
        order: one that is :func:`searchable`.

    Returns:
        Its rows.
    """
    modulus = order - _HOLE
    columns = [turned for base in circles(modulus) for turned in turns_of(column_of(base))]
    columns.append((0, 0, 0, 0))
    hole = field_array(Field(_HOLE, 1), (0, 1, 2))
    return _developed(columns, modulus) + [
        (modulus + a, modulus + b, modulus + c, modulus + d) for a, b, c, d in hole
    ]


def holed_array_of_six() -> Array:
    """Order 6 but for a hole of order 2, the best that there is.

    Returns:
        32 rows on the points 0 to 5, in which any two columns hold each two points once, except
        that 4 and 5 never meet each other or themselves.
    """
    # Every two rows of the matrix and every difference once: an exact cover by columns.
    options: dict[Column, list[tuple[int, int, int]]] = {}
    for open_row in range(4):
        for found in product(range(4), repeat=2):
            filled: list[int | None] = [0, *found]
            filled.insert(open_row, None)
            column = (filled[0], filled[1], filled[2], filled[3])
            options[column] = [
                (i, k, (a - b) % 4)
                for (i, a), (k, b) in combinations(enumerate(column), 2)
                if a is not None and b is not None
            ]
    items = [(i, k, d) for i, k in combinations(range(4), 2) for d in range(4)]
    columns = next(exact_covers(options, items, Budget(1_000_000)))
    return _developed(columns, 4)


def circles(modulus: int) -> list[tuple[int, ...]]:
    """Pairs and fours of differences that make a matrix which turning takes to itself.

    Arguments:
        modulus: m, at least 7 and 3 modulo 4.

    Returns:
        Three pairs and (m - 7) / 4 fours, as the head of this module says; the first that are
        found when the smallest free number begins each, so the same in every run.
    """
    search = Circles(modulus)
    assert search.extend(3, (modulus - 7) // 4), f"no circles modulo {modulus}"
    return search.chosen


class Circles:
    """The search: numbers and sums that are still free, and what was chosen.

    Arguments:
        modulus: m.

    Attributes:
        chosen: the pairs and fours so far.
        steps: how many times the search went deeper.
    """

    def __init__(self, modulus: int) -> None:
        self._m = modulus
        self._free = [False] + [True] * (modulus - 1)
        self._sums = list(self._free)
        self.chosen: list[tuple[int, ...]] = []
        self.steps = 0

    def extend(self, pairs: int, fours: int) -> bool:
        """Chooses from what is free; undoes what leads nowhere.

        Arguments:
            pairs: how many pairs.
            fours: how many fours.

        Returns:
            Whether that takes up every number.
        """
        self.steps += 1
        # Whichever pair or four holds the smallest free number may begin with it: a four can be
        # turned, and a pair taken backwards is found when its other number is the smallest.
        first = next((a for a in range(1, self._m) if self._free[a]), None)
        if first is None:
            return True
        if fours:
            for four in self._fours(first):
                if self._try(four, pairs, fours - 1):
                    return True
        if pairs:
            for second in range(first + 1, self._m):
                if self._open((first, second)) and self._try((first, second), pairs - 1, fours):
                    return True
        return False

    def _fours(self, first: int) -> list[tuple[int, int, int, int]]:
        found = []
        for second in range(first + 1, self._m):
            if not self._open((first, second)):
                continue
            for third in range(first + 1, self._m):
                last = -(first + second + third) % self._m
                four = (first, second, third, last)
                if len(set(four)) == 4 and self._open(four):
                    found.append(four)
        return found

    def _open(self, circle: tuple[int, ...]) -> bool:
        """Whether its numbers are free, and its sums of neighbours, which are no ± of another."""
        sums = _sums(circle, self._m)
        return (
            all(self._free[number] for number in circle)
            and all(self._sums[each] for each in sums)
            and (len(sums) == 1 or (sums[0] - sums[1]) % self._m != 0 != sum(sums) % self._m)
        )

    def _try(self, circle: tuple[int, ...], pairs: int, fours: int) -> bool:
        self._mark(circle, free=False)
        self.chosen.append(circle)
        if self.extend(pairs, fours):
            return True
        self.chosen.pop()
        self._mark(circle, free=True)
        return False

    def _mark(self, circle: tuple[int, ...], *, free: bool) -> None:
        for number in circle:
            self._free[number] = free
        for each in _sums(circle, self._m):
            self._sums[each] = self._sums[-each % self._m] = free


def _sums(circle: tuple[int, ...], modulus: int) -> list[int]:
    """What opposite rows differ by, each but for its sign: of the first and third, and in a full
    column of the second and fourth."""
    first = (circle[0] + circle[1]) % modulus
    return [first] if len(circle) == 2 else [first, (circle[1] + circle[2]) % modulus]


def column_of(circle: tuple[int, ...]) -> Column:
    """A column whose neighbours differ by these numbers.

    Arguments:
        circle: a pair, or a four that adds up to 0.

    Returns:
        The column; of a pair with its first place left open.
    """
    if len(circle) == 2:
        return (None, 0, circle[0], circle[0] + circle[1])
    return (0, circle[0], circle[0] + circle[1], sum(circle[:3]))


def turns_of(column: Column) -> list[Column]:
    """The column in its four turns."""
    a, b, c, d = column
    return [(a, b, c, d), (d, a, b, c), (c, d, a, b), (b, c, d, a)]


def _developed(columns: list[Column] | tuple[Column, ...], modulus: int) -> Array:
    """Each column plus each number, open places filled by the row's next point at infinity."""
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
