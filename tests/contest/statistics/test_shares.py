"""Intervals of shares: published ones, scipy's own by another way, and what holds of all."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest  # type: ignore[import-untyped]

from contest.statistics.strengths import Interval
from contest.statistics.text import between, in_contests, percent, span
from contest.statistics.verdicts import Share, fisher, share


def held(found: Share) -> tuple[Interval, Interval]:
    """Both intervals of a share that has them."""
    assert found.wilson is not None
    assert found.clopper_pearson is not None
    return found.wilson, found.clopper_pearson


@pytest.mark.parametrize(
    ("taken", "out_of", "wilson"),
    [(1, 4, "4.6 to 69.9 %"), (3, 12, "8.9 to 53.2 %"), (5, 60, "3.6 to 18.1 %")],
)
def test_wilson_intervals_of_contests(taken: int, out_of: int, wilson: str) -> None:
    assert span(held(share(taken, out_of))[0]) == wilson


@pytest.mark.parametrize("out_of", [1, 2, 4, 12, 60, 1000])
def test_both_are_those_of_scipys_test(out_of: int) -> None:
    for taken in {0, 1, out_of // 3, out_of // 2, out_of - 1, out_of}:
        for method, mine in zip(("wilson", "exact"), held(share(taken, out_of)), strict=True):
            other = binomtest(taken, out_of).proportion_ci(0.95, method)
            assert (mine.low, mine.high) == pytest.approx((other.low, other.high), abs=1e-9)


@given(st.integers(1, 300).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_intervals_hold_the_share_and_mirror(of: tuple[int, int]) -> None:
    taken, out_of = of
    found, mirrored = share(taken, out_of), share(out_of - taken, out_of)
    for mine, other in zip(held(found), held(mirrored), strict=True):
        assert 0 <= mine.low <= taken / out_of <= mine.high <= 1
        assert (1 - other.high, 1 - other.low) == pytest.approx((mine.low, mine.high), abs=1e-9)


@pytest.mark.parametrize(
    ("one", "other", "chance"),
    [
        ((5, 8), (0, 8), 2 * 56 / 4368),
        ((4, 4), (0, 4), 2 / 70),
        ((1, 4), (1, 4), 1.0),
        ((1, 4), (0, 0), None),
    ],
)
def test_two_shares_are_compared_by_their_difference(
    one: tuple[int, int], other: tuple[int, int], chance: float | None
) -> None:
    first, second = share(*one), share(*other)
    assert fisher(first, second) == fisher(second, first) == pytest.approx(chance)


def test_overlapping_intervals_do_not_say_that_two_are_alike() -> None:
    first, second = share(5, 8), share(0, 8)
    for mine, other in zip(held(first), held(second), strict=True):
        assert mine.low < other.high
    found = fisher(first, second)
    assert found is not None
    assert found < 0.05


def test_of_none_there_is_nothing_to_say() -> None:
    found = share(0, 0)
    assert (found.share, found.wilson, found.clopper_pearson) == (None, None, None)


@pytest.mark.parametrize(("taken", "out_of"), [(-1, 4), (5, 4), (1, 0)])
def test_what_is_no_share_is_refused(taken: int, out_of: int) -> None:
    with pytest.raises(ValueError, match="not a share"):
        share(taken, out_of)


@pytest.mark.parametrize(
    ("value", "said"),
    [
        *((None, "–"), (0.0, "0 %"), (0.001, "under 1 %"), (0.532, "53 %")),
        *((0.999, "over 99 %"), (1.0, "100 %")),
    ],
)
def test_a_share_in_words_is_never_none_or_all_that_is_not(value: float | None, said: str) -> None:
    assert percent(value) == said


def test_an_interval_in_words() -> None:
    assert between(held(share(3, 12))[0]) == "between 9 % and 53 %"


@pytest.mark.parametrize(
    ("chance", "said"),
    [
        (1.0, "in every such contest"),
        (0.999, "in more than 99 of 100 such contests"),
        (0.23, "in about 23 of 100 such contests"),
        (0.0042, "in about 4 of 1,000 such contests"),
        (0.0, "in fewer than 1 of 1,000 such contests"),
    ],
)
def test_a_chance_in_words(chance: float, said: str) -> None:
    assert in_contests(chance) == said
