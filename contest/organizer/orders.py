"""The organizer's orders, in one table: `orders.toml`, with what carries each out.

`loebner control`, the forms of the board, `contest.organizer.controls`, docs/reference/control.md
and the tests read this table.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta
from msgspec.structs import replace

import scheduler
from contest.errors import BadOrder
from contest.live import decisions
from contest.live.decisions import Decision, Moment
from contest.record.bodies import OrderProposed
from contest.state.model import State
from contest.state.phases import status
from contest.state.schedules import as_rounds

#: Minutes by which an interaction is made longer at once, at most.
MOST_MINUTES = 240
#: Events of the log in one answer at most.
MOST_EVENTS = 5000


def _minutes(text: str) -> float:
    return float(text.replace(",", "."))


def _plan(text: str) -> dict[str, Any]:
    plan = scheduler.read_schedule(text, "The plan")
    if not isinstance(plan, scheduler.Schedule):
        raise BadOrder("The plan: write rounds, such as Round 3 J1E2C3 J2E1C4")
    return as_rounds(plan)


@dataclass(frozen=True, slots=True)
class Kind:
    """What a field holds.

    Attributes:
        type: its type in a document, with its limits.
        wrong: what is said of a value outside of them.
        read: reads it as a person writes it.
    """

    type: Any
    wrong: str
    read: Callable[[str], Any] = str


_A_NUMBER = "write a number such as 5"
_SOME = Meta(pattern=r"\S")
_PAIRING = tuple[str, str, str]
KINDS: Mapping[str, Kind] = {
    "reason": Kind(
        Annotated[str, Meta(max_length=500), _SOME],
        "give a reason of 1 to 500 characters for the record",
    ),
    "name": Kind(
        Annotated[str, Meta(max_length=100), _SOME],
        "the name of the person who takes the seat has 1 to 100 characters",
    ),
    "text": Kind(str, "write a text"),
    "choice": Kind(str, "choose one"),
    "tick": Kind(bool, "this is true or false", bool),
    "minutes": Kind(
        Annotated[float, Meta(gt=0, le=MOST_MINUTES)],
        f"{_A_NUMBER}: minutes must be above 0 and at most {MOST_MINUTES}",
        _minutes,
    ),
    "number": Kind(Annotated[int, Meta(ge=1, le=2**31)], _A_NUMBER, int),
    "round": Kind(Annotated[int, Meta(ge=1, le=1000)], "write the number of a round", int),
    "events": Kind(
        Annotated[int, Meta(ge=1, le=MOST_EVENTS)], f"write a number up to {MOST_EVENTS}", int
    ),
    # Of each round, by its number, the pairings: judge, entry, confederate.
    "plan": Kind(
        dict[Annotated[str, Meta(pattern="^[1-9][0-9]{0,3}$")], list[_PAIRING]],
        "write a line a round, such as Round 3 J1E2C3 J2E1C4",
        _plan,
    ),
}


class Field(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What an order asks for.

    Attributes:
        name: as the document has it; in the table its key, if left out.
        kind: of `KINDS`.
        label: for a person, on the board.
        hint: what helps to fill it in.
        choices: of a choice, the name of the board's list.
        value: what the board fills in to begin with.
        default: what holds where it is left out; None where it must not be.
        option: how it is written at a terminal; empty for a word in its place.
        help: of the option.
        de: what the board says of it in German, by attributes of this class.
    """

    name: str
    kind: str
    label: str = ""
    hint: str = ""
    choices: str = ""
    value: str = ""
    default: bool | int | str | None = None
    option: str = ""
    help: str = ""
    de: dict[str, str] = {}

    def read(self, text: str) -> Any:
        """The value of what a person has written.

        Raises:
            BadOrder: if it is not of its kind; the limits are looked at by `read_order`.
        """
        kind, text = KINDS[self.kind], text.strip()
        if not text and self.default is None:
            raise BadOrder(f"{self.label or self.name}: {kind.wrong}")
        try:
            return kind.read(text)
        except scheduler.SchedulerError as exc:
            raise BadOrder(str(exc)) from None
        except ValueError:
            raise BadOrder(f"{self.label or self.name}: {kind.wrong}, not {text[:40]!r}") from None


