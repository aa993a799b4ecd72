"""The desks as rows: a pairing's judge, confederate and entry with a shape and words each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

Status = Mapping[str, Any]

#: A state's code to the shape beside its words (templates/shapes.html), and to few words.
STATES: Mapping[str, tuple[str, str]] = {
    "away": ("away", "not here"),
    "ended": ("ended", "program ended"),
    "stalled": ("late", "does not read"),
    "typing": ("typing", "types"),
    "quiet": ("quiet", "quiet"),
    "decides": ("open", "no verdict yet"),
    "decided": ("done", "verdict given"),
    "here": ("here", "here"),
}
ROLES = ("judge", "confederate", "entry")


@dataclass(frozen=True, slots=True)
class Party:
    """Somebody at a desk.

    Attributes:
        id: such as J1.
        name: the person's or the program's; empty where it has none but the id.
        role: `judge`, `confederate` or `entry`.
        shape: which of the shapes stands beside the words.
        words: how it does.
        more: further facts, each a few words.
    """

    id: str
    name: str
    role: str
    shape: str
    words: str
    more: Sequence[str]


@dataclass(frozen=True, slots=True)
class Row:
    """A pairing.

    Attributes:
        judge: the judge's id.
        parties: judge, confederate, entry.
        sides: place to the delay there in words, where a judge could notice that they differ.
        warning: what a judge could notice, in words; empty for nothing.
    """

    judge: str
    parties: Sequence[Party]
    sides: Mapping[str, str]
    warning: str


def rows(status: Status) -> list[Row]:
    """The rows of the round that is on, or comes next, in the order of the schedule.

    Where the entry sits, at the left or at the right, is not said: a glance at the organizer's
    phone must not tell a judge.

    Arguments:
        status: the contest's, as `Overview.status` gives it.
    """
    names = {each["seat"]: each["name"] for each in status["seats"]}
    names |= {each["entry"]: each["name"] for each in status["entries"]}
    return [_row(each, names) for each in status["pairings"]]


def _row(pairing: Status, names: Mapping[str, str]) -> Row:
    return Row(
        pairing["judge"],
        [_party(pairing, role, names) for role in ROLES],
        {
            place: f"{pairing[place]['to_judge_ms']} ms"
            for place in ("left", "right")
            if pairing["warning"]
            and pairing[place] is not None
            and pairing[place]["to_judge_ms"] is not None
        },
        pairing["warning"],
    )


def _party(pairing: Status, role: str, names: Mapping[str, str]) -> Party:
    state = pairing["states"][role]
    shape, words = STATES.get(state["code"], ("open", state["words"]))
    more = []
    keys = _keys(pairing, role)
    if keys:
        more.append(f"{keys} keys in 10 s")
    if role == "entry" and pairing["oldest_unread"] >= 1:
        more.append(f"oldest unread key {pairing['oldest_unread']:.0f} s")
    delay = pairing["delays"][role]
    if delay is not None and pairing["warning"]:
        more.append(f"{'link' if role == 'entry' else 'console'} {delay} ms")
    name = names.get(pairing[role], "")
    return Party(pairing[role], "" if name == pairing[role] else name, role, shape, words, more)


def _keys(pairing: Status, role: str) -> int:
    sides = [pairing[place] for place in ("left", "right") if pairing[place] is not None]
    if role == "judge":
        return sum(side["keys"]["judge"] for side in sides)
    return sum(side["keys"]["entity"] for side in sides if side["entity"] == pairing[role])
