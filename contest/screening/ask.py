"""Asking: the same paper is typed to each entry over LPP, as a judge would, key by key on record,
several sittings side by side. What was asked before a break is not asked again.

A program that has died is started again before the next line, and what it was told is not told
again, for that was its own doing. Where a break of ours cost it its memory, statements whose
questions are still to come are told again.
"""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import datetime as dt
import random
import secrets
import shutil
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol, TypeAlias

import msgspec

from contest.errors import BadOrder, BadSettings, WrongMoment
from contest.links.program import command_line
from contest.record import season as kinds
from contest.record.body import Body
from contest.screening import paper as papers
from contest.screening.paper import Paper, Question
from contest.screening.season import Season, Stamped
from contest.screening.sitting import How, Listening, Timing
from contest.screening.state import Asked, State
from lpp.channel import DirectoryChannel
from lpp.clock import Clock
from lpp.directory import Directory, LocalDirectory, rooms_parent
from lpp.errors import LPPError
from lpp.keypress import Side
from lpp.lines import Pane
from lpp.numbers import ForgetfulNumbers, StoredNumbers
from lpp.pace import Pace
from lpp.program import Program as LocalProgram
from lpp.session import Received
from scheduler.texts import id_problem, listed

#: Seconds of real time until keys are on record at the latest. What a power cut takes belongs to a
#: question that had not ended, and is asked again.
FLUSH = 1.0
#: Times that a line is typed to a program that dies while it is typed.
TRIES = 2
#: Seconds in which what a program typed before it died is still taken in; between two looks whether
#: a program is ready.
LAST_WORDS, LOOK = 0.5, 0.1


@dataclass(frozen=True, slots=True)
class Subject:
    """Who is asked.

    Attributes:
        id: an entry's, or a human's.
        command: what starts its program, with `{dir}` for its directory; empty if somebody does.
        directory: its directory, where somebody else starts it; None for a fresh one.
        human: whether it is a human who sits the paper to compare.
    """

    id: str
    command: str = ""
    directory: Path | None = None
    human: bool = False


class Program(Protocol):
    """A subject's program; as `lpp.program.Program`."""

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


class Progress(Protocol):
    """Is told how asking goes."""

    def began(self, subject: str, done: int, of: int) -> None:
        """A sitting begins, with so many questions done before."""

    def over(self, subject: str, done: int, of: int, how: str) -> None:
        """A question is over."""

    def ended(self, subject: str) -> None:
        """A sitting has ended."""

    def failed(self, subject: str, why: str) -> None:
        """A sitting can't go on."""


Opened: TypeAlias = tuple[Directory, Program | None]


@dataclass(frozen=True, slots=True)
class Way:
    """How it is asked.

    Attributes:
        clock: what all waiting goes by.
        opens: makes a subject's directory and program, such as `on_this_machine`.
        side_by_side: sittings at once.
        pace: how the judge types.
        local: the local time of the machine, which an entry can read too.
        sweep: seconds between two looks into a directory where nothing wakes us; as the channel
            chooses if left out.
    """

    clock: Clock
    opens: Callable[[Subject], contextlib.AbstractAsyncContextManager[Opened]]
    side_by_side: int = 4
    pace: Pace = field(default_factory=Pace)
    local: Callable[[], dt.datetime] = dt.datetime.now
    sweep: float | None = None


# Before


def set_paper(
    season: Season, paper: Paper | None, times: Mapping[str, int], typing_seed: int | None = None
) -> Asked:
    """What is asked from here on: what was set before, or what is given, set now.

    Arguments:
        season: where.
        paper: the questions; None for those that were set.
        times: those that differ from `Timing`, in milliseconds.
        typing_seed: of the judge's gaps and corrections; drawn if left out.

    Raises:
        BadOrder: if none is given and none is set.
        WrongMoment: if others are set: what one entry was asked, all are asked.
    """
    before = season.state.asked
    if before is None:
        if paper is None:
            raise BadOrder("say what to ask: --paper FILE, or --seed N for one of templates")
        seed = secrets.randbits(32) if typing_seed is None else typing_seed
        timing = msgspec.to_builtins(Timing.of(times))
        season.write("organizer", kinds.PaperSet(papers.write(paper), seed, timing))
        return season.state.require_asked()
    if paper is not None and papers.write(paper) != papers.write(before.paper):
        raise WrongMoment(
            "another paper was set when asking began, and all entries get the same; leave "
            "--paper and --seed out to go on with it"
        )
    for name, value in times.items():
        held = getattr(before.timing, name, None)
        if value != held:
            Timing.of({name: value})
            raise WrongMoment(
                f"the time {name} was set to {(held or 0) / 1000:g} s when asking began, and holds "
                "for all entries; leave it out"
            )
    return before


