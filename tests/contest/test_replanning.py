"""The rest of a contest by another plan: what is taken over, what is refused, what verifies."""

from __future__ import annotations

import re

import pytest

from contest import bodies, folder, settings
from contest.errors import BadOrder, ContestError, WrongMoment
from contest.replanning import Triple, not_counting, replanned
from contest.swapping import change
from contest.tallying import schedule_of, tally_of
from contest.verify import verify_rows
from scheduler import Pairing, Schedule, schedule_2010
from scheduler.repair import repair
from tests.contest.build import Builder, contest, play_round, rank, rows, small

PLAN = schedule_2010()
SETTINGS = settings.parse(folder.template())


def triples(schedule: Schedule, first: int) -> list[list[Triple]]:
    return [
        [(p.judge, p.entry, p.confederate) for p in each] for each in schedule.rounds[first - 1 :]
    ]


REPAIRED = repair(PLAN, 2, ["C4"]).repaired.schedule
OTHER = Schedule.of(
    Pairing(7 - p.round if p.round > 2 else p.round, p.judge, p.entry, p.confederate)
    for p in PLAN.pairings
)


@pytest.mark.parametrize("first", [1, 2, 3])
def test_the_rounds_to_come_are_others_and_those_begun_as_they_were(first: int) -> None:
    changed = replanned(PLAN, first, triples(OTHER, first), 2, SETTINGS)
    assert set(changed.pairings) == set(OTHER.pairings)
    assert changed.rounds[:2] == PLAN.rounds[:2]


def test_who_is_gone_has_no_desk() -> None:
    changed = replanned(PLAN, 3, triples(REPAIRED, 3), 2, SETTINGS)
    assert {p.confederate for p in changed.pairings if p.round > 2} == {"C1", "C2", "C3"}


A, B = ("J1", "E1", "C1"), ("J2", "E2", "C2")


@pytest.mark.parametrize(
    ("first", "rounds", "begun", "error", "says"),
    [
        (3, triples(PLAN, 3), 2, WrongMoment, "the plan is the one that holds already"),
        (1, triples(PLAN, 1)[:3], 2, WrongMoment, "the plan has rounds 1 to 3"),
        (4, triples(OTHER, 4), 2, WrongMoment, "rounds 3 to 4 are to come"),
        (2, triples(OTHER, 1), 2, WrongMoment, "the plan has rounds 2 to 5"),
        (3, triples(OTHER, 3), 3, WrongMoment, "round 3 was begun, and the plan has it otherwise"),
        (3, [[A], [B]], 4, WrongMoment, "no rounds are to come: all 4 were begun"),
        (3, [[A], []], 2, BadOrder, "nobody plays in round 4 of the plan"),
        (
            3,
            [[A], [("J9", "E1", "C1")]],
            2,
            BadOrder,
            "round 4 of the plan: there is no judge 'J9'",
        ),
        (3, [[("J1", "C1", "E1")], [A]], 2, BadOrder, "there is no entry 'C1'"),
        (3, [[A], [A, ("J2", "E1", "C2")]], 2, BadOrder, "Round 4: E1 in J1E1C1 and J2E1C2"),
        (3, [[A], [B, B]], 2, BadOrder, "can't be played: Round 4: J2 in"),
    ],
)
def test_a_plan_that_can_not_be_is_refused(
    first: int,
    rounds: list[list[Triple]],
    begun: int,
    error: type[ContestError],
    says: str,
) -> None:
    with pytest.raises(error, match=re.escape(says)):
        replanned(PLAN, first, rounds, begun, SETTINGS)


def test_a_record_whose_rest_was_planned_anew_is_verified_and_tallied() -> None:
    b = Builder()
    b.open(PLAN)
    for number in (1, 2):
        play_round(b, number, PLAN.rounds[number - 1])
    now = replanned(PLAN, 3, triples(REPAIRED, 3), 2, SETTINGS)
    b.write(change(now, 3, "C4 is ill"), actor="organizer")
    for number in (3, 4):
        play_round(b, number, now.rounds[number - 1])
    rank(b, now)
    b.reveal()
    b.finish()
    report = verify_rows(rows(b))
    assert report.ok, report
    assert set(schedule_of(b.view()).pairings) == set(REPAIRED.pairings)
    tally = tally_of(b.view())
    assert tally.open == ()
    assert tally.table["J1"]["E2"] is None, "the pair that was lost"


def test_what_was_voided_does_not_count_and_all_else_does() -> None:
    b = small()
    view = b.view()
    plan = schedule_of(view)
    assert not_counting(view, plan) == ()
    b.write(bodies.Voided(1, 1, "they know one another", "1.1.J1.left"), actor="organizer")
    assert not_counting(b.view(), plan) == plan.pairings
    whole = small()
    whole.write(bodies.Voided(1, 1, "the wrong room"), actor="organizer")
    assert not_counting(whole.view(), plan) == plan.pairings
    # What is played again after that counts.
    whole.write(bodies.RoundOpened(1, 2))
    assert not_counting(whole.view(), plan) == ()
    assert not_counting(contest().view(), PLAN) == ()
