"""`loebner screen go-on`: of those that comply the ones with the earliest posting."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from loebner.screen.telling import (
    ListingGroup,
    by_option,
    json_option,
    print_json,
    print_table,
    said,
    stamp,
)

if TYPE_CHECKING:
    from contest.screening.selection import Row, Selection


@click.group("go-on", cls=ListingGroup)
@click.argument("contest", type=click.Path(path_type=Path))
@click.pass_context
def go_on(ctx: click.Context, contest: Path) -> None:
    """Which entries of the folder CONTEST are screened: the date of posting decides, then the time
    of day on its proof, then receipt. Who is equal even so shares a place."""
    ctx.obj = contest


@go_on.command("list")
@json_option
@click.pass_obj
def list_(contest: Path, as_json: bool) -> None:
    """All entries, what becomes of each, and why; this word can be left out."""
    from contest.screening.season import bodies, read
    from contest.screening.selecting import selection_of
    from contest.setup import settings

    _say(selection_of(bodies(read(contest)), settings.load(contest)), as_json)


@go_on.command()
@click.argument("entries", nargs=-1, required=True)
@click.option("--reason", required=True, help="Why; it goes on record.")
@by_option(required=True)
@json_option
@click.pass_obj
def decide(contest: Path, entries: tuple[str, ...], reason: str, by: str, as_json: bool) -> None:
    """Decide who goes before whom of ENTRIES that were posted and received at one moment: the first
    one named goes first."""
    from contest.screening import selecting
    from contest.screening.season import Season

    with Season(contest) as season:
        done = selecting.decide(season, entries, by, reason)
    _say(done, as_json)


@go_on.command()
@by_option(required=True)
@json_option
@click.pass_obj
def begin(contest: Path, by: str, as_json: bool) -> None:
    """Begin the screening: from now on the list stands, and nobody moves up for one that is
    withdrawn."""
    from contest.screening import selecting
    from contest.screening.season import Season

    with Season(contest) as season:
        done = selecting.begin(season, by)
    _say(done, as_json)


def _say(found: Selection, as_json: bool) -> None:
    if as_json:
        print_json(found.as_json())
        return
    if found.rows:
        print_table(
            ("place", "entry", "program", "posted", "what becomes of it", "why"),
            [_row(row) for row in found.rows],
        )
    for sentence in found.words:
        click.echo(said(sentence))


def _row(row: Row) -> tuple[str, ...]:
    form = row.assessment.entry.form
    place = "" if row.place is None else f"{row.place}{' =' if row.tied else ''}"
    posted = stamp(form.posted, form.posted_at)
    return place, row.id, form.program, posted, row.fate.value, row.why
