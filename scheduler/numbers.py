"""Exact numbers in words."""

from fractions import Fraction


def number(value: Fraction | int) -> str:
    """A number as people read it.

    Arguments:
        value: an exact number.

    Returns:
        Such as ``2``, ``2.25``, or where no short decimal is exact, ``2.33 (7/3)``.
    """
    value = Fraction(value)
    scaled = value * 10_000
    if scaled.denominator == 1:
        whole, part = divmod(abs(scaled.numerator), 10_000)
        digits = f"{part:04d}".rstrip("0")
        return f"{'-' * (value < 0)}{whole}{'.' * bool(digits)}{digits}"
    return f"{float(value):.2f} ({value.numerator}/{value.denominator})"


_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth")


def ordinal(place: int) -> str:
    """A place in words.

    Arguments:
        place: from 1.

    Returns:
        Such as ``first`` or ``21st``.
    """
    if place <= len(_ORDINALS):
        return _ORDINALS[place - 1]
    ending = "th" if place % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(place % 10)
    return f"{place}{ending or 'th'}"
