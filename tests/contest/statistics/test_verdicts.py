"""What verdicts and rankings say: intervals by their definitions, chances against all tables,
written out one by one, agreement against closed forms, and what holds of all."""

from __future__ import annotations

from fractions import Fraction
from itertools import accumulate, pairwise, product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom, friedmanchisquare, norm  # type: ignore[import-untyped]

from contest.statistics import verdicts
from contest.statistics.strengths import Interval
from contest.statistics.text import between, in_contests, percent, span
from contest.statistics.verdicts import Share, fisher, guessing, share
from contest.statistics.verdicts import agreement_of_rankings as of_rankings
from contest.statistics.verdicts import agreement_of_verdicts as of_verdicts

# Shares


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
def test_intervals_end_where_their_definitions_say(out_of: int) -> None:
    for taken in {0, 1, out_of // 3, out_of // 2, out_of - 1, out_of}:
        wilson, exact = held(share(taken, out_of))
        for end, bound in ((wilson.low, 0), (wilson.high, 1)):
            # At its ends the share is 1.96 standard errors off; of none and of all it stops there.
            off, error = (taken / out_of - end) ** 2, end * (1 - end) / out_of
            assert end == bound or off == pytest.approx(norm.ppf(0.975) ** 2 * error)
        as_many = 0.025 if taken else 1
        as_few = 0.025 if taken < out_of else 1
        assert binom.sf(taken - 1, out_of, exact.low) == pytest.approx(as_many)
        assert binom.cdf(taken, out_of, exact.high) == pytest.approx(as_few)


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


# Guessing


def columns(taken: list[int], out_of: list[int]) -> dict[str, tuple[int, int]]:
    return {f"E{at}": both for at, both in enumerate(zip(taken, out_of, strict=True), 1)}


def every_table(out_of: list[int]) -> list[list[int]]:
    """The scores of every table that there could be, each as often as it comes up with coins."""
    cuts = list(pairwise(accumulate(out_of, initial=0)))
    return [[sum(t[a:b]) for a, b in cuts] for t in product((0, 1), repeat=sum(out_of))]


CASES = st.lists(st.integers(1, 4), min_size=1, max_size=3).flatmap(
    lambda sizes: st.tuples(st.tuples(*(st.integers(0, n) for n in sizes)), st.just(sizes))
)


@given(CASES)
def test_all_chances_are_those_of_all_tables(case: tuple[tuple[int, ...], list[int]]) -> None:
    taken, out_of = list(case[0]), case[1]
    found = guessing(columns(taken, out_of))
    assert found is not None
    tables = every_table(out_of)

    def part(holding: int, of: int) -> float:
        return float(Fraction(holding, of))

    total, best = sum(taken), max(taken)
    assert (found.taken, found.out_of, found.best) == (total, sum(out_of), best)
    low = part(sum(sum(t) <= total for t in tables), len(tables))
    high = part(sum(sum(t) >= total for t in tables), len(tables))
    assert found.total_as_low == pytest.approx(low)
    assert found.total_as_high == pytest.approx(high)
    reached = part(sum(max(t) >= best for t in tables), len(tables))
    assert found.best_as_high == pytest.approx(reached)
    same = [t for t in tables if sum(t) == total]
    alike = part(sum(max(t) >= best for t in same), len(same))
    assert found.best_as_high_alike == pytest.approx(alike)
    for at, own in enumerate(found.own.values()):
        expected = part(sum(t[at] >= taken[at] for t in tables), len(tables))
        assert own == pytest.approx(expected)


def test_without_a_verdict_there_is_nothing_to_say() -> None:
    assert guessing({}) is None
    assert guessing({"E1": (0, 0)}) is None


def test_an_entry_without_verdicts_counts_for_nothing() -> None:
    some = columns([1, 3], [4, 4])
    found = guessing({**some, "E9": (0, 0)})
    assert found == guessing(some)


def test_a_contest_of_200_judges_and_entries() -> None:
    found = guessing({f"E{at}": (60, 200) for at in range(200)})
    assert found is not None
    assert found.total_as_low < 1e-12
    # Of 200 that are alike the best has more than the mean, nearly always.
    assert found.best_as_high_alike > 0.999


# Agreement


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
