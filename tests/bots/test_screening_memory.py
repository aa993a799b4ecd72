"""Screening questions demonstrating memory: a statement, other things in between, questions."""

from __future__ import annotations

import pytest

from bots.screening.asking import Asked, Gap, read_question
from bots.screening.clauses import Clause, read_statement
from bots.screening.spelling import mend
from tests.bots.talking import last_reply, new_bot

#: What comes between a statement and the questions on it.
BETWEEN = (
    "What time is it?",
    "I saw a green bird today.",
    "Which is larger, a cat or a horse?",
    "Peter is older than Paul.",
    "What would I use a hammer for?",
)

HARRY = "I have a friend named Harry who likes to play tennis."


@pytest.mark.parametrize(
    ("told", "question", "answer"),
    [
        # The rules' own samples.
        (HARRY, "What is the name of the friend I just told you about?", "Harry."),
        (HARRY, "Do you know what game Harry likes to play?", "Tennis."),
        # Who, what, where, when, why, how many.
        (HARRY, "Who likes tennis?", "Harry."),
        (HARRY, "What does Harry like to do?", "Play tennis."),
        (HARRY, "What is my friend's name?", "Harry."),
        (HARRY, "Does Harry like tennis?", "Yes, Harry likes to play tennis."),
        (HARRY, "What is Harry's favorite game?", "Tennis."),
        ("My sister Anna lives in Boston.", "Where does my sister live?", "In Boston."),
        ("My sister Anna lives in Boston.", "What is my sister's name?", "Anna."),
        ("My sister Anna lives in Boston.", "Who lives in Boston?", "Your sister Anna."),
        ("My sister Anna lives in Boston.", "In which city does Anna live?", "In Boston."),
        ("Tom put the book on the table.", "Where is the book?", "On the table."),
        ("Tom put the book on the table.", "What did Tom put on the table?", "The book."),
        ("Tom put the book on the table.", "Who put the book on the table?", "Tom."),
        ("Tom put the book on the table.", "What is on the table?", "The book."),
        ("Yesterday Mary went to the park with her brother.", "Where did Mary go?", "To the park."),
        ("Yesterday Mary went to the park with her brother.", "When did Mary go there?", None),
        (
            "Yesterday Mary went to the park with her brother.",
            "With whom did Mary go to the park?",
            "Mary's brother.",
        ),
        ("My brother is eight years old.", "How old is my brother?", "Eight years old."),
        ("My car is blue.", "What color is my car?", "Blue."),
        ("My car is blue.", "Is my car red?", "No, your car is blue."),
        ("I have a dog called Rex.", "What is my dog's name?", "Rex."),
        ("I have a dog called Rex.", "What pet do I have?", "A dog called Rex."),
        (
            "Sally gave a red ball to her friend Peter.",
            "What did Sally give to Peter?",
            "A red ball.",
        ),
        ("Sally gave a red ball to her friend Peter.", "What color was the ball?", "Red."),
        ("I bought three apples at the market.", "How many apples did I buy?", "Three."),
        ("I bought three apples at the market.", "Where did I buy the apples?", "At the market."),
        ("My uncle Bob is a doctor.", "What does my uncle do?", "Your uncle Bob is a doctor."),
        ("My uncle Bob is a doctor.", "What is Bob's job?", "A doctor."),
        ("My favorite color is green.", "What is my favorite color?", "Green."),
        (
            "Jane was late because she missed the bus.",
            "Why was Jane late?",
            "Because Jane missed the bus.",
        ),
        (
            "John works in a bakery and plays the piano.",
            "Which instrument does John play?",
            "The piano.",
        ),
        (
            "My friend Tom and I went fishing on Sunday.",
            "Who did I go fishing with?",
            "Your friend Tom.",
        ),
        ("Peter lost his keys in the garden.", "Where did Peter lose his keys?", "In the garden."),
        ("My birthday is in June.", "When is my birthday?", "In June."),
        ("I was born in Ohio.", "Where was I born?", "In Ohio."),
        (
            "My mother bakes a cake every Sunday.",
            "When does my mother bake a cake?",
            "Every Sunday.",
        ),
        ("The girl next door has a parrot named Polly.", "What is the parrot's name?", "Polly."),
        ("My name is Jim.", "What is my name?", "Jim."),
        ("I named my cat Felix.", "What is my cat called?", "Felix."),
        ("I am going to Florida next month.", "Where am I going next month?", "To Florida."),
        ("Susan told Frank a secret.", "What did Susan tell Frank?", "A secret."),
        ("I had pancakes for breakfast.", "What did I eat for breakfast?", "Pancakes."),
        ("Anna is Bob's mother.", "Who is Bob's mother?", "Anna."),
        ("I live next to the church.", "Where do I live?", "Next to the church."),
        (
            "Lucy does not like spinach.",
            "Does Lucy like spinach?",
            "No, Lucy does not like spinach.",
        ),
        # What can't be taken apart is said back.
        (HARRY, "What did I tell you about Harry?", None),
        ("The old mill burned down.", "What happened to the old mill?", None),
    ],
)
def test_what_was_told_is_remembered(told: str, question: str, answer: str | None) -> None:
    expected = answer
    for between in ((), BETWEEN):
        said = last_reply(new_bot("screening"), told, *between, question)
        if expected is None:
            assert said.startswith("You told me that ")
        else:
            assert said == expected


