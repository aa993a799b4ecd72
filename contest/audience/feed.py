"""The feed: what the audience sees, by the contest's clock, and the viewers.

Every key is shown exactly the delay after it was received, in steps of 100 ms of the audience's
time: what was received within a step comes out when the step is as old as the delay. A step comes
out only when all that was received in it is durable, so no key is late, and the same keys give the
same frames at the same times, no matter who pressed them.

What was typed is read from the contest's talks, which are in memory: at each step every talk has a
position up to which it has come out of the delay. A viewer asks for the next message when the last
one is sent, and gets what came out since the viewer's own step, at the desks that the viewer
follows. Viewers who follow the same desks share the message. Viewers who follow many get one
message for several steps.

Nothing runs while nobody watches.
"""

from __future__ import annotations

import asyncio
import logging
from bisect import bisect_right
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import TypeAlias

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
#: Viewers who are woken in one turn of the loop: between turns keys are served.
BATCH = 10
#: Keys of a talk in one message about what was typed so far.
PART = 2500
#: Keys of talks so far that are encoded in one step, for all who begin to follow a desk.
MOST_ENCODED = 10_000
#: Viewers at once: fewer than the connections that a server takes, for seats come first.
MOST_VIEWERS = 3000
#: Steps by which a viewer may be late; one who is slower starts over, with all that there is then.
LATE = 50
#: Events that are taken in one turn of the loop.
AT_ONCE_TAKEN = 200

_SECOND = 1_000_000_000
_Typed: TypeAlias = type[frames.Keys] | type[frames.Talks]
#: Of desks, the position in each of their talks.
_Ends: TypeAlias = list[tuple[int, ...]]


class Full(Exception):
    """So many watch that nobody more can."""


