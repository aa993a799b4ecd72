"""The feed: what the audience sees, by the contest's clock, and the viewers.

Every key is shown exactly the delay after it was received, in steps of 100 ms of the audience's
time: what was received within a step comes out when the step is as old as the delay. A step comes
out only when all that was received in it is durable, so no key is late, and the same keys give the
same frames at the same times, no matter who pressed them.

What was typed is read from the contest's talks, which are in memory: each talk has a position up to
which it has come out of the delay. A viewer gets the keys of the desks that the viewer follows, in
one message a step. Viewers who follow the same desks share the message. Viewers who follow many get
one message for several steps.

Nothing runs while nobody watches.
"""

from __future__ import annotations

import asyncio
import logging
from bisect import bisect_right
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager

from msgspec.structs import replace

from contest.audience import frames
from contest.audience.frames import Message
from contest.audience.show import Show
from contest.errors import ContestError
from contest.record import bodies
from contest.record.bodies import AnyBody
from contest.record.events import Event
from contest.results.page import Outcome
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
#: Keys of a talk in one message about what was typed so far.
PART = 2500
#: Keys of talks so far that are encoded in one step, for all who begin to follow a desk.
MOST_ENCODED = 10_000
#: Viewers at once: fewer than the connections that a server takes, for seats come first.
MOST_VIEWERS = 3000
#: Messages that may wait for a slow viewer: some five seconds of them.
QUEUE = 50
#: Events that are taken in one turn of the loop.
AT_ONCE_TAKEN = 200

_SECOND = 1_000_000_000


class Full(Exception):
    """So many watch that nobody more can."""


class Viewer:
    """A viewer's desks, and the messages that wait to be sent.

    Their number is bounded. A viewer who falls behind starts over, with all that there is to see
    then.

    Arguments:
        whole: the first message.
        follows: the judges whose desks are wanted; None for all.

    Attributes:
        follows: the same; changed by `follow`.
        given: the judges whose desks the viewer has, in the order of the desks.
        begun: of a desk that is given in parts: judge to the position reached in each talk.
        is_lacking: whether `given` may differ from what the viewer follows.
        slow: whether these are so many that they come at the slow pace.
        behind: whether messages were dropped since the last whole.
        idle: whether all that was put is handed to the network.
        quiet: whether nothing was put since this was last set.
    """

    def __init__(self, whole: Message, follows: frozenset[str] | None) -> None:
        self.follows = follows
        self.given: tuple[str, ...] = ()
        self.begun: dict[str, tuple[int, ...]] = {}
        self.is_lacking = True
        self.slow = self.behind = self.idle = self.quiet = False
        self._waiting = deque([whole])
        self._wake = asyncio.Event()

    def follow(self, judges: frozenset[str] | None) -> None:
        """Follows other desks from the next step on."""
        self.follows = judges
        self.is_lacking = True

    def put(self, message: Message) -> None:
        """Adds a message; never blocks. Once too many wait, all are dropped, and so is what comes
        before `start_over`."""
        if len(self._waiting) >= QUEUE:
            self._waiting.clear()
            self.given, self.behind = (), True
        if not self.behind:
            self.quiet = False
            self._waiting.append(message)
            self._wake.set()

    def start_over(self, whole: Message) -> None:
        """Adds a message that takes the place of all before."""
        self.given, self.begun = (), {}
        self.is_lacking, self.slow, self.behind = True, False, False
        self.put(whole)

    async def next(self) -> Message:
        """The next message to send; waits for it."""
        while not self._waiting:
            self._wake.clear()
            self.idle = True
            await self._wake.wait()
        self.idle = False
        return self._waiting.popleft()


