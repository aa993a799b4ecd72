"""What a desk without a server has to put on record: notes, in the order in which things happened.

A note says what happened in this package's own terms; whoever keeps the record
(judge_console/desk.py, `Recorder`) brings it into a form. Sides are those of the record, `left`
and `right`: a seat with one talk has it at the left.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from lpp.wire import Author, Role

#: Where an entity sits, in the record.
Side: TypeAlias = Literal["left", "right"]


@dataclass(frozen=True, slots=True)
class Opening:
    """First of all: who sits where.

    Attributes:
        contest: what the session is called.
        role: who sits at this desk.
        sitters: side to the name of its communications directory, without the path.
        human: where the human sits; None where there is none, as in practice with a program.
        seconds: how long the talk is to last; None is without a limit.
        drawn: whether the sides were drawn at random.
        speed: seconds of the desk's clock in a second of the person's.
    """

    contest: str
    role: Role
    sitters: Mapping[Side, str]
    human: Side | None
    seconds: int | None
    drawn: bool = False
    speed: float = 1.0


@dataclass(frozen=True, slots=True)
class LeftOvers:
    """Key presses of an earlier talk: what stood in a directory when it was emptied."""

    side: Side
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Started:
    """The judge begins: the key press that follows is the first."""


@dataclass(frozen=True, slots=True)
class KeyNote:
    """A key press.

    Attributes:
        id: counts all key presses of the desk, from 1.
        author: who pressed it.
        n: its number: a person's count from 1 in each talk, a directory's are its own.
        raw: the directory's whole name; None for the key press of who sits here.
        rules: the rules of the protocol that it breaks.
        out_of_phase: the rule by which it is recorded and not shown.
    """

    id: int
    side: Side
    author: Author
    key: str
    n: int
    raw: str | None = None
    rules: tuple[str, ...] = ()
    out_of_phase: str | None = None


@dataclass(frozen=True, slots=True)
class Times:
    """When keys of a talk were durable, and when they stood before the other side: (id of the
    key, durable, shown or None), in nanoseconds of the desk's clock."""

    side: Side
    rows: tuple[tuple[int, int, int | None], ...]


@dataclass(frozen=True, slots=True)
class Ended:
    """The talk is over, after its time (`time`) or because who sits here ended it (`judge`,
    `confederate`)."""

    reason: str


@dataclass(frozen=True, slots=True)
class VerdictNote:
    """The judge says where the human sat; the highest version counts."""

    human: Side
    version: int
    confidence: int | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Breach:
    """A breach of the protocol that belongs to no key press."""

    side: Side
    rule: str
    name: str
    detail: str


@dataclass(frozen=True, slots=True)
class Trouble:
    """The machine's trouble at a side, in words."""

    side: Side
    what: str


@dataclass(frozen=True, slots=True)
class Closed:
    """Last of all."""


Note: TypeAlias = (
    Opening
    | LeftOvers
    | Started
    | KeyNote
    | Times
    | Ended
    | VerdictNote
    | Breach
    | Trouble
    | Closed
)


@dataclass(frozen=True, slots=True)
class Noted:
    """A note with its time.

    Attributes:
        note: what happened.
        mono_ns: when, in nanoseconds of the desk's clock, which never runs back.
        wall_us: when by the machine's wall clock, in microseconds since 1970 (UTC).
    """

    note: Note
    mono_ns: int
    wall_us: int = 0


def rfc3339(wall_us: int) -> str:
    """A wall time as the record has it: UTC, with microseconds.

    Arguments:
        wall_us: microseconds since 1970.
    """
    moment = dt.datetime(1970, 1, 1) + dt.timedelta(microseconds=wall_us)
    return f"{moment.isoformat(timespec='microseconds')}Z"
