"""Typing pace: what is typed stands in the end, at the pace of the confederates of 2012."""

from __future__ import annotations

import random
import statistics

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lpp.errors import NotAKey
from lpp.lines import LineEditor, Pane
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


@given(typable, st.integers())
def test_for_a_program_that_edits_within_the_line_too(text: str, seed: int) -> None:
    editor = LineEditor()
    lines = [
        line
        for stroke in Pace(slips=0.5).strokes(text, random.Random(seed))
        if (line := editor.press(stroke.key)) is not None
    ]
    assert "\n".join([*lines, editor.unsent]) == plain_text(text)


def test_the_same_seed_types_the_same() -> None:
    first = list(Pace().strokes(LONG, random.Random(7)))
    assert first == list(Pace().strokes(LONG, random.Random(7)))
    assert first != list(Pace().strokes(LONG, random.Random(8)))


def test_the_pace_lies_among_the_confederates_of_2012() -> None:
    strokes = list(Pace().strokes(LONG, random.Random(1)))
    assert 0.135 <= statistics.median(stroke.delay for stroke in strokes) <= 0.259
    share = sum(stroke.key == BACKSPACE for stroke in strokes) / len(strokes)
    assert 0.005 <= share <= 0.05


def test_without_slips_there_are_no_corrections() -> None:
    strokes = list(Pace(slips=0).strokes(LONG, random.Random(1)))
    assert len(strokes) == len(LONG)


def test_without_any_pause_it_still_types() -> None:
    pace = Pace(gap=0.01, spread=0, word_pause=0, thought=0, slips=0)
    assert sum(
        stroke.delay for stroke in pace.strokes("a b\nc", random.Random(1))
    ) == pytest.approx(0.05)


def test_a_text_with_what_is_no_key_press_is_refused() -> None:
    with pytest.raises(NotAKey):
        list(Pace().strokes("a\x00", random.Random(1)))
