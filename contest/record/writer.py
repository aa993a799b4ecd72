"""The one connection that writes a record, and the lock that makes it the only one.

A second server is refused for as long as the first one holds the record, from whatever folder or
machine: by a lock on a file beside a SQLite database, by one of the session in PostgreSQL. Both die
with whoever holds them. A connection that is lost is made anew at the next try, and the lock taken
anew with it.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy import event as sa_event

from contest.errors import BadSettings, InUse, RecordTrouble
from contest.record import addresses, schema
from contest.record.wal import log_damage
from contest.setup.lock import hold

#: Milliseconds that somebody else's lock is waited for; the journal tries again anyway.
PATIENCE = 1000

#: An option of connections that write: SQLite's transactions then begin by taking the lock.
_WRITES = "record_is_written"

# A server whose machine or network died is noticed within a dozen seconds, at both ends: until then
# its session would hold the record against the one that takes the contest up.
_PATIENT = {
    "application_name": "loebner",
    "connect_timeout": "5",
    "keepalives_idle": "5",
    "keepalives_interval": "2",
    "keepalives_count": "3",
    "tcp_user_timeout": "10000",
}
_SESSION = (
    f"SET lock_timeout = {PATIENCE}",
    "SET tcp_keepalives_idle = 5",
    "SET tcp_keepalives_interval = 2",
    "SET tcp_keepalives_count = 3",
    # A committed key survives a power cut. A database that waits for more than its own disk may.
    "SELECT set_config('synchronous_commit', 'on', false) "
    "WHERE current_setting('synchronous_commit') IN ('off', 'local')",
)


def engine_for(url: sa.URL) -> sa.Engine:
    """The engine of a record that may be written.

    Arguments:
        url: from `addresses.address`.

    Raises:
        BadSettings: if the address can't be used, or the database's driver is not installed.
    """
    try:
        if addresses.is_sqlite(url):
            engine = sa.create_engine(url)
            sa_event.listen(engine, "connect", _prepare_sqlite)
            sa_event.listen(engine, "begin", _begin_sqlite)
        else:
            engine = sa.create_engine(url, connect_args=patience(url), pool_pre_ping=True)
            sa_event.listen(engine, "connect", _prepare_postgresql)
    except (sa.exc.ArgumentError, ModuleNotFoundError) as exc:
        raise BadSettings(
            f"the record's database can't be used: {addresses.in_words(exc, url)}"
        ) from exc
    return engine


def patience(url: sa.URL) -> dict[str, Any]:
    """What PostgreSQL's library is told beyond the address: not to wait for the dead."""
    return {name: value for name, value in _PATIENT.items() if name not in url.query}


