"""How a desk without a server is opened: a judge's over one or two communications directories, a
confederate's at the other end of one.
"""

from __future__ import annotations

import math
import os
import random
import time
from collections.abc import Callable
from pathlib import Path

from judge_console.desk import Recorder
from judge_console.deskseat import DeskSeat
from judge_console.model.deskform import LONGEST_TALK, Sides
from judge_console.model.desknotes import Opening, Side
from judge_console.texts import Texts, load
from lpp.clock import LoopClock
from lpp.directory import Directory, as_directory
from lpp.errors import YoursToFix
from lpp.keypress import printable
from lpp.wire import Place

#: Minutes of a talk, and of scoring after it (rules 2010, section 3).
MINUTES, SCORING_MINUTES = 25.0, 5.0

_OPPOSITE: dict[Side, Side] = {"left": "right", "right": "left"}


class BadMinutes(YoursToFix):
    """A length of time that is none."""


def open_desk(
    left: Path | Directory,
    right: Path | Directory | None = None,
    *,
    minutes: float = MINUTES,
    scoring_minutes: float = SCORING_MINUTES,
    sides: Sides = "as-given",
    human: Side = "right",
    recorder: Recorder | None = None,
    texts: Texts | None = None,
    acknowledge: bool = True,
    monotonic: Callable[[], float] = time.monotonic,
    clock: LoopClock | None = None,
    rng: random.Random | None = None,
) -> DeskSeat:
    """A judge's desk over one or two communications directories. Make it in the loop in which it
    is to live (`Worker(lambda: open_desk(…, acknowledge=False), news)`).

    The directories are emptied when the desk begins to live, and what stood there goes on record.
    The time begins with the judge's first key. With two directories, scoring follows; the sides
    are told on the screen when all is over.

    Arguments:
        left, right: the directories; `left` alone is practice with one partner.
        minutes: how long the talk lasts; 0 is without a limit.
        scoring_minutes: how long a verdict is taken after it; 0 is until the desk is closed.
        sides: whether they sit as given, or where chance puts them.
        human: which of the two given directories is the human's, for the record.
        recorder: keeps the record; None keeps none. It is closed with the desk.
        texts: what the person reads; English if left out.
        acknowledge, monotonic: see `Seat`.
        clock: the desk's; the loop's own time if left out.
        rng: where chance comes from; the system's if left out.

    Raises:
        YoursToFix: if a directory is none, can't be written, or is named twice, or minutes are
            no minutes.
    """
    say = texts if texts is not None else load("en")
    directories: dict[Place, Directory] = {"left": as_directory(left)}
    sitting: Side | None = None
    if right is not None:
        directories["right"], sitting = as_directory(right), human
        if sides == "random" and (rng or random.SystemRandom()).random() < 0.5:
            directories = {"left": directories["right"], "right": directories["left"]}
            sitting = _OPPOSITE[human]
    clock = clock if clock is not None else LoopClock()
    opening = Opening(
        say("window.practice" if right is None else "window.desk"),
        "judge",
        {"right" if place == "right" else "left": _name(d) for place, d in directories.items()},
        sitting,
        _seconds(minutes),
        drawn=right is not None and sides == "random",
        speed=clock.speed,
    )
    return DeskSeat(
        opening,
        directories,
        scoring=_seconds(scoring_minutes),
        recorder=recorder,
        texts=say,
        acknowledge=acknowledge,
        monotonic=monotonic,
        clock=clock,
    )


def open_confederate(
    directory: Path | Directory,
    *,
    minutes: float = 0.0,
    recorder: Recorder | None = None,
    texts: Texts | None = None,
    acknowledge: bool = True,
    monotonic: Callable[[], float] = time.monotonic,
    clock: LoopClock | None = None,
) -> DeskSeat:
    """A confederate's desk: the human at the other end of one communications directory, who waits
    until the judge begins. Nothing is emptied: the judge may have come first.

    Arguments:
        directory: where the judge's desk is pointed to as well.
        minutes: how long the talk lasts from the judge's first key on; 0 is without a limit.
        recorder, texts, acknowledge, monotonic, clock: see `open_desk`.

    Raises:
        YoursToFix: if the directory is none or can't be written, or minutes are no minutes.
    """
    say = texts if texts is not None else load("en")
    clock = clock if clock is not None else LoopClock()
    place = as_directory(directory)
    opening = Opening(
        say("window.desk"),
        "confederate",
        {"left": _name(place)},
        "left",
        _seconds(minutes),
        speed=clock.speed,
    )
    return DeskSeat(
        opening,
        {"only": place},
        recorder=recorder,
        texts=say,
        acknowledge=acknowledge,
        monotonic=monotonic,
        clock=clock,
    )


def _name(directory: Directory) -> str:
    """What a directory is called, without its path."""
    return printable(os.path.basename(directory.path)) or "directory"


def _seconds(minutes: float) -> int | None:
    if not (math.isfinite(minutes) and 0 <= minutes <= LONGEST_TALK):
        raise BadMinutes(f"{minutes:g} minutes: give 0 (no limit) up to {LONGEST_TALK:g}")
    return max(1, round(minutes * 60)) if minutes else None
