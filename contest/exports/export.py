"""Exports of a contest: its record, transcripts and tables, as files for other programs and people.

A format is a function here: it takes a contest and gives file names with what is to stand in them.
Names of files are made of rounds, attempts and ids; nothing that a person or a program has typed
or is called becomes a path. All formats are made of the record as it may be published, and say
what they leave out.
"""

from __future__ import annotations

import csv
import datetime as dt
import heapq
import io
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, groupby, tee
from pathlib import Path
from types import MappingProxyType
from typing import TypeAlias

import scheduler
from contest.errors import RecordTrouble, Surroundings
from contest.history import timeline
from contest.history.filenames import file_name, own_names
from contest.history.publication import Published
from contest.history.tallying import of_view
from contest.history.transcript import as_text
from contest.history.views import ContestView, KeyView, TalkView
from contest.record import reading
from contest.record.events import canonical
from contest.record.logs import EventLog
from contest.results.text import one_line, result_in_words, title_of
from contest.setup.folder import refuse_unless_empty
from contest.state.incidents import WITHHELD
from lpp.log2012 import JUDGE, Log2012, compose, text_lines
from lpp.names import legible
from scheduler.texts import number
from scheduler.verdicts import EXCLUDED, RANKING_COLUMNS

#: The second line of logs in the form of 2012, unless the organizer sets one.
NOTICE = "The organizer of the contest decides on the publication of these transcripts"

#: Characters of a part of a table.
_PART = 100_000

_KEY_COLUMNS = (
    *("round", "attempt", "judge", "entity", "side", "author", "key"),
    *("received", "durable", "shown", "raw_name"),
)


@dataclass(frozen=True, slots=True)
class Source:
    """What an export is made of.

    Attributes:
        events: the record, as it may be published.
        view: the same as a model.
        title: first line of a log of 2012; the contest's name, date and place if empty.
        notice: its second line.
    """

    events: Published
    view: ContestView
    title: str = ""
    notice: str = NOTICE


#: A file's bytes in parts: some files are larger than memory.
Content: TypeAlias = Iterable[bytes]
#: Files by name, each with what is in it, made when it is asked for.
Files: TypeAlias = Iterator[tuple[str, Content]]


class NotWritten(Surroundings):
    """A file of an export could not be written."""


def export(
    folder: Path, form: str, out: Path, *, title: str = "", notice: str = NOTICE
) -> list[Path]:
    """Exports a contest.

    Arguments:
        folder: the contest's folder.
        form: one of `FORMATS`.
        out: where to: a directory that is empty, or is not there yet.
        title, notice: see `Source`.

    Returns:
        The files written.

    Raises:
        NotAContest: if there is no such folder, or no record in it.
        RecordTrouble: if the record can't be read or used.
        YoursToFix: if `out` is something else than an empty directory.
        NotWritten: if a file can't be written.
    """
    refuse_unless_empty(out)
    files = files_of(reading.log(folder), form, title=title, notice=notice)
    written = []
    try:
        out.mkdir(parents=True, exist_ok=True)
        for name, content in files:
            file = out / name
            file.parent.mkdir(exist_ok=True)
            with file.open("wb") as opened:
                opened.writelines(content)
            written.append(file)
    except OSError as exc:
        raise NotWritten(f"{out}: the export can't be written ({exc}); free the disk") from exc
    return written


def files_of(log: EventLog, form: str, *, title: str = "", notice: str = NOTICE) -> Files:
    """The files of an export, each name once.

    Arguments:
        log: the record.
        form: one of `FORMATS`.
        title, notice: see `Source`.

    Raises:
        RecordTrouble: if the record can't be used.
    """
    return _with_own_names(FORMATS[form](source_of(log, title=title, notice=notice)))


def source_of(log: EventLog, *, title: str = "", notice: str = NOTICE) -> Source:
    """What exports are made of.

    Arguments:
        log: a record as it is.
        title, notice: see `Source`.

    Raises:
        RecordTrouble: if the record can't be used.
    """
    public = Published(log)
    return Source(public, timeline.view_of(public), title, notice)


