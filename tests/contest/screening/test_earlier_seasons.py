"""Seasons of the first version, in a file of their own: they verify, rank, and go on."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from contest.screening import finalists, marking, ranking
from contest.screening.season import Season, read
from contest.screening.verify import verify

EARLIER = Path(__file__).with_name("earlier")


@pytest.mark.parametrize(("name", "events"), [("finished", 472), ("marking", 466)])
def test_they_verify(name: str, events: int) -> None:
    report = verify(EARLIER / name)
    assert report is not None
    assert [str(fault) for check in report.checks for fault in check.faults] == []
    assert (report.events, report.finished) == (events, name == "finished")


def test_one_that_is_finished_is_ranked_as_it_was() -> None:
    result = ranking.result_of(read(EARLIER / "finished"))
    assert result.ranking.finalists == ("E1", "E3")
    totals = {row.entry: row.scored.total for row in result.ranking.rows}
    assert totals == {"E1": 1, "E2": 0, "E3": 0, "E4": 0}
    behind = result.behind["E1", "own-1"]
    assert behind.answer is not None
    assert behind.answer.text == "A cat."
    assert behind.settled is not None
    assert behind.settled.by == "Cy"


def test_one_that_is_marked_goes_on_to_its_finalists(tmp_path: Path) -> None:
    place = Path(shutil.copytree(EARLIER / "marking", tmp_path / "contest"))
    with Season(place) as season:
        letters = marking.letters_of(season)
        best = {item: marking.letter(order.index("E2")) for item, order in letters.items()}
        for who in ("Ann", "Bob"):
            marks = {item: dict.fromkeys(marking.letters(season.state), "0") for item in letters}
            for item, letter in best.items():
                marks[item][letter] = "1"
            marking.mark_all(season, who, marks)
        marking.reveal(season)
        done = finalists.write(season, "Ada").entries
        assert [entry.id for entry in done] == ["E2", "E1", "E3", "E4"]
    report = verify(place)
    assert report is not None
    assert report.ok
