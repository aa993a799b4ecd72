"""Events that wait for their time: each comes out when what it tells is old enough.

What counts is when it was received, by the contest's clock, and not when it was durable or told:
whatever made the one way slower than the other is gone when both come out.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator

from contest.record.events import Event


class DelayLine:
    """Events in the order of the record."""

    def __init__(self) -> None:
        self._waiting: deque[Event] = deque()

    def __len__(self) -> int:
        return len(self._waiting)

    def add(self, event: Event) -> None:
        """Takes an event in, behind all that came before."""
        self._waiting.append(event)

    def release(self, until_ns: int) -> Iterator[Event]:
        """Lets out what was received by a moment, in the order of the record.

        Arguments:
            until_ns: the moment, by the contest's clock, in nanoseconds; it belongs to what goes.
        """
        while self._waiting and self._waiting[0].mono_ns <= until_ns:
            yield self._waiting.popleft()
