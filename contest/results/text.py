"""Results and statistics in words and tables, for a terminal, a text file and the page.

Probabilities are worded as "in about 23 of 100 such contests", intervals as "a chance anywhere
between 9 % and 53 % would be compatible with that". Neither is the probability that somebody is
human, or is the best. The sentences, methods and assumptions are in `statistics.toml`.
"""

from __future__ import annotations

import functools
import io
import math
import textwrap
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from importlib.resources import files
from typing import TYPE_CHECKING, Any, TypeAlias

import scheduler
from contest.results.statistics import INTERVALS, Json, Number
from scheduler.texts import counted, number, plain, together

if TYPE_CHECKING:
    from contest.results.document import Results

#: A row of a table: its heading, and its cells.
Row: TypeAlias = tuple[str, Sequence[str | int | None]]

#: The default width of a terminal, in columns.
WIDTH = 80


@functools.cache
def prose() -> dict[str, Any]:
    """The words of the statistics: the `introduction`, and a table for each part."""
    return tomllib.loads(files("contest").joinpath("results/statistics.toml").read_text("utf-8"))


# The result


def result_in_words(results: Results) -> str:
    """The result: table, places, silver medal, prizes, warnings, rounds, the head of the record.

    Raises:
        RecordTrouble: if the record can't be tallied.
    """
    contest, words = results.contest, results.document["words"]
    said = [one_line(title_of(contest.settings)), "", *score_table(contest.tally), ""]
    said += [*words["rules"], *words["places"], *words["silver"], "", words["state"]]
    said += [*words["prizes"], *(f"Warning: {line}." for line in contest.tally.warnings), ""]
    for at, pairings in enumerate(contest.schedule.rounds, 1):
        met = " ".join(together((p.judge, p.entry, p.confederate)) for p in pairings)
        said.append(f"Round {at} {met}{' (not played)' * (at in contest.not_played)}")
    return "".join(f"{line}\n" for line in (*said, "", f"head {contest.head}"))


def score_rows(
    tally: scheduler.Tally, number_text: Callable[[Fraction], str] = number
) -> tuple[list[scheduler.Standing], list[Row], list[Row]]:
    """The judges' table: the entries in the roster's order, a row for each judge, and the rows
    below with score, mean rank, the values of other tie-break steps, and place; None where there is
    no value.

    Arguments:
        tally: the tally.
        number_text: formats exact numbers.
    """
    of = {standing.entry: standing for standing in tally.entries}
    order = [of[entry] for entry in tally.roster.entries]

    def exact(value: Fraction | None) -> str | None:
        return None if value is None else number_text(value)

    steps = [step for step in tally.rules.steps if step.name not in ("column-sum", "mean-rank")]
    rows: list[Row] = [
        (judge, [cells[s.entry] for s in order]) for judge, cells in tally.table.items()
    ]
    foot: list[Row] = [
        ("score", [s.score for s in order]),
        ("mean rank", [exact(s.mean_rank) for s in order]),
        *((step.heading, [exact(s.value(step)) for s in order]) for step in steps),
        ("place", [f"{s.place}{'=' * s.tied}" for s in order]),
    ]
    return order, rows, foot


def score_table(tally: scheduler.Tally, *, lines: bool = False) -> list[str]:
    """The judges' table as text. With `lines`, for a terminal, there are lines between its
    parts."""
    order, *parts = score_rows(tally)
    rows, foot = (
        [[name, *("-" if cell is None else str(cell) for cell in cells)] for name, cells in part]
        for part in parts
    )
    return table_lines(["", *(s.entry for s in order)], rows, foot, lines=lines)


