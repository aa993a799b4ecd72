"""The record under asyncio: one writer thread, group commits, and a callback when a key is durable.

A single key is committed at once. Under load, commits begin at least `INTERVAL` seconds apart and
are shared by many keys, because a commit costs as much as twenty keys do.
"""

from __future__ import annotations

import asyncio
import datetime as dt
import logging
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from contest.errors import ContestError, JournalFailed, RecordTrouble
from contest.record.bodies import SALTED, AnyBody, to_json
from contest.record.events import Event, salts
from contest.record.store import Copy, Record
from lpp.clock import Clock

log = logging.getLogger(__name__)

#: The maximum number of events in one commit, so that the first of them doesn't wait for long.
GROUP = 500
#: The minimum time in seconds between the beginnings of two commits; the second value applies after
#: a commit of `MANY` events or more, when more are likely to come.
INTERVAL, BUSY_INTERVAL = 0.004, 0.01
MANY = 20
#: Seconds before a group that could not be written is retried.
RETRY = 1.0

OnDurable: TypeAlias = Callable[[Event], None]


class Journal:
    """Stamps and writes events.

    Use as `async with Journal(record, clock) as journal:`.

    Arguments:
        record: where events are written; from now on only the writer thread may use it.
        clock: the contest's clock, for `mono_ns`.
        copy: a second copy to keep up to date; its problems never delay a key.
        on_trouble: called on the loop when a group could not be written. The group is kept and
            retried every `RETRY` seconds, and nobody sees its events until then. Called with
            JournalFailed when a bug of ours has ended the writer thread.
        finished: whether the record already has its last event; then nothing is written.

    Attributes:
        watchers: called on the loop with each event once it is durable.
        apply: called with each event as it is accepted, in the order of the record, before it has a
            hash. This keeps the state up to date.
        durable: the number of the last event that is durable and was delivered.
        trouble: why the last group could not be written; empty if it could.
        failure: why nothing is written any more; None while the thread lives.
        failed: set with `failure`.
        record: where events are written.
        loop: where callbacks run.
        queue: events waiting to be written. A journal with a writer other than the thread takes
            them from here, and calls `deliver` or `report_trouble` on the loop.
    """

    def __init__(
        self,
        record: Record,
        clock: Clock,
        copy: Copy | None = None,
        on_trouble: Callable[[ContestError], None] | None = None,
        finished: bool = False,
    ) -> None:
        self.record = record
        self.loop: asyncio.AbstractEventLoop | None = None
        self.queue: deque[tuple[Event, OnDurable | None]] = deque()
        self.clock = clock
        self._copy = copy
        self.on_trouble = on_trouble
        self.finished = finished
        self.watchers: list[OnDurable] = []
        self.apply: Callable[[Event, AnyBody], None] | None = None
        # The number of the last event that was accepted.
        self._last = self.durable = record.chains.last_seq
        self.trouble = ""
        self.failure: JournalFailed | None = None
        self.failed = asyncio.Event()
        self._salts = salts()
        self._wake = threading.Condition()
        # Whether the thread is asleep: waking it is expensive, so do it only then.
        self._asleep = False
        self._closing = False
        self._retries = False
        self._thread: threading.Thread | None = None
        self._more_delivered = asyncio.Event()

    async def __aenter__(self) -> Journal:
        self.loop = asyncio.get_running_loop()
        self._thread = threading.Thread(target=self._work, name="contest-journal", daemon=True)
        self._thread.start()
        return self

    async def __aexit__(self, *exc_info: object) -> None:
        await self.close()

    @property
    def copy_state(self) -> str | None:
        """The state of the second copy: `kept`, `behind`, or None if there is no copy."""
        if self._copy is None:
            return None
        return "behind" if self._copy.trouble else "kept"

    async def close(self) -> None:
        """Writes the remaining events and ends the thread."""
        with self._wake:
            self._closing = True
            self._wake.notify()
        if self._thread is not None:
            await asyncio.to_thread(self._thread.join)
            # Let the thread's last callbacks run before this returns.
            await asyncio.sleep(0)

    def write(
        self,
        talk: str | None,
        actor: str,
        body: AnyBody,
        on_durable: OnDurable | None = None,
    ) -> None:
        """Appends an event with the present time.

        Arguments:
            talk: the chain; None is the contest's own.
            actor: who did it.
            body: what happened.
            on_durable: called on the loop, in order, once the event is durable.
        """
        if self.finished:
            log.info("not recorded, because the contest is over: %s %s", actor, body.kind)
            return
        if self._closing and self.failure is None:
            raise RuntimeError("the journal is closed")
        event = self.stamp(talk, actor, body)
        if self.apply is not None:
            self.apply(event, body)
        if self.failure is not None:
            log.debug("not recorded, because the writer has failed: %s %s", actor, body.kind)
            return
        # Append first, then check whether the thread is asleep. The thread does the same in the
        # opposite order, so either it sees the event or we see it asleep.
        self.queue.append((event, on_durable))
        if self._asleep:
            with self._wake:
                self._wake.notify()
        self._last += 1

    def stamp(self, talk: str | None, actor: str, body: AnyBody) -> Event:
        """Makes the next event, with the present time, and a salt if it may have to be withheld."""
        plain = to_json(body)
        if body.kind in SALTED:
            plain["salt"] = next(self._salts)
        return Event(
            self._last + 1,
            talk,
            dt.datetime.now(dt.UTC).isoformat(timespec="microseconds").replace("+00:00", "Z"),
            round(self.clock.now() * 1e9),
            actor,
            body.kind,
            plain,
        )

    async def write_and_wait(self, talk: str | None, actor: str, body: AnyBody) -> Event:
        """Appends an event and waits until it is durable.

        Raises:
            JournalFailed: if nothing is written any more.
        """
        durable: list[Event] = []
        number = self._last + 1
        self.write(talk, actor, body, durable.append)
        await self._until(number)
        return durable[0]

    async def flush(self) -> None:
        """Waits until everything written so far is durable and delivered.

        Raises:
            JournalFailed: if nothing is written any more.
        """
        await self._until(self._last)

    async def _until(self, number: int) -> None:
        """Waits until the event with this number is durable and delivered."""
        while self.durable < number:
            if self.failure is not None:
                raise self.failure
            await self._more_delivered.wait()

    async def finish(self, actor: str, last: Callable[[dict[str, Any]], AnyBody]) -> Event:
        """Writes the record's last event; anything written afterwards is dropped.

        Arguments:
            actor: who ends the record.
            last: makes the body of the last event from the heads of all talks.

        Returns:
            The event.

        Raises:
            JournalFailed: if nothing is written any more.
        """
        # If something is written between the flush and our turn, flush again.
        while self.durable < self._last:
            await self.flush()
        durable: list[Event] = []
        number = self._last + 1
        self.write(None, actor, last(self.heads()), durable.append)
        self.finished = True
        await self._until(number)
        return durable[0]

    async def seal(self, name: str, value: dict[str, str]) -> None:
        """Stores a sealed value, outside the chains."""
        await asyncio.to_thread(self.record.seal, name, value)
        if self._copy is not None:
            self._copy.add(())

    def heads(self, talks: Sequence[str] | None = None) -> dict[str, Any]:
        """The heads of the talks' chains, to be called after `flush`; all talks if left out."""
        return self.record.chains.heads(talks)

    def _work(self) -> None:
        try:
            self._write_groups()
        except BaseException as exc:  # noqa: BLE001 -- without this thread nothing is recorded
            self._call_on_loop(self._fail, exc)

    def _fail(self, bug: BaseException) -> None:
        self.failure = JournalFailed(
            "the record is no longer written because of a bug in this program "
            f"({type(bug).__name__}: {bug}); please report it with the lines above"
        )
        log.critical("the thread that writes the record has ended", exc_info=bug)
        self.failed.set()
        self._more_delivered.set()
        self.report_trouble(self.failure)

    def _write_groups(self) -> None:
        next_ = 0.0
        while True:
            with self._wake:
                self._asleep = True
                while not self._closing and (self._retries or not self.queue):
                    self._wake.wait(RETRY if self._retries else None)
                    self._retries = False
                self._asleep = False
                if not self.queue or (self._closing and self._retries):
                    return
            time.sleep(max(0.0, next_ - time.monotonic()))
            group = [self.queue.popleft() for _ in range(min(GROUP, len(self.queue)))]
            next_ = time.monotonic() + (INTERVAL if len(group) < MANY else BUSY_INTERVAL)
            try:
                events = self.record.append([event for event, _ in group])
            except RecordTrouble as exc:
                self.queue.extendleft(reversed(group))
                self._retries = True
                self._call_on_loop(self.report_trouble, exc)
                continue
            calls = [call for _, call in group]
            self._call_on_loop(self.deliver, list(zip(calls, events, strict=True)))
            # After the hand-over, so that durable events are shown even if the copy fails.
            if self._copy is not None:
                self._copy.add(events)

    def _call_on_loop(self, function: Callable[..., None], *args: object) -> None:
        assert self.loop is not None
        try:
            self.loop.call_soon_threadsafe(function, *args)
        except RuntimeError:  # the loop is closed: no callbacks are needed
            log.debug("events were written after the loop had ended")

    def deliver(self, written: list[tuple[OnDurable | None, Event]]) -> None:
        """Calls the callbacks of events that are durable."""
        if self.trouble:
            log.warning("the record can be written again")
            self.trouble = ""
        for call, event in written:
            self.durable = event.seq
            if call is not None:
                call(event)
            for watcher in self.watchers:
                watcher(event)
        self._more_delivered.set()
        self._more_delivered = asyncio.Event()

    def report_trouble(self, trouble: ContestError) -> None:
        """Reports that events can't be written now."""
        if str(trouble) != self.trouble:
            log.error("%s", trouble)
        # Not as `str`, so that pages can say it in other languages.
        self.trouble = trouble.args[0]
        if self.on_trouble is not None:
            self.on_trouble(trouble)
