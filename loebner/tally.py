"""`loebner tally`: verdicts and rankings to table, places, silver medal and prizes, explained."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import click

if TYPE_CHECKING:
    from fractions import Fraction

    from contest.statistics.summary import Statistics
    from scheduler import Prizes, Rules, Tally


class _Told(NamedTuple):
    """What is told: the tally, what there is to win, of a contest whether it is final, and if it
    is, with the prizes; and what gives the statistics beside it."""

    tally: Tally
    prizes: Prizes
    state: str
    is_final: bool
    statistics: Callable[[], Statistics]


@click.command()
@click.argument("verdicts")
@click.argument("rankings", required=False)
@click.option(
    "--schedule", metavar="FILE", help="All pairings there are; a verdict beyond is refused."
)
@click.option(
    "--rules",
    metavar="NAME",
    help="2010 (if left out; of a contest, its own), 2014, 2017, or steps such as "
    "points,mean-rank.",
)
@click.option(
    "--exclude",
    nargs=2,
    multiple=True,
    metavar="JUDGE REASON",
    help="Do not count the ballot of this judge.",
)
@click.option(
    "--statistics", is_flag=True, help="Tell beside the result how much it can say, and what not."
)
@click.option("--json", "as_json", is_flag=True, help="Print a JSON document and nothing else.")
def tally(
    verdicts: str,
    rankings: str | None,
    schedule: str | None,
    rules: str | None,
    exclude: tuple[tuple[str, str], ...],
    statistics: bool,
    as_json: bool,
) -> None:
    """Verdicts and rankings to table, winner, ties and silver medal, explained.

    VERDICTS is CSV (round,judge,entry,confederate,verdict) or JSON, or a contest's folder; RANKINGS
    is CSV (judge,participant,rank) or JSON. The verdict is the one taken for the human: entry or
    confederate, or nothing where there is none. Warnings leave the exit code at 0.
    """
    from scheduler import rules_named

    wanted = None if rules is None else rules_named(rules)
    told = (
        _folder(verdicts, rankings, schedule, wanted, exclude)
        if os.path.isdir(verdicts)
        else _files(verdicts, rankings, schedule, wanted, dict(exclude))
    )
    if as_json:
        beside = {"statistics": told.statistics().as_json()} if statistics else {}
        click.echo(json.dumps(told.tally.as_json() | beside, indent=2))
        return
    _say(told)
    if statistics:
        from contest.statistics.text import as_text

        click.echo(f"\n{as_text(told.statistics())}", nl=False)


def _folder(
    contest: str,
    rankings: str | None,
    schedule: str | None,
    rules: Rules | None,
    exclude: Sequence[object],
) -> _Told:
    from scheduler import BadInput

    if rankings is not None or schedule is not None:
        raise BadInput(
            "is a contest's folder, which holds rankings and schedule; leave the others out",
            source=contest,
        )
    if exclude:
        raise BadInput(
            "is a contest's folder: `loebner control CONTEST void JUDGE REASON` takes a ballot out "
            "of the count, on record",
            source=contest,
        )
    from contest.history import timeline
    from contest.history.tallying import tally_of
    from contest.results.document import Results
    from contest.results.finality import is_settled, state_in_words
    from contest.setup.settings import prizes_in, rules_in

    view = timeline.load(Path(contest))
    own = rules_in(view.settings)
    tallied = tally_of(view, rules)
    state = state_in_words(view, tallied)
    if rules is not None and rules != own:
        # What would have been is nobody's result.
        state = "These are not the rules of the contest; by its own the places may be others."
        is_final = False
    else:
        is_final = is_settled(view, tallied)
    prizes = prizes_in(view.settings)
    return _Told(tallied, prizes, state, is_final, lambda: Results(view).statistics)


def _files(
    verdicts: str,
    rankings: str | None,
    schedule: str | None,
    rules: Rules | None,
    exclude: Mapping[str, str],
) -> _Told:
    from loebner.schedule import load_schedule
    from scheduler import PRIZES_2010, RULES_2010, BadInput, Schedule, read_verdicts, tally
    from scheduler import verdicts as ranked
    from scheduler.files import read_text

    planned = None
    if schedule is not None:
        loaded = load_schedule(schedule)
        if not isinstance(loaded, Schedule):
            raise BadInput("is a matrix, without rounds; give a schedule", source=schedule)
        planned = loaded
    text, source = read_text(verdicts), _source(verdicts)
    held = read_verdicts(text, source)
    if rankings is not None:
        ballots = ranked.read_rankings(read_text(rankings), _source(rankings))
    else:
        both = ranked.has_rankings(text, source)
        ballots = ranked.read_rankings(text, source) if both else []
    if not held and planned is None:
        raise BadInput("holds no verdict", source=source)
    counted = ranked.exclude(ballots, exclude)
    tallied = tally(held, counted, planned, rules or RULES_2010)
    so_far = f"So far ({len(tallied.open)} without a verdict):" if tallied.open else ""
    # Other years' rules had other prizes.
    is_final = not so_far and tallied.rules == RULES_2010

    def statistics() -> Statistics:
        from contest.statistics.summary import statistics_of_tally

        return statistics_of_tally(held, counted, planned)

    return _Told(tallied, PRIZES_2010, so_far, is_final, statistics)


def _source(file: str) -> str:
    return "standard input" if file == "-" else file


def _say(told: _Told) -> None:
    from scheduler import (
        PRIZES_2010,
        RULES_2010,
        explain_places,
        explain_prizes,
        explain_rules,
        explain_silver,
    )
    from scheduler.texts import plain

    result = told.tally
    _table(result)
    click.echo()
    if told.state:
        click.echo(plain(told.state))
    if result.rules != RULES_2010:
        click.echo(" ".join(explain_rules(result.rules)))
    for line in (*explain_places(result), *explain_silver(result, told.prizes)):
        click.echo(line)
    if told.is_final:
        click.echo("Prizes of 2010:" if told.prizes == PRIZES_2010 else "Prizes:")
        for line in explain_prizes(result, told.prizes):
            click.echo(f"  {line}")
    for line in result.warnings:
        click.echo(f"Warning: {plain(line)}.")


def _table(result: Tally) -> None:
    """The judges' table: on a terminal with lines, elsewhere plain and never cut."""
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    entries = result.roster.entries
    standing = {s.entry: s for s in result.entries}
    rows = [
        [judge, *("-" if row[e] is None else str(row[e]) for e in entries)]
        for judge, row in result.table.items()
    ]
    feet = [
        ["score", *(str(standing[e].score) for e in entries)],
        ["mean rank", *(_cell(standing[e].mean_rank) for e in entries)],
        *(
            [step.heading, *(_cell(standing[e].value(step)) for e in entries)]
            for step in result.rules.steps
            if step.name not in ("column-sum", "mean-rank")
        ),
        ["place", *(str(standing[e].place) + "=" * standing[e].tied for e in entries)],
    ]
    terminal = sys.stdout.isatty()
    console = Console(file=sys.stdout, highlight=False, width=None if terminal else 1_000_000)
    table = Table(box=box.SIMPLE if terminal else None, pad_edge=False)
    # Text objects throughout: a name from a file is never read as markup.
    table.add_column("")
    for entry in entries:
        table.add_column(Text(entry), justify="right")
    for row in rows:
        table.add_row(*map(Text, row))
    table.add_section()
    for foot in feet:
        table.add_row(*map(Text, foot))
    console.print(table)


def _cell(value: Fraction | None) -> str:
    from scheduler.texts import number

    return "-" if value is None else number(value)