def table_lines(
    columns: Sequence[str],
    rows: Iterable[Sequence[str]],
    foot: Iterable[Sequence[str]] = (),
    *,
    lines: bool = False,
) -> list[str]:
    """A table in plain characters, never truncated; the first column is left-aligned, the others
    right-aligned."""
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE if lines else None, pad_edge=False)
    # Text objects throughout: a name from a file is never read as markup.
    for at, column in enumerate(columns):
        table.add_column(Text(column), justify="right" if at else "left", no_wrap=True)
    for part in (rows, foot):
        for row in part:
            table.add_row(*(Text(plain(cell)) for cell in row))
        table.add_section()
    out = io.StringIO()
    Console(file=out, width=1_000_000, color_system=None).print(table)
    return [line.rstrip() for line in out.getvalue().splitlines()]


def title_of(settings: Mapping[str, Any]) -> str:
    """Name, date and venue of a contest, on one line."""
    held = settings.get("contest")
    own = held if isinstance(held, dict) else {}
    return "  ".join(str(own[key]) for key in ("name", "date", "venue") if own.get(key))


def one_line(text: str) -> str:
    """Text on one line, with unprintable characters escaped."""
    return plain(" ".join(text.split()))


# Statistics


def statistics_text(found: Json, speed: float = 1.0) -> str:
    """The statistics as text: sentences and tables, each part with its method.

    Arguments:
        found: the document of statistics.
        speed: how many times faster than real time the contest was played.

    Returns:
        Lines ending with a line feed.
    """
    lines = ["Statistics", "", *textwrap.wrap(prose()["introduction"], WIDTH)]
    if found["missing"]:
        left_out = f"Verdicts could not be analysed: {found['missing']}."
        lines += textwrap.wrap(left_out, WIDTH)
    for part in parts_of(found, speed):
        lines += ["", part["title"], "-" * len(part["title"])]
        for said in (*part["said"], f"Method: {part['method']}", f"Assumes: {part['assumptions']}"):
            lines += textwrap.wrap(said, WIDTH, break_on_hyphens=False)
        if part["rows"]:
            rows = (row["cells"] for row in part["rows"])
            lines += ["", *table_lines(part["columns"], rows)]
    return "".join(f"{plain(line)}\n" for line in lines)


def taken_in(verdicts: Iterable[scheduler.Verdict]) -> dict[tuple[int, str], str]:
    """The participant taken for the human, by round and judge."""
    entry = scheduler.Choice.ENTRY
    return {
        (v.pairing.round, v.pairing.judge): v.pairing.entry
        if v.choice is entry
        else v.pairing.confederate
        for v in verdicts
        if v.choice is not None
    }


def parts_of(found: Json, speed: float = 1.0) -> list[Json]:
    """All parts of the statistics that have data, each with `name`, `title`, sentences (`said`), a
    table (`columns`; `rows` with their `cells` and, for a share, its interval as a `bar`),
    `method`, and its assumptions (`assumptions`).

    Arguments:
        found: the document of statistics.
        speed: how many times faster than real time the contest was played.
    """
    made: list[Json] = []
    for name, part in prose().items():
        if name == "introduction":
            continue
        words = part.get("numbers", {})
        numbers = [Number(**each) for each in found["numbers"] if each["statistic"] in words]
        if numbers:
            said = (
                _sentence(words[each.statistic]["sentence"], each)
                for each in numbers
                if "sentence" in words[each.statistic] and each.method != INTERVALS[1][0]
            )
            rows = [_row(words[each.statistic], each) for each in numbers]
            made.append({"said": list(said), "columns": _COLUMNS, "rows": rows})
        elif name == "talks" and (found["typing"] or found["withheld_talks"]):
            rows = [_separation(each) for each in found["separations"]]
            made.append({"said": list(_talks(found, speed)), "columns": _OF_TALKS, "rows": rows})
        else:
            continue
        made[-1] |= {key: part[key] for key in ("title", "method", "assumptions")} | {"name": name}
    return made


_COLUMNS = ("Statistic", "Participant", "Verdicts", "Value", "95 %", "Method")
_OF_TALKS = ("Measure", "Programs", "Humans", "Programs taken for the human", "Program higher",
             "95 %")  # fmt: skip


