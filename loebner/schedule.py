"""`loebner schedule`: make a schedule with its proof, check one, or repair one."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

import click

from loebner.repair import repair

if TYPE_CHECKING:
    from scheduler import Made, Matrix, Report, Schedule


@click.group()
def schedule() -> None:
    """Make, check or repair a schedule."""


schedule.add_command(repair)


@schedule.command()
@click.option("--judges", type=int, required=True, metavar="N", help="How many judges.")
@click.option("--entries", type=int, required=True, metavar="N", help="How many entries.")
@click.option("--confederates", type=int, required=True, metavar="N", help="How many confederates.")
@click.option(
    "--rounds", type=int, metavar="N", help="How many rounds; enough for all to meet if left out."
)
@click.option(
    "--seed", type=int, metavar="N", help="Draw names and order, the same for the same N."
)
@click.option(
    "--conflict", "conflicts", multiple=True, metavar="J1E2", help="Two who must not meet."
)
@click.option(
    "--away", multiple=True, metavar="J2:3", help="Who is away in which rounds: J2:1,3 or J2:3-5."
)
@click.option(
    "--desks", default="", metavar="N", help="How many desks, or one number a round: 4,4,2."
)
@click.option(
    "--weight",
    "weights",
    multiple=True,
    metavar="a=2",
    help="What a missing pair of wish a (entry with confederate), b (judge with entry) or c "
    "(judge with confederate) counts; 1 unless set.",
)
@click.option("--hard", default="", metavar="a,b,c", help="Wishes to be granted whole, or refused.")
@click.option("--wishes", metavar="FILE", help="A TOML file with all these, sessions and rooms.")
@click.option(
    "--time",
    "seconds",
    type=click.FloatRange(min=0, min_open=True),
    default=20.0,
    show_default=True,
    metavar="SECONDS",
    help="How long the solver may search, where it is needed.",
)
@click.option("--json", "as_json", is_flag=True, help="Print a JSON document and nothing else.")
def make(
    judges: int,
    entries: int,
    confederates: int,
    rounds: int | None,
    seed: int | None,
    conflicts: tuple[str, ...],
    away: tuple[str, ...],
    desks: str,
    weights: tuple[str, ...],
    hard: str,
    wishes: str | None,
    seconds: float,
    as_json: bool,
) -> None:
    """Make the best schedule for these numbers, and prove it.

    4, 4 and 4 give the schedule of 2010. Fewest pairs are missing, then repeated, then talks are
    as even as can be. Lines that begin with # are the proof in words; the whole output can be
    given to `loebner schedule check -`. Where what is asked for can't be had, the exit code is 1,
    and the best that can be is printed.
    """
    from scheduler import BestInstead
    from scheduler import make as make_schedule
    from scheduler.files import read_text
    from scheduler.planning import Wishes, read_options, read_wishes

    asked = Wishes()
    if wishes is not None:
        source = "standard input" if wishes == "-" else wishes
        asked = read_wishes(read_text(wishes), source)
    asked = asked.and_also(read_options(conflicts, away, desks, weights, hard))
    try:
        made = make_schedule(
            judges, entries, confederates, rounds, seed, wishes=asked, seconds=seconds
        )
    except BestInstead as refusal:
        _show(refusal.best, as_json)
        raise
    _show(made, as_json)


def _show(made: Made, as_json: bool) -> None:
    from scheduler import explain_made, write_rounds

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
