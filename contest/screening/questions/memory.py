"""Set 4, questions demonstrating memory: a statement, a number of items, then questions about it.

A question has one answer only: none is asked that another statement of the same paper answers, too.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import Any

from contest.errors import BadOrder
from contest.screening.questions.data import load
from contest.screening.questions.drawing import Draw
from contest.screening.questions.parts import Key

#: Questions about one statement, at most.
MOST = 3
#: Statements drawn in vain after which there are taken to be no more.
_VAIN = 100

_SLOT = re.compile(r"\{(\w+)\}")


@dataclass(frozen=True, slots=True)
class Told:
    """A statement and the questions about it.

    Attributes:
        statement: what the judge tells.
        asked: questions, each with its key.
    """

    statement: str
    asked: tuple[tuple[str, Key], ...]


@cache
def data() -> dict[str, Any]:
    """What the templates are filled with."""
    return load("memory.toml")


class Teller:
    """Draws statements, and what stands between them and their questions.

    Arguments:
        draw: where chance comes from.
    """

    def __init__(self, draw: Draw) -> None:
        self._draw = draw
        self._left: dict[str, list[str]] = {}
        self._statements: list[dict[str, Any]] = []
        self._between: list[str] = []
        #: Texts that were asked, and texts that what was told could answer.
        self._asked: set[str] = set()
        self._answered: set[str] = set()

    def tell(self, number: int) -> Told:
        """A statement with so many questions, or fewer if none is left that has so many.

        Arguments:
            number: of questions, from 1 to `MOST`.

        Raises:
            BadOrder: if the templates have no more that were not asked yet.
        """
        for fewer in range(number, 0, -1):
            for _ in range(_VAIN):
                if not self._statements:
                    self._statements = self._draw.shuffled(data()["statement"])
                told = self._filled(self._statements.pop(), fewer)
                if told is not None:
                    return told
        raise BadOrder(
            f"the templates have no more than {len(self._asked)} different questions for the set "
            "memory; ask for fewer, or add your own with --add"
        )

    def between(self) -> str:
        """A line that tells nothing that is asked about."""
        if not self._between:
            self._between = self._draw.shuffled(data()["between"]["lines"])
        return self._between.pop()

    def _filled(self, template: dict[str, Any], number: int) -> Told | None:
        text: str = template["text"]
        # In the order of the text, for a set's order is another in each process.
        values: dict[str, str] = {}
        for slot in dict.fromkeys(_SLOT.findall(text)):
            values[slot] = self._slot(slot, data()["named"].get(values.get("kin")))
        statement = text.format_map(values)
        possible = {
            question.format_map(values): _key(answer.format_map(values), statement)
            for question, answer in template["ask"]
        }
        if not self._asked.isdisjoint(possible):
            return None
        clear = [text for text in possible if text not in self._answered]
        if len(clear) < number:
            return None
        texts = self._draw.some(clear, number)
        self._asked.update(texts)
        self._answered.update(possible)
        return Told(statement, tuple((text, possible[text]) for text in texts))

    def _slot(self, name: str, of: str | None) -> str:
        """A value that was not drawn yet while there are any; a name as it fits `of` whom."""
        left = self._left.get(name)
        if not left:
            left = self._left[name] = self._draw.shuffled(data()["slots"][name])
        if name == "name" and of is not None:
            fitting = [value for value in left if value in data()["of"][of]]
            if fitting:
                left.remove(fitting[-1])
                return fitting[-1]
        return left.pop()


def _key(answer: str, statement: str) -> Key:
    """`a|b` is answered by either; `a&b` by both, and half by one."""
    if "&" in answer:
        one, other = answer.split("&")
        return Key((f"{one} ... {other}", f"{other} ... {one}"), (one, other), (), statement)
    return Key(tuple(answer.split("|")), explanation=statement)
