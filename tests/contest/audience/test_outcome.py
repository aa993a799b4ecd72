"""Tests the reveal step by step: a step shows nothing of later ones."""

from __future__ import annotations

import re

import pytest

from contest.record import bodies
from contest.results.contest import steps_of
from contest.results.document import Results
from contest.results.page import outcome_of
from tests.contest.build import Builder, changed, contest, small


def shown(*steps: str) -> str:
    """The outcome of the whole contest with some steps revealed."""
    view = contest().read()
    return outcome_of(Results(view), steps).html["en"]


def test_nothing_is_shown_before_the_first_step() -> None:
    assert shown() == ""


def test_names_show_who_sat_where_but_no_verdicts() -> None:
    html = shown("names")
    assert "Teapot" in html
    assert "Person 4" in html
    assert "taken for the human" not in html
    assert "Score" not in html
    for step in ("step-table", "step-places", "step-prizes"):
        assert step not in html
    # Round 2 was played again: the attempt that counts is shown, with four desks per round.
    assert html.count('class="kind program"') == html.count('class="kind human"') == 16


def test_the_table_shows_no_places() -> None:
    html = shown("names", "table")
    assert "taken for the human" in html
    assert "Score" in html
    assert "Mean rank" not in html
    assert "Place" not in html


def test_places_are_revealed_from_last_to_first() -> None:
    view = contest().read()
    steps = steps_of(view.state)
    seen: list[str] = []
    counts = []
    for step in steps:
        seen.append(step)
        html = outcome_of(Results(view), seen).html["en"]
        counts.append(len(re.findall(r'class="place', html.replace('class="places"', ""))))
        names = {name for name in ("First place", "Fourth place") if name in html}
        assert ("First place" in names) == ("place 1" in seen)
        assert ("Fourth place" in names) == ("place 4" in seen)
        assert ("US$" in html) == ("prizes" in seen)
        assert ("How the places are decided" in html) == ("place 1" in seen)
        assert ("The higher places follow." in html) == (0 < counts[-1] < 4)
    assert counts == sorted(counts)
    assert counts[-1] == 4


def test_the_outcome_is_complete_after_the_last_step() -> None:
    view = contest().read()
    steps = steps_of(view.state)
    assert not outcome_of(Results(view), steps[:-1]).complete
    assert outcome_of(Results(view), steps).complete
    assert "still provisional" not in outcome_of(Results(view), steps).html["en"]


def test_a_result_that_is_not_final_says_so() -> None:
    b = small()
    b.reveal()
    b.finish()
    view = Builder()
    for draft in b.drafts[:-1]:
        view.write(bodies.from_json(draft.kind, draft.body), draft.talk, draft.actor)
    of = view.read()
    assert "still provisional" in outcome_of(Results(of), steps_of(of.state)).html["en"]


def test_names_are_escaped_and_withheld_names_are_ids() -> None:
    assert "&lt;i&gt;Sly&lt;/i&gt;" in shown("names")
    assert "<i>Sly" not in shown("names")
    b = contest()
    own = {**b.events[0].body["settings"], "publication": {"default": "withhold"}}
    view = changed(b, 1, settings=own).read()
    html = outcome_of(Results(view), ["names", "table"]).html["en"]
    assert "Person 1" not in html
    assert "Judge 1" not in html
    assert "<bdi>C1</bdi>" in html
    assert "Teapot" in html


@pytest.mark.parametrize("step", ["names", "table", "place 1", "prizes"])
def test_screen_readers_get_the_name_of_each_step(step: str) -> None:
    html = shown(step)
    assert re.findall(r'data-step="([^"]+)" data-says="([^"]+)"', html)
