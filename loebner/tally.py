"""`loebner tally`: verdicts and rankings to table, places, silver medal and prizes, explained."""

from __future__ import annotations

import json
import os
import sys
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from scheduler import Tally


@click.command()
@click.argument("verdicts")
@click.argument("rankings", required=False)
@click.option(
    "--schedule", metavar="FILE", help="All pairings there are; a verdict beyond is refused."
)
@click.option("--json", "as_json", is_flag=True, help="Print a JSON document and nothing else.")
def tally(verdicts: str, rankings: str | None, schedule: str | None, as_json: bool) -> None:
    """Verdicts and rankings to table, winner, ties and silver medal, explained.

    VERDICTS is CSV (round,judge,entry,confederate,verdict) or JSON, or a contest's folder; RANKINGS
    is CSV (judge,participant,rank) or JSON. The verdict is the one taken for the human: entry or
    confederate, or nothing where there is none. Warnings leave the exit code at 0.
    """
    result = (
        _folder(verdicts, rankings, schedule)
        if os.path.isdir(verdicts)
        else _files(verdicts, rankings, schedule)
    )
    if as_json:
        click.echo(json.dumps(result.as_json(), indent=2))
    else:
        _say(result)


def _folder(contest: str, rankings: str | None, schedule: str | None) -> Tally:
    from scheduler import BadInput

    if rankings is not None or schedule is not None:
        raise BadInput(
            "is a contest's folder, which holds rankings and schedule; leave the others out",
            source=contest,
        )
    from contest.tallying import tally_of_folder

    return tally_of_folder(contest)


def _files(verdicts: str, rankings: str | None, schedule: str | None) -> Tally:
    from loebner.schedule import load_schedule
    from scheduler import BadInput, Schedule, read_rankings, read_verdicts, tally
    from scheduler.ballots import has_rankings
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
        ballots = read_rankings(read_text(rankings), _source(rankings))
    else:
        ballots = read_rankings(text, source) if has_rankings(text, source) else []
    if not held and planned is None:
        raise BadInput("holds no verdict", source=source)
    return tally(held, ballots, planned)


def _source(file: str) -> str:
    return "standard input" if file == "-" else file


def _say(result: Tally) -> None:
    from scheduler import explain_places, explain_prizes, explain_silver

    _table(result)
    click.echo()
    if result.open:
        click.echo(f"So far ({len(result.open)} without a verdict):")
    for line in (*explain_places(result), *explain_silver(result)):
        click.echo(line)
    if not result.open:
        click.echo("Prizes of 2010:")
        for line in explain_prizes(result):
            click.echo(f"  {line}")
    for line in result.warnings:
        click.echo(f"Warning: {line}.")


def _table(result: Tally) -> None:
    """The judges' table: on a terminal with lines, elsewhere plain and never cut."""
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from scheduler.numbers import number

    entries = result.roster.entries
    standing = {s.entry: s for s in result.entries}
    rows = [
        [judge, *("-" if row[e] is None else str(row[e]) for e in entries)]
        for judge, row in result.table.items()
    ]
    means = {e: standing[e].mean_rank for e in entries}
    feet = [
        ["score", *(str(standing[e].score) for e in entries)],
        ["mean rank", *("-" if (m := means[e]) is None else number(m) for e in entries)],
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
