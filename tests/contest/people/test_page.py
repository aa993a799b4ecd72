"""docs/explanation/scripted-people.md states the rule as the code has it."""

from __future__ import annotations

import re
from pathlib import Path

from contest.people import confederates, judges
from contest.people import features as rule
from contest.people.features import FEATURES
from contest.people.judgement import NEUTRAL, SURE
from contest.people.lines import character, weights
from contest.people.questions import INTERVENING
from contest.people.seen import PAUSE

PAGE = (Path(__file__).parents[3] / "docs/explanation/scripted-people.md").read_text("utf-8")


def table(first: str) -> list[list[str]]:
    """The rows of the table whose head begins with these cells."""
    after = PAGE[PAGE.index(first) :].split("\n\n")[0]
    rows = [re.split(r"\s*\|\s*", line.strip(" |")) for line in after.splitlines()]
    return [rows[0], *rows[2:]]


def test_everybody_is_named() -> None:
    for name in (*confederates(), *judges()):
        assert f"`{name}`" in PAGE


def test_each_feature_is_stated_in_its_order() -> None:
    assert [row[0].strip("`") for row in table("| feature | is |")[1:]] == list(FEATURES)


def test_the_weights_are_those_of_the_data() -> None:
    head, *rows = table("| feature | harriet |")
    stated = {
        judge: {row[0].strip("`"): float(row[column]) for row in rows}
        for column, judge in enumerate(head)
        if column
    }
    assert stated == weights()


def test_how_much_judges_have_in_mind() -> None:
    head, spans = table("| judge | harriet |")
    assert dict(zip(head[1:], map(int, spans[1:]), strict=True)) == {
        name: character(name).habits.span for name in judges()
    }


def test_the_numbers_are_those_of_the_code() -> None:
    said = dict(table("| feature | is |")[1:])
    assert f"{rule.SAME_LINE:.0%}".replace("%", " %") in said["`repeated`"]
    assert f"{rule.SAME_WORDS:.0%}".replace("%", " %") in said["`echoed`"]
    assert f"{rule.TOO_FAST:g} keys a second" in said["`hasty`"]
    assert f"from {rule.ENOUGH_KEYS} keys on" in said["`flawless`"]
    assert rule.FAST_LINE == 10
    assert rule.ENOUGH_ANSWERS == 5
    assert f"counts {NEUTRAL:g}" in PAGE
    assert f"per cent of {SURE:g}" in PAGE
    assert f"pauses for {PAUSE:g} seconds" in PAGE
    assert INTERVENING[0] == 3
