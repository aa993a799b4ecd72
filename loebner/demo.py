"""`loebner demo`: a whole 2010 contest on this machine."""

from __future__ import annotations

import datetime as dt
import importlib.util
import sys
from pathlib import Path

import click

#: Contest seconds in a second: 25 minutes of interaction take as many seconds.
SPEED = 60.0
#: What eyes can follow.
SPEED_TO_WATCH = 10.0
#: The windows' program is asked for by this word; see loebner.demo_windows.
ONLY_WINDOWS = "--only-windows"


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
    help="Seed for the sides and for what scripted people and bots say.",
)
@click.option(
    "--speed",
    type=click.FloatRange(0, 600, min_open=True),
    help=f"Contest seconds per second; 1 is real time.  [default: {SPEED:g}, with windows "
    f"{SPEED_TO_WATCH:g}]",
)
@click.option(
    "--windows",
    is_flag=True,
    help="Open the windows of two judges and a confederate. Scripted people sit there until you "
    "type; then the seat is yours.",
)
@click.option(ONLY_WINDOWS, "only_windows", is_flag=True, hidden=True)
def demo(
    out: Path | None, seed: int, speed: float | None, windows: bool, only_windows: bool
) -> int:
    """Play a whole 2010 contest on this machine.

    Runs a server, four bundled entries as separate processes over real LPP directories, and
    scripted judges and confederates at real seats. Shows the progress, then schedule, score table,
    ties, prizes, and where the record is.
    """
    if only_windows:
        from loebner.demo_windows import show

        return show()

    from rich.console import Console

    from bots.registry import BOTS, find

    # Stop here if something is missing. The entries are processes and would die during the contest.
    if windows and importlib.util.find_spec("PySide6") is None:
        raise ModuleNotFoundError("No module named 'PySide6'", name="PySide6")
    for name in BOTS:
        find(name)

    from loebner.demo_play import play

    if speed is None:
        speed = SPEED_TO_WATCH if windows else SPEED
    folder = out or Path(f"demo-{dt.datetime.now():%Y%m%d-%H%M%S}")
    words = (sys.executable, "-m", "loebner", "demo", ONLY_WINDOWS) if windows else ()
    play(folder, seed, speed, Console(highlight=False), words)
    return 0
