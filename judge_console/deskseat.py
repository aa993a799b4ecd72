"""A seat without a server: the desk in this process, and communications directories behind it."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from pathlib import Path
from typing import Literal, TypeAlias

from judge_console.desk import Recorder
from judge_console.model.desknotes import Side
from judge_console.seat import Seat
from judge_console.texts import Texts
from lpp.clock import LoopClock

Sides: TypeAlias = Literal["as-given", "random"]

#: Minutes of a talk (rules 2010, section 3), and of scoring after it.
MINUTES, SCORING_MINUTES = 25.0, 5.0


def open_desk(
    left: Path,
    right: Path | None = None,
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
) -> Seat:
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
    raise NotImplementedError


def open_confederate(
    directory: Path,
    *,
    minutes: float = 0.0,
    recorder: Recorder | None = None,
    texts: Texts | None = None,
    acknowledge: bool = True,
    monotonic: Callable[[], float] = time.monotonic,
    clock: LoopClock | None = None,
) -> Seat:
    """A confederate's desk: the human at the other end of one communications directory, who waits
    until the judge begins. Nothing is emptied: the judge may have come first.

    Arguments:
        directory: where the judge's desk is pointed to as well.
        minutes: how long the talk lasts from the judge's first key on; 0 is without a limit.
        recorder, texts, acknowledge, monotonic, clock: see `open_desk`.

    Raises:
        YoursToFix: if the directory is none or can't be written, or minutes are no minutes.
    """
    raise NotImplementedError
