"""`loebner verify`: computes a contest's record again, and its season's, and compares."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from loebner.options import json_option, print_json

if TYPE_CHECKING:
    from contest.verify.findings import Check, Report

#: Faults of a check that are printed; `--json` has them all.
SHOWN = 5
#: Before the checks of a season.
SEASON = "season"


@click.command()
@click.argument("contest", type=click.Path(path_type=Path))
@click.option(
    "--head",
    metavar="HEX",
    help="The head as published: 64 hex digits. Default: the one in the folder's head.txt.",
)
@json_option
def verify(contest: Path, head: str | None, as_json: bool) -> int:
    """Recompute the record of the folder CONTEST, and of its season if there was one, and compare.
    CONTEST may also be a published record, an events.jsonl.

    Checks chain, heads, schedule, replay, seals, tally, and the published files beside the record;
    of the season, chain, times, entries, sittings, marks and ranking. One line for each check,
    green or RED; a red one names the event or the file. Exit code 0 if everything is green, 1 if
    anything is red.
    """
    from contest.screening.verify import verify as of_season
    from contest.verify.verify import is_head

    if head is not None and not is_head(head.strip().lower()):
        raise click.UsageError("--head must be the published hash: 64 hex digits")
    season = of_season(contest) if contest.is_dir() else None
    report, why = _of_contest(contest, head, alone=season is None)
    reports = [each for each in (report, season) if each is not None]
    if as_json:
        print_json(_document(report, season))
    else:
        _say(report, season, why)
    return 0 if all(each.ok for each in reports) else 1


def _of_contest(contest: Path, head: str | None, *, alone: bool) -> tuple[Report | None, str]:
    """The report on a contest; None, and why, if no contest has begun and there is a season."""
    from contest.errors import NotAContest
    from contest.results.published import verify_all
    from contest.screening.verify import EARLIER, contest_begun
    from contest.verify.verify import HEAD_FILE

    try:
        if not alone and not (contest / EARLIER).exists() and not contest_begun(contest):
            raise NotAContest(f"{contest}: no contest has begun")
        return verify_all(contest, head), ""
    except NotAContest as exc:
        # A head belongs to a contest: if there is one, given or in the folder, its record is
        # missing.
        if alone or head is not None or (contest / HEAD_FILE).exists():
            raise
        return None, str(exc)


def _document(report: Report | None, season: Report | None) -> dict[str, Any]:
    """The JSON document; a contest that has not begun has no checks."""
    from contest.verify.findings import Report

    of_contest = report or Report((), 0, "", finished=False)
    return of_contest.as_json() | {
        "ok": of_contest.ok and (season is None or season.ok),
        "season": None if season is None else season.as_json(),
    }


def _say(report: Report | None, season: Report | None, why: str) -> None:
    from scheduler.texts import counted

    width = 9 if season is None else len(SEASON) + 9
    for check in report.checks if report is not None else ():
        _say_check(check, check.name.ljust(width))
    for check in season.checks if season is not None else ():
        _say_check(check, f"{SEASON} {check.name}".ljust(width))
    if season is not None and not season.finished and season.checks[0].ok:
        events = counted(season.events, "event")
        click.echo(f"The season has no finalists yet: verified so far, {events}.")
    if report is None:
        click.echo(f"No contest was verified: {why}")
        return
    if not report.finished and report.checks[0].ok:
        events = counted(report.events, "event")
        click.echo(f"This contest is not finished: verified so far, {events}.")
    if report.head:
        click.echo(f"head {report.head}")


def _say_check(check: Check, name: str) -> None:
    note, red = click.style("note", fg="yellow"), click.style("RED", fg="red", bold=True)
    for word, found, more in (
        (f"{note}  ", check.notes, 0),
        (f"{red}   ", check.faults, check.more),
    ):
        for fault in found[:SHOWN]:
            click.echo(f"{word} {name}  {fault}")
        if more := max(0, len(found) - SHOWN) + more:
            click.echo(f"{word} {name}  and {more:,} more")
    if check.ok:
        click.echo(f"{click.style('green', fg='green')}  {name}  {check.summary}")
