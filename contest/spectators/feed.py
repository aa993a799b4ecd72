"""The feed: what the audience sees, by the contest's clock, and who watches.

Every key is shown exactly the delay after it was received, in steps of 100 ms of the audience's
time: what was received within a step comes out when the step is as old as the delay. A step comes
out only when all that was received in it is durable, so that no key is late. So the same keys give
the same frames at the same times, whoever pressed them.

Nothing runs while nobody watches; then what has come out of the delay is taken in as events come.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from contextlib import asynccontextmanager

from contest.errors import ContestError
from contest.record import bodies
from contest.record.events import Event
from contest.results.outcome import Outcome
from contest.spectators import frames
from contest.spectators.delay import DelayLine
from contest.spectators.show import AT_ONCE, DELAYED, Show
from contest.spectators.viewer import Numbered, Viewer
from lpp.clock import Clock

log = logging.getLogger(__name__)

#: Seconds of the audience's time in a step.
STEP = 0.1
#: Steps after which what was missed is not played out but shown as it stands: the machine slept.
CATCH_UP = 10
#: Steps without anything to say after which a sign of life is sent.
LIFE_EVERY = 50
#: Viewers who are handed a frame in one turn of the loop: between turns keys of others are served.
BATCH = 25
#: Viewers at once: fewer than the connections that a server takes, for seats come first.
MOST_VIEWERS = 3000

_SECOND = 1_000_000_000
_WANTED = AT_ONCE | DELAYED


class Full(Exception):
    """So many watch that nobody more can."""


class Feed:
    """What the audience sees.

    Arguments:
        clock: the contest's.
        speed: seconds of contest time in a second of the audience's.
        delay: by how many seconds of the audience's time it sees things later.
        past: gives the events of the record so far, as far as the feed needs any; called in
            another thread.
        settled: returns when all that was written before is durable and told.
        outcome: gives what is revealed of the result; called in another thread.
    """

    def __init__(
        self,
        clock: Clock,
        speed: float,
        delay: float,
        past: Callable[[], Iterable[Event]],
        settled: Callable[[], Awaitable[None]],
        outcome: Callable[[], Outcome],
    ) -> None:
        self._clock = clock
        self._past = past
        self._settle = settled
        self._reveal = outcome
        self._delay_ns = round(delay * speed * _SECOND)
        self._step_ns = round(STEP * speed * _SECOND)
        self._show = Show(speed)
        self._line = DelayLine()
        self._viewers: set[Viewer] = set()
        self._lock = asyncio.Lock()
        # What was durable while the past was read; None where nothing is read and nothing known.
        self._meanwhile: list[Event] | None = None
        self._is_open = False
        self._last_seq = 0
        # The end of the last step that came out: before all time, as long as none has.
        self._horizon = -(1 << 62)
        self._settled_ns = 0
        self._step = 0
        self._quiet = 0
        self._phase: frames.Phase | None = None
        self._whole: Numbered | None = None
        self._outcome, self._revealed = Outcome(), 0
        self._running: list[asyncio.Task[None]] = []

    @property
    def viewers(self) -> int:
        """How many watch."""
        return len(self._viewers)

    @property
    def version(self) -> int:
        """Another one whenever what is revealed, or may be published, can have changed."""
        return self._show.noted

    def event(self, event: Event) -> None:
        """Takes an event that is durable."""
        if self._is_open:
            self._take(event)
            if not self._running:
                self._release(event.mono_ns - self._delay_ns)
                self._show.fresh()  # nobody is to be told
        elif self._meanwhile is not None:
            self._meanwhile.append(event)

    async def whole(self) -> tuple[frames.Whole, Outcome]:
        """All that there is to see now."""
        await self._open()
        await self._look_at_outcome()
        if not self._running:
            self._horizon = max(self._horizon, self._due())
            self._release(self._horizon)
        return self._seen(), self._outcome

    @asynccontextmanager
    async def watched(self) -> AsyncIterator[Viewer]:
        """Somebody watches while the context is open.

        Raises:
            Full: if too many do.
        """
        if len(self._viewers) >= MOST_VIEWERS:
            raise Full
        await self.whole()
        viewer = Viewer(self._numbered)
        self._viewers.add(viewer)
        self._start()
        try:
            yield viewer
        finally:
            self._viewers.discard(viewer)
            if not self._viewers:
                await self._stop()

    # Events

    async def _open(self) -> None:
        """Reads what has happened before anybody wanted to see it."""
        async with self._lock:
            if self._is_open:
                return
            self._meanwhile = []
            try:
                past = await asyncio.to_thread(lambda: list(self._past()))
                for event in (*past, *self._meanwhile):
                    self._take(event)
            finally:
                self._meanwhile = None
            self._is_open = True

    def _take(self, event: Event) -> None:
        if event.seq <= self._last_seq or event.kind not in _WANTED:
            return
        self._last_seq = event.seq
        if event.kind in AT_ONCE or event.kind == bodies.TalkOpened.kind:
            self._show.note(bodies.from_json(event.kind, event.body))
            self._whole = None
        if event.kind in DELAYED:
            self._line.add(event)

    def _release(self, until_ns: int) -> None:
        for event in self._line.release(until_ns):
            self._show.take(event, bodies.from_json(event.kind, event.body))
            self._whole = None

    def _due(self) -> int:
        """The end of the last step that may come out, by the contest's clock in nanoseconds."""
        now = round(self._clock.now() * _SECOND)
        # When the sides are revealed there is nothing left to be kept from anybody.
        latest = now - (0 if self._show.sides_revealed else self._delay_ns)
        return (
            min(latest, self._settled_ns if self._running else latest)
            // self._step_ns
            * (self._step_ns)
        )

    # What is seen

    def _seen(self) -> frames.Whole:
        return self._show.whole(self._horizon, self._outcome.html, self._outcome.complete)

    def _numbered(self) -> Numbered:
        """All that there is to see, as text: made once for all who want it."""
        if self._whole is None:
            self._whole = Numbered(self._step, frames.encode(self._seen()))
        return self._whole

    async def _look_at_outcome(self) -> None:
        async with self._lock:
            noted = self._show.noted
            if noted == self._revealed or not self._show.sides_revealed:
                return
            try:
                self._outcome = await asyncio.to_thread(self._reveal)
            except ContestError as exc:
                log.error("the result can't be shown to the audience: %s", exc)
            self._revealed, self._whole, self._show.redrawn = noted, None, True

    # By the clock

    def _start(self) -> None:
        if not self._running:
            self._settled_ns = self._horizon
            self._phase, self._show.redrawn = self._show.at(self._horizon), False
            self._show.fresh()
            self._running = [
                asyncio.create_task(self._watch_settling(), name="what is durable"),
                asyncio.create_task(self._run(), name="steps of the audience"),
            ]
            for task in self._running:
                task.add_done_callback(_complain)

    async def _stop(self) -> None:
        running, self._running = self._running, []
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)

    async def _watch_settling(self) -> None:
        while True:
            now = round(self._clock.now() * _SECOND)
            await self._settle()
            self._settled_ns = now
            await self._clock.sleep(self._step_ns / _SECOND)

    async def _run(self) -> None:
        while True:
            await self._clock.sleep(self._wait())
            await self._look_at_outcome()
            due = self._due()
            if due - self._horizon > CATCH_UP * self._step_ns:
                self._horizon = due
                self._release(due)
                self._show.redrawn = True
            while self._horizon < due:
                self._horizon += self._step_ns
                self._release(self._horizon)
                await self._tell()
            if self._show.redrawn:
                await self._tell()

    def _wait(self) -> float:
        """Seconds of contest time until the next step."""
        now = round(self._clock.now() * _SECOND)
        ready = self._horizon + self._step_ns
        ready += 0 if self._show.sides_revealed else self._delay_ns
        if ready <= now:
            # It is time, but not all is durable yet, or much is to be made up for.
            return self._step_ns / 10 / _SECOND
        return (ready - now) / _SECOND

    async def _tell(self) -> None:
        """Tells all viewers what has changed in a step."""
        fresh, phase = self._show.fresh(), self._show.at(self._horizon)
        told: list[frames.Frame] = []
        if self._show.redrawn:
            self._show.redrawn = False
            self._whole = None
            told = [self._seen()]
        else:
            before = self._phase
            if before is None or _differ(before, phase, self._step_ns):
                told.append(phase)
            if fresh is not None:
                told.append(fresh)
        self._phase = phase
        self._quiet = 0 if told else self._quiet + 1
        texts = [frames.encode(frame) for frame in told]
        if self._quiet >= LIFE_EVERY:
            self._quiet = 0
            texts = [frames.NOTHING]
        if texts:
            self._step += 1
            self._whole = None
            await self._hand_out([Numbered(self._step, text) for text in texts])

    async def _hand_out(self, told: list[Numbered]) -> None:
        for count, viewer in enumerate(tuple(self._viewers), 1):
            for each in told:
                viewer.put(each)
            if count % BATCH == 0:
                await asyncio.sleep(0)


def _complain(task: asyncio.Task[None]) -> None:
    if not task.cancelled() and (error := task.exception()) is not None:
        log.error("the audience's page has stopped (this is a bug)", exc_info=error)


def _differ(before: frames.Phase, now: frames.Phase, step_ns: int) -> bool:
    """Whether a viewer's own countdown would go wrong: all but the time that has passed."""
    if (before.phase, before.round, before.attempt, before.words, before.runs) != (
        *(now.phase, now.round, now.attempt, now.words, now.runs),
    ):
        return True
    if before.remaining_ms is None or now.remaining_ms is None:
        return before.remaining_ms is not now.remaining_ms
    passed = before.remaining_ms - now.remaining_ms
    expected = step_ns / 1_000_000 if before.runs else 0
    return abs(passed - expected) > 2 * step_ns / 1_000_000