class Viewer:
    """A viewer's desks, and what the viewer was sent.

    Arguments:
        follows: the judges whose desks are wanted; None for all.

    Attributes:
        wanted: the desks that are followed, in their order; None before they are looked up.
        given: those of them that the viewer has, as they were after the step `at`.
        begun: of a desk that is given in parts: judge to the position reached in each talk.
        drawn, phase: the drawing and the message about the phase that the viewer has.
        heard: the step after which the viewer was last sent something.
        wake: set when a step has come out.
    """

    def __init__(self, follows: frozenset[str] | None) -> None:
        self.follow(follows)
        self.given: set[str] = set()
        self.begun: dict[str, tuple[int, ...]] = {}
        self.at = self.drawn = self.heard = -1
        self.phase: Message | None = None
        self.wake = asyncio.Event()

    def follow(self, judges: frozenset[str] | None) -> None:
        """Follows other desks from the next message on."""
        self.follows = judges
        self.wanted: list[str] | None = None


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

    Attributes:
        viewers: who watches.
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
        self.viewers: set[Viewer] = set()
        self._lock = asyncio.Lock()
        # The end of the last step that came out: before all time, as long as none has.
        self._horizon = -(1 << 62)
        # Until when all that was received is known to be durable.
        self._settled_ns = 0
        self._phase: frames.Phase | None = None
        self._said: Message | None = None
        self._whole: Message | None = None
        self._desks: dict[str, list[str]] = {}
        self._drawn = self._steps = 0
        #: Of the last steps: judge to the position in each talk up to which it has come out.
        self._ends: dict[int, dict[str, tuple[int, ...]]] = {}
        # In a step: the messages about what was typed, by desks and positions, each made once for
        # all, and how many keys those of talks so far have.
        self._made: dict[object, Message | None] = {}
        self._encoded = 0
        self._outcome, self._revealed = Outcome(), 0
        self._running: list[asyncio.Task[None]] = []

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
        if len(self.viewers) >= MOST_VIEWERS:
            raise Full
        await self._catch_up()
        if not self._running:
            self._phase = self._show.at(self._horizon)
            self._come_out()
            self._running = [
                asyncio.create_task(self._keep(self._watch_settling), name="what is durable"),
                asyncio.create_task(self._keep(self._step), name="steps of the audience"),
            ]
        viewer = Viewer(follows)
        self.viewers.add(viewer)
        try:
            yield viewer
        finally:
            self.viewers.discard(viewer)
            if not self.viewers:
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

    def _come_out(self) -> None:
        """Goes on to the step that ends at the horizon; all viewers start over if more has changed
        than the phase."""
        if redrawn := self._show.redrawn or not self._ends:
            self._show.redrawn = False
            self._drawn += 1
            self._desks = self._show.open_desks()
            self._ends.clear()
        self._steps += 1
        before = {} if redrawn else self._ends[self._steps - 1]
        self._ends[self._steps] = {
            judge: tuple(
                bisect_right(self._talks[name].shown_ns, self._horizon, start)
                for name, start in zip(names, before.get(judge, (0,) * len(names)), strict=True)
            )
            for judge, names in self._desks.items()
        }
        self._ends.pop(self._steps - LATE, None)
        self._made, self._encoded = {}, 0

    async def _tell(self) -> None:
        """Lets all viewers know that a step has come out."""
        self._come_out()
        phase, before = self._show.at(self._horizon), self._phase
        self._phase = phase
        if before is None or _differ(before, phase, self._step_ns):
            self._said = frames.encode(phase)
        for count, viewer in enumerate(tuple(self.viewers), 1):
            viewer.wake.set()
            if count % BATCH == 0:
                await asyncio.sleep(0)

    # Viewers

    async def next(self, viewer: Viewer) -> Message:
        """The next message for a viewer; waits for it."""
        while (message := self._news(viewer)) is None:
            if self._steps - viewer.heard >= LIFE_EVERY:
                message = frames.NOTHING
                break
            viewer.wake.clear()
            await viewer.wake.wait()
        else:
            if viewer.heard == self._steps:
                await asyncio.sleep(0)  # another message in one step: others have their turn
        viewer.heard = self._steps
        return message

    def _news(self, viewer: Viewer) -> Message | None:
        """What a viewer lacks of what has come out: everything, the phase, what was typed since at
        the desks that the viewer has, or a part of what was typed at another; None for nothing."""
        if viewer.drawn != self._drawn or viewer.at not in self._ends:
            viewer.drawn, viewer.at, viewer.phase = self._drawn, self._steps, self._said
            viewer.given, viewer.begun, viewer.wanted = set(), {}, None
            return self._message()
        if viewer.phase is not self._said:
            viewer.phase = self._said
            return viewer.phase
        if (wanted := viewer.wanted) is None:
            follows = viewer.follows
            wanted = [judge for judge in self._desks if follows is None or judge in follows]
            viewer.wanted = wanted
            viewer.given.intersection_update(wanted)
            viewer.begun = {judge: at for judge, at in viewer.begun.items() if judge in wanted}
        now = self._steps
        if len(wanted) > FEW:
            now = max(viewer.at, now - now % TOGETHER)
        if now > viewer.at:
            before, after, viewer.at = self._ends[viewer.at], self._ends[now], now
            given = [judge for judge in wanted if judge in viewer.given]
            message = self._typed(
                frames.Keys,
                given,
                [before[each] for each in given],
                [after[each] for each in given],
            )
            if message is not None:
                return message
        for judge in wanted if len(viewer.given) < len(wanted) else ():
            if judge not in viewer.given:
                message = self._part(viewer, judge)
                if message is not None or judge in viewer.begun:
                    return message
        return None

    def _part(self, viewer: Viewer, judge: str) -> Message | None:
        """A part of what was typed at a desk up to the viewer's step; None for nothing, or if so
        much is given to others in this step that the viewer has to wait."""
        ends = self._ends[viewer.at][judge]
        start = viewer.begun.pop(judge, (0,) * len(ends))
        upto = tuple(min(at + PART, end) for at, end in zip(start, ends, strict=True))
        frame = frames.Keys if any(start) else frames.Talks
        is_made = start == ends or (frame, judge, start, upto) in self._made
        if self._encoded >= MOST_ENCODED and not is_made:
            viewer.begun[judge] = start
            return None
        if upto == ends:
            viewer.given.add(judge)
        else:
            viewer.begun[judge] = upto
        self._encoded += 0 if is_made else sum(upto) - sum(start)
        return self._typed(frame, [judge], [start], [upto])

    def _typed(
        self, frame: _Typed, judges: list[str], starts: _Ends, ends: _Ends
    ) -> Message | None:
        """What was typed at some desks between positions in their talks, made once for all who want
        it in this step; None for nothing."""
        key = (frame, *judges, *starts, *ends)
        if key not in self._made:
            typed = {}
            for judge, from_, to in zip(judges, starts, ends, strict=True):
                for name, start, end in zip(self._desks[judge], from_, to, strict=True):
                    if start < end:
                        typed[name] = frames.typed(self._talks[name].shown[start:end])
            self._made[key] = frames.encode(frame(typed)) if typed else None
        return self._made[key]


def _differ(before: frames.Phase, now: frames.Phase, step_ns: int) -> bool:
    """Whether a viewer's own countdown would go wrong: all but the time that has passed."""
    if replace(before, remaining_ms=None) != replace(now, remaining_ms=None):
        return True
    if before.remaining_ms is None or now.remaining_ms is None:
        return before.remaining_ms is not now.remaining_ms
    passed = before.remaining_ms - now.remaining_ms
    expected = step_ns / 1_000_000 if before.runs else 0
    return abs(passed - expected) > 2 * step_ns / 1_000_000
