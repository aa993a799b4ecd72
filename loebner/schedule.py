"""`loebner schedule`: make a schedule and prove it, show a contest's, check one, or repair one."""

from __future__ import annotations

import json
import os
import shlex
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import click

if TYPE_CHECKING:
    from scheduler import Made, Matrix, Pairing, Report, Schedule
    from scheduler.planning import Wishes
    from scheduler.repair import Repair, Rest

C = TypeVar("C", bound=Callable[..., object])

_OPTIONS = (
    click.option(
        "--conflict", "conflicts", multiple=True, metavar="J1E2", help="Two who must not meet."
    ),
    click.option(
        "--away",
        multiple=True,
        metavar="J2:3",
        help="Who is away in which rounds: J2:1,3 or J2:3-5.",
    ),
    click.option(
        "--desks",
        default="",
        metavar="N",
        help="How many desks, or a number for each round: 4,4,2.",
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

#: Not for a repair: what was played may have made it impossible.
hard_option = click.option(
    "--hard",
    default="",
    metavar="a,b,c",
    help="Refuse a schedule that does not grant these wishes completely.",
)


json_option = click.option(
    "--json", "as_json", is_flag=True, help="Print a JSON document and nothing else."
)


def wish_options(command: C) -> C:
    """Gives a command these options; they come to it by the names that `read_options` takes."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


@click.group()
def schedule() -> None:
    """Make, show, check or repair a schedule."""


@schedule.command()
@click.argument("contest", required=False, type=click.Path(path_type=Path))
@click.option("--judges", type=int, metavar="N", help="How many judges.")
@click.option("--entries", type=int, metavar="N", help="How many entries.")
@click.option("--confederates", type=int, metavar="N", help="How many confederates.")
@click.option(
    "--rounds", type=int, metavar="N", help="How many rounds. Default: enough for all to meet."
)
@click.option("--seed", type=int, metavar="N", help="Seed for drawing names and order.")
@wish_options
@hard_option
@click.option(
    "--time",
    "seconds",
    type=click.FloatRange(min=0, min_open=True),
    default=2.5,
    show_default=True,
    metavar="SECONDS",
    help="How long the solver may search, if it is needed.",
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
    """Make the best schedule for these numbers, and prove it.

    4, 4 and 4 give the schedule of 2010. The best has the fewest missing pairs, then the fewest
    repeated ones, then the most even talks. Lines that begin with # are the proof in words;
    `loebner schedule check -` reads the whole output. If the wishes can't be granted, the exit code
    is 1, and the best possible schedule is printed.

    CONTEST is a contest folder, whose settings give numbers, ids and wishes; wishes given here are
    added.
    """
    from scheduler import BestInstead
    from scheduler import make as make_schedule
    from scheduler.planning import read_options

    wishes = read_options(**asked)
    numbers = {"--judges": judges, "--entries": entries, "--confederates": confederates}
    try:
        if contest is not None:
            numbers["--rounds"] = rounds
            given = [name for name, value in numbers.items() if value is not None]
            if given:
                raise click.UsageError(
                    f"{given[0]}: leave it out; the settings of {contest} say how many"
                )
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
    """Prints a schedule in a form that can be read again, and what there is to say about it: as
    comments if the form has them, else on standard error."""
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
@json_option
def show(contest: Path, as_json: bool) -> None:
    """Show the schedule of the folder CONTEST.

    Once the contest has begun, this is the recorded schedule with all changes; before, the one that
    the server would begin with.
    """
    from contest.errors import NotAContest
    from contest.results.contest import Contest
    from contest.setup.planning import schedule_of
    from contest.setup.settings import load
    from scheduler import check, explain_report, rounds_json

    settings = load(contest)
    try:
        plan, source = Contest.load(contest).schedule, "record"
    except NotAContest:
        plan = schedule_of(settings, contest)
        source = "file" if settings.rules.schedule else "settings"
    report = check(plan)
    if as_json:
        document = {"rounds": rounds_json(plan), "pairs": report.pairs_json(), "from": source}
        click.echo(json.dumps(document, indent=2))
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
@click.pass_context
def check(ctx: click.Context, file: str, as_json: bool) -> None:
    """Check a schedule or a matrix, and name each repeated or missing pair.

    FILE is TOML, JSON, CSV or lines such as `Round 1 J1E1C1 J2E2C2`; - reads standard input. If
    there is no such file, 2010, 2010-published-list and 2010-published-matrix are the schedule of
    2010 and what its rules printed instead. Exit code 1 if it is not valid.
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
    from scheduler.formats import NAMES

    if file in NAMES and not os.path.exists(file):
        return bundled(file)
    return read_schedule(read_text(file), "standard input" if file == "-" else file)


class _Begun(NamedTuple):
    """A contest that has begun: its schedule, the rounds begun, which pairings do not count, and
    the wishes of its settings."""

    schedule: Schedule
    played: int
    void: tuple[Pairing, ...]
    wishes: Wishes


@schedule.command()
@click.argument("contest", metavar="CONTEST|FILE")
@click.option(
    "--played",
    type=int,
    metavar="N",
    help="Rounds 1 to N have been played. Not needed for a contest folder.",
)
@click.option("--gone", multiple=True, metavar="ID", help="Somebody who has left.")
@click.option("--void", multiple=True, type=int, metavar="N", help="A round that does not count.")
@click.option("--rounds", type=int, metavar="N", help="How many rounds in all. Default: as before.")
@wish_options
@click.option("--time", "seconds", type=float, metavar="S", help="The most seconds to search.")
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
    """Plan the remaining rounds again after somebody has left or a round is void.

    Shows the old plan and the repaired one side by side, with the pairs that each one loses.
    Changes nothing. FILE is a schedule in any form, CONTEST a contest folder, whose settings may
    already have wishes.
    """
    from scheduler.planning import read_options
    from scheduler.repair import SECONDS, pairings_of
    from scheduler.repair import repair as planned_anew

    is_folder = os.path.isdir(contest)
    begun = _of_folder(contest, played) if is_folder else _of_file(contest, played)
    lost = {*begun.void, *pairings_of(begun.schedule, void)}
    found = planned_anew(
        *(begun.schedule, begun.played, gone, tuple(lost), rounds, seconds or SECONDS),
        wishes=begun.wishes.and_also(read_options(**asked)),
    )
    if out is not None:
        _write_rest(out, found.repaired)
    if as_json:
        click.echo(json.dumps(found.as_json(), indent=2))
        return
    for line in _said(found):
        click.echo(line)
    named = shlex.quote(contest) if is_folder else "CONTEST"
    if found.repaired != found.as_it_stands:
        click.echo(f"To play it: {_how(named, out)}")
    elif is_folder and (expected := _expected(begun, gone)):
        are = "is" if len(expected) == 1 else "are"
        click.echo(
            f"{', '.join(expected)} {are} still expected in later rounds; to take these pairings "
            f"out: {_how(named, out)}"
        )
    if out is not None:
        click.echo(f"The plan is in {out}.")


def _of_file(file: str, played: int | None) -> _Begun:
    from scheduler import BadInput, Schedule
    from scheduler.planning import Wishes

    schedule = load_schedule(file)
    if not isinstance(schedule, Schedule):
        raise BadInput("is a matrix without rounds; give a schedule", source=file)
    if played is None:
        raise click.UsageError("say how many rounds have been played: --played N")
    return _Begun(schedule, played, (), Wishes())


def _of_folder(folder: str, played: int | None) -> _Begun:
    from contest.errors import NotAContest, WrongMoment
    from contest.record import reading
    from contest.setup.settings import wishes_in
    from contest.state.model import people_in
    from contest.state.reducer import fold
    from contest.state.schedules import not_counting, read_schedule
    from scheduler import Schedule

    try:
        state = fold(reading.log(Path(folder)).events(keys=False))
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
        raise click.UsageError(f"the record of {folder} says that {begun} rounds were begun")
    planned = read_schedule(state.schedule)
    settings = {} if state.opened is None else state.opened.settings
    # Somebody without a desk in the old plan may be present and get one in the new plan.
    there = {role: list(people_in(settings, role)) for role in ("judge", "entry", "confederate")}
    schedule = Schedule.of(
        planned.pairings,
        judges=there["judge"],
        entries=there["entry"],
        confederates=there["confederate"],
    )
    return _Begun(schedule, begun, not_counting(state, planned), wishes_in(settings))


def _write_rest(out: Path, rest: Rest) -> None:
    from scheduler import BadInput, write_csv

    try:
        out.write_text(write_csv(rest.schedule), encoding="utf-8")
    except OSError as exc:
        raise BadInput(f"can't be written ({exc.strerror or exc})", source=str(out)) from None


def _said(found: Repair) -> Iterator[str]:
    from scheduler.repair import introduced, proved, reasons

    yield from introduced(found)
    yield from _table(found)
    yield from (f"lost {reason}" for reason in reasons(found.repaired))
    yield proved(found)


def _table(found: Repair) -> Iterator[str]:
    """Both plans side by side."""
    rows = [["", "as it stands", "repaired"], *_rows(found, (found.as_it_stands, found.repaired))]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        yield "  ".join(cells).rstrip()


def _rows(found: Repair, plans: tuple[Rest, Rest]) -> Iterator[list[str]]:
    from scheduler.checking import KINDS

    last = max(len(plan.schedule.rounds) for plan in plans)
    for number in range(found.played + 1, last + 1):
        yield [f"Round {number}", *(_round(plan, number) for plan in plans)]
    yield ["pairs lost", *(str(plan.lost) for plan in plans)]
    for kind, words in KINDS.items():
        pairs = [plan.pairs[kind] for plan in plans]
        yield [words, *(f"{each.covered} of {each.of}" for each in pairs)]
        for what in ("missing", "repeated"):
            if any(getattr(each, what) for each in pairs):
                named = (_named(getattr(each, what)) for each in pairs)
                yield [f"  {what}", *named]


def _round(plan: Rest, number: int) -> str:
    rounds = plan.schedule.rounds
    pairings = rounds[number - 1] if number <= len(rounds) else ()
    names = ((pairing.judge, pairing.entry, pairing.confederate) for pairing in pairings)
    return _named(names) if pairings else "nobody plays"


def _named(groups: Iterable[Sequence[str]]) -> str:
    from scheduler.texts import together

    return " ".join(map(together, groups)) or "none"


def _expected(begun: _Begun, gone: Iterable[str]) -> list[str]:
    """Which of the people who left still have a desk in a later round."""
    rest = [pairing for pairing in begun.schedule.pairings if pairing.round > begun.played]
    seated = {who for each in rest for who in (each.judge, each.entry, each.confederate)}
    return [who for who in gone if who in seated]


def _how(contest: str, out: Path | None) -> str:
    if out is None:
        return (
            f"write it with --out FILE, look at it, then `loebner control {contest} replan FILE "
            "REASON`."
        )
    return f"`loebner control {contest} replan {shlex.quote(str(out))} REASON`."
