"""Set 3, questions on relationships: size, speed, age and more, chains of comparisons, opposites,
what comes first, kin."""

from __future__ import annotations

import itertools
from functools import cache
from typing import Any

from contest.screening.questions.data import load
from contest.screening.questions.drawing import Draw
from contest.screening.questions.making import Made
from contest.screening.questions.parts import Facts, Key

#: Steps of a scale that lie between two things at least, so that nobody can doubt.
_APART = 2


@cache
def data() -> dict[str, Any]:
    """What the templates are filled with."""
    return load("relations.toml")


def comparison(draw: Draw, facts: Facts) -> Made:
    """Two things that everybody knows."""
    return _compared(draw, draw.below(len(data()["scale"])))


def size(draw: Draw, facts: Facts) -> Made:
    """Two things by their size: what is asked most often."""
    return _compared(draw, 0)


def speed(draw: Draw, facts: Facts) -> Made:
    """Two things by their speed."""
    return _compared(draw, 1)


def age(draw: Draw, facts: Facts) -> Made:
    """Two persons by their age."""
    return _compared(draw, 3)


def chain(draw: Draw, facts: Facts) -> Made:
    """Three or four persons whose order follows from what is said of pairs."""
    words = draw.of(data()["chain"])
    # From the most to the least.
    # Others than in the chains before: what was told of them would count, too.
    people = draw.fresh("people", data()["people"]["names"], 3 + (draw.below(3) == 0))
    told = [
        f"{first} is {words['more']} than {second}"
        if draw.below(2)
        else f"{second} is {words['less']} than {first}"
        for first, second in itertools.pairwise(people)
    ]
    told = draw.shuffled(told)
    listed = f"{', '.join(told[:-1])}, and {told[-1]}."
    said = draw.of((listed, ". ".join(told) + "."))
    asked, answer, why = draw.of(_asked_of(words, people))
    others = tuple(name for name in people if name != answer)
    key = Key((answer,), wrong=others, explanation=f"{why}: {', '.join(people)}.")
    return Made("chain " + " ".join(sorted(people)), f"{said} {asked}", key)


def _asked_of(words: dict[str, str], people: list[str]) -> list[tuple[str, str, str]]:
    """Question, answer, and what the order is by; only what the order decides."""
    why = f"From the {words['most']} to the {words['least']}"
    asked = [
        (f"Which of them is the {words['most']}?", people[0], why),
        (f"Who is the {words['most']}?", people[0], why),
        (f"Which of them is the {words['least']}?", people[-1], why),
        (f"Who is the {words['least']}?", people[-1], why),
        (f"Who is {words['more']}, {people[-1]} or {people[0]}?", people[0], why),
        (f"Who is {words['less']}, {people[0]} or {people[-1]}?", people[-1], why),
    ]
    if len(people) == 3:
        asked.append(("Which of them is in the middle?", people[1], why))
    return asked


def opposite(draw: Draw, facts: Facts) -> Made:
    """The opposite of a word."""
    word = draw.of(list(data()["opposites"]))
    answers = tuple(data()["opposites"][word])
    text = draw.of(
        (
            f"What is the opposite of {word}?",
            f"Which word is the opposite of the word {word}?",
            f"Can you tell me the opposite of {word}?",
        )
    )
    return Made(f"opposite {word}", text, Key(answers, explanation=f"{word}: {answers[0]}"))


def order(draw: Draw, facts: Facts) -> Made:
    """Which of two comes first, or last."""
    first, last = draw.of(data()["orders"]["pairs"])
    one, other = draw.shuffled((first, last))
    answer, wrong = (first, last)
    asked = "first"
    if draw.below(2):
        answer, wrong, asked = last, first, "later"
    text = f"Which comes {asked}, {one} or {other}?"
    why = f"{first} comes before {last}."
    return Made(f"order {first}", text, Key((core(answer),), wrong=(core(wrong),), explanation=why))


def kin(draw: Draw, facts: Facts) -> Made:
    """How persons of a family are called."""
    who = draw.of(list(data()["family"]))
    answers = tuple(data()["family"][who])
    text = draw.of((f"What do you call {who}?", f"Who is {who} to you?"))
    return Made(f"kin {who}", text, Key(answers, explanation=f"{who}: {answers[0]}"))


#: What makes a question of this set, by turns.
FAMILIES = (size, chain, speed, opposite, age, chain, comparison, order, kin)


def _compared(draw: Draw, number: int) -> Made:
    scale = data()["scale"][number]
    steps = scale["steps"]
    apart = _APART if len(steps) > 4 and scale["name"] != "length" else 1
    low = draw.below(len(steps) - apart)
    high = draw.between(low + apart, len(steps) - 1)
    less, more = draw.of(steps[low]), draw.of(steps[high])
    up = draw.below(3) > 0
    answer, wrong = (more, less) if up else (less, more)
    one, other = draw.shuffled((less, more))
    word = draw.of(scale["more"] if up else scale["less"])
    which = "Who" if scale["name"] == "age" else "Which"
    text = f"{which} is {word}, {one} or {other}?"
    verb = draw.of(scale["more"])
    key = Key((core(answer),), wrong=(core(wrong),), explanation=f"{more} is {verb} than {less}.")
    return Made(f"{scale['name']} {less} {more}", text, key)


def core(thing: str) -> str:
    """What of a thing's name an answer has to hold: the name without its article and without what
    is said about it besides."""
    words = thing.split()
    if words[0] in ("a", "an", "the"):
        words = words[1:]
    for stop in ("in", "on", "that"):
        if stop in words:
            words = words[: words.index(stop)]
    if words[0] in ("number", "letter") and len(words) > 1:
        words = words[1:]
    return " ".join(words)
