"""Tests a scripted judge's questions, features and decisions."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contest.scripted.characters import Judge, judges
from contest.scripted.people import (
    FEATURES,
    MANY,
    NEUTRAL,
    REMARKS,
    SAME_LINE,
    SURE,
    Questions,
    decide,
    features,
)
from contest.scripted.person import PAUSE
from lpp.names import keys_of
from lpp.wire import Author

HARRIET = judges()[0]
WEIGHTS = dict.fromkeys(FEATURES, 1.0)
EVERYBODY = pytest.mark.parametrize("who", judges(), ids=lambda who: who.name)
FINE = "that is hard to say, on the whole it went quite nicely"


def talk(*texts: str) -> list[tuple[Author, str]]:
    """The lines of a talk, alternately by judge and entity, without empty ones."""
    authors: tuple[Author, Author] = ("judge", "entity")
    return [(authors[at % 2], text) for at, text in enumerate(texts) if text]


def seen(**values: float) -> dict[str, float]:
    return dict.fromkeys(FEATURES, 0.0) | values


@pytest.mark.parametrize(
    ("lines", "feature", "value"),
    [
        ([], "silent", NEUTRAL),
        (talk("a b", "c d", "e f"), "silent", 0.0),
        (talk("a b", "", "c d", "", "e f"), "silent", 1.0),
        (talk("a b", "I like my bicycle", "c d", "I like my bicycle!"), "repeated", 1 / MANY),
        (talk("a b", "yes", "c d", "yes"), "repeated", 0.0),
        (talk("Do you have a dog?", "a dog, yes"), "evasive", 0.0),
        (talk("Do you have a dog?", "why do you ask"), "evasive", 1.0),
        (talk("So I went home", "why do you ask"), "evasive", NEUTRAL),
        (talk("What is a hammer for?", "for nails"), "wrong", 0.0),
        (talk("What is a hammer for?", "let us talk about you"), "wrong", 1.0),
        (talk("What is a hammer for?", ""), "wrong", NEUTRAL),
    ],
)
def test_features(lines: list[tuple[Author, str]], feature: str, value: float) -> None:
    found = features(lines, HARRIET)
    assert list(found) == list(FEATURES)
    assert found[feature] == value


@pytest.mark.parametrize(
    ("left", "right", "human", "confidence", "reason"),
    [
        (seen(), seen(repeated=1.0), "left", 100, "the right side repeated itself"),
        (seen(wrong=0.5), seen(), "right", 50, "the left side could not answer easy questions"),
        (seen(silent=1.0), seen(evasive=0.5), "right", 50, "the left side left lines"),
    ],
)
def test_decisions(
    left: dict[str, float], right: dict[str, float], human: str, confidence: int, reason: str
) -> None:
    decided = decide(left, right, WEIGHTS, random.Random(1))
    assert decided[:2] == (human, confidence)
    assert decided[2].startswith(reason)


VALUES = st.fixed_dictionaries({name: st.floats(0, 1) for name in FEATURES})


@given(VALUES, VALUES)
def test_decision_does_not_depend_on_the_side(
    one: dict[str, float], other: dict[str, float]
) -> None:
    there = decide(one, other, WEIGHTS, random.Random(1))
    back = decide(other, one, WEIGHTS, random.Random(1))
    assert there[1] == back[1]
    assert (there[0] == back[0]) is (there[2] == "can't tell them apart")


@EVERYBODY
def test_judge_recognizes_a_parrot(who: Judge) -> None:
    asked = ["Where did you grow up?", "Do you have a dog?", "What did you eat for breakfast?"]
    person = ["I grew up by a lake", "a small dog, he sleeps all day", "eggs, a late breakfast"]
    parrot = ["Why do you say that to me?"] * 3
    left, right = (
        features(talk(*(text for pair in zip(asked, said, strict=True) for text in pair)), who)
        for said in (person, parrot)
    )
    assert decide(left, right, who.weights, random.Random(1))[0] == "left"


@EVERYBODY
def test_judge_never_runs_out_of_lines_and_does_not_repeat_them_soon(who: Judge) -> None:
    questions = Questions(who, random.Random(1))
    said: list[str] = []
    for number in range(120):
        said.append(questions.next([FINE] * number))
        questions.spoke_at = float(number)
        keys_of(said[-1])
    assert said[0] in who.lines["opening"]
    assert len({*said[:40]}) == 40


@EVERYBODY
@pytest.mark.parametrize(
    ("lines", "situation"),
    [
        ([], "silence"),
        (["I like my old bicycle", "I like my old bicycle"], "repeated"),
        (["but what of the ineffable?"], "asked_back"),
        (["verily"], "short"),
    ],
)
def test_remarks(who: Judge, lines: list[str], situation: str) -> None:
    made = 0
    for seed in range(60):
        questions = Questions(who, random.Random(seed))
        questions.next([])
        questions.spoke_at, questions.heard = 1.0, max(0, len(lines) - 1)
        made += questions.next(lines) in who.lines[situation]
    assert made > 5


PAGE = (Path(__file__).parents[3] / "docs/explanation/scripted-people.md").read_text("utf-8")


def test_documented_rule() -> None:
    for name in FEATURES:
        assert f"| `{name}` |" in PAGE
    said = re.sub(r"\s+", " ", PAGE)
    for phrase in (
        f"({SAME_LINE:.0%} of the words)".replace("%", " %"),
        f"divided by {MANY}",
        f"counts as {NEUTRAL:g}",
        f"percentage of {SURE:g}",
        f"pauses for {PAUSE:g} seconds",
        *(f"`{who.name}`" for who in judges()),
    ):
        assert phrase in said
    assert set(REMARKS) == {"silence", "repeated", "asked_back", "short"}
