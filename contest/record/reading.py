"""Reading a record from a database, without ever writing to it.

A record is evidence: transcripts, exports and `verify` open it read-only. This works on read-only
media and while the server has the record open. `Reader.rows` gives the rows of the database even if
they are damaged; `Reader.events` gives events, or names the one that can't be read. A record of an
earlier revision is read as it is; a record made by a newer version of this program is refused.
`ListLog` and `FileLog` read records in memory and in files through the same interface.
"""

from __future__ import annotations

import collections
import itertools
import json
import weakref
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import msgspec
import sqlalchemy as sa

from contest.errors import BadSettings, NotAContest, RecordTrouble
from contest.record import database
from contest.record.bodies import KEY_KINDS
from contest.record.database import EVENTS, SEALED, record_url
from contest.record.events import Event, event_from_json
from contest.setup.settings import FILE_NAME as SETTINGS_FILE
from contest.setup.settings import load, require_folder
from texts import Sentence


class EventLog(Protocol):
    """A record as it was at one moment, without later events."""

    def events(self, talk: str | None = None, *, keys: bool = True) -> Iterator[Event]:
        """The events in order; raises RecordTrouble if one can't be read.

        Arguments:
            talk: only the events of this talk's chain; all if left out.
            keys: whether to include the talks' key presses and their times.
        """
        ...

    def count(self) -> int:
        """How many events there are."""
        ...

    def last(self) -> Event | None:
        """The last event; None if there is none."""
        ...


def is_key(event: Event) -> bool:
    """Whether an event is a key press in a talk, or the times of key presses."""
    return event.talk is not None and event.kind in KEY_KINDS


class Row(NamedTuple):
    """A row of the database, or a published event, unchecked: every field may have any type."""

    seq: Any
    talk: Any
    at: Any
    mono_ns: Any
    actor: Any
    kind: Any
    body: Any
    prev: Any
    hash: Any
    redacted: bool = False


