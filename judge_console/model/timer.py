"""The remaining time in words: what is at the top of a window, and for how long.

Time is the server's; a speed other than 1 (of a rehearsal) makes contest seconds shorter than
those on the wall. What a person has to read stays for seconds of the wall, however fast the
contest goes.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from lpp.wire import Phase

Level: TypeAlias = Literal["calm", "soon", "last"]

#: When a warning comes, in seconds of contest time before the end: the time shown changes its look
#: with the second and the last of them.
WARNINGS: Final = (300, 120, 60, 20)
SOON: Final = 120
LAST: Final = 20
#: For how long the words of a warning stand, in seconds of the wall.
WARNED: Final = 12.0

#: The phases that have an end which a person should be ready for.
_WARNED_OF: Final = frozenset({"interaction", "scoring"})


@dataclass(frozen=True, slots=True)
class Clock:
    """What is at the top.

    Attributes:
        text: minutes and seconds, as 24:59; empty where there is no limit.
        level: how little is left.
        stands: whether the time stands still.
        warning: the seconds before the end that are to be warned of now; None if there are none.
        change_in: seconds of the wall until any of this is another; None if nothing changes by
            itself.
    """

    text: str = ""
    level: Level = "calm"
    stands: bool = False
    warning: int | None = None
    change_in: float | None = None


def clock_of(
    remaining: float | None, phase: Phase, speed: float = 1.0, began: float = math.inf
) -> Clock:
    """The clock for a remaining time.

    Arguments:
        remaining: seconds of contest time, as `Session.remaining()` gives them; None without a
            limit.
        phase: the contest's phase.
        speed: seconds of contest time in a second of the wall; 0 where the time has not begun to
            run.
        began: what was left when the server last said so, in seconds. There is no warning of as
            much: that is how long the phase is.
    """
    if remaining is None:
        return Clock()
    # The last second is shown as 1 until it is over: 0 is the end.
    seconds = math.ceil(remaining)
    level: Level = "calm"
    if phase in _WARNED_OF or phase == "paused":
        level = "last" if seconds <= LAST else "soon" if seconds <= SOON else "calm"
    if phase == "paused":
        return Clock(text_of(seconds), level, stands=True)
    if remaining <= 0 or speed <= 0:
        return Clock(text_of(seconds), level)
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
    return Clock(text_of(seconds), level, False, warning, (remaining - max(next_at)) / speed)


def text_of(seconds: int) -> str:
    """A time as a person reads it: 0:07, 24:59, 1:30:00."""
    minutes, rest = divmod(seconds, 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
