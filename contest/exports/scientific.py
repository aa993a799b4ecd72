"""What exports hold for researchers: tables of statistics with their description, pictures as
files, statistics as text. Made of the record as it may be published, as all exports are.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, groupby

from contest.exports.datapackage import FILE_NAME, describe
from contest.exports.export import Files, Source, table
from contest.history.tallying import of_view, played_schedule
from contest.history.transcript import who
from contest.history.views import ContestView, TalkView
from contest.pictures import pictures_of, png_file, svg_file, time_lines_of
from contest.pictures.made import taken_in
from contest.pictures.texts import as_text, design, mean_ranks, time_line
from contest.state.incidents import WITHHELD
from contest.statistics import statistics_of
from contest.statistics.needs import module
from contest.statistics.tables import (
    NUMBER_COLUMNS,
    RHYTHM_COLUMNS,
    SEPARATION_COLUMNS,
    number_rows,
    rhythm_rows,
    separation_rows,
)
from contest.statistics.talks import presses_of

#: The folder of time lines.
_TALKS = "talks"


def data_package(source: Source, tables: Files) -> Files:
    """Tables with those of the statistics, and with what describes them all.

    Arguments:
        source: what the export is made of.
        tables: those of the contest.
    """
    names = []
    for name, content in tables:
        names.append(name)
        yield name, content
    found = statistics_of(source.view)
    more = [("rhythm.csv", RHYTHM_COLUMNS, rhythm_rows(found))]
    if found.judged is not None:
        more += [
            ("statistics.csv", NUMBER_COLUMNS, number_rows(found.judged)),
            ("separations.csv", SEPARATION_COLUMNS, separation_rows(found)),
        ]
    for name, columns, rows in more:
        names.append(name)
        yield name, table(columns, rows)
    left_out = ""
    if found.missing:
        left_out = f"statistics.csv and separations.csv are left out: {found.missing}."
    yield FILE_NAME, (describe(source.view, names, left_out),)


def picture_files(source: Source) -> Files:
    """All pictures as SVG and PNG, time lines in a folder of their own.

    Raises:
        ScienceMissing: without numpy, scipy and matplotlib, before anything is made.
    """
    for needed in ("numpy", "scipy.special", "matplotlib.figure"):
        module(needed)
    view = source.view
    for name, picture in pictures_of(view, statistics_of(view)).items():
        yield f"{name}.svg", (svg_file(picture),)
        yield f"{name}.png", (png_file(picture),)
    for picture in time_lines_of(view):
        yield f"{_TALKS}/{picture.name}.svg", (svg_file(picture),)
        yield f"{_TALKS}/{picture.name}.png", (png_file(picture),)


def statistics_text(view: ContestView) -> Iterator[str]:
    """The statistics of a contest as text, line by line: the design, the numbers in words, all
    ranks, and when each talk's keys came.

    Arguments:
        view: the contest, as it may be published.

    Raises:
        RecordTrouble: if the record's schedule is none.
    """
    _, verdicts, ballots = of_view(view)
    lines = ["The design; * is whom the judge took for the human", ""]
    lines += [*design(played_schedule(view), taken_in(verdicts)), ""]
    counted = [b for b in ballots if not b.excluded]
    if counted:
        ranks = [{rank.participant: rank.value for rank in b.ranks} for b in counted]
        lines += ["All ranks, 1 is the most human", "", *mean_ranks(ranks), ""]
    lines += as_text(statistics_of(view)).splitlines()
    return (f"{line}\n" for line in chain(lines, _time_lines(view)))


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
