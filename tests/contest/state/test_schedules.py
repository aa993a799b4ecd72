"""Tests swaps of desks: the schedule of the remaining rounds, and its verification."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

import scheduler
from contest.record import bodies
from contest.state.reducer import fold
from contest.state.schedules import change, swapped
from contest.verify.verify import verify_rows
from scheduler import Pairing, Schedule, rounds_json, schedule_2010
from tests.contest.build import Builder, play_round, rank, rows

PLAN = schedule_2010()


@given(
    st.sampled_from([PLAN.roster.judges, PLAN.roster.confederates]),
    st.integers(0, 3),
    st.integers(0, 3),
    st.sets(st.integers(1, 4)),
)
def test_swap_moves_only_two_people_and_repeating_it_undoes_it(
    people: tuple[str, ...], i: int, k: int, rounds: set[int]
) -> None:
    one, other = people[i], people[k]
    changed = swapped(PLAN, one, other, rounds)
    assert swapped(changed, one, other, rounds) == PLAN
    assert scheduler.check(changed).clashes == ()
    for before, after in zip(PLAN.rounds, changed.rounds, strict=True):
        number = before[0].round
        assert [p.entry for p in after] == [p.entry for p in before]
        moved = [pair for pair in zip(before, after, strict=True) if pair[0] != pair[1]]
        assert len(moved) == (2 if number in rounds and one != other else 0)
        for was, now in moved:
            assert {one, other} & {was.judge, was.confederate, now.judge, now.confederate}


def test_person_without_a_desk_gets_the_other_persons_desk() -> None:
    changed = swapped(PLAN, "C1", "C9", [2, 3])
    names = [{p.confederate for p in round_} for round_ in changed.rounds]
    assert [("C1" in each, "C9" in each) for each in names] == [
        *((True, False), (False, True), (False, True), (True, False))
    ]


def test_each_change_replaces_all_later_rounds() -> None:
    first = swapped(PLAN, "C1", "C2", [3, 4])
    second = swapped(first, "J1", "J2", [4])
    bodies_ = [change(first, 3, "x"), change(second, 4, "y")]
    assert [len(body.rounds) for body in bodies_] == [2, 1]
    b = Builder()
    b.open(PLAN)
    for body in bodies_:
        b.write(body)
    assert fold(b.events).schedule == {"rounds": rounds_json(second)}
    assert fold(b.events[:1]).schedule == {"rounds": rounds_json(PLAN)}


def played(*changes: tuple[int, Callable[[Schedule], bodies.ScheduleChanged]]) -> Builder:
    """A contest of three rounds with two pairings each; `changes` maps a round to the change of
    schedule after it."""
    plan = Schedule.of(
        Pairing(number, judge, entry, confederate)
        for number in (1, 2, 3)
        for judge, entry, confederate in (("J1", "E1", "C1"), ("J2", "E2", "C2"))
    )
    b = Builder()
    b.open(plan)
    by_round = dict(changes)
    document: dict[str, Any] = {"rounds": rounds_json(plan)}
    for number in (1, 2, 3):
        now = scheduler.read_schedule(json.dumps(document))
        assert isinstance(now, Schedule)
        play_round(b, number, now.rounds[number - 1])
        if number in by_round:
            body = by_round[number](now)
            b.write(body, actor="organizer")
            document = fold(b.events).schedule
    held = scheduler.read_schedule(json.dumps(document))
    assert isinstance(held, Schedule)
    rank(b, held)
    b.reveal()
    b.finish()
    return b


def test_record_is_verified_by_the_schedule_in_force_in_each_round() -> None:
    b = played(
        (1, lambda now: change(swapped(now, "C1", "C2", [2, 3]), 2, "C1 can't see J1")),
        (2, lambda now: change(swapped(now, "C2", "C4", [3]), 3, "C2 has to leave")),
    )
    report = verify_rows(rows(b))
    assert report.ok, report
    held = b.read().schedule
    assert [p.confederate for p in held.pairings] == ["C1", "C2", "C2", "C1", "C4", "C1"]
    assert {talk.entity for talk in b.read().talks if talk.round == 3} == {"E1", "E2", "C4", "C1"}
    assert b.read().state.result is not None
