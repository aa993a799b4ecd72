"""The record: the append-only event log in a database, by SQLAlchemy Core.

Synchronous; `contest.record.journal` is its asyncio shell. Nothing is ever updated or deleted; the
database itself refuses it by triggers. What has to stay sealed for a while (where the human sits,
the hashes of codes) is in a separate table, outside the chains.

One connection writes. A second server is refused for as long as the first one holds the record,
from whatever folder or machine: by a lock on a file beside a SQLite database, by a lock of the
session in PostgreSQL. Both die with their holder. A connection that is lost is made again at the
next try, and the lock taken again with it.
"""

from __future__ import annotations

import contextlib
import hashlib
import logging
import os
import queue
import threading
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from contest.errors import BadSettings, InUse, NotAContest, RecordTrouble
from contest.record import database
from contest.record.database import EVENTS, FILE_NAME, SEALED, record_url, sqlite_url
from contest.record.events import Chains, Event, canonical
from contest.record.reading import Reader
from contest.setup.lock import hold

__all__ = ["FILE_NAME", "Record", "record_url", "sqlite_url"]


log = logging.getLogger(__name__)

#: Seconds before a copy that could not be written is tried again.
COPY_RETRY = 1.0
#: Groups of events kept for a slow disk; if there are more, they are read from the record.
HANDED_OVER = 1000
#: Seconds that the end waits for a copy: its disk may be gone.
LAST = 10.0


