"""The tables of an export: who met whom, verdicts, rankings, talks, key presses and statistics as
CSV, and `datapackage.json`, which says what each column holds, in the form of Frictionless data
packages (https://specs.frictionlessdata.io), which spreadsheets and programs for statistics read.
"""

from __future__ import annotations

import csv
import datetime as dt
import io
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields
from itertools import chain
from typing import Any, TypeAlias

from contest.history.publication import Published
from contest.history.views import ContestView, KeyView
from contest.record.events import canonical
from contest.results.document import Results
from contest.results.text import title_of
from contest.statistics.rhythm import OVERLAP_MS, PAUSE_MS, Quartiles, Rhythm
from contest.statistics.strengths import Interval
from contest.statistics.summary import Statistics
from contest.statistics.verdicts import Judged, Share
from lpp.names import legible
from scheduler.texts import number

FILE_NAME = "datapackage.json"

#: A file's bytes in parts: some files are larger than memory.
Content: TypeAlias = Iterable[bytes]
#: Files by name, each with what is in it, made when it is asked for.
Files: TypeAlias = Iterator[tuple[str, Content]]
Cell: TypeAlias = str | int | float

#: Characters of a part of a table.
_PART = 100_000
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


def record_lines(events: Published) -> Content:
    """The record as it may be published, canonical, an event a line."""
    return (canonical(each.as_json()) + b"\n" for each in events.events())


def contest_tables(results: Results) -> Files:
    """All keys, one a row; all talks, and whether they count; those that are left out, if any; and
    schedule, verdicts and rankings as `loebner tally` takes them.

    Arguments:
        results: of the contest, as it may be published.

    Raises:
        RecordTrouble: if the record's schedule can't be used.
    """
    view = results.view
    schedule, verdicts, ballots = results.counted
    choices = {v.pairing: "" if v.choice is None else v.choice.value for v in verdicts}
    pairings = [(p.round, p.judge, p.entry, p.confederate) for p in schedule.pairings]
    yield _table("keys.csv", _key_rows(view))
    places = [(t, (t.round, t.attempt, t.judge, t.entity, t.side)) for t in view.talks]
    yield _table(
        "talks.csv",
        ((talk.id, *place, int(talk.counts), talk.voided or "") for talk, place in places),
    )
    if withheld := [place for talk, place in places if talk.withheld]:
        yield _table("withheld.csv", withheld)
    yield _table("schedule.csv", pairings)
    yield _table(
        "verdicts.csv",
        (
            (*row, choices.get(pairing, ""))
            for row, pairing in zip(pairings, schedule.pairings, strict=True)
        ),
    )
    yield _table(
        "rankings.csv",
        (
            (ballot.judge, rank.participant, number(rank.value), ballot.excluded)
            for ballot in ballots
            for rank in ballot.ranks
        ),
    )


def data_package(results: Results) -> Files:
    """All tables, those of the statistics among them, and what describes them; arguments and errors
    as for `contest_tables`."""
    names = []
    for name, content in contest_tables(results):
        names.append(name)
        yield name, content
    found = results.statistics
    more = {"rhythm.csv": _rhythm_rows(found)}
    if found.judged is not None:
        more["statistics.csv"] = _number_rows(found.judged)
        more["separations.csv"] = _separation_rows(found)
    for name, rows in more.items():
        yield _table(name, rows)
    left_out = ""
    if found.missing:
        left_out = f"statistics.csv and separations.csv are left out: {found.missing}."
    yield FILE_NAME, (describe(results.view, [*names, *more], left_out),)


def _table(name: str, rows: Iterable[Sequence[Cell]]) -> tuple[str, Content]:
    return name, _csv([column.name for column in TABLES[name].columns], rows)


