"""Events in words, for the log that an organizer reads."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from contest.record import bodies
from contest.record.events import Event
from contest.state import incidents
from contest.state.incidents import WITHHELD

Body = Mapping[str, Any]

_PLAIN: Mapping[str, Callable[[Body], str]] = {
    "contest-opened": lambda b: f"the contest was opened by {b['program']}",
    "seat-joined": lambda b: f"a console is at {b['seat']}",
    "entry-started": lambda b: f"the program of {b['entry']} was started",
    "left-overs": lambda b: f"nothing was left in the directory of {b['entry']}",
    "side-sealed": lambda b: f"the sides of {b['judge']} were drawn and sealed",
    "round-opened": lambda b: f"{_round(b)} was prepared",
    "round-started": lambda b: f"{_round(b)}: the interaction began, for {b['seconds']} seconds",
    "round-resumed": lambda b: f"{_round(b)}: the interaction went on",
    "round-ended": lambda b: f"{_round(b)}: the interaction ended, its time was up",
    "round-closed": lambda b: f"{_round(b)} was closed",
    "ranking-opened": lambda _: "the judges were asked to rank",
    "sides-revealed": lambda _: "the seals were opened: every verdict and ranking is closed",
    "result": lambda _: "the result went on record",
    "contest-closed": lambda _: "the contest was closed",
    "revealed": lambda b: f"shown to the public: {b['step']}",
    "talk-closed": lambda _: "the talk was closed",
    "times": lambda b: f"when {len(b['keys'])} keys were durable and shown",
}


def in_words(event: Event) -> str:
    """An event in a sentence without its end.

    Arguments:
        event: one that may be published; one that is not of its form is shown as it is.
    """
    if event.redacted and not event.body:
        return WITHHELD
    try:
        return _said(event)
    except (LookupError, TypeError, ValueError):
        return _as_it_is(event)


def _said(event: Event) -> str:
    body = event.body
    match event.kind:
        case "key":
            return _key(body)
        case "talk-opened":
            return f"{body['judge']} talks with {body['entity']} at the {body['side']}"
        case "verdict":
            return _verdict(body)
        case "ranking":
            return f"{body['judge']} ranked those who were met" + _version(body)
        case "consent":
            agreed = "may be published" if body["publish"] else "is to be withheld"
            return f"what {body['seat']} types {agreed}" + _version(body)
    told = incidents.in_words(event, bodies.from_json(event.kind, dict(body)))
    if told is not None:
        return told[1]
    plain = _PLAIN.get(event.kind)
    return _as_it_is(event) if plain is None else plain(body)


def _key(body: Body) -> str:
    said = f"{body['author']} pressed {body['key']}"
    if body.get("raw"):
        said += f" (directory {body['raw']})"
    if body.get("rules"):
        said += f", against {', '.join(map(str, body['rules']))}"
    if body.get("out_of_phase"):
        said += f", not shown: {body['out_of_phase']}"
    return said


def _verdict(body: Body) -> str:
    said = f"{_round(body)}: {body['judge']} took the one at the {body['human']} for the human"
    if body.get("confidence") is not None:
        said += f", {body['confidence']} percent sure"
    if body.get("reason"):
        said += f": {body['reason']}"
    return said + _version(body)


def _version(body: Body) -> str:
    return f" (version {body['version']})" if body["version"] > 1 else ""


def _round(body: Body) -> str:
    attempt = f", attempt {body['attempt']}" if body["attempt"] > 1 else ""
    return f"round {body['round']}{attempt}"


def _as_it_is(event: Event) -> str:
    body = {name: value for name, value in event.body.items() if name != "salt"}
    return json.dumps(body, ensure_ascii=False)
