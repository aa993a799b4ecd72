"""The pre-flight of records in files and in PostgreSQL: tried where they will be, nothing left."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import sqlalchemy as sa

from contest.errors import RecordTrouble
from contest.preflight import CHECKS, Finding, Level, Serving, look, run
from contest.preflight.checks import commits
from contest.record.database import NotAllowed, address, scratch, sqlite_url
from contest.record.store import Record
from contest.screening.season import Season
from contest.setup import folder as folders
from tests.contest.build import small
from tests.contest.screening.seasons import WRITTEN, add
from tests.database_server import PASSWORD, Server, database_server

#: The checks of the record.
RECORD = [c for c in CHECKS if c.id in ("disk-speed", "record", "copy", "codes")]


@pytest.fixture(autouse=True)
def _few_commits(monkeypatch: pytest.MonkeyPatch) -> None:
    """How fast this disk is, no test wants to know so exactly."""
    monkeypatch.setattr("contest.preflight.checks.COMMITS", 5)


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with database_server() as started:
        yield started


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "sqlite":
        return sqlite_url(tmp_path / "contest.db")
    server: Server = request.getfixturevalue("server")
    return server.schema()


def findings(place: Path, database: str | None) -> dict[str, Finding]:
    """What the checks of the record say of a contest whose record is at an address."""
    if not place.exists():
        folders.make(place)
    site = look(place, lambda door: {}, serving=Serving(database=database))
    return {finding.id: finding for finding in run(site, RECORD).checks}


def whole(database: str) -> list[str]:
    """All tables of a database and the schemas that are named as a scratch is."""
    engine = sa.create_engine(address(database))
    try:
        inspector = sa.inspect(engine)
        schemas = [name for name in inspector.get_schema_names() if "preflight" in name]
        return [*schemas, *inspector.get_table_names()]
    finally:
        engine.dispose()


def test_commits_are_timed_where_the_record_will_be_and_leave_nothing(
    url: str, tmp_path: Path
) -> None:
    with scratch(address(url)) as place:
        times = commits(place)
        assert whole(place) != []
    assert times == sorted(times)
    assert len(times) == 5
    assert times[0] > 0
    assert whole(url) == []
    assert [file.name for file in tmp_path.iterdir() if file.name != "contest.db"] == []


def test_a_record_beside_it_is_not_touched(url: str) -> None:
    with Record(url, create=True) as record, scratch(address(url)) as place:
        commits(place)
        assert list(record.events()) == []


def pull(place: str) -> None:
    commits(place)
    raise RecordTrouble("somebody pulled the plug")


def test_what_is_thrown_away_goes_whatever_happens(url: str) -> None:
    with pytest.raises(RecordTrouble, match="somebody pulled"), scratch(address(url)) as place:
        pull(place)
    assert whole(url) == []


def test_a_new_contest_is_ready_for_its_database(url: str, tmp_path: Path) -> None:
    found = findings(tmp_path / "c", url)
    assert found["record"].found == "there is none yet: a new contest begins"
    assert "a key is durable after" in found["disk-speed"].found


def test_a_record_at_another_address_is_the_one_that_is_looked_at(url: str, tmp_path: Path) -> None:
    with Record(url, create=True) as record:
        record.append(small().drafts)
    found = findings(tmp_path / "c", url)
    assert found["record"].level is Level.GREEN
    assert "goes on where it was" in found["record"].found
    found = findings(tmp_path / "c", sqlite_url(tmp_path / "c" / "other.db"))
    assert found["record"].found == "there is none yet: a new contest begins"


def test_a_user_who_may_make_no_schema_is_told_so(server: Server, tmp_path: Path) -> None:
    database = server.fresh()
    name = address(database).database or ""
    server.query("CREATE ROLE guest LOGIN PASSWORD 'guest' IN ROLE pg_read_all_data")
    server.query(f"REVOKE CREATE ON DATABASE {name} FROM PUBLIC")
    guest = address(database).set(username="guest", password="guest")
    text = guest.render_as_string(hide_password=False)
    with pytest.raises(NotAllowed), scratch(guest):
        pytest.fail("it was let in")
    found = findings(tmp_path / "c", text)["disk-speed"]
    assert found.level is Level.YELLOW
    assert found.found.startswith("not measured: postgresql://")
    assert "GRANT CREATE ON DATABASE" in found.remedy


def test_a_database_that_can_not_be_reached_is_red_and_its_password_unsaid(
    server: Server, tmp_path: Path
) -> None:
    gone = address(server.url("postgres")).set(port=1, host="127.0.0.1")
    text = gone.update_query_dict({"host": "127.0.0.1"}).render_as_string(hide_password=False)
    with pytest.raises(RecordTrouble, match="can't be reached"), scratch(address(text)):
        pytest.fail("there is nobody")
    found = findings(tmp_path / "c", text)
    for check in ("disk-speed", "record"):
        assert found[check].level is Level.RED
        assert "postgresql://127.0.0.1:1/postgres" in found[check].found
        assert PASSWORD not in found[check].found


def test_an_address_of_nothing_is_said_once(tmp_path: Path) -> None:
    found = findings(tmp_path / "c", "mysql://host/contest")
    assert "disk-speed" not in found
    assert found["record"].level is Level.RED
    assert "no address that can be used here" in found["record"].found


def test_a_season_without_finalists_is_red_for_the_server_refuses(tmp_path: Path) -> None:
    findings(tmp_path / "c", None)
    with Season(tmp_path / "c") as season:
        add(season, WRITTEN)
    found = findings(tmp_path / "c", None)["record"]
    assert (found.level, "no finalists yet" in found.found) == (Level.RED, True)
