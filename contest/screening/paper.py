"""Papers of screening questions, and files of them in TOML.

A *set* is one of the four of the rules (2010, section 4). A *tell* is a line that the judge types
before a question and that asks nothing. A *pattern* is some words of an answer;
`contest.screening.answers` says when an answer holds it.
"""

from __future__ import annotations

import datetime as dt
import json
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Literal, TypeAlias

import msgspec

from contest.errors import BadOrder
from contest.screening.vocabulary import outside
from contest.setup.settings import ScreeningTable

SetName: TypeAlias = Literal["time", "things", "relations", "memory"]
#: The four sets in the order of the rules.
SETS: tuple[SetName, ...] = ("time", "things", "relations", "memory")
#: Rules for answers that depend on the moment, and what each asks for.
RULES: Mapping[str, str] = {
    "clock": "the time of the day",
    "am-pm": "AM or PM",
    "part": "the part of the day",
    "day": "the day of the week",
    "date": "the date",
    "month": "the month",
    "year": "the year",
    "round": "the number of the round, or that none is on",
    "next-round": "the number of the round after this one, or that there is none",
    "rounds-done": "how many rounds are over",
    "rounds-left": "how many rounds come after this one",
    "over": "whether the contest is over",
    "opens": "the time at which round {number} starts, or the one before it ends",
    "contest-day": "the day of the week on which the contest is",
    "contest-month": "the month in which the contest is",
    "rounds": "how many rounds the contest has",
    "round-minutes": "how many minutes each round has",
}
#: Those that depend on the facts alone.
_OF_CONTEST = ("opens", "contest-day", "contest-month", "rounds", "round-minutes")
#: Units of the numbers that some rules count with from the moment of the question.
_UNITS = {"clock": "minute", "day": "day", "date": "day", "month": "month", "year": "year"}
#: Characters of a line that a judge types, and of an id; bytes of a file.
LINE_LIMIT, ID_LIMIT, FILE_LIMIT = 500, 40, 5_000_000
_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


class Facts(ScreeningTable, frozen=True):
    """What counts as true, whatever happens to time and venue (rules 2010, section 4, set 1): the
    fields of `[screening]`."""

    @classmethod
    def of(cls, table: ScreeningTable) -> Facts:
        """The facts of a contest's `[screening]`; a time zone is dropped."""
        return cls(**(msgspec.structs.asdict(table) | {"start": table.start.replace(tzinfo=None)}))

    def start_of(self, nth: int) -> dt.datetime:
        """When a round begins, counted from 1; of the one after the last: when the contest ends."""
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
        id: its name in the paper, such as `time-1`.
        set: which of the four sets it belongs to.
        tells: lines typed before it, each ended by Return.
        text: what the judge types, one line.
        about: the statement that a memory question asks about.
        words: patterns of a full answer, the fullest first.
        half: patterns of half an answer.
        wrong: patterns that choose the other thing.
        explanation: the answer in words, with its reason.
        rule: one of `RULES` if the answer depends on the moment; empty otherwise.
        number: what the rule counts with, such as minutes or days from now.
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

    @property
    def key(self) -> str:
        """The answer in words, for markers and the organizer."""
        if self.rule:
            asks = RULES[self.rule].format(number=self.number)
            if self.rule in _OF_CONTEST:
                return asks
            if not self.number or self.rule not in _UNITS:
                return f"{asks} when it is asked"
            count, way = abs(self.number), "after" if self.number > 0 else "before"
            return f"{asks}, {count} {_UNITS[self.rule]}{'s' * (count != 1)} {way} it is asked"
        full, half = (", ".join(p).replace(" ... ", " … ") for p in (self.words, self.half))
        said = f"{full}; half: {half}" if half else full
        return f"{said} ({self.explanation})" if self.explanation else said


class Paper(msgspec.Struct, frozen=True):
    """The questions that each entry gets, in their order; the seed that they were made from, None
    if they were written by hand; and the facts that they take for true."""

    seed: int | None
    questions: tuple[Question, ...]
    facts: Facts = Facts()

    def lines(self) -> Iterator[str]:
        """All that the judge types, in order."""
        for question in self.questions:
            yield from question.tells
            yield question.text

    def find(self, id_: str) -> Question | None:
        """The question with an id, or None."""
        return next((each for each in self.questions if each.id == id_), None)


def joined(paper: Paper, more: Iterable[Question]) -> Paper:
    """A paper with more questions, each behind those of its set; raises BadOrder if two questions
    have one id."""
    questions = sorted((*paper.questions, *more), key=lambda question: SETS.index(question.set))
    ids = [question.id for question in questions]
    for id_ in ids:
        if ids.count(id_) > 1:
            raise BadOrder(f"two questions have the id {id_!r}; give each its own")
    return msgspec.structs.replace(paper, questions=tuple(questions))


# Files


def write(paper: Paper, file: Path | None = None) -> str:
    """Writes a paper with its key as TOML.

    Arguments:
        paper: the paper.
        file: where to; only its owner can read it, for it holds the answers. Nowhere if left out.

    Returns:
        The text: byte for byte the same for the same paper.

    Raises:
        BadOrder: if the file can't be written.
    """
    lines = [] if paper.seed is None else [f"seed = {paper.seed}", ""]
    facts = msgspec.structs.asdict(paper.facts) | {"start": paper.facts.start.isoformat()}
    lines += ["[facts]", *(f"{name} = {value}" for name, value in facts.items())]
    order = ("id", "set", "tells", "text", "about", "words", "half", "wrong", "explanation")
    for question in paper.questions:
        lines += ["", "[[question]]"]
        for name in (*order, "rule", "number"):
            value = getattr(question, name)
            if value:
                # A basic string of TOML is one of JSON, but for this one character.
                text = json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007F")
                lines.append(f"{name} = {text}")
    text = "\n".join([*lines, ""])
    if file is not None:
        try:
            file.touch(mode=0o600)
            file.write_bytes(text.encode("utf-8"))
        except OSError as exc:
            raise BadOrder(f"{file} can't be written: {exc.strerror or exc}") from exc
    return text


