"""Screening questions relating to relationships: what is known, what was told, opposites."""

from __future__ import annotations

import itertools
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bots.screening.order import UNSURE, Orders
from bots.screening.scales import Degree, find_degree, opposite_of, same_as
from bots.screening.telling import Figure, Relation, Teller
from tests.bots.talking import last_reply, new_bot


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        # The rules' own samples.
        ("Which is larger, a grape or a grapefruit?", "A grapefruit is larger."),
        ("Which is faster, a train or a plane?", "A plane is faster."),
        (
            "John is older than Mary, and Mary is older than Sarah. Which of them is the oldest?",
            "John is the oldest.",
        ),
        # What is known.
        ("What is heavier, a feather or a brick?", "A brick is heavier."),
        ("Which is the biggest: an elephant, a mouse or a horse?", "An elephant is the biggest."),
        (
            "Which of these is the smallest: a bus, a bicycle or a ship?",
            "A bicycle is the smallest.",
        ),
        ("Which is smaller a pea or a pumpkin", "A pea is smaller."),
        ("Is a train faster than a plane?", "No, a plane is faster than a train."),
        ("Are elephants larger than mice?", "Yes, elephants are larger than mice."),
        ("Does a car go faster than a bicycle?", "Yes, a car is faster than a bicycle."),
        ("Which weighs more, a book or a piano?", "A piano is heavier."),
        ("Which costs more, a house or a pencil?", "A house is more expensive."),
        ("A cat or a horse: which is bigger?", "A horse is bigger."),
        ("Of a lemon and a banana, which is sweeter?", "A banana is sweeter."),
        ("Is a cat or an elephant bigger?", "An elephant is bigger."),
        ("Would you say a plum is smaller than a melon?", "Yes, a plum is smaller than a melon."),
        ("Which is hotter, ice or fire?", "Fire is hotter."),
        ("Which is longer, a minute or an hour?", "An hour is longer."),
        ("Who is older, a grandfather or a child?", "A grandfather is older."),
        ("Is a mouse as big as an elephant?", "No, an elephant is bigger."),
        ("Is an elephant as heavy as a mouse?", "Yes, an elephant is even heavier."),
        ("What is the largest animal?", "A whale is the largest animal I can think of."),
        ("List a mouse, a cat and a horse from largest to smallest.", "Horse, cat, mouse."),
        ("Put these in order from smallest to largest: an ant, a dog, a bus.", "Ant, dog, bus."),
        ("Which has more legs, a spider or a dog?", "A spider has more legs."),
        ("Is an elephant big?", "Yes, an elephant is big."),
        ("Is a snail fast?", "No, a snail is rather slow."),
        ("Is sugar sweet or sour?", "Sugar is sweet."),
        ("Which is larger, a glorp or a cat?", "I am not sure, but I would say a glorp."),
        ("Which is larger, a glorp or an ocean?", "I am not sure, but I would say the ocean."),
        ("Which is heavier, a pound of feathers or a pound of gold?", None),
        # Words.
        ("What is the opposite of hot?", "The opposite of hot is cold."),
        ("What's the opposite of up?", "The opposite of up is down."),
        ("What is another word for big?", "Another word for big is large."),
    ],
)
def test_answers_on_what_is_known(question: str, answer: str | None) -> None:
    expected = answer if answer is not None else "They are about the same, I would say."
    assert last_reply(new_bot("screening"), question) == expected


@pytest.mark.parametrize(
    ("lines", "answer"),
    [
        (["Ann is taller than Bob.", "Bob is taller than Cid.", "Who is the shortest?"], "Cid"),
        (["Tom is taller than Ann but shorter than Bob. Who is the tallest?"], "Bob"),
        (["Tom is taller than Ann but shorter than Bob.", "And the shortest?"], "Ann"),
        (["Sue is not as old as Joe. Who is older?"], "Joe is older"),
        (["Al is older than Bo. Bo is older than Cy.", "Is Al older than Cy?"], "Yes, Al is older"),
        (["Al is older than Bo. Bo is older than Cy.", "Is Cy older than Al?"], "No, Al is older"),
        (
            ["Al is older than Bo. Bo is older than Cy.", "Who is younger, Al or Cy?"],
            "Cy is younger",
        ),
        (
            ["Al is older than Bo. Bo is older than Cy.", "Who is older than Cy?"],
            "Al and Bo are older",
        ),
        (["Al is older than Bo. Bo is older than Cy.", "Who is in the middle?"], "Bo."),
        (["Al is older than Bo. Bo is older than Cy.", "Who is the second oldest?"], "Bo."),
        (
            [
                "Al is older than Bo. Bo is older than Cy.",
                "Put them in order from youngest to oldest.",
            ],
            "Cy, Bo, Al.",
        ),
        (
            ["Peter is older than Paul. Peter is older than Mary. Who is the youngest?"],
            "I can't tell",
        ),
        (["Al is older than Bo. Al is older than Cy.", "Is Bo older than Cy?"], UNSURE),
        (["Tom is 12 years old. Ann is ten.", "Who is older?"], "Tom is older"),
        (["Sam has 3 apples and Tom has five. Who has more apples?"], "Tom has more apples"),
        (
            [
                "Amy has more candy than Beth. Beth has more candy than Carl.",
                "Who has the least candy?",
            ],
            "Carl has",
        ),
        (["Ann finished before Bob and Bob finished before Cid. Who won?"], "Ann is first"),
        (["Ann came in after Bob. Who came last?"], "Ann is last"),
        (["Mike runs faster than Dave. Who would win a race?"], "Mike is"),
        (["The red box is heavier than the blue one. Which box is the lightest?"], "The blue box"),
        (["My brother is stronger than me. Who is the strongest of us?"], "Your brother"),
        (["My brother is stronger than me. Am I stronger than my brother?"], "No, your brother is"),
        (["Anna is the mother of Bob. Who is older, Anna or Bob?"], "Anna is older"),
        (["If Lisa is faster than Kim and Kim is faster than Jo, who is the slowest?"], "Jo is"),
        (["John is older than Mary. She is older than Sarah.", "Who is the youngest?"], "Sarah"),
        (
            ["A horse is smaller than a cat. Which is smaller, a horse or a cat?"],
            "The horse is smaller",
        ),
    ],
)
def test_answers_on_what_was_told(lines: list[str], answer: str) -> None:
    assert last_reply(new_bot("screening"), *lines).startswith(answer)


