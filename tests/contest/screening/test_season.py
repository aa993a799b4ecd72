"""Tests a season's record: its first event, one writing process at a time, and many readers."""

from __future__ import annotations

import datetime as dt
from pathlib import Path

import pytest

from contest.errors import InUse, NotAContest, RecordTrouble
from contest.record.events import GENESIS, Event, hash_of
from contest.record.season import LineBegun, SeasonSet
from contest.record.store import FILE_NAME
from contest.screening.season import Season, read
from contest.screening.state import State, fold
from contest.setup import folder
from loebner.cli import main
from tests.contest.screening.seasons import WRITTEN, add, season_body

AT = dt.datetime(2010, 5, 3, 9, tzinfo=dt.UTC)


class Tick:
    """A clock that advances by a second each time it is read."""

    def __init__(self, start: float) -> None:
        self.time = start

    def __call__(self) -> float:
        self.time += 1
        return self.time


@pytest.fixture
def contest(tmp_path: Path) -> Path:
    folder.make(tmp_path / "contest")
    return tmp_path / "contest"


def events(contest: Path) -> list[Event]:
    with Season(contest) as season:
        return list(season.record.events())


def without_settings(state: State) -> dict[str, object]:
    return {name: value for name, value in vars(state).items() if name != "settings"}


def test_a_season_begins_with_its_settings(contest: Path) -> None:
    assert without_settings(read(contest)) == without_settings(State())
    with Season(contest, wall=lambda: AT) as season:
        assert season.settings.screening.rounds == 6
        with pytest.raises(Exception, match="program"):
            add(season, {})
        assert not (contest / FILE_NAME).exists(), "the first event creates the record"
        add(season, WRITTEN)
    first, second, third = events(contest)
    assert [first.kind, second.kind, third.kind] == [
        *("season-opened", "season-set", "entry-registered"),
    ]
    assert first.at == "2010-05-03T09:00:00.000000Z"
    assert first.body["format"] == 1
    assert second.body["settings"]["screening"]["round_minutes"] == 30


def test_settings_are_recorded_only_when_they_change(contest: Path) -> None:
    with Season(contest) as season:
        add(season, WRITTEN)
    assert len(events(contest)) == 3
    toml = contest / "contest.toml"
    text = toml.read_text(encoding="utf-8")
    toml.write_text(text.replace("round_minutes = 30", "round_minutes = 20"), encoding="utf-8")
    found = events(contest)
    assert [event.kind for event in found[3:]] == ["season-set"]
    assert found[-1].body["settings"]["screening"]["round_minutes"] == 20


def test_each_sitting_has_its_own_chain_and_the_clock_continues(contest: Path) -> None:
    line = LineBegun("q", True)
    for start in (1000, 5):
        with Season(contest, clock=Tick(start)) as season:
            add(season, {**WRITTEN, "entrant": f"Person {start}"})
            season.note("E7", "judge", line)
            season.flush()
    heads: dict[str | None, str] = {}
    found = events(contest)
    for event in found:
        assert event.prev == heads.get(event.talk, GENESIS)
        assert hash_of(event) == event.hash
        heads[event.talk] = event.hash
    times = [event.mono_ns for event in found]
    assert times == sorted(set(times))
    assert times[-1] < 60e9


def test_only_one_command_writes_at_a_time_but_many_read(contest: Path) -> None:
    with Season(contest) as season:
        add(season, WRITTEN)
        with pytest.raises(InUse):
            Season(contest)
        assert list(read(contest).entries) == ["E1"]
        assert read(contest) == season.state
    with Season(contest):
        pass


def test_an_unreadable_record_is_an_error_and_is_closed(contest: Path) -> None:
    (contest / FILE_NAME).write_bytes(b"no database at all" * 100)
    for look in (Season, read):
        with pytest.raises(RecordTrouble):
            look(contest)
    (contest / FILE_NAME).unlink()
    with Season(contest):
        pass


def test_a_season_needs_a_contest_folder(tmp_path: Path) -> None:
    with pytest.raises(NotAContest, match="loebner new"):
        Season(tmp_path / "none")
    with pytest.raises(NotAContest, match="no such folder"):
        read(tmp_path / "none")
    assert not (tmp_path / "none").exists()


def test_bodies_are_read_back_and_malformed_ones_reported(contest: Path) -> None:
    with Season(contest) as season:
        add(season, WRITTEN)
    event = events(contest)[1]
    assert isinstance(season_body(event), SeasonSet)
    with pytest.raises(RecordTrouble, match="malformed"):
        fold([Event(**{**event.as_json(), "body": {"settings": 3}})])


def test_a_contest_can_not_open_before_its_season_has_finalists(
    contest: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with Season(contest) as season:
        add(season, WRITTEN)
    assert main(["serve", str(contest), "--port", "0"]) == 1
    assert "its season has no finalists yet" in capsys.readouterr().err
    kinds = {event.kind for event in events(contest)}
    assert "contest-opened" not in kinds
    with Season(contest) as season:
        add(season, {**WRITTEN, "entrant": "Bo"})
        assert not season.has("contest-opened")
