"""Tests the screening bot: answers to each of the four sets of questions, without inventing
anything."""

from __future__ import annotations

import datetime as dt
import re

import pytest

from tests.bots.talking import last_reply, new_bot

TIME = {
    "What time is it?": "It is 10:17 AM.",
    "what's the time": "It is 10:17 AM.",
    "Could you please tell me the time?": "It is 10:17 AM.",
    "What time will it be in 20 minutes?": "It will be 10:37 AM.",
    "What time was it two hours ago?": "It was 8:17 AM.",
    "Is it AM or PM?": "It is AM: 10:17 AM.",
    "Is it morning, noon, or night?": "It is morning.",
    "Is it night?": "No, it is morning: 10:17 AM.",
    "What day of the week is it?": "It is Saturday.",
    "Is today Monday?": "No, today is Saturday.",
    "What was yesterday?": "Yesterday was Friday.",
    "What day will it be the day after tomorrow?": "The day after tomorrow will be Monday.",
    "What is today's date?": "Today is Saturday, October 23, 2010.",
    "What is the date tomorrow?": "Tomorrow will be Sunday, October 24, 2010.",
    "What month is it?": "It is October.",
    "What month comes after this month?": "November.",
    "What year was it last year?": "It was 2009.",
    "What season is it?": "It is fall.",
    "What day comes after Tuesday?": "Wednesday.",
    "Which month comes before January?": "December.",
    "If tomorrow is Friday, what day is today?": "Today would be Thursday.",
    "If today is Friday, what day will it be in four days?": "Tuesday.",
    "What day is three days before Monday?": "Friday.",
    "What round is this?": "This is round 2 of 6.",
    "Is this the last round?": "No. This is round 2 of 6.",
    "How many rounds are there?": "There are six rounds.",
    "How many rounds are left?": "Four after this one.",
    "When does the next round start?": "Round 3 begins at 10:30 AM.",
    "What time does round four end?": "Round 4 ends at 11:30 AM.",
    "Which round comes next?": "Round 3.",
    "Is the contest over?": "No, it ends at 12:30 PM on Saturday, October 23, 2010.",
    "When does the contest start?": "The contest starts at 9:30 AM on Saturday, October 23, 2010.",
    "Do people sleep in the morning, at noon or at night?": "At night.",
}
THINGS = {
    "What would I use a hammer for?": "You use a hammer to hit nails into wood.",
    "Of what use is a taxi?": "You use a taxi to get somewhere if you pay the driver.",
    "what is a library for": "A library is a place to borrow books.",
    "What does a baker do?": "A baker has to bake bread and cakes.",
    "What would I use to dig a hole?": "A shovel.",
    "I want to cut paper. What do I need?": "Scissors.",
    "Who puts out fires?": "A fireman.",
    "What animal gives milk?": "A cow.",
    "Is a whale a fish?": "No, a whale is an animal.",
    "Is a carrot a fruit or a vegetable?": "A carrot is a vegetable.",
    "Can you name a fruit?": "An apple.",
    "Name three animals.": "A dog, a camel and a bird.",
    "Which of these do you wear: a shirt, a hammer, or a dog?": "A shirt.",
    "Which one is different: an apple, a pear, or a hammer?": (
        "A hammer, because it is not a kind of fruit."
    ),
    "Where would I find a book?": "In a library.",
    "What color is grass?": "Grass is green.",
    "Is snow black?": "No, snow is white.",
    "What sound does a cow make?": "A cow says moo.",
    "What do scissors have?": "Scissors have two blades and two handles.",
    "What is a table made of?": "Wood.",
    "How many legs does a spider have?": "A spider has eight legs.",
    "How many wheels does a bicycle have?": "A bicycle has two wheels.",
    "What is the capital of France?": "Paris is the capital of France.",
}
RELATIONS = {
    "Which is larger, a grape or a grapefruit?": "A grapefruit is larger.",
    "Which is faster, a train or a plane?": "A plane is faster.",
    "Which weighs more, a book or a piano?": "A piano is heavier.",
    "A cat or a horse: which is bigger?": "A horse is bigger.",
    "Of a lemon and a banana, which is sweeter?": "A banana is sweeter.",
    "Is a train faster than a plane?": "No, a plane is faster than a train.",
    "Which is longer, a minute or an hour?": "An hour is longer.",
    "John is older than Mary, and Mary is older than Sarah. Which of them is the oldest?": (
        "John is the oldest."
    ),
    "Tom is taller than Ann but shorter than Bob. Who is the tallest?": "Bob is the tallest.",
    "Al is older than Bo. Bo is older than Cy. Is Cy older than Al?": ("No, Al is older than Cy."),
    "Al is older than Bo. Bo is older than Cy. Who is in the middle?": "Bo.",
    "Peter is older than Paul. Peter is older than Mary. Who is the youngest?": (
        "I can't tell: it could be Paul or Mary."
    ),
    "My brother is stronger than me. Who is the strongest of us?": "Your brother is the strongest.",
    "A horse is smaller than a cat. Which is smaller, a horse or a cat?": "Horse is smaller.",
    "What is the opposite of hot?": "The opposite of hot is cold.",
    "Which comes first, Friday or Tuesday?": "Tuesday.",
    "Which comes later, number 12 or number 9?": "Twelve.",
    "What do you call your mother's mother?": "My grandmother.",
    "Who is my father's sister to me?": "Your aunt.",
}


