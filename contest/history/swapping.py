"""Two who change their desks: what becomes of the schedule, without any I/O.

Only rounds that were not begun are changed, so that the schedule of all rounds that were played is
the same whenever it is looked at.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import scheduler
from contest.record.bodies import ScheduleChanged


def swapped(
    schedule: scheduler.Schedule, one: str, other: str, rounds: Iterable[int]
) -> scheduler.Schedule:
    """A schedule in which two judges, or two confederates, have changed their desks.

    Arguments:
        schedule: as it is; one of the two may have no desk in a round, and then gets the other's.
        one, other: their ids.
        rounds: in which rounds.
    """
    those = set(rounds)
    to = {one: other, other: one}
    return scheduler.Schedule.of(
        scheduler.Pairing(
            p.round, to.get(p.judge, p.judge), p.entry, to.get(p.confederate, p.confederate)
        )
        if p.round in those
        else p
        for p in schedule.pairings
    )


def change(schedule: scheduler.Schedule, first: int, reason: str) -> ScheduleChanged:
    """The event that puts a changed schedule on record.

    Arguments:
        schedule: all rounds, as they are from now on.
        first: the first round that is changed; the rounds before it are as they were.
        reason: why.
    """
    return ScheduleChanged(first, scheduler.rounds_json(schedule)[first - 1 :], reason)


def schedule_after(opened: Mapping[str, Any], changes: Iterable[ScheduleChanged]) -> dict[str, Any]:
    """A schedule in its JSON form with all changes that were made.

    Arguments:
        opened: the schedule that the contest was opened with.
        changes: in the order of the record.
    """
    rounds = opened.get("rounds")
    if not isinstance(rounds, list):
        return dict(opened)
    rounds = list(rounds)
    for each in changes:
        rounds[max(0, each.round - 1) :] = each.rounds
    return {**opened, "rounds": rounds}


def in_words(report: scheduler.Report) -> str:
    """What the check of a schedule says, for who has just changed it; empty if all is well."""
    return report.reason
