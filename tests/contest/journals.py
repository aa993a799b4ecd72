"""A journal for tests that writes at once, on the loop's own thread.

On virtual time, the clock would run ahead of the writer thread. This journal does everything in one
thread, so that the order of events is exact.
"""

from __future__ import annotations

import asyncio

from contest.record.bodies import AnyBody
from contest.record.journal import Journal, OnDurable
from contest.record.store import Record
from lpp.clock import Clock


class InlineJournal(Journal):
    """A journal without a thread. Each event is durable immediately; its callbacks run in the
    loop's next turn."""

    def __init__(self, record: Record, clock: Clock) -> None:
        super().__init__(record, clock)
        self._inline = record

    async def __aenter__(self) -> InlineJournal:
        self.loop = asyncio.get_running_loop()
        return self

    async def close(self) -> None:
        """Runs the remaining callbacks."""
        await asyncio.sleep(0)

    def write(
        self,
        talk: str | None,
        actor: str,
        body: AnyBody,
        on_durable: OnDurable | None = None,
    ) -> None:
        """See Journal."""
        assert self.loop is not None
        if self.finished:
            return
        event = self.stamp(talk, actor, body)
        if self.apply is not None:
            self.apply(event, body)
        events = self._inline.append([event])
        self._last += 1
        self.loop.call_soon(self.deliver, [(on_durable, event) for event in events])

    async def seal(self, name: str, value: dict[str, str]) -> None:
        """See Journal."""
        self._inline.seal(name, value)


def bodies(record: Record, kind: str) -> list[dict[str, object]]:
    """The bodies of all events of a kind, in the order of the record, without their salts."""
    events = record.events(kind=kind)
    return [{k: v for k, v in event.body.items() if k != "salt"} for event in events]
