"""The databases that hold a record: addresses, error messages, tables and their revisions,
connections.

An address may contain a password. No name or message from this module shows it: database names are
built from the other parts of the address, and passwords are removed from drivers' errors.

A new record is created with the current tables. An older one is upgraded in one transaction when it
is opened for writing; readers accept any revision up to the current one and change nothing.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy import event as sa_event

from contest.errors import BadSettings, NewerRecord, NotAContest, RecordTrouble
from texts import Sentence

#: The record's file in a contest's folder, unless settings name a database.
FILE_NAME = "record.db"

# Addresses

_POSTGRESQL, _SQLITE = "postgresql+psycopg", "sqlite+pysqlite"
#: Short names of these drivers.
_DRIVERS = {"postgresql": _POSTGRESQL, "postgres": _POSTGRESQL, "sqlite": _SQLITE}
#: Secret parameters in the query of an address.
_SECRET = ("password", "sslpassword")

_NO_DATABASE = (
    "the record's database ([record] database, or --database) must be the address of a SQLite or "
    "PostgreSQL database, such as sqlite:////srv/contest.db or postgresql://host/contest"
)
_NOT_PARSED = (
    "the address of the record's database ([record] database, or --database) can't be split into "
    "user, password, host, port and name; in a user name or password write %40 for @, %3A for :, "
    "%2F for / and %25 for %, or keep the password in a file that PGPASSFILE names"
)


def address(text: str) -> sa.URL:
    """Reads the address of a database.

    Arguments:
        text: in SQLAlchemy's form; `postgresql://…` means psycopg 3.

    Raises:
        BadSettings: if no record can be kept in such a database.
    """
    try:
        url = sa.make_url(text)
    except sa.exc.ArgumentError:
        raise BadSettings(_NO_DATABASE) from None
    except ValueError:
        # The port is not a number. Don't quote it: it may be part of a password.
        raise BadSettings(_NOT_PARSED) from None
    driver = _DRIVERS.get(url.drivername, url.drivername)
    if driver not in _DRIVERS.values():
        raise BadSettings(_NO_DATABASE)
    if driver == _POSTGRESQL and "@" in (url.host or "") + (url.database or ""):
        raise BadSettings(_NOT_PARSED)
    return url.set(drivername=driver)


def record_url(folder: Path, setting: str) -> str:
    """The address of a contest's record: from its settings, or the file in its folder."""
    return setting or sqlite_url(folder / FILE_NAME)


def sqlite_url(file: Path) -> str:
    """The address of a record in a file."""
    return str(sa.URL.create("sqlite", database=str(file)))


def is_sqlite(url: sa.URL) -> bool:
    """Whether the record is in SQLite."""
    return url.get_backend_name() == "sqlite"


def file_of(url: sa.URL) -> Path | None:
    """The file of a SQLite database; None for any other database, or one in memory."""
    name = url.database or ""
    if not is_sqlite(url) or name in ("", ":memory:") or name.startswith("file:"):
        return None
    return Path(name)


def name_of(url: sa.URL) -> str:
    """A database's name for messages: the file, or host and name; no user, no password."""
    if is_sqlite(url):
        return url.database or "a database in memory"
    host = url.host or str(url.query.get("host") or "")
    port = f":{url.port}" if url.port else ""
    return f"postgresql://{host}{port}/{url.database or ''}"


# Errors

#: What can go wrong with a database: the codes of SQLite and PostgreSQL. For a connection that is
#: lost or can't be made, PostgreSQL gives no code, or only its class. `trouble` in texts/ has the
#: remedies.
_CAUSES: dict[str, Collection[int | str]] = {
    "lost": ("", "08", "57"),
    "full": (sqlite3.SQLITE_FULL, "53100"),
    "held": (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, "55P03"),
    "damaged": (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB),
    "other": (),
}


def cause(error: sa.exc.DBAPIError) -> str:
    """The cause of a database's error: `lost`, `full`, `held`, `damaged`, or `other`."""
    state = getattr(error.orig, "sqlstate", "-") or ""
    found = {getattr(error.orig, "sqlite_errorcode", -1) & 0xFF, state, state[:2]}
    if error.connection_invalidated:
        return "lost"
    if not isinstance(error, sa.exc.OperationalError):
        found.discard("")
    return next((name for name, codes in _CAUSES.items() if found & set(codes)), "other")


def in_words(error: BaseException, url: sa.URL) -> str:
    """A driver's error in one line, without any password from the address."""
    text = str(getattr(error, "orig", None) or error)
    secret = {url.password or ""}
    for name in _SECRET:
        values = url.query.get(name, "")
        secret.update([values] if isinstance(values, str) else values)
    for each in sorted(secret - {""}, key=len, reverse=True):
        text = text.replace(each, "***")
    return " ".join(text.split())


