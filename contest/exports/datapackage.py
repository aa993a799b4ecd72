"""What each table of an export holds, column by column: `datapackage.json`, in the form of
Frictionless data packages (https://specs.frictionlessdata.io), which spreadsheets and programs
for statistics read.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from contest.history.views import ContestView
from contest.results.text import title_of
from contest.statistics.rhythm import OVERLAP_MS, PAUSE_MS

FILE_NAME = "datapackage.json"

_NO_LETTERS = re.compile(r"[^a-z0-9]+")


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its name, what is in it, and the type of its values as Frictionless names it."""

    name: str
    holds: str
    type: str = "string"


@dataclass(frozen=True, slots=True)
class TableForm:
    """A table: what it is of, and its columns in their order."""

    holds: str
    columns: tuple[Column, ...]


_ROUND = Column("round", "the round, from 1", "integer")
_ATTEMPT = Column("attempt", "the attempt at the round, from 1", "integer")
_JUDGE = Column("judge", "id of the judge")
_ENTITY = Column("entity", "id of the entry or confederate whom the judge talked with")
_SIDE = Column("side", "where the entity sat on the judge's screen: left or right")
_TALK = Column("talk", "the talk: round, attempt, judge and side, with points between them")
_PLACE = (_ROUND, _ATTEMPT, _JUDGE, _ENTITY, _SIDE)
_PAIRING = (
    *(_ROUND, _JUDGE, Column("entry", "id of the entry"), Column("confederate", "id of the human")),
)
_TIME = "real time, UTC, RFC 3339"


def _number(name: str, holds: str) -> Column:
    return Column(name, holds, "number")


def _count(name: str, holds: str) -> Column:
    return Column(name, holds, "integer")


_RHYTHM = (
    _count("keys", "key presses that were shown"),
    _count("characters", "characters that stood in the end, line ends among them"),
    _count("lines", "lines that stood in the end and were not empty"),
    _count("backspaces", "key presses that were BackSpace"),
    _number("first_ms", "milliseconds from the beginning of the interaction to the first key"),
    _number("gap_low_ms", f"first quartile of the gaps between keys under {PAUSE_MS} ms"),
    _number("gap_median_ms", "median of the same"),
    _number("gap_high_ms", "third quartile of the same"),
    _number("keys_a_minute", "60,000 by the mean of the same"),
    _count("pauses", f"gaps of {PAUSE_MS} ms and more"),
    _number("longest_ms", "the longest gap"),
    _number("backspace_share", "BackSpace, of all key presses: 0 to 1"),
    _number("line_length", "median of the characters of a line"),
    _number("overlap", f"characters less than {OVERLAP_MS} ms from one of the other's: 0 to 1"),
    _number("answer_ms", "median of the milliseconds from the other's Return to the next key"),
)

