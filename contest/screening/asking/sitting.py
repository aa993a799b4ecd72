"""One sitting: the paper is typed line after line, and after each is listened.

A program that has died is started anew before the next line; what it was told is gone with it, and
is not told again, for that is its own doing. Where a break of ours cost it its memory, statements
whose questions are still to come are told again.
"""

from __future__ import annotations

import asyncio
import dataclasses
import datetime as dt
import random
from collections.abc import Callable, Collection, Coroutine, Iterator
from dataclasses import dataclass
from typing import Protocol

from contest.screening.asking.bodies import (
    LineAsked,
    LineBegun,
    LineEnded,
    ProgramEnded,
    ProgramStarted,
    ScreeningKey,
    SittingBegun,
    SittingEnded,
)
from contest.screening.asking.timing import How, Listening, Timing, over_at
from contest.screening.bodies import AnyBody
from contest.screening.papers import Paper, Question
from lpp.channel import DirectoryChannel
from lpp.clock import Clock
from lpp.lines import Pane
from lpp.pace import Pace
from lpp.session import Received

#: Times that a line is typed to a program that dies while it is typed.
TRIES = 2
#: Seconds in which what a program typed before it died is still taken in.
LAST_WORDS = 0.5
#: Seconds between two looks whether a program is ready.
LOOK = 0.1


class Program(Protocol):
    """A subject's program; as `lpp.conformance.program.Process`."""

    words: list[str]

    async def start(self, changed: Callable[[], None]) -> None:
        """Starts it; `changed` is called when it ends. Raises CantStart."""

    async def stop(self) -> None:
        """Ends it, and all that it started."""

    @property
    def running(self) -> bool:
        """Whether it, or anything that it started, still runs."""

    @property
    def ending(self) -> str:
        """How it ended, in words."""

    @property
    def spoke(self) -> bool:
        """Whether it has written anything to its standard output since its start."""


class Writes(Protocol):
    """Takes the sitting's events; they are durable at the latest when `flush` returns."""

    def write(self, actor: str, body: AnyBody) -> None:
        """Takes an event in."""

    def flush(self) -> None:
        """Makes all durable."""


@dataclass(frozen=True, slots=True)
class Line:
    """What the judge types up to a Return."""

    question: Question
    text: str
    asks: bool
    again: bool = False


def lines_of(paper: Paper, done: Collection[str]) -> Iterator[Line]:
    """What is to be typed, in order.

    Arguments:
        paper: the paper.
        done: ids of questions that were asked before a break. Statements told before them are told
            again if a question about them is still to come.
    """
    left = [question for question in paper.questions if question.id not in done]
    about = {question.about for question in left}
    for question in paper.questions if done and left else ():
        if question.id in done:
            for told in question.tells:
                if told in about:
                    yield Line(left[0], told, False, True)
    for question in left:
        for told in question.tells:
            yield Line(question, told, False)
        yield Line(question, question.text, True)