def test_a_new_talk_forgets_the_order() -> None:
    bot = new_bot("screening")
    bot.reply("Al is older than Bo.")
    bot.begin()
    assert "Al is" not in (bot.reply("Who is the oldest?") or "")


OLD = Degree("age", 1, "superlative", "oldest", 0, 0)


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_whatever_order_a_chain_is_told_in_both_ends_are_found(data: st.DataObject) -> None:
    # Against the order that the statements were made from.
    names = data.draw(st.permutations(["Ann", "Bob", "Cid", "Dan", "Eve", "Fay"]))
    names = names[: data.draw(st.integers(2, 6))]
    told = []
    for older, younger in itertools.pairwise(names):
        swap = data.draw(st.booleans())
        told.append(
            f"{younger} is younger than {older}" if swap else f"{older} is older than {younger}"
        )
    orders = Orders()
    for sentence in data.draw(st.permutations(told)):
        assert orders.tell(sentence)
    assert orders.top(OLD, []) == f"{names[0]} is the oldest."
    young = Degree("age", -1, "superlative", "youngest", 0, 0)
    assert orders.top(young, []) == f"{names[-1]} is the youngest."
    assert orders.listed(OLD) == f"{', '.join(names)}."
    one, other = sorted(random.Random(1).sample(range(len(names)), 2))
    more = Degree("age", 1, "comparative", "older", 0, 0)
    assert orders.compare(more, names[one], names[other]) == (
        f"Yes, {names[one]} is older than {names[other]}."
    )


def test_a_correction_replaces_what_it_contradicts() -> None:
    orders = Orders()
    orders.tell("Ann is older than Bob")
    orders.tell("Bob is older than Ann")
    assert orders.top(OLD, []) == "Bob is the oldest."


@pytest.mark.parametrize(
    ("sentence", "told"),
    [
        (
            "Tom and Ann are two years older than Bob",
            [Relation("age", ("Tom", "Ann"), ("Bob",))],
        ),
        (
            "Al is older than Bo and Cy",
            [Relation("age", ("Al",), ("Bo",)), Relation("age", ("Al",), ("Cy",))],
        ),
        ("My book costs more than your pen", [Relation("price", ("My book",), ("your pen",))]),
        ("Anna is 150 centimeters tall", [Figure("length", ("Anna",), 150)]),
        ("I have a friend named Harry", []),
        ("I came before noon", []),
        ("It is 5 o'clock", []),
    ],
)
def test_statements_of_order(sentence: str, told: list[Relation | Figure]) -> None:
    assert Teller().read(sentence) == told


@pytest.mark.parametrize(
    ("text", "scale", "sign", "form"),
    [
        ("which is larger", "size", 1, "comparative"),
        ("the cheapest one", "price", -1, "superlative"),
        ("least expensive", "price", -1, "superlative"),
        ("less heavy", "weight", -1, "comparative"),
        ("the most dangerous animal", "danger", 1, "superlative"),
        ("which weighs less", "weight", -1, "comparative"),
        ("the eldest", "age", 1, "superlative"),
    ],
)
def test_adjectives(text: str, scale: str, sign: int, form: str) -> None:
    found = find_degree(text)
    assert found is not None
    assert (found.scale, found.sign, found.form) == (scale, sign, form)


def test_no_adjective_no_degree() -> None:
    assert find_degree("a big dog has more teeth") is None
    assert find_degree("zork", compared=False) is None


@pytest.mark.parametrize(
    ("word", "opposite"),
    [
        ("hot", "cold"),
        ("taller", "shorter"),
        ("oldest", "youngest"),
        ("day", "night"),
        ("zork", None),
    ],
)
def test_opposites(word: str, opposite: str | None) -> None:
    assert opposite_of(word) == opposite


def test_other_words() -> None:
    assert same_as("big") == "large"
    assert same_as("zork") is None
