"""Addresses of databases, what messages call them, and their errors in words.

An address may hold a password. Nothing that is made here from an address or from an error holds
one: names of databases are put together from what is harmless, and errors of drivers are searched.
"""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from contest.errors import BadSettings

#: What may be written for PostgreSQL; psycopg 3 is meant by all of them.
_POSTGRESQL = frozenset({"postgresql", "postgres", "postgresql+psycopg"})
_SQLITE = frozenset({"sqlite", "sqlite+pysqlite"})
#: What a query of an address may hold that nobody is to see.
_SECRET = ("password", "sslpassword")

_NO_DATABASE = (
    "the record's database ([record] database, or --database) is no address of one that can be "
    "used here; write one such as sqlite:////srv/contest.db or postgresql://host/contest"
)
_NOT_PARTED = (
    "the record's database ([record] database, or --database) can't be taken apart into user, "
    "password, host, port and name; within a user's name or a password write %40 for @, %3A for :, "
    "%2F for / and %25 for %, or keep the password in a file that PGPASSFILE names"
)

#: PostgreSQL's codes: the disk is full; somebody else holds a lock.
_DISK_FULL = "53100"
_LOCK_NOT_HAD = "55P03"
#: SQLite's, without the byte that tells more: the disk is full; somebody else holds a lock.
_SQLITE_FULL = sqlite3.SQLITE_FULL
_SQLITE_HELD = frozenset({sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED})


def address(text: str) -> sa.URL:
    """Reads the address of a database.

    Arguments:
        text: as SQLAlchemy writes it; `postgresql://…` means psycopg 3.

    Raises:
        BadSettings: if it is none of a database that can hold a record.
    """
    try:
        url = sa.make_url(text)
    except sa.exc.ArgumentError:
        raise BadSettings(_NO_DATABASE) from None
    except ValueError:
        # A port that is no number: a piece of a password, maybe, and not to be quoted.
        raise BadSettings(_NOT_PARTED) from None
    if url.drivername in _POSTGRESQL:
        if any("@" in part for part in (url.host or "", url.database or "")):
            raise BadSettings(_NOT_PARTED)
        return url.set(drivername="postgresql+psycopg")
    if url.drivername in _SQLITE:
        return url.set(drivername="sqlite+pysqlite")
    raise BadSettings(_NO_DATABASE)


def sqlite_url(file: Path) -> str:
    """The address of a record in a file."""
    return str(sa.URL.create("sqlite", database=str(file)))


def is_sqlite(url: sa.URL) -> bool:
    """Whether the record is a file of SQLite's."""
    return url.get_backend_name() == "sqlite"


def file_of(url: sa.URL) -> Path | None:
    """The file of a SQLite database; None where it is none, or in memory."""
    name = url.database or ""
    if not is_sqlite(url) or name in ("", ":memory:") or name.startswith("file:"):
        return None
    return Path(name)


def name_of(url: sa.URL) -> str:
    """What messages call a database: the file, or host and name; no user, no password."""
    if is_sqlite(url):
        return url.database or "a database in memory"
    host = url.host or str(url.query.get("host") or "")
    port = f":{url.port}" if url.port else ""
    return f"postgresql://{host}{port}/{url.database or ''}"


def in_words(error: BaseException, url: sa.URL) -> str:
    """An error of a driver in one line, without any password of the address."""
    text = str(getattr(error, "orig", None) or error)
    secrets = {url.password or ""}
    for name in _SECRET:
        values = url.query.get(name, "")
        secrets.update([values] if isinstance(values, str) else values)
    for secret in sorted(secrets - {""}, key=len, reverse=True):
        text = text.replace(secret, "***")
    return " ".join(text.split())


def remedy(error: sa.exc.DBAPIError) -> str:
    """What is wrong when a record can't be used, and what to do, in one clause."""
    cause: Any = error.orig
    if is_lost(error):
        return "its database can't be reached; see whether it runs, and whether the network does"
    if is_full(error):
        return "the disk is full; free some room on it"
    if is_held(error):
        return "another program holds it; see which one, and end that"
    if isinstance(cause, sqlite3.DatabaseError) and _primary(cause) in (
        sqlite3.SQLITE_CORRUPT,
        sqlite3.SQLITE_NOTADB,
    ):
        return "it is damaged; run `loebner verify`, and `loebner recover` for what is left"
    return "see its database, and the disk that it is on"


def is_lost(error: sa.exc.DBAPIError) -> bool:
    """Whether the connection to the database is gone, or could not be had."""
    # A connection that can't be had has no code; one that was ended by the database says so.
    code = getattr(error.orig, "sqlstate", None) or ""
    postgresql = hasattr(error.orig, "sqlstate")
    return error.connection_invalidated or (
        postgresql
        and isinstance(error, sa.exc.OperationalError)
        and (not code or code[:2] in ("08", "57"))
    )


def is_full(error: sa.exc.DBAPIError) -> bool:
    """Whether the disk under the database is full."""
    return (
        getattr(error.orig, "sqlstate", None) == _DISK_FULL or _primary(error.orig) == _SQLITE_FULL
    )


def is_held(error: sa.exc.DBAPIError) -> bool:
    """Whether another program holds a lock that is in the way."""
    return (
        getattr(error.orig, "sqlstate", None) == _LOCK_NOT_HAD
        or _primary(error.orig) in _SQLITE_HELD
    )


def _primary(error: BaseException | None) -> int | None:
    code = getattr(error, "sqlite_errorcode", None)
    return code & 0xFF if isinstance(code, int) else None
