"""The organizer's orders, as documents: what can be asked for, and in which form.

docs/reference/control.md explains them to people outside; `contest.organizer.controls` carries them
out.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Annotated, Any, TypeAlias

import msgspec

from contest.errors import BadOrder

Reason: TypeAlias = Annotated[str, msgspec.Meta(min_length=1, max_length=500)]
#: A person's name, as a page can hold it.
Name: TypeAlias = Annotated[str, msgspec.Meta(min_length=1, max_length=100)]
#: The number of an order that was proposed.
Number: TypeAlias = Annotated[int, msgspec.Meta(ge=1, le=2**31)]
#: The number of a round, as JSON has it in the place of a key.
RoundKey: TypeAlias = Annotated[str, msgspec.Meta(pattern="^[1-9][0-9]{0,3}$")]
#: Minutes by which an interaction is made longer at once, at most.
MOST_MINUTES = 240
#: Events of the log in one answer at most.
MOST_EVENTS = 5000


class _Order(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="action"):
    pass


class Status(_Order, frozen=True, tag="status"):
    """Where is the contest?"""


class Check(_Order, frozen=True, tag="check"):
    """Can the next round begin?"""


class Tally(_Order, frozen=True, tag="tally"):
    """What are the results as far as they go?"""


class Log(_Order, frozen=True, tag="log"):
    """What has happened? The `last` events but key presses, of one `kind` or about `who`."""

    kind: str = ""
    who: str = ""
    last: Annotated[int, msgspec.Meta(ge=1, le=MOST_EVENTS)] = 50


class Start(_Order, frozen=True, tag="start"):
    """Start the next round, or the ranking; `anyway`, even if not all is ready."""

    anyway: bool = False


class Pause(_Order, frozen=True, tag="pause"):
    """Stop the clock."""

    reason: Reason


class Resume(_Order, frozen=True, tag="resume"):
    """Let the clock run again."""


class Extend(_Order, frozen=True, tag="extend"):
    """Give the interaction more time."""

    minutes: Annotated[float, msgspec.Meta(gt=0, le=MOST_MINUTES)]
    reason: Reason


class End(_Order, frozen=True, tag="end"):
    """End the interaction before its time."""

    reason: Reason


class Close(_Order, frozen=True, tag="close"):
    """Close the scoring, or the ranking, before its time."""

    reason: Reason


class Again(_Order, frozen=True, tag="again"):
    """Have the running or the last round played again."""

    reason: Reason


class Void(_Order, frozen=True, tag="void"):
    """Take a talk, an attempt, or the ballot of a judge, out of the count."""

    what: str
    reason: Reason


class Stop(_Order, frozen=True, tag="stop"):
    """No more rounds after this one."""

    reason: Reason


class Restart(_Order, frozen=True, tag="restart"):
    """End an entry's program and start it anew."""

    entry: str
    reason: Reason


class Replace(_Order, frozen=True, tag="replace"):
    """Another person takes a seat."""

    seat: str
    name: Name
    reason: Reason


class Swap(_Order, frozen=True, tag="swap"):
    """Two judges, or two confederates, change their desks in a round to come; `later`, also in all
    rounds after it."""

    round: Annotated[int, msgspec.Meta(ge=1, le=1000)]
    one: str
    other: str
    reason: Reason
    later: bool = False


class Replan(_Order, frozen=True, tag="replan"):
    """Another plan for all rounds to come: round to its pairings, of each pairing judge, entry and
    confederate."""

    rounds: dict[RoundKey, list[tuple[str, str, str]]]
    reason: Reason


class Codes(_Order, frozen=True, tag="codes"):
    """Make a new code for a seat, a link, `organizer` or `witness`; for nobody: which of them have
    been used?"""

    seat: str = ""


class Reveal(_Order, frozen=True, tag="reveal"):
    """Show the public the next step of the result; `everything`, all that are left."""

    everything: bool = False


class Final(_Order, frozen=True, tag="final"):
    """Declare the result final and close the contest; `anyway`, even if something is open."""

    reason: Reason
    anyway: bool = False


class Confirm(_Order, frozen=True, tag="confirm"):
    """Confirm what the other of two persons has proposed: it is carried out."""

    number: Number


class Drop(_Order, frozen=True, tag="drop"):
    """Drop what one of two persons has proposed."""

    number: Number


Order: TypeAlias = (
    Status
    | Check
    | Tally
    | Log
    | Start
    | Pause
    | Resume
    | Extend
    | End
    | Close
    | Again
    | Void
    | Stop
    | Restart
    | Replace
    | Swap
    | Replan
    | Codes
    | Reveal
    | Final
    | Confirm
    | Drop
)

#: What has to stand in a field that is not as it has to be: by the end of msgspec's own words.
_FIELDS = {
    "$.reason": "a reason has 1 to 500 characters: it goes on record",
    "$.name": "the name of the person who takes the seat has 1 to 100 characters",
    "$.minutes": f"minutes are a number above 0, {MOST_MINUTES} at most",
}

#: What changes results, and takes two persons where the settings require them.
FOR_TWO = (Void, Again, End, Close, Stop, Replace, Swap, Replan, Final)


def read_order(text: bytes) -> Order:
    """Reads an order.

    Arguments:
        text: a JSON object with `action` and what belongs to it, in UTF-8.

    Raises:
        BadOrder: if it is none.
    """
    try:
        order: Order = msgspec.json.decode(text, type=Order)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as exc:
        field = str(exc).rpartition(" - at ")[2].strip("`")
        raise BadOrder(_FIELDS.get(field, f"this is no order: {exc}")) from exc
    if not getattr(order, "reason", "-").strip():
        raise BadOrder("give a reason: it goes on record")
    if not getattr(order, "name", "-").strip():
        raise BadOrder("give the name of the person who takes the seat")
    return order


def document(order: Order) -> dict[str, Any]:
    """An order as the document that `read_order` reads."""
    plain: dict[str, Any] = msgspec.to_builtins(order)
    return plain


def again(plain: Mapping[str, Any]) -> Order:
    """Reads the document of an order that was kept.

    Raises:
        BadOrder: if it is none.
    """
    return read_order(json.dumps(plain).encode())
