"""The reducer: what each event changes in the state of a contest.

The server applies each event when it writes it. A restarted server, the results, the exports and
the spectators' pages apply the events of the record, so that all of them arrive at the same state.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from msgspec.structs import replace

from contest.errors import RecordTrouble
from contest.record import bodies, season
from contest.record.bodies import AnyBody
from contest.record.events import Event
from contest.state import model
from contest.state.incidents import incident_subject
from contest.state.model import Attempt, Occupant, State, Talk
from contest.state.phases import labels
from lpp.names import shown_as

#: How many names of an entry's directories its link remembers.
REMEMBERED = 50_000

_MINUTE = 60_000_000_000
#: Defaults for settings of earlier versions, in minutes.
_SCORING, _RANKING = 5, 15


def fold(events: Iterable[Event]) -> State:
    """The state after these events, which begin with the record's first.

    Raises:
        RecordTrouble: if an event's kind is unknown, or the event is malformed or contradicts
            earlier ones.
    """
    state = State()
    for event in events:
        take(state, event)
    return state


def take(state: State, event: Event) -> AnyBody | None:
    """Applies an event of a record.

    Returns:
        Its body; None for a redacted event of a talk.

    Raises:
        RecordTrouble: if its kind is unknown, or it is malformed or contradicts earlier events.
    """
    try:
        body = body_of(event)
        apply(state, event, body)
    except ValueError as exc:
        raise RecordTrouble(
            f"event {event.seq} can't be used ({exc}); run `loebner verify` on this contest"
        ) from exc
    return body


def body_of(event: Event) -> AnyBody | None:
    """The body of an event; None for a redacted event of a talk, which has none.

    Raises:
        ValueError: if it is malformed.
    """
    if event.kind in season.KINDS or (event.redacted and event.talk is not None):
        return None
    return bodies.from_json(event.kind, event.body)


def apply(state: State, event: Event, body: AnyBody | None) -> None:
    """Applies an event: changes the state in place.

    Arguments:
        state: the state after all earlier events.
        event: the next event; its hash may be unknown.
        body: its body; None for a redacted event of a talk.

    Raises:
        ValueError: if it contradicts earlier events.
    """
    if not state.first_at and event.kind not in season.KINDS:
        state.first_at, state.first_ns = event.at, event.mono_ns
    state.last_seq = event.seq
    if event.mono_ns > state.last_ns:
        state.last_ns = event.mono_ns
    if body is None or event.kind in season.KINDS:
        return
    if event.talk is None:
        _of_contest(state, event, body)
        _add_incident(state, event, body)
    else:
        _of_talk(state, event, event.talk, body)


# A talk


def _of_talk(state: State, event: Event, name: str, body: AnyBody) -> None:
    if isinstance(body, bodies.TalkOpened):
        _open_talk(state, event, name, body)
        return
    talk = state.talks.get(name)
    if talk is None:
        raise ValueError(f"talk {name} was never opened")
    match body:
        case bodies.Key():
            _press(state, event, talk, body)
        case bodies.Times():
            for row in body.keys:
                if row and row[0] is not None:
                    talk.untimed.discard(row[0])
        case bodies.TalkClosed():
            talk.closed_ns = event.mono_ns
            talk.untimed.clear()  # times that are not recorded by now never will be
        case _:
            pass


def _open_talk(state: State, event: Event, name: str, body: bodies.TalkOpened) -> None:
    if name in state.talks:
        return
    number, attempt, judge, entity = body.round, body.attempt, body.judge, body.entity
    talk = Talk(name, number, attempt, judge, entity, body.side, event.mono_ns)
    talk.turns = (_turn(state, judge), _turn(state, entity))
    state.talks[name] = talk
    state.last_talk[entity] = name
    found = state.attempts.get(f"{number}.{attempt}")
    if found is not None:
        found.talks.append(name)
    if entity in state.entries:
        state.program_used_in[entity] = number


def _turn(state: State, seat: str) -> int:
    return max(0, len(state.persons.get(seat, ())) - 1)


def _press(state: State, event: Event, talk: Talk, body: bodies.Key) -> None:
    author = body.author
    if body.raw is None:
        talk.accepted[author] = max(talk.accepted[author], body.n)
    else:
        talk.last_number = body.n
        _add_name(state, talk.entity, body.raw)
    if body.out_of_phase is not None:
        return
    talk.untimed.add(event.seq)
    name = shown_as(body.key)
    if name is not None:
        talk.begun = True
        talk.shown.append((author, name))
        talk.shown_ns.append(event.mono_ns)
        talk.seqs[author].append(event.seq)


def _add_name(state: State, entry: str, name: str) -> None:
    names = state.names.setdefault(entry, [])
    names.append(name)
    if len(names) >= 2 * REMEMBERED:
        del names[:-REMEMBERED]


# The contest


def _of_contest(state: State, event: Event, body: AnyBody) -> None:
    now = event.mono_ns
    match body:
        case bodies.ContestOpened() if state.opened is None:
            _open(state, event, body)
        case bodies.SeatJoined():
            state.connected.add(body.seat)
            state.used_codes.add(body.seat)
        case bodies.SeatLeft():
            state.connected.discard(body.seat)
        case bodies.EntryStarted():
            state.programs[body.entry] = True
            state.used_codes.add(body.entry)
            state.program_used_in.pop(body.entry, None)
        case bodies.EntryExited():
            state.programs[body.entry] = False
        case bodies.LeftOvers():
            state.used_codes.add(body.entry)
        case bodies.CodeIssued():
            state.used_codes.discard(body.seat)
        case bodies.Breach():
            _add_name(state, body.entry, body.name)
        case bodies.DelaysDiffer():
            state.differing_desks.add(model.desk(body.round, body.attempt, body.judge))
        case bodies.SideSealed():
            state.seals.setdefault(model.desk(body.round, body.attempt, body.judge), body.seal)
        case bodies.VerdictGiven() | bodies.RankingGiven() | bodies.ConsentGiven():
            _decide(state, event, body)
        case bodies.PersonReplaced():
            state.persons.setdefault(body.seat, [Occupant("")]).append(Occupant(body.name))
        case bodies.ScheduleChanged():
            rounds = list(state.schedule.get("rounds", ()))
            rounds[max(0, body.round - 1) :] = body.rounds
            state.schedule = {**state.schedule, "rounds": rounds}
        case bodies.OrderProposed():
            state.proposals[body.number] = model.Proposal(event.actor, body)
        case bodies.OrderConfirmed() | bodies.OrderDropped():
            _settle(state, event, body)
        case bodies.RoundOpened():
            name = f"{body.round}.{body.attempt}"
            state.attempts.setdefault(name, Attempt(body.round, body.attempt, now))
            state.again = False
            state.names.clear()
        case bodies.RoundStarted():
            attempt = _attempt(state, body)
            attempt.started_ns, attempt.seconds = now, body.seconds
        case bodies.RoundPaused():
            attempt = _attempt(state, body)
            attempt.pauses.append((now, None, body.reason))
            attempt.reason, attempt.paused_by = body.reason, event.actor
        case bodies.RoundResumed():
            attempt = _attempt(state, body)
            attempt.reason = ""
            if attempt.pauses and attempt.pauses[-1][1] is None:
                since, _, reason = attempt.pauses[-1]
                attempt.pauses[-1] = (since, now, reason)
        case bodies.RoundExtended():
            attempt = _attempt(state, body)
            attempt.extensions.append((now, body.seconds, body.reason))
            if attempt.seconds is not None:
                attempt.seconds += body.seconds
        case bodies.RoundEnded():
            attempt = _attempt(state, body)
            attempt.ended_ns, attempt.end_reason = now, body.reason
            if event.actor != "server":  # the organizer ends it before its time
                attempt.reason, attempt.cut_ns = body.reason, _first(attempt.cut_ns, now)
        case bodies.ScoringClosed():
            attempt = _attempt(state, body)
            attempt.reason, attempt.shut_ns = body.reason, _first(attempt.shut_ns, now)
        case bodies.RoundClosed():
            _attempt(state, body).closed_ns = now
            state.last_close = event.seq
            _recount(state, body.round)
        case bodies.RoundAgain():
            attempt = _attempt(state, body)
            state.again = True
            if attempt.closed_ns is None:
                if attempt.ended_ns is None:
                    attempt.cut_ns = _first(attempt.cut_ns, now)
                attempt.reason, attempt.shut_ns = body.reason, _first(attempt.shut_ns, now)
        case bodies.Voided(talk=""):
            attempt = _attempt(state, body)
            attempt.voided = attempt.voided or body.reason
            _recount(state, body.round)
        case bodies.Voided():
            talk = state.talks.get(body.talk)
            if talk is not None and talk.voided is None:
                talk.voided = body.reason
        case bodies.BallotExcluded():
            state.excluded.setdefault(body.judge, body.reason)
        case bodies.RoundsStopped():
            _stop(state, body)
        case bodies.RankingOpened():
            state.ranking_opened = event.mono_ns
            judges = {talk.judge for talk in state.talks.values()}
            state.asked = {judge for judge in judges if labels(state, judge)}
        case bodies.RankingClosed():
            state.ranking_closed = body.reason
        case bodies.SidesRevealed():
            state.revealed = True
        case bodies.Result():
            state.result = body
        case bodies.Revealed():
            if body.step not in state.shown:
                state.shown.append(body.step)
        case bodies.DeclaredFinal():
            state.final = body
            state.final_by = [event.actor, *state.final_by]
        case bodies.ContestClosed():
            state.closed = True


def _open(state: State, event: Event, body: bodies.ContestOpened) -> None:
    rules = body.settings.get("rules", {})
    state.opened, state.contest_id, state.schedule = body, event.hash[:16], body.schedule
    state.scoring_ns = round(float(rules.get("scoring_minutes", _SCORING)) * _MINUTE)
    state.ranking_ns = round(float(rules.get("ranking_minutes", _RANKING)) * _MINUTE)
    state.entries = set(model.people_in(body.settings, "entry"))
    for seat, table in model.people_in(body.settings, "judge", "confederate").items():
        state.persons[seat] = [Occupant(str(table.get("name") or ""))]


def _decide(
    state: State,
    event: Event,
    body: bodies.VerdictGiven | bodies.RankingGiven | bodies.ConsentGiven,
) -> None:
    given = (event.seq, event.at, event.mono_ns, event.redacted)
    match body:
        case bodies.VerdictGiven():
            place = model.desk(body.round, body.attempt, body.judge)
            verdict = state.verdicts.get(place)
            if verdict is None or body.version >= verdict.body.version:
                state.verdicts[place] = model.Verdict(*given, body)
        case bodies.RankingGiven():
            ranking = state.rankings.get(body.judge)
            if ranking is None or body.version >= ranking.body.version:
                state.rankings[body.judge] = model.Ranking(*given, body)
        case bodies.ConsentGiven():
            occupant = state.persons.setdefault(body.seat, [Occupant("")])[-1]
            if occupant.consent is None or body.version >= occupant.consent.body.version:
                occupant.consent = model.Consent(*given, body)


def _settle(state: State, event: Event, body: bodies.OrderConfirmed | bodies.OrderDropped) -> None:
    found = state.proposals.pop(body.number, None)
    if isinstance(body, bodies.OrderDropped):
        state.settled[body.number] = "dropped"
    elif found is not None:
        state.settled[body.number] = "confirmed"
        if found.body.order.get("action") == "final":
            state.final_by = [event.actor]


def _attempt(state: State, body: Any) -> Attempt:
    found = state.attempts.get(f"{body.round}.{body.attempt}")
    if found is None:
        raise ValueError(f"round {body.round}, attempt {body.attempt}, was never opened")
    return found


def _first(before: int | None, now: int) -> int:
    return now if before is None else before


def _recount(state: State, number: int) -> None:
    """Makes the last attempt at a round that was closed and not voided the one that counts."""
    mine = [each for each in state.attempts.values() if each.number == number]
    good = [each.attempt for each in mine if each.closed_ns is not None and each.voided is None]
    for each in mine:
        each.counts = each.attempt == max(good, default=0)


def _stop(state: State, body: bodies.RoundsStopped) -> None:
    if not state.attempts:
        return
    state.stopped = (max(each.number for each in state.attempts.values()), body.reason)
    last = state.attempt
    if last is not None and last.closed_ns is not None:
        state.again = False


# Incidents


def _add_incident(state: State, event: Event, body: AnyBody) -> None:
    """Adds an incident. If an entry breaks one rule repeatedly, that is one incident per talk: a
    program that keeps typing after the end of a round breaks a rule with each key. The time after a
    talk belongs to that talk."""
    who = incident_subject(event, body)
    if who is None:
        return
    if isinstance(body, bodies.Breach):
        place = f"{body.entry} {body.rule} {state.last_talk.get(body.entry, '')}"
        index = state.repeated.setdefault(place, len(state.incidents))
        if index < len(state.incidents):
            first = state.incidents[index]
            state.incidents[index] = replace(first, count=first.count + 1)
            return
    # Hashes may be unknown yet.
    state.incidents.append(model.Incident(replace(event, prev="", hash=""), who))
