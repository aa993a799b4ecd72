"""What the screening bot says where nothing is to be known: greetings, itself, and not knowing."""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from importlib import resources
from typing import Any


class SmallTalk:
    """Says what is in talk.toml, each list in turn."""

    def __init__(self) -> None:
        file = resources.files("bots.screening").joinpath("talk.toml")
        table = tomllib.loads(file.read_text("utf-8"))
        self._always = _patterns(table["always"])
        self._questions = _patterns(table["questions"])
        self._unknown: dict[str, list[str]] = table["unknown"]
        self._heard: dict[str, list[str]] = table["heard"]
        self._turns: Counter[str] = Counter()

    def begin(self) -> None:
        """Begins each list anew."""
        self._turns.clear()

    def always(self, sentence: str) -> str | None:
        """What to say to greetings and the like, whether or not they ask; else None.

        Arguments:
            sentence: lower case.
        """
        return self._first(self._always, sentence)

    def answer(self, question: str) -> str | None:
        """What to say to a question about the bot; else None.

        Arguments:
            question: lower case.
        """
        return self._first(self._questions, question)

    def not_known(self, question: str) -> str:
        """What to say to a question that nothing knows an answer to."""
        first = "how_many" if question.startswith("how many") else question.partition(" ")[0]
        return self._next(self._unknown.get(first, self._unknown["other"]))

    def heard(self, sentence: str) -> str:
        """What to say to a statement."""
        personal = re.match(r"(?:i|my|we|our)\b", sentence)
        return self._next(self._heard["personal" if personal else "told"])

    def nothing_heard(self) -> str:
        """What to say to a line without a word in it."""
        return self._next(self._heard["empty"])

    def _first(self, patterns: list[tuple[re.Pattern[str], list[str]]], text: str) -> str | None:
        for pattern, say in patterns:
            if pattern.search(text):
                return self._next(say)
        return None

    def _next(self, say: list[str]) -> str:
        turn = self._turns[say[0]]
        self._turns[say[0]] += 1
        return say[turn % len(say)]


def _patterns(entries: list[dict[str, Any]]) -> list[tuple[re.Pattern[str], list[str]]]:
    return [(re.compile(entry["ask"]), entry["say"]) for entry in entries]
