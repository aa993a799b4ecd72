"""What any grown-up can answer."""

from __future__ import annotations

import pytest

from contest.people.knowledge import (
    add_up,
    arrange,
    compare,
    confirm,
    recall,
    use,
)
from contest.people.lines import common


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Which is bigger, a mouse or a house?", "house"),
        ("whats smaller, a mouse or a cow", "mouse"),
        ("which is faster a train or a snail", "train"),
        ("Which is colder, snow or tea?", "snow"),
        ("Which is heavier, a florp or a piano?", None),
        ("A mouse or a cow?", None),
        ("Is a mouse bigger than a cow", None),
        ("which is bigger", None),
    ],
)
def test_compare(question: str, answer: str | None) -> None:
    assert compare(question, common()) == answer


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Is a mouse bigger than a cow?", "no"),
        ("is a cow bigger than a mouse", "yes"),
        ("Is a snail slower than a horse?", "yes"),
        ("Is a grandmother older than her grandson, as a rule?", "yes"),
        ("Is a florp bigger than a cow?", None),
        ("Is it later than you think?", None),
        ("I think a cow is bigger than a mouse", None),
    ],
)
def test_confirm(question: str, answer: str | None) -> None:
    assert confirm(question, common()) == answer


@pytest.mark.parametrize(
    ("question", "told", "answer"),
    [
        ("Ann is older than Beth. Beth is older than Carol. Who is the oldest?", [], "Ann"),
        ("Lea is younger than Max. Max is younger than Ida. Who is the youngest?", [], "Lea"),
        ("who is the oldest", ["Lea is younger than Max.", "Max is younger than Ida."], "Ida"),
        ("who is the fastest", ["dan is faster than bill.", "zoe is faster than dan"], "Zoe"),
        ("Who is the oldest?", [], None),
        ("who is the oldest", ["dan is faster than bill."], None),
        ("who is the oldest", ["Ann is older than Beth.", "Cleo is older than Dan."], None),
        ("a is older than b. b is older than a. who is the oldest", [], None),
    ],
)
def test_arrange(question: str, told: list[str], answer: str | None) -> None:
    assert arrange(question, told) == answer


@pytest.mark.parametrize(
    ("question", "found"),
    [
        ("What is a hammer for?", True),
        ("whats a shovel for", True),
        ("what do you use a whistle for", True),
        ("What would you do with a needle?", True),
        ("What would you use an umbrella for?", True),
        ("What is a question for?", False),
        ("Do you own a hammer?", False),
        ("What is a hammer and a saw for?", False),
    ],
)
def test_use(question: str, found: bool) -> None:
    assert (use(question, common()) is not None) is found


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("what is 9 times 6", "54"),
        ("What is seven plus eight?", "15"),
        ("What is twelve minus five?", "7"),
        ("2+2?", "4"),
        ("I was there in 9 and 6", None),
        ("how are you", None),
    ],
)
def test_add_up(question: str, answer: str | None) -> None:
    assert add_up(question) == answer


TOLD = [
    "I have a friend named Dolores who repairs clocks.",
    "My sister keeps three donkeys behind her house.",
    "What do you do?",
    "My first car was a green one, and it leaked.",
    "I taught for many years at a school in Duluth.",
    "My grandson is called Felix and plays the tuba.",
]


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("What was the name of my friend who repairs clocks?", "Dolores"),
        ("How many donkeys did I say my sister keeps?", "three"),
        ("What color was my first car, do you remember?", "green"),
        ("Where was the school at which I taught? I told you.", "duluth"),
        ("What does my grandson play?", "tuba"),
        ("What was the name of my dentist?", None),
        ("How many cars did I say?", None),
        ("Do you like tea?", None),
    ],
)
def test_recall(question: str, answer: str | None) -> None:
    found = recall(question, TOLD)
    assert (found or "").split()[-1:] == ([] if answer is None else [answer])