class Record(Reader):
    """An open record.

    Arguments:
        url: the database, as SQLAlchemy writes it: a file of SQLite's, or PostgreSQL.
        create: open it for writing at once, and make it if there is none; an older one is brought
            up to date. Else a record must be there, and is held from the first writing on.

    Attributes:
        name: what messages call it; holds no password.
        chains: the heads, as of what this writer has appended.

    Raises:
        BadSettings: if the address can't be used.
        NotAContest: if there is no record and none is to be made.
        LaterRecord: if a later version of this program made it.
        InUse: if it is to be written, and another server writes it.
        RecordTrouble: if the database can't be opened or written.
    """

    def __init__(self, url: str, *, create: bool = False) -> None:
        place = database.address(url)
        file = database.file_of(place)
        if not create and file is not None and not file.is_file():
            raise NotAContest(f"{file}: no record here; has this contest been played?")
        super().__init__(place, database.engine_of(place, writes=True))
        self._create = create
        self._turn = threading.Lock()
        self._connection: sa.Connection | None = None
        self._file_lock = ExitStack()
        self._has_held = False
        try:
            if not create and not self.is_begun():
                raise NotAContest(f"{self.name}: this database has no contest's record")
            with (
                database.troubles(place),
                self.transaction() if create else self._engine.connect() as connection,
            ):
                self.chains = _chains(connection)
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Record:
        return self

    def __exit__(self, *exc_info: object) -> None:
        self.close()

    def close(self) -> None:
        """Gives the record back."""
        with self._turn:
            if self._connection is not None:
                self._drop(self._connection)
            self._file_lock.close()
            self._has_held = False
        self._engine.dispose()

    @property
    def url(self) -> str:
        """Where the record is, for another process to open it; with its password, if it has one."""
        return self._url.render_as_string(hide_password=False)

    def append(self, happened: Sequence[Event]) -> list[Event]:
        """Appends events in one transaction; when this returns they are durable.

        After a failure, append the same ones again, with others behind them if there are more: what
        was written although it seemed to fail, because the connection was lost, is then found and
        not written twice.

        Arguments:
            happened: events in their order, without a place.

        Returns:
            The same in their places.

        Raises:
            RecordTrouble: if they could not be written, or it is not known that they were.
        """
        chains = self.chains.copy()
        events = [chains.place(event) for event in happened]
        self._insert(events)
        self.chains = chains
        return events

    def take_over(self, events: Sequence[Event]) -> None:
        """Appends events that have their places already, as a copy does.

        Raises:
            RecordTrouble: if they can't be written.
        """
        self._insert(events)
        for event in events:
            self.chains.follow(event)

    def seal(self, name: str, value: Any) -> None:
        """Keeps something sealed, outside the chains; once. To seal the same again does nothing.

        Raises:
            RecordTrouble: if it can't be written, or the name is taken.
        """
        text = canonical(value).decode()
        with database.troubles(self._url), self.transaction() as connection:
            found = connection.execute(sa.select(SEALED.c.value).where(SEALED.c.name == name))
            kept = found.scalar_one_or_none()
            if kept is None:
                connection.execute(SEALED.insert(), {"name": name, "value": text})
        if kept not in (None, text):
            raise RecordTrouble(f"{self.name}: something else is sealed under {name!r} already")

    # Writing

    def _insert(self, events: Sequence[Event]) -> None:
        """Writes what is not written yet of events that come next."""
        rows = [{**event.as_json(), "body": canonical(event.body).decode()} for event in events]
        with database.troubles(self._url):
            try:
                self._insert_rows(rows)
            except sa.exc.IntegrityError:
                # Its place is taken: by itself, written when nobody heard of it, or by another one?
                found = [row.hash for row in self.rows(after=events[0].seq - 1)]
                if found != [event.hash for event in events[: len(found)]]:
                    raise RecordTrouble(
                        f"{self.name}: after event {events[0].seq - 1} it has events that this "
                        "server did not write: another server has written into it; end this one, "
                        "and check the record with `loebner verify`"
                    ) from None
                self._insert_rows(rows[len(found) :])

    def _insert_rows(self, rows: list[dict[str, Any]]) -> None:
        if rows:
            with self.transaction() as connection:
                connection.execute(EVENTS.insert(), rows)

    @contextmanager
    def transaction(self) -> Iterator[sa.Connection]:
        """A transaction of the writer, committed at the end of the context; one at a time.

        When that raises nothing, what was written is durable. Else it is rolled back; only where
        the connection was lost while it was committed it may have been written all the same.

        Raises:
            InUse: if another server holds the record, before anything was written here.
            NotAContest, LaterRecord: if there is no record to write.
            RecordTrouble: if another server has taken the record since.
            sqlalchemy.exc.DBAPIError: if the database refuses or can't be reached.
        """
        with self._turn:
            connection = self._connected()
            try:
                with connection.begin():
                    yield connection
            except sa.exc.DBAPIError as exc:
                refused = isinstance(exc, sa.exc.IntegrityError)
                if not refused and database.cause(exc) not in ("full", "held"):
                    self._drop(connection)  # it may be of no use any more
                raise

    def _connected(self) -> sa.Connection:
        if self._connection is not None:
            return self._connection
        connection = None
        try:
            if not self._has_held:
                self._take_file()
            connection = self._engine.connect().execution_options(**{database.WRITES: True})
            if not database.is_sqlite(self._url):
                self._take_session(connection)
            if not self._has_held:
                with connection.begin():
                    database.prepare(connection, self.name, self._create)
        except BaseException:
            if connection is not None:
                self._drop(connection)
            if not self._has_held:
                self._file_lock.close()
            raise
        self._connection = connection
        self._has_held = True
        return connection

    def _take_file(self) -> None:
        file = database.file_of(self._url)
        if file is None:
            return
        if not file.parent.is_dir():
            raise RecordTrouble(
                f"{file}: there is no folder {file.parent}; make it, or name another"
            )
        lock = file.with_name(file.name + "-lock")
        self._file_lock.enter_context(hold(lock, self._refusal()))
        try:
            _make_private(file)
        except OSError as exc:
            raise RecordTrouble(f"{file}: can't be written ({exc.strerror or exc})") from exc

    def _take_session(self, connection: sa.Connection) -> None:
        try:
            with connection.begin():
                place = connection.execute(sa.text("SELECT current_schema()")).scalar()
                encoding = connection.execute(sa.text("SHOW server_encoding")).scalar()
                if encoding != "UTF8":
                    raise BadSettings(
                        f"{self.name}: its encoding is {encoding}, which can't hold all that "
                        "people type; make a database with ENCODING 'UTF8'"
                    )
                key = hashlib.sha256(f"loebner record {place}".encode()).digest()[:8]
                connection.execute(
                    sa.text("SELECT pg_advisory_lock(:key)"),
                    {"key": int.from_bytes(key, signed=True)},
                )
        except sa.exc.DBAPIError as exc:
            if database.cause(exc) != "held":
                raise
            if self._has_held:
                raise RecordTrouble(
                    f"{self.name}: the lost connection still locks the record, or another server "
                    "has taken it"
                ) from exc
            raise InUse(self._refusal()) from exc

    def _refusal(self) -> str:
        return (
            f"{self.name}: another server writes this record; end that one first, or name another "
            "database for this contest"
        )

    def _drop(self, connection: sa.Connection) -> None:
        self._connection = None
        with contextlib.suppress(sa.exc.SQLAlchemyError):
            # Not back into the pool: a lock of the session would stay there.
            connection.invalidate()
        with contextlib.suppress(sa.exc.SQLAlchemyError):
            connection.close()


