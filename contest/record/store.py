"""The record: the append-only event log in a database, written with SQLAlchemy Core.

Synchronous; `contest.record.journal` is its asyncio shell. Nothing is ever updated or deleted:
triggers in the database refuse it. Values that have to stay sealed for a while (the human's side,
the hashes of codes) are in a separate table, outside the chains.

One connection writes. While one server has the record open for writing, a second one is refused,
from any folder or machine: by a lock on a file beside a SQLite database, or by a session lock in
PostgreSQL. Both are released when their owner ends. A lost connection is replaced at once,
and the new one takes the lock again.
"""

from __future__ import annotations

import contextlib
import hashlib
import logging
import os
import queue
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

import sqlalchemy as sa

from contest.errors import BadSettings, InUse, NotAContest, RecordTrouble
from contest.record import database
from contest.record.database import EVENTS, FILE_NAME, SEALED, record_url, sqlite_url
from contest.record.events import Chains, Event, canonical
from contest.record.reading import Reader
from contest.setup.lock import lock_file

__all__ = ["FILE_NAME", "Record", "record_url", "sqlite_url"]


log = logging.getLogger(__name__)

_T = TypeVar("_T")

#: Seconds before a copy that could not be written is retried.
COPY_RETRY = 1.0
#: Groups of events queued for a slow disk; any more are read back from the record.
QUEUED = 1000
#: Seconds that `close` waits for a copy, whose disk may be gone.
CLOSE_LIMIT = 10.0


