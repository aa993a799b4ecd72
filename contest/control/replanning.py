"""The rest of the rounds planned anew: what becomes of the schedule, without any I/O.

`scheduler.repair` finds such plans; here they are taken over in a contest that is on. As with
`contest.history.swapping`, only rounds that were not begun are changed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import scheduler
from contest.errors import BadOrder, WrongMoment
from contest.history.views import ContestView
from contest.setup.settings import Settings

#: A pairing as an order has it: judge, entry, confederate.
Triple = tuple[str, str, str]


def replanned(
    schedule: scheduler.Schedule,
    rounds: Mapping[int, Sequence[Triple]],
    begun: int,
    settings: Settings,
) -> scheduler.Schedule:
    """A schedule whose rest is another.

    Arguments:
        schedule: as it is.
        rounds: round to its pairings, of all rounds to come; those that were begun may be among
            them as they were.
        begun: how many rounds were.
        settings: who is there.

    Raises:
        BadOrder: if the rounds name somebody who is not there, or can't be played.
        WrongMoment: if they change a round that was begun, or how many rounds there are, or
            nothing.
    """
    last = len(schedule.rounds)
    if begun >= last:
        raise WrongMoment(f"no rounds are to come: all {last} were begun")
    if beyond := [number for number in rounds if number > last]:
        raise WrongMoment(f"there are {last} rounds, and no round {min(beyond)}")
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
    _refuse_strangers(rest, settings)
    held = [pairing for pairing in schedule.pairings if pairing.round <= begun]
    changed = scheduler.Schedule.of((*held, *rest))
    if clashes := scheduler.check(changed).clashes:
        raise BadOrder(f"the plan can't be played: {clashes[0]}")
    if set(changed.pairings) == set(schedule.pairings):
        raise WrongMoment("the plan is the one that holds already")
    return changed


def as_rounds(schedule: scheduler.Schedule) -> dict[str, list[Triple]]:
    """The rounds of a plan as an order has them, those without pairings left out."""
    return {
        str(number): [(p.judge, p.entry, p.confederate) for p in pairings]
        for number, pairings in enumerate(schedule.rounds, 1)
        if pairings
    }


def _refuse_strangers(pairings: Sequence[scheduler.Pairing], settings: Settings) -> None:
    for kind, known in (
        ("judge", {table.id for table in settings.judge}),
        ("entry", {table.id for table in settings.entry}),
        ("confederate", {table.id for table in settings.confederate}),
    ):
        for pairing in pairings:
            if (name := getattr(pairing, kind)) not in known:
                raise BadOrder(f"round {pairing.round} of the plan: there is no {kind} {name!r}")


def not_counting(view: ContestView, schedule: scheduler.Schedule) -> tuple[scheduler.Pairing, ...]:
    """The pairings of rounds that were begun which do not count: the organizer has voided them.

    What is on, or is to be played again, is taken to count.

    Arguments:
        view: the contest.
        schedule: its schedule.
    """
    last = {(each.number): each.attempt for each in view.rounds if each.voided is None}
    void = []
    for pairing in schedule.pairings:
        attempts = [each for each in view.rounds if each.number == pairing.round]
        talks = [
            talk
            for talk in view.talks
            if (talk.round, talk.attempt, talk.judge)
            == (pairing.round, last.get(pairing.round), pairing.judge)
        ]
        if attempts and (pairing.round not in last or any(t.voided is not None for t in talks)):
            void.append(pairing)
    return tuple(void)
