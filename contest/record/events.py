"""Events and their chains, without any I/O.

Each event carries the SHA-256 of its own canonical JSON (RFC 8785, without the hash) and the hash
of the event before it in the same chain. There is a chain for each talk and one for the contest
(`talk` is None), which includes the talks' heads at the end of each round. The codebook is
docs/reference/record.md.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, ClassVar, TypeAlias

import msgspec
import rfc8785

from texts import in_english

#: `prev` of the first event of a chain.
GENESIS = "0" * 64

#: A JSON object; its numbers are integers, so that every language reads them alike.
Json: TypeAlias = dict[str, Any]

#: The largest integer that every JSON reader represents exactly, and that RFC 8785 writes as one.
LARGEST = 2**53 - 1
_CAPITAL = re.compile("(?<=[a-z])(?=[A-Z])")
_encoder = msgspec.json.Encoder(order="deterministic")


class Event(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Something that happened. The attributes are those in docs/reference/record.md, in the same
    order. The number, `prev` and `hash` are set when the event is placed in the record.

    Attributes:
        talk: the chain; None is the contest's own.
        at: wall time in RFC 3339, UTC, with microseconds; only a label.
        mono_ns: the contest's clock in nanoseconds, from which durations are computed.
        actor: the id of a seat, entry or confederate; `server`, `organizer` or `witness`; in a
            season, the person who did it.
        kind, body: what happened; see contest/record/bodies.py.
        redacted: true in a published record if part of the event may not be published; the hash is
            still that of the whole event.
    """

    seq: int
    talk: str | None
    at: str
    mono_ns: int
    actor: str
    kind: str
    body: Json
    prev: str = ""
    hash: str = ""
    redacted: bool = False

    def as_json(self) -> Json:
        """The event in the record's JSON form."""
        plain = msgspec.structs.asdict(self)
        if not self.redacted:
            del plain["redacted"]
        return plain


def canonical(value: Any) -> bytes:
    """The canonical JSON (RFC 8785) of a value, as UTF-8.

    Raises:
        ValueError: if it has no canonical form: numbers beyond 2**53, text that is not Unicode.
    """
    # Each key press is written in this form twice, and msgspec's C code takes an eighth of the
    # time. It writes text, integers and literals as the RFC does; rfc8785 writes the rest.
    return _encoder.encode(value) if _is_plain(value) else rfc8785.dumps(value)


def _is_plain(value: Any) -> bool:
    """Whether every encoder writes a value alike: text, integers, literals, lists, and objects with
    ASCII names, which sort the same by code points and by UTF-16."""
    kind = type(value)
    if kind is str or kind is bool or value is None:
        return True
    if kind is int:
        return bool(-LARGEST <= value <= LARGEST)
    if kind is dict:
        for name, each in value.items():
            if type(name) is not str or not name.isascii():
                return False
            # Most values are text, which needs no call.
            if type(each) is not str and not _is_plain(each):
                return False
        return True
    return kind is list and all(map(_is_plain, value))


def hash_of(event: Event) -> str:
    """The hash that an event should have, in hex.

    Raises:
        ValueError: if the event has no canonical form.
    """
    unhashed = event.as_json()
    del unhashed["hash"]
    return hashlib.sha256(canonical(unhashed)).hexdigest()


class Chains(msgspec.Struct):
    """The heads of all chains, kept up to date as events are placed.

    Attributes:
        last_seq: the number of the last event.
        ends: for each chain, the hash of its last event and how many events it has.
    """

    last_seq: int = 0
    ends: dict[str | None, tuple[str, int]] = msgspec.field(default_factory=dict)

    def copy(self) -> Chains:
        """A copy, so that a failed append can be undone."""
        return Chains(self.last_seq, dict(self.ends))

    def place(self, event: Event) -> Event:
        """Places an event after all earlier ones, and remembers it."""
        prev = self.head(event.talk)
        event = msgspec.structs.replace(event, seq=self.last_seq + 1, prev=prev)
        event = msgspec.structs.replace(event, hash=hash_of(event))
        self.follow(event)
        return event

    def follow(self, event: Event) -> None:
        """Remembers an event that is already in the record."""
        self.last_seq = event.seq
        self.ends[event.talk] = event.hash, self.ends.get(event.talk, (GENESIS, 0))[1] + 1

    def head(self, talk: str | None) -> str:
        """The hash of the last event of a chain, or GENESIS."""
        return self.ends.get(talk, (GENESIS, 0))[0]

    def heads(self, talks: Iterable[str] | None = None) -> dict[str, Json]:
        """Maps talks to `{"hash", "events"}`, for the event that takes in the heads.

        Arguments:
            talks: the talks; all if left out.
        """
        chosen = [t for t in self.ends if t is not None] if talks is None else talks
        ends = ((talk, self.ends.get(talk, (GENESIS, 0))) for talk in sorted(chosen))
        return {talk: {"hash": head, "events": events} for talk, (head, events) in ends}


#: Reads a line of `events.jsonl`; raises ValueError if it is not an event.
event_from_json = msgspec.json.Decoder(Event).decode


# Bodies: structs, one class for each kind of event. A codebook maps kinds to structs.


class Body(msgspec.Struct, frozen=True, omit_defaults=True):
    """The details of an event. `kind` says what happened: it is the name of the class, with
    `SeatJoined` as `seat-joined`, unless the class sets another."""

    kind: ClassVar[str]

    def __init_subclass__(cls) -> None:
        if "kind" not in cls.__dict__:
            cls.kind = _CAPITAL.sub("-", cls.__name__).lower()


class Redactable(Body, frozen=True):
    """A body that may have to stay unpublished, in whole or in part. It gets a `salt` in the
    record: the hash of a withheld event is published, and without a salt its content could be found
    by trying all keys."""


def kinds_in(module: Mapping[str, Any]) -> dict[str, type[Body]]:
    """The kinds that a module defines, given its `globals()`: kind to struct. Base classes have
    names with an underscore and are left out."""
    kinds = {
        each.kind: each
        for name, each in module.items()
        if isinstance(each, type)
        and issubclass(each, Body)
        and each.__module__ == module["__name__"]
        and not name.startswith("_")
    }
    for struct in kinds.values():
        # msgspec examines a struct when it is first used. If two threads do that at the same time,
        # the process crashes (0.22), so it is done here, when the module is imported.
        msgspec.json.Decoder(struct)
    return kinds


def to_json(body: Body) -> Json:
    """The body in the form that an event holds."""
    plain: Json = msgspec.to_builtins(body, enc_hook=in_english)
    return plain


def read(kind: str, body: Json, kinds: Mapping[str, type[Body]]) -> Body:
    """Reads the body of an event of a kind by a codebook.

    Raises:
        ValueError: if the kind is unknown or the body doesn't match its struct.
    """
    struct = kinds.get(kind)
    if struct is None:
        raise ValueError(f"unknown kind of event {kind!r}")
    try:
        return msgspec.convert(body, struct)
    except msgspec.ValidationError as exc:
        raise ValueError(f"the body of a {kind!r} event is malformed: {exc}") from exc


def salts() -> Iterator[str]:
    """Generates salts for bodies that may have to be withheld: 128 random bits each, in hex.

    They are drawn in batches. Each draw is a system call that releases the interpreter's lock; at
    thousands of keys a second that would cost more than making the events themselves.
    """
    while True:
        drawn = os.urandom(4096)
        yield from (drawn[at : at + 16].hex() for at in range(0, len(drawn), 16))
