"""The tables of a record, and the triggers by which the database itself refuses to change them.

This is the schema as a new record gets it. One that is older gets there by the migrations beside
this module; tests hold both against each other.
"""

from __future__ import annotations

import sqlalchemy as sa
from sqlalchemy import event as sa_event

METADATA = sa.MetaData()

#: What happened: an event a row. `talk` is NULL for the contest's own chain.
EVENTS = sa.Table(
    "events",
    METADATA,
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

#: What stays sealed for a while, and the settings as they were: outside the chains.
SEALED = sa.Table(
    "sealed",
    METADATA,
    sa.Column("name", sa.Text, primary_key=True),
    sa.Column("value", sa.Text, nullable=False),
)

#: Which revision of the schema this is, as Alembic writes it.
VERSION = sa.Table(
    "alembic_version",
    METADATA,
    sa.Column("version_num", sa.String(32), nullable=False),
    sa.PrimaryKeyConstraint("version_num", name="alembic_version_pkc"),
)

#: What a refusal says, in both databases.
REFUSAL = "the record is append-only"


def triggers(dialect: str) -> list[str]:
    """The statements that make a record append-only, for a database that has its tables.

    Arguments:
        dialect: `sqlite` or `postgresql`.
    """
    return _SQLITE_TRIGGERS if dialect == "sqlite" else _POSTGRESQL_TRIGGERS


_TABLES = (("events", "seq"), ("sealed", "name"))

_SQLITE_TRIGGERS = [
    f"CREATE TRIGGER {table}_no_{verb} BEFORE {verb.upper()} ON {table} "
    f"BEGIN SELECT RAISE(ABORT, '{REFUSAL}'); END"
    for table, _ in _TABLES
    for verb in ("update", "delete")
] + [
    # INSERT OR REPLACE deletes without asking the trigger for DELETE.
    f"CREATE TRIGGER {table}_no_replace BEFORE INSERT ON {table} "
    f"WHEN EXISTS (SELECT 1 FROM {table} WHERE {key} = NEW.{key}) "
    f"BEGIN SELECT RAISE(ABORT, '{REFUSAL}'); END"
    for table, key in _TABLES
]

_POSTGRESQL_TRIGGERS = [
    # The code is that of a violated restriction, which drivers know as one of integrity.
    "CREATE FUNCTION record_is_append_only() RETURNS trigger LANGUAGE plpgsql AS "
    f"$$ BEGIN RAISE EXCEPTION '{REFUSAL}' USING ERRCODE = 'restrict_violation'; END $$",
] + [
    f"CREATE TRIGGER {table}_no_{verb} BEFORE {verb.upper()} ON {table} "
    "FOR EACH STATEMENT EXECUTE FUNCTION record_is_append_only()"
    for table, _ in _TABLES
    for verb in ("update", "delete", "truncate")
]


@sa_event.listens_for(METADATA, "after_create")
def _protect(_target: object, connection: sa.Connection, **_: object) -> None:
    for statement in triggers(connection.dialect.name):
        connection.exec_driver_sql(statement)
