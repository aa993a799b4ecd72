"""A database beside a record's, thrown away afterwards: to see how fast a record will be there."""

from __future__ import annotations

import contextlib
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import sqlalchemy as sa

from contest.errors import RecordTrouble
from contest.record import addresses
from contest.record.writer import engine_for

#: How its name begins, in a folder and in a database.
PREFIX = "preflight"
#: PostgreSQL's code: the user may not do that.
_NOT_ALLOWED = "42501"


class NotAllowed(RecordTrouble):
    """The database's user may make nothing beside the record."""


@contextmanager
def scratch(url: sa.URL) -> Iterator[str]:
    """An empty database where a record is, or will be.

    For a file it is another file in the same folder; in PostgreSQL a schema of its own in the same
    database. The record, and what else is there, is not touched.

    Arguments:
        url: the record's, from `addresses.address`.

    Yields:
        Its address.

    Raises:
        NotAllowed: if the database's user may make no schema.
        RecordTrouble: if the database can't be reached, or refuses for another reason.
        BadSettings: if the address can't be used.
    """
    name = f"{PREFIX}-{secrets.token_hex(4)}"
    if addresses.is_sqlite(url):
        record = addresses.file_of(url)
        file = (record.parent if record is not None else Path()) / f".{name}.db"
        try:
            yield addresses.sqlite_url(file)
        finally:
            for ending in ("", "-wal", "-shm", "-journal", "-lock"):
                file.with_name(file.name + ending).unlink(missing_ok=True)
        return
    engine = engine_for(url)
    try:
        with _troubles(url), engine.begin() as connection:
            connection.execute(sa.schema.CreateSchema(name))
        try:
            yield _within(url, name)
        finally:
            with contextlib.suppress(sa.exc.DBAPIError), engine.begin() as connection:
                connection.execute(sa.schema.DropSchema(name, cascade=True, if_exists=True))
    finally:
        engine.dispose()


def _within(url: sa.URL, schema: str) -> str:
    """The same database, where tables are made in this schema."""
    options = url.query.get("options", ())
    said = [options] if isinstance(options, str) else list(options)
    # The last one holds; quoted, for its name is made of more than letters.
    path = f'-csearch_path="{schema}"'
    return url.update_query_dict({"options": " ".join([*said, path])}).render_as_string(
        hide_password=False
    )


@contextmanager
def _troubles(url: sa.URL) -> Iterator[None]:
    try:
        yield
    except sa.exc.DBAPIError as exc:
        name, words = addresses.name_of(url), addresses.in_words(exc, url)
        if getattr(exc.orig, "sqlstate", None) == _NOT_ALLOWED:
            raise NotAllowed(f"{name}: its user may make no schema ({words})") from exc
        raise RecordTrouble(f"{name}: can't be used ({words}); {addresses.remedy(exc)}") from exc
