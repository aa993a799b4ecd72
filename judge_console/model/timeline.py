"""What a time line shows of a recording: who pressed how many keys when, and where the minutes are.

Times are seconds of the recording, places are cells: equal parts of the line's width, numbered
from 0. How large a cell is, in pixels, is the view's to say.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from lpp.log2012 import Author, Place
from lpp.names import BACKSPACE_CHAR, char_of
from lpp.recording import Recording

#: Seconds between two labels, from which the smallest is taken that leaves them room.
STEPS = (1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 43200, 86400)

#: The height of a bar of one key press, as a part of the highest: it must be seen.
LOWEST = 0.3


@dataclass(frozen=True, slots=True)
class Row:
    """One author's typing in one talk.

    Attributes:
        side: the talk.
        author: who.
        typed: when a key was pressed that is neither of the two below, in seconds.
        returns: when Return was pressed.
        backspaces: when BackSpace was pressed.
    """

    side: Place
    author: Author
    typed: tuple[float, ...]
    returns: tuple[float, ...]
    backspaces: tuple[float, ...]

    @property
    def keys(self) -> int:
        """How many keys were pressed."""
        return len(self.typed) + len(self.returns) + len(self.backspaces)


def rows_of(recording: Recording) -> tuple[Row, ...]:
    """The rows of a time line: for each talk the judge above and the entity below."""
    found: dict[tuple[Place, Author], tuple[list[float], list[float], list[float]]] = {}
    for side in recording.sitters:
        found[side, "judge"] = ([], [], [])
        found[side, "entity"] = ([], [], [])
    for press, offset in zip(recording.presses, recording.offsets_us(), strict=True):
        row = found.get((press.side, press.author))
        if row is None:
            continue
        typed, returns, backspaces = row
        kind = {"\n": returns, BACKSPACE_CHAR: backspaces}.get(char_of(press.key) or "", typed)
        kind.append(offset / 1_000_000)
    return tuple(
        Row(side, author, tuple(typed), tuple(returns), tuple(backspaces))
        for (side, author), (typed, returns, backspaces) in found.items()
    )


def counts(times: Sequence[float], duration: float, cells: int) -> list[int]:
    """How many of some moments fall into each cell.

    Arguments:
        times: the moments; one that is beyond the line counts in its last or first cell.
        duration: what the whole line is, in seconds.
        cells: how many cells it has.
    """
    found = [0] * cells
    for time in times:
        found[cell_of(time, duration, cells)] += 1
    return found


def cell_of(time: float, duration: float, cells: int) -> int:
    """The cell of a moment."""
    if duration <= 0:
        return 0
    return max(0, min(cells - 1, int(time / duration * cells)))


def heights(rows: Sequence[Sequence[int]]) -> list[list[float]]:
    """Bars for the key presses of each row, from 0 to 1, all by one scale: a bar that is twice as
    high as another in any row stands for four times the keys, so that a program's flood leaves
    people's typing to be seen.

    Arguments:
        rows: for each row the key presses in each cell.
    """
    most = max((count for row in rows for count in row), default=0)
    return [[_height(count, most) for count in row] for row in rows]


def _height(count: int, most: int) -> float:
    return max(LOWEST, math.sqrt(count / most)) if count else 0.0


@dataclass(frozen=True, slots=True)
class Tick:
    """A label of the line: where, in seconds, and in words."""

    time: float
    label: str


def ticks(duration: float, room: float) -> tuple[Tick, ...]:
    """The labels of a line.

    Arguments:
        duration: what the whole line is, in seconds.
        room: how many labels there is room for; one has room always.

    Returns:
        Labels at full seconds or minutes, from 0 on, as close as there is room for.
    """
    room = max(1.0, room)
    step = next((step for step in STEPS if duration < step * room), None)
    if step is None:
        step = STEPS[-1] * math.ceil(duration / STEPS[-1] / room)
    return tuple(Tick(time, clock(time)) for time in range(0, math.floor(duration) + 1, step))


def clock(seconds: float) -> str:
    """A position as a clock shows it: `3:07`, `1:03:07`; what is not a full second is cut off."""
    minutes, rest = divmod(max(0, int(seconds)), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest:02d}" if hours else f"{minutes}:{rest:02d}"
