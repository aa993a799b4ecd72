"""Papers: questions put together from the templates, read from a file, written to one.

A paper's questions go by sets, in the order of the rules: time, things, relations, memory. What a
memory question asks about is told a chosen number of items before it: among the questions of the
other sets, or, where these are too few, among lines that ask nothing.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from dataclasses import dataclass

from contest.errors import BadOrder
from contest.screening.answers import Suggestion, suggest
from contest.screening.paperfile import check, read, write
from contest.screening.questions import relations, things, times
from contest.screening.questions.drawing import Draw
from contest.screening.questions.making import Family, Made, draw_set
from contest.screening.questions.memory import MOST, Teller, Told
from contest.screening.questions.parts import (
    SETS,
    Facts,
    Key,
    Paper,
    Question,
    Rule,
    SetName,
    Wanted,
)

__all__ = [
    "SETS",
    "Counts",
    "Facts",
    "Key",
    "Paper",
    "Question",
    "Rule",
    "SetName",
    "Suggestion",
    "Wanted",
    "check",
    "joined",
    "make",
    "read",
    "suggest",
    "write",
]

#: Items between a statement and its questions, at most.
BETWEEN_LIMIT = 50
#: Seeds that a person can say and type.
SEED_LIMIT = 2**63

_FAMILIES: tuple[tuple[SetName, tuple[Family, ...]], ...] = (
    ("time", times.FAMILIES),
    ("things", things.FAMILIES),
    ("relations", relations.FAMILIES),
)


@dataclass(frozen=True, slots=True)
class Counts:
    """How many questions of each set, and items between a statement and its questions, at least."""

    time: int = 5
    things: int = 5
    relations: int = 5
    memory: int = 5
    between: int = 2


def make(seed: int, counts: Counts | None = None, facts: Facts | None = None) -> Paper:
    """Makes a paper from the templates.

    Arguments:
        seed: the same one gives the same paper, on every machine.
        counts: how many questions of each set; five of each if left out.
        facts: what is taken for true; the rules' own if left out.

    Raises:
        BadOrder: if it can't be made: a number that is none, or more than the templates have.
    """
    counts, facts = counts or Counts(), facts or Facts()
    if not 0 <= seed < SEED_LIMIT:
        raise BadOrder(f"the seed is {seed}; give a whole number from 0 to {SEED_LIMIT - 1}")
    for name in SETS:
        if getattr(counts, name) < 0:
            raise BadOrder(f"{getattr(counts, name)} questions of the set {name}; give 0 or more")
    if not 0 <= counts.between <= BETWEEN_LIMIT:
        raise BadOrder(
            f"{counts.between} items between a statement and its questions; give 0 to "
            f"{BETWEEN_LIMIT}"
        )
    questions: list[Question] = []
    for name, families in _FAMILIES:
        made = draw_set(name, families, getattr(counts, name), Draw(seed, name), facts)
        questions += [_question(name, nth, each) for nth, each in enumerate(made, 1)]
    return Paper(seed, tuple(_with_memory(questions, seed, counts)), facts)


def joined(paper: Paper, more: Iterable[Question]) -> Paper:
    """A paper with more questions, each behind those of its set.

    Questions of the set memory stay in their order and behind all others, and what is told before
    a question goes with it.

    Arguments:
        paper: the paper.
        more: questions, such as those of a file of own ones.

    Raises:
        BadOrder: if an id is in it twice.
    """
    questions = [*paper.questions, *more]
    seen: set[str] = set()
    for question in questions:
        if question.id in seen:
            raise BadOrder(f"two questions have the id {question.id!r}; give each its own")
        seen.add(question.id)
    ordered = sorted(questions, key=lambda question: SETS.index(question.set))
    return dataclasses.replace(paper, questions=tuple(ordered))


def _question(name: SetName, nth: int, made: Made) -> Question:
    return Question(f"{name}-{nth}", name, made.text, made.key)


def _with_memory(questions: list[Question], seed: int, counts: Counts) -> list[Question]:
    """The questions, those of the set memory behind them, and statements told before."""
    teller = Teller(Draw(seed, "memory"))
    tells: dict[int, list[str]] = {}
    all_ = list(questions)
    left = counts.memory
    while left:
        # 5 are 3 and 2; 4 are 2 and 2, for a single one about a statement is the exception.
        number = 2 if left == 4 else min(left, MOST)
        told = teller.tell(number)
        _tell(told, len(all_), counts.between, teller, tells)
        for text, key in told.asked:
            nth = counts.memory - left + 1
            all_.append(Question(f"memory-{nth}", "memory", text, key, about=told.statement))
            left -= 1
    return [
        dataclasses.replace(question, tells=tuple(tells.get(index, ())))
        for index, question in enumerate(all_)
    ]


def _tell(
    told: Told, first: int, between: int, teller: Teller, tells: dict[int, list[str]]
) -> None:
    """Puts a statement so many items before the question of the index `first`."""
    index = max(first - between, 0)
    here = tells.setdefault(index, [])
    here.append(told.statement)
    # Lines stand in where the paper has too few questions before.
    here += [teller.between() for _ in range(between - (first - index))]
