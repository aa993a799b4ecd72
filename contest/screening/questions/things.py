"""Set 2, general questions relating to things: uses, parts, kinds, places, who does it."""

from __future__ import annotations

from functools import cache
from typing import Any

from contest.screening.questions.data import load
from contest.screening.questions.drawing import Draw
from contest.screening.questions.making import Made
from contest.screening.questions.parts import Facts, Key

#: Things that come in pairs, or are no single thing.
_MANY = frozenset({"scissors"})


#: How members of a group are asked for.
_ASKED_BY = {
    "fruit": "is a fruit",
    "clothes": "do you wear",
    "tools": "do you work with",
    "animals": "is an animal",
    "things to ride in": "can take you to another town",
    "things to eat with": "do you eat with",
}
#: Groups of which a member may count as one of the other.
_NEAR = {"tools", "things to eat with"}


@cache
def data() -> dict[str, Any]:
    """What the templates are filled with."""
    return load("things.toml")


def use(draw: Draw, facts: Facts) -> Made:
    """What a thing is for."""
    thing = draw.of(list(data()["uses"]))
    verb = "are" if thing in _MANY else "is"
    text = draw.of(
        (
            f"What would I use {thing} for?",
            f"Of what use {verb} {thing}?",
            f"What {verb} {thing} for?",
            f"What do people use {thing} for?",
            f"Why do people have {thing}?",
        )
    )
    return _made("use", thing, text, data()["uses"][thing])


def need(draw: Draw, facts: Facts) -> Made:
    """What is needed for something."""
    deed = draw.of(list(data()["needs"]))
    text = draw.of(
        (
            f"What do you need to {deed}?",
            f"What would you use to {deed}?",
            f"I want to {deed}. What do I need?",
        )
    )
    return _made("need", deed, text, data()["needs"][deed])


def part(draw: Draw, facts: Facts) -> Made:
    """Parts, numbers of them, colors, what things are made of."""
    return _asked(draw, "parts")


def place(draw: Draw, facts: Facts) -> Made:
    """Where things are."""
    return _asked(draw, "places")


def person(draw: Draw, facts: Facts) -> Made:
    """Who does it."""
    return _asked(draw, "people")


def name_one(draw: Draw, facts: Facts) -> Made:
    """One of a kind."""
    kind = draw.of(list(data()["kinds"]))
    text = draw.of(
        (f"Name {kind}.", f"Can you name {kind}?", f"Tell me the name of {kind}, please.")
    )
    return _made("name", kind, text, [data()["kinds"][kind], []])


def kind_of(draw: Draw, facts: Facts) -> Made:
    """The kind of a thing."""
    thing = draw.of(list(data()["kind_of"]))
    text = f"What kind of thing is {thing}?"
    # "What is red?" would ask for a red thing.
    if thing.startswith(("a ", "an ")) and draw.below(2):
        text = f"What is {thing}?"
    return _made("kind", thing, text, data()["kind_of"][thing])


def odd_one(draw: Draw, facts: Facts) -> Made:
    """Three things of which one is of another kind."""
    group, other = _groups(draw, list(data()["groups"]), 2)
    two = draw.some(data()["groups"][group], 2)
    odd = draw.of(data()["groups"][other])
    one, second, third = draw.shuffled([*two, odd])
    text = draw.of(
        (
            f"Which one is different: {one}, {second}, or {third}?",
            f"{one.capitalize()}, {second}, and {third}: which of them does not go with the "
            "others?",
        )
    )
    names = [_bare(thing) for thing in two]
    key = Key(
        (_bare(odd),), wrong=tuple(names), explanation=f"{odd}: the others belong to {group}."
    )
    return Made(f"odd {odd} {group}", text, key)


def which_kind(draw: Draw, facts: Facts) -> Made:
    """Which of three things is of a kind."""
    group, *others = _groups(draw, list(_ASKED_BY), 3)
    right = draw.of(data()["groups"][group])
    rest = [draw.of(data()["groups"][other]) for other in others]
    one, second, third = draw.shuffled([right, *rest])
    what = _ASKED_BY[group]
    text = f"Which of these {what}: {one}, {second}, or {third}?"
    wrong = tuple(_bare(thing) for thing in rest)
    key = Key((_bare(right),), wrong=wrong, explanation=f"{right}: it belongs to {group}.")
    return Made(f"which {group} {right}", text, key)


#: What makes a question of this set, by turns.
FAMILIES = (use, need, part, use, place, name_one, kind_of, person, odd_one, which_kind)


def _groups(draw: Draw, names: list[str], number: int) -> list[str]:
    """Some groups, in an order of chance, that nobody can confuse."""
    order = draw.shuffled(names)
    kept = next(name for name in order if name in _NEAR)
    near = _NEAR - {kept}
    return [name for name in order if name not in near][:number]


def _asked(draw: Draw, table: str) -> Made:
    text = draw.of(list(data()[table]))
    return _made(table, text, text, data()[table][text])


def _made(family: str, topic: str, text: str, answers: list[list[str]]) -> Made:
    full, half = answers
    shown = [pattern.replace(" ... ", " ") for pattern in full[:4]]
    last = f" or {shown.pop()}" if len(shown) > 1 else ""
    why = f"A full answer has {', '.join(shown)}{last}{' or the like' if full[4:] else ''}."
    return Made(f"{family} {topic}", text, Key(tuple(full), tuple(half), explanation=why))


def _bare(thing: str) -> str:
    return thing.split(" ", 1)[1]
