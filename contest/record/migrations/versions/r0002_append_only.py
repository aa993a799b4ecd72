"""Append-only without a gap: PostgreSQL refuses changes too, and SQLite also those that come in
the guise of an insertion, which its triggers for UPDATE and DELETE are not asked about."""

from __future__ import annotations

from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Makes the triggers that were missing."""
    if op.get_bind().dialect.name == "sqlite":
        for table, key in (("events", "seq"), ("sealed", "name")):
            op.execute(
                f"CREATE TRIGGER {table}_no_replace BEFORE INSERT ON {table} "
                f"WHEN EXISTS (SELECT 1 FROM {table} WHERE {key} = NEW.{key}) "
                "BEGIN SELECT RAISE(ABORT, 'the record is append-only'); END"
            )
        return
    op.execute(
        "CREATE FUNCTION record_is_append_only() RETURNS trigger LANGUAGE plpgsql AS "
        "$$ BEGIN RAISE EXCEPTION 'the record is append-only' "
        "USING ERRCODE = 'restrict_violation'; END $$"
    )
    for table in ("events", "sealed"):
        for verb in ("UPDATE", "DELETE", "TRUNCATE"):
            op.execute(
                f"CREATE TRIGGER {table}_no_{verb.lower()} BEFORE {verb} ON {table} "
                "FOR EACH STATEMENT EXECUTE FUNCTION record_is_append_only()"
            )
