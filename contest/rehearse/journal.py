"""The journal of a rehearsal: a commit takes a disk's time on the virtual clock.

It is `contest.record.journal.Journal` without the writer's thread. Events wait for as long as a
commit takes and are committed together; events that wait while the server dies are lost, as on a
real disk. Committed events go to the database in large groups, because a transaction for each key
would take most of a rehearsal's time.
"""

from __future__ import annotations

import asyncio
import datetime as dt
from collections.abc import Callable, Sequence
from typing import Any

from msgspec.structs import replace

from contest.errors import RecordTrouble
from contest.record.bodies import AnyBody
from contest.record.events import Event
from contest.record.journal import RETRY, Journal, OnDurable
from contest.record.store import Record
from lpp.clock import Clock

#: Seconds of the contest that a commit takes: a solid-state disk's, with `synchronous=FULL`.
COMMIT = 0.005
#: Events that are put into the database at once.
AT_ONCE = 2000


class RehearsalJournal(Journal):
    """A journal on the virtual clock.

    Arguments:
        record: where events go; used on the loop's own thread.
        clock: the contest's clock.
        begins: the day and hour at which the loop's clock was 0, for the label of each event.

    Attributes:
        full: whether the disk is full: then nothing can be written.
    """

    def __init__(self, record: Record, clock: Clock, begins: dt.datetime) -> None:
        super().__init__(record, clock)
        self._database = record
        self._placed = record.chains.copy()
        self._committed: list[Event] = []
        self._begins = begins
        self._timer: asyncio.TimerHandle | None = None
        self._dead = False
        self.full = False

    async def __aenter__(self) -> RehearsalJournal:
        self._loop = asyncio.get_running_loop()
        return self

    async def close(self) -> None:
        """Writes what is left."""
        if self._timer is not None:
            self._timer.cancel()
            self._commit()
        self.die()
        await asyncio.sleep(0)  # those who wait for these events run in this turn

    def die(self) -> None:
        """The server stops dead: events that are not committed are lost."""
        if self._timer is not None:
            self._timer.cancel()
        self._queue.clear()
        self._dead = True
        self._store()

    def _store(self) -> None:
        committed, self._committed = self._committed, []
        self._database.take_over(committed)

    async def flushed(self) -> None:
        """See Journal. A dead server waits for nothing."""
        if not self._dead:
            await super().flushed()
            self._store()

    async def finish(self, actor: str, last: Callable[[dict[str, Any]], AnyBody]) -> Event:
        """See Journal."""
        event = await super().finish(actor, last)
        self._store()
        return event

    def heads(self, talks: Sequence[str] | None = None) -> dict[str, Any]:
        """See Journal."""
        return self._placed.heads(talks)

    def stamped(self, talk: str | None, actor: str, body: AnyBody) -> Event:
        """See Journal; the time of day is the contest's."""
        assert self._loop is not None
        now = self._begins + dt.timedelta(seconds=self._loop.time())
        at = now.isoformat(timespec="microseconds").replace("+00:00", "Z")
        return replace(super().stamped(talk, actor, body), at=at)

    def write(
        self,
        talk: str | None,
        actor: str,
        body: AnyBody,
        on_durable: OnDurable | None = None,
    ) -> None:
        """See Journal. A dead server writes nothing."""
        if not self._dead:
            super().write(talk, actor, body, on_durable)
            self._commit_in(COMMIT)

    async def seal(self, name: str, value: dict[str, str]) -> None:
        """See Journal."""
        if self.full:
            raise self._refusal()
        self._database.seal(name, value)

    def _commit_in(self, seconds: float) -> None:
        if self._timer is None and self._queue:
            assert self._loop is not None
            self._timer = self._loop.call_later(seconds, self._commit)

    def _commit(self) -> None:
        self._timer = None
        if self.full:
            # The events wait; those that tell of the trouble wait behind them.
            self._commit_in(RETRY)
            self._troubled(self._refusal())
            return
        group = list(self._queue)
        self._queue.clear()
        events = [self._placed.place(event) for event, _ in group]
        self._committed += events
        if len(self._committed) >= AT_ONCE:
            self._store()
        self._deliver([(call, event) for (_, call), event in zip(group, events, strict=True)])

    def _refusal(self) -> RecordTrouble:
        return RecordTrouble(f"{self._database.name}: the record can't be used (disk full)")
