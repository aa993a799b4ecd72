"""Reading a contest's record from its folder, without ever writing there.

A record is evidence: whoever reads it (transcripts, exports, `verify`) opens it read-only, also
from a medium that can't be written, and also while the server holds it. `rows` gives what stands
in the database however damaged; `events` gives events, or says where they can't be had.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import sqlalchemy as sa

from contest.errors import NotAContest, RecordTrouble
from contest.events import Event
from contest.record import record_url
from contest.settings import FILE_NAME as SETTINGS_FILE
from contest.settings import load


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


_NO_ADDRESS = (
    f"{SETTINGS_FILE}: [record] database is no address of a database that can be read here; "
    "write one such as sqlite:////srv/contest.db"
)
_QUERY = f"SELECT {', '.join(Row._fields)} FROM events ORDER BY seq"


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


def rows(folder: Path) -> Iterator[Row]:
    """The rows of a record in the order of their numbers, as they stand.

    Raises:
        NotAContest: if there is no such folder, or no record in it.
        RecordTrouble: if the database can't be read, at the beginning or further on.
    """
    url = _url(place_of(folder))
    engine = _engine(url)
    name = url.database or str(url)
    try:
        with _troubles(name), engine.connect() as connection:
            result = connection.execution_options(yield_per=2000).execute(sa.text(_QUERY))
            for row in result:
                yield Row(*row)
    finally:
        engine.dispose()


def events(folder: Path) -> list[Event]:
    """All events of a record.

    Raises:
        NotAContest: if there is no such folder, or no record in it.
        RecordTrouble: if the database or an event can't be read.
    """
    found = []
    for row in rows(folder):
        try:
            body = json.loads(row.body)
            if not isinstance(body, dict):
                raise ValueError("the body is no object")
        except (TypeError, ValueError, RecursionError) as exc:
            raise RecordTrouble(
                f"{folder}: event {row.seq!r} can't be read ({exc}); "
                "run `loebner verify` on this contest"
            ) from exc
        found.append(Event(**{**row._asdict(), "body": body}))
    return found


def _url(place: str) -> sa.URL:
    try:
        return sa.make_url(place)
    except sa.exc.ArgumentError as exc:
        raise NotAContest(_NO_ADDRESS) from exc


def _engine(url: sa.URL) -> sa.Engine:
    if url.get_backend_name() != "sqlite":
        try:
            return sa.create_engine(url, poolclass=sa.NullPool)
        except (sa.exc.ArgumentError, ModuleNotFoundError) as exc:
            raise NotAContest(f"{_NO_ADDRESS} ({exc})") from exc
    file = Path(url.database or "")
    if not file.is_file():
        raise NotAContest(f"{file}: no record here; has this contest been played?")
    return sa.create_engine("sqlite://", creator=lambda: _connect(file), poolclass=sa.NullPool)


def _connect(file: Path) -> sqlite3.Connection:
    address = f"{file.resolve().as_uri()}?mode=ro"
    logs = [file.with_name(file.name + ending) for ending in ("-wal", "-journal")]
    if any(log.exists() and log.stat().st_size for log in logs):
        # Somebody writes, or stopped in the middle: SQLite has to see to it.
        connection = _opened(address)
    else:
        # Nobody does. Said so, SQLite leaves no files of its own beside the record, and reads
        # one on a medium that can't be written.
        connection = _opened(f"{address}&immutable=1")
    # Bytes that are no UTF-8 are a changed record, which `verify` names, not a crash of ours.
    connection.text_factory = lambda raw: raw.decode("utf-8", "surrogateescape")
    return connection


def _opened(address: str) -> sqlite3.Connection:
    connection = sqlite3.connect(address, uri=True)
    try:
        connection.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchone()
    except BaseException:
        connection.close()
        raise
    return connection


@contextmanager
def _troubles(name: str) -> Iterator[None]:
    try:
        yield
    except sa.exc.DBAPIError as exc:
        raise RecordTrouble(f"{name}: the record can't be read ({exc.orig})") from exc
    except (sqlite3.Error, UnicodeError) as exc:
        # A damaged schema is quoted in the error's own text, which then is none.
        raise RecordTrouble(f"{name}: the record can't be read ({exc})") from exc
