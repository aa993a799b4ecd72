"""Verification of the chains: whether the record still holds what was recorded.

Each event's hash is recomputed from its columns. The body's text must be in canonical form, `prev`
must be the hash of the event before it in its chain, and the numbers must run from 1 without gaps.
The heads that the contest's chain took in must be the heads that the talks had at that point.
Nothing in a row is trusted, not even the types of its columns.

In a published record some events may be redacted: their hash can't be recomputed, but the next
event in the chain confirms it.
"""

from __future__ import annotations

import functools
import hashlib
import json
import re
from collections.abc import Callable, Iterable, Iterator
from typing import Annotated, Any, Generic, TypeVar

import msgspec

from contest.errors import RecordTrouble
from contest.record import bodies
from contest.record.events import GENESIS, Event, canonical
from contest.record.reading import Row
from contest.verify.findings import Check, Fault, quoted
from scheduler.texts import counted

_TIME = re.compile(r"[0-9]{4}-[01][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-6][0-9]\.[0-9]{6}Z")


#: The type to which a codebook converts the body of an event.
_Read = TypeVar("_Read")


class Chain(Generic[_Read]):
    """Goes through the rows of a record, of a contest or anything else with chains like these.
    Keeps no events, because a record may be larger than memory.

    Arguments:
        codebook: reads the body of an event; raises ValueError if its kind is unknown or it is
            malformed.
        own: what the record is about, such as `contest`; also the name of its own chain.

    Attributes:
        usable: how many events the further checks can use.
        read: how many rows there were.
        redacted: how many of them were redacted.
        head: the hash of the last event of the contest's chain, or GENESIS.
        finished: whether the contest was closed.
    """

    def __init__(self, codebook: Callable[[Event], _Read], own: str = "contest") -> None:
        self._codebook = codebook
        self._own = own
        self.usable = 0
        self.read = 0
        self.redacted = 0
        self.head = GENESIS
        self.finished = False
        self._faults, self._head_faults = Check("chain", own), Check("heads", own)
        self._expected = 1
        # For each chain: the hash that its last event has, and the hash that it should have.
        self._heads: dict[Any, tuple[Any, str]] = {}
        self._counts: dict[Any, int] = {}
        self._of_round: dict[tuple[int, int], set[str]] = {}
        self._taken_in = 0
        self._contest_events: dict[str, int] = {}
        self._last_of_contest: Event | None = None

    def events(self, rows: Iterable[Row]) -> Iterator[tuple[Event, _Read]]:
        """Goes through all rows. If the database can't be read to its end, that is a fault too.

        Arguments:
            rows: the record's rows, in the order of the events' numbers.

        Returns:
            The events that the further checks can use, each with its body as the codebook reads it.
        """
        try:
            for row in rows:
                self.read += 1
                event = self._take(row)
                body = None if event is None else self._use(row, event)
                if event is not None and body is not None:
                    self.usable += 1
                    yield event, body[0]
        except RecordTrouble as exc:
            after = f"after event {self._expected - 1}: " if self.read else ""
            self._faults.tell(f"{after}{exc}")
        if not self.read and self._faults.ok:
            self._faults.tell("the record has no events")

    def check(self) -> Check:
        """Whether hashes, numbers and links are right."""
        chains = counted(max(0, len(self._heads) - 1), "talk")
        events = counted(self.read, "event")
        if self.redacted:
            events += f" ({self.redacted:,} redacted and not recomputed)"
        summary = f"{events} as recorded, in the {self._own}'s own chain and those of {chains}"
        return self._faults.with_summary(summary)

    def check_heads(self, published: str | None, source: str) -> Check:
        """Whether the heads that were taken in are right, and the contest's head is the published
        one.

        Arguments:
            published: the contest's head as published, in hex, or None.
            source: where it was published, for messages.
        """
        if published is not None and published != self.head:
            self._not_published(published, source)
        taken = f"{counted(self._taken_in, 'head')} of talks included"
        agrees = (
            f"the {self._own}'s head matches {source}"
            if published
            else "no published head to compare with"
        )
        return self._head_faults.with_summary(f"{taken}; {agrees}")

    def _not_published(self, published: str, source: str) -> None:
        last = self._last_of_contest
        if last is None:
            self._head_faults.tell(f"the record has no event to compare with the head in {source}")
            return
        why = "events at the end were removed, or the chain was rewritten"
        if (known := self._contest_events.get(published)) is not None:
            why = f"that is the head at event {known}: later events were added afterwards"
        self._head_faults.at(
            last,
            f"the {self._own}'s chain ends here with the head {last.hash}, but {source} has "
            f"{published}; {why}",
        )

    def _take(self, row: Row) -> Event | None:
        """Checks a row against its hash and its chain; returns its event if it can be read."""
        self._number(row)
        event, ought, wrong = _read_row(row)
        if wrong:
            self._fault(row, wrong)
        self.redacted += bool(row.redacted)
        talk = row.talk if isinstance(row.talk, str | None) else repr(row.talk)
        self._link(row, talk)
        if event is not None and self.finished:
            self._head_faults.at(event, "comes after the contest was closed: no head covers it")
        self._heads[talk] = (row.hash, ought)
        self._counts[talk] = self._counts.get(talk, 0) + 1
        if event is not None and event.talk is None:
            self.head = event.hash
            self._contest_events[event.hash] = event.seq
            self._last_of_contest = event
        return event

    def _number(self, row: Row) -> None:
        seq = row.seq
        if type(seq) is not int:
            return
        if seq > self._expected:
            others = f", and so are those up to {seq - 1}" if seq > self._expected + 1 else ""
            what = f"is missing{others}: the numbers go from {self._expected - 1} to {seq}"
            self._faults.add(Fault(what, self._expected))
        elif seq < self._expected:
            self._fault(row, f"its number should be {self._expected}")
        self._expected = max(self._expected, seq) + (seq >= self._expected)

    def _link(self, row: Row, talk: str | None) -> None:
        before = self._heads.get(talk)
        if before is None:
            if row.prev != GENESIS:
                self._fault(row, "it is the first event of its chain, but names one before it")
        elif row.prev not in before:
            # A `prev` that matches either hash is right: the difference was reported before.
            self._fault(row, "it does not follow the event before it in its chain")

    def _use(self, row: Row, event: Event) -> tuple[_Read] | None:
        """The body as the codebook reads it; None if it can't."""
        try:
            body = self._codebook(event)
        except ValueError as exc:
            self._fault(row, str(exc))
            return None
        if isinstance(body, bodies.TalkOpened) and event.talk is not None:
            self._of_round.setdefault((body.round, body.attempt), set()).add(event.talk)
        elif isinstance(body, bodies.RoundClosed):
            talks = self._of_round.get((body.round, body.attempt), set())
            self._take_in(event, body.heads, talks)
        elif isinstance(body, bodies.ContestClosed):
            self.finished = True
            self._take_in(event, body.heads, {t for t in self._heads if t is not None})
        return (body,)

    def _take_in(self, event: Event, heads: dict[str, Any], talks: set[str]) -> None:
        for talk in sorted(talks | heads.keys()):
            self._taken_in += 1
            here = {"hash": self._heads.get(talk, (GENESIS,))[0], "events": self._counts.get(talk)}
            taken = heads.get(talk)
            if taken is None:
                self._head_faults.at(event, f"it does not include the head of talk {quoted(talk)}")
            elif taken != here:
                self._head_faults.at(
                    event,
                    f"it includes talk {quoted(talk)} with {_head_in_words(taken)}, but the record "
                    f"has {_head_in_words(here)} up to here",
                )

    def _fault(self, row: Row, what: str) -> None:
        seq = row.seq if type(row.seq) is int else None
        place = "" if seq is not None else f"the event after {self._expected - 1}: "
        kind = quoted(row.kind)
        talk = self._own if row.talk is None else quoted(row.talk)
        self._faults.add(Fault(place + what, seq, talk, kind))


