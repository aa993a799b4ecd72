"""Revisions of the record's schema: making it, taking over an older one, refusing a later one.

A new record gets today's tables at once. An older one is migrated by Alembic, in one transaction,
by whoever opens it for writing; readers read any revision up to today's and change nothing. Alembic
is imported where there is something to migrate, and nowhere else: a restart has no time for it.
"""

from __future__ import annotations

from pathlib import Path

import sqlalchemy as sa

from contest.errors import LaterRecord, NotAContest, RecordTrouble
from contest.record.tables import EVENTS, METADATA, VERSION

_MIGRATIONS = Path(__file__).parent / "migrations"

#: All revisions, in their order; `migrations/versions` has a file for each.
REVISIONS: tuple[str, ...] = ("0001", "0002")
#: Where the files are.
VERSIONS: tuple[Path, ...] = (_MIGRATIONS / "versions",)

#: The columns of an event in all revisions so far: what stands in the first one tells a record that
#: is older than revisions from another program's table of that name.
_COLUMNS = frozenset(EVENTS.c.keys())


def revision_of(connection: sa.Connection, name: str) -> str | None:
    """The revision of a record.

    Arguments:
        connection: to its database.
        name: what messages call that.

    Returns:
        One of `REVISIONS`, or None where there is no record.

    Raises:
        NotAContest: if the database is another program's.
        LaterRecord: if a later version of this program made the record.
        RecordTrouble: if what stands there is no revision.
    """
    inspector = sa.inspect(connection)
    if not inspector.has_table(EVENTS.name):
        return None
    if not inspector.has_table(VERSION.name):
        if {column["name"] for column in inspector.get_columns(EVENTS.name)} != _COLUMNS:
            raise NotAContest(f"{name}: its table `events` is no contest's record; name another")
        return REVISIONS[0]
    found = [row.version_num for row in connection.execute(sa.select(VERSION))]
    if len(found) == 1 and found[0] in REVISIONS:
        return str(found[0])
    shown = ", ".join(map(str, found)) or "none"
    if len(found) == 1 and shown.isascii() and shown.isdigit() and shown > REVISIONS[-1]:
        raise LaterRecord(
            f"{name}: a later version of this program made this record (revision {shown}, known "
            f"here are those up to {REVISIONS[-1]}); use that version"
        )
    raise RecordTrouble(
        f"{name}: the revision of its tables is none of a record's ({shown!a}): the database "
        "is damaged, or another program's"
    )


def require(connection: sa.Connection, name: str) -> None:
    """Makes sure that there is a record which can be read here.

    Raises:
        NotAContest, LaterRecord, RecordTrouble: see `revision_of`.
    """
    if revision_of(connection, name) is None:
        raise NotAContest(f"{name}: this database holds no contest's record")


def prepare(connection: sa.Connection, name: str, create: bool) -> None:
    """Makes a database ready for writing: today's tables, whatever was there.

    Arguments:
        connection: in a transaction, in which all of it is done.
        name: what messages call the database.
        create: make a record if there is none.

    Raises:
        NotAContest: if there is no record and none is to be made.
        LaterRecord, RecordTrouble: see `revision_of`.
    """
    found = revision_of(connection, name)
    if found is None:
        if not create:
            raise NotAContest(f"{name}: this database holds no contest's record")
        METADATA.create_all(connection)
        connection.execute(VERSION.insert(), {"version_num": REVISIONS[-1]})
    elif found != REVISIONS[-1]:
        _upgrade(connection)


def _upgrade(connection: sa.Connection) -> None:
    from alembic import command
    from alembic.config import Config

    config = Config()
    # In Alembic's settings a % begins a reference.
    for option, value in (
        ("script_location", str(_MIGRATIONS)),
        ("path_separator", "newline"),
        ("version_locations", "\n".join(map(str, VERSIONS))),
    ):
        config.set_main_option(option, value.replace("%", "%%"))
    config.attributes["connection"] = connection
    if not sa.inspect(connection).has_table(VERSION.name):
        command.stamp(config, REVISIONS[0])
    command.upgrade(config, REVISIONS[-1])
