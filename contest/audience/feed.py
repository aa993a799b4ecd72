"""The feed: releases the talks to the audience by the contest's clock, and serves the viewers.

Keys are shown after the delay, in steps of 100 ms of real time: the keys that were
received within a step are released together, once the end of the step is as old as the delay and
all its keys are durable. So what is sent, and when, does not depend on who pressed the keys.

The keys are read from the contest's talks, which are in memory. At each step, every talk has a
position up to which it was released. When a viewer's last message is sent, the viewer asks for the
next one, and gets the keys at the followed desks that were released since the viewer's own step.
Viewers who follow the same desks share the message. Viewers who follow many desks get one message
for several steps.

Nothing runs without viewers.
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

#: Seconds of real time in a step.
STEP = 0.1
#: Viewers who follow at most this many desks get each step; nobody can read more key by key.
FEW_DESKS = 8
#: How many steps are combined for viewers who follow more desks.
STEPS_TOGETHER = 5
#: The number of steps without a message after which a viewer gets a heartbeat.
HEARTBEAT_STEPS = 50
#: How many viewers are woken in one turn of the event loop; keys are served between turns.
BATCH = 10
#: The maximum number of keys of a talk in one message with earlier keys.
KEYS_PER_PART = 2500
#: The maximum number of earlier keys that are encoded in one step for all viewers who begin to
#: follow a desk.
MOST_ENCODED = 10_000
#: The maximum number of viewers; fewer than the server's connections, because seats come first.
MOST_VIEWERS = 3000
#: A viewer who is more than this many steps late starts over: everything is sent again.
MAX_STEPS_LATE = 50
#: How many events are processed in one turn of the event loop.
EVENTS_AT_ONCE = 200

_SECOND = 1_000_000_000
_Typed: TypeAlias = type[frames.Keys] | type[frames.Talks]
#: For each desk, the positions in its talks.
_Ends: TypeAlias = list[tuple[int, ...]]


class Full(Exception):
    """There are too many viewers for another one."""


class Viewer:
    """A viewer: the desks to send, and what has been sent.

    Arguments:
        follows: the judges whose desks the viewer follows; None for all.
        language: the language of the revealed result.

    Attributes:
        wanted: the followed desks, in order; None before they are looked up.
        given: those that were sent completely, up to the step `at`.
        begun: for desks that are sent in parts, judge to the position reached in each talk.
        drawn: the number of the drawing (see `Feed`) that was sent.
        phase: the message about the phase that was sent.
        heard: the step of the last message sent to the viewer.
        wake: set when a step is released.
    """

    def __init__(self, follows: frozenset[str] | None, language: str) -> None:
        self.follow(follows)
        self.language = language
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
    """The audience's feed. Whenever more than the phase and the keys changes, a new *drawing*
    begins, and all viewers get everything again.

    Arguments:
        clock: the contest's clock.
        delay: the delay in seconds of real time.
        events: all durable events except key presses and their times; grows.
        talks: the contest's talks, with all received keys.
        settled: returns once all earlier events are durable and announced.
        outcome: returns the revealed part of the result; called in another thread.

    Attributes:
        viewers: the current viewers.
    """

    def __init__(
        self,
        clock: Clock,
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
        self._delay_ns = round(delay * clock.speed * _SECOND)
        self._step_ns = round(STEP * clock.speed * _SECOND)
        self._show = Show(clock.speed)
        self._noted = 0
        #: Events that wait for their release.
        self._line: deque[tuple[Event, AnyBody]] = deque()
        self.viewers: set[Viewer] = set()
        self._lock = asyncio.Lock()
        # The end of the last released step; earlier than any time if there is none.
        self._horizon = -(1 << 62)
        # All keys received before this time are known to be durable.
        self._settled_ns = 0
        self._phase: frames.Phase | None = None
        self._said: Message | None = None
        self._whole: dict[str, Message] = {}
        self._desks: dict[str, list[str]] = {}
        self._drawn = self._steps = 0
        #: The last steps: judge to the position in each talk up to which it was released.
        self._ends: dict[int, dict[str, tuple[int, ...]]] = {}
        # In the current step: the messages with keys, by desks and positions, each made once for
        # all viewers, and how many earlier keys were encoded.
        self._made: dict[object, Message | None] = {}
        self._encoded = 0
        self._outcome, self._revealed = Outcome(), 0
        self._running: list[asyncio.Task[None]] = []

    @property
    def version(self) -> int:
        """Changes whenever the revealed result, or what may be published, may have changed."""
        return self._show.version

    async def whole(self, language: str = "en") -> frames.Whole:
        """Everything that viewers of a language may see now, except the keys.

        Raises:
            ContestError: if the record can't be written or read.
        """
        await self._catch_up()
        return self._whole_in(language)

    def _whole_in(self, language: str) -> frames.Whole:
        outcome = self._outcome
        return self._show.whole(self._horizon, outcome.html[language], outcome.complete)

    @asynccontextmanager
    async def watched(
        self, follows: frozenset[str] | None = None, language: str = "en"
    ) -> AsyncIterator[Viewer]:
        """Adds a viewer while the context is open.

        Arguments:
            follows: the judges whose desks the viewer follows; None for all.
            language: the language of the revealed result, one of `texts.LANGUAGES`.

        Raises:
            Full: if there are too many viewers.
            ContestError: see `whole`.
        """
        if len(self.viewers) >= MOST_VIEWERS:
            raise Full
        await self._catch_up()
        if not self._running:
            self._phase = self._show.at(self._horizon)
            self._release_step()
            self._running = [
                asyncio.create_task(self._at_each_step(self._watch_settling), name="durable time"),
                asyncio.create_task(self._at_each_step(self._step), name="steps of the audience"),
            ]
        viewer = Viewer(follows, language)
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
        """Takes the events that happened while there were no viewers."""
        if not self._running:
            await self._watch_settling()
            await self._advance()

    async def _watch_settling(self) -> None:
        now = round(self._clock.now() * _SECOND)
        await self._settled()
        self._settled_ns = now

    async def _advance(self) -> None:
        """Takes all new events, and releases those whose delay is over."""
        async with self._lock:
            while self._noted < len(self._events):
                event = self._events[self._noted]
                self._noted += 1
                body = bodies.from_json(event.kind, event.body)
                self._show.note(event, body)
                self._line.append((event, body))
                if self._noted % EVENTS_AT_ONCE == 0:
                    await asyncio.sleep(0)
            # After the reveal of the sides, there is nothing to delay.
            delay = 0 if self._show.sides_revealed else self._delay_ns
            # Keys received at that moment or later may not be durable.
            due = min(round(self._clock.now() * _SECOND) - delay, self._settled_ns - 1)
            self._horizon = max(self._horizon, due // self._step_ns * self._step_ns)
            while self._line and self._line[0][0].mono_ns <= self._horizon:
                self._show.take(*self._line.popleft())
            await self._update_outcome()
            self._whole = {}

    async def _update_outcome(self) -> None:
        version = self._show.version
        if version == self._revealed or not self._show.sides_revealed:
            return
        try:
            self._outcome = await asyncio.to_thread(self._reveal)
        except ContestError as exc:
            log.error("the result can't be shown to the audience: %s", exc)
        self._revealed, self._show.redrawn = version, True

    def _message(self, language: str) -> Message:
        """Everything that viewers may see except the keys, encoded once for all viewers of a
        language."""
        if language not in self._whole:
            self._whole[language] = frames.encode(self._whole_in(language))
        return self._whole[language]

    # By the clock

    async def _at_each_step(self, work: Callable[[], Awaitable[None]]) -> None:
        """Calls `work` at each step while there are viewers."""
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
            await self._release_and_wake()

    def _wait(self) -> float:
        """Seconds of contest time until the next step."""
        now = round(self._clock.now() * _SECOND)
        delay = 0 if self._show.sides_revealed else self._delay_ns
        # If the server stalled, or the record is slow, the step is overdue.
        return max(self._horizon + self._step_ns + delay - now, self._step_ns // 10) / _SECOND

    def _release_step(self) -> None:
        """Releases the step that ends at the horizon. If more than the phase has changed, all
        viewers start over."""
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
        self._ends.pop(self._steps - MAX_STEPS_LATE, None)
        self._made, self._encoded = {}, 0

    async def _release_and_wake(self) -> None:
        """Releases a step, and wakes all viewers."""
        self._release_step()
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
        while (message := self._next_needed(viewer)) is None:
            if self._steps - viewer.heard >= HEARTBEAT_STEPS:
                message = frames.HEARTBEAT
                break
            viewer.wake.clear()
            await viewer.wake.wait()
        else:
            if viewer.heard == self._steps:
                await asyncio.sleep(0)  # a further message in the same step: let others run
        viewer.heard = self._steps
        return message

    def _next_needed(self, viewer: Viewer) -> Message | None:
        """The next message that a viewer needs: everything, the phase, new keys at the desks that
        were sent, or a part of the earlier keys at another desk; None if nothing is new."""
        if viewer.drawn != self._drawn or viewer.at not in self._ends:
            viewer.drawn, viewer.at, viewer.phase = self._drawn, self._steps, self._said
            viewer.given, viewer.begun, viewer.wanted = set(), {}, None
            return self._message(viewer.language)
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
        if len(wanted) > FEW_DESKS:
            now = max(viewer.at, now - now % STEPS_TOGETHER)
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
        """A part of the keys at a desk up to the viewer's step. None if there are none, or if so
        many were encoded for others in this step that the viewer must wait."""
        ends = self._ends[viewer.at][judge]
        start = viewer.begun.pop(judge, (0,) * len(ends))
        upto = tuple(min(at + KEYS_PER_PART, end) for at, end in zip(start, ends, strict=True))
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
        """The keys at some desks between positions in their talks, encoded once per step for all
        viewers; None if there are none."""
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
    """Whether the phase has changed by more than the passing time, so that a viewer's own countdown
    would be wrong."""
    if replace(before, remaining_ms=None) != replace(now, remaining_ms=None):
        return True
    if before.remaining_ms is None or now.remaining_ms is None:
        return before.remaining_ms is not now.remaining_ms
    passed = before.remaining_ms - now.remaining_ms
    expected = step_ns / 1_000_000 if before.runs else 0
    return abs(passed - expected) > 2 * step_ns / 1_000_000
