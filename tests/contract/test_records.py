"""Tests that every kind of database for a record must pass; a new kind needs only one class."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
import sqlalchemy as sa
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from contest.errors import BadSettings, InUse, NewerRecord, NotAContest, RecordTrouble
from contest.record import database, reading
from contest.record.bodies import Key, to_json
from contest.record.events import GENESIS, Event, hash_of
from contest.record.store import Copy, Record, sqlite_url
from loebner.cli import main
from tests.contest.build import TOML, brief
from tests.database_server import PASSWORD, USER, Server


def draft(n: int, talk: str | None = "1.1.J1.left", raw: str | None = None) -> Event:
    body = to_json(Key("judge", "left", "H", n, raw))
    return Event(0, talk, "2010-10-23T16:30:00.000000Z", n, "J1", "key", body)


def raw_engine(url: str) -> sa.Engine:
    """Connects to the database as another program would."""
    return sa.create_engine(url, poolclass=sa.NullPool)


def execute(url: str, *statements: str) -> None:
    engine = raw_engine(url)
    with engine.begin() as connection:
        for statement in statements:
            connection.exec_driver_sql(statement)


class RecordContract:
    """The contract. A subclass provides the fixture `url`, an empty database's, and sets `refused`
    and `lock`."""

    #: Statements that this kind refuses, in addition to those that all kinds refuse.
    refused: tuple[str, ...] = ()

    @pytest.fixture
    def url(self) -> str:
        raise NotImplementedError

    @pytest.fixture
    def record(self, url: str) -> Iterator[Record]:
        with Record(url, create=True) as opened:
            yield opened

    # Writing and reading

    def test_each_talk_and_the_contest_has_its_own_chain(self, record: Record) -> None:
        drafts = [draft(1), draft(1, None), draft(2), draft(1, "1.1.J1.right"), draft(3)]
        events = record.append(drafts)
        assert [event.seq for event in events] == [1, 2, 3, 4, 5]
        assert [event.prev for event in events] == [
            *(GENESIS, GENESIS, events[0].hash, GENESIS, events[2].hash)
        ]
        assert record.chains.heads() == {
            "1.1.J1.left": {"hash": events[4].hash, "events": 3},
            "1.1.J1.right": {"hash": events[3].hash, "events": 1},
        }
        assert all(hash_of(event) == event.hash for event in events)

    def test_events_are_read_as_they_were_written(self, record: Record, url: str) -> None:
        events = record.append([draft(1), draft(2)])
        record.append([draft(1, None)])
        with Record(url) as again:
            assert list(again.events("1.1.J1.left")) == events
            assert [event.seq for event in again.events(after=2)] == [3]
            assert list(again.events(kind="verdict")) == []
            assert list(again.hashes()) == [(e.seq, e.hash) for e in again.events()]

    def test_largest_numbers_and_any_text_can_be_stored(self, record: Record) -> None:
        seen: list[str] = []

        @settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])
        @given(st.text(max_size=30))
        def check(text: str) -> None:
            text = text.encode("utf-8", "replace").decode()
            seen.append(text)
            given_ = Event(0, "1.1.J1.left", "now", 2**53 - 1, "J1", "key", {"raw": text})
            (event,) = record.append([given_])
            assert next(record.events(after=event.seq - 1)) == event

        check()
        given_ = Event(0, None, "\x01", -(2**53) + 1, "J1", "key", {"raw": "\x00 \U0001f600 '%s'"})
        (event,) = record.append([given_])
        assert next(record.events(after=len(seen))) == event

    def test_group_that_fails_is_not_written_at_all(self, record: Record, url: str) -> None:
        first = record.append([draft(1)])
        broken = Event(0, "t", "now", 2**63, "J1", "key", {})  # too large for any database
        with pytest.raises((RecordTrouble, ValueError)):
            record.append([draft(2), broken])
        assert list(record.events()) == first
        assert record.append([draft(2)])[0].prev == first[0].hash
        assert [row.seq for row in reading.read_rows(url)] == [1, 2]

    # Refused statements

    @pytest.mark.parametrize("table", ["events", "sealed"])
    @pytest.mark.parametrize("verb", ["update", "update none", "delete"])
    def test_tables_are_append_only(self, record: Record, url: str, table: str, verb: str) -> None:
        record.append([draft(1), draft(2)])
        record.seal("side/1.1.J1", {"human": "left"})
        column = {"events": "body", "sealed": "value"}[table]
        statement = {
            "update": f"UPDATE {table} SET {column} = 'x'",
            "update none": f"UPDATE {table} SET {column} = {column}",
            "delete": f"DELETE FROM {table}",
        }[verb]
        before = [*record.rows()], record.unseal("")
        with pytest.raises(sa.exc.IntegrityError, match="append-only"):
            execute(url, statement)
        assert ([*record.rows()], record.unseal("")) == before

    def test_no_other_statement_changes_stored_rows(self, record: Record, url: str) -> None:
        record.append([draft(1)])
        record.seal("side/1.1.J1", {"human": "left"})
        before = [*record.rows()], record.unseal("")
        assert self.refused
        for statement in self.refused:
            with pytest.raises(sa.exc.IntegrityError, match="append-only"):
                execute(url, statement)
        assert ([*record.rows()], record.unseal("")) == before

    def test_value_is_sealed_once(self, record: Record) -> None:
        record.seal("side/1.1.J1", {"human": "left"})
        record.seal("side/1.1.J1", {"human": "left"})  # as after a lost connection
        record.seal("sidestep", {})
        record.seal("SIDE/", {})
        assert record.unseal("side/") == {"side/1.1.J1": {"human": "left"}}
        with pytest.raises(RecordTrouble, match="already sealed"):
            record.seal("side/1.1.J1", {"human": "right"})
        assert (
            reading.open_reader(self.address(record)).sealed()["side/1.1.J1"] == '{"human":"left"}'
        )

    def address(self, record: Record) -> str:
        return record._url.render_as_string(hide_password=False)

    # One writer

    def test_second_server_is_refused(self, record: Record, url: str) -> None:
        first = record.append([draft(1)])
        with pytest.raises(InUse, match="another server is writing this record") as refused:
            Record(url, create=True)
        assert "\n" not in str(refused.value)
        with Record(url) as reader:
            assert list(reader.events()) == first, "reading needs no lock"
            with pytest.raises(InUse):
                reader.append([draft(2)])
            record.close()
            assert reader.append([draft(2)])[0].seq == 2, "the first server has closed the record"

    def test_events_of_another_writer_are_not_overwritten(self, record: Record, url: str) -> None:
        record.append([draft(1)])
        execute(
            url,
            "INSERT INTO events (seq, at, mono_ns, actor, kind, body, prev, hash) "
            "VALUES (2, 'now', 1, 'J1', 'key', '{}', 'x', 'y')",
        )
        for _ in range(2):
            with pytest.raises(
                RecordTrouble, match="after event 1 it has events that this server did not"
            ):
                record.append([draft(2)])
        assert [row.seq for row in reading.read_rows(url)] == [1, 2]

    def test_writing_fails_only_while_another_program_has_a_lock(
        self, record: Record, url: str
    ) -> None:
        first = record.append([draft(1)])
        engine = raw_engine(url)
        with engine.connect() as other:
            other.exec_driver_sql(self.lock)
            with pytest.raises(RecordTrouble, match="another program is using it") as refused:
                record.append([draft(2)])
            assert "\n" not in str(refused.value)
            assert list(reading.read_rows(url)) or first, "readers are not blocked"
            other.rollback()
        assert record.append([draft(2), draft(3)])[0].prev == first[0].hash
        assert [row.seq for row in reading.read_rows(url)] == [1, 2, 3]

    #: A statement that takes a lock that a writer needs.
    lock = ""

    # Unknown outcomes

    @pytest.mark.parametrize("written", [True, False])
    def test_commit_of_unknown_outcome_is_not_written_twice(
        self, record: Record, url: str, monkeypatch: pytest.MonkeyPatch, written: bool
    ) -> None:
        record.append([draft(1)])
        dialect = record._engine.dialect
        commit = dialect.do_commit

        def lost(connection: sa.PoolProxiedConnection) -> None:
            if written:
                commit(connection)
            monkeypatch.undo()
            raise dialect.loaded_dbapi.OperationalError("the network is gone")

        monkeypatch.setattr(dialect, "do_commit", lost)
        with pytest.raises(RecordTrouble, match="the network is gone"):
            record.append([draft(2), draft(3)])
        assert record.chains.last_seq == 1
        # The journal retries, with a further event.
        events = record.append([draft(2), draft(3), draft(4)])
        assert [event.seq for event in events] == [2, 3, 4]
        assert [row.hash for row in reading.read_rows(url)][1:] == [event.hash for event in events]
        assert record.append([draft(5)])[0].prev == events[-1].hash

    # Databases without a record, or with a newer one

    def test_database_without_a_record_is_refused(self, url: str) -> None:
        execute(url, "CREATE TABLE diary (day INTEGER)")
        with pytest.raises(NotAContest, match="has no contest's record"):
            Record(url)
        with pytest.raises(RecordTrouble, match="can't be used"):
            list(reading.read_rows(url))

    def test_another_programs_table_is_left_alone(self, url: str) -> None:
        execute(url, "CREATE TABLE events (day INTEGER)")
        for create in (False, True):
            with pytest.raises(NotAContest, match="its table `events` is not a contest's record"):
                Record(url, create=create)
        engine = raw_engine(url)
        assert sa.inspect(engine).get_table_names() == ["events"]

    def test_record_of_a_newer_version_is_refused(self, url: str) -> None:
        Record(url, create=True).close()
        execute(url, "UPDATE alembic_version SET version_num = '0999'")
        said = f"revision 0999; this version knows revisions up to {database.REVISIONS[-1]}"
        for create in (False, True):
            with pytest.raises(NewerRecord, match=said):
                Record(url, create=create)
        with pytest.raises(NewerRecord, match=said):
            list(reading.read_rows(url))
        execute(url, "UPDATE alembic_version SET version_num = '0\x7f02'")
        with pytest.raises(RecordTrouble, match="damaged"):
            list(reading.read_rows(url))

    # The programs that use a record

    def test_contest_can_be_verified_exported_tallied_and_copied(
        self, url: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        b, folder = brief(), tmp_path / "contest"
        folder.mkdir()
        (folder / "contest.toml").write_text(
            f"{TOML}\n[record]\ndatabase = {json.dumps(url)}\n", encoding="utf-8"
        )
        with Record(url, create=True) as record:
            record.append(b.drafts)
            record.seal("side/1.1.J1", {"human": "left"})
            copy = Copy(tmp_path / "copy.db", record)
            record.seal("side/1.1.J2", {"human": "right"})
            copy.close()
        assert [*reading.read_rows(sqlite_url(tmp_path / "copy.db"))] == [*reading.read_rows(url)]
        copied = reading.open_reader(sqlite_url(tmp_path / "copy.db"))
        assert copied.sealed() == reading.open_reader(url).sealed()
        assert reading.open_reader(url).last_number() == len(b.events)
        for words in (
            ["verify", str(folder), "--head", b.chains.head(None)],
            ["tally", str(folder)],
            ["export", str(folder), "--format", "json", "--out", str(tmp_path / "json")],
        ):
            code = main(words)
            said = capsys.readouterr()
            assert code == 0, (words, said)
            assert PASSWORD not in said.out + said.err
        for file in tmp_path.rglob("*"):
            if file.is_file() and file.name != "contest.toml":
                assert PASSWORD.encode() not in file.read_bytes(), file

    def test_reader_can_not_write(self, record: Record, url: str) -> None:
        record.append([draft(1)])
        reader = reading.open_reader(url)
        with reader._engine.connect() as connection, pytest.raises(sa.exc.DBAPIError):
            connection.exec_driver_sql("CREATE TABLE mine (day INTEGER)")


class TestSqlite(RecordContract):
    refused = (
        "INSERT OR REPLACE INTO events SELECT seq, talk, at, 77, actor, kind, body, prev, hash "
        "FROM events",
        "REPLACE INTO sealed SELECT name, 'x' FROM sealed",
        "INSERT INTO sealed SELECT name, 'x' FROM sealed WHERE true "
        "ON CONFLICT (name) DO UPDATE SET value = 'x'",
    )
    lock = "BEGIN IMMEDIATE"

    @pytest.fixture
    def url(self, tmp_path: Path) -> str:
        return sqlite_url(tmp_path / "record.db")

    def test_commits_survive_a_power_cut(self, record: Record) -> None:
        with record.transaction() as connection:
            values = [
                connection.exec_driver_sql(f"PRAGMA {name}").scalar()
                for name in ("journal_mode", "synchronous")
            ]
        assert values == ["wal", 2], "FULL is 2"


class TestPostgresql(RecordContract):
    refused = (
        "TRUNCATE events",
        "TRUNCATE sealed",
        "UPDATE events SET body = 'x' WHERE false",
        "INSERT INTO sealed SELECT name, 'x' FROM sealed "
        "ON CONFLICT (name) DO UPDATE SET value = 'x'",
        "MERGE INTO sealed USING (SELECT 1) AS one ON true WHEN MATCHED THEN DELETE",
    )
    lock = "LOCK TABLE events IN SHARE MODE"

    @pytest.fixture
    def url(self, postgresql: Server) -> str:
        return postgresql.schema()

    def test_commits_are_durable_even_if_the_server_is_configured_for_speed(
        self, postgresql: Server
    ) -> None:
        url = postgresql.fresh()
        name = url.rpartition("/")[2]
        postgresql.query(f"ALTER DATABASE {name} SET synchronous_commit = off")
        with Record(url, create=True) as record, record.transaction() as connection:
            assert connection.exec_driver_sql("SHOW synchronous_commit").scalar() == "on"
        postgresql.query(f"ALTER DATABASE {name} SET synchronous_commit = remote_apply")
        with Record(url, create=True) as record, record.transaction() as connection:
            shown = connection.exec_driver_sql("SHOW synchronous_commit").scalar()
            assert shown == "remote_apply", "a stricter setting is kept"

    def test_password_may_be_in_a_file(
        self, postgresql: Server, url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        bare = url.replace(f":{quote(PASSWORD, safe='')}@", "@")
        assert bare != url
        with pytest.raises(RecordTrouble, match="no password supplied"):
            Record(bare, create=True)
        file = tmp_path / "pgpass"
        file.write_text(f"127.0.0.1:{postgresql.port}:*:{USER}:{PASSWORD}\n")
        file.chmod(0o600)
        monkeypatch.setenv("PGPASSFILE", str(file))
        with Record(bare, create=True) as record:
            record.append([draft(1)])
        assert reading.open_reader(bare).last_number() == 1

    def test_database_that_can_not_store_every_text_is_refused(self, postgresql: Server) -> None:
        with pytest.raises(BadSettings, match="its encoding is LATIN1"):
            Record(postgresql.fresh("LATIN1"), create=True)

    @pytest.mark.parametrize(
        ("change", "said"),
        [
            ({"password": "wrong-w0rd"}, "password authentication failed"),
            ({"port": 1}, "Connection refused"),
            ({"query": "sslmode=require"}, "does not support SSL"),
        ],
    )
    def test_refused_connection_is_reported_in_one_line_without_the_password(
        self, postgresql: Server, change: dict[str, Any], said: str
    ) -> None:
        url = sa.make_url(postgresql.url("postgres"))
        url = url.update_query_string(change["query"]) if "query" in change else url.set(**change)
        text = url.render_as_string(hide_password=False)
        for opened in (lambda: Record(text, create=True), lambda: list(reading.read_rows(text))):
            with pytest.raises(RecordTrouble, match=said) as refused:
                opened()
            shown = str(refused.value)
            assert "\n" not in shown
            assert PASSWORD not in shown
            assert "wrong-w0rd" not in shown
            assert f"postgresql://127.0.0.1:{url.port}/{url.database}" in shown
