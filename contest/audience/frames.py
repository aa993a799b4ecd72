"""The frames between the server and a viewer, as JSON over WebSocket. docs/reference/spectators.md
explains them.

Nothing here names an entity, and nothing is numbered: a talk is named by round, attempt, judge and
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

#: What was typed, in its order: author and characters; BackSpace is `\\b`, Return `\\n`.
Typed: TypeAlias = list[tuple[Author, str]]

#: Characters from which a message is worth compressing.
LONG = 300
#: Desks that a viewer may name in one frame.
MOST_NAMED = 1000


class _Frame(msgspec.Struct, frozen=True, tag_field="type"):
    pass


class Phase(_Frame, frozen=True, tag="phase"):
    """Where the contest is.

    `phase` is one of the wire's (contest.state.phases.Phase). `now` is the same, but `result` once
    the sides are revealed, and `ended` once the contest is closed; `words` says it in English.
    `remaining_ms` is what is left of the phase, in milliseconds of the contest, null where nothing
    limits it; it runs, `speed` times as fast as the audience's time, if `runs`.
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
    """A judge's desk; `number` counts judges in the order of the settings. One that is `closed` is
    not shown, at the wish of a participant, and has no talks here."""

    number: int
    judge: str
    name: str
    closed: bool
    talks: list[Pane]


class Judge(msgspec.Struct, frozen=True):
    """A judge, by id and by the name to show; the id where there is none to show."""

    id: str
    name: str


class Whole(_Frame, frozen=True, tag="whole"):
    """All that there is to see, except what was typed: it takes the place of all before.

    `plan` is who judges in each round, `last` the last round that is played: one before the end of
    the plan if the organizer stopped the contest. `outcome` is HTML of what is revealed, empty
    before.
    """

    phase: Phase
    desks: list[Desk]
    plan: list[list[Judge]]
    last: int
    outcome: str
    archive: bool


class Talks(_Frame, frozen=True, tag="talks"):
    """All that was typed so far in some talks: it takes the place of what is there."""

    talks: Mapping[str, Typed]


class Keys(_Frame, frozen=True, tag="keys"):
    """What was typed since: talk to what is added there."""

    talks: Mapping[str, Typed]


Frame: TypeAlias = Whole | Phase | Talks | Keys


class Follow(_Frame, frozen=True, tag="follow", forbid_unknown_fields=True):
    """From a viewer: the judges whose desks are wanted from now on; null for all."""

    desks: Annotated[list[str], msgspec.Meta(max_length=MOST_NAMED)] | None


class Message:
    """A frame as it is sent: encoded once, and compressed once, for all viewers who get it.

    Arguments:
        text: the frame's JSON.
    """

    __slots__ = ("_packed", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self._packed: bytes | None = None

    @property
    def packed(self) -> bytes | None:
        """The text as raw deflate (RFC 1951); None for one that is too short to gain by it."""
        if self._packed is None and len(self.text) >= LONG:
            self._packed = zlib.compress(self.text.encode(), level=1, wbits=-zlib.MAX_WBITS)
        return self._packed


#: A sign of life when there is nothing to say.
NOTHING = Message("{}")


def typed(keys: Iterable[tuple[Author, str]]) -> Typed:
    """What keys type, the characters of one author in a row together.

    Arguments:
        keys: (author, key name), as `contest.state.model.Talk.shown` has them.
    """
    return [
        (author, "".join(char_of(key) or "" for _, key in run))
        for author, run in groupby(keys, lambda key: key[0])
    ]


_encoder = msgspec.json.Encoder()
_decoder = msgspec.json.Decoder(Follow)


def encode(frame: Frame) -> Message:
    """A frame as it is sent."""
    return Message(_encoder.encode(frame).decode())


def decode(text: str) -> Follow:
    """A viewer's frame.

    Raises:
        WireError: if it is not one.
    """
    try:
        return _decoder.decode(text)
    except msgspec.DecodeError as exc:
        raise WireError(f"this is not a frame of a viewer: {exc}") from None
