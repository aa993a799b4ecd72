"""Tests the revisions of the record's schema: an upgraded database equals a new one, in SQLite and
PostgreSQL."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from contest.errors import RecordTrouble
from contest.record import database, reading
from contest.record.database import METADATA, address, triggers
from contest.record.events import Event
from contest.record.store import Record, sqlite_url
from tests.database_server import Server

#: The tables of version 0.1.0, with the number's type; PostgreSQL had no triggers.
OLDEST = """
CREATE TABLE events (
    seq {} NOT NULL, talk TEXT, at TEXT NOT NULL, mono_ns BIGINT NOT NULL,
    actor TEXT NOT NULL, kind TEXT NOT NULL, body TEXT NOT NULL, prev TEXT NOT NULL,
    hash TEXT NOT NULL, PRIMARY KEY (seq)
);
CREATE INDEX ix_events_talk ON events (talk);
CREATE TABLE sealed (name TEXT NOT NULL, value TEXT NOT NULL, PRIMARY KEY (name))
"""
OLD_TRIGGERS = [each for each in triggers("sqlite") if "no_replace" not in each]


def draft(n: int) -> Event:
    return Event(0, "1.1.J1.left", "2010-10-23T16:30:00.000000Z", n, "J1", "key", {"n": n})


def tables_of(engine: sa.Engine) -> dict[str, Any]:
    """Columns, keys and indexes of all tables."""
    inspector = sa.inspect(engine)
    return {
        table: {
            "columns": [
                {**column, "type": str(column["type"])} for column in inspector.get_columns(table)
            ],
            "key": inspector.get_pk_constraint(table),
            "indexes": inspector.get_indexes(table),
            "unique": inspector.get_unique_constraints(table),
        }
        for table in sorted(inspector.get_table_names())
    }


_TRIGGERS = {
    "sqlite": "SELECT name, tbl_name, sql FROM sqlite_master WHERE type = 'trigger' ORDER BY name",
    "postgresql": "SELECT tgname, tgrelid::regclass::text, pg_get_triggerdef(t.oid), tgenabled, "
    "pg_get_functiondef(tgfoid) FROM pg_trigger t JOIN pg_class c ON c.oid = tgrelid "
    "WHERE NOT tgisinternal AND c.relnamespace = current_schema()::regnamespace ORDER BY tgname",
}


def schema_of(url: str) -> tuple[str, list[list[str]]]:
    """The tables and triggers of a database, without the schema's name."""
    engine = sa.create_engine(address(url), poolclass=sa.NullPool)
    with engine.connect() as connection:
        own = ""
        if engine.dialect.name == "postgresql":
            own = str(connection.exec_driver_sql("SELECT current_schema()").scalar()) + "."
        found = [
            [" ".join(str(value).replace(own, "").split()) for value in row]
            for row in connection.exec_driver_sql(_TRIGGERS[engine.dialect.name])
        ]
    tables = repr(tables_of(engine))
    return tables.replace(own, "") if own else tables, found


def make_oldest(url: str) -> list[str]:
    """Makes a record of version 0.1.0 with one event; returns the hashes of its events."""
    engine = sa.create_engine(address(url), poolclass=sa.NullPool)
    sqlite = engine.dialect.name == "sqlite"
    statements = OLDEST.format("INTEGER" if sqlite else "BIGSERIAL").split(";")
    with engine.begin() as connection:
        for statement in statements + OLD_TRIGGERS * sqlite:
            connection.exec_driver_sql(statement)
        connection.exec_driver_sql(
            "INSERT INTO events VALUES (1, NULL, 'now', 7, 'server', 'trouble', "
            '\'{"what":"none","where":"here"}\', \'' + 64 * "0" + "', '" + 64 * "a" + "')"
        )
        connection.exec_driver_sql("INSERT INTO sealed VALUES ('side/1', '{\"human\":\"left\"}')")
    return [64 * "a"]


@pytest.fixture(params=["sqlite", "postgresql"])
def urls(request: pytest.FixtureRequest, tmp_path: Path) -> list[str]:
    """Two empty databases."""
    if request.param == "sqlite":
        return [sqlite_url(tmp_path / f"{name}.db") for name in ("one", "two")]
    postgresql: Server = request.getfixturevalue("postgresql")
    return [postgresql.schema() for _ in range(2)]


def test_upgraded_record_equals_a_new_one(urls: list[str]) -> None:
    old, fresh = urls
    hashes = make_oldest(old)
    before = schema_of(old)
    Record(fresh, create=True).close()
    with Record(old, create=True) as record:
        assert [hash_ for _, hash_ in record.hashes()] == hashes
        assert record.unseal("") == {"side/1": {"human": "left"}}
        assert record.append([draft(2)])[0].seq == 2
    assert schema_of(old) == schema_of(fresh) != before
    assert set(tables_of(sa.create_engine(address(fresh), poolclass=sa.NullPool))) == set(
        METADATA.tables
    )
    assert len(schema_of(fresh)[1]) == len([t for t in triggers(_dialect(old)) if "TRIGGER" in t])


def _dialect(url: str) -> str:
    return sa.make_url(url).get_backend_name()


def test_record_of_an_earlier_revision_can_be_read_without_an_upgrade(urls: list[str]) -> None:
    old, _ = urls
    hashes = make_oldest(old)
    before = schema_of(old)
    assert [row.hash for row in reading.read_rows(old)] == hashes
    assert reading.open_reader(old).sealed() == {"side/1": '{"human":"left"}'}
    with Record(old) as record:
        assert [hash_ for _, hash_ in record.hashes()] == hashes
        assert schema_of(old) == before, "reading changes nothing"
        record.append([draft(2)])
    assert schema_of(old) != before, "writing upgrades it"


def test_failed_upgrade_leaves_the_record_unchanged(
    urls: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    old, _ = urls
    make_oldest(old)
    before = schema_of(old)
    with monkeypatch.context() as patch:
        patch.setattr(database, "triggers", lambda _: ["CREATE TABLE half (x TEXT)", "nonsense"])
        with pytest.raises(RecordTrouble, match="nonsense"):
            Record(old, create=True)
    assert schema_of(old) == before
    with Record(old, create=True) as record:
        assert record.append([draft(2)])[0].seq == 2
