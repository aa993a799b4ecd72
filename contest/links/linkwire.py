"""The frames between the server and a link, such as `loebner link` next to an entry on another
machine, as JSON text over WebSocket.

Each frame is one JSON object; `type` says which kind. Unknown types and fields are refused by name.
docs/reference/link.md explains the exchange. The most important rules:

* The link's frames for the record (keys of the entry, breaches, events of its program) are numbered
  from 1 in each life of the link's process. Frames that are not `taken` are sent again after a
  reconnect, and the server takes each number once.
* If a new life finds a key of the entry still in the directory, the server recognizes it by its
  directory's name.
* The judge's keys are numbered from 1 in each talk of the entry. The link reports the number up to
  which it has made them, and saves that number to its file first.
* No frame tells the entry's machine who the judge is, or on which side the entry sits.
"""

from __future__ import annotations

from typing import Annotated, TypeAlias

from msgspec import Meta

from lpp.keypress import Rule
from lpp.wire import Count, Decoder, Frame, Number, Refused, WireError, encode

__all__ = ["Refused", "WireError", "decode_to_link", "decode_to_server", "encode"]

#: Version of the protocol between link and server; both send theirs, and the two must be equal.
VERSION = 1
#: The maximum number of bytes in a frame; longer frames are refused.
FRAME_LIMIT = 64 * 1024
#: The maximum number of numbered frames that a link may send beyond the last `taken`; more are
#: refused.
WINDOW = 4096
#: How many of these our own link sends, and how many the server writes to the record at a time. The
#: record is written in the order of arrival, and one link's flood must not delay other desks' keys.
UNDER_WAY = 64
#: The maximum number of the judge's keys that the server sends beyond the last `made`.
AHEAD = 1000


# From a link


class Hello(Frame, frozen=True, tag="hello"):
    """The first frame, within 10 seconds. `code` is the entry's secret code, from the organizer.
    `life` is random, and new at each start of the link's process; `next` is the lowest number that
    it will send, after the last one taken. `version` is that of the protocol, `client` the link's
    name and version. The rest is what the link has noted on disk: the `contest` and the `talk` for
    which it emptied the directory last, and how many of that talk's judge keys it has `made`."""

    code: str
    life: str
    next: Number
    version: int = VERSION
    client: str = ""
    contest: str = ""
    talk: Count = 0
    made: Count = 0


class Key(Frame, frozen=True, tag="key"):
    """Numbered. A key of the entry: `raw` is the directory's name, `talk` the talk for which the
    directory was emptied last, `rules` are broken rules beyond those that the name shows."""

    n: Number
    talk: Count
    raw: str
    rules: list[Rule] = []  # noqa: RUF012 -- msgspec copies it


class Breach(Frame, frozen=True, tag="breach"):
    """Numbered. A broken `rule` that concerns no key press, the `name` that shows it, and a
    `detail` in words."""

    n: Number
    rule: Rule
    name: str
    detail: str


class Trouble(Frame, frozen=True, tag="trouble"):
    """Numbered. What is wrong on the entry's machine, such as a full disk."""

    n: Number
    what: str


class InDoubt(Frame, frozen=True, tag="in-doubt"):
    """Numbered. The judge's key number `key` in `talk` is made again; the entry may already have
    read it."""

    n: Number
    talk: Count
    key: Number


class Started(Frame, frozen=True, tag="started"):
    """Numbered. The link has started the entry's program with this `command`."""

    n: Number
    command: list[str]


class Exited(Frame, frozen=True, tag="exited"):
    """Numbered. The entry's program has ended with exit code `code`, negative for a signal."""

    n: Number
    code: Annotated[int, Meta(ge=-(2**31), lt=2**32)]


class LeftOvers(Frame, frozen=True, tag="left-overs"):
    """Numbered. Names in the directory when the link emptied it for `talk`."""

    n: Number
    talk: Count
    names: list[str]


class Prepared(Frame, frozen=True, tag="prepared"):
    """Numbered. The directory is empty; `talk` may begin."""

    n: Number
    talk: Count


class Made(Frame, frozen=True, tag="made"):
    """The judge's keys of `talk` up to number `upto` have been made."""

    talk: Count
    upto: Count


class Gone(Frame, frozen=True, tag="gone"):
    """The directories of all the entry's keys with numbers up to `upto` have been removed."""

    upto: Count


class Standing(Frame, frozen=True, tag="standing"):
    """`count` keys of the judge are unread, the oldest for `oldest_ms` milliseconds. After 5
    seconds the server records this."""

    count: Count
    oldest_ms: Count


class Pong(Frame, frozen=True, tag="pong"):
    """The answer to ping `n`."""

    n: Number


# From the server


class Welcome(Frame, frozen=True, tag="welcome"):
    """The first frame. `entry` is the link's entry, `title` the contest's name, `contest` an
    identifier of this contest of at most 64 characters. All frames up to number `taken` are in the
    record."""

    entry: str
    title: str
    contest: Annotated[str, Meta(max_length=64)]
    taken: Count
    version: int = VERSION


class Prepare(Frame, frozen=True, tag="prepare"):
    """Empty the directory for `talk`, and report what was in it."""

    talk: Number


class Press(Frame, frozen=True, tag="press"):
    """Make key `key`, number `n` of the judge in `talk`, if it is the next one."""

    talk: Number
    n: Number
    key: str


class Taken(Frame, frozen=True, tag="taken"):
    """All numbered frames up to `n` are in the record; the directories of these keys may be
    removed."""

    n: Count


class Restart(Frame, frozen=True, tag="restart"):
    """Restart the entry's program, if the link runs it. Each order has its number `n`. The server
    repeats it after a reconnect until a program is `started`; ignore a number that you have carried
    out."""

    n: Number


class Ping(Frame, frozen=True, tag="ping"):
    """Answer at once with `pong` and the same `n`: the server measures the delay."""

    n: Number


#: Frames for the record, which are numbered.
Report: TypeAlias = Breach | Trouble | InDoubt | Started | Exited
Numbered: TypeAlias = Key | Report | LeftOvers | Prepared
ToServer: TypeAlias = Hello | Numbered | Made | Gone | Standing | Pong
ToLink: TypeAlias = Welcome | Prepare | Press | Taken | Restart | Ping | Refused

decode_to_server: Decoder[ToServer] = Decoder(ToServer, FRAME_LIMIT)
decode_to_link: Decoder[ToLink] = Decoder(ToLink, FRAME_LIMIT)
