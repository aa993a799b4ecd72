"""The journal of a rehearsal: `contest.record.journal.Journal` without its writer thread.

Events wait on the virtual clock for as long as a commit to disk takes, and are then committed
together; events still waiting when the server dies are lost, as on a real disk. Committed keys are
written to the database in large groups, because separate transactions would take most of a
rehearsal's time.
"""

from __future__ import annotations

import asyncio
import datetime as dt
from collections.abc import Sequence
from typing import Any

from msgspec.structs import replace

from contest.errors import RecordTrouble
from contest.record.bodies import AnyBody
from contest.record.events import Event
from contest.record.journal import RETRY, Journal, OnDurable
from contest.record.store import Record
from lpp.clock import Clock

#: Seconds of contest time that a commit takes: as on a solid-state disk with `synchronous=FULL`.
COMMIT = 0.005
#: How many keys are written to the database together.
BATCH = 2000


class RehearsalJournal(Journal):
    """A journal on the virtual clock.

    Arguments:
        record: where events are written.
        clock: the contest's clock.
        begins: the date and time at which the loop's clock was 0, for the label of each event.

    Attributes:
        full: whether the disk is full, so that nothing can be written.
    """

    def __init__(self, record: Record, clock: Clock, begins: dt.datetime) -> None:
        super().__init__(record, clock)
        self._placed = record.chains.copy()
        self._committed: list[Event] = []
        self._begins = begins
        self._timer: asyncio.TimerHandle | None = None
        self._dead = False
        self.full = False

    async def __aenter__(self) -> RehearsalJournal:
        self.loop = asyncio.get_running_loop()
        return self

    async def close(self) -> None:
        """Writes the remaining events."""
        if self._timer is not None:
            self._timer.cancel()
            self._commit()
        self.crash()
        await asyncio.sleep(0)  # let the callbacks of these events run

    def crash(self) -> None:
        """Simulates a crash of the server: events that are not committed are lost."""
        if self._timer is not None:
            self._timer.cancel()
        self.queue.clear()
        self._dead = True
        self._store()

    async def flush(self) -> None:
        """See Journal. A dead server doesn't wait."""
        if not self._dead:
            await super().flush()

    def heads(self, talks: Sequence[str] | None = None) -> dict[str, Any]:
        """See Journal."""
        return self._placed.heads(talks)

    def stamp(self, talk: str | None, actor: str, body: AnyBody) -> Event:
        """See Journal; the time of day is the contest's."""
        assert self.loop is not None
        now = self._begins + dt.timedelta(seconds=self.loop.time())
        at = now.isoformat(timespec="microseconds").replace("+00:00", "Z")
        return replace(super().stamp(talk, actor, body), at=at)

    def write(
        self, talk: str | None, actor: str, body: AnyBody, on_durable: OnDurable | None = None
    ) -> None:
        """See Journal. A dead server writes nothing."""
        if not self._dead:
            super().write(talk, actor, body, on_durable)
            self._commit_in(COMMIT)

    def _commit_in(self, seconds: float) -> None:
        if self._timer is None and self.queue:
            assert self.loop is not None
            self._timer = self.loop.call_later(seconds, self._commit)

    def _commit(self) -> None:
        self._timer = None
        if self.full:
            # The events wait, and so do later events that report the problem.
            self._commit_in(RETRY)
            full = f"{self.record.name}: the record can't be used (disk full)"
            self.report_trouble(RecordTrouble(full))
            return
        group = list(self.queue)
        self.queue.clear()
        events = [self._placed.place(event) for event, _ in group]
        self._committed += events
        if len(self._committed) >= BATCH or any(event.talk is None for event in events):
            self._store()
        self.deliver([(call, event) for (_, call), event in zip(group, events, strict=True)])

    def _store(self) -> None:
        committed, self._committed = self._committed, []
        self.record.append_placed(committed)