# The formats


def _text(source: Source) -> Files:
    """Transcripts as plain text, the result in words, and what stands beside it."""
    from contest.exports.scientific import statistics_text

    yield "results.txt", (result_in_words(source.view).encode(),)
    yield "statistics.txt", map(str.encode, statistics_text(source.view))
    for talk in source.view.talks:
        name = file_name(talk, talk.side)
        yield f"{name}.txt", (as_text(source.view, talk).encode(),)


def _json(source: Source) -> Files:
    """The record as `events.jsonl`, canonical, the results, and what stands beside them."""
    from contest.results.document import results_stream
    from contest.statistics import statistics_of

    yield "events.jsonl", (canonical(each.as_json()) + b"\n" for each in source.events.events())
    yield "results.json", map(str.encode, results_stream(source.view))
    yield "statistics.json", (statistics_of(source.view).as_text().encode(),)


def _html(source: Source) -> Files:
    """A folder of pages for any web server, or none; in it the results as one page."""
    from contest.exports.site import Site

    yield from Site(source).files()


def _csv(source: Source) -> Files:
    """A data package: the tables of the contest, those of statistics, and what is in them."""
    from contest.exports.scientific import data_package

    yield from data_package(source, _tables(source))


def _pictures(source: Source) -> Files:
    """Pictures as SVG and PNG, and a time line of each desk."""
    from contest.exports.scientific import picture_files

    yield from picture_files(source)


def _tables(source: Source) -> Files:
    """All keys, one a row; all talks, and whether they count; those that are left out, if any; and
    schedule, verdicts and rankings as `loebner tally` takes them."""
    schedule, verdicts, ballots = of_view(source.view)
    yield "keys.csv", table(_KEY_COLUMNS, _key_rows(source.view))
    yield (
        "talks.csv",
        table(
            ("talk", "round", "attempt", "judge", "entity", "side", "counts", "voided"),
            (
                [
                    *(t.id, t.round, t.attempt, t.judge, t.entity, t.side),
                    *(int(t.counts), t.voided or ""),
                ]
                for t in source.view.talks
            ),
        ),
    )
    withheld = [talk for talk in source.view.talks if talk.withheld]
    if withheld:
        yield (
            "withheld.csv",
            table(
                ("round", "attempt", "judge", "entity", "side"),
                ([t.round, t.attempt, t.judge, t.entity, t.side] for t in withheld),
            ),
        )
    yield "schedule.csv", (scheduler.write_csv(schedule).encode(),)
    choices = {v.pairing: "" if v.choice is None else v.choice.value for v in verdicts}
    yield (
        "verdicts.csv",
        table(
            ("round", "judge", "entry", "confederate", "verdict"),
            (
                [p.round, p.judge, p.entry, p.confederate, choices.get(p, "")]
                for p in schedule.pairings
            ),
        ),
    )
    yield (
        "rankings.csv",
        table(
            (*RANKING_COLUMNS, EXCLUDED),
            (
                [ballot.judge, rank.participant, number(rank.value), ballot.excluded]
                for ballot in ballots
                for rank in ballot.ranks
            ),
        ),
    )


def _lpp2012(source: Source) -> Files:
    """A log of each pairing and attempt in the form of 2012."""
    for talks in _pairings(source.view):
        log = log_2012(source.view, talks, title=source.title, notice=source.notice)
        entry = next((t.entity for t in talks if source.view.is_entry(t.entity)), "")
        yield (
            f"{file_name(talks[0], entry)}.log",
            (line.encode("utf-8", "surrogateescape") for line in text_lines(log)),
        )


#: Formats by the name that the command has for each.
FORMATS: Mapping[str, Callable[[Source], Files]] = MappingProxyType(
    {
        "html": _html,
        "json": _json,
        "csv": _csv,
        "text": _text,
        "lpp2012": _lpp2012,
        "pictures": _pictures,
    }
)


