"""How a set is drawn: families of templates by turns, no text twice, topics twice only when there
are no others left."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from contest.errors import BadOrder
from contest.screening.questions.drawing import Draw
from contest.screening.questions.parts import Facts, Key

#: Draws in vain after which a family is taken to have no more.
_VAIN = 60


@dataclass(frozen=True, slots=True)
class Made:
    """A question that a template made.

    Attributes:
        topic: what it is about; two of one topic are much the same.
        text: what the judge types.
        key: its answers.
    """

    topic: str
    text: str
    key: Key


Family: TypeAlias = Callable[[Draw, Facts], Made]


def draw_set(
    name: str, families: Sequence[Family], number: int, draw: Draw, facts: Facts
) -> list[Made]:
    """Questions of one set.

    Arguments:
        name: the set's, for errors.
        families: what makes them.
        number: how many.
        draw: where chance comes from.
        facts: what is taken for true.

    Raises:
        BadOrder: if the templates have not so many.
    """
    found: list[Made] = []
    texts: set[str] = set()
    topics: set[str] = set()
    turns = draw.shuffled(families)
    for fresh in (True, False):
        left = list(turns)
        while left and len(found) < number:
            for family in list(left):
                made = _one(family, draw, facts, texts, topics if fresh else set())
                if made is None:
                    left.remove(family)
                    continue
                found.append(made)
                texts.add(made.text)
                topics.add(made.topic)
                if len(found) == number:
                    break
    if len(found) < number:
        raise BadOrder(
            f"the templates have no more than {len(found)} different questions for the set {name}, "
            f"not {number}; ask for fewer, or add your own with --add"
        )
    return found


def _one(
    family: Family, draw: Draw, facts: Facts, texts: set[str], topics: set[str]
) -> Made | None:
    for _ in range(_VAIN):
        made = family(draw, facts)
        if made.text not in texts and made.topic not in topics:
            return made
    return None
