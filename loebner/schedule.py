"""`loebner schedule`: make a schedule and prove it, show a contest's, check one, or repair one."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from loebner.repair import repair
from loebner.wishing import hard_option, read_wishes_of, wish_options

if TYPE_CHECKING:
    from scheduler import Made, Matrix, Report, Schedule
    from scheduler.planning import Wishes


@click.group()
def schedule() -> None:
    """Make, show, check or repair a schedule."""


schedule.add_command(repair)


@schedule.command()
@click.argument("contest", required=False, type=click.Path(path_type=Path))
@click.option("--judges", type=int, metavar="N", help="How many judges.")
@click.option("--entries", type=int, metavar="N", help="How many entries.")
@click.option("--confederates", type=int, metavar="N", help="How many confederates.")
@click.option(
    "--rounds", type=int, metavar="N", help="How many rounds; enough for all to meet if left out."
)
@click.option(
    "--seed", type=int, metavar="N", help="Draw names and order, the same for the same N."
)
@wish_options
@hard_option
@click.option(
    "--time",
    "seconds",
    type=click.FloatRange(min=0, min_open=True),
    default=2.5,
    show_default=True,
    metavar="SECONDS",
    help="How long the solver may search, where it is needed.",
)
@click.option("--json", "as_json", is_flag=True, help="Print a JSON document and nothing else.")
def make(
    contest: Path | None,
    judges: int | None,
    entries: int | None,
    confederates: int | None,
    rounds: int | None,
    seed: int | None,
    seconds: float,
    as_json: bool,
    **asked: Any,
) -> None:
    """Make the best schedule for these numbers, and prove it.

    4, 4 and 4 give the schedule of 2010. Fewest pairs are missing, then repeated, then talks are
    as even as can be. Lines that begin with # are the proof in words; the whole output can be
    given to `loebner schedule check -`. Where what is asked for can't be had, the exit code is 1,
    and the best that can be is printed.

    CONTEST is a contest's folder: numbers, ids and wishes are those of its settings, and wishes
    given here are added.
    """
    from scheduler import BestInstead
    from scheduler import make as make_schedule

    wishes = read_wishes_of(**asked)
    numbers = {"--judges": judges, "--entries": entries, "--confederates": confederates}
    try:
        if contest is not None:
            numbers["--rounds"] = rounds
            given = [name for name, value in numbers.items() if value is not None]
            if given:
                raise click.UsageError(f"{given[0]}: the settings of {contest} say how many")
            made = _of_contest(contest, wishes, seed, seconds)
        elif judges is None or entries is None or confederates is None:
            lacking = [name for name, value in numbers.items() if value is None]
            raise click.UsageError(f"give {', '.join(lacking)}, or a contest's folder")
        else:
            made = make_schedule(
                judges, entries, confederates, rounds, seed, wishes=wishes, seconds=seconds
            )
    except BestInstead as refusal:
        _show(refusal.best, as_json)
        raise
    _show(made, as_json)


def _of_contest(folder: Path, wishes: Wishes, seed: int | None, seconds: float) -> Made:
    from contest.setup.planning import made_of
    from contest.setup.settings import load

    return made_of(load(folder), folder, more=wishes, seed=seed, seconds=seconds)


def _show(made: Made, as_json: bool) -> None:
    from scheduler import explain_made

    if as_json:
        click.echo(json.dumps(made.as_json(), indent=2))
    else:
        _write(made.schedule, explain_made(made))


def _write(schedule: Schedule, told: list[str]) -> None:
    """A schedule as it can be read again, and what is to be said of it: as comments where its form
    has them, else on standard error."""
    from scheduler import Refused, write_csv, write_rounds

    try:
        click.echo(write_rounds(schedule), nl=False)
    except Refused:
        click.echo(write_csv(schedule), nl=False)
        for line in told:
            click.echo(line, err=True)
    else:
        for line in told:
            click.echo(f"# {line}")


@schedule.command()
@click.argument("contest", type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="Print a JSON document and nothing else.")
def show(contest: Path, as_json: bool) -> None:
    """Show the schedule by which the folder CONTEST plays.

    As it is on record where the contest has begun, with all changes; before that, the one that the
    server would begin with.
    """
    from contest.errors import NotAContest
    from contest.history import tallying, timeline
    from contest.setup.planning import schedule_of
    from contest.setup.settings import load
    from scheduler import check, explain_report, rounds_json

    settings = load(contest)
    try:
        plan, source = tallying.schedule_of(timeline.load(contest)), "record"
    except NotAContest:
        plan = schedule_of(settings, contest)
        source = "file" if settings.rules.schedule else "settings"
    report = check(plan)
    if as_json:
        document = {"rounds": rounds_json(plan), "pairs": report.pairs_json(), "from": source}
        click.echo(json.dumps(document, indent=2))
        return
    origin = {
        "record": "as it is on record",
        "file": f"of the file {settings.rules.schedule}",
        "settings": "made for the numbers and wishes of the settings",
    }
    _write(plan, [origin[source], *explain_report(report)])


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
