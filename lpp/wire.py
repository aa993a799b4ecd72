"""The frames between the server and a seat (a console, a scripted person), as JSON text over
WebSocket.

Each frame is one JSON object; `type` says which. Unknown types and unknown fields are refused by
name. Key names are the appendix's. docs/reference/wire.md explains the exchange; the rules that
matter most:

* the number `n` of a key is its identity. A seat numbers its own keys from 1 in each talk,
  resends after a reconnect whatever was not `taken`, and the server takes each number once;
* the server numbers what it shows in each talk from 1 too, so that a seat that comes back says
  where it stopped by what it shows;
* nothing here tells a judge which side is the human: a talk is named by its place only.
"""

from __future__ import annotations

from typing import Annotated, Any, Generic, Literal, TypeAlias, TypeVar

import msgspec
from msgspec import Meta

from lpp.errors import YoursToFix

#: Version of the protocol between seats and server; both say theirs, and must agree.
VERSION = 1

#: A frame from a seat that is longer than this is refused, in bytes.
FRAME_LIMIT = 64 * 1024
#: What a seat must be able to take: a talk of some 200,000 keys at once, in bytes.
SNAPSHOT_LIMIT = 4 * 1024 * 1024

#: What is counted, from 0 or from 1: within 2^53, so that every language reads it alike.
Count: TypeAlias = Annotated[int, Meta(ge=0, le=2**53 - 1)]
Number: TypeAlias = Annotated[int, Meta(ge=1, le=2**53 - 1)]
Author: TypeAlias = Literal["judge", "entity"]
#: Where a talk stands: a judge's left or right pane; a confederate has but one.
Place: TypeAlias = Literal["left", "right", "only"]
Role: TypeAlias = Literal["judge", "confederate"]
#: What a pasted text becomes: nothing, or key presses at a person's pace.
Paste: TypeAlias = Literal["refuse", "type"]
Phase: TypeAlias = Literal[
    "before", "waiting", "interaction", "paused", "scoring", "closed", "ranking", "over"
]


class WireError(YoursToFix):
    """A frame that is not of the protocol."""


