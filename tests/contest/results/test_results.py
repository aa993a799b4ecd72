"""Tests the results as JSON."""

from __future__ import annotations

from typing import Any

import pytest

import scheduler
from contest.results.document import Results
from contest.results.page import outcome_of, page_stream
from contest.results.pictures import pictures_of
from contest.results.text import result_in_words
from tests.contest.build import contest, results_json, small


@pytest.fixture(scope="module")
def results() -> dict[str, Any]:
    """The results of the whole contest, read from JSON."""
    return results_json(contest().read())


def test_the_tally_has_the_documented_fields(results: dict[str, Any]) -> None:
    tally = results["tally"]
    assert set(tally) == {"table", "entries", "winners", "silver", "warnings"}
    assert tally["table"]["J1"] == {"E1": 1, "E2": 0, "E3": 1, "E4": 1}
    assert tally["entries"][0] == {
        "entry": "E4",
        "score": 3,
        "mean_rank": 8.0,
        "place": 1,
        "tied": False,
    }
    assert tally["winners"] == ["E4"]


def test_the_schedule_has_its_proof(results: dict[str, Any]) -> None:
    schedule = results["schedule"]
    assert schedule["check"]["valid"] is True
    assert schedule["check"]["pairs"]["judge_entry"]["covered"] == 16
    assert schedule["rounds"][1][0] == {"judge": "J2", "entry": "E4", "confederate": "C1"}
    assert any("16 of 16" in line for line in schedule["words"])


def test_places_prizes_and_silver_have_words(results: dict[str, Any]) -> None:
    assert results["final"] is True
    assert results["words"]["places"][0] == "E4 has 3; E4 is first."
    assert "mean ranks 5.125, 5.875 and 7" in results["words"]["places"][1]
    assert results["words"]["silver"][0].startswith("Silver medal: E4 was taken for the human")
    assert results["words"]["prizes"][0].startswith("E4: US$ 3,000")
    assert results["prizes"][0] == {
        "entry": "E4",
        "money": "3000",
        "at_announcement": 250,
        "still_due": "3000",
        "bronze": True,
        "silver": True,
    }


def test_the_silver_medal_has_its_evidence(results: dict[str, Any]) -> None:
    assert results["silver"][0]["verdicts"] == [
        {"round": 2, "judge": "J2", "confederate": "C1"},
        {"round": 3, "judge": "J1", "confederate": "C3"},
        {"round": 4, "judge": "J3", "confederate": "C2"},
    ]


def test_each_talk_has_verdict_typing_and_transcript(results: dict[str, Any]) -> None:
    assert len(results["talks"]) == 40
    talk = next(t for t in results["talks"] if t["entity"] == "E3" and t["round"] == 1)
    assert (talk["role"], talk["counts"]) == ("entry", True)
    assert talk["verdict"] == {"taken_for_human": False, "confidence": None, "reason": ""}
    assert talk["typing"]["entity"]["backspaces"] == 3
    assert talk["length_ms"] == 300_001
    first = next(line for line in talk["lines"] if line["author"] == "entity")
    assert first["text"] == "Helo there!"
    assert first["typed"] == "Helo←←lo there!⏎←⏎"
    assert first["finished"] is True
    assert talk["lines"][-1]["finished"] is False


def test_exactly_one_of_a_pairing_was_taken_for_the_human(results: dict[str, Any]) -> None:
    pairs: dict[tuple[int, str], list[bool]] = {}
    for talk in results["talks"]:
        if talk["counts"]:
            place = (talk["round"], talk["judge"])
            pairs.setdefault(place, []).append(talk["verdict"]["taken_for_human"])
    assert {tuple(sorted(pair)) for pair in pairs.values()} == {(False, True)}


def test_attempts_pauses_and_incidents_are_included(results: dict[str, Any]) -> None:
    assert [(r["round"], r["attempt"], r["counts"]) for r in results["rounds"]] == [
        *((1, 1, True), (2, 1, False), (2, 2, True), (3, 1, True), (4, 1, True))
    ]
    (pause,) = results["rounds"][3]["pauses"]
    assert pause["reason"] == "a fire alarm"
    assert len(results["incidents"]) == 5


def test_the_head_and_exact_rankings_are_included(results: dict[str, Any]) -> None:
    b = contest()
    assert results["record"] == {"events": len(b.events), "head": b.chains.head(None)}
    assert results["rankings"][3]["ranks"]["E1"] == "11/2"


def test_an_unfinished_contest_has_no_prizes() -> None:
    results = results_json(small(close=False).read())
    assert results["final"] is False
    assert results["prizes"] == results["words"]["prizes"] == []
    assert results["tally"]["table"] == {"J1": {"E1": None}}
    assert results["contest"]["sides_revealed"] is False
    assert all(talk["verdict"] is None for talk in results["talks"])


def test_a_newly_opened_contest_has_results() -> None:
    results = results_json(small().read())
    assert results["talks"][0]["typing"]["judge"]["median_gap_ms"] is None


def test_all_outputs_share_one_tally(monkeypatch: pytest.MonkeyPatch) -> None:
    counted = []

    def count(*args: Any) -> scheduler.Tally:
        counted.append(args)
        return tally(*args)

    tally = scheduler.tally
    monkeypatch.setattr(scheduler, "tally", count)
    results = Results(contest().read())
    for shown in (results.stream(), page_stream(results), result_in_words(results)):
        assert "".join(shown)
    assert outcome_of(results).complete
    assert next(pictures_of(results))
    assert len(counted) == 1