def _make_private(file: Path) -> None:
    """Only the owner may read a record: it says who sits where."""
    # Made here only if it is not there: to open a file and close it again would take SQLite's own
    # locks on it away, in this process.
    with contextlib.suppress(FileExistsError):
        os.close(os.open(file, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
    for ending in ("", "-wal", "-shm"):
        with contextlib.suppress(FileNotFoundError, PermissionError):
            os.chmod(f"{file}{ending}", 0o600)


def _chains(connection: sa.Connection) -> Chains:
    """The heads as the database has them: read by its index, not event by event."""
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
    """A second copy of a record, in a file on another disk, kept up while the contest goes on.

    It has all events and all that is sealed, so that a contest can be taken up from it. It trails
    the record by a moment: a separate thread writes it, and however slow or full that other disk
    is, nobody waits for it. What it lacks it takes in when it is opened, and when it can be written
    again.

    Arguments:
        file: where; a SQLite database like the record, which its owner alone can read.
        record: what to copy.

    Attributes:
        trouble: why it is behind, in words; empty while it is not.

    Raises:
        InUse: if another server keeps a copy there.
        RecordTrouble: if it can't be written, or holds another contest.
    """

    def __init__(self, file: Path, record: Record) -> None:
        self._source = record
        self._record = Record(sqlite_url(file), create=True)
        try:
            self._compare()
            self._catch_up()
            self._take_sealed()
        except BaseException:
            self._record.close()
            raise
        # What was handed over; None to end.
        self._groups: queue.Queue[Sequence[Event] | None] = queue.Queue(HANDED_OVER)
        self.trouble = ""
        self._closing = threading.Event()
        self._thread = threading.Thread(target=self._work, name="contest-copy", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Takes in what is left, and lets go of the file."""
        self._closing.set()
        with contextlib.suppress(queue.Full):
            self._groups.put(None, timeout=LAST)
        self._thread.join(LAST)
        if self._thread.is_alive():
            log.error("%s: the second copy's disk does not answer; it is behind", self._record.name)
            return
        self._record.close()

    def add(self, events: Sequence[Event]) -> None:
        """Hands over events that the record holds already; none, to have the copy take in what was
        sealed."""
        with contextlib.suppress(queue.Full):  # a slow disk takes these from the record
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
                    self._record.take_over(events)
                else:
                    self._catch_up()
                    self._take_sealed()
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
                    f"{self._record.name}: this copy has more than {self._source.name}, which ends "
                    f"at event {mine[0] - 1}; run `loebner recover`"
                )
            if its != mine:
                raise RecordTrouble(
                    f"{self._record.name}: this copy belongs to another contest; "
                    "name another file in [record] copy_to"
                )

    def _catch_up(self) -> None:
        self._record.take_over(list(self._source.events(after=self._record.chains.last_seq)))

    def _take_sealed(self) -> None:
        kept = self._record.unseal("")
        for name, value in self._source.unseal("").items():
            if kept.get(name) != value:
                self._record.seal(name, value)
