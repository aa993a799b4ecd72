"""Exports of a contest: its record, transcripts, tables and pages, as files for other programs and
people.

Each format is a function here: it takes the results of a contest and returns file names with their
contents, in chunks, because a record may be larger than memory. File names are made from rounds,
attempts and ids; typed text and names of people or programs never become part of a path. All
formats are made from the record as it may be published, and say what they leave out.

`tables.toml` lists the columns of all tables. `datapackage.json` describes them as a Frictionless
data package (https://specs.frictionlessdata.io), for spreadsheets and statistics software.
"""

from __future__ import annotations

import csv
import datetime as dt
import functools
import heapq
import io
import json
import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from importlib.resources import files
from itertools import chain
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeAlias

from markupsafe import Markup

from contest.errors import EnvironmentProblem, RecordTrouble
from contest.pages import render
from contest.record import reading
from contest.record.events import canonical
from contest.record.reading import EventLog
from contest.results.contest import Contest, Key, time_text
from contest.results.document import Results
from contest.results.page import page_parts, page_stream, talk_parts, with_names
from contest.results.pictures import pictures_of
from contest.results.text import one_line, result_in_words, statistics_text, title_of
from contest.results.transcript import as_text, clock, file_name, unique_names
from contest.setup.folder import refuse_unless_empty
from contest.state.incidents import WITHHELD
from contest.state.model import Talk
from lpp.log2012 import JUDGE, Log2012, compose, write
from lpp.names import char_of, legible
from scheduler.texts import number

#: A file's bytes in chunks.
Content: TypeAlias = Iterable[bytes]
#: File names with their contents, made on demand.
Files: TypeAlias = Iterator[tuple[str, Content]]
#: File names with functions that make their contents, any number of times.
Makers: TypeAlias = dict[str, Callable[[], Content]]
Row: TypeAlias = Sequence[str | int | float | None] | Mapping[str, Any]

#: The second line of logs in the 2012 format, unless the organizer sets one.
NOTICE = "The organizer of the contest decides on the publication of these transcripts"
#: The file that describes the tables.
PACKAGE = "datapackage.json"
#: Speeds at which a talk can be replayed.
SPEEDS = (0.5, 1, 2, 4, 8, 16, 32, 64)
#: Files to copy beside the pages, from `static/` of these packages.
STATIC_FILES = (
    *("pages/style.css", "audience/spectators.css"),
    *("pages/conversation.js", "audience/player.js", "pages/icon.svg"),
)

#: Characters in a chunk of a table.
_PART = 100_000
_NO_LETTERS = re.compile(r"[^a-z0-9]+")


class NotWritten(EnvironmentProblem):
    """A file of an export could not be written."""


def export(
    folder: Path, form: str, out: Path, *, title: str = "", notice: str = NOTICE
) -> list[Path]:
    """Exports a contest.

    Arguments:
        folder: the contest's folder.
        form: one of `FORMATS`.
        out: the directory to write to; it must be empty or not exist.
        title, notice: with `lpp2012`, the first two lines of each log. An empty title means the
            contest's name, date and place; the notice says how the log may be used.

    Returns:
        The files written.

    Raises:
        NotAContest: if there is no such folder, or no record in it.
        RecordTrouble: if the record can't be read or used.
        UserError: if `out` exists and is not an empty directory.
        NotWritten: if a file can't be written.
    """
    refuse_unless_empty(out)
    made = files_of(reading.open_log(folder), form, title=title, notice=notice)
    written = []
    try:
        out.mkdir(parents=True, exist_ok=True)
        for name, content in made:
            file = out / name
            file.parent.mkdir(exist_ok=True)
            with file.open("wb") as opened:
                opened.writelines(content)
            written.append(file)
    except OSError as exc:
        raise NotWritten(
            f"{out}: the export can't be written ({exc}); check the disk and its free space"
        ) from exc
    return written


