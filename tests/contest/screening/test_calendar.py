"""Tests the season's settings, and the rules about the contest's own date."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from typing import Any

import pytest

from contest.errors import BadSettings
from contest.screening.register import select_entries
from contest.screening.state import State
from contest.setup import folder, settings
from contest.setup.settings import ContestTable, SeasonTable, Settings

GOOD = folder.template()
TABLE = SeasonTable()


def test_the_template_has_the_dates_of_2010() -> None:
    assert settings.parse(GOOD).season == TABLE
    assert (TABLE.opens, TABLE.closes) == (dt.date(2010, 5, 3), dt.date(2010, 6, 7))
    assert (TABLE.screened, TABLE.finalists) == (16, 4)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("opens = 2010-05-03", "opens = 2010-06-08", ["opens", "2010-06-08", "closes"]),
        ("closes = 2010-06-07", "closes = 2010-07-02", ["closes", "testing_to"]),
        ("agreed_before = 2010-06-07", "agreed_before = 2010-07-01", ["agreed_before"]),
        ("testing_from = 2010-06-08", "testing_from = 2010-07-01", ["testing_from"]),
        ("announced = 2010-07-05", "announced = 2010-06-29", ["announced"]),
        ("contest_to = 2010-11-01", "contest_to = 2010-10-03", ["contest_from", "contest_to"]),
        ("announced = 2010-07-05", "announced = 2010-11-02", ["announced", "contest_to"]),
        ('media = ["CD"', 'media = [" ", "CD"', ["[season], media: write one line"]),
        ('media = ["CD", "DVD", "USB flash"]', "media = []", ["media: name at least one"]),
        ("screened = 16", "screened = 0", ["[season], screened", ">= 1"]),
        ("finalists = 4", "finalists = 17", ["finalists must be between 1 and 16"]),
        ("finalists = 4", "finalists = 0", ["finalists", ">= 1"]),
        ("opens = 2010-05-03", 'opens = "soon"', ["[season]", "opens"]),
        ("finalists = 4", "finalist = 4", ["'finalist'", "'finalists'"]),
    ],
)
def test_impossible_dates_and_numbers_are_refused(old: str, new: str, said: list[str]) -> None:
    head, mark, season = GOOD.partition("[season]")
    assert old in season
    with pytest.raises(BadSettings) as caught:
        settings.parse(head + mark + season.replace(old, new, 1), "here.toml")
    assert "\n" not in str(caught.value)
    for words in ("here.toml", *said):
        assert words in str(caught.value)


def remarks(state: State) -> list[str]:
    """The remarks on the contest's own date and venue."""
    return [words for words in select_entries(state).words if words.startswith("The contest's")]


@pytest.mark.parametrize(
    ("date", "broken"),
    [
        *((None, False), ("2010-10-23", False), ("2010-10-04", False), ("2010-11-01", False)),
        *(("2010-10-03", True), ("2010-11-02", True)),
    ],
)
def test_the_contests_date_must_be_in_its_period(date: str | None, broken: bool) -> None:
    day = None if date is None else dt.date.fromisoformat(date)
    found = remarks(State(Settings(ContestTable("", date=day))))
    assert len(found) == broken
    assert all("later than 1 November 2010" in words for words in found)


def test_late_changes_of_date_and_venue_are_reported() -> None:
    held: list[tuple[dt.date, Mapping[str, Any]]] = [
        (dt.date(2010, 4, 1), {"date": None, "venue": ""}),
        (
            dt.date(2010, 5, 20),
            {"date": "2010-10-16", "venue": "LA"},
        ),  # recorded for the first time
        (dt.date(2010, 5, 1), {"date": "2010-10-16", "venue": "LA"}),
        (dt.date(2010, 5, 2), {"date": "2010-10-23", "venue": "LA"}),
        (dt.date(2010, 6, 1), {"date": "2010-10-23", "venue": "SF"}),
        (dt.date(2010, 6, 2), {"date": "2010-10-23", "venue": ""}),
    ]
    assert [
        words.partition(" (rules 2010, section 1: ")[0] for words in remarks(State(held=held))
    ] == [
        "The contest's date was changed from 2010-10-16 to 2010-10-23 on 2010-05-02, after "
        "2010-05-01",
        "The contest's venue was changed from LA to SF on 2010-06-01, after 2010-05-01",
        "The contest's venue was changed from SF to none on 2010-06-02, after 2010-05-01",
    ]
    in_time: list[tuple[dt.date, Mapping[str, Any]]] = [
        *((dt.date(2010, 4, 1), {"date": "a"}), (dt.date(2010, 5, 1), {"date": "b"})),
    ]
    assert remarks(State(held=in_time)) == []
