"""The journal of a rehearsal: commits take a disk's time by the virtual clock, and none by ours.

It is `contest.journal.Journal` without the writer's thread, which a clock that jumps would leave
behind: what is written gathers for as long as a commit takes and is committed together, and what
gathers while the server dies is lost, as on a disk that it never reached.
"""

from __future__ import annotations

import asyncio
import datetime as dt
from dataclasses import replace

from contest.bodies import AnyBody
from contest.errors import RecordTrouble
from contest.events import Draft
from contest.journal import RETRY, Journal, OnDurable
from contest.record import Record
from lpp.clock import Clock

#: Seconds of the contest that a commit takes: a solid-state disk's, with `synchronous=FULL`.
COMMIT = 0.005


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
        self._inline = record
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
        self._dead = True
        await asyncio.sleep(0)  # what was written is told in this turn

    def die(self) -> None:
        """The server stops dead: what is not committed never will be."""
        if self._timer is not None:
            self._timer.cancel()
        self._queue.clear()
        self._dead = True

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
        self._inline.seal(name, value)

    def _commit_in(self, seconds: float) -> None:
        if self._timer is None and self._queue:
            assert self._loop is not None
            self._timer = self._loop.call_later(seconds, self._commit)

    def _commit(self) -> None:
        self._timer = None
        group = list(self._queue)
        self._queue.clear()
        try:
            if self.full:
                raise self._refusal()
            events = self._inline.append([draft for draft, _ in group])
        except RecordTrouble as exc:
            # Back to the front first: the pause that the trouble brings comes after what it held.
            self._queue.extendleft(reversed(group))
            self._commit_in(RETRY)
            self._troubled(exc)
            return
        self._deliver([(call, event) for (_, call), event in zip(group, events, strict=True)])

    def _refusal(self) -> RecordTrouble:
        return RecordTrouble(f"{self._inline.name}: the record can't be used (disk full)")