class Writer:
    """Writes a record, as the only one.

    Arguments:
        url: from `addresses.address`.
        engine: from `engine_for`.
        create: make a record if there is none.
    """

    def __init__(self, url: sa.URL, engine: sa.Engine, create: bool) -> None:
        self._url = url
        self._name = addresses.name_of(url)
        self._engine = engine
        self._create = create
        self._turn = threading.Lock()
        self._connection: sa.Connection | None = None
        self._file_lock = ExitStack()
        self._has_held = False

    @contextmanager
    def transaction(self) -> Iterator[sa.Connection]:
        """A transaction, committed at the end of the context; one at a time.

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
                self._leave(connection, exc)
                raise

    def close(self) -> None:
        """Gives the record back."""
        with self._turn:
            if self._connection is not None:
                self._drop(self._connection)
            self._file_lock.close()
            self._has_held = False

    def _connected(self) -> sa.Connection:
        if self._connection is not None:
            return self._connection
        if not self._has_held:
            self._take_file()
        connection = None
        try:
            connection = self._engine.connect().execution_options(**{_WRITES: True})
            if not addresses.is_sqlite(self._url):
                self._take_session(connection)
            if not self._has_held:
                with connection.begin():
                    schema.prepare(connection, self._name, self._create)
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
        file = addresses.file_of(self._url)
        if file is None:
            return
        _refuse_nowhere(file)
        lock = file.with_name(file.name + "-lock")
        try:
            self._file_lock.enter_context(hold(lock))
        except InUse as exc:
            raise InUse(self._refusal()) from exc
        try:
            _make_private(file)
            damage = log_damage(file)
        except OSError as exc:
            self._file_lock.close()
            raise RecordTrouble(f"{file}: can't be written ({exc.strerror or exc})") from exc
        if damage:
            # Opened for writing, it would be cut off where it breaks, and the rest be lost.
            self._file_lock.close()
            raise RecordTrouble(
                f"{file}: {damage}; save what is left with `loebner recover` before anything else"
            )

    def _take_session(self, connection: sa.Connection) -> None:
        try:
            with connection.begin():
                place = connection.execute(sa.text("SELECT current_schema()")).scalar()
                encoding = connection.execute(sa.text("SHOW server_encoding")).scalar()
                if encoding != "UTF8":
                    raise BadSettings(
                        f"{self._name}: its encoding is {encoding}, which can't hold all that "
                        "people type; make a database with ENCODING 'UTF8'"
                    )
                key = hashlib.sha256(f"loebner record {place}".encode()).digest()[:8]
                connection.execute(
                    sa.text("SELECT pg_advisory_lock(:key)"),
                    {"key": int.from_bytes(key, signed=True)},
                )
        except sa.exc.DBAPIError as exc:
            if not addresses.is_held(exc):
                raise
            if self._has_held:
                raise RecordTrouble(
                    f"{self._name}: the lost connection still holds the record, or another server "
                    "has taken it"
                ) from exc
            raise InUse(self._refusal()) from exc

    def _refusal(self) -> str:
        return (
            f"{self._name}: another server writes this record; end that one first, or name another "
            "database for this contest"
        )

    def _leave(self, connection: sa.Connection, error: sa.exc.DBAPIError) -> None:
        """Lets go of a connection that an error has made useless."""
        known = addresses.is_full(error) or addresses.is_held(error)
        if known or isinstance(error, sa.exc.IntegrityError):
            return
        self._drop(connection)

    def _drop(self, connection: sa.Connection) -> None:
        self._connection = None
        with contextlib.suppress(sa.exc.SQLAlchemyError):
            # Not back into the pool: a lock of the session would stay there.
            connection.invalidate()
        with contextlib.suppress(sa.exc.SQLAlchemyError):
            connection.close()


def _refuse_nowhere(file: Path) -> None:
    if not file.parent.is_dir():
        raise RecordTrouble(f"{file}: there is no folder {file.parent}; make it, or name another")


def _make_private(file: Path) -> None:
    """Only the owner may read a record: it says who sits where."""
    # Made here only if it is not there: to open a file and close it again would take SQLite's own
    # locks on it away, in this process.
    with contextlib.suppress(FileExistsError):
        os.close(os.open(file, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
    for ending in ("", "-wal", "-shm"):
        with contextlib.suppress(FileNotFoundError, PermissionError):
            os.chmod(f"{file}{ending}", 0o600)


def _prepare_sqlite(connection: Any, _record: Any) -> None:
    # Bytes that are no UTF-8 are a changed record, which `verify` names, not a crash of ours.
    connection.text_factory = lambda raw: raw.decode("utf-8", "surrogateescape")
    # Transactions are begun by us, those that write by taking the lock.
    connection.isolation_level = None
    cursor = connection.cursor()
    cursor.execute(f"PRAGMA busy_timeout={PATIENCE}")
    cursor.execute("PRAGMA journal_mode=WAL")
    # FULL: a committed key survives a power cut, not only a crash of ours.
    cursor.execute("PRAGMA synchronous=FULL")
    cursor.close()


def _begin_sqlite(connection: sa.Connection) -> None:
    writes = connection.get_execution_options().get(_WRITES)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


def _prepare_postgresql(connection: Any, _record: Any) -> None:
    with connection.cursor() as cursor:
        for statement in _SESSION:
            cursor.execute(statement)
    connection.commit()
