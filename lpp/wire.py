"""The frames between the server and a seat (a console, a scripted person), as JSON text over
WebSocket.

Each frame is one JSON object with a `type`. Unknown types and fields are refused by name. Key names
are those of the appendix. docs/reference/wire.md explains the exchange. The most important rules:

* A key is identified by its number `n`. A seat numbers its own keys from 1 in each talk. After a
  reconnect it resends all keys that were not `taken`. The server takes each number once.
* The server numbers the keys that it shows from 1 in each talk, too. So a seat that reconnects can
  say by number what it already shows.
* Nothing here tells a judge which side is the human: a talk is identified only by its place.
"""

from __future__ import annotations

from typing import Annotated, Any, Generic, Literal, TypeAlias, TypeVar

import msgspec
from msgspec import Meta

from lpp.errors import UserError

#: Version of the protocol between seats and server; each sends its own, and they must be equal.
VERSION = 1

#: The server refuses longer frames from a seat; in bytes.
FRAME_LIMIT = 64 * 1024
#: The longest frame that a seat must accept, in bytes: a whole talk of about 200,000 keys.
SNAPSHOT_LIMIT = 4 * 1024 * 1024

#: Counts from 0 or from 1: below 2^53, so that every programming language reads them exactly.
Count: TypeAlias = Annotated[int, Meta(ge=0, le=2**53 - 1)]
Number: TypeAlias = Annotated[int, Meta(ge=1, le=2**53 - 1)]
Author: TypeAlias = Literal["judge", "entity"]
#: The pane of a talk: a judge's left or right one, or a confederate's only one.
Place: TypeAlias = Literal["left", "right", "only"]
Role: TypeAlias = Literal["judge", "confederate"]
#: What happens to a pasted text: it is refused, or typed at a person's pace.
Paste: TypeAlias = Literal["refuse", "type"]
Phase: TypeAlias = Literal[
    "before", "waiting", "interaction", "paused", "scoring", "closed", "ranking", "over"
]


class WireError(UserError):
    """A frame that doesn't follow the protocol."""


