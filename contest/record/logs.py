"""Records to be read more than once, and talk by talk: a reader need not hold all of one, which may
be larger than memory.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Protocol, TypeAlias

import msgspec
import sqlalchemy as sa

from contest.errors import RecordTrouble
from contest.record.bodies import OF_KEYS
from contest.record.events import Event
from contest.record.tables import EVENTS

#: Runs a query, and gives its rows as they come; each call is a reading of its own.
Stream: TypeAlias = Callable[[sa.Select[Any]], Iterator[sa.Row[Any]]]


class EventLog(Protocol):
    """A record as it was at a moment: what is recorded later does not come up."""

    def events(self, talk: str | None = None, *, keys: bool = True) -> Iterator[Event]:
        """The events in their order.

        Arguments:
            talk: only those of this talk's chain; all if left out.
            keys: whether talks' key presses and their times are among them.

        Raises:
            RecordTrouble: if the record, or an event, can't be read.
        """
        ...

    def count(self) -> int:
        """How many events there are."""
        ...

    def last(self) -> Event | None:
        """The last event; None if there is none."""
        ...


class ListLog:
    """An `EventLog` of events in memory.

    Arguments:
        events: all of them, in their order.
    """

    def __init__(self, events: Iterable[Event]) -> None:
        self._events = list(events)
        self._of_talks: dict[str, list[Event]] | None = None

    def events(self, talk: str | None = None, *, keys: bool = True) -> Iterator[Event]:
        """See `EventLog`."""
        found = self._events if talk is None else self._talks().get(talk, [])
        return (e for e in found if keys or e.talk is None or e.kind not in OF_KEYS)

    def count(self) -> int:
        """See `EventLog`."""
        return len(self._events)

    def last(self) -> Event | None:
        """See `EventLog`."""
        return self._events[-1] if self._events else None

    def _talks(self) -> dict[str, list[Event]]:
        if self._of_talks is None:
            self._of_talks = {}
            for event in self._events:
                if event.talk is not None:
                    self._of_talks.setdefault(event.talk, []).append(event)
        return self._of_talks


class StoredLog:
    """An `EventLog` of a record in a database.

    Arguments:
        stream: of the database.
        name: what messages call the record.
        end: the number of the last event that is wanted; that of the last one now if left out.

    Raises:
        RecordTrouble: if the record can't be read.
    """

    def __init__(self, stream: Stream, name: str, end: int | None = None) -> None:
        self._stream = stream
        self._name = name
        last = sa.select(sa.func.max(EVENTS.c.seq))
        ((self._end,),) = stream(last if end is None else last.where(EVENTS.c.seq <= end))

    def events(self, talk: str | None = None, *, keys: bool = True) -> Iterator[Event]:
        """See `EventLog`."""
        query = self._up_to_end(sa.select(EVENTS)).order_by(EVENTS.c.seq)
        if talk is not None:
            query = query.where(EVENTS.c.talk == talk)
        if not keys:
            of_others = EVENTS.c.kind.not_in(sorted(OF_KEYS))
            query = query.where(sa.or_(EVENTS.c.talk.is_(None), of_others))
        for row in self._stream(query):
            yield event_of(row, self._name)

    def count(self) -> int:
        """See `EventLog`."""
        ((count,),) = self._stream(self._up_to_end(sa.select(sa.func.count()).select_from(EVENTS)))
        return int(count)

    def last(self) -> Event | None:
        """See `EventLog`."""
        rows = self._stream(sa.select(EVENTS).where(EVENTS.c.seq == self._end))
        return next((event_of(row, self._name) for row in rows), None)

    def _up_to_end(self, query: sa.Select[Any]) -> sa.Select[Any]:
        return query.where(EVENTS.c.seq <= self._end)


def event_of(row: sa.Row[Any], name: str) -> Event:
    """The event of a row of the table of events.

    Arguments:
        row: with all columns, in the table's order.
        name: what messages call the record.

    Raises:
        RecordTrouble: if its body can't be read; `contest.verify.verify` says what is wrong.
    """
    seq, talk, at, mono_ns, actor, kind, text, prev, hash_ = tuple(row)
    try:
        body = _read_body(text)
    except (TypeError, ValueError, RecursionError) as exc:
        raise RecordTrouble(
            f"{name}: event {seq!r} can't be read ({exc}); run `loebner verify` on this contest"
        ) from exc
    return Event(seq, talk, at, mono_ns, actor, kind, body, prev, hash_)


def _read_body(text: str) -> dict[str, Any]:
    """A body as it was written; what this program has written itself is read in C."""
    try:
        body = msgspec.json.decode(text)
    except (msgspec.DecodeError, UnicodeError):
        body = json.loads(text)
    if not isinstance(body, dict):
        raise ValueError("the body is no object")
    return body
