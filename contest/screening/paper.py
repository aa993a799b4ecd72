"""Papers of screening questions, and their files in TOML.

A *set* is one of the four sets of questions in the rules (2010, section 4). A *tell* is a line that
the judge types before a question and that asks nothing. A *pattern* is a sequence of words in an
answer; `contest.screening.answers` says when an answer contains it.
"""

from __future__ import annotations

import datetime as dt
import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal, TypeAlias

import msgspec
import tomlkit

from contest.errors import BadOrder
from contest.setup.settings import ScreeningTable
from scheduler.files import read_text

SetName: TypeAlias = Literal["time", "things", "relations", "memory"]
#: The four sets in the order of the rules.
SETS: tuple[SetName, ...] = ("time", "things", "relations", "memory")
#: Rules for answers that depend on the time of the question, and what each asks for.
RULES: Mapping[str, str] = {
    "clock": "the time of day",
    "am-pm": "AM or PM",
    "part": "the part of the day",
    "day": "the day of the week",
    "date": "the date",
    "month": "the month",
    "year": "the year",
    "round": "the number of the round, or that there is none",
    "next-round": "the number of the round after this one, or that there is none",
    "rounds-done": "how many rounds are over",
    "rounds-left": "how many rounds come after this one",
    "over": "whether the contest is over",
    "opens": "the time at which round {number} starts, or at which the previous round ends",
    "contest-day": "the day of the week of the contest",
    "contest-month": "the month of the contest",
    "rounds": "how many rounds the contest has",
    "round-minutes": "how many minutes each round has",
}
#: Rules that depend only on the facts.
_OF_CONTEST = ("opens", "contest-day", "contest-month", "rounds", "round-minutes")
#: The units in which some rules count from the time of the question.
_UNITS = {"clock": "minute", "day": "day", "date": "day", "month": "month", "year": "year"}
#: The maximum number of characters of a line that the judge types.
LINE_LIMIT = 500
_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,39}")


class Facts(ScreeningTable, frozen=True):
    """The facts that count as true even if the time or venue changes (rules 2010, section 4, set
    1): the fields of `[screening]`."""

    def __post_init__(self) -> None:
        limits = (("rounds", 1, 1440), ("round_minutes", 1, 1440), ("clock_minutes", 0, 60))
        for name, least, most in limits:
            if not least <= getattr(self, name) <= most:
                raise ValueError(f"{name} is {getattr(self, name)}; give {least} to {most}")

    @classmethod
    def of(cls, table: ScreeningTable) -> Facts:
        """The facts of a contest's `[screening]`, without time zone; raises BadOrder if a number
        can't be used."""
        try:
            plain = msgspec.structs.asdict(table)
            return cls(**(plain | {"start": table.start.replace(tzinfo=None)}))
        except ValueError as exc:
            raise BadOrder(f"[screening] {exc}") from exc

    def start_of(self, nth: int) -> dt.datetime:
        """When a round begins, counted from 1; for the round after the last, when the contest
        ends."""
        return self.start + dt.timedelta(minutes=(nth - 1) * self.round_minutes)

    def round_at(self, when: dt.datetime) -> int:
        """The number of the round at a local time: 0 before the contest, `rounds` + 1 after it."""
        if when < self.start:
            return 0
        gone = (when - self.start) // dt.timedelta(minutes=self.round_minutes)
        return min(gone, self.rounds) + 1


