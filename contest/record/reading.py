"""Reading a contest's record from its folder, without ever writing there.

A record is evidence: whoever reads it (transcripts, exports, `verify`) opens it read-only, also
from a medium that can't be written, and also while the server holds it. `rows` gives what stands
in the database however damaged; `log` gives events, or says where they can't be had. A record of
any earlier revision is read as it is; one of a later version of this program is refused.
"""

from __future__ import annotations

import sqlite3
import weakref
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import sqlalchemy as sa

from contest.errors import BadSettings, NotAContest, RecordTrouble
from contest.record import addresses, schema
from contest.record.logs import StoredLog
from contest.record.store import record_url
from contest.record.tables import EVENTS, SEALED
from contest.record.wal import log_damage
from contest.record.writer import patience
from contest.setup.settings import FILE_NAME as SETTINGS_FILE
from contest.setup.settings import load


class Row(NamedTuple):
    """An event as its row stands in the database: anything may be of any type."""

    seq: Any
    talk: Any
    at: Any
    mono_ns: Any
    actor: Any
    kind: Any
    body: Any
    prev: Any
    hash: Any


class RedactedRow(Row):
    """A row of a published record whose body is not all there; its hash is that of the whole."""

    __slots__ = ()


_COLUMNS = ", ".join(Row._fields)
#: Faults of its own that SQLite names.
_NAMED = 3


def place_of(folder: Path) -> str:
    """The URL of the record of a contest's folder.

    A folder whose settings are lost still has a record to read; settings that can't be used are
    said before anything else is, for nobody knows which database they mean.

    Raises:
        NotAContest: if there is no such folder.
        BadSettings: if its contest.toml can't be used.
    """
    if not folder.is_dir():
        raise NotAContest(f"{folder}: no such folder; name the folder of a contest")
    database = load(folder).record.database if (folder / SETTINGS_FILE).exists() else ""
    return record_url(folder, database)


def rows(folder: Path, *, thorough: bool = False) -> Iterator[Row]:
    """The rows of a contest's record in the order of their numbers, as they stand.

    Arguments:
        folder: the contest's folder.
        thorough: look at all of the database besides: its indexes, what is sealed, its log.

    Raises:
        NotAContest: if there is no such folder, or no record in it.
        LaterRecord: if a later version of this program made the record.
        RecordTrouble: if the database can't be read, at the beginning or further on; or, when all
            rows were given, if anything else is wrong with it.
    """
    yield from rows_at(place_of(folder), thorough=thorough)


def rows_at(
    place: str, *, thorough: bool = False, kinds: Collection[str] | None = None
) -> Iterator[Row]:
    """As `rows`, of the record at a URL; only those of some kinds if these are given."""
    with _opened(place) as (url, connection):
        query = sa.text(f"SELECT {_COLUMNS} FROM {EVENTS.name} ORDER BY seq")
        if kinds is not None:
            chosen = f"SELECT {_COLUMNS} FROM {EVENTS.name} WHERE kind IN :kinds ORDER BY seq"
            query = sa.text(chosen).bindparams(sa.bindparam("kinds", sorted(kinds), expanding=True))
        for row in _streamed(connection, query):
            yield Row(*tuple(row))
        if thorough:
            _look_through(url, connection)


def block_at(place: str, first: int, last: int) -> list[Row]:
    """The rows from one number to another of the record at a URL, found by their numbers: for one
    that can't be read as a whole.

    Raises:
        NotAContest, LaterRecord, RecordTrouble: see `rows`.
    """
    query = sa.text(
        f"SELECT {_COLUMNS} FROM {EVENTS.name} WHERE seq BETWEEN :first AND :last ORDER BY seq"
    )
    with _opened(place) as (_, connection):
        return [Row(*row) for row in connection.execute(query, {"first": first, "last": last})]


def last_at(place: str) -> int:
    """The number of the last event of the record at a URL, by its index; 0 if there is none.

    Raises:
        NotAContest, LaterRecord, RecordTrouble: see `rows`.
    """
    with _opened(place) as (_, connection):
        return int(connection.execute(sa.text("SELECT max(seq) FROM events")).scalar() or 0)


def begun_at(place: str) -> bool:
    """Whether there is a record at a URL, or only a database in which one is about to be made.

    Raises:
        NotAContest: if there is no database, or another program's.
        LaterRecord, RecordTrouble: see `rows`.
    """
    with _opened(place) as (url, connection):
        return schema.revision_of(connection, addresses.name_of(url)) is not None


def sealed_at(place: str) -> dict[str, str]:
    """What is sealed in the record at a URL: name to JSON.

    Raises:
        NotAContest, LaterRecord, RecordTrouble: see `rows`.
    """
    with _opened(place) as (_, connection):
        found = connection.execute(sa.text(f"SELECT name, value FROM {SEALED.name}"))
        return {row.name: row.value for row in found}


