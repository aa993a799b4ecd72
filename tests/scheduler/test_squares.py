"""Tests squares of every order except 2 and 6, and matrices in parallel rounds, by simple
counting."""

from functools import cache
from itertools import combinations, permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scheduler import Matrix, bundled, check, parallel, squares
from scheduler.parallel import divide_into_rounds
from scheduler.squares import (
    IMPOSSIBLE,
    Triple,
    near_rounds,
    rounds,
)

Square = tuple[tuple[int, ...], ...]


def count_pairs(plays: list[tuple[Triple, ...]]) -> list[int]:
    """The number of different pairs in each two of the columns round, judge, entry, confederate."""
    rows = [(number, *triple) for number, play_ in enumerate(plays) for triple in play_]
    return [len({(row[a], row[b]) for row in rows}) for a, b in combinations(range(4), 2)]


@pytest.mark.parametrize("order", [1, *range(3, 6), *range(7, 31), 34, 45, 46])
def test_any_two_people_meet_exactly_once(order: int) -> None:
    plays = list(rounds(order))
    assert [len(each) for each in plays] == [order] * order
    # n² rows, and n² different pairs in any two columns: each pair occurs exactly once.
    assert count_pairs(plays) == [order * order] * 6


def test_wilsons_construction_has_sizes_for_every_order_up_to_1000() -> None:
    for order in {*range(18, 1001, 4)} - IMPOSSIBLE:
        size, extra = squares._wilson_sizes(order)
        assert 3 * size + extra == order
        assert 0 <= extra <= size >= 4
        assert extra not in IMPOSSIBLE


@pytest.mark.parametrize("order", sorted(IMPOSSIBLE))
def test_the_nearest_approximation_to_a_square_lacks_two_pairs(order: int) -> None:
    plays, whole = near_rounds(order), order * order
    assert count_pairs(plays) == [whole, whole, whole, whole, whole, whole - 2]
    assert count_pairs(plays[:-1]) == [whole - order] * 6


# Matrices in parallel rounds.


def matrix(square: Square | list[list[int]]) -> Matrix:
    triples = [
        (f"J{j}", f"E{e}", f"C{c + 1}")
        for j, row in enumerate(square, 1)
        for e, c in enumerate(row, 1)
    ]
    return Matrix.of(triples, [j for j, _, _ in triples], [e for _, e, _ in triples])


@cache
def latin_squares(order: int) -> list[Square]:
    """All Latin squares whose first row is in order."""
    rows = list(permutations(range(order)))
    found: list[list[tuple[int, ...]]] = [[tuple(range(order))]]
    for _ in range(order - 1):
        found = [
            [*square, row]
            for square in found
            for row in rows
            if all(row[k] != above[k] for above in square for k in range(order))
        ]
    return [tuple(square) for square in found]


def splits_into_transversals(square: Square) -> bool:
    """Whether a square splits into disjoint transversals, found by trying all."""
    order = len(square)
    every = [
        columns
        for columns in permutations(range(order))
        if len({square[i][columns[i]] for i in range(order)}) == order
    ]

    def extend(chosen: list[tuple[int, ...]]) -> bool:
        # The next transversal begins at the next cell of the first row, so each is found once.
        return len(chosen) == order or any(
            extend([*chosen, t])
            for t in every
            if t[0] == len(chosen) and all(t[i] != c[i] for c in chosen for i in range(order))
        )

    return extend([])


@settings(max_examples=15)
@given(st.integers(1, 5).map(latin_squares).flatmap(st.sampled_from))
def test_small_squares_agree_with_an_exhaustive_search(square: Square) -> None:
    found = divide_into_rounds(matrix(square))
    assert found.schedulable == splits_into_transversals(square)
    if found.schedule:
        assert check(found.schedule).valid


@settings(max_examples=20, deadline=None)
@given(st.integers(2, 8), st.data())
def test_cyclic_squares_of_even_order_have_no_transversal(order: int, data: st.DataObject) -> None:
    rows, columns, symbols = (data.draw(st.permutations(range(order))) for _ in range(3))
    square = [[symbols[(rows[i] + columns[k]) % order] for k in range(order)] for i in range(order)]
    found = divide_into_rounds(matrix(square))
    assert found.schedulable is bool(order % 2)
    if found.schedule:
        assert check(found.schedule).valid
    else:
        assert "the matrix has no transversal" in found.reason


def test_the_printed_matrix_is_the_cyclic_square() -> None:
    printed = bundled("2010-published-matrix")
    assert isinstance(printed, Matrix)
    assert [c for j, _, c in printed.triples if j == "J2"] == ["C4", "C1", "C2", "C3"]
    assert "the matrix has no transversal" in divide_into_rounds(printed).reason


def test_a_search_says_whether_it_was_complete(monkeypatch: pytest.MonkeyPatch) -> None:
    not_playable = next(
        square for square in latin_squares(5) if not splits_into_transversals(square)
    )
    assert "all ways were tried" in divide_into_rounds(matrix(not_playable)).reason
    with monkeypatch.context() as patch:
        patch.setattr(parallel, "MAX_WORK", 10)
        report = check(matrix(not_playable))
    assert report.schedulable is None
    assert report.as_json()["schedulable"] is False
    assert report.reason.startswith("undecided")
    assert "limit of 10 comparisons" in report.reason
    # 60 judges, 60 entries and 59 confederates: too large even to begin the search.
    pairs = [(i, k) for i in range(60) for k in range(60) if i != k]
    triples = [(f"J{i}", f"E{k}", f"C{(i + k) % 59}") for i, k in pairs]
    large = Matrix.of(triples, [j for j, _, _ in triples], [e for _, e, _ in triples])
    assert not divide_into_rounds(large).schedulable
