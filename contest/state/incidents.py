"""Incidents in words: what went wrong in a contest, and what somebody did about it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from contest.record import bodies
from contest.record.bodies import AnyBody
from contest.record.events import Event

#: What stands in the place of what is left out.
WITHHELD = "withheld at the wish of a participant"
#: Names of left-overs that an incident quotes; the record has them all.
_QUOTED = 5


def in_words(event: Event, body: AnyBody) -> tuple[str, str] | None:
    """Who had to do with an incident, and what it was.

    Arguments:
        event: any event of a record.
        body: its body.

    Returns:
        An id or a place, and a sentence without its end; None for an event that is no incident.
    """
    match body:
        case bodies.Breach() if event.redacted:
            return body.entry, f"breach of rule {body.rule} (details {WITHHELD})"
        case bodies.LeftOvers() if event.redacted:
            return body.entry, f"left something in its directory before a talk ({WITHHELD})"
        case bodies.Breach():
            return body.entry, f"breach of rule {body.rule}: {body.detail} ({body.name!r})"
        case bodies.TakenUp():
            return "server", "another server has taken the contest up from its record"
        case bodies.ServerStalled():
            return "server", (
                f"it stood still for {body.ms / 1000:.1f} seconds, and the contest's clock with "
                "it: nobody lost any time"
            )
        case bodies.Trouble():
            return body.where, body.what
        case bodies.KeyInDoubt():
            return body.entry, (
                f"its link died while it made key {body.n} of the judge (talk {body.talk}), and "
                "made it again: the entry may have had it twice"
            )
        case bodies.WrongCodes():
            where = f"from {body.address}" if body.address else f"from somewhere ({WITHHELD})"
            return "server", f"{body.tries} wrong codes came {where}"
        case bodies.LeftOvers() if body.names:
            quoted = ", ".join(repr(name) for name in body.names[:_QUOTED])
            more = len(body.names) - _QUOTED
            return body.entry, (
                f"left in its directory before a talk: {quoted}" + f" and {more} more" * (more > 0)
            )
        case bodies.EntryExited():
            return body.entry, f"the program ended (exit code {body.code})"
        case bodies.SeatLeft():
            return body.seat, "the console went" + f" ({body.reason})" * bool(body.reason)
        case bodies.RoundOpened() if body.attempt > 1:
            return event.actor, f"round {body.round} was begun again: attempt {body.attempt}"
        case bodies.RoundPaused():
            return event.actor, f"round {body.round} was stopped for a while: {body.reason}"
        case bodies.RoundExtended():
            return event.actor, (
                f"round {body.round} was made {_minutes(body.seconds)} longer: {body.reason}"
            )
        case bodies.RoundAgain():
            return event.actor, (
                f"round {body.round}, attempt {body.attempt}, is to be played again: {body.reason}"
            )
        case bodies.RoundsStopped():
            return event.actor, f"no more rounds are played: {body.reason}"
        case bodies.Voided():
            return event.actor, f"{voided_in_words(body)}: {body.reason}"
        case bodies.BallotExcluded():
            return event.actor, f"the ballot of {body.judge} does not count: {body.reason}"
        case bodies.PersonReplaced():
            name = body.name or f"a person ({WITHHELD})"
            return body.seat, f"{name} sits here from now on: {body.reason}"
        case bodies.ScheduleChanged():
            return event.actor, f"the schedule is changed from round {body.round} on: {body.reason}"
        case bodies.OrderProposed():
            return event.actor, (
                f"order {body.number} was proposed ({order_in_words(body.order)}): {body.reason}"
            )
        case bodies.OrderConfirmed():
            return event.actor, f"order {body.number} was confirmed"
        case bodies.OrderDropped():
            return event.actor, f"order {body.number} was dropped" + f": {body.reason}" * bool(
                body.reason
            )
        case bodies.DelaysDiffer():
            return body.judge, differing_in_words(body)
        case bodies.DeclaredFinal():
            still_open = f" (open: {'; '.join(body.open)})" * bool(body.open)
            return event.actor, f"the result is declared final{still_open}: {body.reason}"
        case bodies.EntryRestarted():
            return body.entry, f"the organizer has its program started anew: {body.reason}"
        case bodies.CodeIssued():
            return body.seat, "a new code was made"
        case bodies.ScoringClosed():
            return event.actor, f"scoring of round {body.round} was closed early: {body.reason}"
        case bodies.RankingClosed():
            return event.actor, f"the ranking was closed early: {body.reason}"
        case bodies.RoundEnded() if body.reason != "time":
            return event.actor, f"round {body.round} was ended before its time: {body.reason}"
    return None


def order_in_words(order: Mapping[str, Any]) -> str:
    """An order in short, as it would stand at a terminal: its action, and what belongs to it."""
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


def voided_in_words(body: bodies.Voided) -> str:
    """What was taken out of the count, as the beginning of a sentence."""
    if body.talk:
        return f"the talk {body.talk} was voided"
    return f"round {body.round}, attempt {body.attempt}, was voided"


def _minutes(seconds: int) -> str:
    minutes, rest = divmod(seconds, 60)
    parts = [f"{minutes} min"] * bool(minutes) + [f"{rest} s"] * bool(rest)
    return " ".join(parts) or "0 s"
