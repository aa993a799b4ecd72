"""What happened, in words: each event as a sentence, and which events are incidents.

The record and the state hold neutral values. The sentences are in texts/, under `events`, by the
kind of the event, and are made in the language of the person who reads them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import msgspec
from babel.numbers import format_decimal

from contest.record import bodies
from contest.record.bodies import AnyBody
from contest.record.events import Event
from texts import Texts, load

#: Replaces anything that is left out.
WITHHELD = load().plain("events.withheld")
#: How many names of left-overs an incident quotes; the record has them all.
_QUOTED = 5

#: The kinds that are always incidents; `incident_subject` decides about the others.
_ALWAYS: tuple[type[AnyBody], ...] = (
    *(bodies.Breach, bodies.TakenUp, bodies.Trouble, bodies.KeyInDoubt, bodies.EntryExited),
    *(bodies.EntryRestarted, bodies.CodeIssued, bodies.RoundPaused, bodies.RoundAgain),
    *(bodies.RoundsStopped, bodies.BallotExcluded, bodies.ScheduleChanged, bodies.OrderProposed),
    *(bodies.OrderConfirmed, bodies.OrderDropped, bodies.ScoringClosed, bodies.RankingClosed),
    *(bodies.ServerStalled, bodies.WrongCodes, bodies.SeatLeft, bodies.RoundExtended),
    *(bodies.Voided, bodies.PersonReplaced, bodies.DelaysDiffer, bodies.DeclaredFinal),
)


def incident_subject(event: Event, body: AnyBody) -> str | None:
    """Whom an incident concerns: an id or a place; None for an event that is not an incident.

    Arguments:
        event: any event of a record.
        body: its body.
    """
    match body:
        case bodies.LeftOvers():
            incident = event.redacted or bool(body.names)
        case bodies.RoundOpened():
            incident = body.attempt > 1
        case bodies.RoundEnded():
            incident = body.reason != "time"
        case _:
            incident = isinstance(body, _ALWAYS)
    if not incident:
        return None
    if isinstance(body, bodies.DelaysDiffer):
        return body.judge
    named = (getattr(body, name, "") for name in ("entry", "seat", "where"))
    return next(filter(None, named), event.actor)


def in_words(event: Event, count: int = 1, texts: Texts | None = None) -> str:
    """An event as a sentence without a full stop; a malformed event is shown as JSON.

    Arguments:
        event: any event of a record.
        count: for breaches of one rule, how many events the sentence covers.
        texts: the texts of the reader's language; English by default.
    """
    texts = texts or load()
    if event.redacted and not event.body:
        return texts.plain("events.withheld")
    try:
        body = bodies.from_json(event.kind, event.body)
        variant, fields = _variant(event, body, texts)
    except ValueError:
        return as_text(event)
    key = f"events.{event.kind.replace('-', '_')}{variant}"
    if key not in texts:
        return as_text(event)
    said = texts.bare(key, **{**msgspec.structs.asdict(body), **fields})
    match body:
        case bodies.Breach() if count > 1:
            return texts.bare("events.breaches", first=said, n=count - 1)
        case bodies.Key():
            said += f" ({texts.bare('events.directory', raw=body.raw)})" if body.raw else ""
            broken = ", ".join(body.rules)
            said += f", {texts.bare('events.breaking', rules=broken)}" if broken else ""
            if body.out_of_phase:
                said += f", {texts.bare('events.not_shown', rule=body.out_of_phase)}"
        case bodies.VerdictGiven():
            if body.confidence is not None:
                said += f", {texts.bare('events.sure', percent=body.confidence)}"
            said += f": {body.reason}" if body.reason else ""
    version = getattr(body, "version", 1)
    return said + (f" ({texts.bare('events.version', version=version)})" if version > 1 else "")


def _variant(event: Event, body: AnyBody, texts: Texts) -> tuple[str, dict[str, Any]]:
    """The variant of the sentence that describes an event, and its fields beyond those of the
    body."""
    match body:
        case bodies.Breach():
            return "_withheld" if event.redacted else "", {"name": repr(body.name)}
        case bodies.LeftOvers() if event.redacted:
            return "_withheld", {}
        case bodies.LeftOvers() if body.names:
            more = len(body.names) - _QUOTED
            names = ", ".join(repr(name) for name in body.names[:_QUOTED])
            return "_more" if more > 0 else "_names", {"names": names, "n": more}
        case bodies.ServerStalled():
            return "", {"seconds": format_decimal(body.ms / 1000, "0.0", texts.language)}
        case bodies.WrongCodes():
            return "" if body.address else "_withheld", {"n": body.tries}
        case bodies.SeatLeft():
            return "_reason" if body.reason else "", {"reason": _left(body.reason, texts)}
        case bodies.OrderDropped():
            return "_reason" if body.reason else "", {}
        case bodies.TextPasted():
            return "", {"n": body.characters}
        case bodies.RoundOpened() if body.attempt > 1:
            return "_again", {}
        case bodies.RoundStarted():
            return "", {"which": _which(body, texts), "n": body.seconds}
        case bodies.RoundExtended():
            return "", {"duration": _duration(body.seconds)}
        case bodies.RoundEnded():
            return "" if body.reason == "time" else "_early", {"which": _which(body, texts)}
        case bodies.RoundOpened() | bodies.RoundResumed() | bodies.RoundClosed():
            return "", {"which": _which(body, texts)}
        case bodies.Voided():
            return "_talk" if body.talk else "", {}
        case bodies.PersonReplaced():
            return "" if body.name else "_withheld", {}
        case bodies.OrderProposed():
            return "", {"order": order_in_words(body.order)}
        case bodies.DelaysDiffer():
            return f"_{body.to}", {}
        case bodies.DeclaredFinal():
            return "_open" if body.open else "", {"open": "; ".join(body.open)}
        case bodies.Revealed():
            return "", {"step": step_in_words(body.step, texts)}
        case bodies.TalkOpened():
            return f"_{body.side}", {}
        case bodies.Times():
            return "", {"n": len(body.keys)}
        case bodies.Key():
            return f"_{body.author}", {}
        case bodies.VerdictGiven():
            return f"_{body.human}", {"which": _which(body, texts)}
        case bodies.ConsentGiven():
            return "_publish" if body.publish else "_withhold", {}
    return "", {}


def unsalted(event: Event) -> dict[str, Any]:
    """An event's body without its salt."""
    return {name: value for name, value in event.body.items() if name != "salt"}