@pytest.mark.parametrize(
    ("told", "question", "answer"),
    [
        # As people type to a stranger.
        ("my dog is called pickle, dont ask", "ok test. what is my dog caleld", "Pickle."),
        ("i got four tickets for the game", "how many tickets did i say i got", "Four."),
        ("My sister keeps three donkeys.", "How many donkeys did I say my sister keeps?", "Three."),
        (
            "My wife is called Lorraine and she bakes.",
            "What did I say my wife is called?",
            "Lorraine.",
        ),
        (
            "Our old dog was brown and he bit Tom.",
            "What color was our old dog, remember?",
            "Brown.",
        ),
        ("Our old dog was brown and he bit Tom.", "Who bit Tom?", "Our old dog."),
        ("When I was small I lived in Porto.", "Where did I live when I was small?", "In Porto."),
        ("I am writing my thesis about promises.", "What is my thesis about?", "Promises."),
        ("I lost a yellow notebook.", "What color is the notebook that I lost?", "Yellow."),
        ("My first car was a green one, and it leaked.", "What color was my first car?", "Green."),
        ("I saw a bear and it growled.", "What growled?", "A bear."),
    ],
)
def test_what_is_said_in_passing(told: str, question: str, answer: str) -> None:
    said = last_reply(new_bot("screening"), "My buddy Al flies planes.", told, *BETWEEN, question)
    assert said == answer.replace("Our", "Your")


def test_several_statements_are_kept_apart() -> None:
    bot = new_bot("screening")
    for told in (
        "My aunt lives in Paris and my uncle lives in London.",
        "Harry likes tennis, but Sue prefers golf.",
        "My dog is brown. My cat is white.",
    ):
        bot.reply(told)
    assert bot.reply("Where does my uncle live?") == "In London."
    assert bot.reply("Where does my aunt live?") == "In Paris."
    assert bot.reply("Which game does Sue like?") == "Golf."
    assert bot.reply("Who likes tennis?") == "Harry."
    assert bot.reply("What color is my dog?") == "Brown."
    assert bot.reply("What color is my cat?") == "White."


def test_the_latest_statement_holds() -> None:
    said = last_reply(
        new_bot("screening"),
        "Tom put the book on the table.",
        "Tom put the book in the drawer.",
        "Where is the book?",
    )
    assert said == "In the drawer."


def test_pronouns_mean_whom_the_talk_is_about() -> None:
    bot = new_bot("screening")
    bot.reply("I have a friend named Harry. He lives in Rome. His dog is called Rex.")
    assert bot.reply("Where does he live?") == "In Rome."
    assert bot.reply("What is his dog's name?") == "Rex."


def test_what_was_said_first_and_last() -> None:
    bot = new_bot("screening")
    bot.reply("My car is blue.")
    bot.reply("I like tea.")
    assert bot.reply("What did I just tell you?") == "You told me that you like tea."
    assert bot.reply("What was the first thing I told you?") == "You told me that your car is blue."


def test_what_is_overheard_is_remembered_as_well() -> None:
    bot = new_bot("screening")
    bot.overhear("My car is blue.")
    bot.overhear("What time is it?")
    assert bot.reply("What color is my car?") == "Blue."


def test_a_new_talk_forgets() -> None:
    bot = new_bot("screening")
    bot.reply(HARRY)
    bot.begin()
    assert "Harry" not in (bot.reply("What is the name of my friend?") or "")


