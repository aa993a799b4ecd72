"""The record: the append-only event log in a database, by SQLAlchemy Core.

Synchronous; `contest.record.journal` is its asyncio shell. One writer holds it for writing; readers
open it beside. Nothing is ever updated or deleted; the database itself refuses it by triggers. What
must stay sealed for a while (where the human sits, the hashes of codes) stands in a table of its
own, outside the chains. `contest.record` knows the databases, `contest.record.copying` keeps a
second copy.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any

import sqlalchemy as sa

from contest.errors import NotAContest, RecordTrouble
from contest.record import addresses, schema
from contest.record.addresses import sqlite_url
from contest.record.events import Chains, Draft, Event, canonical
from contest.record.logs import StoredLog, event_of
from contest.record.tables import EVENTS, SEALED
from contest.record.writer import Writer, engine_for

__all__ = ["FILE_NAME", "Record", "record_url", "sqlite_url"]

#: The record's file in a contest's folder, unless settings name a database.
FILE_NAME = "record.db"


class Record:
    """An open record.

    Arguments:
        url: the database, as SQLAlchemy writes it: a file of SQLite's, or PostgreSQL.
        create: open it for writing at once, and make it if there is none; an older one is brought
            up to date. Else a record must be there, and is held from the first writing on.

    Attributes:
        name: what messages call it; holds no password.
        on_seal: called after something was sealed, in the thread that did it.

    Raises:
        BadSettings: if the address can't be used.
        NotAContest: if there is no record and none is to be made.
        LaterRecord: if a later version of this program made it.
        InUse: if it is to be written, and another server writes it.
        RecordTrouble: if the database can't be opened or written.
    """

    def __init__(self, url: str, *, create: bool = False) -> None:
        self._url = addresses.address(url)
        self.name = addresses.name_of(self._url)
        self.on_seal: list[Callable[[], None]] = []
        file = addresses.file_of(self._url)
        if not create and file is not None and not file.is_file():
            raise NotAContest(f"{self.name}: no record here; has this contest been played?")
        self._engine = engine_for(self._url)
        self._writer = Writer(self._url, self._engine, create)
        # Whether the last writing is known to have gone well, so that nothing has to be looked up.
        self._known = False
        try:
            with self._troubles():
                if create:
                    with self._writer.transaction() as connection:
                        self._chains = _chains(connection)
                else:
                    with self._engine.connect() as connection:
                        schema.require(connection, self.name)
                        self._chains = _chains(connection)
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Record:
        return self

    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Lets go of the database."""
        self._writer.close()
        self._engine.dispose()

    @property
    def url(self) -> str:
        """Where the record is, for another process to open it; with its password, if it has one."""
        return self._url.render_as_string(hide_password=False)

    @property
    def chains(self) -> Chains:
        """The heads, as of what this writer has appended."""
        return self._chains

    def append(self, drafts: Sequence[Draft]) -> list[Event]:
        """Appends events in one transaction; when this returns they are durable.

        After a failure the same ones are to be given again, others behind them if there are more:
        what was written although it seemed to fail, for the connection was lost, is then found and
        not written twice.

        Arguments:
            drafts: what happened, in order.

        Returns:
            The events in their places.

        Raises:
            RecordTrouble: if they could not be written, or it is not known that they were.
        """
        chains = self._chains.snapshot()
        events = [chains.place(draft) for draft in drafts]
        self._insert(events)
        self._chains = chains
        return events

    def take_over(self, events: Sequence[Event]) -> None:
        """Appends events that have their places already, as a copy does.

        Raises:
            RecordTrouble: if they can't be written.
        """
        self._insert(events)
        for event in events:
            self._chains.follow(event)

    def events(
        self,
        talk: str | None = None,
        kind: str | None = None,
        after: int = 0,
        upto: int | None = None,
        kinds: Collection[str] | None = None,
    ) -> Iterator[Event]:
        """All events in the order of the record.

        Arguments:
            talk: only those of this talk's chain.
            kind: only those of this kind.
            after: only those with a larger number.
            upto: only those with this number or a smaller one.
            kinds: only those of these kinds.

        Raises:
            RecordTrouble: if an event can't be read; `contest.verify.verify` says which.
        """
        query = _chosen(talk, kind, after, upto)
        if kinds is not None:
            query = query.where(EVENTS.c.kind.in_(sorted(kinds)))
        for row in self._stream(query):
            yield event_of(row, self.name)

    def newest(
        self, talk: str, kind: str | None = None, skip: int = 0, most: int | None = None
    ) -> Iterator[Event]:
        """The events of a talk's chain, the newest first; no others are read.

        Arguments:
            talk: the talk's id.
            kind: only those of this kind.
            skip: without so many of the newest.
            most: so many at most.

        Raises:
            RecordTrouble: see `events`.
        """
        query = _chosen(talk, kind).order_by(None).order_by(EVENTS.c.seq.desc())
        for row in self._stream(query.offset(skip).limit(most)):
            yield event_of(row, self.name)

    def count(self, talk: str, kind: str | None = None) -> int:
        """How many events a talk's chain has.

        Arguments:
            talk: the talk's id.
            kind: only those of this kind.
        """
        query = _chosen(talk, kind).with_only_columns(sa.func.count()).order_by(None)
        ((count,),) = self._stream(query)
        return int(count)

    def log(self) -> StoredLog:
        """The record as it is now, to be read more than once while it is open.

        Raises:
            RecordTrouble: if it can't be read.
        """
        return StoredLog(self._stream, self.name)

    def rows(
        self, talk: str | None = None, kind: str | None = None, after: int = 0
    ) -> Iterator[dict[str, Any]]:
        """The rows as they stand, the body as text."""
        for row in self._stream(_chosen(talk, kind, after)):
            yield dict(row._mapping)

    def hashes(self) -> Iterator[tuple[int, str]]:
        """Number and hash of each event, in the order of the record."""
        query = sa.select(EVENTS.c.seq, EVENTS.c.hash).order_by(EVENTS.c.seq)
        for row in self._stream(query):
            yield row.seq, row.hash

    def seal(self, name: str, value: Any) -> None:
        """Keeps something sealed, outside the chains; once. To seal the same again does nothing.

        Raises:
            RecordTrouble: if it can't be written, or the name is taken.
        """
        text = canonical(value).decode()
        with self._troubles(), self._writer.transaction() as connection:
            found = connection.execute(sa.select(SEALED.c.value).where(SEALED.c.name == name))
            kept = found.scalar_one_or_none()
            if kept is None:
                connection.execute(SEALED.insert(), {"name": name, "value": text})
        if kept is not None and kept != text:
            raise RecordTrouble(f"{self.name}: something else is sealed under {name!r} already")
        for call in self.on_seal:
            call()

    def unseal(self, prefix: str) -> dict[str, Any]:
        """All that was sealed under names that begin so."""
        query = sa.select(SEALED).where(SEALED.c.name.startswith(prefix, autoescape=True))
        with self._troubles(), self._engine.connect() as connection:
            return {
                row.name: json.loads(row.value)
                for row in connection.execute(query)
                # LIKE may take capital letters for small ones.
                if row.name.startswith(prefix)
            }

    def _stream(self, query: sa.Select[Any]) -> Iterator[sa.Row[Any]]:
        with (
            self._troubles(),
            self._engine.connect() as connection,
            # Closed also where nobody reads to the end.
            connection.execution_options(yield_per=2000).execute(query) as result,
        ):
            yield from result

    def _insert(self, events: Sequence[Event]) -> None:
        """Writes what is not written yet of events that come next."""
        if not events:
            return
        with self._troubles():
            try:
                self._write(events)
            except sa.exc.IntegrityError:
                # The place of one is taken: is it there already, or another one?
                self._write(events)

    def _write(self, events: Sequence[Event]) -> None:
        known, self._known = self._known, False
        with self._writer.transaction() as connection:
            written = 0 if known else self._written(connection, events)
            rest = [_row(event) for event in events[written:]]
            if rest:
                connection.execute(EVENTS.insert(), rest)
        self._known = True

    def _written(self, connection: sa.Connection, events: Sequence[Event]) -> int:
        """How many of events that come next are there already: written when nobody heard of it."""
        last = events[0].seq - 1
        query = sa.select(EVENTS.c.hash).where(EVENTS.c.seq > last).order_by(EVENTS.c.seq)
        found = list(connection.execute(query).scalars())
        if found != [event.hash for event in events[: len(found)]]:
            raise RecordTrouble(
                f"{self.name}: after event {last} it holds events which were not written here: "
                "another server has written in it; end this one, and see which is right with "
                "`loebner verify`"
            )
        return len(found)

    @contextmanager
    def _troubles(self) -> Iterator[None]:
        try:
            yield
        except sa.exc.DBAPIError as exc:
            raise RecordTrouble(
                f"{self.name}: the record can't be used ({addresses.in_words(exc, self._url)}); "
                f"{addresses.remedy(exc)}"
            ) from exc
        except sa.exc.SQLAlchemyError as exc:
            raise RecordTrouble(
                f"{self.name}: the record can't be used ({addresses.in_words(exc, self._url)})"
            ) from exc