class Frame(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """The base of all frames; its subclasses declare the fields other than `type`."""


_F = TypeVar("_F")


class Decoder(Generic[_F]):
    """Reads the frames that one end sends.

    Arguments:
        frames: the union of these frames.
        limit: the longest frame, in bytes.
    """

    def __init__(self, frames: Any, limit: int) -> None:
        self._decoder: msgspec.json.Decoder[_F] = msgspec.json.Decoder(frames)
        self._limit = limit

    def __call__(self, text: str | bytes) -> _F:
        """Reads a frame. Raises WireError if it is invalid."""
        # A character has at least one byte, so most long frames are refused before encoding.
        if len(text) <= self._limit:
            raw = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
            if len(raw) <= self._limit:
                try:
                    return self._decoder.decode(raw)
                except (msgspec.DecodeError, UnicodeError, RecursionError) as exc:
                    raise WireError(f"the frame doesn't follow this protocol: {exc}") from exc
        raise WireError(f"the frame has more than {self._limit} bytes")


_encoder = msgspec.json.Encoder()


def encode(frame: Frame) -> str:
    """The JSON text of a frame."""
    return _encoder.encode(frame).decode()


# From a seat


class Hello(Frame, frozen=True, tag="hello"):
    """The first frame, within 10 seconds. `code` is the seat's secret code, `version` that of the
    protocol, `client` the console's name and version for the organizer. With `take_over` this
    console replaces another one at the seat."""

    code: str
    version: int = VERSION
    client: str = ""
    take_over: bool = False


class Press(Frame, frozen=True, tag="press"):
    """A key was pressed. `n` counts the seat's own keys in a talk: 1, 2, 3 … without a gap. A key
    outside the interaction, or of a confederate before the judge's first key that types something,
    is recorded but never shown, so don't send it."""

    round: Count
    attempt: Count
    place: Place
    n: Number
    key: str


class Shown(Frame, frozen=True, tag="shown"):
    """All keys of `author`, the other side, up to number `n` are on the screen. Send it once for
    everything drawn together, after drawing. The server only records it."""

    round: Count
    attempt: Count
    place: Place
    author: Author
    n: Count


class Pasted(Frame, frozen=True, tag="pasted"):
    """A person pasted a text of `characters` characters into a talk, or (`replacement`) a program
    such as a spelling checker or dictation put it in. The server only records it. `paste` of
    `welcome` says what happens to the text; if it is typed, it comes as `press`."""

    round: Count
    attempt: Count
    place: Place
    characters: Count
    how: Literal["paste", "replacement"] = "paste"


class Verdict(Frame, frozen=True, tag="verdict"):
    """The judge decided that the human sat at `human`. `confidence` is 0 (can't tell) to 100
    (sure), or null; `reason` has up to 4,000 characters. A later verdict on the same round is a new
    version."""

    round: Count
    attempt: Count
    human: Literal["left", "right"]
    confidence: int | None = None
    reason: str = ""


class Ranks(Frame, frozen=True, tag="ranks"):
    """A rank for each label of `rank-these`, times two: the first place is 2, the second 4; two
    participants who share them have 3 each. Without ties, each rank is given once. A later ranking
    is a new version."""

    ranks: dict[str, int]


class Consent(Frame, frozen=True, tag="consent"):
    """Whether this person's text may be published, and under which name; with an empty
    `pseudonym`, under the name in `agreement`. A pseudonym has 1 to 40 printable characters and
    neither begins nor ends with a blank. It must not be another person's name, pseudonym or id, or
    read like a side or a label (`left`, `human`, `E1`). The last consent holds for all rounds."""

    publish: bool
    pseudonym: str = ""


class Read(Frame, frozen=True, tag="read"):
    """The judge asks to reread one of their own talks whose round is closed, when no interaction
    is running or paused. The server answers with `past`."""

    round: Count
    attempt: Count
    place: Place


# From the server


class Welcome(Frame, frozen=True, tag="welcome"):
    """The seat's id and role, the contest's name and its number of rounds. Disconnect if
    `version` is not yours. `name` is the person's pseudonym, else the organizer's name for them,
    else the id. `contest_id` differs for each contest: use it as the key for what you store.
    `paste` says whether to refuse pasted text or to type it key by key at a person's pace."""

    seat: str
    role: Role
    contest: str
    rounds: int
    version: int = VERSION
    name: str = ""
    contest_id: str = ""
    paste: Paste = "refuse"


class State(Frame, frozen=True, tag="state"):
    """The phase. When `round` or `attempt` changes, empty the panes; 0 means none. `places` are
    those where this seat has talks in this round. `remaining_ms` are milliseconds of contest time
    left, null for no limit: count down by a monotonic clock, except in `paused`. Trust the
    latest `state`, even if it gives more time. `reason` tells a person why it is paused or ended
    early. `speed` is contest time per real time: 1 in a contest, more in demos and trials
    (`loebner serve --speed`)."""

    phase: Phase
    round: int = 0
    attempt: int = 0
    places: tuple[Place, ...] = ()
    remaining_ms: int | None = None
    reason: str = ""
    speed: float = 1.0


class Talk(Frame, frozen=True, tag="talk"):
    """The whole talk as (author, key) pairs in the order in which they were shown: replace the
    pane's content. `taken` is the highest own number in the record. Keys that are not shown have
    numbers too, so it can exceed the number of own keys in `keys`."""

    round: int
    attempt: int
    place: Place
    keys: list[tuple[Author, str]]
    taken: int = 0


class Key(Frame, frozen=True, tag="key"):
    """A key of the other side: show it at once. `n` counts the shown keys of its author in this
    talk; after a `talk` frame it continues from the number of that author's keys in it."""

    round: int
    attempt: int
    place: Place
    author: Author
    n: int
    key: str


class Taken(Frame, frozen=True, tag="taken"):
    """The seat's own keys of this talk up to number `n` are in the record."""

    round: int
    attempt: int
    place: Place
    n: int


class Saved(Frame, frozen=True, tag="saved"):
    """A verdict, ranking or consent was recorded at `at` (RFC 3339). Tell the person
    "saved" only now; a later change may still be under way. Only the fields of that decision are
    present. With `again` it repeats the last saved version after `welcome`, and is no answer."""

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
    """What is recorded and published, in plain text with an empty line between paragraphs, for
    the person to read before consenting. `name` is the published name of a person without a
    pseudonym."""

    text: str
    name: str = ""


class RankThese(Frame, frozen=True, tag="rank-these"):
    """Rank all of these. Labels mean nothing; each lists the judge's talks under it as (round,
    attempt, place), to be requested by `read`. `ties` says whether ranks may be shared."""

    participants: dict[str, list[tuple[int, int, Place]]]
    ties: bool = True


class Past(Frame, frozen=True, tag="past"):
    """The talk that `read` requested: its shown keys as (milliseconds since the first, author,
    key). A talk too long for one frame is cut."""

    round: int
    attempt: int
    place: Place
    keys: list[tuple[int, Author, str]]


class Refused(Frame, frozen=True, tag="refused"):
    """A frame was not accepted. `code` is stable, `message` is for a person. `answers` is the
    type of the refused frame; it is empty if the message was no frame, or if another console took
    the seat."""

    code: str
    message: str
    answers: str = ""


ToServer: TypeAlias = Hello | Press | Shown | Pasted | Verdict | Ranks | Consent | Read
ToSeat: TypeAlias = (
    Welcome | State | Talk | Key | Taken | Saved | Agreement | RankThese | Past | Refused
)

decode_to_server: Decoder[ToServer] = Decoder(ToServer, FRAME_LIMIT)
decode_to_seat: Decoder[ToSeat] = Decoder(ToSeat, SNAPSHOT_LIMIT)
