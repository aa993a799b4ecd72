"""Screening questions relating to things: uses, kinds, places, parts; and the table behind them."""

from __future__ import annotations

import tomllib
from importlib import resources

import pytest

from bots.screening.knowledge import common_knowledge
from tests.bots.talking import last_reply, new_bot


def ask(question: str) -> str:
    return last_reply(new_bot("screening"), question)


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        # The rules' own samples.
        ("What would I use a hammer for?", "You use a hammer to hit nails into wood."),
        ("Of what use is a taxi?", "You use a taxi to get somewhere if you pay the driver."),
        # What is it for?
        ("What is an umbrella for?", "You use an umbrella to stay dry in the rain."),
        ("What are scissors used for?", "You use scissors to cut paper or cloth."),
        ("What do you do with a spoon?", "You use a spoon to eat soup or stir tea."),
        ("Why do people wear gloves?", "You use gloves to keep your hands warm."),
        ("When would I use an umbrella?", "When you want to stay dry in the rain."),
        ("What is the purpose of a refrigerator?", "You use a refrigerator to keep food cold."),
        ("what is a library for", "A library is a place to borrow books."),
        ("What are grapes good for?", "Grapes are there to eat, or to make wine."),
        ("What does a baker do?", "A baker bakes bread and cakes."),
        ("Can I use a hammer to hit nails?", "Yes, you use a hammer to hit nails into wood."),
        # What for that?
        ("What would I use to dig a hole?", "A shovel."),
        ("What tool is used to cut wood?", "A saw."),
        ("What do I need when it rains?", "An umbrella."),
        ("If I wanted to sew clothes, what would I need?", "A needle."),
        ("What do you wear on your feet?", "A shoe."),
        ("Who puts out fires?", "A fireman."),
        ("Who would you call if your house was on fire?", "A fireman."),
        ("Where do I go if I am sick?", "A hospital."),
        ("What do you call a person who repairs cars?", "A mechanic."),
        ("What animal gives milk?", "A cow."),
        ("What has four legs and barks?", "A dog."),
        # What is it?
        ("What is a hammer?", "A hammer is a tool; you use it to hit nails into wood."),
        ("Is a whale a fish?", "No, a whale is an animal."),
        ("Is a dog an animal?", "Yes, a dog is an animal."),
        ("Is a carrot a fruit or a vegetable?", "A carrot is a vegetable."),
        ("Name a fruit.", "An apple."),
        ("Name three animals.", "A dog, a camel and a bird."),
        ("Which of these is not an animal: a dog, a table, a cat?", "A table."),
        ("Which one doesn't belong: apple, pear, hammer?", "A hammer, for it is no fruit."),
        (
            "What is the difference between a cat and a dog?",
            "A cat says meow, and a dog says woof.",
        ),
        ("Will an elephant fit into a car?", "No, an elephant is too big for a car."),
        # What is it like?
        ("Where would I find a book?", "In a library."),
        ("Where do fish live?", "In the water."),
        ("What color is grass?", "Grass is green."),
        ("Is snow black?", "No, snow is white."),
        ("What sound does a cow make?", "A cow says moo."),
        ("What do rabbits eat?", "Rabbits eat carrots and grass."),
        ("What do bees make?", "Bees make honey."),
        ("What is a table made of?", "Wood."),
        ("What is a baby dog called?", "A puppy."),
        ("How many legs does a spider have?", "A spider has eight legs."),
        ("How many wheels does a bicycle have?", "A bicycle has two wheels."),
        ("How many eyes do people have?", "People have two eyes."),
        ("Does a bird have feathers?", "Yes, a bird has feathers."),
        ("Does a dog have wings?", "No, a dog does not have wings."),
        ("What are the parts of a tree?", "A tree has roots, a trunk, branches and leaves."),
        ("Can pigs fly?", "No, pigs can not."),
        ("Can a fish swim?", "Yes, a fish can."),
        # Facts and sums.
        ("How many days are in a week?", "There are seven days in a week."),
        ("What is the capital of France?", "Paris is the capital of France."),
        ("What is seven times eight?", "56."),
        ("How much is 2 and 2?", "Four."),
        ("What is ten divided by four?", "2.5."),
        ("What is 3 minus 5?", "Minus two."),
        ("What is half of 12?", "Six."),
        ("What number comes after nineteen?", "Twenty."),
        ("If I have three apples and eat one, how many are left?", "Two."),
        ("If I have three apples and buy two more, how many do I have?", "Five."),
    ],
)
def test_answers_on_things(question: str, answer: str) -> None:
    assert ask(question) == answer


@pytest.mark.parametrize(
    "question",
    ["What is your name?", "How do you do?", "What is love?", "What do you think about dogs?"],
)
def test_not_every_question_is_about_things(question: str) -> None:
    assert "You use" not in ask(question)


# The table


def test_there_are_some_hundreds_of_nouns_each_with_something_to_say() -> None:
    knowledge = common_knowledge()
    things = list(knowledge.of_kind("thing")) + list(knowledge.of_kind("living thing"))
    assert len(things) >= 400
    facts = ("use", "does", "place", "parts", "eats", "color", "gives")
    figures = ("size", "weight", "age", "hardness", "light", "noise", "length", "danger")
    for thing in things:
        says = any(thing.text(fact) for fact in facts)
        measures = thing.figure(*figures) is not None
        assert says or measures or knowledge.is_a(thing, "game"), thing.name


def test_the_table_has_no_slips_of_the_pen() -> None:
    file = resources.files("bots.screening").joinpath("things.toml")
    table = tomllib.loads(file.read_text("utf-8"))
    known = {
        *("also", "use", "does", "parts", "made", "place", "color", "sound", "eats", "baby"),
        *("gives", "can", "legs", "wheels", "size", "height", "length", "weight", "speed", "heat"),
        *("price", "age", "hardness", "noise", "strength", "sweetness", "light", "danger"),
    }
    names: set[str] = set()
    for kind, entries in table.items():
        if kind in ("kinds", "kind_names", "kind_parts", "no_article"):
            continue
        assert kind in table["kinds"] or kind in table["kinds"].values()
        for key, facts in entries.items():
            assert facts.keys() <= known, key
            for name in (key.replace("_", " "), *filter(None, facts.get("also", "").split("|"))):
                assert name not in names, name
                names.add(name)


@pytest.mark.parametrize(
    ("phrase", "name"),
    [
        ("the big red balls", "ball"),
        ("mice", "mouse"),
        ("a pair of scissors", "scissors"),
        ("a pair of shoes", "shoe"),
        ("an airplane", "plane"),
        ("a bucket of water", "bucket"),
        ("an old pickup truck", "truck"),
        ("the sun", "sun"),
        ("glorps", None),
        ("", None),
    ],
)
def test_phrases_name_things(phrase: str, name: str | None) -> None:
    found = common_knowledge().find(phrase)
    assert (found.name if found is not None else None) == name


@pytest.mark.parametrize(
    ("phrase", "named"),
    [
        ("hammer", "a hammer"),
        ("an apple", "an apple"),
        ("the mice", "mice"),
        ("water", "water"),
        ("sun", "the sun"),
        ("polar bears", "polar bears"),
    ],
)
def test_things_take_their_articles(phrase: str, named: str) -> None:
    assert common_knowledge().named(phrase) == named