#: The tables of an export by their files.
TABLES: dict[str, TableForm] = {
    "keys.csv": TableForm(
        "every key press of all talks that are published, those out of phase among them",
        (
            *_PLACE,
            Column("author", "who pressed it: judge or entity"),
            Column("key", "name of the key as it came; U+FFFD for a character nobody can see"),
            Column("received", f"when the server received it: {_TIME}", "datetime"),
            Column("durable", f"when it was on disk: {_TIME}; empty if not known", "datetime"),
            Column(
                "shown",
                f"when it was shown: {_TIME}; empty if it was not, or that is not known",
                "datetime",
            ),
            Column(
                "raw_name",
                "name of its directory, what does not print escaped; empty of who typed at a "
                "console",
            ),
        ),
    ),
    "talks.csv": TableForm(
        "every talk",
        (
            _TALK,
            *_PLACE,
            Column("counts", "1 if it counts, 0 if not", "boolean"),
            Column("voided", "why the organizer took it out of the count; else empty"),
        ),
    ),
    "withheld.csv": TableForm("the talks that are left out at the wish of a participant", _PLACE),
    "schedule.csv": TableForm("who met whom", _PAIRING),
    "verdicts.csv": TableForm(
        "the verdicts",
        (
            *_PAIRING,
            Column("verdict", "the one taken for the human: entry or confederate; empty if open"),
        ),
    ),
    "rankings.csv": TableForm(
        "the judges' rankings",
        (
            _JUDGE,
            Column("participant", "id of an entry or a confederate"),
            Column("rank", "1 is the most human; such as 2.5, or 2.33 (7/3)"),
            Column("excluded", "why the ballot does not count; else empty"),
        ),
    ),
    "statistics.csv": TableForm(
        "what verdicts and rankings say beside the official result, a number a row; intervals at "
        "95 %",
        (
            Column("statistic", "what it is, as docs/reference/results.md explains"),
            Column("of", "the id that it is of; empty where of all"),
            _number("value", "the number"),
            _number("low", "where its interval begins"),
            _number("high", "where its interval ends"),
            _count("taken", "how many verdicts, of shares and strengths; the score looked at"),
            _count("out_of", "of how many verdicts, judges or shufflings"),
            Column("method", "how it was computed"),
        ),
    ),
    "separations.csv": TableForm(
        "what separated the talks with programs from those with humans, a measure a row",
        (
            Column("measure", "what was measured"),
            Column("unit", "of the three medians; empty where these are plain numbers"),
            _number("programs", "median of the talks with programs"),
            _number("humans", "median of the talks with humans"),
            _number("programs_taken", "median of the programs that were taken for the human"),
            _count("program_more", "pairings in which the program had more"),
            _count("out_of", "of how many pairings in which they differed"),
            _count("equal", "pairings in which they were equal"),
            _number("low", "interval of the share of pairings, Clopper-Pearson, 95 %: low end"),
            _number("high", "its high end"),
        ),
    ),
    "rhythm.csv": TableForm(
        "how each author typed in each talk that counts, by the interaction's own time, pauses "
        "of the round taken out",
        (
            _TALK,
            *_PLACE[:4],
            Column("role", "what the entity is: entry or confederate"),
            _SIDE,
            Column("taken_for_human", "1 if the judge took it for the human, else 0", "boolean"),
            Column("author", "whose typing this row is of: judge or entity"),
            *_RHYTHM,
        ),
    ),
}


def describe(view: ContestView, files: Iterable[str], left_out: str = "") -> bytes:
    """The descriptor of a folder of tables.

    Arguments:
        view: the contest, as it may be published.
        files: the tables that are there, of `TABLES`.
        left_out: what is not there, and why; empty if there is nothing to be said.
    """
    names = list(files)
    title = " ".join(title_of(view).split()) or "A contest"
    said = [
        "Tables of a contest, as they may be published: what judges and confederates agreed to "
        "holds."
    ]
    if "statistics.csv" in names:
        said.append("Nothing in statistics.csv changes the official result.")
    package = {
        "profile": "tabular-data-package",
        # In small letters, digits and hyphens, as the form of these packages has it.
        "name": _NO_LETTERS.sub("-", title.casefold()).strip("-") or "contest",
        "title": title,
        "description": " ".join([*said, left_out]).strip(),
        "resources": [_resource(file) for file in names],
    }
    return (json.dumps(package, ensure_ascii=False, indent=2) + "\n").encode()


def _resource(file: str) -> dict[str, Any]:
    form = TABLES[file]
    return {
        "profile": "tabular-data-resource",
        "name": file.removesuffix(".csv"),
        "path": file,
        "description": form.holds,
        "format": "csv",
        "mediatype": "text/csv",
        "encoding": "utf-8",
        "schema": {"fields": _fields(form.columns), "missingValues": [""]},
    }


def _fields(columns: Sequence[Column]) -> list[dict[str, Any]]:
    return [
        {"name": column.name, "type": column.type, "description": column.holds}
        | ({"trueValues": ["1"], "falseValues": ["0"]} if column.type == "boolean" else {})
        for column in columns
    ]