def _csv(columns: Sequence[str], rows: Iterable[Sequence[Cell]]) -> Content:
    """A table as CSV, in parts."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    for row in chain((columns,), rows):
        writer.writerow(row)
        if out.tell() >= _PART:
            yield out.getvalue().encode()
            out.seek(0)
            out.truncate()
    yield out.getvalue().encode()


def _key_rows(view: ContestView) -> Iterator[Sequence[Cell]]:
    def time(key: KeyView, mono_ns: int | None) -> str:
        # The contest's clock stands still at times, and may run faster than real time.
        if mono_ns is None:
            return ""
        later_us = (mono_ns - key.mono_ns) // view.speed  # nanoseconds by thousandths
        at = dt.datetime.fromtimestamp(0, dt.UTC) + dt.timedelta(microseconds=key.at_us + later_us)
        return at.isoformat(timespec="microseconds").replace("+00:00", "Z")

    for talk in view.talks:
        for key in talk.keys:
            yield (
                *(talk.round, talk.attempt, talk.judge, talk.entity, talk.side, key.author),
                legible(key.key),
                *(time(key, at) for at in (key.mono_ns, key.durable_ns, key.shown_ns)),
                legible(key.raw or ""),
            )


def _number_rows(found: Judged) -> Iterator[Sequence[Cell]]:
    """What verdicts and rankings say, a number a row; empty cells where there is none."""
    shares = [
        ("programs-taken-for-human", {"": found.programs_taken_for_human}),
        ("entry-taken-for-human", found.entries_taken_for_human),
        ("judge-recognized-human", found.judges_recognized_human),
        ("confederate-recognized", found.confederates_recognized),
    ]
    for name, each in shares:
        for who, one in each.items():
            value = "" if one.share is None else one.share
            for method, interval in (
                ("Wilson", one.wilson),
                ("Clopper-Pearson", one.clopper_pearson),
            ):
                yield name, who, value, *_ends(interval), one.taken, one.out_of, method
    if (chances := found.guessing) is not None:
        coins = "binomial, one half"
        of = chances.taken, chances.out_of
        yield "guessing-total-as-low", "", chances.total_as_low, "", "", *of, coins
        yield "guessing-total-as-high", "", chances.total_as_high, "", "", *of, coins
        for entry, chance in chances.own.items():
            score = found.entries_taken_for_human[entry]
            of = score.taken, score.out_of
            yield "guessing-score-as-high", entry, chance, "", "", *of, coins
        for name, chance, method in (
            ("guessing-best-as-high", chances.best_as_high, "product of binomials, one half"),
            ("alike-best-as-high", chances.best_as_high_alike, "hypergeometric, all scores"),
        ):
            yield name, "", chance, "", "", chances.best, "", method
    method = f"Bradley-Terry, log-F(1,1), {found.strengths.method}"
    for strength in found.strengths.strengths:
        of = strength.taken, strength.out_of
        for name, value, interval in (
            ("strength-log-odds", strength.log_odds, strength.interval),
            ("strength-chance", strength.chance, strength.chances),
        ):
            yield name, strength.who, value, *_ends(interval), *of, method
    verdicts, rankings = found.agreement.verdicts, found.agreement.rankings
    for name, agreed, count, method in (
        ("agreement-verdicts", verdicts.alpha, verdicts.verdicts, "Krippendorff's alpha, nominal"),
        ("agreement-rankings", rankings.w, rankings.judges, "Kendall's W"),
        ("agreement-rankings-by-chance", rankings.chance, rankings.shuffles, "shuffled ranks"),
    ):
        if agreed is not None:
            yield name, "", agreed, "", "", "", count, method


def _ends(interval: Interval | None) -> tuple[Cell, Cell]:
    return ("", "") if interval is None else (interval.low, interval.high)


def _separation_rows(found: Statistics) -> Iterator[Sequence[Cell]]:
    """What separated the talks, a measure a row."""
    for each in found.separations:
        medians = (each.programs, each.humans, each.programs_taken_for_human)
        more: Share = each.program_has_more
        yield (
            *(each.measure, each.unit),
            *("" if one.median is None else one.median for one in medians),
            *(more.taken, more.out_of, each.equal, *_ends(more.clopper_pearson)),
        )


def _rhythm_rows(found: Statistics) -> Iterator[Sequence[Cell]]:
    """How people and programs typed, an author in a talk a row."""
    for talk in found.talks:
        taken = "" if talk.taken_for_human is None else int(talk.taken_for_human)
        for author, rhythm in talk.rhythm.items():
            yield (
                *(talk.talk, talk.round, talk.attempt, talk.judge, talk.entity, talk.role),
                *(talk.side, taken, author),
                *_rhythm(rhythm),
            )


def _rhythm(rhythm: Rhythm) -> Iterator[Cell]:
    for field in fields(Rhythm):
        value = getattr(rhythm, field.name)
        if field.name == "gap_ms":
            quartiles: Quartiles | None = value
            yield from (
                ("",) * 3
                if quartiles is None
                else (*(quartiles.low, quartiles.median, quartiles.high),)
            )
        else:
            yield "" if value is None else value
