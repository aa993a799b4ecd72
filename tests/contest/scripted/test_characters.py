"""Tests the characters' data files, and the choice of lines from them."""

from __future__ import annotations

import random

import pytest

from contest.scripted.characters import (
    Character,
    Judge,
    Repertoire,
    confederates,
    facts,
    is_question,
    judges,
    matching,
    tokens,
)
from contest.scripted.people import FEATURES, REMARKS
from lpp.names import keys_of

EVERYBODY = pytest.mark.parametrize("who", [*judges(), *confederates()], ids=lambda who: who.name)


@EVERYBODY
def test_all_lines_can_be_typed_and_are_different(who: Character) -> None:
    lines = [line for pool in who.lines.values() for line in pool]
    lines += [line for topic in who.topic for line in topic.say]
    if isinstance(who, Judge):
        for question in who.questions:
            lines += [question.ask, *question.then]
        assert {*who.lines} == {"opening", *REMARKS}
        assert {*who.weights} == {*FEATURES}
        assert min(who.weights.values()) > 0
    else:
        assert {*who.lines} == {"fact", "unknown", "statement", "ask", "nudge"}
        assert all("{answer}" in line for line in who.lines["fact"])
    assert len(lines) >= 80
    assert len({*lines}) == len(lines)
    for line in lines:
        keys_of(line)


@pytest.mark.parametrize("who", judges(), ids=lambda who: who.name)
def test_confederates_know_the_answers_that_judges_accept(who: Judge) -> None:
    for question in who.questions:
        if question.accept and (known := matching(question.ask, facts())):
            assert {*question.accept} & {*tokens(known[0][0])}, question.ask


def test_lines_are_repeated_only_when_none_is_left() -> None:
    repertoire = Repertoire(confederates()[0], random.Random(1))
    pool = ["one", "two", "{word}", "{answer}"]
    assert {repertoire.say(pool, word="three") for _ in range(3)} == {"one", "two", "three"}
    assert repertoire.pick(pool, word="three") is None
    assert repertoire.say(pool, ["four"]) == "four"
    assert repertoire.say(pool) in pool


@pytest.mark.parametrize(
    ("line", "question"),
    [
        ("what is it?", True),
        ("whats a glove for", True),
        ("maybe that is right", False),
        ("I see", False),
        ("how nice", False),
        ("", False),
    ],
)
def test_questions(line: str, question: bool) -> None:
    assert is_question(line) is question
