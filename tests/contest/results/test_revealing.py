"""Tests the result step by step: the steps, the public's view, and when the result is final."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contest.errors import WrongMoment
from contest.live import decisions
from contest.record.bodies import ContestClosed, DeclaredFinal, Result, Revealed
from contest.results.contest import Contest, shown_steps, steps_of
from contest.state.model import State
from tests.contest.build import Builder, brief, contest, results_json


def result(*places: int) -> Result:
    entries: list[dict[str, Any]] = [{"entry": f"E{n}", "place": p} for n, p in enumerate(places)]
    return Result({}, entries, [], [], [])


def test_shared_places_are_one_step_and_first_place_is_last() -> None:
    assert steps_of(State(result=result(1, 2, 2, 4))) == [
        *("names", "table", "place 4", "place 2", "place 1", "prizes")
    ]


@given(st.lists(st.integers(1, 30), min_size=1))
def test_each_place_is_shown_once_from_the_last_to_the_first(places: list[int]) -> None:
    found = steps_of(State(result=result(*places)))
    assert found[:2] == ["names", "table"]
    assert found[-1] == "prizes"
    numbers = [int(step.removeprefix("place ")) for step in found[2:-1]]
    assert numbers == sorted(set(places), reverse=True)


def at_the_end(b: Builder, *bodies: Any) -> Contest:
    """A contest with its result recorded, followed by these events."""
    held = Builder()
    end = next(n for n, event in enumerate(b.events) if event.kind == "contest-closed")
    for draft in b.drafts[:end]:
        held.drafts.append(draft)
        held.events.append(held.chains.place(draft))
    held.now_ns = b.now_ns
    for body in bodies:
        held.write(body, actor="organizer")
    return held.read()


def test_the_public_sees_the_shown_steps_and_everything_after_the_close() -> None:
    b = contest()
    state = at_the_end(b).state
    assert shown_steps(state) == []
    assert steps_of(state)[:3] == ["names", "table", "place 4"]
    two = at_the_end(b, Revealed("names"), Revealed("table")).state
    assert shown_steps(two) == ["names", "table"]
    assert shown_steps(at_the_end(b, Revealed("place 99")).state) == [], "there is no such step"
    closed = b.read().state
    assert closed.shown == []
    assert shown_steps(closed) == steps_of(closed), (
        "a contest without an organizer shows everything"
    )


def test_there_are_no_steps_before_the_result() -> None:
    state = State()
    assert decisions.result_state(state) is None
    assert (steps_of(state), shown_steps(state), decisions.steps_left(state)) == ([], [], [])
    with pytest.raises(WrongMoment, match="there is no result yet"):
        decisions.reveal(state, 0, everything=False)
    with pytest.raises(WrongMoment, match="there is no result yet"):
        decisions.declare_final(state, 0, "x", [], anyway=True)


def test_a_contest_ends_step_by_step() -> None:
    state = State(result=result(1, 2))
    assert decisions.result_state(state) == "provisional"
    for step in ("names", "table", "place 2"):
        assert decisions.reveal(state, 0, everything=False) == [Revealed(step)]
        state.shown.append(step)
    left = [Revealed("place 1"), Revealed("prizes")]
    assert decisions.reveal(state, 0, everything=True) == left
    with pytest.raises(WrongMoment, match=r"open:\n- J1 is asleep\n.*--anyway"):
        decisions.declare_final(state, 0, "x", ["J1 is asleep"], anyway=False)
    declared = DeclaredFinal("x", ["J1 is asleep"])
    found = decisions.declare_final(state, 0, "x", ["J1 is asleep"], anyway=True)
    assert found == [*left, declared]
    state.shown += ["place 1", "prizes"]
    with pytest.raises(WrongMoment, match="the whole result has been shown"):
        decisions.reveal(state, 0, everything=False)
    state.final = declared
    assert decisions.result_state(state) == "final"
    with pytest.raises(WrongMoment, match="already final"):
        decisions.declare_final(state, 0, "again", [], anyway=True)


def test_open_items_are_reported_and_recorded() -> None:
    b = brief()
    assert b.read().still_open() == []
    held = Builder()
    for draft in b.drafts:
        late = draft.kind in ("result", "contest-closed")
        missing = draft.kind in ("verdict", "ranking") and draft.actor == "J2"
        if not late and not missing:
            held.drafts.append(draft)
            held.events.append(held.chains.place(draft))
    missing_words = [
        "round 1: no verdict from J2",
        "round 2: no verdict from J2",
        "no ballot from J2",
    ]
    assert held.read().still_open() == missing_words
    held.now_ns = b.now_ns
    held.write(held.read().result())
    provisional = held.read()
    assert not results_json(provisional)["final"]
    held.write(DeclaredFinal("J2 has gone home", missing_words), actor="organizer")
    held.write(ContestClosed(held.chains.heads()))
    view = held.read()
    assert view.state.final == DeclaredFinal("J2 has gone home", missing_words)
    assert results_json(view)["final"], "open items don't delay the organizer"
