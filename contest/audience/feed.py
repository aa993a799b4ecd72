"""The feed: what the audience sees, by the contest's clock, and who watches.

Every key is shown exactly the delay after it was received, in steps of 100 ms of the audience's
time: what was received within a step comes out when the step is as old as the delay. A step comes
out only when all that was received in it is durable, so that no key is late. So the same keys give
the same frames at the same times, whoever pressed them.

A viewer gets the keys of the desks that the viewer follows, in one message a step. Viewers who
follow the same desks share the message. Viewers who follow many get one message for several steps.

Nothing runs while nobody watches; then what has come out of the delay is taken in as events come.
"""

from __future__ import annotations

import asyncio
import logging
from bisect import bisect_right
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping
from contextlib import asynccontextmanager
from typing import TypeAlias

from contest.audience import frames
from contest.audience.delay import DelayLine
from contest.audience.show import AT_ONCE, DELAYED, Show
from contest.audience.viewer import Viewer
from contest.errors import ContestError
from contest.record import bodies
from contest.record.events import Event
from contest.results.revealing import Outcome
from contest.state.model import Talk
from lpp.clock import Clock

log = logging.getLogger(__name__)

#: Seconds of the audience's time in a step.
STEP = 0.1
#: Desks up to which a viewer gets each step; nobody can read more of them key by key.
FEW = 8
#: Steps that come together for viewers who follow more.
TOGETHER = 5
#: Steps after which a viewer who got nothing is sent a sign of life.
LIFE_EVERY = 50
#: Viewers who are handed their messages in one turn of the loop: between turns keys are served.
BATCH = 10
#: Desks that a viewer who begins to follow them is given in one step.
MOST_GIVEN = 16
#: Characters of talks so far that are encoded in one step, by all who begin to follow a desk.
MOST_ENCODED = 100_000
#: Viewers at once: fewer than the connections that a server takes, for seats come first.
MOST_VIEWERS = 3000

#: Events, or keys of a talk, that are taken in one turn of the loop when the feed is opened.
AT_ONCE_TAKEN = 500

_SECOND = 1_000_000_000
_WANTED = AT_ONCE | DELAYED

#: What came out of one step: judge to talk to what was typed.
Fresh: TypeAlias = dict[str, dict[str, frames.Typed]]


class Full(Exception):
    """So many watch that nobody more can."""


class Feed:
    """What the audience sees.

    Arguments:
        clock: the contest's.
        speed: seconds of contest time in a second of the audience's.
        delay: by how many seconds of the audience's time it sees things later.
        past: gives the events so far that the feed needs, of the key presses those alone that
            were received after a moment of the contest's clock, in nanoseconds; called in another
            thread.
        talks: the contest's talks, with the key presses received until then.
        settled: returns when all that was written before is durable and told.
        outcome: gives what is revealed of the result; called in another thread.
    """

    def __init__(
        self,
        clock: Clock,
        speed: float,
        delay: float,
        past: Callable[[int], Iterable[Event]],
        talks: Mapping[str, Talk],
        settled: Callable[[], Awaitable[None]],
        outcome: Callable[[], Outcome],
    ) -> None:
        self._clock = clock
        self._past = past
        self._talks = talks
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
        self._phase: frames.Phase | None = None
        self._whole: frames.Message | None = None
        self._on: tuple[str, ...] = ()
        # What came out since the last step of the slow pace, and when that and a sign of life were.
        self._gathered = _Typed()
        self._slow_at = self._life_at = 0
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
        """All that there is to see now, except what was typed."""
        await self._catch_up()
        return self._seen(), self._outcome

    @asynccontextmanager
    async def watched(self, follows: frozenset[str] | None = None) -> AsyncIterator[Viewer]:
        """Somebody watches while the context is open.

        Arguments:
            follows: the judges whose desks are wanted; None for all.

        Raises:
            Full: if too many do.
        """
        if len(self._viewers) >= MOST_VIEWERS:
            raise Full
        await self._catch_up()
        self._start()
        viewer = Viewer(self._message(), follows)
        self._viewers.add(viewer)
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
                # What was received by then has come out of the delay: it is in the talks once it is
                # durable, and need not be read from the record.
                until = self._due()
                await self._settle()
                past = await asyncio.to_thread(lambda: list(self._past(until)))
                for count, event in enumerate(past, 1):
                    self._take(event)
                    if count % AT_ONCE_TAKEN == 0:
                        await asyncio.sleep(0)
                await self._take_talks(until)
                for event in self._meanwhile:
                    if event.kind != bodies.Key.kind or event.mono_ns > until:
                        self._take(event)
            finally:
                self._meanwhile = None
            self._is_open = True

    async def _catch_up(self) -> None:
        """Takes what has come out of the delay while nobody watched."""
        await self._open()
        await self._look_at_outcome()
        if not self._running:
            self._horizon = max(self._horizon, self._due())
            self._release(self._horizon)

    async def _take_talks(self, until: int) -> None:
        """Takes what was typed until a moment in the attempt that was opened last."""
        for name in self._show.last_talks():
            talk = self._talks.get(name)
            count = 0 if talk is None else bisect_right(talk.shown_ns, until)
            for start in range(0, count, AT_ONCE_TAKEN):
                end = min(start + AT_ONCE_TAKEN, count)
                self._show.typed_before(name, self._talks[name].shown[start:end])
                await asyncio.sleep(0)

    def _take(self, event: Event) -> None:
        if event.seq <= self._last_seq or event.kind not in _WANTED:
            return
        self._last_seq = event.seq
        if event.kind in AT_ONCE or event.kind == bodies.TalkOpened.kind:
            self._show.note(event, bodies.from_json(event.kind, event.body))
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

    def _message(self) -> frames.Message:
        """All that there is to see but what was typed: made once for all who want it."""
        if self._whole is None:
            self._whole = frames.encode(self._seen())
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
            self._settled_ns, self._whole = self._horizon, None
            self._phase, self._show.redrawn = self._show.at(self._horizon), False
            self._on = self._show.open_desks()
            self._show.fresh()
            self._gathered = _Typed()
            self._slow_at = self._life_at = self._horizon
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
            if due > self._horizon:
                # After a stand-still several steps come out together.
                self._horizon = due
                self._release(due)
                await self._tell()
            elif self._show.redrawn:
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
        """Tells all viewers what has changed since they were told last."""
        fresh, phase = self._show.fresh(), self._show.at(self._horizon)
        before, self._phase, self._whole = self._phase, phase, None
        step = _Step(self._show, self._message, _Typed(fresh))
        if self._show.redrawn:
            self._show.redrawn = False
            self._on, self._gathered = self._show.open_desks(), _Typed()
            step.redrawn = True
        else:
            self._gathered.add(fresh)
            if before is None or _differ(before, phase, self._step_ns):
                step.phase = frames.encode(phase)
        step.on = self._on
        if self._horizon - self._slow_at >= TOGETHER * self._step_ns:
            self._slow_at = self._horizon
            step.gathered, self._gathered = self._gathered, _Typed()
        if self._horizon - self._life_at >= LIFE_EVERY * self._step_ns:
            self._life_at = self._horizon
            step.is_of_life = True
        for count, viewer in enumerate(tuple(self._viewers), 1):
            step.tell(viewer)
            if count % BATCH == 0:
                await asyncio.sleep(0)


