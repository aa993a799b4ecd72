"""Verification of who met whom: talks, verdicts and rankings against the schedule that the record
opens with and that the organizer has changed, the schedule by the rules' own check; and that
versions count up."""

from __future__ import annotations

import json
from collections.abc import Hashable, Iterable, Mapping
from typing import Any, TypeVar

import scheduler
from contest.record import bodies, season
from contest.record.bodies import AnyBody
from contest.record.events import Event
from contest.verify.findings import Check, Faults, quoted, several
from scheduler.checking import KINDS

_Place = TypeVar("_Place", bound=Hashable)


class ScheduleCheck:
    """Takes all events in their order; `check` says what was found."""

    def __init__(self) -> None:
        self._faults = Faults()
        self._events = 0
        self._opened = False
        self._schedule: scheduler.Schedule | None = None
        self._plan: dict[str, Any] = {}
        self._pairings: dict[tuple[int, str], scheduler.Pairing] = {}
        self._attempts: dict[int, int] = {}
        self._talks: dict[str, bodies.TalkOpened] = {}
        self._verdicts: dict[tuple[int, int, str], int] = {}
        self._rankings: dict[str, int] = {}
        self._consents: dict[str, int] = {}

    def take(self, event: Event, body: AnyBody | None) -> None:
        """Takes the next event."""
        if event.kind in season.KINDS:
            return
        self._events += 1
        if self._events == 1 and not isinstance(body, bodies.ContestOpened):
            self._faults.at(event, "the record does not begin with the opening of a contest")
        match body:
            case bodies.ContestOpened():
                self._open(event, body)
            case bodies.ScheduleChanged():
                self._change(event, body)
            case bodies.RoundOpened():
                self._open_round(event, body)
            case bodies.TalkOpened():
                self._open_talk(event, body)
            case bodies.RoundClosed():
                self._close_round(event, body)
            case bodies.VerdictGiven():
                self._verdict(event, body)
            case bodies.Voided():
                self._void(event, body)
            case bodies.RankingGiven():
                self._ranking(event, body)
            case bodies.BallotExcluded() if body.judge not in self._rankings:
                self._faults.at(event, f"{quoted(body.judge)} has given no ballot by then")
            case bodies.ConsentGiven():
                self._version(event, body.version, body.seat, self._consents)
            case _:
                pass
        if event.talk is not None and event.talk not in self._talks:
            self._talks[event.talk] = bodies.TalkOpened(0, 0, "", "", "left")
            self._faults.at(event, "its talk's chain does not begin with the talk's opening")

    def check(self) -> Check:
        """What was found; a schedule that lacks pairs is no fault of the record, and told."""
        said = "no schedule"
        if self._schedule is not None:
            pairings = several(len(self._schedule.pairings), "pairing")
            report = scheduler.check(self._schedule)
            covered = ", ".join(
                f"{words} {report.pairs[kind].covered} of {report.pairs[kind].of}"
                for kind, words in KINDS.items()
            )
            talks = several(len(self._talks), "talk")
            verdicts = several(len(self._verdicts), "verdict")
            said = f"{pairings} ({covered}); {talks} and {verdicts} agree with it"
        return self._faults.check("schedule", said)

    def _open(self, event: Event, body: bodies.ContestOpened) -> None:
        if self._opened:
            self._faults.at(event, "the contest was opened before")
            return
        self._opened = True
        if not 1 <= body.format <= bodies.FORMAT:
            self._faults.at(
                event, f"its format is {body.format}; this program knows 1 to {bodies.FORMAT}"
            )
        self._plan = body.schedule
        self._hold(event)

    def _change(self, event: Event, body: bodies.ScheduleChanged) -> None:
        begun = sorted(number for number in self._attempts if number >= body.round)
        if begun:
            self._faults.at(event, f"it changes round {begun[0]}, which was begun before")
        before = len(self._plan.get("rounds") or ())
        self._plan = schedule_after(self._plan, [body])
        if len(self._plan.get("rounds") or ()) != before or body.round < 1:
            self._faults.at(event, "it changes how many rounds there are")
        self._hold(event)

    def _hold(self, event: Event) -> None:
        """Holds to the schedule as it is now."""
        try:
            schedule = scheduler.read_schedule(json.dumps(self._plan), "its schedule")
        except scheduler.SchedulerError as exc:
            self._faults.at(event, str(exc))
            return
        if not isinstance(schedule, scheduler.Schedule):
            self._faults.at(event, "its schedule has no rounds")
            return
        self._schedule = schedule
        self._pairings = {(p.round, p.judge): p for p in schedule.pairings}
        for clash in scheduler.check(schedule).clashes:
            self._faults.at(event, f"its schedule has somebody in two places at once: {clash}")

    def _open_round(self, event: Event, body: bodies.RoundOpened) -> None:
        expected = self._attempts.get(body.round, 0) + 1
        if body.attempt != expected:
            self._faults.at(
                event, f"it opens attempt {body.attempt} of round {body.round}, not {expected}"
            )
        self._attempts[body.round] = max(body.attempt, expected)
        if not any(number == body.round for number, _ in self._pairings):
            self._faults.at(event, f"round {body.round} is not in the schedule")

    def _open_talk(self, event: Event, body: bodies.TalkOpened) -> None:
        name = bodies.talk_id(body.round, body.attempt, body.judge, body.side)
        if event.talk != name:
            self._faults.at(event, f"it opens the talk {quoted(name)} in another's chain")
            return
        if name in self._talks:
            self._faults.at(event, "the talk was opened before")
            return
        self._talks[name] = body
        pairing = self._pairings.get((body.round, body.judge))
        if pairing is None:
            self._faults.at(
                event, f"{quoted(body.judge)} plays nobody in round {body.round} of the schedule"
            )
        elif body.entity not in (pairing.entry, pairing.confederate):
            self._faults.at(
                event,
                f"{quoted(body.judge)} talks with {quoted(body.entity)}; the schedule has "
                f"{pairing.label} there",
            )
        if body.attempt != self._attempts.get(body.round):
            self._faults.at(event, f"attempt {body.attempt} of round {body.round} is not open")
        opposite = "right" if body.side == "left" else "left"
        other = self._talks.get(bodies.talk_id(body.round, body.attempt, body.judge, opposite))
        if other is not None and other.entity == body.entity:
            self._faults.at(event, f"{quoted(body.entity)} sits at both sides")

    def _close_round(self, event: Event, body: bodies.RoundClosed) -> None:
        met = {
            (talk.judge, talk.entity)
            for talk in self._talks.values()
            if (talk.round, talk.attempt) == (body.round, body.attempt)
        }
        for (number, judge), pairing in self._pairings.items():
            for entity in (pairing.entry, pairing.confederate):
                if number == body.round and (judge, entity) not in met:
                    self._faults.at(event, f"the round lacks the talk of {judge} with {entity}")

    def _verdict(self, event: Event, body: bodies.VerdictGiven) -> None:
        if (body.round, body.judge) not in self._pairings:
            self._faults.at(
                event, f"{quoted(body.judge)} plays nobody in round {body.round} of the schedule"
            )
        if not 1 <= body.attempt <= self._attempts.get(body.round, 0):
            self._faults.at(event, f"attempt {body.attempt} of round {body.round} was never opened")
        place = (body.round, body.attempt, body.judge)
        self._version(event, body.version, place, self._verdicts)

    def _void(self, event: Event, body: bodies.Voided) -> None:
        if not 1 <= body.attempt <= self._attempts.get(body.round, 0):
            self._faults.at(event, f"attempt {body.attempt} of round {body.round} was never opened")
        talk = self._talks.get(body.talk)
        if body.talk and (talk is None or (talk.round, talk.attempt) != (body.round, body.attempt)):
            self._faults.at(event, f"no talk of that attempt is called {quoted(body.talk)}")

    def _ranking(self, event: Event, body: bodies.RankingGiven) -> None:
        self._version(event, body.version, body.judge, self._rankings)
        if body.ranks.keys() != body.talks.keys():
            self._faults.at(event, "it ranks other labels than it explains")
        for label, rank in body.ranks.items():
            if not 2 <= rank <= 2 * len(body.ranks):
                self._faults.at(event, f"the rank of {quoted(label)} is out of range")
        for label, names in body.talks.items():
            talks = [self._talks.get(name) for name in names]
            if not talks or any(talk is None or talk.judge != body.judge for talk in talks):
                self._faults.at(
                    event, f"{quoted(label)} stands for talks that are not this judge's"
                )
            elif len({talk.entity for talk in talks if talk is not None}) != 1:
                self._faults.at(event, f"{quoted(label)} stands for several participants")

    def _version(self, event: Event, version: int, of: _Place, last: dict[_Place, int]) -> None:
        expected = last.get(of, 0) + 1
        if version != expected:
            self._faults.at(event, f"its version is {version}, not {expected}")
        last[of] = max(expected, version)


def schedule_after(
    opened: Mapping[str, Any], changes: Iterable[bodies.ScheduleChanged]
) -> dict[str, Any]:
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
