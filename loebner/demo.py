"""`loebner demo`: plays a whole 2010 contest on this machine."""

from __future__ import annotations

import datetime as dt
from pathlib import Path

import click

#: Contest seconds per second: 25 minutes of interaction take 25 seconds.
SPEED = 60.0
#: A speed that people can follow.
SPEED_TO_WATCH = 10.0


@click.command()
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    help="The contest folder to make; new or empty. Default: demo-DATE-TIME here.",
)
@click.option(
    "--seed",
    type=click.IntRange(0),
    default=2010,
    show_default=True,
    help="Random seed for the sides and for what scripted people and bots say.",
)
@click.option(
    "--speed",
    type=click.FloatRange(0, 600, min_open=True),
    help=f"Run this many times faster than real time.  [default: {SPEED:g}, with windows or a "
    f"browser {SPEED_TO_WATCH:g}]",
)
@click.option(
    "--windows",
    is_flag=True,
    help="Open the windows of two judges and a confederate. Scripted people play them until you "
    "type; then the seat is yours.",
)
@click.option(
    "--browser",
    is_flag=True,
    help="Print a link for taking the seat of judge J1 in a browser during the demo.",
)
def demo(out: Path | None, seed: int, speed: float | None, windows: bool, browser: bool) -> None:
    """Play a whole 2010 contest on this machine.

    Runs a server, four bundled entries as separate processes over real LPP directories, and
    scripted judges and confederates at real seats. Shows the progress, then score table, places,
    prizes and schedule, and the location of the record.
    """
    if windows and browser:
        raise click.UsageError("choose one of --windows and --browser")
    if windows:
        import PySide6  # noqa: F401 -- before anything else, so that all extras are named
    from bots.registry import BOTS, find
    from contest.tasks import run_with_signals
    from loebner.demo_play import play

    for name in BOTS:
        find(name)  # reports a missing library now, before it would stop the entries
    folder = out or Path(f"demo-{dt.datetime.now():%Y%m%d-%H%M%S}")
    if windows:
        from loebner.demo_windows import play_with_windows

        play_with_windows(folder, seed, speed or SPEED_TO_WATCH)
    else:
        pace = SPEED_TO_WATCH if browser else SPEED
        run_with_signals(play(folder, seed, speed or pace, browser=browser))
