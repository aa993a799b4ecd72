"""The record: the append-only event log in a database, by SQLAlchemy Core.

Synchronous; `contest.journal` is its asyncio shell. One writer holds it for writing; readers open
it beside. Nothing is ever updated or deleted; the database itself refuses it by triggers. What must
stay sealed for a while (where the human sits, the hashes of codes) stands in a table of its own,
outside the chains.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any

import sqlalchemy as sa
from sqlalchemy import event as sa_event

from contest.errors import BadSettings, NotAContest, RecordTrouble
from contest.events import Chains, Draft, Event, canonical

#: The record's file in a contest's folder, unless settings name a database.
FILE_NAME = "record.db"

_metadata = sa.MetaData()

_events = sa.Table(
    "events",
    _metadata,
    sa.Column("seq", sa.BigInteger().with_variant(sa.Integer, "sqlite"), primary_key=True),
    sa.Column("talk", sa.Text, nullable=True, index=True),
    sa.Column("at", sa.Text, nullable=False),
    sa.Column("mono_ns", sa.BigInteger, nullable=False),
    sa.Column("actor", sa.Text, nullable=False),
    sa.Column("kind", sa.Text, nullable=False),
    sa.Column("body", sa.Text, nullable=False),
    sa.Column("prev", sa.Text, nullable=False),
    sa.Column("hash", sa.Text, nullable=False),
)

_sealed = sa.Table(
    "sealed",
    _metadata,
    sa.Column("name", sa.Text, primary_key=True),
    sa.Column("value", sa.Text, nullable=False),
)

# Good manners are not enough: the database itself refuses to change what has happened.
for _table in (_events, _sealed):
    for _verb in ("UPDATE", "DELETE"):
        sa_event.listen(
            _table,
            "after_create",
            sa.DDL(  # type: ignore[no-untyped-call]
                f"CREATE TRIGGER {_table.name}_no_{_verb.lower()} BEFORE {_verb} ON {_table.name} "
                "BEGIN SELECT RAISE(ABORT, 'the record is append-only'); END"
            ).execute_if(dialect="sqlite"),
        )


_NO_DATABASE = (
    "the record's database ([record] database, or --database) is no address of one that can be "
    "used here; write one such as sqlite:////srv/contest.db"
)


def sqlite_url(file: Path) -> str:
    """The URL of a record in a file."""
    return str(sa.URL.create("sqlite", database=str(file)))


class Record:
    """An open record.

    Arguments:
        url: the database, as SQLAlchemy writes it.
        create: make the tables if there are none; else a record must be there.

    Raises:
        NotAContest: if there is no record and none is to be made.
        RecordTrouble: if the database can't be opened or written.
    """

    def __init__(self, url: str, *, create: bool = False) -> None:
        self._url = _url(url)
        self.name = self._url.database or str(self._url)
        if not create and self._is_missing_file():
            raise NotAContest(f"{self.name}: no record here; has this contest been played?")
        self._engine = _engine(self._url)
        if self._url.get_backend_name() == "sqlite":
            sa_event.listen(self._engine, "connect", _prepare_sqlite)
        try:
            with self._troubles():
                if create:
                    _metadata.create_all(self._engine)
                elif not sa.inspect(self._engine).has_table("events"):
                    raise NotAContest(f"{self.name}: this database holds no contest's record")
                self._chains = Chains()
                for event in self.events():
                    self._chains.follow(event)
        except BaseException:
            self._engine.dispose()
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
        self._engine.dispose()

    @property
    def chains(self) -> Chains:
        """The heads, as of what this writer has appended."""
        return self._chains

    def append(self, drafts: Sequence[Draft]) -> list[Event]:
        """Appends events in one transaction; when this returns they are durable.

        Arguments:
            drafts: what happened, in order.

        Returns:
            The events in their places.

        Raises:
            RecordTrouble: if nothing was written; the record is as it was.
        """
        before = self._chains.snapshot()
        events = [self._chains.place(draft) for draft in drafts]
        try:
            with self._troubles(), self._engine.begin() as connection:
                connection.execute(_events.insert(), [_row(event) for event in events])
        except BaseException:
            self._chains = before
            raise
        return events

    def take_over(self, events: Sequence[Event]) -> None:
        """Appends events that have their places already, as a copy does.

        Raises:
            RecordTrouble: if they can't be written.
        """
        if events:
            with self._troubles(), self._engine.begin() as connection:
                connection.execute(_events.insert(), [_row(event) for event in events])
            for event in events:
                self._chains.follow(event)

    def events(
        self, talk: str | None = None, kind: str | None = None, after: int = 0
    ) -> Iterator[Event]:
        """All events in the order of the record.

        Arguments:
            talk: only those of this talk's chain.
            kind: only those of this kind.
            after: only those with a larger number.

        Raises:
            RecordTrouble: if an event can't be read; `contest.verify` says which.
        """
        for row in self.rows(talk, kind, after):
            try:
                body = json.loads(row["body"])
            except ValueError as exc:
                raise RecordTrouble(
                    f"{self.name}: event {row['seq']} can't be read ({exc}); "
                    "run `loebner verify` on this contest"
                ) from exc
            yield Event(**{**row, "body": body})

    def rows(
        self, talk: str | None = None, kind: str | None = None, after: int = 0
    ) -> Iterator[dict[str, Any]]:
        """The rows as they stand, the body as text."""
        query = sa.select(_events).where(_events.c.seq > after).order_by(_events.c.seq)
        if talk is not None:
            query = query.where(_events.c.talk == talk)
        if kind is not None:
            query = query.where(_events.c.kind == kind)
        with self._troubles(), self._engine.connect() as connection:
            for row in connection.execution_options(yield_per=2000).execute(query).mappings():
                yield dict(row)

    def seal(self, name: str, value: Any) -> None:
        """Keeps something sealed, outside the chains; once.

        Raises:
            RecordTrouble: if it can't be written, or the name is taken.
        """
        with self._troubles(), self._engine.begin() as connection:
            connection.execute(_sealed.insert(), {"name": name, "value": canonical(value).decode()})

    def unseal(self, prefix: str) -> dict[str, Any]:
        """All that was sealed under names that begin so."""
        query = sa.select(_sealed).where(_sealed.c.name.startswith(prefix, autoescape=True))
        with self._troubles(), self._engine.connect() as connection:
            return {row.name: json.loads(row.value) for row in connection.execute(query)}

    def _is_missing_file(self) -> bool:
        return (
            self._url.get_backend_name() == "sqlite"
            and self._url.database not in (None, "", ":memory:")
            and not Path(str(self._url.database)).is_file()
        )

    @contextmanager
    def _troubles(self) -> Iterator[None]:
        try:
            yield
        except sa.exc.DBAPIError as exc:
            raise RecordTrouble(
                f"{self.name}: the record can't be used ({exc.orig}); "
                "free the disk, or see who else holds it"
            ) from exc


class Copy:
    """A second copy of a record, in a file on another disk, kept up while the contest goes on.

    It trails the record by a moment, and takes in what it lacks when it is opened.

    Arguments:
        file: where; a SQLite database like the record.
        record: what to copy.

    Raises:
        RecordTrouble: if it can't be written, or holds another contest.
    """

    def __init__(self, file: Path, record: Record) -> None:
        self._source = record
        self._record = Record(sqlite_url(file), create=True)
        try:
            self._compare()
            self._catch_up()
        except BaseException:
            self._record.close()
            raise

    def close(self) -> None:
        """Lets go of the file."""
        self._record.close()

    def add(self, events: Sequence[Event]) -> None:
        """Writes events that the record holds already.

        Raises:
            RecordTrouble: if they can't be written here.
        """
        if events and events[0].seq == self._record.chains.last_seq + 1:
            self._record.take_over(events)
        else:
            self._catch_up()

    def _compare(self) -> None:
        theirs = self._source.events()
        for event in self._record.events():
            if next(theirs, None) != event:
                raise RecordTrouble(
                    f"{self._record.name}: this copy belongs to another contest; "
                    "name another file in [record] copy_to"
                )

    def _catch_up(self) -> None:
        self._record.take_over(list(self._source.events(after=self._record.chains.last_seq)))


def record_url(folder: Path, database: str) -> str:
    """The URL of a contest's record: the setting's, or the file in its folder."""
    return database or sqlite_url(folder / FILE_NAME)


def _url(text: str) -> sa.URL:
    try:
        return sa.make_url(text)
    except sa.exc.ArgumentError as exc:
        raise BadSettings(_NO_DATABASE) from exc


def _engine(url: sa.URL) -> sa.Engine:
    try:
        return sa.create_engine(url)
    except (sa.exc.ArgumentError, ModuleNotFoundError) as exc:
        raise BadSettings(f"{_NO_DATABASE} ({exc})") from exc


def _row(event: Event) -> dict[str, Any]:
    return {**event.as_json(), "body": canonical(event.body).decode()}


def _prepare_sqlite(connection: Any, _record: Any) -> None:
    # Bytes that are no UTF-8 are a changed record, which `verify` names, not a crash of ours.
    connection.text_factory = lambda raw: raw.decode("utf-8", "surrogateescape")
    cursor = connection.cursor()
    cursor.execute("PRAGMA journal_mode=WAL")
    # FULL: a committed key survives a power cut, not only a crash of ours.
    cursor.execute("PRAGMA synchronous=FULL")
    cursor.execute("PRAGMA busy_timeout=5000")
    cursor.close()