def files_of(log: EventLog, form: str, *, title: str = "", notice: str = NOTICE) -> Files:
    """The files of an export; no name occurs twice.

    Arguments:
        log: the record.
        form: one of `FORMATS`.
        title, notice: see `export`.

    Raises:
        RecordTrouble: if the record can't be used.
    """
    results = Results(Contest.of(log))
    made = _lpp2012(results, title, notice) if form == "lpp2012" else FORMATS[form](results)
    return unique_names(made)


# The formats


def _html(results: Results) -> Files:
    """A folder of pages, for any web server or to open as files; the results are also one page."""
    return ((name, make()) for name, make in site(results).items())


def _json(results: Results) -> Files:
    """The record as `events.jsonl`, the results, and the statistics."""
    yield "events.jsonl", _record_lines(results.contest.log)
    yield "results.json", map(str.encode, results.stream())
    text = json.dumps(results.statistics, ensure_ascii=False, indent=2)
    yield "statistics.json", (f"{text}\n".encode(),)


def _csv(results: Results) -> Files:
    """All tables, including those of the statistics, and the file that describes them."""
    found = results.statistics
    made = _contest_tables(results.contest) | {"rhythm.csv": found["typing"]}
    left_out = ""
    if found["missing"]:
        left_out = f"statistics.csv and separations.csv are left out: {found['missing']}."
    else:
        made["statistics.csv"] = found["numbers"]
        made["separations.csv"] = found["separations"]
    for name, rows in made.items():
        yield name, _table(name, rows)
    yield PACKAGE, (_describe(results.contest, made, left_out),)


def _text(results: Results) -> Files:
    """Transcripts as plain text, the result in words, and the statistics."""
    contest = results.contest
    yield "results.txt", (result_in_words(results).encode(),)
    said = statistics_text(results.statistics, contest.speed / 1000)
    yield "statistics.txt", (said.encode(),)
    for talk in contest.talks:
        yield f"{file_name(talk, talk.side)}.txt", (as_text(contest, talk).encode(),)


def _lpp2012(results: Results, title: str = "", notice: str = NOTICE) -> Files:
    """A log of each pairing and attempt in the 2012 format."""
    contest = results.contest
    for talks in contest.desks:
        log = log_2012(contest, talks, title=title, notice=notice)
        entry = next((t.entity for t in talks if contest.is_entry(t.entity)), "")
        text = write(log).encode("utf-8", "surrogateescape")
        yield f"{file_name(talks[0], entry)}.log", (text,)


def _pictures(results: Results) -> Files:
    return ((name, (content,)) for name, content in pictures_of(results))


#: Formats by their names on the command line.
FORMATS: Mapping[str, Callable[[Results], Files]] = MappingProxyType(
    {
        "html": _html,
        "json": _json,
        "csv": _csv,
        "text": _text,
        "lpp2012": _lpp2012,
        "pictures": _pictures,
    }
)


def _record_lines(log: EventLog) -> Content:
    """A record in canonical form, one event per line."""
    return (canonical(each.as_json()) + b"\n" for each in log.events())


# Pages


