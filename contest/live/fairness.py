"""How long keys take at each side of a desk, and whether a judge could notice a difference.

A key's way is from when it was received to when it stands before the other side: a screen has drawn
it, or a directory holds it.
"""

from __future__ import annotations

import statistics
from collections.abc import Mapping
from dataclasses import dataclass

from contest.live.hub import Hub
from contest.record.bodies import Author, DelaysDiffer, Place
from contest.state.model import Talk

#: Seconds of contest time over which medians are taken.
WINDOW = 60.0
#: Milliseconds of real time between two medians that a judge could notice: what comes within so
#: much of a key press or of another pane's key still looks like at once.
NOTICEABLE_MS = 100
#: Keys of each side that a median needs to be reliable.
ENOUGH = 10


@dataclass(frozen=True, slots=True)
class Delay:
    """Medians of a talk's keys of one author within the window, in milliseconds of real time.

    Attributes:
        keys: how many there are.
        whole: from received to shown.
        console: from durable to shown and confirmed: to the other side's machine and back.
    """

    keys: int
    whole: int
    console: int


class Delays:
    """Measures.

    Arguments:
        hub: has the times of keys.
        speed: seconds of contest time in a second.
    """

    def __init__(self, hub: Hub, speed: float = 1.0) -> None:
        self._hub = hub
        self._speed = speed

    def of(self, talk: Talk, author: Author, now_ns: int) -> Delay | None:
        """How long an author's keys of the last minute took in a talk that is open; None if there
        were none."""
        since = now_ns - round(WINDOW * 1e9)
        ways = [way for way in self._hub.ways(talk, author) if way[0] >= since]
        if not ways or not talk.open:
            return None
        return Delay(
            len(ways),
            self._ms(statistics.median(shown - received for received, _, shown in ways)),
            self._ms(statistics.median(shown - durable for _, durable, shown in ways)),
        )

    def differing(self, talks: Mapping[Place, Talk], now_ns: int) -> DelaysDiffer | None:
        """What a judge could notice at a desk; None for nothing.

        Arguments:
            talks: the desk's.
            now_ns: the contest's clock.
        """
        if len(talks) < 2:
            return None
        left, right = talks["left"], talks["right"]
        ways: tuple[tuple[Author, Author], ...] = (("entity", "judge"), ("judge", "entity"))
        for author, to in ways:
            one, other = self.of(left, author, now_ns), self.of(right, author, now_ns)
            if one is None or other is None or min(one.keys, other.keys) < ENOUGH:
                continue
            if abs(one.whole - other.whole) > NOTICEABLE_MS:
                place = (left.round, left.attempt, left.judge)
                return DelaysDiffer(*place, to, one.whole, other.whole)
        return None

    def _ms(self, ns: float) -> int:
        return round(ns / 1e6 / self._speed)
