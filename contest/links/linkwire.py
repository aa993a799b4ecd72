"""The frames between the server and `loebner link`, which runs beside an entry on another machine,
as JSON text over WebSocket.

Each frame is one JSON object; `type` says which. Unknown types and unknown fields are refused by
name. docs/reference/link.md explains the exchange; the rules that matter most:

* whatever the link has to tell for the record (a key of the entry, a breach, how its program does)
  is numbered from 1 in each life of the link's process; what is not `taken` is sent again after a
  reconnect, and the server takes each number once;
* an entry's key that a new life finds still standing is known again by its directory's name;
* the judge's keys are numbered from 1 in each talk of the entry; the link says up to which it has
  made them, and has that on file before it says so;
* nothing here tells the entry's machine who the judge is, or on which side the entry sits.
"""

from __future__ import annotations

from typing import Annotated, TypeAlias

from msgspec import Meta

from lpp.keypress import Rule
from lpp.wire import Count, Decoder, Frame, Number, Refused, WireError, encode

__all__ = ["Refused", "WireError", "decode_to_link", "decode_to_server", "encode"]

#: Version of the protocol between link and server; both say theirs, and must agree.
VERSION = 1
#: A frame that is longer than this is refused, in bytes.
FRAME_LIMIT = 64 * 1024
#: Numbered frames that a link sends beyond the last `taken` at most; more is refused.
WINDOW = 4096
#: How many of them our own link sends, and how many the server writes to the record at a time. The
#: record is written in the order of arrival: a flood must not come before other desks' keys.
UNDER_WAY = 64
#: Keys of the judge that the server sends beyond the last `made` at most.
AHEAD = 1000


class Hello(Frame, frozen=True, tag="hello"):
    """Link to server, first: which entry, by its secret code.

    `life` is drawn whenever the link's process starts; `next` is the lowest number that it
    will send. `contest`, `talk` and `made` are what it has on file: for which talk of which contest
    the directory was emptied last, and how many of that talk's keys of the judge were made.
    """

    code: str
    life: str
    next: Number
    version: int = VERSION
    client: str = ""
    contest: str = ""
    talk: Count = 0
    made: Count = 0


class Key(Frame, frozen=True, tag="key"):
    """Link to server, numbered: a key of the entry. `raw` is its directory's name, `talk` the one
    for which the directory was emptied last, `rules` what its coming breaks."""

    n: Number
    talk: Count
    raw: str
    rules: list[Rule] = []  # noqa: RUF012 -- msgspec copies it


class Breach(Frame, frozen=True, tag="breach"):
    """Link to server, numbered: a breach of the protocol that belongs to no key press."""

    n: Number
    rule: Rule
    name: str
    detail: str


class Trouble(Frame, frozen=True, tag="trouble"):
    """Link to server, numbered: the entry's machine is in trouble: disk full, directory gone."""

    n: Number
    what: str


class InDoubt(Frame, frozen=True, tag="in-doubt"):
    """Link to server, numbered: the link's last life ended while it made key `key` of the judge in
    this talk, and whether it did can't be known; the key is made again."""

    n: Number
    talk: Count
    key: Number


class Started(Frame, frozen=True, tag="started"):
    """Link to server, numbered: the link has started the entry's program."""

    n: Number
    command: list[str]


class Exited(Frame, frozen=True, tag="exited"):
    """Link to server, numbered: the entry's program has ended, with this exit code."""

    n: Number
    code: Annotated[int, Meta(ge=-(2**31), lt=2**32)]


class LeftOvers(Frame, frozen=True, tag="left-overs"):
    """Link to server, numbered: names that were in the directory when it was emptied."""

    n: Number
    talk: Count
    names: list[str]


class Prepared(Frame, frozen=True, tag="prepared"):
    """Link to server, numbered: the directory is empty, and this talk may begin."""

    n: Number
    talk: Count


class Made(Frame, frozen=True, tag="made"):
    """Link to server: the judge's keys of this talk up to number `upto` are in the directory, or
    were there."""

    talk: Count
    upto: Count


class Gone(Frame, frozen=True, tag="gone"):
    """Link to server: the directories of all keys up to number `upto` are removed, so that their
    names are not known again."""

    upto: Count


class Standing(Frame, frozen=True, tag="standing"):
    """Link to server, each second while there are any: so many keys of the judge are unread, the
    oldest since so many milliseconds."""

    count: Count
    oldest_ms: Count


class Pong(Frame, frozen=True, tag="pong"):
    """Link to server: the answer to the `ping` of that number."""

    n: Number


class Welcome(Frame, frozen=True, tag="welcome"):
    """Server to link, first: whose link this is, and up to which number all is taken."""

    entry: str
    title: str
    contest: Annotated[str, Meta(max_length=64)]
    taken: Count
    version: int = VERSION


class Prepare(Frame, frozen=True, tag="prepare"):
    """Server to link: empty the directory for this talk, and say what was there."""

    talk: Number


class Press(Frame, frozen=True, tag="press"):
    """Server to link: key `n` of the judge in this talk."""

    talk: Number
    n: Number
    key: str


class Taken(Frame, frozen=True, tag="taken"):
    """Server to link: all numbered frames up to `n` are in the record; the directories of keys
    among them may go."""

    n: Count


class Restart(Frame, frozen=True, tag="restart"):
    """Server to link: end the entry's program, if it is in the link's care, and start it again.
    Each order has its own number, and comes again until the program is `started`."""

    n: Number


class Ping(Frame, frozen=True, tag="ping"):
    """Server to link: answer at once, that the delay is known."""

    n: Number


#: What is for the record, and numbered.
Report: TypeAlias = Breach | Trouble | InDoubt | Started | Exited
Numbered: TypeAlias = Key | Report | LeftOvers | Prepared
ToServer: TypeAlias = Hello | Numbered | Made | Gone | Standing | Pong
ToLink: TypeAlias = Welcome | Prepare | Press | Taken | Restart | Ping | Refused

decode_to_server: Decoder[ToServer] = Decoder(ToServer, FRAME_LIMIT)
decode_to_link: Decoder[ToLink] = Decoder(ToLink, FRAME_LIMIT)
