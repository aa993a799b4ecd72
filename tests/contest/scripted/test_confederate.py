"""Tests a scripted confederate's answers."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from contest.scripted.characters import Character, Repertoire, confederates, judges
from contest.scripted.people import Questions, answer
from lpp.names import keys_of

EVERYBODY = pytest.mark.parametrize("who", confederates(), ids=lambda who: who.name)


@EVERYBODY
@pytest.mark.parametrize(
    ("line", "word"),
    [
        ("What is a hammer for?", "nails"),
        ("Which is bigger, a grape or an elephant?", "elephant"),
        ("what is 9 times 6", "54"),
        ("Which round is this?", "3"),
    ],
)
def test_easy_questions_are_answered(who: Character, line: str, word: str) -> None:
    for seed in range(4):
        assert word in answer(line, Repertoire(who, random.Random(seed)), 3).lower()


@EVERYBODY
def test_confederate_does_not_repeat_lines_in_a_talk(who: Character) -> None:
    questions = Questions(judges()[0], random.Random(1))
    repertoire = Repertoire(who, random.Random(1))
    said: list[str] = []
    for at in range(35):
        said.append(answer(questions.next(said), repertoire, 1))
        questions.spoke_at = float(at)
    assert len({*said}) == len(said)


@settings(max_examples=20)
@given(st.sampled_from(confederates()), st.lists(st.text(min_size=1, max_size=60), max_size=60))
def test_every_line_gets_an_answer_that_can_be_typed(who: Character, lines: list[str]) -> None:
    repertoire = Repertoire(who, random.Random(1))
    for line in lines:
        said = answer(line, repertoire, 1)
        assert said.strip()
        assert "{" not in said
        keys_of(said)
