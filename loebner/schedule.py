"""`loebner schedule`: make a schedule with its proof, check one, or repair one."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

import click

from loebner.repair import repair

if TYPE_CHECKING:
    from scheduler import Matrix, Report, Schedule


@click.group()
def schedule() -> None:
    """Make, check or repair a schedule."""


schedule.add_command(repair)


@schedule.command()
@click.option("--judges", type=int, required=True, metavar="N", help="How many judges.")
@click.option("--entries", type=int, required=True, metavar="N", help="How many entries.")
@click.option("--confederates", type=int, required=True, metavar="N", help="How many confederates.")
@click.option("--rounds", type=int, metavar="N", help="How many rounds; all of them if left out.")
@click.option(
    "--seed", type=int, metavar="N", help="Draw names and order, the same for the same N."
)
@click.option("--json", "as_json", is_flag=True, help="Print a JSON document and nothing else.")
def make(
    judges: int,
    entries: int,
    confederates: int,
    rounds: int | None,
    seed: int | None,
    as_json: bool,
) -> None:
    """Make a schedule in which nobody meets twice, and prove it.

    4, 4 and 4 give the schedule of 2010. Lines that begin with # are the proof in words; the whole
    output can be given to `loebner schedule check -`.
    """
    from scheduler import explain_made, make, write_rounds

    made = make(judges, entries, confederates, rounds, seed)
    if as_json:
        click.echo(json.dumps(made.as_json(), indent=2))
        return
    click.echo(write_rounds(made.schedule), nl=False)
    for line in explain_made(made):
        click.echo(f"# {line}")


@schedule.command()
@click.argument("file")
@click.option("--json", "as_json", is_flag=True, help="Print a JSON document and nothing else.")
@click.pass_context
def check(ctx: click.Context, file: str, as_json: bool) -> None:
    """Check a schedule or a matrix, and name each repeated or missing pair.

    FILE is TOML, JSON, CSV or lines such as `Round 1 J1E1C1 J2E2C2`; - reads standard input. Where
    there is no such file, 2010, 2010-published-list and 2010-published-matrix are the schedule of
    2010 and what its rules printed instead. The exit code is 1 for one that is not valid.
    """
    from scheduler import check

    report = check(load_schedule(file))
    if as_json:
        click.echo(json.dumps(report.as_json(), indent=2))
    else:
        _say(file, report)
    if not report.valid:
        ctx.exit(1)


def _say(file: str, report: Report) -> None:
    from scheduler import Refused, explain_report, write_csv, write_rounds
    from scheduler.errors import place

    name = place("standard input" if file == "-" else file)
    click.echo(f"{name}: {'valid' if report.valid else 'not valid'}")
    for line in explain_report(report):
        click.echo(line)
    if report.rounds_needed is not None and report.schedule is not None:
        try:
            rounds = write_rounds(report.schedule)
        except Refused:
            rounds = write_csv(report.schedule)
        click.echo(f"one way to play it:\n{rounds}", nl=False)


def load_schedule(file: str) -> Schedule | Matrix:
    """The schedule or matrix of that name.

    Arguments:
        file: a path, `-` for standard input, or the name of one that comes with us.

    Returns:
        The schedule or matrix.

    Raises:
        scheduler.BadInput: there is no such file, or it can't be used.
    """
    from scheduler import bundled, read_schedule
    from scheduler.files import read_text
    from scheduler.published import NAMES

    if file in NAMES and not os.path.exists(file):
        return bundled(file)
    return read_schedule(read_text(file), "standard input" if file == "-" else file)
