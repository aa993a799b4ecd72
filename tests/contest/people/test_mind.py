"""What a confederate answers."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contest.people.lines import character, confederates, judges, persona
from contest.people.mind import TOO_LONG, Mind
from contest.people.questions import Answer, Conversation
from lpp.names import keys_of

EVERYBODY = pytest.mark.parametrize("name", confederates())


def mind(name: str, seed: int = 1, round_: int = 1) -> Mind:
    return Mind(persona(name), random.Random(seed), round_)


def text(mind: Mind, line: str) -> str:
    return " ".join(mind.reply(line)).lower()


@EVERYBODY
@pytest.mark.parametrize(
    ("line", "word"),
    [
        ("Which is bigger, a mouse or a house?", "house"),
        ("What is a hammer for?", "nails"),
        ("what is 9 times 6", "54"),
        ("Ann is older than Beth. Who is the oldest?", "ann"),
    ],
)
def test_screening_questions_are_answered(name: str, line: str, word: str) -> None:
    assert word in text(mind(name), line)


@EVERYBODY
def test_the_round_is_known(name: str) -> None:
    for seed in range(5):
        assert "3" in text(mind(name, seed, 3), "Which round is this?")


@EVERYBODY
def test_most_people_remember_mostly(name: str) -> None:
    right = 0
    for seed in range(40):
        head = mind(name, seed)
        head.reply("I have a friend named Dolores who repairs clocks.")
        head.reply("How are you?")
        right += "dolores" in text(head, "What was the name of my friend?")
    assert 16 <= right <= 39, "nobody remembers everything"


@EVERYBODY
@pytest.mark.parametrize("judge", judges())
def test_nothing_is_said_twice_in_a_talk(name: str, judge: str) -> None:
    for seed in range(2):
        asks = Conversation(character(judge), random.Random(seed))
        head = mind(name, seed)
        answer: list[str] = []
        said: list[str] = []
        for _ in range(35):
            answer = head.reply(asks.next(Answer(answer, said)))
            said += answer
        assert len(set(said)) == len(said)


@EVERYBODY
def test_when_all_is_said_there_is_still_an_answer(name: str) -> None:
    head = mind(name)
    assert all(head.reply("And what of the florps?") for _ in range(80))
    assert sum(head.nudge() is not None for _ in range(50)) == len(persona(name).manner.nudge)


@EVERYBODY
def test_odd_lines(name: str) -> None:
    head = mind(name)
    assert head.reply("") == []
    assert head.reply("   ") == []
    long_answer = " ".join(head.reply("word " * 400))
    assert any(line in long_answer for line in persona(name).manner.long)
    noise = " ".join(head.reply("sdfkjh wertzk lkjhg"))
    assert any(line in noise for line in persona(name).manner.noise)
    assert all(len(line) <= TOO_LONG for line in head.told)


@EVERYBODY
def test_being_asked_the_same_again_is_noticed(name: str) -> None:
    again = 0
    for seed in range(20):
        head = mind(name, seed)
        head.reply("Do you have any pets at home?")
        second = " ".join(head.reply("Do you have any pets at home?"))
        again += any(line in second for line in persona(name).manner.again)
    assert again >= 5


@EVERYBODY
@given(st.lists(st.text(max_size=60), max_size=8))
def test_whatever_a_judge_types_the_answer_can_be_typed(name: str, lines: list[str]) -> None:
    head = mind(name)
    for line in lines:
        for answer in head.reply(line):
            assert answer.strip()
            assert "{" not in answer or "{" in line
            assert "\n" not in answer
            keys_of("".join(char for char in answer if char.isascii()))