@contextmanager
def as_record_trouble(url: sa.URL) -> Iterator[None]:
    """Turns a database's errors into RecordTrouble, with the remedy.

    Raises:
        RecordTrouble: instead of the database's own errors.
    """
    try:
        yield
    # An error that quotes a damaged schema may not be valid Unicode.
    except (sa.exc.SQLAlchemyError, sqlite3.Error, UnicodeError, OSError) as exc:
        file = file_of(url)
        # Ask only for its rights: closing it would release SQLite's locks in this process.
        if file is not None and os.path.exists(file) and not os.access(file, os.R_OK):
            raise RecordTrouble(
                f"{file}: this user may not read the record; run this as the file's owner"
            ) from exc
        why = Sentence("trouble.record", name=name_of(url), why=in_words(exc, url))
        if isinstance(exc, sa.exc.DBAPIError):
            why = Sentence("trouble.remedy", why=why, remedy=Sentence(f"trouble.when_{cause(exc)}"))
        raise RecordTrouble(why) from exc


# Tables

METADATA = sa.MetaData()

#: The events, one per row. `talk` is NULL for the contest's own chain.
EVENTS = sa.Table(
    "events",
    METADATA,
    sa.Column("seq", sa.BigInteger().with_variant(sa.Integer, "sqlite"), primary_key=True),
    sa.Column("talk", sa.Text, nullable=True, index=True),
    sa.Column("at", sa.Text, nullable=False),
    sa.Column("mono_ns", sa.BigInteger, nullable=False),
    *(sa.Column(name, sa.Text, nullable=False) for name in ("actor", "kind", "body")),
    *(sa.Column(name, sa.Text, nullable=False) for name in ("prev", "hash")),
)
#: Values that stay sealed for a while, and the settings as they were; outside the chains.
SEALED = sa.Table(
    "sealed",
    METADATA,
    sa.Column("name", sa.Text, primary_key=True),
    sa.Column("value", sa.Text, nullable=False),
)
#: The revision of the tables.
VERSION = sa.Table(
    "alembic_version",
    METADATA,
    sa.Column("version_num", sa.String(32), nullable=False),
    sa.PrimaryKeyConstraint("version_num", name="alembic_version_pkc"),
)

#: The message of a refusal, in both databases.
REFUSAL = "the record is append-only"
_KEYS = {"events": "seq", "sealed": "name"}


def triggers(dialect: str) -> list[str]:
    """The statements that make a record append-only, for a database that has its tables.

    Arguments:
        dialect: `sqlite` or `postgresql`.
    """
    if dialect == "sqlite":
        return [
            f"CREATE TRIGGER {table}_no_{verb} BEFORE {verb.upper()} ON {table} "
            f"BEGIN SELECT RAISE(ABORT, '{REFUSAL}'); END"
            for table in _KEYS
            for verb in ("update", "delete")
        ] + [
            # INSERT OR REPLACE deletes without firing the DELETE trigger.
            f"CREATE TRIGGER {table}_no_replace BEFORE INSERT ON {table} "
            f"WHEN EXISTS (SELECT 1 FROM {table} WHERE {key} = NEW.{key}) "
            f"BEGIN SELECT RAISE(ABORT, '{REFUSAL}'); END"
            for table, key in _KEYS.items()
        ]
    return [
        # With this code, drivers raise an integrity error.
        "CREATE FUNCTION record_is_append_only() RETURNS trigger LANGUAGE plpgsql AS "
        f"$$ BEGIN RAISE EXCEPTION '{REFUSAL}' USING ERRCODE = 'restrict_violation'; END $$",
    ] + [
        f"CREATE TRIGGER {table}_no_{verb} BEFORE {verb.upper()} ON {table} "
        "FOR EACH STATEMENT EXECUTE FUNCTION record_is_append_only()"
        for table in _KEYS
        for verb in ("update", "delete", "truncate")
    ]


@sa_event.listens_for(METADATA, "after_create")
def _protect(_target: object, connection: sa.Connection, **_: object) -> None:
    for statement in triggers(connection.dialect.name):
        connection.exec_driver_sql(statement)


# Revisions

#: All revisions, in order. 0001 had no triggers in PostgreSQL, and only some in SQLite.
REVISIONS: tuple[str, ...] = ("0001", "0002")


def revision_of(connection: sa.Connection, name: str) -> str | None:
    """The revision of a record.

    Arguments:
        connection: to its database.
        name: the database's name for messages.

    Returns:
        One of `REVISIONS`, or None if there is no record.

    Raises:
        NotAContest: if the database belongs to another program.
        NewerRecord: if a newer version of this program made the record.
        RecordTrouble: if its revision is unknown.
    """
    inspector = sa.inspect(connection)
    if not inspector.has_table(EVENTS.name):
        return None
    if not inspector.has_table(VERSION.name):
        # A record from before there were revisions has the same columns as a current one.
        if {column["name"] for column in inspector.get_columns(EVENTS.name)} != {*EVENTS.c.keys()}:
            raise NotAContest(
                f"{name}: its table `events` is not a contest's record; name another database"
            )
        return REVISIONS[0]
    found = [row.version_num for row in connection.execute(sa.select(VERSION))]
    if len(found) == 1 and found[0] in REVISIONS:
        return str(found[0])
    shown = ", ".join(map(str, found)) or "none"
    if len(found) == 1 and shown.isascii() and shown.isdigit() and shown > REVISIONS[-1]:
        raise NewerRecord(
            f"{name}: a newer version of this program made this record (revision {shown}; this "
            f"version knows revisions up to {REVISIONS[-1]}); use that version"
        )
    raise RecordTrouble(
        f"{name}: the revision of its tables is unknown ({shown!a}): the database is damaged "
        "or belongs to another program"
    )


