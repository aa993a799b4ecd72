"""`loebner schedule`: makes a schedule with its proof, shows a contest's, checks or repairs one."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import click

from loebner.options import json_option, options, print_json
from scheduler import (
    BadInput,
    Matrix,
    NoValidSchedule,
    Pairing,
    Refused,
    Schedule,
    bundled,
    explain_plan,
    explain_report,
    read_schedule,
    rounds_json,
    write_csv,
    write_rounds,
)
from scheduler import check as checked
from scheduler import make as made_for
from scheduler.errors import place
from scheduler.files import read_text
from scheduler.formats import NAMES
from scheduler.planning.wishes import Wishes, read_options
from scheduler.repair import (
    SECONDS,
    Repair,
    compare,
    introduction,
    pairings_of,
    reasons,
)
from scheduler.repair import repair as repaired
from scheduler.texts import together

#: The names of these parameters are those of `read_options`.
wish_options = options(
    click.option(
        "--conflict", "conflicts", multiple=True, metavar="J1E2", help="A pair that must not meet."
    ),
    click.option(
        "--away",
        multiple=True,
        metavar="J2:3",
        help="The rounds that a participant misses: J2:1,3 or J2:3-5.",
    ),
    click.option(
        "--desks",
        default="",
        metavar="N",
        help="The number of desks, or one number per round: 4,4,2.",
    ),
    click.option(
        "--weight",
        "weights",
        multiple=True,
        metavar="a=2",
        help="The weight of a missing pair of wish a (entry with confederate), b (judge with "
        "entry) or c (judge with confederate). Default: 1.",
    ),
)


def source_of(file: str) -> str:
    """The name of an input in messages: its path, or standard input for `-`."""
    return "standard input" if file == "-" else file


def load_schedule(file: str) -> Schedule | Matrix:
    """Loads a schedule or matrix.

    Arguments:
        file: a path, `-` for standard input, or the name of a bundled schedule.

    Raises:
        scheduler.BadInput: the file doesn't exist, or can't be used.
    """
    if file in NAMES and not os.path.exists(file):
        return bundled(file)
    return read_schedule(read_text(file), source_of(file))


def load_rounds(file: str) -> Schedule:
    """Like `load_schedule`, but refuses a matrix, which has no rounds."""
    schedule = load_schedule(file)
    if not isinstance(schedule, Schedule):
        raise BadInput("is a matrix without rounds; give a schedule", source=file)
    return schedule


def as_text(schedule: Schedule) -> tuple[str, str]:
    """A schedule as text that can be read again, and the mark for comments in that format: lines of
    rounds, or if ids would be ambiguous there, CSV, which has no comments."""
    try:
        return write_rounds(schedule), "# "
    except Refused:
        return write_csv(schedule), ""


def _write(schedule: Schedule, comments: list[str]) -> None:
    """Prints a schedule with comments; if its format has none, they go to standard error."""
    text, mark = as_text(schedule)
    click.echo(text, nl=False)
    for line in comments:
        click.echo(f"{mark}{line}", err=not mark)


@click.group()
def schedule() -> None:
    """Make, show, check or repair a schedule."""


@schedule.command()
@click.argument("contest", required=False, type=click.Path(path_type=Path))
@click.option("--judges", type=int, metavar="N", help="The number of judges.")
@click.option("--entries", type=int, metavar="N", help="The number of entries.")
@click.option("--confederates", type=int, metavar="N", help="The number of confederates.")
@click.option(
    "--rounds", type=int, metavar="N", help="The number of rounds. Default: enough for all to meet."
)
@click.option(
    "--seed", type=int, metavar="N", help="Random seed for the order of names and rounds."
)
@wish_options
# Not for repairs, because the played rounds may have made it impossible.
@click.option(
    "--hard",
    default="",
    metavar="a,b,c",
    help="Fail unless these wishes are granted completely.",
)
@click.option(
    "--time",
    "seconds",
    type=click.FloatRange(min=0, min_open=True),
    default=2.5,
    show_default=True,
    metavar="SECONDS",
    help="The maximum time for the solver, if it is needed.",
)
@json_option
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
    """Make the best schedule for these numbers, and show what is proved about it.

    4, 4 and 4 give the schedule of 2010. The best schedule has the fewest missing pairs, then the
    fewest repeated ones, then the most evenly spread talks. Lines that begin with # are the proof
    in words; `loebner schedule check -` reads the whole output. If hard wishes can't be granted
    completely, the exit code is 1, and the best schedule without hard wishes is printed.

    CONTEST is a contest folder, whose settings give the numbers, ids and wishes; wishes given here
    are added.
    """
    wishes = read_options(**asked)
    numbers = {"--judges": judges, "--entries": entries, "--confederates": confederates}
    refusal: NoValidSchedule | None = None
    try:
        if contest is not None:
            from contest.setup.planning import make_schedule
            from contest.setup.settings import load

            for name, value in (numbers | {"--rounds": rounds}).items():
                if value is not None:
                    raise click.UsageError(
                        f"{name}: leave it out; the settings of {contest} give the number"
                    )
            made = make_schedule(load(contest), contest, more=wishes, seed=seed, seconds=seconds)
        elif judges is None or entries is None or confederates is None:
            lacking = [name for name, value in numbers.items() if value is None]
            raise click.UsageError(f"give {', '.join(lacking)}, or a contest's folder")
        else:
            made = made_for(
                judges, entries, confederates, rounds, seed, wishes=wishes, seconds=seconds
            )
    except NoValidSchedule as exc:
        made, refusal = exc.best, exc
    if as_json:
        print_json(made.as_json())
    else:
        _write(made.schedule, explain_plan(made))
    if refusal is not None:
        raise refusal


@schedule.command()
@click.argument("contest", type=click.Path(path_type=Path))
@json_option
def show(contest: Path, as_json: bool) -> None:
    """Show the schedule of the folder CONTEST.

    Once the contest has begun, this is the recorded schedule with all changes; before that, it is
    the schedule with which the server would begin.
    """
    from contest.errors import NotAContest
    from contest.results.contest import Contest
    from contest.setup.planning import schedule_of
    from contest.setup.settings import load

    settings = load(contest)
    try:
        plan, source = Contest.load(contest).schedule, "record"
    except NotAContest:
        plan = schedule_of(settings, contest)
        source = "file" if settings.rules.schedule else "settings"
    report = checked(plan)
    if as_json:
        print_json({"rounds": rounds_json(plan), "pairs": report.pairs_json(), "from": source})
        return
    origin = {
        "record": "as recorded",
        "file": f"from the file {settings.rules.schedule}",
        "settings": "made for the numbers and wishes of the settings",
    }
    _write(plan, [origin[source], *explain_report(report)])


@schedule.command()
@click.argument("file")
@json_option
def check(file: str, as_json: bool) -> int:
    """Check a schedule or a matrix, and name each repeated or missing pair.

    FILE is TOML, JSON, CSV or lines such as `Round 1 J1E1C1 J2E2C2`; - reads standard input. If
    there is no such file, FILE can name a bundled schedule: 2010, or 2010-published-list and
    2010-published-matrix, the faulty ones printed in that year's rules. Exit code 1 if it is not
    valid.
    """
    report = checked(load_schedule(file))
    if as_json:
        print_json(report.as_json())
    else:
        click.echo(f"{place(source_of(file))}: {'valid' if report.valid else 'not valid'}")
        for line in explain_report(report):
            click.echo(line)
        if report.parallel is not None and report.parallel.schedule is not None:
            click.echo(f"one way to play it:\n{as_text(report.parallel.schedule)[0]}", nl=False)
    return 0 if report.valid else 1


#: A contest that has begun: its schedule, how many rounds have begun, the pairings that don't
#: count, and the wishes in its settings.
_Begun = tuple[Schedule, int, Sequence[Pairing], Wishes]


@schedule.command()
@click.argument("contest", metavar="CONTEST|FILE")
@click.option(
    "--played",
    type=int,
    metavar="N",
    help="Rounds 1 to N have been played. Not needed for a contest folder.",
)
@click.option("--gone", multiple=True, metavar="ID", help="A participant who has left. Repeatable.")
@click.option(
    "--void", multiple=True, type=int, metavar="N", help="A round that doesn't count. Repeatable."
)
@click.option(
    "--rounds", type=int, metavar="N", help="The total number of rounds. Default: as before."
)
@wish_options
@click.option(
    "--time", "seconds", type=float, metavar="SECONDS", help="The maximum time for the search."
)
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Write the new plan to this file.",
)
@json_option
def repair(
    contest: str,
    played: int | None,
    gone: tuple[str, ...],
    void: tuple[int, ...],
    rounds: int | None,
    seconds: float | None,
    out: Path | None,
    as_json: bool,
    **asked: Any,
) -> None:
    """Plan the remaining rounds again after a participant has left or a round has become void.

    Shows the old and the repaired plan side by side, and how many pairs each loses. Changes
    nothing. FILE is a schedule in any format, CONTEST a contest folder.
    """
    is_folder = os.path.isdir(contest)
    read = _of_folder if is_folder else _of_file
    planned, number, voided_pairings, wishes = read(contest, played)
    lost = {*voided_pairings, *pairings_of(planned, void)}
    found = repaired(
        *(planned, number, gone, tuple(lost), rounds, seconds or SECONDS),
        wishes=wishes.and_also(read_options(**asked)),
    )
    if out is not None:
        try:
            out.write_text(write_csv(found.repaired.schedule), encoding="utf-8")
        except OSError as exc:
            raise BadInput(f"can't be written ({exc.strerror or exc})", source=str(out)) from None
    if as_json:
        print_json(found.as_json())
        return
    for line in _comparison(found):
        click.echo(line)
    if found.repaired != found.as_it_stands or (is_folder and gone):
        folder = shlex.quote(contest) if is_folder else "CONTEST"
        file = "FILE" if out is None else shlex.quote(str(out))
        first = "write it with --out FILE, check it, then run " if out is None else "run "
        click.echo(f"To use it, {first}`loebner control {folder} replan {file} REASON`.")
    if out is not None:
        click.echo(f"The plan is in {out}.")


def _of_file(file: str, played: int | None) -> _Begun:
    if played is None:
        raise click.UsageError("give the number of rounds played, with --played N")
    return load_rounds(file), played, (), Wishes()


def _of_folder(folder: str, played: int | None) -> _Begun:
    from contest.errors import NotAContest, WrongMoment
    from contest.record import reading
    from contest.setup.settings import wishes_in
    from contest.state.model import people_in
    from contest.state.reducer import fold
    from contest.state.schedules import read_schedule, voided_pairings

    try:
        state = fold(reading.open_log(Path(folder)).events(keys=False))
    except NotAContest:
        if not Path(folder, "contest.toml").is_file():
            raise
        raise WrongMoment(
            f"{folder}: this contest has not begun. Remove people who have left from its "
            "contest.toml, or list them under [schedule] away; `loebner schedule make` shows the "
            "new schedule"
        ) from None
    begun = max((each.number for each in state.attempts.values()), default=0)
    if played not in (None, begun):
        raise click.UsageError(
            f"--played: according to the record, the number of rounds that have begun is {begun}"
        )
    planned = read_schedule(state.schedule)
    settings = {} if state.opened is None else state.opened.settings
    # Somebody without a desk in the old plan may be present, and get one in the new plan.
    there = {role: list(people_in(settings, role)) for role in ("judge", "entry", "confederate")}
    schedule = Schedule.of(
        planned.pairings,
        judges=there["judge"],
        entries=there["entry"],
        confederates=there["confederate"],
    )
    return schedule, begun, voided_pairings(state, planned), wishes_in(settings)


def _comparison(found: Repair) -> Iterator[str]:
    """Yields lines that show both plans side by side, and what is proved about them."""
    plans = (found.as_it_stands, found.repaired)
    rows = [["", "as it stands", "repaired"]]
    for number in range(found.played, max(len(plan.schedule.rounds) for plan in plans)):
        both = (_pairings(plan.schedule.rounds[number : number + 1]) for plan in plans)
        rows.append([f"Round {number + 1}", *both])
    rows.append(["pairs lost", *(str(plan.lost) for plan in plans)])
    first, second = (max(len(row[column]) for row in rows) for column in (0, 1))
    yield from introduction(found)
    for name, *cells in rows:
        yield f"{name:{first}}  {cells[0]:{second}}  {cells[1]}".rstrip()
    yield from (f"lost {reason}" for reason in reasons(found.repaired))
    yield compare(found)


def _pairings(rounds: Sequence[Sequence[Pairing]]) -> str:
    names = (together((p.judge, p.entry, p.confederate)) for pairings in rounds for p in pairings)
    return " ".join(names) or "nobody plays"