def log_2012(
    view: ContestView, talks: Sequence[TalkView], *, title: str = "", notice: str = NOTICE
) -> Log2012:
    """The log of a pairing in the form of 2012; keys out of phase are no part of it. Blanks in the
    program's name become underscores, as in the contest's own logs: blanks separate what stands in
    a line. The second line says so, and names the sides whose talk is left out.

    Arguments:
        view: the contest.
        talks: the pairing's talks, both sides of one attempt.
        title, notice: its first two lines.

    Raises:
        RecordTrouble: if something can't stand in a log: times before 1970.
    """
    first = talks[0]
    entry = next((talk for talk in talks if view.is_entry(talk.entity)), None)
    left = next((talk for talk in talks if talk.side == "left"), None)
    name = "" if entry is None else one_line(view.name(entry.entity))
    program = "unknown" if entry is None else _program(name, entry.entity)
    at_left = view.is_entry(left.entity) if left is not None else entry is None
    shown = ((key for key in talk.keys if key.out_of_phase is None) for talk in talks)
    keys = heapq.merge(*shown, key=lambda key: key.seq)
    try:
        return compose(
            title=one_line(title or title_of(view)),
            notice=one_line(notice) + _renamed(name, program) + _left_out(talks),
            judge=_word(first.judge),
            program=program,
            round_=first.round,
            left="program" if at_left else "human",
            keys=(
                (_microseconds(view, key.mono_ns), key.author, key.side, key.key) for key in keys
            ),
        )
    except ValueError as exc:
        raise RecordTrouble(f"talk {first.id} can't stand in a log of 2012: {exc}") from exc


def _left_out(talks: Sequence[TalkView]) -> str:
    sides = sorted(talk.side for talk in talks if talk.withheld)
    return f" ({' and '.join(sides)}: {WITHHELD})" if sides else ""


def _pairings(view: ContestView) -> Iterator[list[TalkView]]:
    for _, talks in groupby(view.talks, key=lambda talk: (talk.round, talk.attempt, talk.judge)):
        yield list(talks)


def _microseconds(view: ContestView, mono_ns: int) -> int:
    return round(view.wall(view.first_ns).timestamp() * 1_000_000) + (
        mono_ns // 1000 - view.first_ns // 1000
    )


def _program(name: str, entry: str) -> str:
    """The entry's name as one word. A log takes no program for a judge."""
    if not name or name.split()[0] == JUDGE:
        return _word(f"{entry} {name}")
    return _word(name)


def _renamed(name: str, program: str) -> str:
    return f" (program {name} is written {program})" if name and name != program else ""


def _word(text: str) -> str:
    return "_".join(text.split()) or "-"


def _key_rows(view: ContestView) -> Iterator[list[str | int]]:
    def told(key: KeyView, mono_ns: int | None) -> str:
        # The contest's clock stands still at times, and may run faster than real time.
        if mono_ns is None:
            return ""
        later_us = (mono_ns - key.mono_ns) // view.speed  # nanoseconds by thousandths
        at = dt.datetime.fromtimestamp(0, dt.UTC) + dt.timedelta(microseconds=key.at_us + later_us)
        return at.isoformat(timespec="microseconds").replace("+00:00", "Z")

    for talk in view.talks:
        for key in talk.keys:
            yield [
                *(talk.round, talk.attempt, talk.judge, talk.entity, talk.side, key.author),
                legible(key.key),
                *(told(key, key.mono_ns), told(key, key.durable_ns), told(key, key.shown_ns)),
                legible(key.raw or ""),
            ]


def table(columns: Sequence[str], rows: Iterable[Sequence[str | int | float]]) -> Content:
    """A table as CSV, in parts.

    Arguments:
        columns: their names.
        rows: the cells of each row.
    """
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    for row in chain((columns,), rows):
        writer.writerow(row)
        if out.tell() >= _PART:
            yield out.getvalue().encode()
            out.seek(0)
            out.truncate()
    yield out.getvalue().encode()


def _with_own_names(files: Files) -> Files:
    """The same files under names of their own, made one after another."""
    given, contents = tee(files)
    yield from zip(own_names(name for name, _ in given), (c for _, c in contents), strict=True)
