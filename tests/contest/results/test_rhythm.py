"""Tests typing rhythm: each number, computed by hand."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contest.record.bodies import Author
from contest.results.rhythm import BINS, Press, distribution, gaps_of, quartiles, rhythm_of
from lpp.names import keys_of


def typed(author: Author, start: float, text: str, gap: float = 100.0) -> list[Press]:
    """Presses that type a text, at intervals in milliseconds."""
    return [Press(start + gap * at, author, key) for at, key in enumerate(keys_of(text))]


def talk(*parts: list[Press]) -> list[Press]:
    return sorted((press for part in parts for press in part), key=lambda press: press.ms)


def test_keys_characters_lines_and_corrections_are_counted() -> None:
    found = rhythm_of(typed("entity", 500, "Helo\b\blo\n\nyes"), "entity")
    assert (found["keys"], found["backspaces"], found["characters"], found["lines"]) == (
        13,
        2,
        9,
        2,
    )
    assert found["first_ms"] == 500
    assert found["backspace_share"] == pytest.approx(2 / 13)
    assert found["line_length"] == 3.5
    assert [found[f"gap_{name}_ms"] for name in ("low", "median", "high")] == [100] * 3
    assert found["keys_a_minute"] == 600


def test_pauses_are_counted_separately_from_gaps() -> None:
    presses = typed("judge", 0, "ab") + typed("judge", 2099, "cd") + typed("judge", 4199, "ef")
    assert list(gaps_of(presses, "judge")) == [100, 1999, 100, 2000, 100]
    found = rhythm_of(presses, "judge")
    assert (found["pauses"], found["longest_ms"]) == (1, 2000)
    assert found["gap_high_ms"] == pytest.approx(574.75)


def test_negative_gaps_are_skipped() -> None:
    presses = [Press(ms, "entity", "a") for ms in (0, 100, 40, 140)]
    assert list(gaps_of(presses, "entity")) == [100, 100]


def test_turns_overlap_within_a_second_of_a_character() -> None:
    presses = talk(
        typed("judge", 0, "a"), typed("entity", 999, "b"), typed("entity", 1000, "c"),
        typed("judge", 60_000, "\b"), typed("entity", 60_001, "d"),
    )  # fmt: skip
    assert rhythm_of(presses, "entity")["overlap"] == pytest.approx(1 / 3)
    assert rhythm_of(presses, "judge")["overlap"] == 1


def test_answer_times_count_from_the_last_return() -> None:
    presses = talk(
        typed("judge", 0, "\n"), typed("judge", 1000, "\n"), typed("entity", 1500, "ab"),
        typed("judge", 5000, "\n"), typed("entity", 5700, "c"),
    )  # fmt: skip
    assert rhythm_of(presses, "entity")["answer_ms"] == 600
    assert rhythm_of(presses, "judge")["answer_ms"] is None


def test_values_are_null_without_keys() -> None:
    found = rhythm_of([], "judge")
    assert (found["keys"], found["characters"], found["lines"], found["backspaces"]) == (0, 0, 0, 0)
    assert found["pauses"] == 0
    assert {v for k, v in found.items() if k.endswith("_ms")} == {None}
    assert set(quartiles([]).values()) == {None}
    assert quartiles([3.0]) == {"low": 3, "median": 3, "high": 3}


@given(
    st.lists(
        st.tuples(
            st.integers(0, 90_000),
            st.sampled_from(["judge", "entity"]),
            st.sampled_from(["a", "space", "BackSpace", "Return", "Shift_L", "period"]),
        ),
        max_size=40,
    ),
    st.integers(0, 10**9),
)
def test_shifting_all_times_changes_only_the_first_time(
    keys: list[tuple[int, Author, str]], later: int
) -> None:
    presses = [Press(float(ms), author, key) for ms, author, key in sorted(keys)]
    moved = [Press(ms + later, author, key) for ms, author, key in presses]
    for author in ("judge", "entity"):
        of: Author = "judge" if author == "judge" else "entity"
        mine, other = rhythm_of(presses, of), rhythm_of(moved, of)
        first = mine.pop("first_ms"), other.pop("first_ms")
        assert first == (None, None) or first[1] - first[0] == later
        assert mine == other


@given(st.lists(st.floats(0, 1e6), min_size=1, max_size=60))
def test_a_distribution_includes_all_gaps(gaps: list[float]) -> None:
    found = distribution(gaps)
    assert sum(found) == pytest.approx(1)
    for at, part in enumerate(found):
        low = 0.0 if at == 0 else BINS[at]
        high = float("inf") if at == len(found) - 1 else BINS[at + 1]
        near = [g for g in gaps if low * (1 + 1e-9) <= g < high * (1 - 1e-9)]
        wide = [g for g in gaps if low * (1 - 1e-9) <= g <= high * (1 + 1e-9)]
        assert len(near) - 1e-6 <= part * len(gaps) <= len(wide) + 1e-6
