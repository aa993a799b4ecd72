"""Reads a record into a model (`contest.history.views`), going once through its events.

Transcripts, tallies, results and exports are computed from the model. It holds what may be
published and nothing else (`contest.history.publication`), so that nothing made from it has to ask.
A record that is not finished is read as far as it goes. Of a round's attempts, the one that counts
is the last that was closed and not voided.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from contest.errors import RecordTrouble
from contest.history.attempts import Attempts
from contest.history.consents import Consents
from contest.history.incidents import Incidents
from contest.history.keyview import TalkKeys, times_of
from contest.history.publication import Published
from contest.history.views import (
    ContestView,
    Incident,
    Person,
    RankingView,
    RoundView,
    SideView,
    TalkView,
    VerdictView,
    people_of,
)
from contest.record import bodies, reading
from contest.record.bodies import AnyBody, Place
from contest.record.events import GENESIS, Event
from contest.record.logs import EventLog, ListLog


def load(folder: Path) -> ContestView:
    """Reads the record of a contest's folder.

    Raises:
        NotAContest: if there is no such folder, or no record in it.
        RecordTrouble: if the record can't be read.
    """
    return view_of(Published(reading.log(folder)))


def read(events: Iterable[Event]) -> ContestView:
    """Reads a record in memory, as far as it may be published.

    Arguments:
        events: all events, in their order; the organizer's own, or those of a published record.

    Raises:
        RecordTrouble: if no event opens a contest, or a body is not of its form.
    """
    return view_of(Published(ListLog(events)))


def view_of(log: Published) -> ContestView:
    """The model of a record; it reads the keys of talks when they are asked for, so the record has
    to stay where it is.

    Raises:
        RecordTrouble: if no event opens a contest, or a body is not of its form.
    """
    timeline = Timeline()
    for event in log.events(keys=False):
        with _naming(event):
            timeline.take(event, body_of(event))
    return timeline.view(log)


def _keys_of(log: EventLog, talk: str) -> TalkKeys:
    """The keys of a talk; none before the event that opens it."""
    keys, opened = TalkKeys(), False
    for event in log.events(talk):
        with _naming(event):
            match body_of(event):
                case bodies.TalkOpened():
                    opened = True
                case bodies.Key() as key if opened:
                    keys.take(event, key)
                case bodies.Times(keys=times) if opened:
                    for each in times:
                        keys.add_times(each)
                case _:
                    pass
    return keys


@contextmanager
def _naming(event: Event) -> Iterator[None]:
    try:
        yield
    except ValueError as exc:
        raise RecordTrouble(
            f"event {event.seq} can't be used: {exc}; run `loebner verify` on this contest"
        ) from exc


def body_of(event: Event) -> AnyBody | None:
    """The body of an event; None of one in a talk that is left out, which has none.

    Raises:
        ValueError: if it is not of its form.
    """
    if event.redacted and event.talk is not None:
        return None
    return bodies.from_json(event.kind, event.body)


@dataclass
class _Talk:
    body: bodies.TalkOpened
    opened_ns: int
    closed_ns: int | None = None


class Timeline:
    """The model while events come in; `view` may be asked for at any time. Holds no keys."""

    def __init__(self) -> None:
        self._opened: bodies.ContestOpened | None = None
        self._first: Event | None = None
        self._last: Event | None = None
        self._head = GENESIS
        self._attempts = Attempts()
        self._talks: dict[str, _Talk] = {}
        self._verdicts: dict[tuple[int, int, str], tuple[Event, bodies.VerdictGiven]] = {}
        self._rankings: dict[str, tuple[int, bodies.RankingGiven]] = {}
        self._seals: dict[tuple[int, int, str], str] = {}
        self._reveals: dict[tuple[int, int, str], tuple[Place, str]] = {}
        self._revealed = False
        self._result: bodies.Result | None = None
        self._changes: list[bodies.ScheduleChanged] = []
        self._replacing: dict[str, list[str]] = {}
        self._excluded: dict[str, str] = {}
        self._shown: list[str] = []
        self._final: bodies.DeclaredFinal | None = None
        self._final_by: tuple[str, ...] = ()
        # Orders to declare the result final that one of two persons has proposed.
        self._proposed_final: set[int] = set()
        self._confirmed_by: tuple[str, ...] = ()
        self._incidents = Incidents()
        self._consents = Consents()
        self._is_closed = False

    def take(self, event: Event, body: AnyBody | None) -> None:
        """Takes the next event, with what `body_of` gives.

        Raises:
            ValueError: if its details can't be used.
        """
        self._first = self._first or event
        self._last = event
        if event.talk is None:
            self._head = event.hash
        if body is None:
            return
        self._consents.take(body)
        self._incidents.take(event, body)
        if event.talk is None:
            self._take_contest(event, body)
        else:
            self._take_talk(event.talk, event, body)

    def _take_talk(self, talk: str, event: Event, body: AnyBody) -> None:
        match body:
            case bodies.TalkOpened():
                self._talks.setdefault(talk, _Talk(body, event.mono_ns))
            case bodies.Key():
                pass
            case bodies.Times() if talk in self._talks:
                for times in body.keys:
                    times_of(times)
            case bodies.TalkClosed() if talk in self._talks:
                self._talks[talk].closed_ns = event.mono_ns
            case _:
                pass

    def _take_contest(self, event: Event, body: AnyBody) -> None:
        match body:
            case bodies.ContestOpened():
                self._opened = self._opened or body
            case bodies.SideSealed():
                self._seals.setdefault((body.round, body.attempt, body.judge), body.seal)
            case bodies.VerdictGiven():
                place = (body.round, body.attempt, body.judge)
                before = self._verdicts.get(place)
                if before is None or body.version >= before[1].version:
                    self._verdicts[place] = (event, body)
            case bodies.RankingGiven():
                earlier = self._rankings.get(body.judge)
                if earlier is None or body.version >= earlier[1].version:
                    self._rankings[body.judge] = (event.seq, body)
            case bodies.SidesRevealed():
                self._revealed = True
                for side in body.sides:
                    self._reveal(side)
            case bodies.Result():
                self._result = body
            case bodies.Revealed():
                self._shown.append(body.step)
            case bodies.ContestClosed():
                self._is_closed = True
            case _:
                self._take_change(event, body)
                self._attempts.take(event, body)

    def _take_change(self, event: Event, body: AnyBody) -> None:
        match body:
            case bodies.ScheduleChanged():
                self._changes.append(body)
            case bodies.PersonReplaced():
                self._replacing.setdefault(body.seat, []).append(body.name)
            case bodies.BallotExcluded():
                self._excluded.setdefault(body.judge, body.reason)
            case bodies.DeclaredFinal():
                self._final, self._final_by = body, (event.actor, *self._confirmed_by)
            case bodies.OrderProposed() if body.order.get("action") == "final":
                self._proposed_final.add(body.number)
            case bodies.OrderConfirmed() if body.number in self._proposed_final:
                self._confirmed_by = (event.actor,)
            case _:
                pass

    def _reveal(self, side: dict[str, Any]) -> None:
        match side:
            case {
                "round": int(number),
                "attempt": int(attempt),
                "judge": str(judge),
                "human": ("left" | "right") as human,
                "nonce": str(nonce),
            }:
                place: Place = "left" if human == "left" else "right"
                self._reveals[number, attempt, judge] = (place, nonce)
            case _:
                raise ValueError("a side that is revealed lacks one of its values")

    # The model

    def view(self, log: EventLog) -> ContestView:
        """The model as of now.

        Arguments:
            log: the record that the events come from, for the keys of its talks.

        Raises:
            RecordTrouble: if no event has opened a contest.
        """
        opened, first, last = self._opened, self._first, self._last
        if opened is None or first is None or last is None:
            raise RecordTrouble("the record holds no event that opens a contest")
        rounds = self._attempts.views()
        return ContestView(
            settings=opened.settings,
            schedule=schedule_after(opened.schedule, self._changes),
            program=opened.program,
            speed=opened.speed,
            people={
                who: self._person(person) for who, person in people_of(opened.settings).items()
            },
            rounds=tuple(rounds.values()),
            talks=self._talk_views(rounds, log),
            verdicts=tuple(
                VerdictView(
                    seq=event.seq,
                    round=body.round,
                    attempt=body.attempt,
                    counts=_counts(rounds, body.round, body.attempt)
                    and self._attempts.why_void(body.round, body.attempt, body.judge) is None,
                    judge=body.judge,
                    human=body.human,
                    version=body.version,
                    confidence=body.confidence,
                    reason=None if event.redacted else body.reason,
                    voided=self._attempts.why_void(body.round, body.attempt, body.judge),
                )
                for _, (event, body) in sorted(self._verdicts.items(), key=lambda item: item[0])
            ),
            rankings=tuple(
                RankingView(
                    seq=seq,
                    judge=body.judge,
                    version=body.version,
                    ranks=body.ranks,
                    talks={label: tuple(talks) for label, talks in body.talks.items()},
                    excluded=self._excluded.get(body.judge),
                )
                for _, (seq, body) in sorted(self._rankings.items())
            ),
            sides=tuple(
                SideView(*place, seal, *self._reveals.get(place, (None, None)))
                for place, seal in sorted(self._seals.items())
            ),
            revealed=self._revealed,
            result=self._result,
            incidents=tuple(i for i in self._incidents.all if not self._is_farewell(i)),
            events=log.count(),
            head=self._head,
            first_at=first.at,
            first_ns=first.mono_ns,
            last_ns=(log.last() or last).mono_ns,
            is_closed=self._is_closed,
            shown=tuple(self._shown),
            final=None if self._final is None else self._final.reason,
            open_at_end=() if self._final is None else tuple(self._final.open),
            final_by=self._final_by,
            stopped=self._attempts.stopped,
        )

    def _person(self, first: Person) -> Person:
        names = [first.name, *(name or first.id for name in self._replacing.get(first.id, ()))]
        persons = [
            replace(first, name=name, withheld=self._consents.withholds(first.id, turn))
            for turn, name in enumerate(names)
        ]
        return replace(persons[-1], before=tuple(persons[:-1]))

    def _is_farewell(self, incident: Incident) -> bool:
        # Programs and seats that go when all is played are no incident.
        goes = incident.kind in (bodies.EntryExited.kind, bodies.SeatLeft.kind)
        return goes and self._is_closed and incident.seq > self._attempts.last_close

    def _talk_views(
        self, rounds: dict[tuple[int, int], RoundView], log: EventLog
    ) -> tuple[TalkView, ...]:
        # Both talks of a desk, which are often looked at together.
        load = functools.lru_cache(maxsize=2)(functools.partial(_keys_of, log))

        def place(item: tuple[str, _Talk]) -> tuple[int, int, str, str]:
            body = item[1].body
            return body.round, body.attempt, body.judge, body.side

        return tuple(
            TalkView(
                id=name,
                round=t.body.round,
                attempt=t.body.attempt,
                counts=_counts(rounds, t.body.round, t.body.attempt)
                and name not in self._attempts.voided,
                judge=t.body.judge,
                entity=t.body.entity,
                side=t.body.side,
                timing=rounds.get((t.body.round, t.body.attempt)),
                load=functools.partial(load, name),
                opened_ns=t.opened_ns,
                closed_ns=t.closed_ns,
                withheld=self._consents.withholds_opened(t.body),
                voided=self._attempts.why_void(
                    t.body.round, t.body.attempt, t.body.judge, t.body.side
                ),
                turns=self._consents.turns(t.body),
            )
            for name, t in sorted(self._talks.items(), key=place)
        )


def _counts(rounds: dict[tuple[int, int], RoundView], number: int, attempt: int) -> bool:
    found = rounds.get((number, attempt))
    return found is not None and found.counts


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