def record_url(folder: Path, database: str) -> str:
    """The URL of a contest's record: the setting's, or the file in its folder."""
    return database or sqlite_url(folder / FILE_NAME)


def _chosen(
    talk: str | None, kind: str | None, after: int = 0, upto: int | None = None
) -> sa.Select[Any]:
    query = sa.select(EVENTS).where(EVENTS.c.seq > after).order_by(EVENTS.c.seq)
    if upto is not None:
        query = query.where(EVENTS.c.seq <= upto)
    if talk is not None:
        query = query.where(EVENTS.c.talk == talk)
    if kind is not None:
        query = query.where(EVENTS.c.kind == kind)
    return query


def _row(event: Event) -> dict[str, Any]:
    return {**event.as_json(), "body": canonical(event.body).decode()}


def _chains(connection: sa.Connection) -> Chains:
    """The heads as the database has them: read by its index, not event by event."""
    last = (
        sa.select(sa.func.max(EVENTS.c.seq).label("seq"), sa.func.count().label("events"))
        .group_by(EVENTS.c.talk)
        .subquery()
    )
    query = (
        sa.select(EVENTS.c.seq, EVENTS.c.talk, EVENTS.c.hash, last.c.events)
        .join(last, last.c.seq == EVENTS.c.seq)
        .order_by(EVENTS.c.seq)
    )
    return Chains.of(tuple(row) for row in connection.execute(query))