class _Pace:
    """What comes out at a pace: each step, or several steps together.

    Arguments:
        talks: the contest's.
        steps: how many come together.

    Attributes:
        is_due: whether something comes out in this step.
        upto: talk to the position up to which it has come out.
    """

    def __init__(self, talks: Mapping[str, Talk], steps: int) -> None:
        self._talks, self._steps = talks, steps
        self._count = 0
        self.is_due = False
        self.upto: dict[str, int] = {}
        self._from: dict[str, int] = {}
        self._made: dict[tuple[str, ...], Message | None] = {}

    def begin(self, desks: Mapping[str, list[str]], horizon: int) -> None:
        """Begins at a step: all that was received by then has come out."""
        names = [name for talks in desks.values() for name in talks]
        times = {name: self._talks[name].shown_ns for name in names if name in self._talks}
        self.upto = self._from = {name: bisect_right(ns, horizon) for name, ns in times.items()}
        self._count, self.is_due, self._made = 0, True, {}

    def step(self, horizon: int) -> None:
        """Goes on to the next step, which ends at a moment of the contest's clock."""
        self._count += 1
        self.is_due = self._count % self._steps == 0
        if not self.is_due:
            return
        self._from, self._made, self.upto = self.upto, {}, {}
        for name, end in self._from.items():
            times = self._talks[name].shown_ns
            self.upto[name] = bisect_right(times, horizon, end)

    def keys(self, desks: Mapping[str, list[str]], judges: tuple[str, ...]) -> Message | None:
        """What came out in this step at some desks, made once for all who follow these; None for
        nothing."""
        if judges not in self._made:
            talks = {
                name: frames.typed(self._talks[name].shown[self._from[name] : self.upto[name]])
                for judge in judges
                for name in desks[judge]
                if self._from.get(name, 0) < self.upto.get(name, 0)
            }
            self._made[judges] = frames.encode(frames.Keys(talks)) if talks else None
        return self._made[judges]


