"""Tests the typing pace: the final text is exact, and the pace is like that of the confederates of
2012."""

from __future__ import annotations

import random
import statistics

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lpp.errors import NotAKey
from lpp.lines import Pane
from lpp.names import BACKSPACE, plain_text
from lpp.pace import Pace

typable = st.text(
    st.characters(
        exclude_categories=("Cs", "Cc", "Co", "Cn", "Zl", "Zp"), include_characters="\t\n"
    ),
    max_size=60,
)
LONG = "The quick brown fox jumps over the lazy dog, and nobody minds at all.\n" * 40


@given(typable, st.integers(), st.floats(0, 1))
def test_the_strokes_leave_exactly_the_text(text: str, seed: int, slips: float) -> None:
    strokes = list(Pace(slips=slips).strokes(text, random.Random(seed)))
    assert Pane(stroke.key for stroke in strokes).text == plain_text(text)
    assert all(stroke.delay > 0 for stroke in strokes)


def test_the_pace_is_within_the_range_of_the_confederates_of_2012() -> None:
    strokes = list(Pace().strokes(LONG, random.Random(1)))
    assert 0.135 <= statistics.median(stroke.delay for stroke in strokes) <= 0.259
    share = sum(stroke.key == BACKSPACE for stroke in strokes) / len(strokes)
    assert 0.005 <= share <= 0.05


def test_no_corrections_without_slips() -> None:
    strokes = list(Pace(slips=0).strokes(LONG, random.Random(1)))
    assert len(strokes) == len(LONG)


def test_a_text_that_cannot_be_typed_is_refused() -> None:
    with pytest.raises(NotAKey):
        list(Pace().strokes("a\x00", random.Random(1)))
