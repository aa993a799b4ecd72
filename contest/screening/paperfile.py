"""Papers as files: TOML that a person can write, for own questions too.

A file holds `seed`, a table `[facts]` and a `[[question]]` each; only the questions are needed. All
that is wrong with a file is found, each with its line.
"""

from __future__ import annotations

import datetime as dt
import json
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from contest.errors import BadOrder
from contest.screening.moments import RULES
from contest.screening.questions.parts import (
    Facts,
    Key,
    Paper,
    Question,
    Rule,
    SetName,
)
from contest.screening.vocabulary import outside

#: Characters of a line that a judge types, and of an id; bytes of a file.
LINE_LIMIT, ID_LIMIT, FILE_LIMIT = 500, 40, 5_000_000

_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_HEADER = re.compile(r"\s*\[\[\s*question\s*\]\]")


class _FactsTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    start: dt.datetime = Facts().start
    rounds: int = 6
    round_minutes: int = 30
    clock_minutes: int = 2


class _QuestionTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    id: str
    set: SetName
    text: str
    words: tuple[str, ...] = ()
    half: tuple[str, ...] = ()
    wrong: tuple[str, ...] = ()
    explanation: str = ""
    rule: str = ""
    number: int = 0
    tells: tuple[str, ...] = ()
    about: str = ""


class _Faults(list[str]):
    """What is wrong with a file."""

    def __init__(self, where: str, text: str) -> None:
        super().__init__()
        self.where = where
        self._lines = text.splitlines()
        self._starts = [number for number, line in enumerate(self._lines, 1) if _HEADER.match(line)]

    def at(self, nth: int | None, what: str, key: str = "") -> None:
        """Notes a fault of the `nth` question, counted from 0, or of the file."""
        line = self._line(nth, key) if nth is not None else None
        place = f", line {line}" if line else ""
        name = f"question {nth + 1}: " if nth is not None else ""
        self.append(f"{self.where}{place}: {name}{what}")

    def _line(self, nth: int, key: str) -> int | None:
        if nth >= len(self._starts):
            return None
        start = self._starts[nth]
        end = self._starts[nth + 1] if nth + 1 < len(self._starts) else len(self._lines) + 1
        for number in range(start + 1, end):
            if key and re.match(rf"\s*{re.escape(key)}\s*=", self._lines[number - 1]):
                return number
        return start


def read(file: Path, facts: Facts | None = None) -> Paper:
    """Reads a paper, or own questions.

    Words outside the vocabulary are no fault here; `check` names them.

    Arguments:
        file: TOML.
        facts: what to go by where the file has none; the rules' own if left out.

    Raises:
        BadOrder: if it can't be used; says the first fault, and how many more there are.
    """
    paper, faults = _read(file, facts)
    if faults or paper is None:
        more = f" ({len(faults) - 1} more; --check names all)" if len(faults) > 1 else ""
        raise BadOrder(f"{faults[0]}{more}")
    return paper


def check(file: Path) -> list[str]:
    """All that is wrong with a file of questions: faults, and words outside the vocabulary.

    Arguments:
        file: TOML.

    Returns:
        A line each, with file and line; none if nothing is wrong.

    Raises:
        BadOrder: if there is no such file.
    """
    paper, faults = _read(file, None)
    if paper is not None:
        for nth, question in enumerate(paper.questions):
            for key, line in (
                ("text", question.text),
                *(("tells", each) for each in question.tells),
            ):
                for word in outside(line):
                    faults.at(nth, f"{word!r} is outside the vocabulary", key)
            missing = question.set == "memory" and question.about
            if missing and not _told_before(paper, nth, question.about):
                faults.at(nth, "what it asks about is told nowhere before it", "about")
    return list(faults)


def write(paper: Paper, file: Path | None = None) -> str:
    """Writes a paper with its key.

    Arguments:
        paper: the paper.
        file: where to; nowhere if left out. Only its owner can read it, for it holds the answers.

    Returns:
        The text: byte for byte the same for the same paper.

    Raises:
        BadOrder: if the file can't be written.
    """
    text = "\n".join(_written(paper))
    if file is not None:
        try:
            file.touch(mode=0o600)
            file.write_bytes(text.encode("utf-8"))
        except OSError as exc:
            raise BadOrder(f"{file} can't be written: {exc.strerror or exc}") from exc
    return text


def _told_before(paper: Paper, nth: int, statement: str) -> bool:
    return any(statement in question.tells for question in paper.questions[: nth + 1])


def _read(file: Path, facts: Facts | None) -> tuple[Paper | None, _Faults]:
    try:
        with file.open("rb") as opened:
            raw_bytes = opened.read(FILE_LIMIT + 1)
    except OSError as exc:
        raise BadOrder(f"{file} can't be read: {exc.strerror or exc}") from exc
    text = raw_bytes.decode("utf-8", "replace")
    faults = _Faults(str(file), text)
    if len(raw_bytes) > FILE_LIMIT:
        faults.at(None, f"more than {FILE_LIMIT:,} bytes are no paper")
        return None, faults
    try:
        raw_bytes.decode("utf-8")
        raw = tomllib.loads(text)
    except UnicodeDecodeError as exc:
        line = raw_bytes.count(b"\n", 0, exc.start) + 1
        faults.append(f"{file}, line {line}: this is no UTF-8; save the file as UTF-8")
        return None, faults
    except (tomllib.TOMLDecodeError, RecursionError) as exc:
        faults.at(None, f"this is no TOML: {exc}")
        return None, faults
    return _paper_of(raw, facts, faults), faults