class Sitting:
    """A subject's way through the paper.

    Arguments:
        subject: its id.
        paper: what is asked.
        channel: the judge's side of its directory, open.
        program: its program; None where somebody else starts it, or it is a human.
        log: the record.
        clock: what all waiting goes by.
        timing: the times.
        local: the local time of the machine, which an entry can read too.
        pace: how the judge types.
        seed: of the typing: the same one types the same keys at the same pace to every subject.
        human: whether the subject is one.
        tell: told of each question that is over: how many are, of how many, and how.
    """

    def __init__(
        self,
        subject: str,
        paper: Paper,
        channel: DirectoryChannel,
        program: Program | None,
        log: Writes,
        clock: Clock,
        *,
        timing: Timing,
        local: Callable[[], dt.datetime],
        pace: Pace,
        seed: int,
        human: bool = False,
        tell: Callable[[int, int, str], None] = lambda _done, _of, _how: None,
    ) -> None:
        self.subject = subject
        self._paper = paper
        self._channel = channel
        self._program = program
        self._log = log
        self._clock = clock
        self._timing = timing
        self._local = local
        self._pace = pace
        self._seed = seed
        self._human = human
        self._tell = tell
        self._died = asyncio.Event()
        self._sooner = asyncio.Event()
        self._dead = program is not None
        self._heard: Listening | None = None
        self._pane = Pane()

    async def run(self, done: Collection[str] = ()) -> None:
        """Puts the paper.

        Arguments:
            done: ids of questions that were asked before a break.

        Raises:
            lpp.errors.LPPError: if the program can't be started, or the directory fails.
        """
        self._log.write("server", SittingBegun(self.subject, self._human))
        reader = asyncio.create_task(self._read(), name=f"listens to {self.subject}")
        try:
            await self._start()
            over = len(done)
            silent = False
            for line in lines_of(self._paper, done):
                how = await self._put(line)
                if line.asks:
                    self._log.flush()
                    over += 1
                    silent = silent or how in ("silent", "too-long")
                    self._tell(over, len(self._paper.questions), how)
            if silent:
                await self._wait_for_late()
            self._log.write("server", SittingEnded(self.subject))
        finally:
            if self._program is not None:
                await self._program.stop()
            reader.cancel()
            await asyncio.gather(reader, return_exceptions=True)
            self._log.flush()

    # The program

    async def _start(self) -> None:
        if self._program is None or not self._dead:
            return
        # A life that is over has left keys unread: they are not the next one's.
        await self._program.stop()
        await self._channel.empty()
        self._died.clear()
        self._dead = False
        self._log.write("server", ProgramStarted(list(self._program.words)))
        await self._program.start(self._died.set)
        ready = self._clock.now() + self._timing.ready / 1000
        while not self._program.spoke and not self._died.is_set() and self._clock.now() < ready:
            await self._clock.sleep(LOOK)

    def _is_dead(self) -> bool:
        """Whether the program has ended; its end goes on record once."""
        if self._program is None or self._dead or self._program.running:
            return self._dead
        self._dead = True
        self._log.write(self.subject, ProgramEnded(self._program.ending))
        return True

    # Typing

    async def _put(self, line: Line) -> How:
        """Types a line, and listens."""
        how: How = "died"
        for _ in range(TRIES):
            if self._is_dead():
                await self._start()
            if await self._type(line):
                local = self._local().replace(tzinfo=None, microsecond=0)
                self._log.write("judge", LineAsked(line.question.id, line.asks, local))
                how = await self._listen(line.asks)
                break
        self._log.write("judge", LineEnded(line.question.id, line.asks, how))
        return how

    async def _type(self, line: Line) -> bool:
        """Types a line to its Return; False if the program died before."""
        self._log.write("judge", LineBegun(line.question.id, line.asks, line.again))
        rng = random.Random(f"{self._seed} {line.question.id} {line.asks} {line.text}")
        for stroke in self._pace.strokes(f"{line.text}\n", rng):
            if await self._sleep(stroke.delay):
                return False
            self._log.write("judge", ScreeningKey("judge", stroke.key))
            await self._channel.send(stroke.key)
        return True

    # Listening

    async def _read(self) -> None:
        async for received in self._channel:
            self._hear(received)

    def _hear(self, received: Received) -> None:
        press = received.press
        broken = [violation.rule.value for violation in received.violations]
        self._log.write(self.subject, ScreeningKey("entity", press.key, press.raw, broken))
        if self._heard is None:
            return
        self._pane.press(press.key)
        # What the pane keeps of the keys is in the record, too, and would only grow here.
        self._pane.typed.clear()
        text = self._pane.text
        before = self._heard
        self._heard = dataclasses.replace(
            before,
            last=self._clock.now(),
            said=bool(text.strip()),
            unfinished=bool(text) and not text.endswith("\n"),
        )
        if (before.said, before.unfinished) != (self._heard.said, self._heard.unfinished):
            # From here on it may be over sooner than what is waited for; a key alone only puts
            # that off, and is seen when the wait is over.
            self._sooner.set()

    async def _listen(self, asks: bool) -> How:
        self._pane = Pane()
        self._heard = Listening(asks, self._clock.now())
        try:
            while True:
                at, how = over_at(self._heard, self._timing)
                left = at - self._clock.now()
                if left <= 0:
                    return how
                self._sooner.clear()
                if await self._sleep(left, self._sooner):
                    await self._clock.sleep(LAST_WORDS)
                    return "died"
        finally:
            self._heard = None

    async def _wait_for_late(self) -> None:
        """After the last question: what is still under way may come, for as long as an answer."""
        self._pane = Pane()
        self._heard = Listening(True, self._clock.now())
        try:
            while (left := over_at(self._heard, self._timing)[0] - self._clock.now()) > 0:
                self._sooner.clear()
                if await self._sleep(left, self._sooner):
                    return
        finally:
            self._heard = None

    async def _sleep(self, seconds: float, wakes: asyncio.Event | None = None) -> bool:
        """Waits, or until `wakes` is set; True, and at once, if the program has died."""
        until = self._clock.now() + seconds
        while True:
            waits = [event.wait() for event in (wakes, self._died) if event is not None]
            await self._first(self._clock.sleep(until - self._clock.now()), *waits)
            if self._is_dead():
                return True
            if not self._died.is_set():
                return False
            # What was started has ended, and left a program of its own behind.
            self._died.clear()

    async def _first(self, *waits: Coroutine[object, object, object]) -> None:
        tasks = [asyncio.create_task(wait, name=f"waits for {self.subject}") for wait in waits]
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
