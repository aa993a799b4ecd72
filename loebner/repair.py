"""`loebner schedule repair`: the rest of a contest planned anew, beside the rest as it stands."""

from __future__ import annotations

import json
import os
import shlex
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from loebner.wishing import read_wishes_of, wish_options

if TYPE_CHECKING:
    from scheduler import Pairing, Schedule
    from scheduler.planning import Wishes
    from scheduler.repair import Repair, Rest


class _Begun(NamedTuple):
    """A contest in the middle: its schedule, the rounds begun, what of them does not count, and
    what its settings wish for."""

    schedule: Schedule
    played: int
    void: tuple[Pairing, ...]
    wishes: Wishes


@click.command()
@click.argument("contest", metavar="CONTEST|FILE")
@click.option(
    "--played", type=int, metavar="N", help="Rounds 1 to N are played; of a contest, known."
)
@click.option("--gone", multiple=True, metavar="ID", help="Who is not there any more.")
@click.option("--void", multiple=True, type=int, metavar="N", help="A round that does not count.")
@click.option("--rounds", type=int, metavar="N", help="How many rounds in all; as many as before.")
@wish_options
@click.option("--time", "seconds", type=float, metavar="S", help="Seconds to search at most.")
@click.option("--out", type=click.Path(path_type=Path), metavar="FILE", help="Write the plan.")
@click.option("--json", "as_json", is_flag=True, help="Print a JSON document and nothing else.")
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
    """Plan the rest anew, when somebody is gone or a round is void.

    Shows two plans side by side, the rest as it stands and the rest repaired, with the pairs that
    each one loses; nothing is changed. FILE is a schedule in any form, CONTEST a contest's folder,
    whose settings may hold wishes already.
    """
    from scheduler.repair import SECONDS, pairings_of
    from scheduler.repair import repair as planned_anew

    is_folder = os.path.isdir(contest)
    begun = _of_folder(contest, played) if is_folder else _of_file(contest, played)
    lost = {*begun.void, *pairings_of(begun.schedule, void)}
    found = planned_anew(
        *(begun.schedule, begun.played, gone, tuple(lost), rounds, seconds or SECONDS),
        wishes=begun.wishes.and_also(read_wishes_of(**asked)),
    )
    if out is not None:
        _write(out, found.repaired)
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
            f"{', '.join(expected)} {are} still expected in rounds to come; to take these pairings "
            f"out: {_how(named, out)}"
        )
    if out is not None:
        click.echo(f"{out}: the plan is written there.")


def _of_file(file: str, played: int | None) -> _Begun:
    from loebner.schedule import load_schedule
    from scheduler import BadInput, Schedule
    from scheduler.planning import Wishes

    schedule = load_schedule(file)
    if not isinstance(schedule, Schedule):
        raise BadInput("is a matrix, without rounds; give a schedule", source=file)
    if played is None:
        raise click.UsageError("say how many rounds are played: --played N")
    return _Begun(schedule, played, (), Wishes())


def _of_folder(folder: str, played: int | None) -> _Begun:
    from contest.errors import NotAContest, WrongMoment
    from contest.record import reading
    from contest.setup.wishing import wishes_in
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
            f"{folder}: this contest has not begun, and its schedule is made anew of its "
            "contest.toml: take out there who is gone, or say so as [schedule] away; "
            "`loebner schedule make` shows what becomes of it"
        ) from None
    begun = max((each.number for each in state.attempts.values()), default=0)
    if played not in (None, begun):
        raise click.UsageError(f"by the record of {folder}, {begun} rounds were begun")
    planned = read_schedule(state.schedule)
    settings = {} if state.opened is None else state.opened.settings
    # Who has no desk in the plan as it is may be there all the same, and have one in the next.
    there = {role: list(people_in(settings, role)) for role in ("judge", "entry", "confederate")}
    schedule = Schedule.of(
        planned.pairings,
        judges=there["judge"],
        entries=there["entry"],
        confederates=there["confederate"],
    )
    return _Begun(schedule, begun, not_counting(state, planned), wishes_in(settings))


def _write(out: Path, rest: Rest) -> None:
    from scheduler import BadInput, write_csv

    try:
        out.write_text(write_csv(rest.schedule), encoding="utf-8")
    except OSError as exc:
        raise BadInput(f"can't be written ({exc.strerror or exc})", source=str(out)) from None


def _said(found: Repair) -> Iterator[str]:
    from scheduler.repair import introduced, proved, reasons

    yield from introduced(found)
    yield from _table(found)
    if found.repaired == found.as_it_stands:
        yield from (f"lost {reason}" for reason in reasons(found.repaired))
    else:
        yield from (f"as it stands, lost {reason}" for reason in reasons(found.as_it_stands))
        yield from (f"repaired, lost {reason}" for reason in reasons(found.repaired))
    yield proved(found)


def _table(found: Repair) -> Iterator[str]:
    """Both plans side by side: on a terminal with lines, elsewhere plain and never cut."""
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    plans = (found.as_it_stands, found.repaired)
    terminal = sys.stdout.isatty()
    console = Console(file=sys.stdout, highlight=False, width=None if terminal else 1_000_000)
    table = Table(box=box.SIMPLE if terminal else None, pad_edge=False)
    for heading in ("", "as it stands", "repaired"):
        table.add_column(heading)
    for row in _rows(found, plans):
        table.add_row(*map(Text, row))
    with console.capture() as capture:
        console.print(table)
    yield from (line.rstrip() for line in capture.get().rstrip("\n").split("\n"))


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
    from scheduler.repair import together

    return " ".join(map(together, groups)) or "none"


def _expected(begun: _Begun, gone: Iterable[str]) -> list[str]:
    """Who of those that are gone has a desk in a round to come."""
    rest = [pairing for pairing in begun.schedule.pairings if pairing.round > begun.played]
    seated = {who for each in rest for who in (each.judge, each.entry, each.confederate)}
    return [who for who in gone if who in seated]


def _how(contest: str, out: Path | None) -> str:
    if out is None:
        return (
            "write it down with --out FILE, look at it, then "
            f"`loebner control {contest} replan FILE REASON`."
        )
    return f"`loebner control {contest} replan {shlex.quote(str(out))} REASON`."
