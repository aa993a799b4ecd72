"""`loebner recover`: a new contest folder from what is left of a damaged record and its copy."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from loebner.options import json_option, print_json

if TYPE_CHECKING:
    from contest.recovery.recovery import Recovered


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

    Changes nothing in CONTEST. The new record holds all events up to the first lost one, each
    checked against its chain; later ones are kept in salvaged.jsonl. `loebner serve DIR` then
    continues the contest. Exit code 0 if everything is there, 1 if something is or may be missing.
    """
    from contest.recovery.recovery import recover as run

    if copy is not None and not copy.is_file():
        raise click.UsageError(f"--from: {copy} is not a file; name the second copy")
    found = run(contest, out, copy)
    if as_json:
        print_json(found.as_json())
    else:
        _say(found)
    return 0 if found.whole else 1


def _say(found: Recovered) -> None:
    from scheduler.texts import counted, plain

    for name, trouble in found.troubles.items():
        click.echo(plain(trouble if trouble else f"{name}: readable"))
    for part in found.parts:
        numbers = f"{part.first}" if part.first == part.last else f"{part.first} to {part.last}"
        click.echo(plain(f"events {numbers} from {part.place}"))
    state = "closed" if found.finished else "not finished"
    click.echo(
        plain(
            f"{found.out}: a contest, {state}, with {counted(found.events, 'event')} and "
            f"{counted(found.sealed, 'sealed thing')}"
        )
    )
    if found.settings:
        click.echo(plain(f"contest.toml is from {found.settings}"))
    for note in found.notes:
        click.echo(plain(f"note: {note}"))
    for line in found.missing:
        click.echo(f"{click.style('MISSING', fg='red', bold=True)}  {plain(line)}")
    if found.whole:
        click.echo("Nothing is missing.")
    if found.events and found.settings and not found.finished:
        click.echo(plain(f"Continue it with: loebner serve {found.out}"))
