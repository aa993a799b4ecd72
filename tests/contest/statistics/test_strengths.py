"""Strengths: closed forms, an optimizer that shares no code, and what holds of all."""

from __future__ import annotations

import math
from collections.abc import Callable
from unittest import mock

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import brentq, minimize  # type: ignore[import-untyped]
from scipy.special import expit  # type: ignore[import-untyped]

from contest.statistics.strengths import MOST_PROFILED, Compared, Strengths, strengths
from scheduler import schedule_2010
from tests.contest.build import FOOLED

PLAN = schedule_2010()
EVERYBODY = PLAN.roster.participants


def played(fooled: Callable[[int, str], bool]) -> list[Compared]:
    """The pairings of 2010, by round and judge whether the entry was taken for the human."""
    return [
        Compared(p.entry, p.confederate, int(entry), int(not entry))
        for p in PLAN.pairings
        for entry in [fooled(p.round, p.judge)]
    ]


MIXED = played(lambda round_, judge: (round_, judge) in FOOLED)


def by_name(found: Strengths) -> dict[str, float]:
    return {each.who: each.log_odds for each in found.strengths}


@pytest.mark.parametrize(("won", "lost"), [(3, 1), (4, 0), (0, 7), (2, 2)])
def test_of_two_participants_it_is_one_equation(won: int, lost: int) -> None:
    def slope(strength: float) -> float:
        between, own = expit(2 * strength), expit(strength)
        return float(won - (won + lost) * between + 0.5 - own)

    found = by_name(strengths([Compared("E", "C", won, lost)], ["E", "C"]))
    strength = brentq(slope, -9, 9)
    assert found == pytest.approx({"E": strength, "C": -strength}, abs=1e-6)


def test_an_interval_is_where_the_penalized_likelihood_has_it() -> None:
    def height(one: float) -> float:
        # The other one's strength is the opposite: their average is 0.
        between = 3 * math.log(expit(2 * one)) + math.log(expit(-2 * one))
        return between + math.log(expit(one)) + math.log(expit(-one))

    best = strengths([Compared("E", "C", 3, 1)], ["E", "C"]).strengths[0]
    wanted = height(best.log_odds) - 3.841458820694124 / 2
    low = brentq(lambda one: height(one) - wanted, best.log_odds - 9, best.log_odds)
    high = brentq(lambda one: height(one) - wanted, best.log_odds, best.log_odds + 9)
    assert (best.interval.low, best.interval.high) == pytest.approx((low, high), abs=1e-3)


def test_an_optimizer_that_shares_no_code_finds_the_same() -> None:
    place = {name: at for at, name in enumerate(EVERYBODY)}
    design = np.zeros((len(MIXED), len(EVERYBODY)))
    for row, each in enumerate(MIXED):
        design[row, place[each.entry]], design[row, place[each.confederate]] = 1, -1
    won = np.array([each.entry_taken for each in MIXED])

    def depth(free: np.ndarray[tuple[int], np.dtype[np.float64]]) -> float:
        each = np.append(free, -free.sum())
        ahead = design @ each
        likely = won * np.log(expit(ahead)) + (1 - won) * np.log(expit(-ahead))
        return float(-likely.sum() - (np.log(expit(each)) + np.log(expit(-each))).sum() / 2)

    least = minimize(depth, np.zeros(len(EVERYBODY) - 1), tol=1e-10).x
    expected = dict(zip(EVERYBODY, (*least, -least.sum()), strict=True))
    assert by_name(strengths(MIXED, EVERYBODY)) == pytest.approx(expected, abs=1e-4)


def test_who_was_always_taken_for_the_human_has_a_strength_and_is_named() -> None:
    found = strengths(played(lambda *_: False), EVERYBODY)
    assert (found.always, found.never) == (PLAN.roster.confederates, PLAN.roster.entries)
    for each in found.strengths:
        assert math.isfinite(each.interval.low)
        assert math.isfinite(each.interval.high)
        assert each.interval.low < each.log_odds < each.interval.high
        assert 0 < each.chances.low < each.chance < each.chances.high < 1


def test_who_is_in_no_way_compared_is_not_ranked() -> None:
    apart = [Compared("E1", "C1", 1, 0), Compared("E2", "C2", 0, 1)]
    found = strengths(apart, ["E1", "E2", "C1", "C2"])
    assert found.strengths == ()
    assert found.why_not.endswith("E1 and C1; E2 and C2")
    joined = strengths([*apart, Compared("E1", "C2", 1, 0)], ["E1", "E2", "C1", "C2"])
    assert len(joined.strengths) == 4


def test_without_a_verdict_there_are_none() -> None:
    assert strengths([], EVERYBODY).why_not == "there is no verdict"


VERDICTS = st.lists(st.booleans(), min_size=16, max_size=16)


def quickly(compared: list[Compared]) -> dict[str, float]:
    """The strengths alone: intervals by profile take their time."""
    with mock.patch("contest.statistics.strengths.MOST_PROFILED", 0):
        return by_name(strengths(compared, EVERYBODY))


def of(verdicts: list[bool]) -> list[Compared]:
    pairs = zip(PLAN.pairings, verdicts, strict=True)
    return [Compared(p.entry, p.confederate, int(v), int(not v)) for p, v in pairs]


@settings(max_examples=15)
@given(VERDICTS, st.permutations(EVERYBODY))
def test_names_change_nothing_but_names(verdicts: list[bool], names: list[str]) -> None:
    new = dict(zip(EVERYBODY, names, strict=True))
    renamed = [
        Compared(new[c.entry], new[c.confederate], c.entry_taken, c.confederate_taken)
        for c in of(verdicts)
    ]
    found, other = quickly(of(verdicts)), quickly(renamed)
    assert other == pytest.approx({new[who]: v for who, v in found.items()}, abs=1e-4)


@settings(max_examples=15)
@given(VERDICTS, st.integers(0, 15))
def test_a_further_verdict_never_weakens_the_one_it_favours(verdicts: list[bool], at: int) -> None:
    pairing = PLAN.pairings[at]
    more = [*of(verdicts), Compared(pairing.entry, pairing.confederate, 1, 0)]
    before, after = (quickly(each) for each in (of(verdicts), more))
    apart = [found[pairing.entry] - found[pairing.confederate] for found in (before, after)]
    assert apart[1] > apart[0]


def test_strengths_are_in_order() -> None:
    found = strengths(MIXED, EVERYBODY)
    values = [round(each.log_odds, 6) for each in found.strengths]
    assert sum(values) == pytest.approx(0, abs=1e-5)
    assert values == sorted(values, reverse=True)
    assert found.method == "profile"


def test_equal_ones_stay_in_the_order_of_the_roster() -> None:
    order = [each.who for each in strengths(MIXED, EVERYBODY).strengths]
    assert [who for who in order if who in ("E1", "E2", "E3")] == ["E1", "E2", "E3"]


def test_of_very_many_the_intervals_are_the_normal_ones() -> None:
    count = MOST_PROFILED // 2 + 1
    entries, humans = ([f"{role}{at}" for at in range(count)] for role in "EC")
    dice = np.random.default_rng(1)
    compared = [
        Compared(entry, human, int(won), 10 - int(won))
        for entry in entries
        for human in humans
        for won in [dice.integers(2, 9)]
    ]
    found = strengths(compared, [*entries, *humans])
    assert found.method == "normal"
    assert all(e.interval.low < e.log_odds < e.interval.high for e in found.strengths)
    assert all(0.05 < e.interval.high - e.interval.low < 1 for e in found.strengths)