def subjects_of(
    state: State,
    only: Collection[str] = (),
    by_hand: Mapping[str, Path] | None = None,
    controls: Mapping[str, Path] | None = None,
) -> list[Subject]:
    """Who is to be asked.

    Arguments:
        state: the season's.
        only: ids; all that are screened if left out, and the controls.
        by_hand: entries whose program somebody starts, to their directories.
        controls: humans who sit the paper to compare, to their directories.

    Raises:
        WrongMoment: if screening has not begun, or marking has.
        BadOrder: if an id is not among those that are screened, or an entry has no command.
    """
    by_hand, controls = by_hand or {}, controls or {}
    if state.drawn:
        raise WrongMoment("marking has begun: a subject that sits the paper now has no letter")
    if state.begun is None:
        raise WrongMoment(
            "screening has not begun: `loebner screen go-on CONTEST begin` fixes who is screened"
        )
    to_ask = state.to_ask
    for id_ in controls:
        problem = id_problem(id_)
        if problem or id_ in state.entries:
            raise BadOrder(problem or f"{id_} is an entry's id; give the human another, such as H1")
    for id_ in (*only, *by_hand):
        if id_ not in to_ask and id_ not in controls:
            asked = listed(to_ask) if to_ask else "nobody"
            raise BadOrder(f"{id_} is not among those that are screened: {asked}")
    subjects = []
    for id_ in to_ask:
        command = state.entries[id_].form.command
        if (only or controls) and id_ not in only:
            continue
        if id_ in by_hand:
            subjects.append(Subject(id_, directory=by_hand[id_]))
        elif not command:
            raise BadOrder(
                f"the register has no command for {id_}: give it with `loebner screen register "
                f"CONTEST change {id_} --command`, or start it by hand and say --by-hand {id_} DIR"
            )
        else:
            command_line(id_, command, Path("x"))
            subjects.append(Subject(id_, command))
    return subjects + [Subject(id_, directory=at, human=True) for id_, at in controls.items()]


# All sittings


async def ask(
    season: Season, asked: Asked, subjects: Sequence[Subject], way: Way, progress: Progress
) -> list[str]:
    """Puts the paper to subjects; those who have ended are left alone.

    Returns:
        The ids of those that could not be asked to the end.

    Raises:
        RecordTrouble: if it can't be kept on record.
    """
    log = Log(season)
    turn = asyncio.Semaphore(way.side_by_side)
    failed: list[str] = []

    async def one(subject: Subject) -> None:
        held = season.state.sittings.get(subject.id)
        done = held.done if held is not None else frozenset()
        if held is not None and held.ended:
            progress.ended(subject.id)
            return
        async with turn:
            progress.began(subject.id, len(done), len(asked.paper.questions))
            try:
                await _sit(subject, asked, way, log, done, progress)
            except (LPPError, BadSettings) as exc:
                failed.append(subject.id)
                progress.failed(subject.id, str(exc))
            else:
                progress.ended(subject.id)

    async def flush() -> None:
        while True:
            await asyncio.sleep(FLUSH)
            log.flush_if_due()

    async def all_of_them() -> None:
        await asyncio.gather(*(one(subject) for subject in subjects))

    tasks = [asyncio.create_task(each) for each in (flush(), all_of_them())]
    try:
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        for each in done:
            each.result()
    finally:
        await _end(tasks)
        log.flush()
    return failed


async def _sit(
    subject: Subject,
    asked: Asked,
    way: Way,
    log: Log,
    done: frozenset[str],
    progress: Progress,
) -> None:
    async with way.opens(subject) as (place, program):
        own = isinstance(place, LocalDirectory) and subject.directory is not None
        numbers = StoredNumbers.of(place.path, Side.JUDGE) if own else ForgetfulNumbers()
        async with DirectoryChannel(
            place, side=Side.JUDGE, numbers=numbers, sweep=way.sweep
        ) as channel:
            await Judge(subject, asked, channel, program, log, way, progress).run(done)


@contextlib.asynccontextmanager
async def on_this_machine(subject: Subject) -> AsyncIterator[Opened]:
    """A fresh directory, in memory where there is such a place, and a process; or the directory of
    one that somebody else starts."""
    if subject.directory is not None:
        yield LocalDirectory(subject.directory), None
        return
    fresh = Path(tempfile.mkdtemp(prefix="loebner-screen-", dir=rooms_parent()))
    try:
        process = LocalProgram(command_line(subject.id, subject.command, fresh), str(fresh))
        try:
            yield LocalDirectory(fresh), process
        finally:
            process.close()
    finally:
        shutil.rmtree(fresh, ignore_errors=True)


class Log:
    """What is to go on record, of all sittings in the order in which it happened."""

    def __init__(self, season: Season) -> None:
        self._season = season
        self._waiting: list[Stamped] = []
        self._last = time.monotonic()

    def write(self, subject: str, actor: str, body: Body) -> None:
        """Takes an event of a sitting in; durable when `flush` returns."""
        self._waiting.append(self._season.stamped(actor, body, f"{kinds.SITTING}{subject}"))

    def flush(self) -> None:
        """Makes all durable."""
        waiting, self._waiting = self._waiting, []
        self._season.append(waiting)
        self._last = time.monotonic()

    def flush_if_due(self) -> None:
        """By the machine's own clock, whatever the loop's shows: a commit waits for the disk."""
        if time.monotonic() - self._last >= FLUSH / 2:
            self.flush()


async def _end(tasks: Sequence[asyncio.Task[object] | asyncio.Task[None]]) -> None:
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


