"""Tests new plans for the remaining rounds: adoption, refusals, and verification of the record."""

from __future__ import annotations

import re

import pytest

from contest.errors import BadOrder, ContestError, WrongMoment
from contest.record import bodies
from contest.setup import folder, settings
from contest.state.reducer import fold
from contest.state.schedules import Triple, as_rounds, change, replanned, voided_pairings
from contest.verify.verify import verify_rows
from scheduler import Pairing, Schedule, schedule_2010
from scheduler.repair import repair
from tests.contest.build import Builder, contest, play_round, rank, rows, small

PLAN = schedule_2010()


def known(own: settings.Settings) -> dict[str, set[str]]:
    """The ids of all participants."""
    return {
        "judge": {table.id for table in own.judge},
        "entry": {table.id for table in own.entry},
        "confederate": {table.id for table in own.confederate},
    }


KNOWN = known(settings.parse(folder.template()))


def rounds_of(schedule: Schedule, *numbers: int) -> dict[int, list[Triple]]:
    """Some rounds of the schedule, as a plan."""
    return {int(n): triples for n, triples in as_rounds(schedule).items() if int(n) in numbers}


REPAIRED = repair(PLAN, 2, ["C4"]).repaired.schedule
OTHER = Schedule.of(
    Pairing(7 - p.round if p.round > 2 else p.round, p.judge, p.entry, p.confederate)
    for p in PLAN.pairings
)


@pytest.mark.parametrize("numbers", [(1, 2, 3, 4), (2, 3, 4), (1, 3, 4), (3, 4)])
def test_only_the_remaining_rounds_change(numbers: tuple[int]) -> None:
    changed = replanned(PLAN, rounds_of(OTHER, *numbers), 2, KNOWN)
    assert set(changed.pairings) == set(OTHER.pairings)
    assert changed.rounds[:2] == PLAN.rounds[:2]


A, B = ("J1", "E1", "C1"), ("J2", "E2", "C2")
TWICE = ("J2", "E1", "C2")


@pytest.mark.parametrize(
    ("rounds", "begun", "error", "says"),
    [
        (rounds_of(PLAN, 3, 4), 2, WrongMoment, "this is already the plan"),
        (rounds_of(OTHER, 1, 2, 3), 2, BadOrder, "nobody plays in round 4 of the plan; `stop`"),
        (rounds_of(OTHER, 4), 2, BadOrder, "nobody plays in round 3 of the plan"),
        ({3: [A], 4: []}, 2, BadOrder, "nobody plays in round 4 of the plan"),
        ({3: [A], 4: [B], 6: [A], 5: [B]}, 2, WrongMoment, "no round 5: the last one is 4"),
        (rounds_of(OTHER, 3, 4), 3, WrongMoment, "round 3 has begun, but the plan"),
        ({1: [], 3: [A], 4: [B]}, 2, WrongMoment, "round 1 has begun, but the plan"),
        ({3: [A], 4: [B]}, 4, WrongMoment, "there are no later rounds: all 4 have begun"),
        ({3: [A], 4: [("J9", "E1", "C1")]}, 2, BadOrder, "round 4 of the plan: there is no judge"),
        ({3: [("J1", "C1", "E1")], 4: [A]}, 2, BadOrder, "there is no entry 'C1'"),
        ({3: [A], 4: [A, TWICE]}, 2, BadOrder, "Round 4: E1 in J1E1C1 and J2E1C2"),
        ({3: [A], 4: [B, B]}, 2, BadOrder, "can't be played: Round 4: J2 in"),
    ],
)
def test_invalid_plans_are_refused(
    rounds: dict[int, list[Triple]], begun: int, error: type[ContestError], says: str
) -> None:
    with pytest.raises(error, match=re.escape(says)):
        replanned(PLAN, rounds, begun, KNOWN)


def test_a_replanned_contest_is_verified_and_tallied() -> None:
    b = Builder()
    b.open(PLAN)
    for number in (1, 2):
        play_round(b, number, PLAN.rounds[number - 1])
    now = replanned(PLAN, rounds_of(REPAIRED, 3, 4), 2, KNOWN)
    b.write(change(now, 3, "C4 is ill"), actor="organizer")
    for number in (3, 4):
        play_round(b, number, now.rounds[number - 1])
    rank(b, now)
    b.reveal()
    b.finish()
    report = verify_rows(rows(b))
    assert report.ok, report
    assert set(b.read().schedule.pairings) == set(REPAIRED.pairings)
    tally = b.read().tally
    assert tally.open == ()
    assert tally.table["J1"]["E2"] is None, "the lost pair"


def test_only_voided_pairings_do_not_count() -> None:
    b = small()
    plan = b.read().schedule
    assert voided_pairings(fold(b.events), plan) == ()
    b.write(bodies.Voided(1, 1, "they know one another", "1.1.J1.left"), actor="organizer")
    assert voided_pairings(fold(b.events), plan) == plan.pairings
    whole = small()
    whole.write(bodies.Voided(1, 1, "the wrong room"), actor="organizer")
    assert voided_pairings(fold(whole.events), plan) == plan.pairings
    # A round that will be played again, or is played again, counts.
    whole.write(bodies.RoundAgain(1, 1, "all are here now"), actor="organizer")
    assert voided_pairings(fold(whole.events), plan) == ()
    whole.write(bodies.RoundOpened(1, 2))
    assert voided_pairings(fold(whole.events), plan) == ()
    assert voided_pairings(fold(contest().events), PLAN) == ()