@pytest.mark.parametrize(("question", "answer"), [*(TIME | THINGS | RELATIONS).items()])
def test_it_answers(question: str, answer: str) -> None:
    assert last_reply(new_bot("screening"), question) == answer


BETWEEN = ("It is a fine day today.", "What time is it?", "My shoes are too small.")
HARRY = "I have a friend named Harry who likes to play tennis."


@pytest.mark.parametrize(
    ("told", "question", "answer"),
    [
        # The sample in the rules.
        (HARRY, "What is the name of the friend I just told you about?", "Harry."),
        (HARRY, "Do you know what game Harry likes to play?", "Tennis."),
        (HARRY, "Who likes to play tennis?", "Harry."),
        ("My sister Anna lives in Boston.", "Where does my sister live?", "In Boston."),
        ("My sister Anna lives in Boston.", "What is my sister's name?", "Anna."),
        ("Tom put the book on the table.", "Where is the book?", "On the table."),
        ("My car is blue.", "What color is my car?", "Blue."),
        ("My name is Jim.", "What is my name?", "Jim."),
        # If no part answers the question, the whole statement is repeated.
        ("I lost my key.", "What did I lose?", "You told me that you lost your key."),
    ],
)
def test_statements_are_remembered(told: str, question: str, answer: str) -> None:
    assert last_reply(new_bot("screening"), told, question) == answer
    assert last_reply(new_bot("screening"), told, *BETWEEN, question) == answer
    bot = new_bot("screening")
    assert answer in (bot.reply(f"{told}\n{question}") or "")


@pytest.mark.parametrize(
    ("now", "said"),
    [
        (
            dt.datetime(2010, 6, 20, 12, 0),
            "has not started yet: round 1 begins at 9:30 AM on Satur",
        ),
        (dt.datetime(2010, 10, 23, 9, 29, 59), "has not started yet"),
        (dt.datetime(2010, 10, 23, 9, 30), "This is round 1 of 6"),
        (dt.datetime(2010, 10, 23, 9, 59, 59), "This is round 1 of 6"),
        (dt.datetime(2010, 10, 23, 12, 29, 59), "This is round 6 of 6"),
        (dt.datetime(2010, 10, 23, 12, 30), "the contest is over: round 6"),
        (dt.datetime(2026, 1, 1), "the contest is over"),
    ],
)
def test_the_round_is_known_before_during_and_after_the_contest(
    now: dt.datetime, said: str
) -> None:
    assert said in last_reply(new_bot("screening", now=now), "What round is this?")
    for question in ("Which round comes next?", "How many rounds are left?", "Is it over?"):
        answer = last_reply(new_bot("screening", now=now), question)
        assert re.search(r"[Rr]ound|contest|over|after this one|last|know", answer)


# The tables