# One sitting


@dataclass(frozen=True, slots=True)
class Line:
    """What the judge types up to a Return: a question, or a statement told before it."""

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


class Judge:
    """Types the paper to one subject, and listens.

    Arguments:
        subject: who is asked.
        asked: what is asked; the same typing seed types the same keys to every subject.
        channel: the judge's side of its directory, open.
        program: its program; None where somebody else starts it, or it is a human.
        log: the record.
        way: how it is asked.
        progress: is told of each question that is over.
    """

    def __init__(
        self,
        subject: Subject,
        asked: Asked,
        channel: DirectoryChannel,
        program: Program | None,
        log: Log,
        way: Way,
        progress: Progress,
    ) -> None:
        self._subject, self._asked, self._way = subject, asked, way
        self._channel, self._program, self._log = channel, program, log
        self._progress = progress
        self._clock = way.clock
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
        subject, paper = self._subject, self._asked.paper
        self._write("server", kinds.SittingBegun(subject.id, subject.human))
        reader = asyncio.create_task(self._read(), name=f"listens to {subject.id}")
        try:
            await self._start()
            over, silent = len(done), False
            for line in lines_of(paper, done):
                how = await self._put(line)
                if line.asks:
                    self._log.flush()
                    over += 1
                    silent = silent or how in ("silent", "too-long")
                    self._progress.over(subject.id, over, len(paper.questions), how)
            if silent:
                # What is still under way may come, for as long as an answer.
                await self._listen(True)
            self._write("server", kinds.SittingEnded(subject.id))
        finally:
            if self._program is not None:
                await self._program.stop()
            await _end([reader])
            self._log.flush()

    def _write(self, actor: str, body: Body) -> None:
        self._log.write(self._subject.id, actor, body)

    async def _start(self) -> None:
        if self._program is None or not self._dead:
            return
        # A life that is over has left keys unread: they are not the next one's.
        await self._program.stop()
        await self._channel.empty()
        self._died.clear()
        self._dead = False
        self._write("server", kinds.ProgramStarted(list(self._program.words)))
        await self._program.start(self._died.set)
        ready = self._clock.now() + self._asked.timing.ready / 1000
        while not self._program.spoke and not self._died.is_set() and self._clock.now() < ready:
            await self._clock.sleep(LOOK)

    def _is_dead(self) -> bool:
        """Whether the program has ended; its end goes on record once."""
        if self._program is None or self._dead or self._program.running:
            return self._dead
        self._dead = True
        self._write(self._subject.id, kinds.ProgramEnded(self._program.ending))
        return True

    async def _put(self, line: Line) -> How:
        """Types a line, and listens."""
        how: How = "died"
        for _ in range(TRIES):
            if self._is_dead():
                await self._start()
            if await self._type(line):
                local = self._way.local().replace(tzinfo=None, microsecond=0)
                self._write("judge", kinds.LineAsked(line.question.id, line.asks, local))
                how = await self._listen(line.asks)
                break
        self._write("judge", kinds.LineEnded(line.question.id, line.asks, how))
        return how

    async def _type(self, line: Line) -> bool:
        """Types a line to its Return; False if the program died before."""
        self._write("judge", kinds.LineBegun(line.question.id, line.asks, line.again))
        rng = random.Random(f"{self._asked.typing_seed} {line.question.id} {line.asks} {line.text}")
        for stroke in self._way.pace.strokes(f"{line.text}\n", rng):
            if await self._sleep(stroke.delay):
                return False
            self._write("judge", kinds.SittingKey("judge", stroke.key))
            await self._channel.send(stroke.key)
        return True

    async def _read(self) -> None:
        async for received in self._channel:
            self._hear(received)

    def _hear(self, received: Received) -> None:
        press = received.press
        broken = [violation.rule.value for violation in received.violations]
        self._write(self._subject.id, kinds.SittingKey("entity", press.key, press.raw, broken))
        before = self._heard
        if before is None:
            return
        self._pane.press(press.key)
        # What the pane keeps of the keys is in the record, too, and would only grow here.
        self._pane.typed.clear()
        text = self._pane.text
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
                at, how = self._asked.timing.over_at(self._heard)
                left = at - self._clock.now()
                if left <= 0:
                    return how
                self._sooner.clear()
                if await self._sleep(left, self._sooner):
                    await self._clock.sleep(LAST_WORDS)
                    return "died"
        finally:
            self._heard = None

    async def _sleep(self, seconds: float, wakes: asyncio.Event | None = None) -> bool:
        """Waits, or until `wakes` is set; True, and at once, if the program has died."""
        until = self._clock.now() + seconds
        while True:
            waits = [event.wait() for event in (wakes, self._died) if event is not None]
            tasks = [
                asyncio.ensure_future(each)
                for each in (self._clock.sleep(until - self._clock.now()), *waits)
            ]
            try:
                await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            finally:
                for task in tasks:
                    task.cancel()
                await asyncio.gather(*tasks, return_exceptions=True)
            if self._is_dead():
                return True
            if not self._died.is_set():
                return False
            # What was started has ended, and left a program of its own behind.
            self._died.clear()
