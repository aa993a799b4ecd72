"""The tables of an export: who met whom, verdicts, rankings, talks, key presses and statistics as
CSV, and `datapackage.json`, which says what each column holds, in the form of Frictionless data
packages (https://specs.frictionlessdata.io), which spreadsheets and programs for statistics read.

`tables.toml` has the columns of all tables.
"""

from __future__ import annotations

import csv
import datetime as dt
import functools
import io
import json
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib.resources import files
from itertools import chain
from typing import Any, TypeAlias

from contest.record.events import canonical
from contest.record.reading import EventLog
from contest.results.contest import Contest, Key, time_text
from contest.results.document import Results
from contest.results.text import title_of
from lpp.names import legible
from scheduler.texts import number

FILE_NAME = "datapackage.json"

#: A file's bytes in parts: some files are larger than memory.
Content: TypeAlias = Iterable[bytes]
#: Files by name, each with its content, made when it is asked for.
Files: TypeAlias = Iterator[tuple[str, Content]]
Row: TypeAlias = Sequence[str | int | float | None] | Mapping[str, Any]

#: Characters of a part of a table.
_PART = 100_000
_NO_LETTERS = re.compile(r"[^a-z0-9]+")


def record_lines(log: EventLog) -> Content:
    """A record, canonical, an event a line."""
    return (canonical(each.as_json()) + b"\n" for each in log.events())


@functools.cache
def tables() -> Mapping[str, Any]:
    """Of each table what it is of (`holds`), and its `columns`: name, type, what they hold."""
    return tomllib.loads(files("contest").joinpath("results/tables.toml").read_text("utf-8"))


def describe(contest: Contest, names: Iterable[str], left_out: str = "") -> bytes:
    """The descriptor of a folder of tables.

    Arguments:
        contest: the contest, as it may be published.
        names: the files of the tables that are there.
        left_out: what is not there, and why; empty if there is nothing to be said.
    """
    names = list(names)
    title = " ".join(title_of(contest.settings).split()) or "A contest"
    said = "Tables of a contest, as they may be published: what people agreed to holds."
    if "statistics.csv" in names:
        said += " Nothing in statistics.csv changes the official result."
    package = {
        "profile": "tabular-data-package",
        # In small letters, digits and hyphens, as the form of these packages has it.
        "name": _NO_LETTERS.sub("-", title.casefold()).strip("-") or "contest",
        "title": title,
        "description": f"{said} {left_out}".strip(),
        "resources": [_resource(name, **tables()[name.removesuffix(".csv")]) for name in names],
    }
    return (json.dumps(package, ensure_ascii=False, indent=2) + "\n").encode()


def _resource(name: str, holds: str, columns: Iterable[Sequence[str]]) -> dict[str, Any]:
    flags = {"trueValues": ["1"], "falseValues": ["0"]}
    fields = [
        {"name": column, "type": kind, "description": words} | (flags if kind == "boolean" else {})
        for column, kind, words in columns
    ]
    return {
        "profile": "tabular-data-resource",
        "name": name.removesuffix(".csv"),
        "path": name,
        "description": holds,
        "format": "csv",
        "mediatype": "text/csv",
        "encoding": "utf-8",
        "schema": {"fields": fields, "missingValues": [""]},
    }


def contest_tables(contest: Contest) -> dict[str, Iterable[Row]]:
    """All keys, one a row; all talks, and whether they count; those that are left out, if any; and
    schedule, verdicts and rankings as `loebner tally` takes them: file name to rows.

    Arguments:
        contest: the contest, as it may be published.

    Raises:
        RecordTrouble: if the record's schedule can't be used.
    """
    schedule, verdicts, ballots = contest.counted
    choices = {v.pairing: "" if v.choice is None else v.choice.value for v in verdicts}
    pairings = {p: (p.round, p.judge, p.entry, p.confederate) for p in schedule.pairings}
    places = [(t, (t.round, t.attempt, t.judge, t.entity, t.side)) for t in contest.talks]
    withheld = [place for talk, place in places if contest.withheld(talk)]
    return {
        "keys.csv": _keys(contest),
        "talks.csv": [
            (talk.id, *place, int(contest.counts(talk)), contest.voided(talk))
            for talk, place in places
        ],
        **({"withheld.csv": withheld} if withheld else {}),
        "schedule.csv": list(pairings.values()),
        "verdicts.csv": [(*row, choices.get(p, "")) for p, row in pairings.items()],
        "rankings.csv": [
            (ballot.judge, rank.participant, number(rank.value), ballot.excluded)
            for ballot in ballots
            for rank in ballot.ranks
        ],
    }


def data_package(results: Results) -> Files:
    """All tables, those of the statistics among them, and what describes them; arguments and errors
    as for `contest_tables`."""
    found = results.statistics
    made = contest_tables(results.contest) | {"rhythm.csv": found["typing"]}
    left_out = ""
    if found["missing"]:
        left_out = f"statistics.csv and separations.csv are left out: {found['missing']}."
    else:
        made["statistics.csv"] = found["numbers"]
        made["separations.csv"] = found["separations"]
    for name, rows in made.items():
        yield name, as_csv(name, rows)
    yield FILE_NAME, (describe(results.contest, made, left_out),)


def as_csv(name: str, rows: Iterable[Row]) -> Content:
    """A table as CSV, in parts; an empty cell for None.

    Arguments:
        name: its file, which tells its columns.
        rows: its rows; of one that is a mapping, the values of these columns.
    """
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    columns = [column for column, *_ in tables()[name.removesuffix(".csv")]["columns"]]
    for row in chain((columns,), rows):
        cells = [row[name] for name in columns] if isinstance(row, Mapping) else row
        writer.writerow([int(cell) if isinstance(cell, bool) else cell for cell in cells])
        if out.tell() >= _PART:
            yield out.getvalue().encode()
            out.seek(0)
            out.truncate()
    yield out.getvalue().encode()


def _keys(contest: Contest) -> Iterator[Row]:
    epoch, speed = dt.datetime.fromtimestamp(0, dt.UTC), contest.speed

    def time(key: Key, mono_ns: int | None) -> str:
        # The contest's clock stands still at times, and may run faster than real time.
        if mono_ns is None:
            return ""
        later_us = (mono_ns - key.mono_ns) // speed  # nanoseconds by thousandths
        return time_text(epoch + dt.timedelta(microseconds=key.at_us + later_us))

    for talk in contest.talks:
        for key in contest.keys(talk.id):
            yield (
                *(talk.round, talk.attempt, talk.judge, talk.entity, talk.side, key.author),
                legible(key.key),
                *(time(key, at) for at in (key.mono_ns, key.durable_ns, key.shown_ns)),
                legible(key.raw or ""),
            )
