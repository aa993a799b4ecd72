"""The organizer's orders as forms: what each asks for, when it is its moment, and how it becomes a
document for `contest.organizer.controls`, which carries it out."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

import scheduler
from contest.errors import BadOrder
from contest.organizer.orders import MOST_MINUTES, Order
from contest.state.schedules import as_rounds

Kind = Literal["reason", "text", "minutes", "number", "choice", "tick", "plan"]
Status = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Field:
    """What an order asks for.

    Attributes:
        name: as the order has it.
        label: for a person.
        kind: of text, number, a plan of rounds in lines, or a choice from `choices`.
        hint: what helps to fill it in.
        choices: the name of a list of the page's, for a choice.
        value: what stands there to begin with.
    """

    name: str
    label: str
    kind: Kind
    hint: str = ""
    choices: str = ""
    value: str = ""


REASON = Field("reason", "Reason", "reason", "goes on record, and may be published")


@dataclass(frozen=True, slots=True)
class Control:
    """An order that can be given on a page.

    Attributes:
        action: the order's.
        title: what it is called.
        does: what it does, as the end of a sentence.
        button: what stands on the button that gives it.
        group: with which others it stands.
        fields: what it asks for.
        grave: what can't be undone about it, as a sentence; it is asked for once more then.
        page: the address of a page of the board that helps with it, and what that does.
    """

    action: str
    title: str
    does: str
    button: str
    group: str
    fields: Sequence[Field] = field(default_factory=tuple)
    grave: str = ""
    page: tuple[str, str] = ("", "")


GROUPS: Mapping[str, str] = {
    "course": "The round",
    "next": "What comes next",
    "correct": "Set right",
    "people": "People and programs",
    "end": "The end",
}

_ALL = (
    Control("pause", "Pause", "stops the clock", "Pause", "course", (REASON,)),
    Control("resume", "Resume", "lets the clock run again", "Resume", "course"),
    Control(
        "extend",
        "Extend",
        "gives the interaction more time",
        "Extend",
        "course",
        (Field("minutes", "Minutes", "minutes", "", "", "5"), REASON),
    ),
    Control(
        "end",
        "End the interaction",
        "ends it before its time; the round is scored",
        "End the interaction",
        "course",
        (REASON,),
        "Nobody can type in this round any more.",
    ),
    Control(
        "close",
        "Close scoring or ranking",
        "closes it before its time",
        "Close it",
        "course",
        (REASON,),
        "No verdict, or no ranking, is taken any more.",
    ),
    Control(
        "start",
        "Start",
        "begins the next round, or the ranking",
        "Start",
        "next",
        (Field("anyway", "Begin even if somebody or something is missing", "tick"),),
        "It begins at once for all who are here.",
    ),
    Control(
        "again",
        "Play the round again",
        "has the round that is on, or the last one, played as a new attempt",
        "Play it again",
        "next",
        (REASON,),
        "The attempt that is on ends at once; only the new one counts.",
    ),
    Control(
        "stop",
        "No more rounds",
        "has the ranking come next",
        "Stop after this round",
        "next",
        (REASON,),
        "The rounds that are left are not played.",
    ),
    Control(
        "void",
        "Void a talk or a ballot",
        "takes a talk, a whole attempt, or a judge’s ballot, out of the count",
        "Void it",
        "correct",
        (Field("what", "Talk, attempt or ballot", "choice", "", "talks"), REASON),
        "What was voided never counts again.",
    ),
    Control(
        "swap",
        "Swap two people",
        "has two judges, or two confederates, change their desks in a round to come",
        "Swap them",
        "correct",
        (
            Field("round", "Round", "number", "one that was not begun"),
            Field("one", "One", "choice", "", "people"),
            Field("other", "The other", "choice", "", "people"),
            Field("later", "In all rounds after it, too", "tick"),
            REASON,
        ),
    ),
    Control(
        "replan",
        "Another plan for the rounds to come",
        "has all rounds that were not begun played by another plan",
        "Play by this plan",
        "correct",
        (
            Field(
                "rounds",
                "The plan",
                "plan",
                "a line a round, such as Round 3 J1E2C3 J2E1C4; somebody may have no desk",
            ),
            REASON,
        ),
        page=("/board/schedule", "Have the plan found that loses fewest pairs"),
    ),
    Control(
        "replace",
        "Another person at a seat",
        "has another person take a seat, with a new code",
        "Replace the person",
        "people",
        (Field("seat", "Seat", "choice", "", "people"), Field("name", "Name", "text"), REASON),
        "The old code opens nothing any more; who was there does not come back to this seat.",
    ),
    Control(
        "restart",
        "Restart a program",
        "ends an entry’s program and starts it anew",
        "Restart it",
        "people",
        (Field("entry", "Entry", "choice", "best between two rounds", "programs"), REASON),
        "What the program remembers of its talk is lost.",
    ),
    Control(
        "reveal",
        "Show the next step",
        "shows the audience the next step of the result",
        "Show it",
        "end",
        (Field("everything", "All steps that are left", "tick"),),
        "What the audience has seen, it has seen.",
    ),
    Control(
        "final",
        "Declare it final",
        "closes the contest with the result as it is",
        "Declare it final",
        "end",
        (
            REASON,
            Field("anyway", "Even if something is open; what, goes on record", "tick"),
        ),
        "The record is closed; nothing can be set right afterwards.",
    ),
    Control(
        "confirm",
        "Confirm",
        "carries out what the other of you two has proposed",
        "Confirm",
        "two",
        (Field("number", "Number", "number"),),
    ),
    Control(
        "drop",
        "Drop",
        "drops what one of you two has proposed",
        "Drop",
        "two",
        (Field("number", "Number", "number"),),
    ),
    Control(
        "codes",
        "New code",
        "makes a new code; the old one opens nothing any more",
        "Make a new code",
        "codes",
        (Field("seat", "For", "choice", "", "codes"),),
        "Whoever sits there by the old code is put out.",
    ),
)

#: Every order that this server knows and a page can give.
CONTROLS: Mapping[str, Control] = {
    each.action: each
    for each in _ALL
    if each.action in {str(struct.__struct_config__.tag) for struct in get_args(Order)}
}


def order_of(form: Mapping[str, str]) -> bytes:
    """The order that a form asks for, as a document for `contest.organizer.controls.read_order`.

    Arguments:
        form: the fields as sent.

    Raises:
        BadOrder: if there is no such order, or a field is not of its kind.
    """
    control = CONTROLS.get(form.get("action", ""))
    if control is None:
        raise BadOrder("there is no such order")
    order: dict[str, Any] = {"action": control.action}
    for each in control.fields:
        order[each.name] = _value(each, form.get(each.name, ""))
    return json.dumps(order).encode()


def is_to_be_confirmed(form: Mapping[str, str]) -> str:
    """What has to be said before an order is carried out that can't be undone; empty if nothing."""
    control = CONTROLS.get(form.get("action", ""))
    if control is None or not control.grave or form.get("sure") == "yes":
        return ""
    if control.action == "start" and not form.get("anyway"):
        return ""
    return control.grave