def site(results: Results) -> Makers:
    """A contest as a folder of pages, for any web server or to open as files: results, schedule,
    and a page for each talk with its transcript and a player. Everything is readable without
    scripts, and links are relative. Styles, scripts and the record, for readers who want to check
    it, are files beside the pages.

    Arguments:
        results: from the record as it may be published.

    Returns:
        File names with functions that make the files; names have `/` between folder and file.

    Raises:
        RecordTrouble: see `Results`.
    """
    contest = results.contest
    own = unique_names((f"{file_name(talk, talk.side)}.html", talk) for talk in contest.talks)
    pages = {talk.id: f"talks/{name}" for name, talk in own}
    names = list(_contest_tables(contest))
    words = {
        "events.jsonl": "the record, one event per line, for verification",
        "results.json": "the results, for programs",
        **{name: tables()[name.removesuffix(".csv")]["contents"] for name in names},
        PACKAGE: "the meaning of each column of these tables",
    }

    def index() -> Content:
        context = page_parts(results, partial(with_names, results))
        context |= {"pages": pages, "downloads": words.items()}
        return (render("results/results.html", context).encode(),)

    def static(name: str) -> Content:
        package, _, file = name.partition("/")
        return (files("contest").joinpath(package, "static", file).read_bytes(),)

    def table(name: str) -> Content:
        return _table(name, _contest_tables(contest)[name])

    return {
        "index.html": index,
        **{pages[talk.id]: partial(_page, results, talk, pages) for talk in contest.talks},
        **{name.partition("/")[2]: partial(static, name) for name in STATIC_FILES},
        "results.html": lambda: map(str.encode, page_stream(results)),
        "downloads/events.jsonl": lambda: _record_lines(contest.log),
        "downloads/results.json": lambda: map(str.encode, results.stream()),
        **{f"downloads/{name}": partial(table, name) for name in names},
        f"downloads/{PACKAGE}": lambda: (_describe(contest, names),),
    }


def _page(results: Results, talk: Talk, pages: Mapping[str, str]) -> Content:
    """The page of a talk; `pages` are those of all talks, in order."""
    around, at = list(pages), list(pages).index(talk.id)
    desk = next(each for each in results.contest.desks if talk in each)
    context = {
        "here": "../",
        "doc": results.document,
        "talk": talk_parts(results, talk),
        "desk": [with_names(results, each) for each in desk],
        "pages": pages,
        "withheld": WITHHELD,
        "speeds": SPEEDS,
        "data": _played(results, desk),
        "before": around[at - 1] if at else None,
        "after": around[at + 1] if at + 1 < len(around) else None,
        "clock": clock,
    }
    return (render("results/site_talk.html", context).encode(),)


def _played(results: Results, desk: Sequence[Talk]) -> Markup:
    """The player's data, as JSON that is safe in a page: nothing in it can close the element."""
    contest, talks, length = results.contest, [], 1
    for talk in desk:
        keys = [
            (max(0, contest.offset_ms(talk, key.mono_ns)), int(key.author == "entity"), char)
            for key in contest.shown(talk)
            if (char := char_of(key.key)) is not None
        ]
        length = max(length, *(at for at, _, _ in keys), contest.length_ms(talk) or 0)
        name = with_names(results, talk)["names"][talk.entity] or talk.entity
        talks.append({"name": name, "keys": keys})
    text = json.dumps({"length_ms": length, "talks": talks}, separators=(",", ":"))
    return Markup(text.translate({ord(c): rf"\u{ord(c):04x}" for c in "&<>"}))


# Tables


@functools.cache
def tables() -> Mapping[str, Any]:
    """For each table, its contents (`contents`) and its `columns`: name, type, description."""
    return tomllib.loads(files("contest").joinpath("results/tables.toml").read_text("utf-8"))


def _contest_tables(contest: Contest) -> dict[str, Iterable[Row]]:
    """File name to rows: all keys, one per row; all talks, and whether they count; withheld talks,
    if any; and schedule, verdicts and rankings in the form that `loebner tally` reads."""
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


def _keys(contest: Contest) -> Iterator[Row]:
    epoch, speed = dt.datetime.fromtimestamp(0, dt.UTC), contest.speed

    def time(key: Key, mono_ns: int | None) -> str:
        # The contest's clock may stop, and may run faster than real time.
        if mono_ns is None:
            return ""
        later_us = (mono_ns - key.mono_ns) // speed  # nanoseconds divided by thousandths
        return time_text(epoch + dt.timedelta(microseconds=key.at_us + later_us))

    for talk in contest.talks:
        for key in contest.keys(talk.id):
            yield (
                *(talk.round, talk.attempt, talk.judge, talk.entity, talk.side, key.author),
                legible(key.key),
                *(time(key, at) for at in (key.mono_ns, key.durable_ns, key.shown_ns)),
                legible(key.raw or ""),
            )


