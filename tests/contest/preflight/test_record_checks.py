"""Tests the pre-flight of records in files and in PostgreSQL: it tests the record's database, and
leaves nothing behind."""

from __future__ import annotations

from pathlib import Path

import pytest

from contest.preflight.checks import CHECKS
from contest.preflight.report import Finding, ServeOptions, inspect_site, run
from contest.record.database import address, sqlite_url
from contest.record.store import Record
from contest.screening.season import Season
from contest.setup import folder as folders
from tests.contest.build import small
from tests.contest.screening.seasons import WRITTEN, add
from tests.database_server import PASSWORD, Server

#: The checks of the record.
RECORD = [c for c in CHECKS if c.id in ("disk-speed", "record", "copy", "codes")]


@pytest.fixture(autouse=True)
def _few_commits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Saves time: these tests don't depend on the disk's speed."""
    monkeypatch.setattr("contest.preflight.checks.COMMITS", 5)


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "sqlite":
        return sqlite_url(tmp_path / "contest.db")
    postgresql: Server = request.getfixturevalue("postgresql")
    return postgresql.schema()


def findings(place: Path, database: str | None) -> dict[str, Finding]:
    """The findings about the record of a contest, for a record in this database."""
    if not place.exists():
        folders.make(place)
    site = inspect_site(place, lambda address: {}, serving=ServeOptions(database=database))
    return {finding.id: finding for finding in run(site, RECORD).checks}


def test_new_contest_is_green_for_its_database(url: str, tmp_path: Path) -> None:
    found = findings(tmp_path / "c", url)
    assert found["record"].found == "there is no record yet: a new contest will begin"
    assert "a key is durable after" in found["disk-speed"].found
    with Record(url, create=True) as record:
        assert list(record.events()) == [], "the check left nothing in it"
    assert [file.name for file in (tmp_path / "c").iterdir() if "preflight" in file.name] == []


def test_record_in_the_given_database_is_checked(url: str, tmp_path: Path) -> None:
    with Record(url, create=True) as record:
        record.append(small().drafts)
    found = findings(tmp_path / "c", url)
    assert found["record"].level == "green"
    assert "the server will continue it" in found["record"].found
    found = findings(tmp_path / "c", sqlite_url(tmp_path / "c" / "other.db"))
    assert found["record"].found == "there is no record yet: a new contest will begin"


def test_unreachable_database_is_red_without_its_password(
    postgresql: Server, tmp_path: Path
) -> None:
    gone = address(postgresql.url("postgres")).set(port=1, host="127.0.0.1")
    text = gone.update_query_dict({"host": "127.0.0.1"}).render_as_string(hide_password=False)
    found = findings(tmp_path / "c", text)["record"]
    assert found.level == "red"
    assert "postgresql://127.0.0.1:1/postgres" in found.found
    assert PASSWORD not in found.found


def test_unusable_address_is_reported_once(tmp_path: Path) -> None:
    found = findings(tmp_path / "c", "mysql://host/contest")
    assert "disk-speed" not in found
    assert found["record"].level == "red"
    assert "address of a SQLite" in found["record"].found


def test_season_without_finalists_is_red(tmp_path: Path) -> None:
    findings(tmp_path / "c", None)
    with Season(tmp_path / "c") as season:
        add(season, WRITTEN)
    found = findings(tmp_path / "c", None)["record"]
    assert (found.level, "no finalists yet" in found.found) == ("red", True)