def _value(each: Field, text: str) -> Any:
    text = text.strip()
    if each.kind == "tick":
        return bool(text)
    if not text:
        lacking = "give a reason: it goes on record" if each is REASON else f"{each.label}: choose"
        raise BadOrder(lacking)
    if each.kind == "plan":
        return _plan(each, text)
    if each.kind not in ("minutes", "number"):
        return text
    try:
        value = float(text.replace(",", ".")) if each.kind == "minutes" else int(text)
    except ValueError:
        raise BadOrder(f"{each.label}: write a number such as 5") from None
    if each.kind == "minutes" and not 0 < value <= MOST_MINUTES:
        raise BadOrder(f"{each.label}: more than 0, and {MOST_MINUTES} at most")
    return value


def _plan(each: Field, text: str) -> Any:
    try:
        plan = scheduler.read_schedule(text, each.label)
    except scheduler.SchedulerError as exc:
        raise BadOrder(str(exc)) from None
    if not isinstance(plan, scheduler.Schedule):
        raise BadOrder(f"{each.label}: write rounds, such as Round 3 J1E2C3 J2E1C4")
    return as_rounds(plan)


def why_not(status: Status) -> dict[str, str]:
    """Why each order can't be given now, in words; empty for those that can.

    What is said here only saves a try: whether an order is carried out, its moment decides.

    Arguments:
        status: the contest's, as `Overview.status` gives it.
    """
    phase, now = status["phase"], status["words"]
    typing, waits = phase in ("interaction", "paused"), status["waits_for_start"]
    coming, begun = status["next"], bool(status["round"])
    to_come = coming not in ("ranking", None)
    repeated = isinstance(coming, dict) and coming["round"] == status["round"]
    programs = [each for each in status["entries"] if each["program"] is not None]
    result = status["result"]
    ended = phase in ("ranking", "over")
    unheard = "" if result["state"] else f"there is no result yet: {now}"
    said = {
        "start": "" if waits else f"nothing waits for a start: {now}",
        "pause": "" if phase == "interaction" else f"only while people type: {now}",
        "resume": "" if phase == "paused" else f"nothing is paused: {now}",
        "extend": "" if typing else f"only while people type: {now}",
        "end": "" if typing else f"no interaction is on: {now}",
        "close": "" if phase in ("scoring", "ranking") else f"nothing is scored or ranked: {now}",
        "again": "",
        "stop": "" if begun and to_come else f"no round is left out: {now}",
        "void": "" if begun and phase != "over" else f"nothing can be voided now: {now}",
        "swap": "" if to_come else f"no rounds are to come: {now}",
        "replan": "" if to_come else f"no rounds are to come: {now}",
        "replace": f"nobody can be replaced now: {now}" if ended else "",
        "restart": "" if programs else "the server has started no program",
        "reveal": unheard or ("" if result["next"] else "all of it is shown"),
        "final": unheard or ("it is final already" if result["state"] == "final" else ""),
        "confirm": "" if status["proposals"] else "nothing was proposed",
        "drop": "" if status["proposals"] else "nothing was proposed",
    }
    if repeated:
        said["again"] = f"round {status['round']} is to be played again already"
    elif not (typing or phase == "scoring" or (waits and phase == "closed")):
        said["again"] = f"no round can be played again now: {now}"
    return {action: said.get(action, "") for action in CONTROLS}
