"""What can be had of a record whose database is damaged: all events that are as they were written.

An event tells by its hash whether it is whole, wherever it was found. So every way of getting one
is tried: as the database gives them, page by page of SQLite's file where it gives no more, number
by number of another database.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from contest.errors import NotAContest, RecordTrouble
from contest.record import addresses, reading
from contest.record.events import GENESIS, Event, canonical, rehash
from contest.record.pages import cells_in
from contest.record.reading import Row
from contest.record.tables import EVENTS, SEALED
from contest.record.wal import log_damage
from contest.verify.findings import several

#: Numbers that are asked for at once.
_BLOCK = 200


@dataclass
class Source:
    """What one database gave.

    Attributes:
        name: what messages call it.
        events: number to the events that are as they were written; more than one only where
            somebody has rewritten the record.
        sealed: name to what may be sealed under it, as JSON; of several the first is likelier.
        trouble: in words, why not all could be read as usual; empty if it could.
        last: the number of the last event by the database's own account; None where it has none.
    """

    name: str
    events: dict[int, list[Event]] = field(default_factory=dict)
    sealed: dict[str, list[str]] = field(default_factory=dict)
    trouble: str = ""
    last: int | None = None

    def at(self, seq: int) -> list[Event]:
        """The events that it has under a number."""
        return self.events.get(seq, [])

    def _take(self, row: Row) -> bool:
        """Takes a row; says whether it is an event as it was written."""
        if any(event.hash == row.hash for event in self.at(row.seq)):
            return True
        event = event_of(row)
        if event is not None:
            self.events.setdefault(event.seq, []).append(event)
        return event is not None

    def _seal(self, name: object, value: object) -> None:
        if isinstance(name, str) and isinstance(value, str) and _is_canonical(value):
            found = self.sealed.setdefault(name, [])
            if value not in found:
                found.append(value)


def source_of(place: str) -> Source:
    """Gets out of a record's database what can be had.

    Arguments:
        place: its URL.

    Returns:
        What it gave; nothing, with the trouble, if nothing could be read.

    Raises:
        BadSettings: if the URL can't be used.
        NotAContest: if there is no record.
        LaterRecord: if a later version of this program made it.
    """
    url = addresses.address(place)
    source = Source(addresses.name_of(url))
    try:
        wrong = sum(not source._take(row) for row in reading.rows_at(place, thorough=True))
        if wrong:
            source.trouble = f"{source.name}: {several(wrong, 'event')} not as written"
    except RecordTrouble as exc:
        source.trouble = str(exc)
    try:
        for name, value in reading.sealed_at(place).items():
            source._seal(name, value)
    except RecordTrouble as exc:
        source.trouble = source.trouble or str(exc)
    source.last = _last(place, addresses.file_of(url))
    if source.trouble:
        file = addresses.file_of(url)
        if file is not None:
            _by_pages(source, file)
        else:
            _by_numbers(source, place)
    return source


def event_of(row: Row) -> Event | None:
    """The event of a row, if it is as it was written: its hash is that of its content."""
    try:
        body = json.loads(row.body)
        event = Event(**{**row._asdict(), "body": body})
        whole = (
            isinstance(body, dict)
            and type(row.seq) is int
            and type(row.mono_ns) is int
            and row.seq > 0
            and len(row.prev) == len(GENESIS)
            and canonical(body).decode() == row.body
            and rehash(event) == row.hash
        )
    except (TypeError, ValueError, RecursionError):
        return None
    return event if whole else None


def _last(place: str, file: Path | None) -> int | None:
    try:
        # A log that is damaged hides what stands behind the damage.
        return None if file is not None and log_damage(file) else reading.last_at(place)
    except (RecordTrouble, NotAContest, OSError):
        return None


def _by_pages(source: Source, file: Path) -> None:
    try:
        for rowid, values in cells_in(file, (len(EVENTS.c), len(SEALED.c))):
            if len(values) == len(SEALED.c):
                source._seal(*values)
            else:
                # The number is that of the row; in its column stands nothing.
                source._take(Row(rowid, *values[1:]))
    except OSError as exc:
        source.trouble += f"; its pages can't be read ({exc.strerror or exc})"


def _by_numbers(source: Source, place: str) -> None:
    for first in range(1, (source.last or 0) + 1, _BLOCK):
        for row in _between(place, first, min(first + _BLOCK - 1, source.last or 0)):
            source._take(row)


def _between(place: str, first: int, last: int) -> Iterator[Row]:
    """The rows from one number to another that can be read, found by halves."""
    try:
        yield from reading.block_at(place, first, last)
    except RecordTrouble:
        if first < last:
            middle = (first + last) // 2
            yield from _between(place, first, middle)
            yield from _between(place, middle + 1, last)


def _is_canonical(text: str) -> bool:
    try:
        value: Any = json.loads(text)
        return canonical(value).decode() == text
    except (ValueError, RecursionError):
        return False