class Reader:
    """An `EventLog` of a record in a database; each call reads it again. RecordTrouble is raised
    for anything that can't be read, at the call or while iterating.

    Arguments:
        url: its address, from `database.address`.
        engine: the database's engine.
        end: the number of the last event to read; by default, all events are read, including later
            ones.

    Attributes:
        name: the record's name for messages; contains no password.
    """

    def __init__(self, url: sa.URL, engine: sa.Engine, end: int | None = None) -> None:
        self._url = url
        self._engine = engine
        self._end = end
        # Keeps the parent alive: connections are closed with the last reader.
        self._parent: Reader | None = None
        self.name = database.name_of(url)

    def log(self, end: int | None = None) -> Reader:
        """The record as it is now, or up to the event with this number."""
        last = self.last_number()
        found = Reader(self._url, self._engine, last if end is None else min(end, last))
        found._parent = self
        return found

    def events(
        self,
        talk: str | None = None,
        kind: str | Collection[str] | None = None,
        *,
        keys: bool = True,
        after: int = 0,
    ) -> Iterator[Event]:
        """Events in the order of the record.

        Arguments:
            talk: only events of this talk's chain.
            kind: only events of this kind, or of these kinds.
            keys: whether to include the talks' key presses and their times.
            after: only events with a larger number.
        """
        query = self._chosen(talk, kind, after).order_by(EVENTS.c.seq)
        if not keys:
            of_others = EVENTS.c.kind.not_in(sorted(KEY_KINDS))
            query = query.where(sa.or_(EVENTS.c.talk.is_(None), of_others))
        return map(self._event, self._stream(query))

    def newest(
        self,
        talk: str | None = None,
        kind: str | None = None,
        skip: int = 0,
        most: int | None = None,
    ) -> Iterator[Event]:
        """Events, newest first. Only these are read from the database.

        Arguments:
            talk, kind: see `events`.
            skip: how many of the newest to leave out.
            most: the maximum number of events.
        """
        query = self._chosen(talk, kind).order_by(EVENTS.c.seq.desc())
        return map(self._event, self._stream(query.offset(skip).limit(most)))

    def count(self, talk: str | None = None, kind: str | None = None) -> int:
        """How many events there are: in all, in a talk's chain, or of a kind."""
        return int(
            self._one(self._chosen(talk, kind).with_only_columns(sa.func.count(EVENTS.c.seq))) or 0
        )

    def last(self) -> Event | None:
        """The last event; None if there is none."""
        return next(self.newest(most=1), None)

    def last_number(self) -> int:
        """The number of the last event, looked up in the index; 0 if there is none."""
        return int(self._one(sa.select(sa.func.max(EVENTS.c.seq))) or 0)

    def rows(
        self,
        kind: str | Collection[str] | None = None,
        after: int = 0,
        upto: int | None = None,
    ) -> Iterator[Row]:
        """The rows as they are, in the order of their numbers.

        Arguments:
            kind: see `events`.
            after: only rows with a larger number.
            upto: only rows with this number or a smaller one.
        """
        query = self._chosen(None, kind, after, upto).order_by(EVENTS.c.seq)
        return (Row(*tuple(row)) for row in self._stream(query))

    def hashes(self) -> Iterator[tuple[int, str]]:
        """Number and hash of each event, in the order of the record."""
        query = sa.select(EVENTS.c.seq, EVENTS.c.hash).order_by(EVENTS.c.seq)
        return ((row.seq, row.hash) for row in self._stream(query))

    def sealed(self) -> dict[str, str]:
        """All sealed values: name to JSON."""
        return {row.name: row.value for row in self._stream(sa.select(SEALED))}

    def unseal(self, prefix: str) -> dict[str, Any]:
        """All sealed values whose names begin with `prefix`, decoded."""
        found = self.sealed().items()
        return {name: json.loads(text) for name, text in found if name.startswith(prefix)}

    def exists(self) -> bool:
        """Whether there is a record, not only a database in which one could be created.

        Raises:
            NotAContest, NewerRecord, RecordTrouble: see `database.revision_of`.
        """
        with database.as_record_trouble(self._url), self._engine.connect() as connection:
            return database.revision_of(connection, self.name) is not None

    def check_file(self) -> None:
        """Has SQLite check the integrity of the whole file, including its indexes.

        Raises:
            RecordTrouble: if it finds any damage.
        """
        if database.file_of(self._url) is None:
            return
        found = self._stream(sa.text("PRAGMA integrity_check(3)"))
        faults = [" ".join(str(row[0]).split()) for row in found]
        if faults != ["ok"]:
            why = Sentence("trouble.record", name=self.name, why="; ".join(faults))
            remedy = Sentence("trouble.when_damaged")
            raise RecordTrouble(Sentence("trouble.remedy", why=why, remedy=remedy))

    def _chosen(
        self,
        talk: str | None = None,
        kind: str | Collection[str] | None = None,
        after: int = 0,
        upto: int | None = None,
    ) -> sa.Select[Any]:
        query = sa.select(EVENTS)
        if after > 0:
            query = query.where(EVENTS.c.seq > after)
        for end in (upto, self._end):
            if end is not None:
                query = query.where(EVENTS.c.seq <= end)
        if talk is not None:
            query = query.where(EVENTS.c.talk == talk)
        if kind is None:
            return query
        kinds = [kind] if isinstance(kind, str) else sorted(kind)
        return query.where(EVENTS.c.kind.in_(kinds))

    def _one(self, query: sa.Select[Any]) -> Any:
        return next((row[0] for row in self._stream(query)), None)

    def _stream(self, query: sa.Executable) -> Iterator[sa.Row[Any]]:
        with (
            database.as_record_trouble(self._url),
            self._engine.connect() as connection,
            # The result is closed even if the caller stops early.
            connection.execution_options(yield_per=2000).execute(query) as result,
        ):
            yield from result

    def _event(self, row: sa.Row[Any]) -> Event:
        seq, talk, at, mono_ns, actor, kind, text, prev, hash_ = tuple(row)
        try:
            try:
                body = msgspec.json.decode(text)  # reads everything that this program wrote
            except (msgspec.DecodeError, UnicodeError):
                body = json.loads(text)
            if not isinstance(body, dict):
                raise ValueError("the body is not an object")
        except (TypeError, ValueError, RecursionError) as exc:
            raise RecordTrouble(
                f"{self.name}: event {seq!r} can't be read ({exc}); run `loebner verify` on this "
                "contest"
            ) from exc
        return Event(seq, talk, at, mono_ns, actor, kind, body, prev, hash_)