def _sentence(form: str, of: Number) -> str:
    return form.format(
        of=of.of,
        taken=of.taken,
        verdicts=counted(of.out_of or 0, "verdict"),
        share=percent(of.value),
        interval=f"between {percent(of.low)} and {percent(of.high)}",
        contests=in_contests(of.value),
        number=_decimal(of.value),
    )


def _decimal(value: float) -> str:
    return f"{round(value, 2) + 0.0:.2f}"


def _row(words: Mapping[str, str], of: Number) -> Json:
    verdicts = "" if of.out_of is None else str(of.out_of)
    if of.taken is not None:
        verdicts = f"{of.taken} of {verdicts}" if verdicts else str(of.taken)
    value = _decimal(of.value) if words["form"] == "number" else percent(of.value)
    return {
        "cells": (words["label"], of.of, verdicts, value, span(of.low, of.high), of.method),
        "bar": None if of.low is None else (of.low, of.value, of.high),
    }


def _separation(each: Json) -> Json:
    medians = (measured(each, name) for name in ("programs", "humans", "programs_taken"))
    equal = f", {each['equal']} equal" * bool(each["equal"])
    more = f"{each['program_more']} of {each['out_of']}{equal}"
    ends = span(each["low"], each["high"])
    return {"cells": (each["words"], *medians, more, ends), "bar": None}


def _talks(found: Json, speed: float) -> Iterator[str]:
    entities = [row for row in found["typing"] if row["author"] == "entity"]
    if entities:
        programs = sum(row["role"] == "entry" for row in entities)
        yield (
            f"Measured in {counted(programs, 'talk')} with programs and "
            f"{counted(len(entities) - programs, 'talk')} with humans; the numbers are about the "
            "typing of these programs and humans, not the judges'."
        )
    if entities and speed != 1:
        yield (
            f"This contest was played at {speed:g} times real time, so the numbers below say "
            "little about normal typing."
        )
    if count := found["withheld_talks"]:
        yield f"{counted(count, 'talk')} left out at the request of a participant."
    for each in found["separations"]:
        if each["low"] is None or each["low"] <= 0.5 <= each["high"]:
            continue  # no clear difference
        is_more = each["low"] > 0.5
        count = each["program_more"] if is_more else each["out_of"] - each["program_more"]
        yield (
            f"{each['words'][0].upper()}{each['words'][1:]}: the program's value was "
            f"{'higher' if is_more else 'lower'} than the human's in {count} of {each['out_of']} "
            f"pairings (medians {measured(each, 'programs')} and {measured(each, 'humans')})."
        )


def measured(each: Json, name: str) -> str:
    """A median of a separation with its unit."""
    value = each[name]
    if value is None:
        return "–"
    digits = 0 if value >= 100 or value == round(value) else 1
    return f"{value:.{digits}f} {each['unit']}".rstrip()


def percent(value: float | None) -> str:
    """A share, such as `53 %`; `0 %` and `100 %` only for exactly none and all."""
    if value is None:
        return "–"
    whole = math.floor(100 * value + 0.5)
    if whole == 0 and value > 0:
        return "under 1 %"
    if whole == 100 and value < 1:
        return "over 99 %"
    return f"{whole} %"


def in_contests(chance: float) -> str:
    """A probability in words, as the share of contests in which something happens."""
    if chance >= 1:
        return "in every such contest"
    if chance > 0.995:
        return "in more than 99 of 100 such contests"
    if chance >= 0.01:
        return f"in about {round(100 * chance)} of 100 such contests"
    if chance >= 0.001:
        return f"in about {round(1000 * chance)} of 1,000 such contests"
    return "in fewer than 1 of 1,000 such contests"


def span(low: float | None, high: float | None) -> str:
    """The interval of a share for a table, such as `8.9 to 53.2 %`."""
    return "–" if low is None or high is None else f"{100 * low:.1f} to {100 * high:.1f} %"
