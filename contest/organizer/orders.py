"""The organizer's orders: the table `orders.toml`, and the decision that carries out each order.

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
from contest.live.decisions import Decision, WhyNot
from contest.record.bodies import OrderProposed
from contest.state.model import State
from contest.state.phases import status
from contest.state.schedules import as_rounds
from texts import Sentence

#: The maximum number of minutes by which one order can extend an interaction.
MOST_MINUTES = 240
#: The maximum number of events of the log in one answer.
MOST_EVENTS = 5000


def _minutes(text: str) -> float:
    return float(text.replace(",", "."))


def _plan(text: str) -> dict[str, Any]:
    plan = scheduler.read_schedule(text, "")
    if not isinstance(plan, scheduler.Schedule):
        raise ValueError("a matrix has no rounds")
    return as_rounds(plan)


@dataclass(frozen=True, slots=True)
class Kind:
    """The kind of a field.

    Attributes:
        type: its type in a document, with its limits.
        wrong: the message for any other value.
        read: reads a value that a person has typed.
    """

    type: Any
    wrong: Sentence
    read: Callable[[str], Any] = str


_SOME = Meta(pattern=r"\S")
_PAIRING = tuple[str, str, str]
KINDS: Mapping[str, Kind] = {
    "reason": Kind(
        Annotated[str, Meta(max_length=500), _SOME],
        Sentence("board.wrong.reason"),
    ),
    "name": Kind(
        Annotated[str, Meta(max_length=100), _SOME],
        Sentence("board.wrong.name"),
    ),
    "text": Kind(str, Sentence("board.wrong.text")),
    "choice": Kind(str, Sentence("board.wrong.choice")),
    "tick": Kind(bool, Sentence("board.wrong.tick"), bool),
    "minutes": Kind(
        Annotated[float, Meta(gt=0, le=MOST_MINUTES)],
        Sentence("board.wrong.minutes", most=MOST_MINUTES),
        _minutes,
    ),
    "number": Kind(Annotated[int, Meta(ge=1, le=2**31)], Sentence("board.wrong.number"), int),
    "round": Kind(Annotated[int, Meta(ge=1, le=1000)], Sentence("board.wrong.round"), int),
    "events": Kind(
        Annotated[int, Meta(ge=1, le=MOST_EVENTS)],
        Sentence("board.wrong.events", most=MOST_EVENTS),
        int,
    ),
    # Round to its pairings: judge, entry, confederate.
    "plan": Kind(
        dict[Annotated[str, Meta(pattern="^[1-9][0-9]{0,3}$")], list[_PAIRING]],
        Sentence("board.wrong.plan"),
        _plan,
    ),
}


class Field(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A field of an order.

    Attributes:
        name: its name in the document; by default its key in the table.
        kind: one of `KINDS`.
        label: its label on the board.
        hint: help for filling it in.
        choices: for a choice, the name of the board's list.
        value: the value that the board fills in at first.
        default: the value if it is left out; None if it is required.
        option: the option at a terminal; empty for a positional argument.
        help: the option's help text.
        de: the German texts for the board, by attributes of this class.
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
        """Reads what a person has typed.

        Raises:
            BadOrder: if it is not of its kind; `read_order` checks the limits.
        """
        kind, text, name = KINDS[self.kind], text.strip(), self.label or self.name
        if not text and self.default is None:
            raise BadOrder(Sentence("board.refused.field", field=name, wrong=kind.wrong))
        try:
            return kind.read(text)
        except scheduler.SchedulerError as exc:
            wrong = Sentence("board.refused.field", field=name, wrong=exc.args[0])
            raise BadOrder(wrong) from None
        except ValueError:
            given = {"wrong": kind.wrong, "given": repr(text[:40])}
            raise BadOrder(Sentence("board.refused.not", field=name, **given)) from None


class Order(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An order.

    Attributes:
        action: its name.
        does: what it does, for the command's help, the board and the docs.
        fields: its fields.
        done: the message when it is done; its fields and the `phase` before it are filled in.
        steps: whether it is complete only once the contest has moved to its next phase.
        two: for an order that needs two persons if the settings say so, how long it can be
            confirmed: whenever it is possible (`moment`), during the same `attempt`, or during the
            same `phase`.
        is_query: whether it changes nothing.
        group: its group on the board; empty for queries.
        title, button: its title and its button on the board; by default the action, and the title.
        warning: its irreversible consequence; with a warning, the board asks for confirmation.
        page: the address of a page that helps with it, and that page's purpose.
        de: the German texts for the board, by attributes of this class; `done` may use the answer's
            fields, too.
    """

    action: str
    does: str
    title: str
    button: str
    fields: tuple[Field, ...] = ()
    done: str = ""
    steps: bool = False
    two: Literal["", "moment", "attempt", "phase"] = ""
    is_query: bool = False
    group: str = ""
    warning: str = ""
    page: tuple[str, str] = ("", "")
    de: dict[str, Any] = {}

    @property
    def decide(self) -> Decision[...] | None:
        """Makes the events that carry it out; None if `contest.organizer.controls` does."""
        return _DECISIONS.get(self.action)

    @property
    def moment(self) -> WhyNot | None:
        """Says why it can't be given now; None for an order that can always be given."""
        return _MOMENTS.get(self.action) if self.decide is None else self.decide.why_not

    def why_not(self, state: State, now_ns: int) -> str:
        """Why it can't be given now, in words without a full stop; empty if it can. Its values may
        still be refused."""
        return "" if self.moment is None else self.moment(state, now_ns)