def log(folder: Path, end: int | None = None) -> StoredLog:
    """The record of a contest's folder as it is now, to be read more than once.

    Arguments:
        folder: the contest's folder.
        end: the number of its last event that is wanted; all if left out.

    Raises:
        NotAContest: if there is no such folder, or no record in it.
        LaterRecord: if a later version of this program made the record.
        RecordTrouble: if the database can't be read; also later, where something is read.
    """
    return StoredLog(_Readings(place_of(folder)), str(folder), end)


class _Readings:
    """Readings of the record at a URL, one after another.

    Raises:
        NotAContest, LaterRecord, RecordTrouble: see `rows`.
    """

    def __init__(self, place: str) -> None:
        with _opened(place) as (self._url, _):
            self._engine = _engine(self._url)
        # Whoever reads a contest's results does not ask who still holds the record open.
        weakref.finalize(self, self._engine.dispose)

    def __call__(self, query: sa.Select[Any]) -> Iterator[sa.Row[Any]]:
        with _troubles(self._url), self._engine.connect() as connection:
            yield from _streamed(connection, query)


def _streamed(connection: sa.Connection, query: sa.Executable) -> Iterator[sa.Row[Any]]:
    # Closed also where nobody reads to the end.
    with connection.execution_options(yield_per=2000).execute(query) as result:
        yield from result


@contextmanager
def _opened(place: str) -> Iterator[tuple[sa.URL, sa.Connection]]:
    """A record opened for reading."""
    try:
        url = addresses.address(place)
    except BadSettings as exc:
        raise NotAContest(f"{SETTINGS_FILE}: {exc}") from exc
    engine = _engine(url)
    try:
        with _troubles(url), engine.connect() as connection:
            # A later revision is refused; whether the tables are there is seen by reading them.
            schema.revision_of(connection, addresses.name_of(url))
            yield url, connection
    finally:
        engine.dispose()


def _engine(url: sa.URL) -> sa.Engine:
    file = addresses.file_of(url)
    if not addresses.is_sqlite(url):
        try:
            return sa.create_engine(
                url,
                # One that is not in use is kept: a talk's keys are read by a query of their own.
                pool_size=1,
                connect_args=patience(url),
                execution_options={"postgresql_readonly": True},
            )
        except (sa.exc.ArgumentError, ModuleNotFoundError) as exc:
            raise NotAContest(
                f"{SETTINGS_FILE}: [record] database can't be read ({addresses.in_words(exc, url)})"
            ) from exc
    if file is None or not file.is_file():
        raise NotAContest(
            f"{addresses.name_of(url)}: no record here; has this contest been played?"
        )
    return sa.create_engine("sqlite://", creator=lambda: _connect(file), poolclass=sa.NullPool)


def _connect(file: Path) -> sqlite3.Connection:
    address = f"{file.resolve().as_uri()}?mode=ro"
    logs = [file.with_name(file.name + ending) for ending in ("-wal", "-journal")]
    if any(log.exists() and log.stat().st_size for log in logs):
        # Somebody writes, or stopped in the middle: SQLite has to see to it.
        connection = _checked(address)
    else:
        # Nobody does. Said so, SQLite leaves no files of its own beside the record, and reads
        # one on a medium that can't be written.
        connection = _checked(f"{address}&immutable=1")
    # Bytes that are no UTF-8 are a changed record, which `verify` names, not a crash of ours.
    connection.text_factory = lambda raw: raw.decode("utf-8", "surrogateescape")
    return connection


def _checked(address: str) -> sqlite3.Connection:
    connection = sqlite3.connect(address, uri=True)
    try:
        connection.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchone()
    except BaseException:
        connection.close()
        raise
    return connection


def _look_through(url: sa.URL, connection: sa.Connection) -> None:
    name, file = addresses.name_of(url), addresses.file_of(url)
    if file is None:
        return
    found = connection.execute(sa.text(f"PRAGMA integrity_check({_NAMED})"))
    faults = [" ".join(str(row[0]).split()) for row in found]
    if faults != ["ok"]:
        raise RecordTrouble(
            f"{name}: the database is damaged ({'; '.join(faults)}); "
            "`loebner recover` saves what is left"
        )
    damage = log_damage(file)
    if damage:
        raise RecordTrouble(f"{name}: {damage}; `loebner recover` saves what is left")


@contextmanager
def _troubles(url: sa.URL) -> Iterator[None]:
    # A damaged schema is quoted in the error's own text, which then is none.
    try:
        yield
    except (sa.exc.SQLAlchemyError, sqlite3.Error, UnicodeError) as exc:
        raise RecordTrouble(
            f"{addresses.name_of(url)}: the record can't be read ({addresses.in_words(exc, url)})"
        ) from exc
    except OSError as exc:
        raise RecordTrouble(f"{addresses.name_of(url)}: the record can't be read ({exc})") from exc