class Record(Reader):
    """An open record.

    Arguments:
        url: the database in SQLAlchemy's form: a SQLite file, or PostgreSQL.
        create: open the record for writing immediately, and create or upgrade it if necessary. By
            default the record must exist, and is locked at the first write.

    Attributes:
        name: the record's name for messages; contains no password.
        chains: the heads after the last event that this writer appended.

    Raises:
        BadSettings: if the address can't be used.
        NotAContest: if there is no record and `create` is false.
        NewerRecord: if a newer version of this program made it.
        InUse: if it is opened for writing while another server writes it.
        RecordTrouble: if the database can't be opened or written.
    """

    def __init__(self, url: str, *, create: bool = False) -> None:
        place = database.address(url)
        file = database.file_of(place)
        if not create and file is not None and not file.is_file():
            raise NotAContest(f"{file}: no record here; has this contest been played?")
        super().__init__(place, database.engine_of(place, writes=True))
        self._create = create
        self._writing = threading.Lock()
        self._connection: sa.Connection | None = None
        self._file_lock = ExitStack()
        self._was_locked = False
        try:
            if not create and not self.exists():
                raise NotAContest(f"{self.name}: this database has no contest's record")
            with (
                database.as_record_trouble(place),
                self.transaction() if create else self._engine.connect() as connection,
            ):
                self.chains = _read_chains(connection)
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Record:
        return self

    def __exit__(self, *exc_info: object) -> None:
        self.close()

    def close(self) -> None:
        """Closes the connections and releases the locks."""
        with self._writing:
            if self._connection is not None:
                self._drop(self._connection)
            self._file_lock.close()
            self._was_locked = False
        self._engine.dispose()

    @property
    def url(self) -> str:
        """The record's URL, for another process to open; with its password, if it has one."""
        return self._url.render_as_string(hide_password=False)

    def append(self, drafts: Sequence[Event]) -> list[Event]:
        """Appends events in one transaction; when this returns they are durable.

        After a failure, append the same events again, with any new ones after them. If the
        connection was lost after the first attempt had been committed, the events are found in the
        database and not written twice.

        Arguments:
            drafts: events in order, not yet placed.

        Returns:
            The same events, placed.

        Raises:
            RecordTrouble: if they could not be written, or it is unknown whether they were.
        """
        chains = self.chains.copy()
        events = [chains.place(draft) for draft in drafts]
        self._insert(events)
        self.chains = chains
        return events

    def append_placed(self, events: Sequence[Event]) -> None:
        """Appends events that are already placed, as a copy does.

        Raises:
            RecordTrouble: if they can't be written.
        """
        self._insert(events)
        for event in events:
            self.chains.follow(event)

    def seal(self, name: str, value: Any) -> None:
        """Stores a sealed value, once, outside the chains. Sealing the same value again does
        nothing.

        Raises:
            RecordTrouble: if it can't be written, or another value has this name.
        """
        text = canonical(value).decode()

        def write(connection: sa.Connection) -> str | None:
            found = connection.execute(sa.select(SEALED.c.value).where(SEALED.c.name == name))
            kept: str | None = found.scalar_one_or_none()
            if kept is None:
                connection.execute(SEALED.insert(), {"name": name, "value": text})
            return kept

        with database.as_record_trouble(self._url):
            kept = self._write(write)
        if kept not in (None, text):
            raise RecordTrouble(f"{self.name}: another value is already sealed under {name!r}")

    # Writing

    def _insert(self, events: Sequence[Event]) -> None:
        """Writes the next events, except those that are already written."""
        rows = [{**event.as_json(), "body": canonical(event.body).decode()} for event in events]
        with database.as_record_trouble(self._url):
            try:
                self._insert_rows(rows)
            except sa.exc.IntegrityError:
                # The number is in use: by our own event from an unconfirmed commit, or by another
                # server's?
                found = [row.hash for row in self.rows(after=events[0].seq - 1)]
                if found != [event.hash for event in events[: len(found)]]:
                    raise RecordTrouble(
                        f"{self.name}: after event {events[0].seq - 1} it has events that this "
                        "server did not write: another server has written to it; stop this one, "
                        "and check the record with `loebner verify`"
                    ) from None
                self._insert_rows(rows[len(found) :])

    @cached_property
    def _insertion(self) -> str:
        # As text: SQLAlchemy's handling of each value would take a fifth of the writer's time.
        return str(EVENTS.insert().compile(self._engine))

    def _insert_rows(self, rows: list[dict[str, Any]]) -> None:
        if rows:
            self._write(lambda connection: connection.exec_driver_sql(self._insertion, rows))

    def _write(self, statements: Callable[[sa.Connection], _T]) -> _T:
        """Executes statements in a transaction; once more, on a new connection, if the connection
        was lost. So a round continues if the database was away only while nobody typed."""
        try:
            with self.transaction() as connection:
                return statements(connection)
        except sa.exc.DBAPIError as exc:
            if not exc.connection_invalidated:
                raise
        with self.transaction() as connection:
            return statements(connection)

    @contextmanager
    def transaction(self) -> Iterator[sa.Connection]:
        """A transaction of the writer, committed at the end of the context; one at a time.

        If the context ends without an exception, the transaction is durable. Otherwise it is rolled
        back, unless the connection was lost during the commit: then it may be durable after all.

        Raises:
            InUse: if another server has locked the record before this one wrote anything.
            NotAContest, NewerRecord: if there is no record to write.
            RecordTrouble: if another server has locked the record since.
            sqlalchemy.exc.DBAPIError: if the database refuses or can't be reached.
        """
        with self._writing:
            connection = self._open_connection()
            try:
                with connection.begin():
                    yield connection
            except sa.exc.DBAPIError as exc:
                refused = isinstance(exc, sa.exc.IntegrityError)
                if not refused and database.cause(exc) not in ("full", "held"):
                    self._drop(connection)  # it may no longer be usable
                raise

    def _open_connection(self) -> sa.Connection:
        if self._connection is not None:
            return self._connection
        connection = None
        try:
            if not self._was_locked:
                self._lock_file()
            connection = self._engine.connect().execution_options(**{database.WRITES: True})
            if not database.is_sqlite(self._url):
                self._lock_session(connection)
            if not self._was_locked:
                with connection.begin():
                    database.prepare(connection, self.name, self._create)
        except BaseException:
            if connection is not None:
                self._drop(connection)
            if not self._was_locked:
                self._file_lock.close()
            raise
        self._connection = connection
        self._was_locked = True
        return connection

    def _lock_file(self) -> None:
        file = database.file_of(self._url)
        if file is None:
            return
        if not file.parent.is_dir():
            raise RecordTrouble(
                f"{file}: there is no folder {file.parent}; create it, or name another"
            )
        lock = file.with_name(file.name + "-lock")
        self._file_lock.enter_context(lock_file(lock, self._refusal()))
        try:
            _make_private(file)
        except OSError as exc:
            raise RecordTrouble(f"{file}: can't be written ({exc.strerror or exc})") from exc

    def _lock_session(self, connection: sa.Connection) -> None:
        try:
            with connection.begin():
                place = connection.execute(sa.text("SELECT current_schema()")).scalar()
                encoding = connection.execute(sa.text("SHOW server_encoding")).scalar()
                if encoding != "UTF8":
                    raise BadSettings(
                        f"{self.name}: its encoding is {encoding}, which can't hold everything "
                        "that people type; create a database with ENCODING 'UTF8'"
                    )
                key = hashlib.sha256(f"loebner record {place}".encode()).digest()[:8]
                connection.execute(
                    sa.text("SELECT pg_advisory_lock(:key)"),
                    {"key": int.from_bytes(key, signed=True)},
                )
        except sa.exc.DBAPIError as exc:
            if database.cause(exc) != "held":
                raise
            if self._was_locked:
                raise RecordTrouble(
                    f"{self.name}: the record is still locked, by the lost connection or by "
                    "another server"
                ) from exc
            raise InUse(self._refusal()) from exc

    def _refusal(self) -> str:
        return (
            f"{self.name}: another server is writing this record; stop it first, or name another "
            "database for this contest"
        )

    def _drop(self, connection: sa.Connection) -> None:
        self._connection = None
        with contextlib.suppress(sa.exc.SQLAlchemyError):
            # Don't return it to the pool, where the session would keep its lock.
            connection.invalidate()
        with contextlib.suppress(sa.exc.SQLAlchemyError):
            connection.close()


