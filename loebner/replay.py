"""`loebner replay`: a recorded talk again, in a window, as text or as key presses."""

from __future__ import annotations

import asyncio
import math
import sys
from pathlib import Path

import click

from loebner.replaying import (
    KeyWriter,
    recording_from,
    show_lines,
    show_window,
    type_into,
    visible,
)
from lpp.clock import Clock, LoopClock
from lpp.directory import LocalDirectory
from lpp.keypress import Side
from lpp.log2012 import Loss
from lpp.recording import Recording

#: How many losses are listed one by one.
LOSSES_NAMED = 20
#: How many times as fast a window plays; as in judge_console, which is imported for a window only.
SLOWEST, FASTEST = 0.25, 60.0


@click.command()
@click.argument("file", type=click.Path(path_type=Path, readable=False))
@click.option(
    "--to",
    "directory",
    metavar="DIR",
    type=click.Path(path_type=Path, readable=False),
    help="Make the key presses in this directory: .other from the entity, .judge from the judge.",
)
@click.option(
    "--speed",
    metavar="X",
    type=float,
    help="X times the original speed; 0 is at once. Default: 1, but 0 for text that does not go to "
    "a terminal.",
)
@click.option(
    "--side",
    type=click.Choice(["left", "right", "program", "human"]),
    help="Which talk of a pairing. Default: both, with --to the program's.",
)
@click.option(
    "--wait",
    is_flag=True,
    help="With --to: wait after each key press until it has been removed.",
)
@click.option("--talk", metavar="TALK", help="Which talk of a record, such as 1.1.J1.left.")
@click.option(
    "--window/--text",
    "in_window",
    default=False,
    help="Play in a window, or as text (default).",
)
def replay(
    file: Path,
    directory: Path | None,
    speed: float | None,
    side: str | None,
    wait: bool,
    talk: str | None,
    in_window: bool,
) -> int:
    """Play FILE: a log in the format of 2012, the events.jsonl of an export, or a contest folder.

    Without --to or --window it is shown as text, line by line.
    """
    if speed is not None and not (math.isfinite(speed) and speed >= 0):
        raise click.UsageError(f"--speed must be 0 or more, not {speed}")
    if wait and directory is None:
        raise click.UsageError("--wait needs --to")
    if in_window and directory is not None:
        raise click.UsageError("--window shows a talk, --to types it: choose one of them")
    if in_window and speed and not SLOWEST <= speed <= FASTEST:
        raise click.UsageError(
            f"--speed in a window must be 0, or from {SLOWEST:g} to {FASTEST:g}, not {speed:g}"
        )
    if speed is None:
        speed = 1.0 if sys.stdout.isatty() or in_window or directory is not None else 0.0
    clock = LoopClock(speed) if speed > 0 else None
    recording = recording_from(file, talk)
    if directory is not None or side is not None:
        recording = recording.only(recording.side(side))
    if directory is not None:
        _to_directory(recording, directory, clock, wait)
        return 0
    _name_losses(recording.name, recording.losses)
    if in_window:
        return show_window(recording, speed)
    asyncio.run(show_lines(recording, clock))
    return 0


def _to_directory(recording: Recording, path: Path, clock: Clock | None, wait: bool) -> None:
    writer = KeyWriter(LocalDirectory(path), len(recording.presses))
    _name_losses(recording.name, recording.losses)
    try:
        asyncio.run(type_into(recording, writer, clock, wait=wait))
    finally:
        _name_losses(recording.name, tuple(writer.losses))
    by = writer.written
    click.echo(
        f"{writer.count} key presses written to {visible(str(path))}: "
        f"{by[Side.JUDGE]} .judge, {by[Side.OTHER]} .other"
    )


def _name_losses(name: str, losses: tuple[Loss, ...]) -> None:
    for loss in losses[:LOSSES_NAMED]:
        click.echo(visible(f"loebner: lost: {name}, line {loss.line}: {loss.what}"), err=True)
    if len(losses) > LOSSES_NAMED:
        click.echo(f"loebner: lost: {len(losses) - LOSSES_NAMED} more lines", err=True)
