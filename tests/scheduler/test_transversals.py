"""Whether a matrix can be played, against plain trial of all ways and against theory."""

from itertools import permutations, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scheduler import Matrix, bundled, check, make, play
from scheduler.exact_cover import Budget, exact_covers
from scheduler.transversals import group_of

Square = tuple[tuple[int, ...], ...]


def matrix(square: Square | list[list[int]]) -> Matrix:
    order = len(square)
    return Matrix.of(
        [f"J{i}" for i in range(1, order + 1)],
        [f"E{i}" for i in range(1, len(square[0]) + 1)],
        [[f"C{c + 1}" for c in row] for row in square],
    )


def cyclic(order: int) -> Square:
    return tuple(tuple((i + k) % order for k in range(order)) for i in range(order))


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


def transversals(square: Square) -> list[tuple[int, ...]]:
    """For each transversal its column in each row, by trying all permutations."""
    order = len(square)
    return [
        columns
        for columns in permutations(range(order))
        if len({square[i][columns[i]] for i in range(order)}) == order
    ]


def parts(square: Square) -> bool:
    """Whether as many transversals as the order share no cell, by trying all."""
    order = len(square)

    def extend(chosen: list[tuple[int, ...]]) -> bool:
        if len(chosen) == order:
            return True
        # The next one goes through the next cell of the first row: its place tells it apart.
        return any(
            extend([*chosen, t])
            for t in every
            if t[0] == len(chosen) and all(t[i] != c[i] for c in chosen for i in range(order))
        )

    every = transversals(square)
    return extend([])


@pytest.mark.parametrize("order", [1, 2, 3, 4])
def test_all_small_squares_agree_with_plain_trial(order: int) -> None:
    for square in latin_squares(order):
        held = matrix(square)
        assert play(held).schedulable == parts(square)


@settings(max_examples=40)
@given(st.data())
def test_squares_of_order_5_agree_with_plain_trial(data: st.DataObject) -> None:
    square = data.draw(st.sampled_from(ORDER_5))
    found = play(matrix(square))
    assert found.schedulable == parts(square)
    if found.schedule:
        assert check(found.schedule).valid


ORDER_5 = latin_squares(5)


@pytest.mark.parametrize("order", range(1, 21))
def test_cyclic_squares_can_be_played_just_when_the_order_is_odd(order: int) -> None:
    found = play(matrix(cyclic(order)))
    assert found.schedulable is bool(order % 2)
    if found.schedule:
        assert check(found.schedule).valid
    else:
        assert f"cyclic Latin square of order {order}" in found.reason


@given(st.sampled_from([2, 4, 6, 8]), st.data())
def test_a_cyclic_square_is_known_under_other_names(order: int, data: st.DataObject) -> None:
    rows, columns, symbols = (data.draw(st.permutations(range(order))) for _ in range(3))
    square = [[symbols[(rows[i] + columns[k]) % order] for k in range(order)] for i in range(order)]
    found = play(matrix(square))
    assert found.schedulable is False
    assert "cyclic" in found.reason


@pytest.mark.parametrize("order", [3, 4, 5, 7, 8, 9, 11, 13, 16, 17, 25, 27, 32])
def test_the_matrix_of_a_made_schedule_can_be_played(order: int) -> None:
    made = make(order, order, order, seed=order).schedule
    cell = {(p.judge, p.entry): p.confederate for p in made.pairings}
    roster = made.roster
    held = Matrix.of(
        roster.judges, roster.entries, [[cell[j, e] for e in roster.entries] for j in roster.judges]
    )
    report = check(held)
    assert report.valid
    assert report.reason == ""
    assert report.schedule is not None
    assert check(report.schedule).valid
    assert len(report.schedule.rounds) == order


def test_the_symmetric_group_is_known_by_hall_and_paige() -> None:
    elements = list(permutations(range(3)))
    square = tuple(
        tuple(elements.index(tuple(a[b[i]] for i in range(3))) for b in elements) for a in elements
    )
    assert transversals(square) == []
    found = play(matrix(square))
    assert found.schedulable is False
    assert "Hall and Paige" in found.reason


def test_a_square_of_no_group_is_searched() -> None:
    square = next(s for s in ORDER_5 if group_of(s) is None)
    found = play(matrix(square))
    assert found.schedulable is False
    assert "all ways were tried" in found.reason


@settings(max_examples=60)
@given(
    st.integers(1, 3).flatmap(
        lambda rows: st.integers(1, 3).flatmap(
            lambda columns: st.lists(
                st.lists(
                    st.sampled_from(["C1", "C2", "C3", None]), min_size=columns, max_size=columns
                ),
                min_size=rows,
                max_size=rows,
            )
        )
    )
)
def test_any_small_matrix_agrees_with_plain_trial(cells: list[list[str | None]]) -> None:
    triples = [(f"J{i}", f"E{k}", c) for i, row in enumerate(cells) for k, c in enumerate(row) if c]
    if not triples:
        return
    held = Matrix.of(
        [f"J{i}" for i in range(len(cells))], [f"E{k}" for k in range(len(cells[0]))], cells
    )
    loads = [
        sum(name in triple for triple in triples)
        for name in {t[0] for t in triples} | {t[1] for t in triples}
    ]
    rounds = max(loads)
    possible = any(
        all(
            numbers[a] != numbers[b] or not set(triples[a]) & set(triples[b])
            for a in range(len(triples))
            for b in range(a)
        )
        for numbers in product(range(rounds), repeat=len(triples))
    )
    found = play(held)
    assert found.rounds == rounds
    assert found.schedulable == possible
    if found.schedule:
        assert not check(found.schedule).clashes
        assert {(p.judge, p.entry, p.confederate) for p in found.schedule.pairings} == set(triples)
    else:
        assert found.reason


def test_a_search_that_is_stopped_says_so_and_claims_nothing() -> None:
    square = next(s for s in ORDER_5 if group_of(s) is None)
    report = check(matrix(square), max_work=10)
    assert report.schedulable is None
    assert report.as_json()["schedulable"] is False
    assert report.reason.startswith("not decided")
    assert "bound of 10 comparisons" in report.reason


def test_a_matrix_beyond_the_bound_is_not_even_laid_out() -> None:
    # 60 judges by 60 entries by 59 confederates: no square, and too much to try.
    cells = [[f"C{(i + k) % 59}" if i != k else None for k in range(60)] for i in range(60)]
    held = Matrix.of([f"J{i}" for i in range(60)], [f"E{i}" for i in range(60)], cells)
    assert play(held).schedulable in (None, False)


def test_covers_of_nothing_and_by_nothing() -> None:
    nothing: dict[str, tuple[int, ...]] = {}
    assert list(exact_covers(nothing, (), Budget(10))) == [()]
    assert list(exact_covers(nothing, (1,), Budget(10))) == []
    options = {"ab": (1, 2), "c": (3,), "bc": (2, 3), "a": (1,)}
    assert {frozenset(c) for c in exact_covers(options, (1, 2, 3), Budget(1000))} == {
        frozenset({"ab", "c"}),
        frozenset({"a", "bc"}),
    }


def test_the_printed_matrix_is_the_cyclic_square() -> None:
    printed = bundled("2010-published-matrix")
    assert isinstance(printed, Matrix)
    assert printed.cells[1] == ("C4", "C1", "C2", "C3")
    assert "the matrix has no transversal" in play(printed).reason
