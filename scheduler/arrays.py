"""Orthogonal arrays of four columns: Graeco-Latin squares in the form that is easiest to combine.

An *orthogonal array* of order n is a list of n² rows of four points, 0 to n - 1, in which any two
columns hold each two points exactly once. Its columns are round, judge, entry and confederate.
"""

from collections.abc import Callable, Iterator, Sequence

from scheduler.fields import Field

Row = tuple[int, int, int, int]
Array = list[Row]


def field_array(field: Field, slopes: Sequence[int]) -> Array:
    """An array by the lines of a plane over a finite field.

    Arguments:
        field: of at least three elements.
        slopes: three different elements of it.

    Returns:
        For all x and y of the field the row x, y + a·x, y + b·x, y + c·x.
    """
    return [(x, a, b, c) for x, (a, b, c) in _lines(field, slopes)]


def product_array(left: Array, right: Array, right_order: int) -> Array:
    """The direct product of two arrays (H. F. MacNeish, 1922).

    Arguments:
        left: an array of any order.
        right: another.
        right_order: its order.

    Returns:
        The array whose order is the product of the two.
    """
    return [
        (
            a * right_order + e,
            b * right_order + f,
            c * right_order + g,
            d * right_order + h,
        )
        for a, b, c, d in left
        for e, f, g, h in right
    ]


def wilson_array(field: Field, extra: int, made: Callable[[int], Array]) -> Array:
    """An array of order 3t + u (R. M. Wilson, 1974).

    Five parallel classes of lines of a plane of order t, the fifth cut down to u of its lines.
    Each of the plane's points in the first four classes is tripled, and the u lines are added as
    points of their own. Where a point of the plane lies on one of the u lines, an array of order
    4 without one row connects its triples and that line's point, elsewhere an array of order 3;
    an array of order u connects the added points.

    Arguments:
        field: of t elements, at least 4.
        extra: u, from 0 to t, neither 2 nor 6.
        made: gives the array of a smaller order; asked for u where that is more than 1.

    Returns:
        The array.
    """
    base = 3 * field.order
    three = field_array(Field(3, 1), (0, 1, 2))
    # The row of four zeros stands for the added points, which have rows of their own.
    four = [row for row in field_array(Field(2, 2), (0, 1, 2)) if any(row)]
    rows: Array = []
    for x, block in _lines(field, (0, 1, 2, 3)):
        if x < extra:
            names = [(base + x, 3 * point, 3 * point + 1, 3 * point + 2) for point in block]
            rows += _named(four, names)
        else:
            rows += _named(three, [(3 * p, 3 * p + 1, 3 * p + 2) for p in block])
    added = [(0, 0, 0, 0)] if extra == 1 else made(extra) if extra else []
    return rows + [(base + a, base + b, base + c, base + d) for a, b, c, d in added]


def _lines(field: Field, slopes: Sequence[int]) -> Iterator[tuple[int, list[int]]]:
    """For each point x, y of the plane: x, and the line of each slope that goes through it."""
    for x in range(field.order):
        steps = [field.multiply(slope, x) for slope in slopes]
        for y in range(field.order):
            yield x, [field.add(y, step) for step in steps]


def _named(rows: Array, names: Sequence[Sequence[int]]) -> Array:
    one, two, three, four = names
    return [(one[a], two[b], three[c], four[d]) for a, b, c, d in rows]
