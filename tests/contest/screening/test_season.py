"""The season's record: written by one command after another, kept as a contest's is."""

from __future__ import annotations

import datetime as dt
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from contest.errors import InUse, NotAContest, RecordTrouble
from contest.record import reading
from contest.record.events import GENESIS, Event, rehash
from contest.screening.bodies import SeasonSet, from_json
from contest.screening.season import FILE_NAME, TABLES, Season, bodies, read
from contest.setup import folder

AT = dt.datetime(2010, 5, 3, 9, tzinfo=dt.UTC)


class Tick:
    """A clock that goes on by a second at each look."""

    def __init__(self, start: float) -> None:
        self.time = start

    def __call__(self) -> float:
        self.time += 1
        return self.time


@pytest.fixture
def contest(tmp_path: Path) -> Path:
    folder.make(tmp_path / "contest")
    return tmp_path / "contest"


def _tables(season: Season) -> dict[str, Any]:
    return {name: season.settings.as_json()[name] for name in TABLES}


def changed(name: str) -> SeasonSet:
    return SeasonSet({"season": {"name": name}})


def test_a_season_begins_with_its_settings(contest: Path) -> None:
    assert read(contest) == []
    with Season(contest, wall=lambda: AT) as opened:
        assert list(opened.events()) == [], "it begins with what is written first"
        assert opened.settings.screening.rounds == 6
        assert opened.write("Ada", changed("a")).kind == "season-set"
        kinds = [event.kind for event in opened.events()]
        assert kinds == ["season-opened", "season-set", "season-set"]
    first, second, _ = read(contest)
    assert first.at == "2010-05-03T09:00:00.000000Z"
    assert first.body["format"] == 1
    assert second.body["settings"]["screening"]["round_minutes"] == 30


def test_the_same_settings_are_not_said_again_and_others_are(contest: Path) -> None:
    with Season(contest):
        pass
    assert read(contest) == [], "who writes nothing begins no season"
    with Season(contest) as season:
        season.write("Ada", SeasonSet(_tables(season)))
    with Season(contest):
        pass
    assert len(read(contest)) == 3
    toml = contest / "contest.toml"
    text = toml.read_text(encoding="utf-8")
    toml.write_text(text.replace("round_minutes = 30", "round_minutes = 20"), encoding="utf-8")
    with Season(contest):
        pass
    events = read(contest)
    assert [event.kind for event in events] == ["season-opened", *["season-set"] * 3]
    assert events[-1].body["settings"]["screening"]["round_minutes"] == 20


def test_each_talk_has_a_chain_of_its_own_and_the_clock_goes_on(contest: Path) -> None:
    with Season(contest, clock=Tick(1000)) as opened:
        opened.write("Ada", changed("a"))
        opened.write("E7", changed("b"), "screening.E7")
    with Season(contest, clock=Tick(5)) as opened:
        opened.write("E7", changed("c"), "screening.E7")
        assert [event.actor for event in opened.events("screening.E7")] == ["E7", "E7"]
    events = read(contest)
    heads: dict[str | None, str] = {}
    for event in events:
        assert event.prev == heads.get(event.talk, GENESIS)
        assert rehash(event) == event.hash
        heads[event.talk] = event.hash
    times = [event.mono_ns for event in events]
    assert times == sorted(set(times))
    assert times[-1] < 60e9


def test_several_events_are_written_as_one(contest: Path) -> None:
    with Season(contest) as opened:
        drafts = [opened.draft("Ada", changed(name)) for name in "ab"]
        written = opened.write_all(drafts)
    assert [event.body["settings"]["season"]["name"] for event in written] == ["a", "b"]
    assert read(contest)[-2:] == written


def test_one_command_at_a_time_writes_and_many_read(contest: Path) -> None:
    with Season(contest) as opened:
        opened.write("Ada", changed("a"))
        with pytest.raises(InUse, match="another `loebner screen` writes this season"):
            Season(contest)
        assert len(read(contest)) == 3
    with Season(contest):
        pass


def test_a_database_in_which_a_season_is_about_to_be_made_holds_none_yet(contest: Path) -> None:
    with closing(sqlite3.connect(contest / FILE_NAME)) as made:
        assert read(contest) == []
        made.execute("PRAGMA journal_mode=WAL")
        assert read(contest) == []
        made.execute("CREATE TABLE events (what TEXT)")
        with pytest.raises(NotAContest, match="no contest's record"):
            read(contest)


def test_what_is_written_while_somebody_reads_is_read_anew(
    contest: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As when the file was opened as one that nobody writes, and a command began to."""
    looks: list[int] = []
    really = reading.rows_at

    def rows_at(place: str) -> Iterator[reading.Row]:
        looks.append(len(looks))
        rows = [*really(place)]
        if len(looks) < 3:
            with Season(contest) as season:
                season.write("ada", changed(str(len(looks))))
        if len(looks) == 2:
            raise RecordTrouble("pages of before and after")
        yield from rows

    with Season(contest):
        pass
    monkeypatch.setattr(reading, "rows_at", rows_at)
    seasons = [event.body["settings"]["season"] for event in read(contest)[1:]]
    assert [each["name"] for each in seasons if "name" in each] == ["1", "2"]
    assert looks == [0, 1, 2]


def test_trouble_that_does_not_pass_is_told(contest: Path) -> None:
    with Season(contest):
        pass
    file = contest / FILE_NAME
    raw = file.read_bytes()
    file.write_bytes(raw[: len(raw) // 2])
    with pytest.raises(RecordTrouble):
        read(contest)


def test_a_season_that_could_not_be_opened_lets_go(contest: Path) -> None:
    (contest / FILE_NAME).write_bytes(b"no database at all" * 100)
    with pytest.raises(RecordTrouble):
        Season(contest)
    with pytest.raises(RecordTrouble):
        read(contest)
    (contest / FILE_NAME).unlink()
    with Season(contest):
        pass


def test_nothing_that_is_written_can_be_changed(contest: Path) -> None:
    with Season(contest) as season:
        season.write("Ada", changed("a"))
    with (
        closing(sqlite3.connect(contest / FILE_NAME)) as database,
        pytest.raises(sqlite3.DatabaseError, match="append-only"),
    ):
        database.execute("UPDATE events SET actor = 'nobody'")


def test_a_season_needs_a_contest(tmp_path: Path) -> None:
    with pytest.raises(NotAContest, match="loebner new"):
        Season(tmp_path / "none")
    with pytest.raises(NotAContest, match="no such folder"):
        read(tmp_path / "none")
    assert not (tmp_path / "none").exists()


def test_bodies_are_read_back_and_strange_ones_named(contest: Path) -> None:
    with Season(contest) as opened:
        opened.write("Ada", changed("a"))
        found = [body for _, body in bodies(opened.events())]
    assert found[-1] == changed("a")
    with pytest.raises(ValueError, match="unknown kind of event of a season 'key-pressed'"):
        from_json("key-pressed", {})
    with pytest.raises(ValueError, match="not of its form"):
        from_json("season-set", {"settings": 3})
    event = read(contest)[-1]
    broken = Event(**{**event.as_json(), "body": {"settings": 3}})
    with pytest.raises(RecordTrouble, match=r"season\.db: event 3: the body"):
        list(bodies([broken]))
