"""`loebner export`: transcripts and tables of a contest, as they may be published."""

from __future__ import annotations

from pathlib import Path

import click

_FORMATS = ("html", "json", "csv", "text", "lpp2012", "pictures")


@click.command()
@click.argument("contest", type=click.Path(path_type=Path))
@click.option(
    "--format",
    "form",
    required=True,
    type=click.Choice(_FORMATS),
    help="html: a folder of pages, with a player for each talk. json: events.jsonl, results.json "
    "and statistics.json. csv: every key; schedule, verdicts and rankings; statistics, as a data "
    "package. text: transcripts. lpp2012: logs in the form of 2012. pictures: SVG and PNG.",
)
@click.option(
    "--out",
    required=True,
    metavar="DIR",
    type=click.Path(path_type=Path),
    help="The directory to write to; new or empty.",
)
@click.option("--title", metavar="TEXT", help="With lpp2012: the first line of each log.")
@click.option(
    "--notice", metavar="TEXT", help="With lpp2012: the second line of each log, terms of use."
)
def export(contest: Path, form: str, out: Path, title: str | None, notice: str | None) -> None:
    """Write transcripts and tables of the folder CONTEST as files into DIR.

    All of them respect what judges and confederates agreed to: pseudonyms replace names, and
    withheld text is left out and marked as such.
    """
    from contest.results.exports import NOTICE
    from contest.results.exports import export as run

    if form != "lpp2012" and (title is not None or notice is not None):
        raise click.UsageError("--title and --notice only work with --format lpp2012")
    written = run(
        contest, form, out, title=title or "", notice=NOTICE if notice is None else notice
    )
    files = f"{len(written)} file{'s' * (len(written) != 1)}"
    click.echo(f"{files} written to {out}")