def read(file: Path, facts: Facts | None = None) -> Paper:
    """Reads a paper, or own questions, from a file; see `parse`."""
    return parse(_bytes(file), str(file), facts)


def parse(raw: bytes, where: str, facts: Facts | None = None) -> Paper:
    """Reads a paper. Words outside the vocabulary are no fault here; `check` names them.

    Arguments:
        raw: TOML with `seed`, `[facts]` and `[[question]]`; only the questions are needed.
        where: what errors call it.
        facts: what to go by if it has none; those of the rules if left out.

    Raises:
        BadOrder: if it can't be used; says the first fault, and how many more there are.
    """
    faults: list[str] = []
    paper = _parsed(raw, facts or Facts(), faults)
    if faults:
        more = f" ({len(faults) - 1} more; --check names all)" if len(faults) > 1 else ""
        raise BadOrder(f"{where}: {faults[0]}{more}")
    return paper


def check(file: Path) -> list[str]:
    """Everything that is wrong with a file of questions, words outside the vocabulary included, a
    line each; raises BadOrder if it can't be read."""
    faults: list[str] = []
    paper, told = _parsed(_bytes(file), Facts(), faults), set[str]()
    for question in paper.questions:
        told.update(question.tells)
        for line in (question.text, *question.tells):
            faults += [
                f"question {question.id}: {word!r} is outside the vocabulary"
                for word in outside(line)
            ]
        if question.set == "memory" and question.about and question.about not in told:
            faults.append(f"question {question.id}: about: it is not told before the question")
    return [f"{file}: {fault}" for fault in faults]


def _bytes(file: Path) -> bytes:
    try:
        with file.open("rb") as opened:
            return opened.read(FILE_LIMIT + 1)
    except OSError as exc:
        raise BadOrder(f"{file} can't be read: {exc.strerror or exc}") from exc


def _parsed(raw: bytes, facts: Facts, faults: list[str]) -> Paper:
    """The usable questions of a paper; the faults of the others are added to `faults`."""
    table: dict[str, Any] = {}
    try:
        if len(raw) > FILE_LIMIT:
            raise ValueError(f"it has more than {FILE_LIMIT:,} bytes")
        table = tomllib.loads(raw.decode("utf-8"))
    except (ValueError, RecursionError) as exc:
        faults.append(f"this is not a paper in TOML and UTF-8: {exc}")
    for key in table.keys() - {"seed", "facts", "question"}:
        faults.append(f"unknown option {key!r}; known are seed, [facts] and [[question]]")
    seed = table.get("seed")
    if seed is not None and type(seed) is not int:
        faults.append(f"the seed is {seed!r}; give a whole number, or leave it out")
    try:
        facts = Facts.of(msgspec.convert(table["facts"], Facts)) if "facts" in table else facts
    except msgspec.ValidationError as exc:
        faults.append(f"[facts]: {exc}")
    for name, least, most in (
        *(("rounds", 1, 1440), ("round_minutes", 1, 1440)),
        ("clock_minutes", 0, 60),
    ):
        if not least <= getattr(facts, name) <= most:
            faults.append(f"[facts] {name} is {getattr(facts, name)}; give {least} to {most}")
    tables = table.get("question", [])
    if not faults and (not isinstance(tables, list) or not tables):
        faults.append("no question is in it; write [[question]] once for each")
    questions: list[Question] = []
    for nth, each in enumerate(tables if isinstance(tables, list) else (), 1):
        name = each.get("id", "") if isinstance(each, dict) else ""
        try:
            question = msgspec.convert(each, Question)
        except msgspec.ValidationError as exc:
            faults.append(f"question {nth} ({str(name)[:ID_LIMIT]}): {exc}")
            continue
        wrong = list(_wrong(question))
        if any(question.id == other.id for other in questions):
            wrong.append("id: another question has it, too")
        faults += [f"question {nth} ({name[:ID_LIMIT]}): {what}" for what in wrong]
        questions.append(question)
    return Paper(seed, tuple(questions), facts)


def _wrong(question: Question) -> Iterator[str]:
    """What is wrong with a question: the field, and what."""
    if len(question.id) > ID_LIMIT or not _ID.fullmatch(question.id):
        yield f"id: give up to {ID_LIMIT} letters, digits, . - and _"
    for key, line in (("text", question.text), *(("tells", each) for each in question.tells)):
        if not line.strip() or not line.isprintable() or len(line) > LINE_LIMIT:
            yield f"{key}: give one line of 1 to {LINE_LIMIT} characters that can be typed"
    for key in ("words", "half", "wrong"):
        if any(not re.search(r"\w", pattern) for pattern in getattr(question, key)):
            yield f"{key}: a pattern has no word"
    if question.rule and question.rule not in RULES:
        yield f"rule: {question.rule!r} is unknown; known are {', '.join(RULES)}"
    elif bool(question.rule) == bool(question.words):
        yield "words: write the answers that fit in words, or a rule, one of both"
    if abs(question.number) > 1_000_000 or (question.number and not question.rule):
        yield "number: it is what a rule counts with, a million at most"
