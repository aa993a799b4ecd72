"""The schedule of a contest that is on: two people change their desks, or the rest of the rounds is
planned again (`scheduler.repair` finds such plans).

Only rounds that were not begun are changed, so that the schedule of all rounds that were played is
the same whenever it is looked at.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

import scheduler
from contest.errors import BadOrder, RecordTrouble, WrongMoment
from contest.record.bodies import ScheduleChanged
from contest.state.model import State

#: A pairing as an order has it: judge, entry, confederate.
Triple = tuple[str, str, str]


def read_schedule(rounds: Mapping[str, Any]) -> scheduler.Schedule:
    """A schedule from its JSON form in a record.

    Raises:
        RecordTrouble: if it is not one.
    """
    try:
        schedule = scheduler.read_schedule(json.dumps(dict(rounds)), "the record's schedule")
    except scheduler.SchedulerError as exc:
        raise RecordTrouble(str(exc)) from exc
    if not isinstance(schedule, scheduler.Schedule):
        raise RecordTrouble("the record's schedule has no rounds")
    return schedule


def change(schedule: scheduler.Schedule, first: int, reason: str) -> ScheduleChanged:
    """The event that puts on record how all rounds are from the `first` changed one on."""
    return ScheduleChanged(first, scheduler.rounds_json(schedule)[first - 1 :], reason)


def swapped(
    schedule: scheduler.Schedule, one: str, other: str, rounds: Iterable[int]
) -> scheduler.Schedule:
    """A schedule in which two judges, or two confederates, have changed their desks in some rounds;
    one who has no desk in a round gets the other's."""
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
    """A schedule whose rest is another.

    Arguments:
        schedule: as it is.
        rounds: round to its pairings, of all rounds to come; those that were begun may be among
            them as they were.
        begun: how many rounds were.
        known: the ids of all who take part, by `judge`, `entry` and `confederate`.

    Raises:
        BadOrder: if the rounds name somebody who is not there, or can't be played.
        WrongMoment: if they change a round that was begun, or how many rounds there are, or
            nothing.
    """
    last = len(schedule.rounds)
    if begun >= last:
        raise WrongMoment(f"there are no later rounds: all {last} have begun")
    if beyond := [number for number in rounds if number > last]:
        raise WrongMoment(f"there is no round {min(beyond)}: the last one is {last}")
    pairings = [
        scheduler.Pairing(number, *triple)
        for number, triples in sorted(rounds.items())
        for triple in triples
    ]
    for number in range(1, begun + 1):
        planned = {pairing for pairing in pairings if pairing.round == number}
        if number in rounds and planned != set(schedule.rounds[number - 1]):
            raise WrongMoment(f"round {number} was begun, and the plan has it otherwise")
    for number in range(begun + 1, last + 1):
        if not rounds.get(number):
            raise BadOrder(f"nobody plays in round {number} of the plan; `stop` ends the rounds")
    rest = [pairing for pairing in pairings if pairing.round > begun]
    for kind, ids in known.items():
        for pairing in rest:
            if (name := getattr(pairing, kind)) not in ids:
                raise BadOrder(f"round {pairing.round} of the plan: there is no {kind} {name!r}")
    held = [pairing for pairing in schedule.pairings if pairing.round <= begun]
    changed = scheduler.Schedule.of((*held, *rest))
    if clashes := scheduler.check(changed).clashes:
        raise BadOrder(f"the plan can't be played: {clashes[0]}")
    if set(changed.pairings) == set(schedule.pairings):
        raise WrongMoment("this is already the plan")
    return changed


def as_rounds(schedule: scheduler.Schedule) -> dict[str, list[Triple]]:
    """The rounds of a plan as an order has them, those without pairings left out."""
    return {
        str(number): [(p.judge, p.entry, p.confederate) for p in pairings]
        for number, pairings in enumerate(schedule.rounds, 1)
        if pairings
    }


def not_counting(state: State, schedule: scheduler.Schedule) -> tuple[scheduler.Pairing, ...]:
    """The pairings of rounds that were begun which do not count: the organizer has voided them.

    A pairing whose attempt is on, or is to be played again, is taken to count.
    """
    attempts = list(state.attempts.values())
    last = {each.number: each.attempt for each in attempts if each.voided is None}
    return tuple(
        pairing
        for pairing in schedule.pairings
        if any(each.number == pairing.round for each in attempts)
        and (
            pairing.round not in last
            or state.why_void(pairing.round, last[pairing.round], pairing.judge) is not None
        )
    )
