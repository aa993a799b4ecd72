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


#: Kind to who had to do with it, and what it was; `in_words` has those that need more than that.
_WORDS: dict[type[AnyBody], tuple[str, str]] = {
    bodies.Breach: ("{body.entry}", "breach of rule {body.rule}: {body.detail} ({body.name!r})"),
    bodies.TakenUp: ("server", "another server has taken the contest up from its record"),
    bodies.Trouble: ("{body.where}", "{body.what}"),
    bodies.KeyInDoubt: (
        "{body.entry}",
        "its link died while it made key {body.n} of the judge (talk {body.talk}), and made it "
        "again: the entry may have had it twice",
    ),
    bodies.EntryExited: ("{body.entry}", "the program ended (exit code {body.code})"),
    bodies.EntryRestarted: (
        "{body.entry}",
        "the organizer has its program started again: {body.reason}",
    ),
    bodies.CodeIssued: ("{body.seat}", "a new code was made"),
    bodies.RoundPaused: ("{actor}", "round {body.round} was stopped for a while: {body.reason}"),
    bodies.RoundAgain: (
        "{actor}",
        "round {body.round}, attempt {body.attempt}, is to be played again: {body.reason}",
    ),
    bodies.RoundsStopped: ("{actor}", "no more rounds are played: {body.reason}"),
    bodies.BallotExcluded: ("{actor}", "the ballot of {body.judge} does not count: {body.reason}"),
    bodies.ScheduleChanged: (
        "{actor}",
        "the schedule is changed from round {body.round} on: {body.reason}",
    ),
    bodies.OrderConfirmed: ("{actor}", "order {body.number} was confirmed"),
    bodies.ScoringClosed: (
        "{actor}",
        "scoring of round {body.round} was closed early: {body.reason}",
    ),
    bodies.RankingClosed: ("{actor}", "the ranking was closed early: {body.reason}"),
}


def in_words(event: Event, body: AnyBody) -> tuple[str, str] | None:
    """Who had to do with an incident, and what it was.

    Arguments:
        event: any event of a record.
        body: its body.

    Returns:
        An id or a place, and a sentence without its end; None for an event that is not an incident.
    """
    match body:
        case bodies.Breach() if event.redacted:
            return body.entry, f"breach of rule {body.rule} (details {WITHHELD})"
        case bodies.LeftOvers() if event.redacted:
            return body.entry, f"left something in its directory before a talk ({WITHHELD})"
        case bodies.LeftOvers() if body.names:
            names = ", ".join(repr(name) for name in body.names[:_QUOTED])
            more = len(body.names) - _QUOTED
            names += f" and {more} more" * (more > 0)
            return body.entry, f"left in its directory before a talk: {names}"
        case bodies.ServerStalled():
            return "server", (
                f"it stood still for {body.ms / 1000:.1f} seconds, and the contest's clock with "
                "it: nobody lost any time"
            )
        case bodies.WrongCodes():
            where = f"from {body.address}" if body.address else f"from somewhere ({WITHHELD})"
            return "server", f"{body.tries} wrong codes came {where}"
        case bodies.SeatLeft():
            return body.seat, "the console went" + f" ({body.reason})" * bool(body.reason)
        case bodies.RoundOpened() if body.attempt > 1:
            return event.actor, f"round {body.round} was begun again: attempt {body.attempt}"
        case bodies.RoundExtended():
            longer = _minutes(body.seconds)
            return event.actor, f"round {body.round} was made {longer} longer: {body.reason}"
        case bodies.RoundEnded() if body.reason != "time":
            return event.actor, f"round {body.round} was ended before its time: {body.reason}"
        case bodies.Voided():
            what = f"round {body.round}, attempt {body.attempt}, was voided"
            what = f"the talk {body.talk} was voided" if body.talk else what
            return event.actor, f"{what}: {body.reason}"
        case bodies.PersonReplaced():
            name = body.name or f"a person ({WITHHELD})"
            return body.seat, f"{name} sits here from now on: {body.reason}"
        case bodies.OrderProposed():
            order = order_in_words(body.order)
            return event.actor, f"order {body.number} was proposed ({order}): {body.reason}"
        case bodies.OrderDropped():
            why = f": {body.reason}" * bool(body.reason)
            return event.actor, f"order {body.number} was dropped{why}"
        case bodies.DelaysDiffer():
            return body.judge, differing_in_words(body)
        case bodies.DeclaredFinal():
            still_open = f" (open: {'; '.join(body.open)})" * bool(body.open)
            return event.actor, f"the result is declared final{still_open}: {body.reason}"
    if (words := _WORDS.get(type(body))) is None:
        return None
    who, what = (each.format(body=body, actor=event.actor) for each in words)
    return who, what


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
