"""One author's keys in one talk, from the pressing to the other side's eyes."""

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
        kind: who types to whom, such as `person to judge`.
        press: presses key `n`, from 1, of that name.
        due, sent: when each was to be pressed, and was, in seconds of the monotonic clock.
        seen: when each came to the other side, in the order of coming.
        numbers: their numbers, from 0 on, in that order.
        wrong: how many came as another key than was pressed.
        taken: up to which number they are said to be durable.
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
            due: when it was to be pressed; now if left out.
        """
        n = len(self.sent) + 1
        now = time.monotonic()
        self.due.append(now if due is None else due)
        self.sent.append(now)
        self.press(n, key(n))

    def came(self, n: int, name: str) -> None:
        """Key `n` is before the other side."""
        self.seen.append(time.monotonic())
        self.numbers.append(n - 1)
        if name != key(n):
            self.wrong += 1

    @property
    def missing(self) -> int:
        """Keys that have not come yet, or are not said to be durable."""
        return max(len(self.sent) - len(self.seen), len(self.sent) - self.taken)


def key(n: int) -> str:
    """The name of a stream's key `n`."""
    return KEYS[n % len(KEYS)]


async def type_all(
    streams: Sequence[Stream], rate: float, seconds: float, rng: random.Random
) -> None:
    """Has all streams typed at once, each by a clock of its own: a key that is late holds none up.

    Arguments:
        streams: which.
        rate: keys a second of each, on the average.
        seconds: for how long.
        rng: gaps are from half to one and a half times the average.
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
        # Anyone who is late must not keep the loop from hearing what has come.
        await sleep(0)