class Frame(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A frame: its fields, beside `type`."""


_F = TypeVar("_F")


class Decoder(Generic[_F]):
    """Reads frames from one end.

    Arguments:
        frames: the union of the frames that this end sends.
        limit: the longest frame, in bytes.
    """

    def __init__(self, frames: Any, limit: int) -> None:
        self._decoder: msgspec.json.Decoder[_F] = msgspec.json.Decoder(frames)
        self._limit = limit

    def __call__(self, text: str | bytes) -> _F:
        """Reads a frame. Raises WireError if it is not one."""
        # A character is a byte at least, so most that is too long is refused before it is encoded.
        if len(text) <= self._limit:
            raw = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
            if len(raw) <= self._limit:
                try:
                    return self._decoder.decode(raw)
                except (msgspec.DecodeError, UnicodeError, RecursionError) as exc:
                    raise WireError(f"the frame is not one of this protocol: {exc}") from exc
        raise WireError(f"the frame has more than {self._limit} bytes")


_encoder = msgspec.json.Encoder()


def encode(frame: Frame) -> str:
    """The JSON text of a frame."""
    return _encoder.encode(frame).decode()


class Hello(Frame, frozen=True, tag="hello"):
    """Seat to server, first: which seat, by its secret code."""

    code: str
    version: int = VERSION
    client: str = ""
    take_over: bool = False


class Press(Frame, frozen=True, tag="press"):
    """Seat to server: a key was pressed; `n` counts from 1 in each talk."""

    round: Count
    attempt: Count
    place: Place
    n: Number
    key: str


class Shown(Frame, frozen=True, tag="shown"):
    """Seat to server: all keys of this talk up to number `n` of `author` stand on the screen."""

    round: Count
    attempt: Count
    place: Place
    author: Author
    n: Count


class Pasted(Frame, frozen=True, tag="pasted"):
    """Seat to server: text was pasted into this talk, or put in by a program (`replacement`), of so
    many characters. It is counted on record; what becomes of it is the settings' (`Welcome.paste`),
    and comes as key presses."""

    round: Count
    attempt: Count
    place: Place
    characters: Count
    how: Literal["paste", "replacement"] = "paste"


class Verdict(Frame, frozen=True, tag="verdict"):
    """Judge to server: the human sat at `human`. A later one is a new version."""

    round: Count
    attempt: Count
    human: Literal["left", "right"]
    confidence: int | None = None
    reason: str = ""


class Ranks(Frame, frozen=True, tag="ranks"):
    """Judge to server: label to rank in half steps times two (2 = first, 3 = one and a half)."""

    ranks: dict[str, int]


class Consent(Frame, frozen=True, tag="consent"):
    """Seat to server: whether what this person types may be published, and under which name
    (empty: the name that the organizer has set). A later one is a new version."""

    publish: bool
    pseudonym: str = ""


class Read(Frame, frozen=True, tag="read"):
    """Judge to server: let me read one of my earlier talks again; `past` answers."""

    round: Count
    attempt: Count
    place: Place


class Welcome(Frame, frozen=True, tag="welcome"):
    """Server to seat, first: who sits here. `contest_id` is another one for each contest that is
    held, whatever it is called."""

    seat: str
    role: Role
    contest: str
    rounds: int
    version: int = VERSION
    name: str = ""
    contest_id: str = ""
    paste: Paste = "refuse"


class State(Frame, frozen=True, tag="state"):
    """Server to seat: the phase, and the milliseconds that it has left (None: no limit)."""

    phase: Phase
    round: int = 0
    attempt: int = 0
    places: tuple[Place, ...] = ()
    remaining_ms: int | None = None
    reason: str = ""
    speed: float = 1.0


class Talk(Frame, frozen=True, tag="talk"):
    """Server to seat: all that is in a talk so far; `keys` are (author, key name) in the order of
    showing. `taken` is the highest own number that is durable."""

    round: int
    attempt: int
    place: Place
    keys: list[tuple[Author, str]]
    taken: int = 0


class Key(Frame, frozen=True, tag="key"):
    """Server to seat: the other side's key, number `n` of its author in this talk."""

    round: int
    attempt: int
    place: Place
    author: Author
    n: int
    key: str


class Taken(Frame, frozen=True, tag="taken"):
    """Server to seat: own keys of this talk up to number `n` are durable."""

    round: int
    attempt: int
    place: Place
    n: int


class Saved(Frame, frozen=True, tag="saved"):
    """Server to seat: a verdict, ranking or consent is durable, since `at` (RFC 3339), and this is
    what it says. A console that comes back is told the last one `again`; that answers nothing."""

    what: Literal["verdict", "ranking", "consent"]
    version: int
    at: str
    round: int = 0
    attempt: int = 0
    human: Literal["left", "right"] | None = None
    confidence: int | None = None
    reason: str = ""
    ranks: dict[str, int] | None = None
    publish: bool | None = None
    pseudonym: str = ""
    again: bool = False


class Agreement(Frame, frozen=True, tag="agreement"):
    """Server to seat: what is recorded and published, for this person to read and answer by
    `consent`. `name` is how the pages call a person who chooses no pseudonym."""

    text: str
    name: str = ""


class RankThese(Frame, frozen=True, tag="rank-these"):
    """Server to judge: rank all of these; label to the talks met under it, as (round, attempt,
    place). `ties`: whether two may share a place."""

    participants: dict[str, list[tuple[int, int, Place]]]
    ties: bool = True


class Past(Frame, frozen=True, tag="past"):
    """Server to judge: an earlier talk, as (milliseconds since its first key, author, key name)
    in the order of showing."""

    round: int
    attempt: int
    place: Place
    keys: list[tuple[int, Author, str]]


class Refused(Frame, frozen=True, tag="refused"):
    """Server to seat: a frame was not accepted. `code` is stable, `message` is for a person;
    `answers` is the type of the frame that was refused, empty where it belongs to none."""

    code: str
    message: str
    answers: str = ""


ToServer: TypeAlias = Hello | Press | Shown | Pasted | Verdict | Ranks | Consent | Read
ToSeat: TypeAlias = (
    Welcome | State | Talk | Key | Taken | Saved | Agreement | RankThese | Past | Refused
)

decode_to_server: Decoder[ToServer] = Decoder(ToServer, FRAME_LIMIT)
decode_to_seat: Decoder[ToSeat] = Decoder(ToSeat, SNAPSHOT_LIMIT)
