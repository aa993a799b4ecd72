"""Reads a record into a model (`contest.history.views`): the state of what may be published
(`contest.history.publication`), with its talks' keys.

Transcripts, tallies, results and exports are computed from the model. It holds what may be
published and nothing else, so that nothing made from it has to ask. A record that is not finished
is read as far as it goes.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from contest.errors import RecordTrouble
from contest.history.keyview import TalkKeys
from contest.history.publication import Published
from contest.history.views import (
    ContestView,
    Person,
    RankingView,
    SideView,
    TalkView,
    VerdictView,
    people_of,
)
from contest.record import bodies, reading
from contest.record.events import GENESIS, Event
from contest.record.logs import EventLog, ListLog
from contest.state.consents import withholds, withholds_talk
from contest.state.model import Incident, State, Talk
from contest.state.reducer import body_of, take


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
    state, head = State(), GENESIS
    for event in log.events(keys=False):
        take(state, event)
        if event.talk is None:
            head = event.hash
    return view(state, log, head)


def _keys_of(log: EventLog, talk: str) -> TalkKeys:
    """The keys of a talk; none before the event that opens it."""
    keys, opened = TalkKeys(), False
    for event in log.events(talk):
        try:
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
        except ValueError as exc:
            raise RecordTrouble(
                f"event {event.seq} can't be used ({exc}); run `loebner verify` on this contest"
            ) from exc
    return keys


def view(state: State, log: EventLog, head: str = GENESIS) -> ContestView:
    """The model of what a state says.

    Arguments:
        state: the fold of what may be published of a record, or of all of it.
        log: the record, for the keys of its talks.
        head: the hash of the last event of the contest's own chain.

    Raises:
        RecordTrouble: if no event has opened a contest.
    """
    opened = state.opened
    if opened is None:
        raise RecordTrouble("the record holds no event that opens a contest")
    last = log.last()
    final = state.final
    return ContestView(
        settings=opened.settings,
        schedule=state.schedule,
        program=opened.program,
        speed=opened.speed,
        people={who: _person(state, first) for who, first in people_of(opened.settings).items()},
        rounds=tuple(sorted(state.attempts.values(), key=lambda each: (each.number, each.attempt))),
        talks=_talks(state, log),
        verdicts=_verdicts(state),
        rankings=tuple(
            RankingView(
                seq=given.seq,
                judge=judge,
                version=given.body.version,
                ranks=given.body.ranks,
                talks={label: tuple(talks) for label, talks in given.body.talks.items()},
                excluded=state.excluded.get(judge),
            )
            for judge, given in sorted(state.rankings.items())
        ),
        sides=_sides(state),
        revealed=state.revealed,
        result=state.result,
        incidents=tuple(each for each in state.incidents if not _is_farewell(state, each)),
        events=log.count(),
        head=head,
        first_at=state.first_at,
        first_ns=state.first_ns,
        last_ns=state.last_ns if last is None else last.mono_ns,
        is_closed=state.closed,
        shown=tuple(state.shown),
        final=None if final is None else final.reason,
        open_at_end=() if final is None else tuple(final.open),
        final_by=() if final is None else tuple(state.final_by),
        stopped=state.stopped,
    )


def _person(state: State, first: Person) -> Person:
    later = state.persons.get(first.id, ())[1:]
    names = [first.name, *(each.name or first.id for each in later)]
    persons = [
        replace(first, name=name, withheld=withholds(state, first.id, turn))
        for turn, name in enumerate(names)
    ]
    return replace(persons[-1], before=tuple(persons[:-1]))


def _is_farewell(state: State, incident: Incident) -> bool:
    # Programs and seats that go when all is played are no incident.
    goes = incident.kind in (bodies.EntryExited.kind, bodies.SeatLeft.kind)
    return goes and state.closed and incident.seq > state.last_close


def _talks(state: State, log: EventLog) -> tuple[TalkView, ...]:
    # Both talks of a desk, which are often looked at together.
    load = functools.lru_cache(maxsize=2)(functools.partial(_keys_of, log))

    def place(talk: Talk) -> tuple[int, int, str, str]:
        return talk.round, talk.attempt, talk.judge, talk.side

    return tuple(
        TalkView(
            id=talk.id,
            round=talk.round,
            attempt=talk.attempt,
            counts=_counts(state, talk.round, talk.attempt) and talk.voided is None,
            judge=talk.judge,
            entity=talk.entity,
            side=talk.side,
            timing=state.attempts.get(f"{talk.round}.{talk.attempt}"),
            load=functools.partial(load, talk.id),
            opened_ns=talk.opened_ns,
            closed_ns=talk.closed_ns,
            withheld=withholds_talk(state, talk),
            voided=state.why_void(talk.round, talk.attempt, talk.judge, talk.side),
            turns=talk.turns,
        )
        for talk in sorted(state.talks.values(), key=place)
    )


def _verdicts(state: State) -> tuple[VerdictView, ...]:
    found = []
    for given in state.verdicts.values():
        body = given.body
        voided = state.why_void(body.round, body.attempt, body.judge)
        found.append(
            VerdictView(
                seq=given.seq,
                round=body.round,
                attempt=body.attempt,
                counts=_counts(state, body.round, body.attempt) and voided is None,
                judge=body.judge,
                human=body.human,
                version=body.version,
                confidence=body.confidence,
                reason=None if given.redacted else body.reason,
                voided=voided,
            )
        )
    return tuple(sorted(found, key=lambda each: (each.round, each.attempt, each.judge)))


def _sides(state: State) -> tuple[SideView, ...]:
    found = []
    for place, seal in state.seals.items():
        number, attempt, judge = place.split(".", 2)
        human, nonce = state.reveals.get(place, (None, None))
        found.append(SideView(int(number), int(attempt), judge, seal, human, nonce))
    return tuple(sorted(found, key=lambda each: (each.round, each.attempt, each.judge)))


def _counts(state: State, number: int, attempt: int) -> bool:
    found = state.attempts.get(f"{number}.{attempt}")
    return found is not None and found.counts
