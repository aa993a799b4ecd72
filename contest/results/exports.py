"""Exports of a contest: its record, transcripts and tables, as files for other programs and people.

A format is a function here: it takes a contest and gives file names with their contents. Names of
files are made of rounds, attempts and ids; nothing that a person or a program has typed or is
called becomes a path. All formats are made of the record as it may be published, and say what they
leave out.
"""

from __future__ import annotations

import heapq
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

from contest.errors import RecordTrouble, Surroundings
from contest.record import reading
from contest.record.reading import EventLog
from contest.results.contest import Contest
from contest.results.document import Results
from contest.results.pictures import pictures_of
from contest.results.site import site
from contest.results.tables import Files, data_package, record_lines
from contest.results.text import one_line, result_in_words, statistics_text, title_of
from contest.results.transcript import as_text, file_name, own_names
from contest.setup.folder import refuse_unless_empty
from contest.state.incidents import WITHHELD
from contest.state.model import Talk
from lpp.log2012 import JUDGE, Log2012, compose, text_lines

#: The second line of logs in the form of 2012, unless the organizer sets one.
NOTICE = "The organizer of the contest decides on the publication of these transcripts"


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
        title, notice: with `lpp2012`, the first two lines of each log: the contest's name, date and
            place if empty, and what may be done with it.

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
        title, notice: see `export`.

    Raises:
        RecordTrouble: if the record can't be used.
    """
    results = Results(Contest.of(log))
    made = _lpp2012(results, title, notice) if form == "lpp2012" else FORMATS[form](results)
    return own_names(made)


# The formats


def _html(results: Results) -> Files:
    """A folder of pages for any web server, or none; in it the results as one page."""
    return ((name, made()) for name, made in site(results).items())


def _json(results: Results) -> Files:
    """The record as `events.jsonl`, the results, and what stands beside them."""
    yield "events.jsonl", record_lines(results.contest.log)
    yield "results.json", map(str.encode, results.stream())
    text = json.dumps(results.statistics, ensure_ascii=False, indent=2)
    yield "statistics.json", (f"{text}\n".encode(),)


def _text(results: Results) -> Files:
    """Transcripts as plain text, the result in words, and what stands beside it."""
    contest = results.contest
    yield "results.txt", (result_in_words(results).encode(),)
    said = statistics_text(results.statistics, contest.speed / 1000)
    yield "statistics.txt", (said.encode(),)
    for talk in contest.talks:
        yield f"{file_name(talk, talk.side)}.txt", (as_text(contest, talk).encode(),)


def _pictures(results: Results) -> Files:
    return ((name, (content,)) for name, content in pictures_of(results))


def _lpp2012(results: Results, title: str = "", notice: str = NOTICE) -> Files:
    """A log of each pairing and attempt in the form of 2012."""
    contest = results.contest
    for talks in contest.desks:
        log = log_2012(contest, talks, title=title, notice=notice)
        entry = next((t.entity for t in talks if contest.is_entry(t.entity)), "")
        yield (
            f"{file_name(talks[0], entry)}.log",
            (line.encode("utf-8", "surrogateescape") for line in text_lines(log)),
        )


#: Formats by the name that the command has for each.
FORMATS: Mapping[str, Callable[[Results], Files]] = MappingProxyType(
    {
        "html": _html,
        "json": _json,
        "csv": data_package,
        "text": _text,
        "lpp2012": _lpp2012,
        "pictures": _pictures,
    }
)


def log_2012(
    contest: Contest, talks: Sequence[Talk], *, title: str = "", notice: str = NOTICE
) -> Log2012:
    """The log of a pairing in the form of 2012; keys out of phase are no part of it. Blanks in the
    program's name become underscores, as in the contest's own logs: blanks separate the parts of a
    line. The second line says so, and names the sides whose talk is left out.

    Arguments:
        contest: the contest.
        talks: the pairing's talks, both sides of one attempt.
        title, notice: its first two lines.

    Raises:
        RecordTrouble: if something can't stand in a log: times before 1970.
    """
    first = talks[0]
    sides = {talk.side: contest.is_entry(talk.entity) for talk in talks}
    entry = next((talk.entity for talk in talks if contest.is_entry(talk.entity)), None)
    name, program = "", "unknown"
    if entry is not None:
        name = one_line(contest.name(entry))
        # A log takes no program for a judge.
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
        raise RecordTrouble(f"talk {first.id} can't be written as a log of 2012: {exc}") from exc


def _word(text: str) -> str:
    return "_".join(text.split()) or "-"