class ListLog:
    """An `EventLog` of events in memory.

    Arguments:
        events: all of them, in order.
    """

    def __init__(self, events: Iterable[Event]) -> None:
        self._all = list(events)
        self._of_talks: dict[str | None, list[Event]] = {}
        for event in self._all:
            self._of_talks.setdefault(event.talk, []).append(event)

    def events(self, talk: str | None = None, *, keys: bool = True) -> Iterator[Event]:
        found = self._all if talk is None else self._of_talks.get(talk, [])
        return (event for event in found if keys or not is_key(event))

    def count(self) -> int:
        return len(self._all)

    def last(self) -> Event | None:
        return self._all[-1] if self._all else None


class FileLog:
    """An `EventLog` of a published record. Each call reads the file.

    Arguments:
        file: an `events.jsonl`.
        end: how many of its events to read; all if left out.
    """

    def __init__(self, file: Path, end: int | None = None) -> None:
        self._file = file
        self._end = end

    def events(self, talk: str | None = None, *, keys: bool = True) -> Iterator[Event]:
        mark = b"" if talk is None else talk.encode()
        for number, line in self._lines():
            # Most lines belong to other talks: searching for the name is faster than parsing.
            if mark in line:
                event = self._event(number, line)
                if talk in (None, event.talk) and (keys or not is_key(event)):
                    yield event

    def count(self) -> int:
        return sum(1 for _ in self._lines())

    def last(self) -> Event | None:
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


def url_of(folder: Path) -> str:
    """The URL of the record of a contest's folder, which may lack its settings.

    Raises:
        NotAContest: if there is no such folder.
        BadSettings: if its contest.toml can't be used.
    """
    require_folder(folder)
    setting = load(folder).record.database if (folder / SETTINGS_FILE).exists() else ""
    return record_url(folder, setting)


def open_reader(url: str) -> Reader:
    """Opens the record at a URL for reading.

    Raises:
        NotAContest: if there is no database, or it belongs to another program.
        NewerRecord: if a newer version of this program made the record.
        RecordTrouble: if the database can't be read.
    """
    try:
        address = database.address(url)
        engine = database.engine_of(address, writes=False)
    except (BadSettings, NotAContest) as exc:
        raise NotAContest(str(exc)) from exc
    reader = Reader(address, engine)
    # The connections are closed with the reader, which need not be closed itself.
    weakref.finalize(reader, engine.dispose)
    reader.exists()
    return reader


def open_log(folder: Path, end: int | None = None) -> Reader:
    """Opens the record of a contest's folder as it is now, or up to the event with this number.

    Raises:
        NotAContest, NewerRecord, RecordTrouble: see `open_reader`.
    """
    return open_reader(url_of(folder)).log(end)


def read_rows(
    url: str, *, thorough: bool = False, kind: str | Collection[str] | None = None
) -> Iterator[Row]:
    """The rows of the record at a URL as they are; see `Reader.rows`.

    Arguments:
        thorough: after the last row, also have SQLite check the whole file.

    Raises:
        NotAContest, NewerRecord, RecordTrouble: see `open_reader`; also while iterating.
    """
    reader = open_reader(url)
    yield from reader.rows(kind)
    if thorough:
        reader.check_file()
