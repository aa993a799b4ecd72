"""Tests plans for any numbers: they are valid, and optimal by trying all plans or by counting."""

from __future__ import annotations

import sys

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from scheduler import Refused, check, make_plan
from scheduler.planning.annealing import search_by_annealing
from scheduler.planning.bounds import Bounds
from scheduler.planning.building import build_from_squares
from scheduler.planning.model import SolverMissing
from scheduler.planning.plan import HardWishImpossible, plan
from scheduler.planning.problem import WISHES, Problem
from scheduler.schedule import PLACES, Pairing
from tests.scheduler.planning.problems import (
    broken_rules,
    counted_cost,
    grants_hard_wishes,
    lowest_cost,
    pair,
    problem_for,
)


@st.composite
def small_problem(draw: st.DrawFn) -> Problem:
    """A problem small enough to try all its plans."""
    sizes = draw(st.sampled_from([(2, 2, 2), (3, 2, 2), (2, 3, 2), (2, 2, 3), (3, 2, 1)]))
    rounds = draw(st.integers(1, 2 if sum(sizes) > 6 else 3))
    names = [f"{kind}{i}" for kind, n in zip("JEC", sizes, strict=True) for i in range(1, n + 1)]
    numbers = st.integers(1, rounds)
    pairs = [frozenset((one, other)) for one in names for other in names if one[0] < other[0]]
    return problem_for(
        *sizes,
        rounds,
        conflicts=draw(st.frozensets(st.sampled_from(pairs), max_size=2)),
        away=draw(
            st.dictionaries(st.sampled_from(names), st.frozensets(numbers, max_size=2), max_size=2)
        ),
        desks=draw(st.dictionaries(numbers, st.integers(1, 2), max_size=rounds)),
        weights=draw(st.dictionaries(st.sampled_from(sorted(PLACES)), st.integers(1, 3))),
        hard=draw(st.frozensets(st.sampled_from(sorted(PLACES)), max_size=1)),
    )


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(small_problem())
def test_no_possible_plan_is_better(problem: Problem) -> None:
    lowest = lowest_cost(problem)
    try:
        made = plan(problem)
    except HardWishImpossible:
        assert lowest is None
        return
    except Refused:
        # Nobody can meet anybody: every plan is empty.
        assert lowest is not None
        assert lowest[2] == 0
        return
    assert broken_rules(problem, made.planned) == []
    assert grants_hard_wishes(problem, made.planned)
    assert made.optimal
    assert lowest == made.cost == made.least == counted_cost(problem, made.planned)


def test_a_contest_with_a_conflict_and_an_absence_is_planned_optimally() -> None:
    problem = problem_for(
        4, 5, 3, 5, conflicts=frozenset({pair("J1E2")}), away={"J2": frozenset({3})}
    )
    made = make_plan(problem)
    # Found by the quick search and proved without the solver, in a fraction of a second.
    assert made.by == "by counting"
    report = check(made.schedule)
    assert report.clashes == ()
    assert made.optimal
    # 15 pairings are all that 5 rounds hold, for 19 pairs of judge and entry that may meet.
    assert {kind: len(pairs.missing) for kind, pairs in report.pairs.items()} == {
        "judge_entry": 5,
        "judge_confederate": 0,
        "entry_confederate": 0,
    }
    assert ("J1", "E2") in report.pairs["judge_entry"].missing
    assert all(p.judge != "J2" for p in made.schedule.rounds[2])
    assert made.cost == counted_cost(problem, made.schedule.pairings) == (4, 3, 222)
    assert [len(names) for names in made.idle] == [3, 3, 3, 3, 3]
    said = made.in_words()
    assert said[0] == "J1E2 never meets: they must not meet (conflict of interest)"
    assert "pairings possible in 5 rounds with 3 confederates is 15" in said[1]
    assert said[-1].startswith("optimal: ")


@pytest.mark.parametrize(
    ("problem", "missing"),
    [
        (problem_for(4, 4, 3, 4), 4),
        (problem_for(20, 4, 4, 20), 0),
        (problem_for(7, 7, 7, 8), 0),
        (problem_for(5, 5, 5, 10), 0),
        (problem_for(12, 12, 12, 12), 0),
    ],
)
def test_squares_are_used_without_a_search(problem: Problem, missing: int) -> None:
    found = build_from_squares(problem, Bounds(problem))
    assert found is not None
    assert counted_cost(problem, found)[0] == missing
    assert counted_cost(problem, found) == Bounds(problem).least
    assert broken_rules(problem, found) == []
    # Nobody waits in an empty round: all rounds are used.
    assert {p.round for p in found} == set(problem.rounds)


@pytest.mark.parametrize(
    "problem",
    [
        problem_for(4, 5, 3, 5),
        problem_for(8, 6, 5, 8),
        problem_for(12, 8, 6, 12),
        problem_for(6, 6, 6, 8),
        problem_for(6, 4, 4, 5, desks=dict.fromkeys(range(1, 6), 2)),
    ],
)
def test_the_quick_search_reaches_the_bounds(problem: Problem) -> None:
    found = search_by_annealing(problem, Bounds(problem))
    assert problem.cost(found) == Bounds(problem).least
    assert broken_rules(problem, found) == []


