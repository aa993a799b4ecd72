"""The frames between the server and a viewer, as JSON over WebSocket. docs/reference/spectators.md
explains them.

Nothing here names an entity, and keys have no numbers: a talk is named by round, attempt, judge and
side, and a key is only the character that it types.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Mapping
from itertools import groupby
from typing import Annotated, TypeAlias

import msgspec

from contest.record.bodies import Author, Place
from lpp.names import char_of
from lpp.wire import WireError

#: Typed text, in order: author and characters; BackSpace is `\\b`, Return `\\n`.
Typed: TypeAlias = list[tuple[Author, str]]

#: Messages of at least this many characters are compressed.
LONG = 300
#: The maximum number of desks that a viewer can name in one frame.
MOST_NAMED = 1000


class _Frame(msgspec.Struct, frozen=True, tag_field="type"):
    pass


class Phase(_Frame, frozen=True, tag="phase"):
    """The phase. It is sent when the phase or its end changes.

    `phase` is as in the seats' `state`. `now` is the same, but `result` once the sides are
    revealed, and `ended` once the contest is closed; `words` says it in English. A page in another
    language makes its own words from `now`, `round`, `attempt` and the length of `plan`.
    `remaining_ms` are milliseconds of contest time left, or null; if the clock `runs`, they pass
    `speed` times as fast as real time.
    """

    phase: str
    now: str
    round: int
    attempt: int
    words: str
    remaining_ms: int | None
    runs: bool
    speed: float


class Pane(msgspec.Struct, frozen=True):
    """One side of a desk: the talk there."""

    id: str
    side: Place


class Desk(msgspec.Struct, frozen=True):
    """A judge's desk; `number` counts judges in the order of the settings. A desk is `closed`, and
    has no talks, if a person there withholds their text."""

    number: int
    judge: str
    name: str
    closed: bool
    talks: list[Pane]


class Judge(msgspec.Struct, frozen=True):
    """A judge's id, and the name to show, which may be the id."""

    id: str
    name: str


class Whole(_Frame, frozen=True, tag="whole"):
    """Everything except the typed text. It is sent first, and again whenever something other than
    the phase and the typed text changes. It replaces everything sent before.

    `desks` are those of the last round that began. `plan` has the judges of each round. `last` is
    the last round that is played: earlier than the end of the plan if the organizer stopped the
    contest. `outcome` is the revealed result as HTML, in English (with `&lang=de`, in German), with
    all names escaped. `archive` says whether `/archive/` is open.
    """

    phase: Phase
    desks: list[Desk]
    plan: list[list[Judge]]
    last: int
    outcome: str
    archive: bool


class Talks(_Frame, frozen=True, tag="talks"):
    """The text typed so far in the talks of a newly followed desk; for a long talk, that of the
    first 2,500 keys. It replaces the text shown there; `keys` frames add the rest."""

    talks: Mapping[str, Typed]


class Keys(_Frame, frozen=True, tag="keys"):
    """More typed text, to be appended to each talk: it follows the text of the `talks` and `keys`
    frames sent before."""

    talks: Mapping[str, Typed]


Frame: TypeAlias = Whole | Phase | Talks | Keys


class Follow(_Frame, frozen=True, tag="follow", forbid_unknown_fields=True):
    """From a viewer: the ids of the judges whose desks it wants from now on, or null for all."""

    desks: Annotated[list[str], msgspec.Meta(max_length=MOST_NAMED)] | None


class Message:
    """An encoded frame; encoded and compressed only once for all viewers who get it.

    Arguments:
        text: the frame's JSON.
    """

    __slots__ = ("_packed", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self._packed: bytes | None = None

    @property
    def packed(self) -> bytes | None:
        """The text as raw deflate (RFC 1951); None if it is too short to benefit."""
        if self._packed is None and len(self.text) >= LONG:
            self._packed = zlib.compress(self.text.encode(), level=1, wbits=-zlib.MAX_WBITS)
        return self._packed


#: Sent regularly when there is nothing else to send.
HEARTBEAT = Message("{}")


def typed(keys: Iterable[tuple[Author, str]]) -> Typed:
    """The text that keys type, with consecutive characters of one author joined.

    Arguments:
        keys: (author, key name), as in `contest.state.model.Talk.shown`.
    """
    return [
        (author, "".join(char_of(key) or "" for _, key in run))
        for author, run in groupby(keys, lambda key: key[0])
    ]


_encoder = msgspec.json.Encoder()
_decoder = msgspec.json.Decoder(Follow)


def encode(frame: Frame) -> Message:
    """Encodes a frame."""
    return Message(_encoder.encode(frame).decode())


def decode(text: str) -> Follow:
    """Decodes a viewer's frame.

    Raises:
        WireError: if it is not one.
    """
    try:
        return _decoder.decode(text)
    except msgspec.DecodeError as exc:
        raise WireError(f"this is not a frame of a viewer: {exc}") from None
