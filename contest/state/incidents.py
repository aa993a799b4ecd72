"""Incidents in words: what went wrong in a contest, and what somebody did about it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from contest.record import bodies
from contest.record.bodies import AnyBody
from contest.record.events import Event

#: Replaces what is left out.
WITHHELD = "withheld at the wish of a participant"
#: Names of left-overs that an incident quotes; the record has them all.
_QUOTED = 5


#: Kind to what it was; `in_words` has those that need more than that.
_WORDS: dict[type[AnyBody], str] = {
    bodies.Breach: "breach of rule {0.rule}: {0.detail} ({0.name!r})",
    bodies.TakenUp: "another server has taken the contest up from its record",
    bodies.Trouble: "{0.what}",
    bodies.KeyInDoubt: "its link died while it made key {0.n} of the judge (talk {0.talk}), and "
    "made it again: the entry may have had it twice",
    bodies.EntryExited: "the program ended (exit code {0.code})",
    bodies.EntryRestarted: "the organizer has its program started again: {0.reason}",
    bodies.CodeIssued: "a new code was made",
    bodies.RoundPaused: "round {0.round} was stopped for a while: {0.reason}",
    bodies.RoundAgain: "round {0.round}, attempt {0.attempt}, is to be played again: {0.reason}",
    bodies.RoundsStopped: "no more rounds are played: {0.reason}",
    bodies.BallotExcluded: "the ballot of {0.judge} does not count: {0.reason}",
    bodies.ScheduleChanged: "the schedule is changed from round {0.round} on: {0.reason}",
    bodies.OrderConfirmed: "order {0.number} was confirmed",
    bodies.ScoringClosed: "scoring of round {0.round} was closed early: {0.reason}",
    bodies.RankingClosed: "the ranking was closed early: {0.reason}",
}


def in_words(event: Event, body: AnyBody) -> tuple[str, str] | None:
    """Who had to do with an incident, and what it was.

    Arguments:
        event: any event of a record.
        body: its body.

    Returns:
        An id or a place, and a sentence without its end; None for an event that is not an incident.
    """
    what = _what(event, body)
    if what is None:
        return None
    if isinstance(body, bodies.DelaysDiffer):
        return body.judge, what
    named = (getattr(body, name, "") for name in ("entry", "seat", "where"))
    return next(filter(None, named), event.actor), what


def _what(event: Event, body: AnyBody) -> str | None:
    match body:
        case bodies.Breach() if event.redacted:
            return f"breach of rule {body.rule} (details {WITHHELD})"
        case bodies.LeftOvers() if event.redacted:
            return f"left something in its directory before a talk ({WITHHELD})"
        case bodies.LeftOvers() if body.names:
            names = ", ".join(repr(name) for name in body.names[:_QUOTED])
            more = len(body.names) - _QUOTED
            return f"left in its directory before a talk: {names}" + f" and {more} more" * (
                more > 0
            )
        case bodies.ServerStalled():
            return (
                f"it stood still for {body.ms / 1000:.1f} seconds, and the contest's clock with "
                "it: nobody lost any time"
            )
        case bodies.WrongCodes():
            where = f"from {body.address}" if body.address else f"from somewhere ({WITHHELD})"
            return f"{body.tries} wrong codes came {where}"
        case bodies.SeatLeft():
            return "the console went" + f" ({body.reason})" * bool(body.reason)
        case bodies.RoundOpened() if body.attempt > 1:
            return f"round {body.round} was begun again: attempt {body.attempt}"
        case bodies.RoundExtended():
            return f"round {body.round} was made {_minutes(body.seconds)} longer: {body.reason}"
        case bodies.RoundEnded() if body.reason != "time":
            return f"round {body.round} was ended before its time: {body.reason}"
        case bodies.Voided():
            of = f"round {body.round}, attempt {body.attempt},"
            return f"{f'the talk {body.talk}' if body.talk else of} was voided: {body.reason}"
        case bodies.PersonReplaced():
            name = body.name or f"a person ({WITHHELD})"
            return f"{name} sits here from now on: {body.reason}"
        case bodies.OrderProposed():
            order = order_in_words(body.order)
            return f"order {body.number} was proposed ({order}): {body.reason}"
        case bodies.OrderDropped():
            return f"order {body.number} was dropped" + f": {body.reason}" * bool(body.reason)
        case bodies.DelaysDiffer():
            return differing_in_words(body)
        case bodies.DeclaredFinal():
            still_open = f" (open: {'; '.join(body.open)})" * bool(body.open)
            return f"the result is declared final{still_open}: {body.reason}"
    words = _WORDS.get(type(body))
    return None if words is None else words.format(body)


def order_in_words(order: Mapping[str, Any]) -> str:
    """An order in short, as somebody would type it: its action, and what belongs to it."""
    match order:
        case {"action": "swap", "round": first, "one": one, "other": other}:
            rounds = f"{first}-" if order.get("later") else first
            return f"swap {rounds} {one} {other}"
        case {"action": "replan", "rounds": dict(rounds)}:
            return f"replan rounds {', '.join(sorted(rounds, key=int))}"
        case {"action": "replace", "seat": seat}:
            return " ".join(("replace", str(seat), str(order.get("name", ""))))
        case {"action": "void", "what": what}:
            return f"void {what}"
        case {"action": action, "anyway": True}:
            return f"{action} --anyway"
        case _:
            return str(order.get("action", ""))


def differing_in_words(body: bodies.DelaysDiffer) -> str:
    """Delays that a judge could notice, as a sentence without its end."""
    way = "to the judge" if body.to == "judge" else "to the entities"
    return (
        f"keys {way} take {body.left_ms} ms at the left and {body.right_ms} ms at the right: the "
        "judge could notice"
    )


def _minutes(seconds: int) -> str:
    minutes, rest = divmod(seconds, 60)
    parts = [f"{minutes} min"] * bool(minutes) + [f"{rest} s"] * bool(rest)
    return " ".join(parts) or "0 s"
