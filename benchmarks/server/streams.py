"""One author's keys in one talk, from the press to the other side's screen."""

from __future__ import annotations

import heapq
import random
import time
from asyncio import sleep
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from benchmarks.keys import KEYS


@dataclass
class Stream:
    """The keys of one author in one talk.

    Attributes:
        kind: who types to whom, for example `person to judge`.
        press: presses key `n`, counted from 1, with a key name.
        due, sent: when each was due, and when it was pressed, in seconds of the monotonic clock.
        seen: when each reached the other side, in order of arrival.
        numbers: their numbers, from 0 on, in that order.
        wrong: how many arrived as a different key.
        taken: the number up to which they are confirmed as durable.
    """

    kind: str
    press: Callable[[int, str], None]
    due: list[float] = field(default_factory=list)
    sent: list[float] = field(default_factory=list)
    seen: list[float] = field(default_factory=list)
    numbers: list[int] = field(default_factory=list)
    wrong: int = 0
    taken: int = 0

    def type(self, due: float | None = None) -> None:
        """Presses the next key.

        Arguments:
            due: when it was due; now if left out.
        """
        n = len(self.sent) + 1
        now = time.monotonic()
        self.due.append(now if due is None else due)
        self.sent.append(now)
        self.press(n, key(n))

    def arrived(self, n: int, name: str) -> None:
        """Called when key `n` has reached the other side."""
        self.seen.append(time.monotonic())
        self.numbers.append(n - 1)
        if name != key(n):
            self.wrong += 1

    @property
    def missing(self) -> int:
        """The number of keys that have not arrived, or are not confirmed as durable."""
        return max(len(self.sent) - len(self.seen), len(self.sent) - self.taken)


def key(n: int) -> str:
    """The name of a stream's key `n`."""
    return KEYS[n % len(KEYS)]


async def type_all(
    streams: Sequence[Stream], rate: float, seconds: float, rng: random.Random
) -> None:
    """Types all streams at once, each on its own schedule, so that a late key delays no other.

    Arguments:
        streams: the streams.
        rate: the average keys per second of each.
        seconds: for how long.
        rng: draws the gaps, from half to one and a half times the average.
    """
    begin = time.monotonic()
    end = begin + seconds
    coming = [(begin + rng.random() / rate, at) for at in range(len(streams))]
    heapq.heapify(coming)
    while coming and coming[0][0] < end:
        due, at = coming[0]
        wait = due - time.monotonic()
        if wait > 0:
            await sleep(wait)
            continue
        streams[at].type(due)
        heapq.heapreplace(coming, (due + rng.uniform(0.5, 1.5) / rate, at))
        # Even when late, let the loop receive what has arrived.
        await sleep(0)