def _table(name: str, rows: Iterable[Row]) -> Content:
    """A table as CSV, with empty cells for None. A row may be a mapping from column to value."""
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


def _describe(contest: Contest, names: Iterable[str], left_out: str = "") -> bytes:
    """The descriptor of a folder with these tables; `left_out` says what is left out, and why."""
    title = " ".join(title_of(contest.settings).split()) or "A contest"
    said = "Tables of a contest, limited to what the participants agreed to publish."
    resources = []
    for name in names:
        form = tables()[name.removesuffix(".csv")]
        if name == "statistics.csv":
            said += " Nothing in statistics.csv changes the official result."
        flags = {"boolean": {"trueValues": ["1"], "falseValues": ["0"]}}
        fields = [
            {"name": column, "type": kind, "description": words} | flags.get(kind, {})
            for column, kind, words in form["columns"]
        ]
        resources.append(
            {
                "profile": "tabular-data-resource",
                "name": name.removesuffix(".csv"),
                "path": name,
                "description": form["contents"],
                "format": "csv",
                "mediatype": "text/csv",
                "encoding": "utf-8",
                "schema": {"fields": fields, "missingValues": [""]},
            }
        )
    package = {
        "profile": "tabular-data-package",
        # In lower-case letters, digits and hyphens, as Frictionless requires.
        "name": _NO_LETTERS.sub("-", title.casefold()).strip("-") or "contest",
        "title": title,
        "description": f"{said} {left_out}".strip(),
        "resources": resources,
    }
    return (json.dumps(package, ensure_ascii=False, indent=2) + "\n").encode()


# Logs in the 2012 format


def log_2012(
    contest: Contest, talks: Sequence[Talk], *, title: str = "", notice: str = NOTICE
) -> Log2012:
    """The log of a pairing in the 2012 format, without keys out of phase. Spaces in the program's
    name become underscores, as in the logs of the 2012 contest, because spaces separate the fields
    of a line. The second line says so, and names the sides whose talk is withheld.

    Arguments:
        contest: the contest.
        talks: the pairing's talks, both sides of one attempt.
        title, notice: the log's first two lines.

    Raises:
        RecordTrouble: if a log can't represent a value: times before 1970.
    """
    first = talks[0]
    sides = {talk.side: contest.is_entry(talk.entity) for talk in talks}
    entry = next((talk.entity for talk in talks if contest.is_entry(talk.entity)), None)
    name, program = "", "unknown"
    if entry is not None:
        name = one_line(contest.name(entry))
        # In a log a program must not look like a judge.
        program = _word(f"{entry} {name}" if not name or name.split()[0] == JUDGE else name)
    notice = one_line(notice)
    if name and name != program:
        notice += f" (program {name} is written {program})"
    if withheld := sorted(talk.side for talk in talks if contest.withheld(talk)):
        notice += f" ({' and '.join(withheld)}: {WITHHELD})"
    first_ns = contest.state.first_ns
    first_us = round(contest.wall(first_ns).timestamp() * 1_000_000) - first_ns // 1000
    shown = ([(key, talk.side) for key in contest.shown(talk)] for talk in talks)
    try:
        return compose(
            title=one_line(title or title_of(contest.settings)),
            notice=notice,
            judge=_word(first.judge),
            program=program,
            round_=first.round,
            left="program" if sides.get("left", entry is None) else "human",
            keys=(
                (first_us + key.mono_ns // 1000, key.author, side, key.key)
                for key, side in heapq.merge(*shown, key=lambda each: each[0].seq)
            ),
        )
    except ValueError as exc:
        raise RecordTrouble(f"talk {first.id} can't be written as a 2012 log: {exc}") from exc


def _word(text: str) -> str:
    return "_".join(text.split()) or "-"
