"""How long keys take at each side of a desk, and whether a judge could notice a difference.

A key's way is from when it was received to when it stands before the other side: a screen has drawn
it, or a directory holds it. What is measured comes from the hub's times while they are fresh, and
from the record's `times` afterwards; nothing here is measured by itself.
"""

from __future__ import annotations

import statistics
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import TypeAlias

from contest.record.bodies import Author, DelaysDiffer
from contest.record.events import Event
from contest.state.model import Talk

#: Seconds of contest time over which medians are taken.
WINDOW = 60.0
#: Milliseconds of real time between two medians that a judge could notice: what comes within so
#: much of a key press or of another pane's key still looks like at once.
NOTICEABLE_MS = 100
#: Keys of each side that a median needs before anything is told by it.
ENOUGH = 10
#: Keys of one talk that are looked at, the latest: more than anybody types in a minute.
KEPT = 2000

_NS_IN_MS = 1_000_000

#: Number to `[seq, durable_ns, shown_ns]`.
Times: TypeAlias = Mapping[int, Sequence[int | None]]


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


@dataclass
class _Measured:
    """What is known of one author's keys in a talk."""

    received: dict[int, int] = field(default_factory=dict)
    #: (received, durable, shown) of keys whose times are in the record.
    flushed: deque[tuple[int, int, int]] = field(default_factory=lambda: deque(maxlen=KEPT))


class Delays:
    """Measures.

    Arguments:
        speed: seconds of contest time in a second.
    """

    def __init__(self, speed: float = 1.0) -> None:
        self._speed = speed
        self._talks: dict[str, dict[Author, _Measured]] = {}

    def take(self, event: Event) -> None:
        """Takes an event of a talk that is durable."""
        talk = event.talk
        if talk is None:
            return
        match event.kind:
            case "key" if event.body.get("out_of_phase") is None:
                author: Author = event.body["author"]
                self._of(talk)[author].received[event.seq] = event.mono_ns
            case "times":
                for seq, durable, shown in event.body["keys"]:
                    self._flushed(talk, seq, durable, shown)
            case "talk-closed":
                self._talks.pop(talk, None)
            case _:
                pass

    def of(self, talk: Talk, author: Author, times: Times, now_ns: int) -> Delay | None:
        """How long an author's keys of the last minute took; None if there were none.

        Arguments:
            talk: which.
            author: whose keys.
            times: those that are not on record yet; see `contest.live.hub.Hub.times`.
            now_ns: the contest's clock.
        """
        since = now_ns - round(WINDOW * 1e9)
        rows = [row for row in self._rows(talk, author, times) if row[0] >= since]
        if not rows:
            return None
        return Delay(
            len(rows),
            self._ms(statistics.median(shown - received for received, _, shown in rows)),
            self._ms(statistics.median(shown - durable for _, durable, shown in rows)),
        )

    def _rows(self, talk: Talk, author: Author, times: Times) -> Iterator[tuple[int, int, int]]:
        measured = self._talks.get(talk.id, {}).get(author)
        if measured is None:
            return
        yield from measured.flushed
        for seq in islice(reversed(measured.received), KEPT):
            received = measured.received[seq]
            match times.get(seq):
                case [_, int(durable), int(shown)]:
                    yield received, durable, shown

    def _flushed(self, talk: str, seq: int, durable: int | None, shown: int | None) -> None:
        for measured in self._of(talk).values():
            received = measured.received.pop(seq, None)
            if received is not None and durable is not None and shown is not None:
                measured.flushed.append((received, durable, shown))

    def _of(self, talk: str) -> dict[Author, _Measured]:
        if talk not in self._talks:
            self._talks[talk] = {"judge": _Measured(), "entity": _Measured()}
        return self._talks[talk]

    def _ms(self, ns: float) -> int:
        return round(ns / _NS_IN_MS / self._speed)


def difference(
    left: Talk, right: Talk, delays: Mapping[tuple[str, Author], Delay | None]
) -> DelaysDiffer | None:
    """What a judge could notice at a desk; None for nothing.

    Arguments:
        left, right: the desk's talks.
        delays: of each talk and author what was measured.
    """
    authors: tuple[Author, Author] = ("entity", "judge")
    for author in authors:
        one, other = delays[left.id, author], delays[right.id, author]
        if one is None or other is None or min(one.keys, other.keys) < ENOUGH:
            continue
        if abs(one.whole - other.whole) > NOTICEABLE_MS:
            to: Author = "judge" if author == "entity" else "entity"
            return DelaysDiffer(left.round, left.attempt, left.judge, to, one.whole, other.whole)
    return None
