"""Incidents in words: what went wrong in a contest, and what people did about it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from contest.record import bodies
from contest.record.bodies import AnyBody
from contest.record.events import Event

#: Replaces anything that is left out.
WITHHELD = "withheld at the request of a participant"
#: How many names of left-overs an incident quotes; the record has them all.
_QUOTED = 5


#: Kind to words; `_what` handles the kinds that need more than a format.
_WORDS: dict[type[AnyBody], str] = {
    bodies.Breach: "breach of rule {0.rule}: {0.detail} ({0.name!r})",
    bodies.TakenUp: "another server continued the contest from its record",
    bodies.Trouble: "{0.what}",
    bodies.KeyInDoubt: "its link died while delivering the judge's key {0.n} (talk {0.talk}), and "
    "delivered it again: the entry may have received it twice",
    bodies.EntryExited: "the program ended (exit code {0.code})",
    bodies.EntryRestarted: "the organizer had its program restarted: {0.reason}",
    bodies.CodeIssued: "a new code was issued",
    bodies.RoundPaused: "round {0.round} was paused: {0.reason}",
    bodies.RoundAgain: "round {0.round}, attempt {0.attempt}, will be played again: {0.reason}",
    bodies.RoundsStopped: "no more rounds will be played: {0.reason}",
    bodies.BallotExcluded: "the ballot of {0.judge} does not count: {0.reason}",
    bodies.ScheduleChanged: "the schedule was changed from round {0.round} on: {0.reason}",
    bodies.OrderConfirmed: "order {0.number} was confirmed",
    bodies.ScoringClosed: "scoring of round {0.round} was closed early: {0.reason}",
    bodies.RankingClosed: "the ranking was closed early: {0.reason}",
}


def in_words(event: Event, body: AnyBody) -> tuple[str, str] | None:
    """Whom an incident concerns, and what happened.

    Arguments:
        event: any event of a record.
        body: its body.

    Returns:
        An id or a place, and a sentence without a full stop; None for an event that is not an
        incident.
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
                f"the server stood still for {body.ms / 1000:.1f} seconds, and so did the "
                "contest's clock: nobody lost any time"
            )
        case bodies.WrongCodes():
            where = f"from {body.address}" if body.address else f"from an address ({WITHHELD})"
            return f"{body.tries} wrong codes were entered {where}"
        case bodies.SeatLeft():
            return "the console disconnected" + f" ({body.reason})" * bool(body.reason)
        case bodies.RoundOpened() if body.attempt > 1:
            return f"round {body.round} was begun again: attempt {body.attempt}"
        case bodies.RoundExtended():
            return f"round {body.round} was extended by {_duration(body.seconds)}: {body.reason}"
        case bodies.RoundEnded() if body.reason != "time":
            return f"round {body.round} was ended early: {body.reason}"
        case bodies.Voided():
            of = f"round {body.round}, attempt {body.attempt},"
            return f"{f'the talk {body.talk}' if body.talk else of} was voided: {body.reason}"
        case bodies.PersonReplaced():
            name = body.name or f"a person ({WITHHELD})"
            return f"{name} took over this seat: {body.reason}"
        case bodies.OrderProposed():
            order = order_in_words(body.order)
            return f"order {body.number} was proposed ({order}): {body.reason}"
        case bodies.OrderDropped():
            return f"order {body.number} was dropped" + f": {body.reason}" * bool(body.reason)
        case bodies.DelaysDiffer():
            return differing_in_words(body)
        case bodies.DeclaredFinal():
            still_open = f" (open: {'; '.join(body.open)})" * bool(body.open)
            return f"the result was declared final{still_open}: {body.reason}"
    words = _WORDS.get(type(body))
    return None if words is None else words.format(body)


def order_in_words(order: Mapping[str, Any]) -> str:
    """An order in the form in which one would type it: its action and arguments."""
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
    """Delays that a judge could notice, as a sentence without a full stop."""
    way = "to the judge" if body.to == "judge" else "to the entities"
    return (
        f"keys {way} take {body.left_ms} ms on the left and {body.right_ms} ms on the right: the "
        "judge could notice"
    )


def _duration(seconds: int) -> str:
    minutes, rest = divmod(seconds, 60)
    parts = [f"{minutes} min"] * bool(minutes) + [f"{rest} s"] * bool(rest)
    return " ".join(parts) or "0 s"
