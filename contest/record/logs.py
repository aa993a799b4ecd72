"""Records to be read more than once, and talk by talk: a reader need not hold all of one, which may
be larger than memory. `contest.record.reading.Reader` is one of a record in a database."""

from __future__ import annotations

import collections
import itertools
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Protocol

from contest.errors import RecordTrouble
from contest.record.bodies import OF_KEYS
from contest.record.events import Event, event_from_json


class EventLog(Protocol):
    """A record as it was at a moment: it leaves out what is recorded later."""

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


def is_key(event: Event) -> bool:
    """Whether an event is a key press of a talk, or the times of some."""
    return event.talk is not None and event.kind in OF_KEYS


class ListLog:
    """An `EventLog` of events in memory.

    Arguments:
        events: all of them, in their order.
    """

    def __init__(self, events: Iterable[Event]) -> None:
        self._all = list(events)
        self._of_talks: dict[str | None, list[Event]] = {}
        for event in self._all:
            self._of_talks.setdefault(event.talk, []).append(event)

    def events(self, talk: str | None = None, *, keys: bool = True) -> Iterator[Event]:
        """See `EventLog`."""
        found = self._all if talk is None else self._of_talks.get(talk, [])
        return (event for event in found if keys or not is_key(event))

    def count(self) -> int:
        """See `EventLog`."""
        return len(self._all)

    def last(self) -> Event | None:
        """See `EventLog`."""
        return self._all[-1] if self._all else None


class FileLog:
    """An `EventLog` of a published record; each call reads the file.

    Arguments:
        file: an `events.jsonl`.
        end: how many of its events are wanted; all if left out.
    """

    def __init__(self, file: Path, end: int | None = None) -> None:
        self._file = file
        self._end = end

    def events(self, talk: str | None = None, *, keys: bool = True) -> Iterator[Event]:
        """See `EventLog`."""
        mark = b"" if talk is None else talk.encode()
        for number, line in self._lines():
            # Most lines are of other talks: to look for its name takes less time than to read them.
            if mark in line:
                event = self._event(number, line)
                if talk in (None, event.talk) and (keys or not is_key(event)):
                    yield event

    def count(self) -> int:
        """See `EventLog`."""
        return sum(1 for _ in self._lines())

    def last(self) -> Event | None:
        """See `EventLog`."""
        newest = collections.deque(self._lines(), maxlen=1)
        return self._event(*newest[0]) if newest else None

    def _lines(self) -> Iterator[tuple[int, bytes]]:
        try:
            with self._file.open("rb") as file:
                yield from enumerate(itertools.islice(file, self._end), 1)
        except OSError as exc:
            raise RecordTrouble(f"{self._file}: can't be read ({exc.strerror or exc})") from exc

    def _event(self, number: int, line: bytes) -> Event:
        try:
            return event_from_json(line)
        except (ValueError, RecursionError) as exc:
            raise RecordTrouble(f"{self._file.name}, line {number}: {exc}") from exc
