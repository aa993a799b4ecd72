"""Agreement: published examples, another formula, and what can't be told."""

from __future__ import annotations

from fractions import Fraction

import pytest
from scipy.stats import friedmanchisquare  # type: ignore[import-untyped]

from contest.statistics import verdicts
from contest.statistics.verdicts import agreement_of_rankings as of_rankings
from contest.statistics.verdicts import agreement_of_verdicts as of_verdicts


def test_krippendorffs_own_example() -> None:
    # K. Krippendorff, Computing Krippendorff's Alpha-Reliability (2011), A: two observers, ten
    # units, binary: 0.095.
    meg = [0, 1, 0, 0, 0, 0, 0, 0, 1, 0]
    owen = [1, 1, 1, 0, 0, 1, 0, 0, 0, 0]
    found = of_verdicts(
        (str(unit), bool(value)) for who in (meg, owen) for unit, value in enumerate(who)
    )
    assert found.alpha == pytest.approx(0.095, abs=0.0005)
    assert (found.verdicts, found.entries) == (20, 10)


def test_full_agreement_is_1() -> None:
    assert of_verdicts([("E1", True)] * 3 + [("E2", False)] * 3).alpha == 1


def test_an_entry_with_one_verdict_has_nobody_to_agree_with() -> None:
    some = [("E1", True), ("E1", False), ("E2", False), ("E2", False)]
    assert of_verdicts([*some, ("E3", True)]) == of_verdicts(some)


@pytest.mark.parametrize(
    ("verdicts", "why_not"),
    [
        ([], "no entry has two verdicts"),
        ([("E1", True), ("E2", False)], "no entry has two verdicts"),
        ([("E1", False)] * 4, "all verdicts are the same, so that chance agrees as well"),
    ],
)
def test_where_there_is_no_alpha_it_says_why(
    verdicts: list[tuple[str, bool]], why_not: str
) -> None:
    found = of_verdicts(verdicts)
    assert (found.alpha, found.why_not) == (None, why_not)


def ballot(*ranks: float) -> dict[str, Fraction]:
    return {f"P{at}": Fraction(rank) for at, rank in enumerate(ranks)}


@pytest.mark.parametrize(
    "ballots",
    [
        [(1, 2, 3, 4), (2, 1, 3, 4), (1, 3, 2, 4)],
        [(1.5, 1.5, 3, 4), (2, 1, 3.5, 3.5), (1, 2.5, 2.5, 4), (4, 3, 2, 1)],
    ],
)
def test_w_is_friedmans_statistic_by_another_way(ballots: list[tuple[float, ...]]) -> None:
    found = of_rankings([ballot(*each) for each in ballots])
    other = friedmanchisquare(*zip(*ballots, strict=True)).statistic
    assert found.w == pytest.approx(other / (len(ballots) * (len(ballots[0]) - 1)))


def test_the_same_ranking_by_all_is_1_and_no_luck() -> None:
    found = of_rankings([ballot(1, 2, 3, 4, 5, 6)] * 4)
    assert found.w == pytest.approx(1)
    assert found.chance is not None
    assert found.chance < 0.001


def test_of_two_by_two_the_chance_is_known() -> None:
    # Two judges, two participants: they agree in half of all cases.
    found = of_rankings([ballot(1, 2), ballot(1, 2)])
    assert found.chance == pytest.approx(0.5, abs=0.02)


def test_whoever_is_not_on_all_ballots_is_left_out_and_the_others_ranked_anew() -> None:
    whole = [ballot(1, 2, 3), ballot(2, 1, 3)]
    more = [{"X": Fraction(1), **{n: r + 1 for n, r in whole[0].items()}}, whole[1]]
    assert of_rankings(more) == of_rankings(whole)


@pytest.mark.parametrize(
    ("ballots", "why_not"),
    [
        ([], "it takes the rankings of two judges at least"),
        ([ballot(1, 2)], "it takes the rankings of two judges at least"),
        ([ballot(1), ballot(1)], "no two participants are on all ballots"),
        ([ballot(1, 1), ballot(2, 2)], "every ballot gives all the same rank"),
    ],
)
def test_where_there_is_no_w_it_says_why(ballots: list[dict[str, Fraction]], why_not: str) -> None:
    found = of_rankings(ballots)
    assert (found.w, found.chance, found.why_not) == (None, None, why_not)


def test_many_are_shuffled_less_often(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(verdicts, "MANY", 5)
    assert of_rankings([ballot(1, 2, 3)] * 2).shuffles == verdicts.FEWER_SHUFFLES
