"""Papers of screening questions: what a question is, and papers as TOML files.

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
}
_UNITS = {"clock": "minute", "month": "month", "year": "year"}
#: Characters of a line that a judge types, and of an id; bytes of a file.
LINE_LIMIT, ID_LIMIT, FILE_LIMIT = 500, 40, 5_000_000

_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_HEADER = re.compile(r"\s*\[\[\s*question\s*\]\]")


class Facts(ScreeningTable, frozen=True):
    """What counts as true, whatever happens to time and venue (rules 2010, section 4, set 1): the
    fields of `[screening]`."""

    @classmethod
    def of(cls, table: ScreeningTable) -> Facts:
        """The facts as a contest's `[screening]` has them; a time zone is dropped."""
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
        rule: one of `RULES` where the answer depends on the moment; empty otherwise.
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
            if not self.number:
                return f"{RULES[self.rule]} when it is asked"
            count, way = abs(self.number), "after" if self.number > 0 else "before"
            unit = _UNITS.get(self.rule, "day") + "s" * (count != 1)
            return f"{RULES[self.rule]}, {count} {unit} {way} it is asked"
        full, half = (", ".join(p).replace(" ... ", " … ") for p in (self.words, self.half))
        said = f"{full}; half: {half}" if half else full
        return f"{said} ({self.explanation})" if self.explanation else said


class Paper(msgspec.Struct, frozen=True):
    """The questions that each entry gets, in their order.

    Attributes:
        seed: what it was made from; None if it was written by hand.
        questions: the questions.
        facts: what they take for true.
    """

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
    """A paper with more questions, each behind those of its set.

    Raises:
        BadOrder: if two questions have one id.
    """
    questions = [*paper.questions, *more]
    ids = [question.id for question in questions]
    for id_ in ids:
        if ids.count(id_) > 1:
            raise BadOrder(f"two questions have the id {id_!r}; give each its own")
    ordered = sorted(questions, key=lambda question: SETS.index(question.set))
    return msgspec.structs.replace(paper, questions=tuple(ordered))


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
    """Reads a paper, or own questions, from a file; see `parse`.

    Raises:
        BadOrder: if it can't be used; says the first fault, and how many more there are.
    """
    return parse(_bytes(file), str(file), facts)


def parse(raw: bytes, where: str, facts: Facts | None = None) -> Paper:
    """Reads a paper. Words outside the vocabulary are no fault here; `check` names them.

    Arguments:
        raw: TOML with `seed`, `[facts]` and `[[question]]`; only the questions are needed.
        where: what errors call it.
        facts: what to go by where it has none; those of the rules if left out.

    Raises:
        BadOrder: if it can't be used.
    """
    paper, faults = _parsed(raw, where, facts)
    if faults or paper is None:
        more = f" ({len(faults) - 1} more; --check names all)" if len(faults) > 1 else ""
        raise BadOrder(f"{faults[0]}{more}")
    return paper


def check(file: Path) -> list[str]:
    """All that is wrong with a file of questions, words outside the vocabulary included: a line
    each, with file and line.

    Raises:
        BadOrder: if the file can't be read.
    """
    paper, faults = _parsed(_bytes(file), str(file), None)
    told: set[str] = set()
    for nth, question in enumerate(paper.questions if paper is not None else ()):
        told.update(question.tells)
        for key, line in (("text", question.text), *(("tells", each) for each in question.tells)):
            for word in outside(line):
                faults.at(nth, f"{word!r} is outside the vocabulary", key)
        if question.set == "memory" and question.about and question.about not in told:
            faults.at(nth, "what it asks about is told nowhere before it", "about")
    return list(faults)


class _Faults(list[str]):
    """What is wrong with a file."""

    def __init__(self, where: str, text: str) -> None:
        super().__init__()
        self.where = where
        self._lines = text.splitlines()
        self._starts = [number for number, line in enumerate(self._lines, 1) if _HEADER.match(line)]

    def at(self, nth: int | None, what: str, key: str = "") -> None:
        """Notes a fault of the `nth` question, counted from 0, or of the file."""
        if nth is None:
            self.append(f"{self.where}: {what}")
            return
        place = f", line {self._line(nth, key)}" if nth < len(self._starts) else ""
        self.append(f"{self.where}{place}: question {nth + 1}: {what}")

    def _line(self, nth: int, key: str) -> int:
        ends = [*self._starts[nth + 1 :], len(self._lines) + 1]
        for number in range(self._starts[nth] + 1, ends[0]):
            if key and re.match(rf"\s*{re.escape(key)}\s*=", self._lines[number - 1]):
                return number
        return self._starts[nth]


