"""`loebner new`, `verify`, `recover` and `export`: commands on contest folders."""

from __future__ import annotations

from pathlib import Path

import click

from contest.recovery.recovery import Recovered
from contest.recovery.recovery import recover as recovered
from contest.results.exports import FORMATS, NOTICE
from contest.results.exports import export as write_export
from contest.results.published import verify_all
from contest.screening.verify import verify as verify_season
from contest.setup.folder import make as make_folder
from contest.verify.findings import Check
from contest.verify.verify import is_head
from disciplines.verify import discipline_of
from disciplines.verify import verify as verify_run
from loebner.options import json_option, print_json
from scheduler.texts import counted, plain

#: The maximum number of faults of a check that are printed; `--json` has all of them.
SHOWN_FAULTS = 5
#: The label before the checks of a season.
SEASON = "season"


@click.command()
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
def new(folder: Path) -> None:
    """Make the contest folder DIR, with a commented contest.toml.

    DIR must be new or empty.
    """
    click.echo(f"{make_folder(folder)} is ready; edit it for your contest")


@click.command()
@click.argument("contest", type=click.Path(path_type=Path))
@click.option(
    "--head",
    metavar="HEX",
    help="The published head: 64 hex digits. Default: the one in the folder's head.txt.",
)
@json_option
def verify(contest: Path, head: str | None, as_json: bool) -> int:
    """Recompute and check the record of the folder CONTEST, and of its season if there was one.
    CONTEST may also be a published record, an events.jsonl, or the folder of another contest, such
    as one of `loebner pcg run`.

    Checks the chain, heads, schedule, replay, seals, tally and published files of the contest, and
    the times, entries, sittings, marks and ranking of the season. Prints one line for each
    check, green or RED; a red line names the event or the file. Exit code 0 if everything is green,
    1 if anything is red.
    """
    if head is not None and not is_head(head.strip().lower()):
        raise click.UsageError("--head must be the published hash: 64 hex digits")
    if discipline_of(contest) is not None:
        season = None
        report = verify_run(contest, None if head is None else head.strip().lower())
    else:
        season = verify_season(contest) if contest.is_dir() else None
        report = verify_all(contest, head)
    ok = report.ok and (season is None or season.ok)
    if as_json:
        more = {"ok": ok, "season": None if season is None else season.as_json()}
        print_json(report.as_json() | more)
        return 0 if ok else 1
    width = 9 if season is None else len(SEASON) + 9
    for check in report.checks:
        _say_check(check, check.name.ljust(width))
    for check in season.checks if season is not None else ():
        _say_check(check, f"{SEASON} {check.name}".ljust(width))
    if season is not None and not season.finished and season.checks[0].ok:
        events = counted(season.events, "event")
        click.echo(f"The season has no finalists yet; {events} verified so far.")
    if not report.finished and report.checks[0].ok:
        events = counted(report.events, "event")
        click.echo(f"This contest is not finished; {events} verified so far.")
    if report.head:
        click.echo(f"head {report.head}")
    return 0 if ok else 1


def _say_check(check: Check, name: str) -> None:
    note, red = click.style("note", fg="yellow"), click.style("RED", fg="red", bold=True)
    for word, found, more in (
        (f"{note}  ", check.notes, 0),
        (f"{red}   ", check.faults, check.more),
    ):
        for fault in found[:SHOWN_FAULTS]:
            click.echo(f"{word} {name}  {fault}")
        if more := max(0, len(found) - SHOWN_FAULTS) + more:
            click.echo(f"{word} {name}  and {more:,} more")
    if check.ok:
        click.echo(f"{click.style('green', fg='green')}  {name}  {check.summary}")


@click.command()
@click.argument("contest", type=click.Path(path_type=Path))
@click.option(
    "--out",
    required=True,
    metavar="DIR",
    type=click.Path(path_type=Path),
    help="The new contest folder; new or empty.",
)
@click.option(
    "--from",
    "copy",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="The second copy of the record. Default: the one in [record] copy_to.",
)
@json_option
def recover(contest: Path, out: Path, copy: Path | None, as_json: bool) -> int:
    """Make a new contest folder from what is left of a damaged or lost record in the folder CONTEST
    and of its second copy. CONTEST may also be the file of a copy alone, to continue a contest on
    another machine.

    Changes nothing in CONTEST. The new record contains all events up to the first lost one, each
    checked against its chain; later ones are kept in salvaged.jsonl. `loebner serve DIR` then
    continues the contest. Exit code 0 if nothing is missing, 1 if something is or may be missing.
    """
    if copy is not None and not copy.is_file():
        raise click.UsageError(f"--from: {copy} is not a file; give the second copy")
    found = recovered(contest, out, copy)
    if as_json:
        print_json(found.as_json())
    else:
        _say_recovered(found)
    return 1 if found.missing else 0


def _say_recovered(found: Recovered) -> None:
    for name, trouble in found.troubles.items():
        click.echo(plain(trouble if trouble else f"{name}: readable"))
    for part in found.parts:
        numbers = f"{part.first}" if part.first == part.last else f"{part.first} to {part.last}"
        click.echo(plain(f"events {numbers} from {part.place}"))
    state = "closed" if found.finished else "not finished"
    click.echo(
        plain(
            f"{found.out}: a contest, {state}, with {counted(found.events, 'event')} and "
            f"{counted(found.sealed, 'sealed item')}"
        )
    )
    if found.settings:
        click.echo(plain(f"contest.toml is from {found.settings}"))
    for note in found.notes:
        click.echo(plain(f"note: {note}"))
    for line in found.missing:
        click.echo(f"{click.style('MISSING', fg='red', bold=True)}  {plain(line)}")
    if not found.missing:
        click.echo("Nothing is missing.")
    if found.events and found.settings and not found.finished:
        click.echo(plain(f"Continue it with: loebner serve {found.out}"))


@click.command()
@click.argument("contest", type=click.Path(path_type=Path))
@click.option(
    "--format",
    "form",
    required=True,
    type=click.Choice(list(FORMATS)),
    help="html: a folder of pages, with a player for each talk. json: events.jsonl, results.json "
    "and statistics.json. csv: every key; schedule, verdicts and rankings; statistics, as a data "
    "package. text: transcripts. lpp2012: logs in the 2012 format. pictures: SVG and PNG.",
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
    """Write transcripts and tables of the contest in the folder CONTEST into DIR.

    All files respect what judges and confederates agreed to: pseudonyms replace names, and withheld
    text is left out and marked as such.
    """
    if form != "lpp2012" and (title is not None or notice is not None):
        raise click.UsageError("--title and --notice only work with --format lpp2012")
    written = write_export(
        contest, form, out, title=title or "", notice=NOTICE if notice is None else notice
    )
    files = f"{len(written)} file{'s' * (len(written) != 1)}"
    click.echo(f"{files} written to {out}")
