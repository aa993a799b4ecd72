"""Tests names as people write them: which count as the same, and which get a remark."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contest.screening.register import folded, same
from contest.screening.register import nearly_same as near


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Bruce Wilcox", "bruce  WILCOX"),
        ("José Núñez", "Jose Nunez"),
        ("José", "Jose\u0301"),
        ("Straße", "STRASSE"),
        ("O'Neil", "ONeil"),
        ("Jean-Luc Picard", "Jean Luc Picard"),
        ("R. S. Wallace", "R S Wallace"),
        ("Å", "\u212b"),  # the unit sign
        ("\uff21da", "Ada"),  # a full-width letter
        ("İnan", "inan"),
    ],
)
def test_names_that_are_the_same(one: str, other: str) -> None:
    assert same(one, other)
    assert same(other, one)
    assert not near(one, other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Wilcox, Bruce", "Bruce Wilcox"),
        ("Rollo Carpenter", "Rollo Carpentr"),
        ("Ann Lee", "Anne Lee"),
        ("Robert Medeksza", "Robert Medekzsa"),
    ],
)
def test_names_that_are_nearly_the_same(one: str, other: str) -> None:
    assert near(one, other)
    assert near(other, one)
    assert not same(one, other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Bruce Wilcox", "Sue Wilcox"),
        ("John Smith", "John Smith (Leeds)"),
        ("Ada", "Bob"),
        ("...", "..."),
        ("...", "---"),
        ("राम", "रमा"),  # without the vowel sign they would be the same
    ],
)
def test_names_that_are_different(one: str, other: str) -> None:
    assert not same(one, other)
    assert not near(one, other)


@given(st.text(), st.text())
def test_comparisons_are_symmetric_and_ignore_case(one: str, other: str) -> None:
    assert same(one, other) == same(other, one)
    assert near(one, other) == near(other, one)
    assert not (same(one, other) and near(one, other))
    assert same(one, one) == bool(folded(one))
    # Final forms, such as that of the Greek sigma, are compared as lower case.
    assert same(one, one.upper()) == bool(folded(one)) or folded(one) != folded(one.upper())
    assert folded(folded(one)) == folded(one)