class _Typed:
    """What came out of the delay: judge to talk to what was typed, in the order of both.

    Arguments:
        fresh: of one step, as `Show.fresh` has it.
    """

    def __init__(self, fresh: Fresh | None = None) -> None:
        self._typed: Fresh = {}
        self._made: dict[tuple[str, ...], frames.Message | None] = {}
        self.add(fresh or {})

    def add(self, fresh: Fresh) -> None:
        """Adds what came out of a later step."""
        for judge, talks in fresh.items():
            mine = self._typed.setdefault(judge, {})
            for talk, typed in talks.items():
                mine[talk] = [*mine.get(talk, []), *typed]

    def at(self, judges: tuple[str, ...]) -> frames.Message | None:
        """What was typed at some desks, made once for all who follow these; None for nothing."""
        if judges not in self._made:
            talks = {
                talk: self._typed[judge][talk]
                for judge in judges
                if judge in self._typed
                for talk in sorted(self._typed[judge])  # left before right
            }
            self._made[judges] = frames.encode(frames.Keys(talks)) if talks else None
        return self._made[judges]


class _Step:
    """What viewers are told in one step; each message is made when the first viewer needs it.

    Arguments:
        show: gives what was typed so far.
        whole: gives the message that takes the place of all before.
        fresh: what was typed in this step.

    Attributes:
        on: the judges whose desks are shown, in their order.
        redrawn: whether all viewers begin anew.
        phase: the phase, if it has changed.
        gathered: what was typed since the last step of the slow pace, if this is one.
        is_of_life: whether viewers who got nothing for long are sent a sign of life.
    """

    def __init__(self, show: Show, whole: Callable[[], frames.Message], fresh: _Typed) -> None:
        self._show = show
        self._whole = whole
        self._fresh = fresh
        self._talks: dict[str, frames.Message | None] = {}
        self._encoded = 0
        self.on: tuple[str, ...] = ()
        self.redrawn = False
        self.phase: frames.Message | None = None
        self.gathered: _Typed | None = None
        self.is_of_life = False

    def tell(self, viewer: Viewer) -> None:
        """Puts a viewer's messages."""
        if viewer.behind and not viewer.idle:
            return
        if viewer.behind or self.redrawn:
            viewer.begin_anew(self._whole())
        else:
            if self.phase is not None:
                viewer.put(self.phase)
            typed = self.gathered if viewer.slow else self._fresh
            keys = None if typed is None else typed.at(viewer.given)
            if keys is not None:
                viewer.put(keys)
        if viewer.is_lacking:
            self._give(viewer)
        if self.is_of_life:
            if viewer.quiet:
                viewer.put(frames.NOTHING)
            viewer.quiet = True

    def _give(self, viewer: Viewer) -> None:
        """Gives a viewer desks that were not followed before, as they stand after this step."""
        follows = viewer.follows
        wanted = tuple(judge for judge in self.on if follows is None or judge in follows)
        given = {judge for judge in viewer.given if judge in wanted}
        slow = len(wanted) > FEW
        # The pace changes only where both meet, or keys would be lost or doubled.
        if viewer.idle and (self.gathered is not None or not (slow or viewer.slow)):
            viewer.slow = slow
            lacking = [judge for judge in wanted if judge not in given]
            for judge in lacking[:MOST_GIVEN]:
                if not self._is_made(judge):
                    break
                talks = self._talks[judge]
                if talks is not None:
                    viewer.put(talks)
                given.add(judge)
            viewer.is_lacking = len(given) < len(wanted)
        viewer.given = tuple(judge for judge in wanted if judge in given)

    def _is_made(self, judge: str) -> bool:
        """Whether a desk's talks so far are encoded; encodes them, up to a limit for a step."""
        if judge not in self._talks:
            if self._encoded >= MOST_ENCODED:
                return False
            typed = self._show.typed(judge)
            made = frames.encode(frames.Talks(typed)) if typed else None
            self._encoded += 0 if made is None else len(made.text)
            self._talks[judge] = made
        return True


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