def _bytes(file: Path) -> bytes:
    try:
        with file.open("rb") as opened:
            return opened.read(FILE_LIMIT + 1)
    except OSError as exc:
        raise BadOrder(f"{file} can't be read: {exc.strerror or exc}") from exc


def _parsed(raw: bytes, where: str, facts: Facts | None) -> tuple[Paper | None, _Faults]:
    faults = _Faults(where, raw.decode("utf-8", "replace"))
    try:
        if len(raw) > FILE_LIMIT:
            raise ValueError(f"more than {FILE_LIMIT:,} bytes are no paper")
        table = tomllib.loads(raw.decode("utf-8"))
    except UnicodeDecodeError as exc:
        line = raw.count(b"\n", 0, exc.start) + 1
        faults.append(f"{where}, line {line}: this is no UTF-8; save the file as UTF-8")
        return None, faults
    except tomllib.TOMLDecodeError as exc:
        faults.at(None, f"this is no TOML: {exc}")
        return None, faults
    except (ValueError, RecursionError) as exc:
        faults.at(None, str(exc))
        return None, faults
    return _paper(table, facts or Facts(), faults), faults


def _paper(raw: dict[str, Any], facts: Facts, faults: _Faults) -> Paper | None:
    for key in raw.keys() - {"seed", "facts", "question"}:
        faults.at(None, f"unknown option {key!r}; known are seed, [facts] and [[question]]")
    seed = raw.get("seed")
    if seed is not None and type(seed) is not int:
        faults.at(None, f"the seed is {seed!r}; give a whole number, or leave it out")
    try:
        facts = Facts.of(msgspec.convert(raw["facts"], Facts)) if "facts" in raw else facts
    except msgspec.ValidationError as exc:
        faults.at(None, f"[facts]: {_words(exc)}")
    for name, least, most in (("rounds", 1, 1440), ("round_minutes", 1, 1440)):
        if not least <= getattr(facts, name) <= most:
            faults.at(None, f"[facts] {name} is {getattr(facts, name)}; give {least} to {most}")
    if not 0 <= facts.clock_minutes <= 60:
        faults.at(None, f"[facts] clock_minutes is {facts.clock_minutes}; give 0 to 60")
    tables = raw.get("question", [])
    if not isinstance(tables, list) or not tables:
        faults.at(None, "no question is in it; write [[question]] once for each")
        return None
    questions = list(_questions(tables, faults))
    return None if faults else Paper(seed, tuple(questions), facts)


def _questions(tables: list[Any], faults: _Faults) -> Iterator[Question]:
    seen: dict[str, int] = {}
    for nth, raw in enumerate(tables):
        try:
            question = msgspec.convert(raw, Question)
        except msgspec.ValidationError as exc:
            named = re.search(r"`(\w+)`", str(exc).partition(" - at ")[0])
            field = re.search(r"\$\.(\w+)", str(exc)) or named
            faults.at(nth, _words(exc), field[1] if field else "")
            continue
        if question.id in seen:
            faults.at(
                nth, f"question {seen[question.id] + 1} has the id {question.id!r}, too", "id"
            )
        seen.setdefault(question.id, nth)
        for key, what in _wrong(question):
            faults.at(nth, what, key)
        yield question


def _wrong(question: Question) -> Iterator[tuple[str, str]]:
    """What is wrong with a question: the field, and what."""
    if len(question.id) > ID_LIMIT or not _ID.fullmatch(question.id):
        yield (
            "id",
            f"the id {question.id[:ID_LIMIT]!r} can't be used; take up to {ID_LIMIT} letters, "
            "digits, . - and _",
        )
    for key, line in (("text", question.text), *(("tells", each) for each in question.tells)):
        if not line.strip() or not line.isprintable() or len(line) > LINE_LIMIT:
            yield key, f"{key} is not one line of 1 to {LINE_LIMIT} characters that can be typed"
    for key in ("words", "half", "wrong"):
        if any(not re.search(r"\w", pattern) for pattern in getattr(question, key)):
            yield key, f"{key} holds a pattern without a word"
    if question.rule and question.rule not in RULES:
        yield "rule", f"unknown rule {question.rule!r}; known are {', '.join(RULES)}"
    elif question.rule and (question.words or question.half or question.wrong):
        yield "rule", "rule and words exclude each other; take one of them"
    elif not question.rule and not question.words:
        yield "text", "its key is missing; write the answers that fit in words, or a rule"
    if abs(question.number) > 1_000_000 or (question.number and not question.rule):
        yield "number", "number is what a rule counts with, a million at most"


def _words(exc: msgspec.ValidationError) -> str:
    text, _, path = str(exc).partition(" - at `$")
    field = path.strip(".`")
    return f"{field + ': ' if field else ''}{text[0].lower()}{text[1:]}"
