"""Exact numbers in words."""

from fractions import Fraction

import pytest

from scheduler.texts import number, ordinal


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (2, "2"),
        (0, "0"),
        (-1, "-1"),
        ("2.25", "2.25"),
        ("-0.5", "-0.5"),
        ("9.5", "9.5"),
        ("1/16", "0.0625"),
        ("7/3", "2.33 (7/3)"),
        ("1/32", "0.03 (1/32)"),
    ],
)
def test_numbers_are_said_exactly(value: int | str, said: str) -> None:
    assert number(Fraction(value)) == said


def test_places_have_names() -> None:
    assert [ordinal(n) for n in (1, 2, 3, 8, 9, 11, 12, 13, 21, 22, 23, 100, 111)] == [
        *("first", "second", "third", "eighth", "9th", "11th", "12th", "13th", "21st", "22nd"),
        *("23rd", "100th", "111th"),
    ]
