"""Exports of a contest: its record, transcripts and tables, as files for other programs and people.

A format is a function here: it takes a contest and gives file names with what is to stand in them.
Names of files are made of rounds, attempts and ids; nothing that a person or a program has typed
or is called becomes a path. All formats are made of the record as it may be published, and say
what they leave out.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, groupby, tee
from pathlib import Path
from types import MappingProxyType

from contest.errors import RecordTrouble, Surroundings
from contest.exports.site import Site
from contest.exports.tables import Files, data_package, record_lines
from contest.history import timeline
from contest.history.filenames import file_name, own_names
from contest.history.publication import Published
from contest.history.tallying import played_schedule
from contest.history.transcript import as_text, who
from contest.history.views import ContestView, TalkView
from contest.pictures.charts import taken_in, time_lines_of
from contest.pictures.shapes import png_file, svg_file
from contest.record import reading
from contest.record.logs import EventLog
from contest.results.document import Results
from contest.results.page import pictures
from contest.results.text import one_line, result_in_words, title_of
from contest.setup.folder import refuse_unless_empty
from contest.state.incidents import WITHHELD
from contest.statistics import import_science
from contest.statistics.summary import presses_of
from contest.statistics.text import as_text as statistics_text
from contest.statistics.text import design, mean_ranks, time_line
from contest.statistics.verdicts import ranks_of
from lpp.log2012 import JUDGE, Log2012, compose, text_lines

#: The second line of logs in the form of 2012, unless the organizer sets one.
NOTICE = "The organizer of the contest decides on the publication of these transcripts"


@dataclass(frozen=True, slots=True)
class Source:
    """What an export is made of.

    Attributes:
        events: the record, as it may be published.
        results: what it gives.
        title: first line of a log of 2012; the contest's name, date and place if empty.
        notice: its second line.
    """

    events: Published
    results: Results
    title: str = ""
    notice: str = NOTICE


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
    public = Published(log)
    source = Source(public, Results(timeline.view_of(public)), title, notice)
    given, contents = tee(FORMATS[form](source))
    return zip(own_names(name for name, _ in given), (c for _, c in contents), strict=True)


# The formats


def _html(source: Source) -> Files:
    """A folder of pages for any web server, or none; in it the results as one page."""
    return Site(source.results, source.events).files()


def _json(source: Source) -> Files:
    """The record as `events.jsonl`, the results, and what stands beside them."""
    yield "events.jsonl", record_lines(source.events)
    yield "results.json", map(str.encode, source.results.stream())
    yield "statistics.json", (source.results.statistics.as_text().encode(),)


def _csv(source: Source) -> Files:
    """A data package: the tables of the contest, those of statistics, and what is in them."""
    return data_package(source.results)


def _text(source: Source) -> Files:
    """Transcripts as plain text, the result in words, and what stands beside it."""
    view = source.results.view
    yield "results.txt", (result_in_words(source.results).encode(),)
    yield "statistics.txt", map(str.encode, _statistics_text(source.results))
    for talk in view.talks:
        yield f"{file_name(talk, talk.side)}.txt", (as_text(view, talk).encode(),)


def _statistics_text(results: Results) -> Iterator[str]:
    """The statistics as lines of text: the design, all ranks, the numbers in words, and when each
    talk's keys came."""
    _, verdicts, ballots = results.counted
    lines = ["The design; * is whom the judge took for the human", ""]
    lines += [*design(played_schedule(results.view), taken_in(verdicts)), ""]
    if ranks := ranks_of(ballots):
        lines += ["All ranks, 1 is the most human", "", *mean_ranks(ranks), ""]
    lines += statistics_text(results.statistics).splitlines()
    return (f"{line}\n" for line in chain(lines, _time_lines(results.view)))


def _time_lines(view: ContestView) -> Iterator[str]:
    yield from ("", "When keys came, the darker the more", "-" * 35)
    for _, talks in groupby(view.talks, key=lambda t: (t.round, t.attempt, t.judge)):
        for talk in talks:
            kind = "program" if view.is_entry(talk.entity) else "human"
            void = "" if talk.counts else " (does not count)"
            yield f"{talk.id}: {talk.entity}, {kind}{void}"
            yield from (f"    ({WITHHELD})",) if talk.withheld else _lanes(talk)


def _lanes(talk: TalkView) -> Iterator[str]:
    presses = presses_of(talk)
    seconds = None if talk.timing is None else talk.timing.seconds
    length = max(1000.0 * (seconds or 0), *(press.ms for press in presses), 1.0)
    for author in ("judge", "entity"):
        times = [press.ms for press in presses if press.author == author]
        name = who(talk, "judge" if author == "judge" else "entity")
        yield f"  {name:>6}  |{time_line(times, length)}|"


def _pictures(source: Source) -> Files:
    """Pictures as SVG and PNG, and a time line of each desk in a folder of their own.

    Raises:
        ScienceMissing: without numpy, scipy and matplotlib, before anything is made.
    """
    for needed in ("numpy", "scipy.stats", "matplotlib.figure"):
        import_science(needed)
    whole = (("", picture) for picture in pictures(source.results).values())
    of_talks = (("talks/", picture) for picture in time_lines_of(source.results.view))
    for folder, picture in chain(whole, of_talks):
        yield f"{folder}{picture.name}.svg", (svg_file(picture),)
        yield f"{folder}{picture.name}.png", (png_file(picture),)


def _lpp2012(source: Source) -> Files:
    """A log of each pairing and attempt in the form of 2012."""
    view = source.results.view
    for _, group in groupby(view.talks, key=lambda talk: (talk.round, talk.attempt, talk.judge)):
        talks = list(group)
        log = log_2012(view, talks, title=source.title, notice=source.notice)
        entry = next((t.entity for t in talks if view.is_entry(t.entity)), "")
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
