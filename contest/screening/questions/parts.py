"""What a paper is made of: the facts, a question, its key.

*Set* is one of the four of the rules (2010, section 4). A *tell* is a line that is typed before a
question and asks nothing. A *pattern* is some words of an answer; `contest.screening.answers` says
when an answer holds it.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from contest.setup.settings import ScreeningTable

SetName: TypeAlias = Literal["time", "things", "relations", "memory"]

#: The four sets in the order of the rules.
SETS: tuple[SetName, ...] = ("time", "things", "relations", "memory")


@dataclass(frozen=True, slots=True)
class Facts:
    """What counts as true, whatever becomes of time and venue (rules 2010, section 4, set 1).

    Attributes:
        start: when the contest starts, local time without a zone.
        rounds: how many rounds there are.
        round_minutes: how long each takes.
        clock_minutes: by how much the system's clock may be off.
    """

    start: dt.datetime = dt.datetime(2010, 10, 23, 9, 30)
    rounds: int = 6
    round_minutes: int = 30
    clock_minutes: int = 2

    @classmethod
    def of(cls, table: ScreeningTable) -> Facts:
        """The facts as a contest's `[screening]` has them."""
        return cls(
            table.start.replace(tzinfo=None),
            table.rounds,
            table.round_minutes,
            table.clock_minutes,
        )

    def start_of(self, nth: int) -> dt.datetime:
        """When a round begins, counted from 1; of the one after the last: when the contest ends."""
        return self.start + dt.timedelta(minutes=(nth - 1) * self.round_minutes)

    def round_at(self, when: dt.datetime) -> int:
        """The number of the round: 0 before the contest, `rounds` + 1 after it. A round begins with
        its first minute and ends where the next one begins."""
        if when < self.start:
            return 0
        gone = (when - self.start) // dt.timedelta(minutes=self.round_minutes)
        return min(gone, self.rounds) + 1


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is looked for in an answer.

    Attributes:
        words: patterns of which one makes the answer a full one.
        half: patterns of which one makes half an answer.
        wrong: patterns that choose something else.
        number: the number to be said, such as that of the round.
        clock: the time of the day to be said.
        off: minutes by which it may be off.
        explanation: the answer in words.
    """

    words: tuple[str, ...] = ()
    half: tuple[str, ...] = ()
    wrong: tuple[str, ...] = ()
    number: int | None = None
    clock: dt.datetime | None = None
    off: int = 0
    explanation: str = ""


@dataclass(frozen=True, slots=True)
class Rule:
    """An answer that depends on the moment at which the question is answered.

    Attributes:
        name: one of `contest.screening.moments.RULES`.
        number: what the rule counts with, such as minutes or days from now.
        facts: those it goes by.
    """

    name: str
    number: int = 0
    facts: Facts = field(default_factory=Facts)


@dataclass(frozen=True, slots=True)
class Key:
    """The answer key of a question.

    Attributes:
        words: patterns of a full answer, the fullest first.
        half: patterns of half an answer.
        wrong: patterns that choose the other thing.
        explanation: the answer in words, with its reason.
        rule: how the answer is found where it depends on the moment; then the others are empty.
    """

    words: tuple[str, ...] = ()
    half: tuple[str, ...] = ()
    wrong: tuple[str, ...] = ()
    explanation: str = ""
    rule: Rule | None = None


@dataclass(frozen=True, slots=True)
class Question:
    """A question of a paper.

    Attributes:
        id: its name in the paper, such as `time-1`.
        set: which of the four sets it belongs to.
        text: what the judge types, one line.
        key: its answers.
        tells: lines typed before it, each ended by Return, that ask nothing.
        about: the statement that it asks about, of a memory question.
    """

    id: str
    set: SetName
    text: str
    key: Key
    tells: tuple[str, ...] = ()
    about: str = ""


@dataclass(frozen=True, slots=True)
class Paper:
    """The questions that each entry gets, in their order.

    Attributes:
        seed: what it was made from, None if nothing was.
        questions: those.
        facts: what they take for true.
    """

    seed: int | None
    questions: tuple[Question, ...]
    facts: Facts = field(default_factory=Facts)

    def lines(self) -> Iterator[str]:
        """All that the judge types, in order."""
        for question in self.questions:
            yield from question.tells
            yield question.text

    def __getitem__(self, id_: str) -> Question:
        for question in self.questions:
            if question.id == id_:
                return question
        raise KeyError(id_)