def _make_private(file: Path) -> None:
    """Makes the record readable by its owner only, because it says who sits where."""
    # Create the file only if it doesn't exist: closing a file descriptor would release the locks
    # that SQLite holds on the file in this process.
    with contextlib.suppress(FileExistsError):
        os.close(os.open(file, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
    for ending in ("", "-wal", "-shm"):
        with contextlib.suppress(FileNotFoundError, PermissionError):
            os.chmod(f"{file}{ending}", 0o600)


def _read_chains(connection: sa.Connection) -> Chains:
    """The heads, read from the database through its index and not event by event."""
    last = (
        sa.select(sa.func.max(EVENTS.c.seq).label("seq"), sa.func.count().label("events"))
        .group_by(EVENTS.c.talk)
        .subquery()
    )
    query = sa.select(EVENTS.c.seq, EVENTS.c.talk, EVENTS.c.hash, last.c.events)
    query = query.join(last, last.c.seq == EVENTS.c.seq).order_by(EVENTS.c.seq)
    chains = Chains()
    for seq, talk, head, events in connection.execute(query):
        chains.last_seq, chains.ends[talk] = seq, (head, events)
    return chains


# The second copy


class Copy:
    """A second copy of a record, in a file on another disk, updated during the contest.

    It has all events and all sealed values, so that a contest can be continued from it. A separate
    thread writes it, a moment after the record. Nobody waits for it, even if its disk is slow or
    full. It catches up when it is opened, and when it can be written again.

    Arguments:
        file: the copy; a SQLite database like the record, readable by its owner only.
        record: the record to copy.

    Attributes:
        trouble: why the copy is behind, in words; empty if it isn't.

    Raises:
        InUse: if another server keeps a copy there.
        RecordTrouble: if it can't be written, or belongs to another contest.
    """

    def __init__(self, file: Path, record: Record) -> None:
        self._source = record
        try:
            self._record = Record(sqlite_url(file), create=True)
        except InUse as exc:
            raise InUse(
                f"{file}: another server keeps its copy here; name another file in [record] copy_to"
            ) from exc
        try:
            self._compare()
            self._catch_up()
            self._copy_sealed()
        except BaseException:
            self._record.close()
            raise
        # Events handed over to the thread; None ends it.
        self._groups: queue.Queue[Sequence[Event] | None] = queue.Queue(QUEUED)
        self.trouble = ""
        self._closing = threading.Event()
        self._thread = threading.Thread(target=self._work, name="contest-copy", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Writes the remaining events and closes the file."""
        self._closing.set()
        with contextlib.suppress(queue.Full):
            self._groups.put(None, timeout=CLOSE_LIMIT)
        self._thread.join(CLOSE_LIMIT)
        if self._thread.is_alive():
            log.error(
                "%s: the second copy is behind because its disk does not respond", self._record.name
            )
            return
        self._record.close()

    def add(self, events: Sequence[Event]) -> None:
        """Queues events of the record for the copy; without events, only new sealed values are
        copied."""
        with contextlib.suppress(queue.Full):  # the thread will read these from the record
            self._groups.put_nowait(events)

    def _work(self) -> None:
        ends = False
        while not ends:
            events: Sequence[Event] | None = ()
            if self.trouble:
                ends = self._closing.wait(COPY_RETRY)
            else:
                events = self._groups.get()
                ends = events is None
            try:
                last = self._record.chains.last_seq
                if events and [e.seq for e in events] == [*range(last + 1, last + 1 + len(events))]:
                    self._record.append_placed(events)
                else:
                    self._catch_up()
                    self._copy_sealed()
            except RecordTrouble as exc:
                if not self.trouble:
                    log.error("the second copy of the record is behind: %s", exc)
                self.trouble = str(exc)
            else:
                self.trouble = ""

    def _compare(self) -> None:
        theirs = self._source.hashes()
        for mine in self._record.hashes():
            its = next(theirs, None)
            if its is None:
                raise RecordTrouble(
                    f"{self._record.name}: this copy has more events than {self._source.name}, "
                    f"which ends at event {mine[0] - 1}; run `loebner recover`"
                )
            if its != mine:
                raise RecordTrouble(
                    f"{self._record.name}: this copy belongs to another contest; "
                    "name another file in [record] copy_to"
                )

    def _catch_up(self) -> None:
        self._record.append_placed(list(self._source.events(after=self._record.chains.last_seq)))

    def _copy_sealed(self) -> None:
        kept = self._record.unseal("")
        for name, value in self._source.unseal("").items():
            if kept.get(name) != value:
                self._record.seal(name, value)
