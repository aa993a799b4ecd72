"""Talks made by hand, for tables of cases."""

from __future__ import annotations

from collections.abc import Sequence

from contest.people.seen import TimedKey
from lpp.names import keys_of
from lpp.wire import Author

#: Seconds between two keys.
GAP = 0.15


def talk(*lines: tuple[float, Author, str]) -> list[TimedKey]:
    """The timed keys of lines.

    Arguments:
        lines: (when it begins, who, the text with "\\b" for BackSpace); each ends with Return.
    """
    keys: list[TimedKey] = []
    for begin, author, text in lines:
        names = keys_of(text + "\n")
        keys += [(begin + GAP * index, author, name) for index, name in enumerate(names)]
    return sorted(keys, key=lambda key: key[0])


def in_turn(*texts: str, pause: float = 2.0) -> list[TimedKey]:
    """A talk in which judge and entity speak in turn, with a pause before each line."""
    lines: list[tuple[float, Author, str]] = []
    at = 0.0
    for index, text in enumerate(texts):
        lines.append((at, "judge" if index % 2 == 0 else "entity", text))
        at += GAP * (len(text) + 1) + pause
    return talk(*lines)


def entity_says(*answers: str, questions: Sequence[str] = ()) -> list[TimedKey]:
    """A talk in which the judge asks neutral things and the entity answers with these lines."""
    asked = [*questions, *("Tell me about the lighthouse keeper." for _ in answers)]
    return in_turn(*(text for pair in zip(asked, answers, strict=False) for text in pair))