def _with_programs(state: State, _now_ns: int) -> str:
    return "" if state.programs else Sentence("board.not_now.programs")


def _with_proposals(state: State, _now_ns: int) -> str:
    return "" if state.proposals else Sentence("board.not_now.proposals")


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
#: The moments of orders that are more than a single decision.
_MOMENTS: Mapping[str, WhyNot] = {
    "start": decisions.why_not_start,
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
    """All orders, with the board's texts in a language."""
    if language == "en":
        return ORDERS
    return {
        action: replace(order, fields=tuple(replace(f, **f.de) for f in order.fields), **order.de)
        for action, order in ORDERS.items()
    }


def _document(order: Order) -> type[msgspec.Struct]:
    fields = [(each.name, KINDS[each.kind].type, each.default) for each in order.fields]
    document = msgspec.defstruct(
        order.action.title(),
        # Required fields come first.
        sorted([f[:2] if f[2] is None else f for f in fields], key=len),
        forbid_unknown_fields=True,
        frozen=True,
        tag_field="action",
        tag=order.action,
    )
    # Now, because msgspec crashes if two threads use a struct for the first time at once; see
    # `contest.record.events.kinds_in`.
    msgspec.json.Decoder(document)
    return document


_DOCUMENTS = {action: _document(order) for action, order in ORDERS.items()}


@dataclass(frozen=True, slots=True)
class Given:
    """An order that was given.

    Attributes:
        order: the order.
        values: field to value, as in its document, with the defaults of omitted fields.
    """

    order: Order
    values: Mapping[str, Any]

    @property
    def is_query(self) -> bool:
        """Whether it changes nothing."""
        return self.order.is_query or (self.order.action == "codes" and not self.values["seat"])


def read_order(text: bytes) -> Given:
    """Reads an order.

    Arguments:
        text: a JSON object with `action` and the fields of that order, in UTF-8.

    Raises:
        BadOrder: if it is not an order.
    """
    try:
        return order_of(msgspec.json.decode(text))
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as exc:
        raise BadOrder(f"this is not an order: {exc}") from exc


def order_of(document: Any) -> Given:
    """Converts an order's document, as decoded from JSON.

    Raises:
        BadOrder: if it is not an order.
    """
    action = document.get("action") if isinstance(document, dict) else None
    if not isinstance(action, str) or action not in ORDERS:
        raise BadOrder(
            f"there is no order {str(action)[:40]!r}; the orders are {', '.join(ORDERS)}"
        )
    order = ORDERS[action]
    try:
        read = msgspec.convert(document, _DOCUMENTS[action])
    except msgspec.ValidationError as exc:
        wrong = {f"`$.{each.name}`": KINDS[each.kind].wrong for each in order.fields}
        where = str(exc).rpartition(" - at ")[2]
        raise BadOrder(wrong.get(where, f"this is not an order: {exc}")) from exc
    return Given(order, msgspec.structs.asdict(read))


def order_of_form(form: Mapping[str, str], language: str = "en") -> Given:
    """Reads an order from a form of the board.

    Arguments:
        form: the fields as sent.
        language: the language of labels in refusals.

    Raises:
        BadOrder: if there is no such order, or a field is not of its kind.
    """
    order = orders_in(language).get(form.get("action", ""))
    if order is None or not order.group:
        raise BadOrder(Sentence("board.refused.no_order"))
    values = {each.name: each.read(form.get(each.name, "")) for each in order.fields}
    return order_of({"action": order.action, **values})


def confirmation_warning(given: Given) -> str:
    """The warning to confirm before an irreversible order is carried out; empty if none is needed.
    A start needs confirmation only if something is missing."""
    if given.order.action == "start" and not given.values["anyway"]:
        return ""
    return given.order.warning


def is_due(proposal: OrderProposed, state: State, now_ns: int) -> bool:
    """Whether a proposed order can still be confirmed: it is possible now and, for some orders, the
    attempt or the phase is the one in which it was proposed."""
    order = ORDERS.get(str(proposal.order.get("action")))
    now = status(state, now_ns)
    if order is None or order.why_not(state, now_ns):
        return False
    if order.two == "moment":
        return True
    same = (now.round, now.attempt) == (proposal.round, proposal.attempt)
    return same and (order.two == "attempt" or now.phase.value == proposal.phase)


def document_of(given: Given) -> dict[str, Any]:
    """The document of an order, which `order_of` reads."""
    encoded = msgspec.json.encode({"action": given.order.action, **given.values})
    return msgspec.json.decode(encoded, type=dict[str, Any])
