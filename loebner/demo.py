"""`loebner demo`: a whole 2010 contest on this machine."""

from __future__ import annotations

import datetime as dt
from pathlib import Path

import click

#: Contest seconds in a second: 25 minutes of interaction take as many seconds.
SPEED = 60.0


@click.command()
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    help="The contest folder to make; new or empty. Left out: demo-DATE-TIME here.",
)
@click.option(
    "--seed",
    type=click.IntRange(0),
    default=2010,
    show_default=True,
    help="Draws the sides and what the scripted people and the bots say.",
)
@click.option(
    "--speed",
    type=click.FloatRange(0, 600, min_open=True),
    default=SPEED,
    show_default=True,
    help="Seconds of the contest in a second; 1 is real time.",
)
def demo(out: Path | None, seed: int, speed: float) -> None:
    """Play a whole 2010 contest on this machine.

    A server, four bundled entries as processes of their own over real LPP directories, and
    scripted judges and confederates at real seats. Shows what goes on, then schedule, score table,
    ties, prizes, and where the record is.
    """
    from rich.console import Console

    from loebner.demonstration import play
    from loebner.ending import tell

    folder = out or Path(f"demo-{dt.datetime.now():%Y%m%d-%H%M%S}")
    console = Console(highlight=False)
    document = play(folder, seed, speed, console)
    tell(document, folder, console)