def _paper_of(raw: dict[str, Any], facts: Facts | None, faults: _Faults) -> Paper | None:
    for key in raw.keys() - {"seed", "facts", "question"}:
        faults.at(None, f"unknown option {key!r}; known are seed, [facts] and [[question]]")
    seed = raw.get("seed")
    if seed is not None and (not isinstance(seed, int) or isinstance(seed, bool)):
        faults.at(None, f"the seed is {seed!r}; give a whole number, or leave it out")
        seed = None
    if "facts" in raw:
        try:
            table = msgspec.convert(raw["facts"], _FactsTable)
        except msgspec.ValidationError as exc:
            faults.at(None, f"[facts]: {_words(exc)}")
        else:
            facts = _facts_of(table, faults)
    tables = raw.get("question", [])
    if not isinstance(tables, list) or not tables:
        faults.at(None, "no question is in it; write [[question]] once for each")
        return None
    questions = list(_questions_of(tables, facts or Facts(), faults))
    return None if faults else Paper(seed, tuple(questions), facts or Facts())


def _facts_of(table: _FactsTable, faults: _Faults) -> Facts:
    for name in ("rounds", "round_minutes"):
        if not 1 <= getattr(table, name) <= 1440:
            faults.at(None, f"[facts] {name} is {getattr(table, name)}; give 1 to 1440")
    if not 0 <= table.clock_minutes <= 60:
        faults.at(None, f"[facts] clock_minutes is {table.clock_minutes}; give 0 to 60")
    return Facts(
        table.start.replace(tzinfo=None), table.rounds, table.round_minutes, table.clock_minutes
    )


def _questions_of(tables: list[Any], facts: Facts, faults: _Faults) -> Iterator[Question]:
    seen: dict[str, int] = {}
    for nth, raw in enumerate(tables):
        try:
            table = msgspec.convert(raw, _QuestionTable)
        except msgspec.ValidationError as exc:
            message = _words(exc)
            named = re.search(r"`(\w+)`", str(exc).partition(" - at ")[0])
            key = re.search(r"\$\.(\w+)", str(exc))
            faults.at(nth, message, key[1] if key else named[1] if named else "")
            continue
        if table.id in seen:
            faults.at(nth, f"question {seen[table.id] + 1} has the id {table.id!r}, too", "id")
        seen.setdefault(table.id, nth)
        _look_over(table, nth, faults)
        rule = None
        if table.rule in RULES:
            rule = Rule(table.rule, table.number, facts)
        key_ = Key(table.words, table.half, table.wrong, table.explanation, rule)
        yield Question(table.id, table.set, table.text, key_, table.tells, table.about)


def _look_over(table: _QuestionTable, nth: int, faults: _Faults) -> None:
    if len(table.id) > ID_LIMIT or not _ID.fullmatch(table.id):
        faults.at(
            nth,
            f"the id {table.id[:ID_LIMIT]!r} can't be used; take up to {ID_LIMIT} letters, digits, "
            ". - and _",
            "id",
        )
    for key, line in (("text", table.text), *(("tells", each) for each in table.tells)):
        if not line.strip() or not line.isprintable() or len(line) > LINE_LIMIT:
            faults.at(
                nth, f"{key} is not one line of 1 to {LINE_LIMIT} characters that can be typed", key
            )
    for key in ("words", "half", "wrong"):
        if any(not re.search(r"\w", pattern) for pattern in getattr(table, key)):
            faults.at(nth, f"{key} holds a pattern without a word", key)
    if table.rule and table.rule not in RULES:
        faults.at(nth, f"unknown rule {table.rule!r}; known are {', '.join(RULES)}", "rule")
    elif table.rule and (table.words or table.half or table.wrong):
        faults.at(nth, "rule and words exclude each other; take one of them", "rule")
    elif not table.rule and not table.words:
        faults.at(nth, "its key is missing; write the answers that fit in words, or a rule", "text")
    if abs(table.number) > 1_000_000 or (table.number and not table.rule):
        faults.at(nth, "number is what a rule counts with, a million at most", "number")


def _words(exc: msgspec.ValidationError) -> str:
    text, _, path = str(exc).partition(" - at `$")
    field = path.strip(".`")
    return f"{field + ': ' if field else ''}{text[0].lower()}{text[1:]}"


def _written(paper: Paper) -> Iterator[str]:
    if paper.seed is not None:
        yield f"seed = {paper.seed}"
        yield ""
    facts = paper.facts
    yield "[facts]"
    yield f"start = {facts.start.isoformat()}"
    yield f"rounds = {facts.rounds}"
    yield f"round_minutes = {facts.round_minutes}"
    yield f"clock_minutes = {facts.clock_minutes}"
    for question in paper.questions:
        yield ""
        yield "[[question]]"
        key = question.key
        fields: dict[str, object] = {"id": question.id, "set": question.set}
        fields |= {"tells": question.tells, "text": question.text, "about": question.about}
        fields |= {"words": key.words, "half": key.half, "wrong": key.wrong}
        fields |= {"explanation": key.explanation}
        if key.rule is not None:
            fields |= {"rule": key.rule.name, "number": key.rule.number}
        for name, value in fields.items():
            if value:
                yield f"{name} = {_toml(value)}"
    yield ""


def _toml(value: object) -> str:
    if isinstance(value, int):
        return str(value)
    if isinstance(value, str):
        # A basic string of TOML is one of JSON, but for this one character.
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007F")
    assert isinstance(value, tuple)
    return f"[{', '.join(map(_toml, value))}]"