def test_what_was_never_told_is_not_made_up() -> None:
    bot = new_bot("screening")
    bot.reply(HARRY)
    assert "Harry" not in (bot.reply("What is my sister's name?") or "")
    assert "tennis" not in (bot.reply("Where did I put my keys?") or "").lower()


def test_small_talk() -> None:
    bot = new_bot("screening")
    assert "Hello" in (bot.reply("Hello!") or "")
    assert bot.reply("What's your name?") == "My name is Alex."
    assert bot.reply("Thank you.") == "You are welcome."
    assert bot.reply("...") == "Yes?"
    assert bot.reply("Who is the king of Zork?") == "I do not know who that is."
    assert bot.reply("Hi. What time is it?") == "It is 10:17 AM."
    assert bot.reply("quick one, whats a hamer for") == "You use a hammer to hit nails into wood."
    assert bot.reply("you there?") == "Yes, loud and clear."
    assert "turtle" in (bot.reply("any pets") or "")
    assert "egg" in (bot.reply("What did you have for breakfast?") or "")
    assert "sorry" in (bot.reply("you said that already") or "")
    assert bot.reply("what would you do with a million dollars") != bot.reply("what is money for")


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("what wolud you use an umberlla for", "what would you use an umbrella for"),
        ("whcih is biger", "which is bigger"),
        ("reemmber the hamer", "remember the hammer"),
        ("sdfkjh wertzk lkjhg", "sdfkjh wertzk lkjhg"),
        ("Thier dessert is quite nice", "Thier dessert is quite nice"),
        ("the state of the art", "the state of the art"),
    ],
)
def test_single_slips_are_mended_and_nothing_else(typed: str, meant: str) -> None:
    assert mend(typed) == meant


@pytest.mark.parametrize(
    ("sentence", "clauses"),
    [
        (
            "I have a friend named Harry who likes to play tennis",
            [("I", ("have",), "a friend named Harry"), ("Harry", ("like", "play"), "tennis")],
        ),
        (
            "My friend who lives in Rome has two cats",
            [("My friend", ("have",), "two cats"), ("My friend", ("live",), "")],
        ),
        ("My pet fish eats flies", [("My pet fish", ("eat",), "flies")]),
        ("The cook makes soup", [("The cook", ("make",), "soup")]),
        ("Tom and Mary like cats and dogs", [("Tom and Mary", ("like",), "cats and dogs")]),
        ("We are going to visit my aunt", [("We", ("visit",), "my aunt")]),
        ("Good morning", []),
    ],
)
def test_statements_are_taken_apart(
    sentence: str, clauses: list[tuple[str, tuple[str, ...], str]]
) -> None:
    assert [(c.subject, c.verbs, c.object) for c in read_statement(sentence)] == clauses


def test_the_parts_of_a_clause() -> None:
    (clause,) = read_statement("Yesterday Mary never went to the park with Tom because it rained")
    assert clause == Clause(
        subject="Mary",
        verbs=("go",),
        phrases=(("to", "the park"), ("with", "Tom")),
        when="Yesterday",
        why="it rained",
        predicate="never went to the park with Tom",
        negated=True,
    )
    assert clause.place == "to the park"
    assert clause.phrase("with") == "with Tom"
    assert clause.phrase("for") == ""


@pytest.mark.parametrize(
    ("question", "asked"),
    [
        (
            "what game Harry likes to play",
            Asked(Gap.OBJECT, "game", "Harry", ("like", "play")),
        ),
        ("Who likes tennis", Asked(Gap.SUBJECT, "", "", ("like",), "tennis")),
        ("What is on the table", Asked(Gap.SUBJECT, "", "", ("be",), "", (("on", "the table"),))),
        ("Who did Mary go with", Asked(Gap.PHRASE, "", "Mary", ("go",), preposition="with")),
        ("How many cats does Tom have", Asked(Gap.HOW_MANY, "cats", "Tom", ("have",))),
        ("Is my car red", Asked(Gap.WHETHER, "", "my car red", ("be",))),
        (
            "Where did Mary go yesterday",
            Asked(Gap.WHERE, "", "Mary", ("go",), when="yesterday"),
        ),
        ("The sky is blue", None),
        ("what", None),
        ("", None),
    ],
)
def test_questions_are_taken_apart(question: str, asked: Asked | None) -> None:
    assert read_question(question) == asked