class Question(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A question of a paper with its answer key.

    Attributes:
        tells: lines typed before it, each followed by Return.
        about: the statement that a memory question asks about.
        words: patterns of a full answer, the fullest first.
        half: patterns of half an answer.
        wrong: patterns that choose the wrong thing.
        explanation: the answer in words, with its reason.
        rule: one of `RULES`, if the answer depends on the time of the question.
        number: the rule's number, such as minutes or days from now.
    """

    id: str
    set: SetName
    text: str
    tells: tuple[str, ...] = ()
    about: str = ""
    words: tuple[str, ...] = ()
    half: tuple[str, ...] = ()
    wrong: tuple[str, ...] = ()
    explanation: str = ""
    rule: str = ""
    number: int = 0

    def __post_init__(self) -> None:
        if not _ID.fullmatch(self.id):
            raise ValueError("id: give up to 40 letters, digits, . - and _")
        for line in (self.text, *self.tells):
            if not line.strip() or not line.isprintable() or len(line) > LINE_LIMIT:
                raise ValueError(f"text, tells: give lines of 1 to {LINE_LIMIT} characters")
        if not all(re.search(r"\w", each) for each in (*self.words, *self.half, *self.wrong)):
            raise ValueError("words, half, wrong: a pattern has no word")
        if self.rule and self.rule not in RULES:
            raise ValueError(f"rule: {self.rule!r} is unknown; known are {', '.join(RULES)}")
        if bool(self.rule) == bool(self.words):
            raise ValueError("give either the words of an answer or a rule")
        if abs(self.number) > 1_000_000 or (self.number and not self.rule):
            raise ValueError("number: give at most a million, and only together with a rule")

    @property
    def key(self) -> str:
        """The answer in words, for markers and the organizer."""
        if self.rule:
            asks = RULES[self.rule].format(number=self.number)
            if self.rule in _OF_CONTEST:
                return asks
            if not self.number or self.rule not in _UNITS:
                return f"{asks} when the question is asked"
            count, way = abs(self.number), "after" if self.number > 0 else "before"
            time = f"{count} {_UNITS[self.rule]}{'s' * (count != 1)}"
            return f"{asks}, {time} {way} the question is asked"
        full, half = (", ".join(p).replace(" ... ", " … ") for p in (self.words, self.half))
        said = f"{full}; half: {half}" if half else full
        return f"{said} ({self.explanation})" if self.explanation else said


class Paper(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The questions for each entry, in order; the seed from which they were made, None if they were
    written by hand; and the facts that they assume."""

    seed: int | None = None
    questions: tuple[Question, ...] = msgspec.field(default=(), name="question")
    facts: Facts = Facts()

    def __post_init__(self) -> None:
        ids = [question.id for question in self.questions]
        if double := next((id_ for id_ in ids if ids.count(id_) > 1), ""):
            raise ValueError(f"two questions have the id {double!r}; give each its own")

    def find(self, id_: str) -> Question | None:
        """The question with an id, or None."""
        return next((each for each in self.questions if each.id == id_), None)


def joined(paper: Paper, more: tuple[Question, ...]) -> Paper:
    """A paper with more questions, each after those of its set; raises BadOrder if two questions
    have the same id."""
    questions = sorted((*paper.questions, *more), key=lambda question: SETS.index(question.set))
    try:
        return Paper(paper.seed, tuple(questions), paper.facts)
    except ValueError as exc:
        raise BadOrder(str(exc)) from exc


def dumps(paper: Paper) -> str:
    """A paper with its key as TOML: the same text for the same paper."""
    plain: dict[str, Any] = msgspec.to_builtins(paper, builtin_types=(dt.datetime,))
    seed = {} if paper.seed is None else {"seed": paper.seed}
    return tomlkit.dumps(seed | {name: plain[name] for name in ("facts", "question")})


def write(paper: Paper, file: Path) -> None:
    """Writes a paper to a file that only its owner can read, because it holds the answers; raises
    BadOrder if it can't be written."""
    try:
        file.touch(mode=0o600)
        file.write_bytes(dumps(paper).encode())
    except OSError as exc:
        raise BadOrder(f"{file} can't be written: {exc.strerror or exc}") from exc


def read(file: Path, facts: Facts | None = None) -> Paper:
    """Reads a paper, or additional questions, from a file; raises BadInput if it can't be read, and
    BadOrder as `parse` does."""
    return parse(read_text(file), str(file), facts)


def parse(text: str, where: str, facts: Facts | None = None) -> Paper:
    """Reads a paper.

    Arguments:
        text: TOML with `seed`, `[facts]` and `[[question]]`; only the questions are required.
        where: its name in errors.
        facts: the facts to use if it has none; those of the rules if left out.

    Raises:
        BadOrder: if it can't be used; says what is wrong, and in which question.
    """
    try:
        table = tomllib.loads(text)
        paper = msgspec.convert(table, Paper)
        if not paper.questions:
            raise ValueError("it has no questions; add a [[question]] table for each")
    except (ValueError, RecursionError) as exc:
        raise BadOrder(f"{where}: not a paper in TOML: {exc}") from exc
    own = Facts.of(paper.facts) if "facts" in table else facts or Facts()
    return msgspec.structs.replace(paper, facts=own)