class Feed:
    """What the audience sees.

    Arguments:
        clock: the contest's.
        speed: seconds of contest time in a second of the audience's.
        delay: by how many seconds of the audience's time it sees things later.
        events: all durable events but key presses and their times; grows.
        talks: the contest's talks, with their keys as they are received.
        settled: returns when all that was written before is durable and told.
        outcome: gives what is revealed of the result; called in another thread.
    """

    def __init__(
        self,
        clock: Clock,
        speed: float,
        delay: float,
        events: Sequence[Event],
        talks: Mapping[str, Talk],
        settled: Callable[[], Awaitable[None]],
        outcome: Callable[[], Outcome],
    ) -> None:
        self._clock = clock
        self._events, self._talks = events, talks
        self._settled = settled
        self._reveal = outcome
        self._delay_ns = round(delay * speed * _SECOND)
        self._step_ns = round(STEP * speed * _SECOND)
        self._show = Show(speed)
        self._noted = 0
        #: Events that wait for the delay to pass.
        self._line: deque[tuple[Event, AnyBody]] = deque()
        self._viewers: set[Viewer] = set()
        self._lock = asyncio.Lock()
        # The end of the last step that came out: before all time, as long as none has.
        self._horizon = -(1 << 62)
        # Until when all that was received is known to be durable.
        self._settled_ns = 0
        self._phase: frames.Phase | None = None
        self._whole: Message | None = None
        self._desks: dict[str, list[str]] = {}
        self._fast, self._slow = _Pace(talks, 1), _Pace(talks, TOGETHER)
        self._steps = 0
        # In a step: the messages about what was typed so far, by judge and position, and how many
        # keys they have.
        self._parts: dict[tuple[str, tuple[int, ...]], Message] = {}
        self._encoded = 0
        self._outcome, self._revealed = Outcome(), 0
        self._running: list[asyncio.Task[None]] = []

    @property
    def viewers(self) -> int:
        """How many watch."""
        return len(self._viewers)

    @property
    def version(self) -> int:
        """Changes whenever what is revealed, or may be published, can have changed."""
        return self._show.version

    async def whole(self) -> tuple[frames.Whole, Outcome]:
        """All that there is to see now, except what was typed.

        Raises:
            ContestError: if the record can't be written or read.
        """
        await self._catch_up()
        whole = self._show.whole(self._horizon, self._outcome.html, self._outcome.complete)
        return whole, self._outcome

    @asynccontextmanager
    async def watched(self, follows: frozenset[str] | None = None) -> AsyncIterator[Viewer]:
        """Somebody watches while the context is open.

        Arguments:
            follows: the judges whose desks are wanted; None for all.

        Raises:
            Full: if too many do.
            ContestError: see `whole`.
        """
        if len(self._viewers) >= MOST_VIEWERS:
            raise Full
        await self._catch_up()
        if not self._running:
            self._begin()
            self._phase = self._show.at(self._horizon)
            self._running = [
                asyncio.create_task(self._keep(self._watch_settling), name="what is durable"),
                asyncio.create_task(self._keep(self._step), name="steps of the audience"),
            ]
        viewer = Viewer(self._message(), follows)
        self._viewers.add(viewer)
        try:
            yield viewer
        finally:
            self._viewers.discard(viewer)
            if not self._viewers:
                running, self._running = self._running, []
                for task in running:
                    task.cancel()
                await asyncio.gather(*running, return_exceptions=True)

    async def _catch_up(self) -> None:
        """Takes what has happened while nobody watched."""
        if not self._running:
            await self._watch_settling()
            await self._advance()

    async def _watch_settling(self) -> None:
        now = round(self._clock.now() * _SECOND)
        await self._settled()
        self._settled_ns = now

    async def _advance(self) -> None:
        """Takes all that has happened, and of it what has come out of the delay by now."""
        async with self._lock:
            while self._noted < len(self._events):
                event = self._events[self._noted]
                self._noted += 1
                body = bodies.from_json(event.kind, event.body)
                self._show.note(event, body)
                self._line.append((event, body))
                if self._noted % AT_ONCE_TAKEN == 0:
                    await asyncio.sleep(0)
            # When the sides are revealed, nothing is left to be held back.
            delay = 0 if self._show.sides_revealed else self._delay_ns
            # What is received at the moment that was asked for, or later, may not be durable.
            due = min(round(self._clock.now() * _SECOND) - delay, self._settled_ns - 1)
            self._horizon = max(self._horizon, due // self._step_ns * self._step_ns)
            while self._line and self._line[0][0].mono_ns <= self._horizon:
                self._show.take(*self._line.popleft())
            await self._look_at_outcome()
            self._whole = None

    async def _look_at_outcome(self) -> None:
        version = self._show.version
        if version == self._revealed or not self._show.sides_revealed:
            return
        try:
            self._outcome = await asyncio.to_thread(self._reveal)
        except ContestError as exc:
            log.error("the result can't be shown to the audience: %s", exc)
        self._revealed, self._show.redrawn = version, True

    def _message(self) -> Message:
        """All that there is to see but what was typed: made once for all who want it."""
        if self._whole is None:
            self._whole = frames.encode(
                self._show.whole(self._horizon, self._outcome.html, self._outcome.complete)
            )
        return self._whole

    # By the clock

    async def _keep(self, work: Callable[[], Awaitable[None]]) -> None:
        """Does something at each step, as long as somebody watches."""
        try:
            while True:
                await self._clock.sleep(self._wait())
                await work()
        except ContestError as exc:
            log.error("nothing more can be shown to the audience: %s", exc)
        except Exception:
            log.exception("the audience's page has stopped (this is a bug)")

    async def _step(self) -> None:
        before = self._horizon
        await self._advance()
        if self._horizon > before or self._show.redrawn:
            await self._tell()

    def _wait(self) -> float:
        """Seconds of contest time until the next step."""
        now = round(self._clock.now() * _SECOND)
        delay = 0 if self._show.sides_revealed else self._delay_ns
        # After a stand-still, or while the record is slow, the step is overdue.
        return max(self._horizon + self._step_ns + delay - now, self._step_ns // 10) / _SECOND

    def _begin(self) -> None:
        """Makes all viewers start over at this step."""
        self._show.redrawn = False
        self._desks = self._show.open_desks()
        for pace in (self._fast, self._slow):
            pace.begin(self._desks, self._horizon)

    async def _tell(self) -> None:
        """Tells all viewers what has changed since they were told last."""
        phase, before = self._show.at(self._horizon), self._phase
        self._phase, changed, redrawn = phase, None, self._show.redrawn
        if redrawn:
            self._begin()
        else:
            self._fast.step(self._horizon)
            self._slow.step(self._horizon)
            if before is None or _differ(before, phase, self._step_ns):
                changed = frames.encode(phase)
        self._parts, self._encoded = {}, 0
        self._steps += 1
        for count, viewer in enumerate(tuple(self._viewers), 1):
            if viewer.idle or not viewer.behind:
                if viewer.behind or redrawn:
                    viewer.start_over(self._message())
                else:
                    self._go_on(viewer, changed)
                if viewer.is_lacking:
                    self._give(viewer)
                if self._steps % LIFE_EVERY == 0:
                    if viewer.quiet:
                        viewer.put(frames.NOTHING)
                    viewer.quiet = True
            if count % BATCH == 0:
                await asyncio.sleep(0)

    def _go_on(self, viewer: Viewer, phase: Message | None) -> None:
        """Tells a viewer the phase, if it has changed, and what came out."""
        if phase is not None:
            viewer.put(phase)
        pace = self._slow if viewer.slow else self._fast
        keys = pace.keys(self._desks, viewer.given) if pace.is_due else None
        if keys is not None:
            viewer.put(keys)

    def _give(self, viewer: Viewer) -> None:
        """Gives a viewer desks that were not followed before, as they are after this step."""
        follows = viewer.follows
        wanted = tuple(judge for judge in self._desks if follows is None or judge in follows)
        given = {judge for judge in viewer.given if judge in wanted}
        slow = len(wanted) > FEW
        # The pace changes only where both meet, or keys would be lost or doubled.
        if viewer.idle and (self._slow.is_due or not (slow or viewer.slow)):
            viewer.slow = slow
            lacking = [judge for judge in wanted if judge not in given]
            for judge in lacking[:MOST_GIVEN]:
                if not self._give_parts(viewer, judge):
                    break
                given.add(judge)
            viewer.is_lacking = len(given) < len(wanted)
        viewer.given = tuple(judge for judge in wanted if judge in given)

    def _give_parts(self, viewer: Viewer, judge: str) -> bool:
        """Gives a viewer what was typed so far at a desk, in parts; whether that is all of it."""
        upto = (self._slow if viewer.slow else self._fast).upto
        ends = [upto.get(name, 0) for name in self._desks[judge]]
        at = viewer.begun.pop(judge, (0,) * len(ends))
        while any(start < end for start, end in zip(at, ends, strict=True)):
            to = tuple(min(start + PART, end) for start, end in zip(at, ends, strict=True))
            if (judge, at) not in self._parts:
                if self._encoded >= MOST_ENCODED:
                    viewer.begun[judge] = at
                    return False
                self._encoded += sum(to) - sum(at)
                self._parts[judge, at] = self._part(judge, at, to)
            viewer.put(self._parts[judge, at])
            at = to
        return True

    def _part(self, judge: str, at: Sequence[int], to: Sequence[int]) -> Message:
        """What was typed at a desk between two positions in each of its talks."""
        typed = {
            name: frames.typed(self._talks[name].shown[start:end])
            for name, start, end in zip(self._desks[judge], at, to, strict=True)
            if start < end
        }
        return frames.encode(frames.Keys(typed) if any(at) else frames.Talks(typed))


def _differ(before: frames.Phase, now: frames.Phase, step_ns: int) -> bool:
    """Whether a viewer's own countdown would go wrong: all but the time that has passed."""
    if replace(before, remaining_ms=None) != replace(now, remaining_ms=None):
        return True
    if before.remaining_ms is None or now.remaining_ms is None:
        return before.remaining_ms is not now.remaining_ms
    passed = before.remaining_ms - now.remaining_ms
    expected = step_ns / 1_000_000 if before.runs else 0
    return abs(passed - expected) > 2 * step_ns / 1_000_000
