"""Changes to the schedule of a running contest: two people swap desks, or the remaining rounds get
a new plan (`scheduler.repair` makes such plans).

Only rounds that have not begun can change, so that the schedule of the played rounds stays the
same.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

import scheduler
from contest.errors import BadOrder, RecordTrouble, WrongMoment
from contest.record.bodies import ScheduleChanged
from contest.state.model import State
from texts import Sentence

#: A pairing in an order: judge, entry, confederate.
Triple = tuple[str, str, str]


def read_schedule(rounds: Mapping[str, Any]) -> scheduler.Schedule:
    """Reads a schedule in the JSON form of a record.

    Raises:
        RecordTrouble: if it is not a schedule.
    """
    try:
        schedule = scheduler.read_schedule(json.dumps(dict(rounds)), "the record's schedule")
    except scheduler.SchedulerError as exc:
        raise RecordTrouble(str(exc)) from exc
    if not isinstance(schedule, scheduler.Schedule):
        raise RecordTrouble("the record's schedule has no rounds")
    return schedule


def change(schedule: scheduler.Schedule, first: int, reason: str) -> ScheduleChanged:
    """The event that records all rounds from the `first` changed one on."""
    return ScheduleChanged(first, scheduler.rounds_json(schedule)[first - 1 :], reason)


def swapped(
    schedule: scheduler.Schedule, one: str, other: str, rounds: Iterable[int]
) -> scheduler.Schedule:
    """A schedule in which two judges, or two confederates, swap desks in some rounds. If one of
    them has no desk in a round, that person gets the other's."""
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


def replanned(
    schedule: scheduler.Schedule,
    rounds: Mapping[int, Sequence[Triple]],
    begun: int,
    known: Mapping[str, Collection[str]],
) -> scheduler.Schedule:
    """A schedule with a new plan for the remaining rounds.

    Arguments:
        schedule: the current schedule.
        rounds: round to its pairings, for all remaining rounds; rounds that have begun may be
            included if they are unchanged.
        begun: how many rounds have begun.
        known: the ids of all participants, by `judge`, `entry` and `confederate`.

    Raises:
        BadOrder: if the plan names an unknown participant, or can't be played.
        WrongMoment: if it changes a round that has begun or the number of rounds, or if it changes
            nothing.
    """
    last = len(schedule.rounds)
    if begun >= last:
        raise WrongMoment(Sentence("board.refused.plan_late", last=last))
    if beyond := [number for number in rounds if number > last]:
        raise WrongMoment(Sentence("board.refused.no_round", round=min(beyond), last=last))
    pairings = [
        scheduler.Pairing(number, *triple)
        for number, triples in sorted(rounds.items())
        for triple in triples
    ]
    for number in range(1, begun + 1):
        planned = {pairing for pairing in pairings if pairing.round == number}
        if number in rounds and planned != set(schedule.rounds[number - 1]):
            raise WrongMoment(Sentence("board.refused.plan_begun", round=number))
    for number in range(begun + 1, last + 1):
        if not rounds.get(number):
            raise BadOrder(Sentence("board.refused.plan_empty", round=number))
    rest = [pairing for pairing in pairings if pairing.round > begun]
    for kind, ids in known.items():
        for pairing in rest:
            if (name := getattr(pairing, kind)) not in ids:
                fields = {"round": pairing.round, "name": repr(name)}
                raise BadOrder(Sentence(f"board.refused.plan_{kind}", **fields))
    held = [pairing for pairing in schedule.pairings if pairing.round <= begun]
    changed = scheduler.Schedule.of((*held, *rest))
    if clashes := scheduler.check(changed).clashes:
        raise BadOrder(Sentence("board.refused.plan_clash", clash=clashes[0]))
    if set(changed.pairings) == set(schedule.pairings):
        raise WrongMoment(Sentence("board.schedule.same"))
    return changed


def as_rounds(schedule: scheduler.Schedule) -> dict[str, list[Triple]]:
    """The rounds of a plan in the form of an order, without rounds that have no pairings."""
    return {
        str(number): [(p.judge, p.entry, p.confederate) for p in pairings]
        for number, pairings in enumerate(schedule.rounds, 1)
        if pairings
    }


def voided_pairings(state: State, schedule: scheduler.Schedule) -> tuple[scheduler.Pairing, ...]:
    """The pairings that do not count because the organizer voided them, in rounds that have begun.

    If a round was played again, its last attempt decides, even while it is running. A round that
    will be played again counts.
    """
    attempts = list(state.attempts.values())
    repeated = attempts[-1].number if state.again else None
    last = {each.number: each.attempt for each in attempts if each.voided is None}
    return tuple(
        pairing
        for pairing in schedule.pairings
        if any(each.number == pairing.round for each in attempts)
        and pairing.round != repeated
        and (
            pairing.round not in last
            or state.void_reason(pairing.round, last[pairing.round], pairing.judge) is not None
        )
    )