_LARGEST = 2**53 - 1
_Integer = Annotated[int, msgspec.Meta(ge=-_LARGEST, le=_LARGEST)]
_Leaf = str | _Integer | bool | None
_Inner = _Leaf | list[_Leaf] | dict[str, _Leaf]


class _Columns(msgspec.Struct, array_like=True):
    """The types that the columns of a row have."""

    seq: _Integer
    talk: str | None
    at: str
    mono_ns: _Integer
    actor: str
    kind: str
    body: str
    prev: str
    hash: str


# At import, because msgspec crashes if two threads use a struct for the first time at once; see
# `contest.record.events.kinds_in`.
msgspec.json.Decoder(_Columns)

#: Reads bodies of up to three levels: nearly all events, since all frequent kinds are like that.
_shallow = msgspec.json.Decoder(dict[str, _Leaf | list[_Inner] | dict[str, _Inner]])
#: Writes them independently of the code that writes the record.
_written = json.JSONEncoder(ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode
_quotes = functools.lru_cache(maxsize=4096)(_written)


def _read_row(row: Row) -> tuple[Event | None, str, str]:
    """The event of a row, if it can be read; the hash that it should have; and what is wrong with
    the row, empty if nothing is."""
    try:
        msgspec.convert(row, _Columns)
    except msgspec.ValidationError as exc:
        what, _, at = str(exc).partition(" - at `$[")
        return None, row.hash, f"its {Row._fields[int(at[0])]} is of the wrong type: {what}"
    try:
        body = _body(row.body)
        text = canonical_text(body)
        # The canonical form of the event contains that of its body.
        whole = (
            f'{{"actor":{_quotes(row.actor)},"at":{_written(row.at)},"body":{text},'
            f'"kind":{_quotes(row.kind)},"mono_ns":{row.mono_ns},"prev":{_written(row.prev)},'
            f'"seq":{row.seq},"talk":{_quotes(row.talk)}}}'
        )
        ought = row.hash if row.redacted else hashlib.sha256(whole.encode()).hexdigest()
    except (ValueError, RecursionError) as exc:
        return None, row.hash, f"it can't be read as an event: {exc}"
    wrong = ""
    if ought != row.hash:
        wrong = "its hash is not that of its content: the hash or the content was changed"
    elif row.redacted and row.kind not in bodies.SALTED:
        wrong = "it is redacted, but events of its kind are never withheld"
    elif text != row.body:
        wrong = (
            "its body, or its line in a file, is not in the canonical form in which it was "
            "recorded (lines end in LF)"
        )
    elif not _TIME.fullmatch(row.at):
        wrong = f"its time {quoted(row.at)} does not have the record's format"
    return Event(*row[:6], body, *row[7:]), ought, wrong


def _body(text: str) -> dict[str, Any]:
    try:
        return _shallow.decode(text)
    except msgspec.DecodeError:
        body = json.loads(
            text, parse_int=_read_integer, parse_float=_read_integer, parse_constant=_read_integer
        )
    if not isinstance(body, dict):
        raise ValueError("its body is not a JSON object")
    return body


def canonical_text(value: Any) -> str:
    """The canonical form of a value whose numbers are integers within 2**53, as text. It is ten
    times as fast as `contest.record.events.canonical` and independent of it, except for text with
    characters beyond U+FFFF, for which it calls that function.

    Raises:
        ValueError: if the value has none.
    """
    text = _written(value)
    # Python sorts names by code points, RFC 8785 by UTF-16; these differ only beyond U+FFFF.
    return text if text.isascii() or max(text) <= "\uffff" else canonical(value).decode()


def _read_integer(digits: str) -> int:
    number = int(digits) if digits.removeprefix("-").isdigit() and len(digits) < 20 else None
    if number is None or abs(number) > _LARGEST:
        raise ValueError(f"{quoted(digits)} is not an integer within 2**53")
    return number


def _head_in_words(head: Any) -> str:
    if not isinstance(head, dict):
        return quoted(head)
    return f"{head.get('events') or 'no'} events and head {quoted(str(head.get('hash'))[:16])}…"