def as_text(event: Event) -> str:
    """An event's body as JSON, without its salt."""
    return json.dumps(unsalted(event), ensure_ascii=False)


def order_in_words(order: Mapping[str, Any]) -> str:
    """An order as a person would type it: its action and arguments."""
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


def step_in_words(step: str, texts: Texts) -> str:
    """A step of the result, such as `place 4`, in words."""
    name, _, place = step.partition(" ")
    key = f"board.steps.{name}"
    return texts.plain(key, place=place) if key in texts else step


def differing_in_words(body: bodies.DelaysDiffer, texts: Texts) -> str:
    """Delays that a judge could notice, as a sentence without a full stop."""
    return texts.bare(f"events.delays_differ_{body.to}", **msgspec.structs.asdict(body))


def _which(body: Any, texts: Texts) -> str:
    name = "coming_attempt" if body.attempt > 1 else "coming_round"
    return texts.plain(f"board.now.{name}", round=body.round, attempt=body.attempt)


def _left(reason: str, texts: Texts) -> str:
    """Why a console disconnected. The record has it in English."""
    english = load("en")
    key = next((k for k in english if k.startswith("left.") and english.bare(k) == reason), None)
    return reason if key is None else texts.bare(key)


def _duration(seconds: int) -> str:
    minutes, rest = divmod(seconds, 60)
    parts = [f"{minutes} min"] * bool(minutes) + [f"{rest} s"] * bool(rest)
    return " ".join(parts) or "0 s"
