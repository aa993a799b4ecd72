"""The journal of a rehearsal: commits take a disk's time by the virtual clock, and none by ours.

It is `contest.record.journal.Journal` without the writer's thread, which a clock that jumps would
leave behind: what is written gathers for as long as a commit takes and is committed together, and
what gathers while the server dies is lost, as on a disk that it never reached.

What was committed is put into the database many events at once, before anybody reads there and when
the server dies: a transaction for each key would take most of a rehearsal's time.
"""

from __future__ import annotations

import asyncio
import datetime as dt
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from contest.errors import RecordTrouble
from contest.record.bodies import AnyBody
from contest.record.events import Draft, Event
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
        full: whether the disk is: then nothing can be written.
    """

    def __init__(self, record: Record, clock: Clock, begins: dt.datetime) -> None:
        super().__init__(record, clock)
        self._database = record
        self._placed = record.chains.snapshot()
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
        self.put_away()
        self._dead = True
        await asyncio.sleep(0)  # what was written is told in this turn

    def die(self) -> None:
        """The server stops dead: what is not committed never will be."""
        if self._timer is not None:
            self._timer.cancel()
        self._queue.clear()
        self._dead = True
        self.put_away()

    def put_away(self) -> None:
        """Has all that was committed stand in the database."""
        committed, self._committed = self._committed, []
        self._database.take_over(committed)

    async def flushed(self) -> None:
        """See Journal. A server that is dead waits for nothing."""
        if self._dead:
            return
        await super().flushed()
        self.put_away()

    async def finish(self, actor: str, last: Callable[[dict[str, Any]], AnyBody]) -> Event:
        """See Journal."""
        event = await super().finish(actor, last)
        self.put_away()
        return event

    def heads(self, talks: Sequence[str] | None = None) -> dict[str, Any]:
        """See Journal."""
        return self._placed.heads(talks)

    def draft(self, talk: str | None, actor: str, body: AnyBody) -> Draft:
        """See Journal; the time of day is the contest's."""
        assert self._loop is not None
        now = self._begins + dt.timedelta(seconds=self._loop.time())
        at = now.isoformat(timespec="microseconds").replace("+00:00", "Z")
        return replace(super().draft(talk, actor, body), at=at)

    def write(
        self,
        talk: str | None,
        actor: str,
        body: AnyBody,
        on_durable: OnDurable | None = None,
    ) -> None:
        """See Journal. A server that is dead writes nothing."""
        if self._dead:
            return
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
            # What it holds waits, and what comes with the trouble waits behind it.
            self._commit_in(RETRY)
            self._troubled(self._refusal())
            return
        group = list(self._queue)
        self._queue.clear()
        events = [self._placed.place(draft) for draft, _ in group]
        self._committed += events
        if len(self._committed) >= AT_ONCE:
            self.put_away()
        self._deliver([(call, event) for (_, call), event in zip(group, events, strict=True)])

    def _refusal(self) -> RecordTrouble:
        return RecordTrouble(f"{self._database.name}: the record can't be used (disk full)")
