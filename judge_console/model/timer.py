"""The remaining time and its warnings, as the top of a window shows them.

The server keeps the time. In a rehearsal, contest time can run faster than real time; warnings stay
readable for some seconds of real time, however fast the contest runs.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from lpp.wire import Phase

Level: TypeAlias = Literal["calm", "soon", "last"]

#: When warnings appear, in seconds of contest time before the end. The clock changes its look at
#: `SOON` and at `LAST`.
WARNINGS: Final = (300, 120, 60, 20)
SOON: Final = 120
LAST: Final = 20
#: How long a warning is shown, in seconds of real time.
WARNED: Final = 12.0

#: The phases with warnings before their end.
_WARNED_OF: Final = frozenset({"interaction", "scoring"})


@dataclass(frozen=True, slots=True)
class ClockDisplay:
    """The clock at the top of a window.

    Attributes:
        text: minutes and seconds, such as 24:59; empty without a limit.
        level: how little time is left: "calm", "soon" or "last".
        stopped: whether the clock is stopped.
        warning: the warning to show, in seconds before the end; None for none.
        change_in: seconds of real time until any of this changes; None if nothing changes by
            itself.
    """

    text: str = ""
    level: Level = "calm"
    stopped: bool = False
    warning: int | None = None
    change_in: float | None = None


def clock_display(
    remaining: float | None, phase: Phase, speed: float = 1.0, began: float = math.inf
) -> ClockDisplay:
    """The clock for a remaining time.

    Arguments:
        remaining: seconds of contest time, as `Session.remaining()` gives them; None without a
            limit.
        phase: the contest's phase.
        speed: seconds of contest time per second of real time; 0 if the clock has not started.
        began: the remaining seconds when the server last sent them. A warning of the same length is
            left out, because that is the length of the phase.
    """
    if remaining is None:
        return ClockDisplay()
    # The last second is shown as 1 until it is over; 0 means the end.
    seconds = math.ceil(remaining)
    level: Level = "calm"
    if phase in _WARNED_OF or phase == "paused":
        level = "last" if seconds <= LAST else "soon" if seconds <= SOON else "calm"
    if phase == "paused":
        return ClockDisplay(text_of(seconds), level, stopped=True)
    if remaining <= 0 or speed <= 0:
        return ClockDisplay(text_of(seconds), level)
    next_at = [float(seconds - 1)]
    warning = None
    if phase in _WARNED_OF:
        warning = next((at for at in reversed(WARNINGS) if remaining <= at < began), None)
        if warning is not None:
            over_at = warning - WARNED * speed
            if remaining > over_at:
                next_at.append(over_at)
            else:
                warning = None
    return ClockDisplay(text_of(seconds), level, False, warning, (remaining - max(next_at)) / speed)


def text_of(seconds: int) -> str:
    """A time as a person reads it: 0:07, 24:59, 1:30:00."""
    minutes, rest = divmod(seconds, 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
