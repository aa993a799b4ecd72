"""Screening questions on what stands in a row, on kin, and on what belongs together."""

from __future__ import annotations

import datetime

import pytest

from bots.screening.rows import time_sum
from tests.bots.talking import CONTEST_DAY, last_reply, new_bot


def ask(question: str, now: datetime.datetime = CONTEST_DAY) -> str:
    return last_reply(new_bot("screening", now=now), question)


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Which comes first, Friday or Tuesday?", "Tuesday."),
        ("Which comes later, Friday or Tuesday?", "Friday."),
        ("What comes first: lunch or breakfast?", "Breakfast."),
        ("Which of them comes first, the letter M or the letter C?", "The letter c."),
        ("Which comes earlier, number 12 or number 9?", "Number 9."),
        ("Which is first, May or March?", "March."),
        ("Which comes last, spring or autumn?", "Autumn."),
        ("Which came first, the seed or the tree?", "The seed."),
        ("If today is Friday, what day will it be in four days?", "Tuesday."),
        ("If it is Monday now, what day was it two days ago?", "Saturday."),
        ("If today is Sunday, what day comes ten days later?", "Wednesday."),
        ("What day is three days after Thursday?", "Sunday."),
        ("What day is three days before Monday?", "Friday."),
        ("What month comes after this month?", "November."),
        ("Which year comes before this year?", "2009."),
        ("What meal comes after breakfast?", "Lunch."),
        ("Do people sleep in the morning, at noon or at night?", "At night."),
        ("Do you eat lunch in the morning, at noon or in the evening?", "At noon."),
        ("Do people eat breakfast in the morning or in the evening?", "In the morning."),
        ("The film starts at 4:15 and takes two hours. When is it over?", "At 6:15."),
        ("It is 12:50. What time will it be 25 minutes later?", "At 1:15."),
        ("School ends at 3:00. What time was it half an hour earlier?", "At 2:30."),
        ("The train leaves at 22:50 and takes 20 minutes. When does it arrive?", "At 23:10."),
        ("What do you call your mother's mother?", "My grandmother."),
        ("Who is my father's sister to me?", "Your aunt."),
        ("What is your uncle's son?", "My cousin."),
        ("Which of these do you wear: a shirt, a hammer, or a dog?", "A shirt."),
        ("Which of these can take you to town: a bed, a bus, or a pear?", "A bus."),
        (
            "A dog, a cat, and a chair: which does not go with the others?",
            "A chair, for it is no animal.",
        ),
        ("I want to cut paper. What do I need?", "Scissors."),
        ("What kind of thing is a bee?", "A bee is an insect."),
        ("Tell me the name of an animal that says meow.", "A cat."),
        ("What is the opposite of full?", "The opposite of full is empty."),
        ("Where does a train stop?", "At a station."),
    ],
)
def test_answers(question: str, answer: str) -> None:
    assert ask(question) == answer


@pytest.mark.parametrize("kind", ["a flower", "a fruit", "a bird", "a tool"])
def test_names_one_of_a_kind_however_it_is_asked(kind: str) -> None:
    said = {
        ask(f"Name {kind}."),
        ask(f"Tell me the name of {kind}, please."),
        ask(f"Can you name {kind}?"),
    }
    assert len(said) == 1
    assert len(said.pop().split()) <= 3


@pytest.mark.parametrize(
    "line",
    [
        "It is 4:15.",
        "When is it over?",
        "We met at 4:15 and talked for an hour.",
        "Is it 4:15 or 5:15 in two hours, and when?",
        "When I came at 4:15 there were some minutes left.",
        "",
    ],
)
def test_not_every_clock_is_a_sum(line: str) -> None:
    assert time_sum(line) is None


@pytest.mark.parametrize(
    ("told", "question", "answer"),
    [
        ("My uncle is named Tom.", "What is the name of my uncle?", "Tom"),
        ("The film starts at 4:15 and takes two hours.", "When does the film start?", "4:15"),
        ("I have three cats.", "Tell me about yourself.", ""),
    ],
)
def test_what_was_told_comes_first(told: str, question: str, answer: str) -> None:
    assert answer in last_reply(new_bot("screening"), told, question)