def prepare(connection: sa.Connection, name: str, create: bool) -> None:
    """Prepares a database for writing: creates the tables, or upgrades them.

    Arguments:
        connection: in a transaction, in which all of this is done.
        name: the database's name for messages.
        create: create a record if there is none.

    Raises:
        NotAContest: if there is no record and `create` is false.
        NewerRecord, RecordTrouble: see `revision_of`.
    """
    found = revision_of(connection, name)
    if found is None:
        if not create:
            raise NotAContest(f"{name}: this database has no contest's record")
        METADATA.create_all(connection)
    elif found == REVISIONS[0]:
        VERSION.create(connection, checkfirst=True)
        connection.execute(VERSION.delete())
        for statement in triggers(connection.dialect.name):
            if connection.dialect.name == "sqlite":  # it has some of them already
                statement = statement.replace("TRIGGER", "TRIGGER IF NOT EXISTS", 1)
            connection.exec_driver_sql(statement)
    else:
        return
    connection.execute(VERSION.insert(), {"version_num": REVISIONS[-1]})


# Connections

#: Milliseconds to wait for another program's lock; afterwards, the journal retries.
PATIENCE = 1000
#: SQLite's setting for commits: a committed key survives a power cut, not only a server's crash.
SYNCHRONOUS = "FULL"
#: An option of connections that write: SQLite's transactions then begin by taking the lock.
WRITES = "record_is_written"

# Both ends notice within a dozen seconds that the other's machine or network has died. Until then
# the dead server's session locks the record against the server that continues the contest.
_TIMEOUTS = {
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
    # A committed key survives a power cut. Stricter settings, such as for a replica, are kept.
    "SELECT set_config('synchronous_commit', 'on', false) "
    "WHERE current_setting('synchronous_commit') IN ('off', 'local')",
)


def engine_of(url: sa.URL, *, writes: bool) -> sa.Engine:
    """Makes the engine of a record. Reading works on read-only media too.

    Arguments:
        url: from `address`.
        writes: whether the engine may write.

    Raises:
        NotAContest: if the engine only reads and there is no such file.
        BadSettings: if the address can't be used, or the database's driver is not installed.
    """
    file = file_of(url)
    if is_sqlite(url) and not writes:
        if file is None or not file.is_file():
            raise NotAContest(f"{name_of(url)}: no record here; has this contest been played?")
        return sa.create_engine("sqlite://", creator=lambda: _read(file), poolclass=sa.NullPool)
    options: dict[str, Any] = {"paramstyle": "named"}
    if not is_sqlite(url):
        patience = {name: value for name, value in _TIMEOUTS.items() if name not in url.query}
        options = {"connect_args": patience, "pool_pre_ping": writes}
        if not writes:
            # Keep one idle connection: each talk's keys are read by a separate query.
            options |= {"pool_size": 1, "execution_options": {"postgresql_readonly": True}}
    try:
        engine = sa.create_engine(url, **options)
    except (sa.exc.ArgumentError, ModuleNotFoundError) as exc:
        raise BadSettings(f"the record's database can't be used: {in_words(exc, url)}") from exc
    if writes:
        prepares = _prepare_sqlite if is_sqlite(url) else _prepare_postgresql
        sa_event.listen(engine, "connect", prepares)
        if is_sqlite(url):
            sa_event.listen(engine, "begin", _begin_sqlite)
    return engine


def _read(file: Path) -> sqlite3.Connection:
    place = f"{file.resolve().as_uri()}?mode=ro"
    logs = [file.with_name(file.name + ending) for ending in ("-wal", "-journal")]
    if not any(log.exists() and log.stat().st_size for log in logs):
        # Nobody is writing. With this option SQLite creates no files beside the record.
        place += "&immutable=1"
    connection = sqlite3.connect(place, uri=True)
    try:
        connection.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchone()
    except BaseException:
        connection.close()
        raise
    connection.text_factory = _text
    return connection


def _text(raw: bytes) -> str:
    # Invalid UTF-8 means that the record was changed: `verify` reports it, so don't crash here.
    return raw.decode("utf-8", "surrogateescape")


def _prepare_sqlite(connection: Any, _record: Any) -> None:
    connection.text_factory = _text
    # We begin transactions ourselves, those that write by taking the lock.
    connection.isolation_level = None
    for pragma in (f"busy_timeout={PATIENCE}", "journal_mode=WAL", f"synchronous={SYNCHRONOUS}"):
        connection.execute(f"PRAGMA {pragma}").close()


def _begin_sqlite(connection: sa.Connection) -> None:
    writes = connection.get_execution_options().get(WRITES)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


def _prepare_postgresql(connection: Any, _record: Any) -> None:
    with connection.cursor() as cursor:
        for statement in _SESSION:
            cursor.execute(statement)
    connection.commit()