class Order(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An order.

    Attributes:
        action: its name.
        does: what it does, for the help of the command, the board and the docs.
        fields: what it asks for.
        done: what is said when it is done; its fields and the `phase` before it are filled in.
        steps: whether it is done only when the contest has gone a step on.
        two: whether it takes two persons where the settings say so, and until when it can be
            confirmed then: in its `moment`, in the same `attempt`, in the same `phase`.
        asks: whether it changes nothing.
        group: with which orders it stands on the board; empty for those that only ask.
        title, button: what it is called there, and what its button says: the action, and the
            title, if left out.
        warning: what is final about it; asked for once more then.
        page: the address of a page that helps with it, and what that page does.
        de: what the board says of it in German, by attributes of this class; `done` has also the
            fields of the answer, and `not_now` stands for all reasons why it can't be given.
    """

    action: str
    does: str
    title: str
    button: str
    fields: tuple[Field, ...] = ()
    done: str = ""
    steps: bool = False
    two: Literal["", "moment", "attempt", "phase"] = ""
    asks: bool = False
    group: str = ""
    warning: str = ""
    page: tuple[str, str] = ("", "")
    not_now: str = ""
    de: dict[str, Any] = {}

    @property
    def decide(self) -> Decision[...] | None:
        """Gives the events that carry it out; None where `contest.organizer.controls` does."""
        return _DECISIONS.get(self.action)

    @property
    def moment(self) -> Moment | None:
        """Says why it can't be given now; None for an order that can be given always."""
        return _MOMENTS.get(self.action) if self.decide is None else self.decide.why_not

    def why_not(self, state: State, now_ns: int) -> str:
        """Why it can't be given now, in words without a full stop; empty if it can. What it names
        may be refused all the same."""
        return "" if self.moment is None else self.moment(state, now_ns)

    def reason_not(self, state: State, now_ns: int) -> str:
        """The same in the language of the order's words."""
        why = self.why_not(state, now_ns)
        return (self.not_now or why) if why else ""


def _with_programs(state: State, _now_ns: int) -> str:
    return "" if state.programs else "the server has not started any program"


def _with_proposals(state: State, _now_ns: int) -> str:
    return "" if state.proposals else "nothing was proposed"


_DECISIONS: Mapping[str, Decision[...]] = {
    "pause": decisions.pause,
    "resume": decisions.resume,
    "extend": decisions.extend,
    "end": decisions.end_interaction,
    "close": decisions.close,
    "again": decisions.again,
    "void": decisions.void,
    "stop": decisions.stop,
    "replace": decisions.replace,
    "swap": decisions.swap,
    "replan": decisions.replan,
    "reveal": decisions.reveal,
    "final": decisions.declare_final,
}
#: The moments of orders that are no single decision.
_MOMENTS: Mapping[str, Moment] = {
    "start": decisions.to_start,
    "restart": _with_programs,
    "confirm": _with_proposals,
    "drop": _with_proposals,
}
_FILE = resources.files("contest.organizer") / "orders.toml"
_TABLE = tomllib.loads(_FILE.read_text(encoding="utf-8"))
_FIELDS = {key: {"name": key, **field} for key, field in _TABLE["field"].items()}
#: The groups of orders on the board; `board.orders` in texts/ has their titles.
GROUPS: Sequence[str] = _TABLE["groups"]


def _order(action: str, row: Mapping[str, Any]) -> Order:
    title = row.get("title", action.capitalize())
    fields = [_FIELDS[key] for key in row.get("fields", ())]
    given = {"action": action, "title": title, "button": title, **row, "fields": fields}
    return msgspec.convert(given, Order)


#: All orders, by their actions.
ORDERS: Mapping[str, Order] = {
    action: _order(action, row) for action, row in _TABLE["order"].items()
}


@cache
def orders_in(language: str) -> Mapping[str, Order]:
    """All orders, with what the board says of them in a language."""
    if language == "en":
        return ORDERS
    return {
        action: replace(order, fields=tuple(replace(f, **f.de) for f in order.fields), **order.de)
        for action, order in ORDERS.items()
    }


def _document(order: Order) -> type[msgspec.Struct]:
    fields = [(each.name, KINDS[each.kind].type, each.default) for each in order.fields]
    return msgspec.defstruct(
        order.action.title(),
        # Those that must not be left out come first.
        sorted([f[:2] if f[2] is None else f for f in fields], key=len),
        forbid_unknown_fields=True,
        frozen=True,
        tag_field="action",
        tag=order.action,
    )


_DOCUMENTS = {action: _document(order) for action, order in ORDERS.items()}


@dataclass(frozen=True, slots=True)
class Given:
    """An order that was given.

    Attributes:
        order: which.
        values: of its fields, as its document has them; those that were left out by their defaults.
    """

    order: Order
    values: Mapping[str, Any]

    @property
    def asks(self) -> bool:
        """Whether it changes nothing."""
        return self.order.asks or (self.order.action == "codes" and not self.values["seat"])


def read_order(text: bytes) -> Given:
    """Reads an order.

    Arguments:
        text: a JSON object with `action` and the fields of that order, in UTF-8.

    Raises:
        BadOrder: if it is not one.
    """
    try:
        return order_of(msgspec.json.decode(text))
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as exc:
        raise BadOrder(f"this is no order: {exc}") from exc


def order_of(document: Any) -> Given:
    """An order of its document, plain as JSON has it.

    Raises:
        BadOrder: if it is not one.
    """
    action = document.get("action") if isinstance(document, dict) else None
    if not isinstance(action, str) or action not in ORDERS:
        raise BadOrder(f"there is no order {str(action)[:40]!r}: {', '.join(ORDERS)}")
    order = ORDERS[action]
    try:
        read = msgspec.convert(document, _DOCUMENTS[action])
    except msgspec.ValidationError as exc:
        wrong = {f"`$.{each.name}`": KINDS[each.kind].wrong for each in order.fields}
        where = str(exc).rpartition(" - at ")[2]
        raise BadOrder(wrong.get(where, f"this is no order: {exc}")) from exc
    return Given(order, msgspec.structs.asdict(read))


def order_of_form(form: Mapping[str, str]) -> Given:
    """The order that a form of the board asks for.

    Arguments:
        form: the fields as sent.

    Raises:
        BadOrder: if there is no such order, or a field is not of its kind.
    """
    order = ORDERS.get(form.get("action", ""))
    if order is None or not order.group:
        raise BadOrder("there is no such order")
    values = {each.name: each.read(form.get(each.name, "")) for each in order.fields}
    return order_of({"action": order.action, **values})


def to_be_confirmed(given: Given) -> str:
    """What has to be said before an order is carried out that can't be undone; empty for nothing.
    A start is asked for once more only where something is lacking."""
    if given.order.action == "start" and not given.values["anyway"]:
        return ""
    return given.order.warning


def is_due(proposal: OrderProposed, state: State, now_ns: int) -> bool:
    """Whether an order that was proposed can still be confirmed: it is its moment, and for some
    orders the attempt, or the phase, in which it was proposed."""
    order = ORDERS.get(str(proposal.order.get("action")))
    now = status(state, now_ns)
    if order is None or order.why_not(state, now_ns):
        return False
    if order.two == "moment":
        return True
    same = (now.round, now.attempt) == (proposal.round, proposal.attempt)
    return same and (order.two == "attempt" or now.phase.value == proposal.phase)


def document_of(given: Given) -> dict[str, Any]:
    """The document of an order: what `order_of` reads."""
    encoded = msgspec.json.encode({"action": given.order.action, **given.values})
    return msgspec.json.decode(encoded, type=dict[str, Any])
