"""What guessing gives, against all tables written out one by one."""

from __future__ import annotations

from fractions import Fraction
from itertools import accumulate, pairwise, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contest.statistics.verdicts import guessing


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