def test_the_solver_proves_plans_that_counting_cannot() -> None:
    problem = problem_for(3, 3, 3, 3, conflicts=frozenset({pair("J1E2")}))
    made = plan(problem)
    assert made.by == "by the solver"
    assert made.optimal
    assert made.cost == made.least == counted_cost(problem, made.planned) == (2, 0, 88)
    assert Bounds(problem).least.missing == 0
    assert plan(problem) == made


@pytest.mark.parametrize(
    ("order", "cost"),
    [(5, (2, 0)), pytest.param(6, (1, 2), marks=pytest.mark.soak)],
)
def test_a_plan_for_one_conflict_in_a_full_square_is_proved_optimal(
    order: int, cost: tuple[int, int]
) -> None:
    problem = problem_for(order, order, order, order, conflicts=frozenset({pair("J1E2")}))
    made = plan(problem, seconds=60)
    assert made.optimal
    assert made.cost[:2] == cost
    assert made.cost == counted_cost(problem, made.planned)


@pytest.mark.parametrize(("hard", "weights"), [({"entry_confederate"}, {}), ((), {"a": 3})])
def test_order_six_loses_pairs_of_the_wish_with_the_lowest_weight(
    hard: set[str], weights: dict[str, int]
) -> None:
    problem = problem_for(
        6, 6, 6, 6, hard=frozenset(hard), weights={WISHES[each]: n for each, n in weights.items()}
    )
    made = plan(problem)
    assert made.optimal
    assert made.cost.missing == 2
    assert broken_rules(problem, made.planned) == []
    assert grants_hard_wishes(problem, made.planned)


def test_without_the_solver_a_plan_says_that_it_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ortools.sat.python", None)
    made = plan(problem_for(3, 3, 3, 3, conflicts=frozenset({pair("J1E2")})))
    assert not made.optimal
    assert made.proved == 0
    assert made.cost[0] == 2
    assert "the extra 'scheduling'" in made.by
    assert made.in_words()[-1].startswith("missing: 2 found, less than 0 is impossible; ")
    # If counting proves it, the solver is not needed.
    assert plan(problem_for(4, 5, 3, 5)).optimal


def test_a_hard_wish_that_needs_the_solver_is_refused_without_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    whole = frozenset(PLACES)
    problem = problem_for(2, 2, 2, 2, conflicts=frozenset({pair("J1E2")}), hard=whole)
    with pytest.raises(HardWishImpossible, match="proved by the solver"):
        plan(problem)
    monkeypatch.setitem(sys.modules, "ortools.sat.python", None)
    with pytest.raises(SolverMissing, match="extra 'scheduling'"):
        plan(problem)


def test_played_pairings_count_as_meetings() -> None:
    played = (Pairing(1, "J1", "E1", "C1"), Pairing(1, "J2", "E2", "C9"))
    problem = Problem(("J1", "J2"), ("E1", "E2"), ("C1", "C2"), (2, 3), played=played)
    made = plan(problem)
    assert made.cost == lowest_cost(problem) == counted_cost(problem, made.planned)
    assert {p.round for p in made.planned} <= {2, 3}
    assert made.optimal


def test_large_contests_are_planned_without_the_solver(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ortools.sat.python", None)
    problem = problem_for(20, 8, 6, 12)
    made = plan(problem)
    assert broken_rules(problem, made.planned) == []
    assert made.cost.missing == Bounds(problem).least.missing
    # Judges play in groups of four, one square each; only entries and confederates meet again.
    found = build_from_squares(problem_for(200, 4, 4, 200), Bounds(problem_for(200, 4, 4, 200)))
    assert found is not None
    assert len({(p.judge, p.entry) for p in found}) == 800 == len(found)
    assert len({(p.judge, p.confederate) for p in found}) == 800
    assert len({(p.entry, p.confederate) for p in found}) == 16


@pytest.mark.parametrize(
    ("planned_", "says"),
    [
        ([Pairing(9, "J1", "E1", "C1")], "round 9 was not to be planned"),
        ([Pairing(1, "J7", "E1", "C1")], "J7 is absent"),
        ([Pairing(2, "J1", "E1", "C1")], "J1 is absent"),
        ([Pairing(1, "J1", "E1", "C1"), Pairing(1, "J1", "E2", "C2")], "J1 is in two places"),
        ([Pairing(1, "J1", "E2", "C1")], "J1 and E2 must not meet"),
        ([Pairing(3, "J1", "E1", "C1"), Pairing(3, "J2", "E2", "C2")], "round 3 has only 1 desks"),
        ([Pairing(1, "J1", "E1", "C1")], "never meet, but all pairs of their kind must"),
    ],
)
def test_every_broken_rule_is_named(planned_: list[Pairing], says: str) -> None:
    problem = problem_for(
        2,
        2,
        2,
        3,
        away={"J1": frozenset({2})},
        conflicts=frozenset({pair("J1E2")}),
        desks={3: 1},
        hard=frozenset({"judge_entry"}),
    )
    assert says in problem.breach(planned_)
