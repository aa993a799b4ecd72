"""Asking: types the same paper to each entry over LPP, as a judge would, recording each key, with
several sittings in parallel. Questions asked before an interruption are not asked again.

A program that has died is restarted before the next line. Earlier statements are not repeated,
because it died by itself. After an interruption on our side, statements whose questions are still
to come are repeated.
"""

from __future__ import annotations

import asyncio
import contextlib
import datetime as dt
import random
import secrets
import shutil
import tempfile
from collections.abc import AsyncIterator, Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, TypeAlias

import msgspec

from contest.errors import BadOrder, BadSettings, WrongMoment
from contest.links.program import command_line
from contest.record import season as kinds
from contest.record.events import Body
from contest.screening import paper as papers
from contest.screening.paper import Paper, Question
from contest.screening.season import Season
from contest.screening.sitting import How, LineBegunBefore, Timing
from contest.screening.state import Asked, State
from lpp.channel import DirectoryChannel
from lpp.clock import Clock
from lpp.directory import Directory, LocalDirectory, communications_root
from lpp.errors import LPPError
from lpp.keypress import Side
from lpp.lines import Pane
from lpp.numbers import MemoryNumbers, StoredNumbers
from lpp.pace import Pace
from lpp.program import Program
from scheduler.texts import id_problem, listed

#: Keys are on record after at most this many seconds. Keys lost in a power cut belong to a question
#: that had not ended, and is asked again.
FLUSH = 0.5
#: How many times a line is typed to a program that dies meanwhile.
TRIES = 2
#: Seconds to wait for the last keys of a program that died; seconds between two checks whether a
#: program is ready.
LAST_KEYS, CHECK_SECONDS = 0.5, 0.1


class Subject(NamedTuple):
    """A subject to ask.

    Attributes:
        id: the id of an entry or a human.
        command: starts its program, with `{dir}` for its directory; empty if a person starts it.
        directory: the directory of a program that a person starts; None for a new one.
        human: whether it is a human who answers the paper for comparison.
    """

    id: str
    command: str = ""
    directory: Path | None = None
    human: bool = False


Opened: TypeAlias = tuple[Directory, Program | None]
#: Called with progress: the subject; `begins`, why a question ended, or `ended`; and how many
#: questions are done.
Progress: TypeAlias = Callable[[str, str, int], None]


class AskingOptions(NamedTuple):
    """How subjects are asked.

    Attributes:
        clock: for all waiting.
        opens: makes a subject's directory and program; for example `on_this_machine`.
        side_by_side: how many sittings run in parallel.
        pace: how the judge types.
        local: the local time, which an entry can read too.
        sweep: seconds between two scans of a directory; None for the channel's default.
    """

    clock: Clock
    opens: Callable[[Subject], contextlib.AbstractAsyncContextManager[Opened]]
    side_by_side: int = 4
    pace: Pace = Pace()
    local: Callable[[], dt.datetime] = dt.datetime.now
    sweep: float | None = None


# Preparation


def set_paper(season: Season, paper: Paper | None, typing_seed: int | None = None) -> Asked:
    """Sets the paper for all subjects, or checks that it is the one set before.

    Arguments:
        season: the season.
        paper: the paper; None for the one set before.
        typing_seed: the seed of the judge's gaps and corrections; drawn if left out.

    Raises:
        BadOrder: if no paper is given and none is set.
        WrongMoment: if another paper is set.
    """
    before = season.state.asked
    if before is None:
        if paper is None:
            raise BadOrder("give --paper FILE, or --seed N to make a paper from the templates")
        seed = secrets.randbits(32) if typing_seed is None else typing_seed
        timing = msgspec.to_builtins(Timing())
        season.write("organizer", kinds.PaperSet(papers.dumps(paper), seed, timing))
    elif paper is not None and paper != before.paper:
        raise WrongMoment(
            "another paper was set when asking began, and all entries get the same one; leave out "
            "--paper and --seed to continue with it"
        )
    return season.state.require_asked()


def subjects_of(
    state: State,
    only: Collection[str] = (),
    by_hand: Mapping[str, Path] | None = None,
    controls: Mapping[str, Path] | None = None,
) -> list[Subject]:
    """The subjects to ask.

    Arguments:
        state: the season's state.
        only: the ids to ask; if left out, all screened entries, or none if there are controls.
        by_hand: entries whose program a person starts, with their directories.
        controls: humans who answer the paper for comparison, with their directories.

    Raises:
        WrongMoment: if screening has not begun, or marking has.
        BadOrder: if an id is not that of a screened entry, or an entry has no command.
    """
    by_hand, controls, to_ask = by_hand or {}, controls or {}, state.to_ask
    if state.drawn or state.quality:
        raise WrongMoment("marking has begun: a subject asked now would have no letter")
    if state.begun is None:
        raise WrongMoment(
            "screening has not begun; begin it with `loebner screen select CONTEST begin`"
        )
    for id_ in controls:
        problem = id_problem(id_)
        if problem or id_ in state.entries:
            raise BadOrder(problem or f"{id_} is an entry's id; give the human another, such as H1")
    for id_ in (*only, *by_hand):
        if id_ not in to_ask and id_ not in controls:
            asked = listed(to_ask) if to_ask else "nobody"
            raise BadOrder(f"{id_} is not being screened; those screened: {asked}")
    subjects = []
    for id_ in to_ask if not controls or only else ():
        command = "" if id_ in by_hand else state.entries[id_].form.command
        if only and id_ not in only:
            continue
        if command:
            command_line(id_, command, Path("x"))
        elif id_ not in by_hand:
            raise BadOrder(
                f"the register has no command for {id_}: add one with `loebner screen register "
                f"CONTEST change {id_} --command`, or start it by hand and use --by-hand {id_} DIR"
            )
        subjects.append(Subject(id_, command, by_hand.get(id_)))
    return subjects + [Subject(id_, "", place, human=True) for id_, place in controls.items()]


# All sittings


async def ask(
    season: Season,
    asked: Asked,
    subjects: Sequence[Subject],
    options: AskingOptions,
    progress: Progress,
) -> dict[str, str]:
    """Asks subjects the paper, except those that have finished it.

    Returns:
        The subjects that could not be asked to the end, and why.

    Raises:
        RecordTrouble: if the record can't be written.
    """
    turn = asyncio.Semaphore(options.side_by_side)
    failed: dict[str, str] = {}

    async def one(subject: Subject) -> None:
        held = season.state.sittings.get(subject.id)
        done = frozenset[str]() if held is None else held.done
        if held is not None and held.ended:
            progress(subject.id, "ended", len(asked.paper.questions))
            return
        own = subject.directory
        try:
            numbers = StoredNumbers.of(str(own), Side.JUDGE) if own else MemoryNumbers()
            async with turn:
                progress(subject.id, "begins", len(done))
                async with (
                    options.opens(subject) as (place, program),
                    DirectoryChannel(
                        place, side=Side.JUDGE, numbers=numbers, sweep=options.sweep
                    ) as channel,
                ):
                    judge = _Judge(season, subject, asked, channel, program, options, progress)
                    await judge.run(done)
        except (LPPError, BadSettings) as exc:
            failed[subject.id] = str(exc)
        else:
            progress(subject.id, "ended", len(asked.paper.questions))

    async def flush() -> None:
        while True:
            await asyncio.sleep(FLUSH)
            season.flush()

    flushing = asyncio.create_task(flush())
    sittings = [asyncio.create_task(one(subject)) for subject in subjects]
    asking = asyncio.gather(*sittings)
    try:
        await asyncio.wait((flushing, asking), return_when=asyncio.FIRST_COMPLETED)
        if flushing.done():
            flushing.result()
        await asking
    finally:
        for task in (flushing, *sittings):
            task.cancel()
        await asyncio.gather(flushing, *sittings, asking, return_exceptions=True)
        season.flush()
    return failed


@contextlib.asynccontextmanager
async def on_this_machine(subject: Subject) -> AsyncIterator[Opened]:
    """Makes a new directory, in memory if possible, and a process; or uses the directory of a
    program that a person starts."""
    if subject.directory is not None:
        yield LocalDirectory(subject.directory), None
        return
    fresh = Path(tempfile.mkdtemp(prefix="loebner-screen-", dir=communications_root()))
    try:
        process = Program(command_line(subject.id, subject.command, fresh), str(fresh))
        with contextlib.closing(process):
            yield LocalDirectory(fresh), process
    finally:
        shutil.rmtree(fresh, ignore_errors=True)


# One sitting


class Line(NamedTuple):
    """A line that the judge types, up to its Return: a question (`asks`), or a statement made
    before it, perhaps `again` after an interruption."""

    question: Question
    text: str
    asks: bool
    again: bool = False


def lines_of(paper: Paper, done: Collection[str]) -> Iterator[Line]:
    """The lines of a paper to type, in order. The statements of questions that were asked before
    an interruption (`done`) are repeated if a question about them is still to come."""
    left = [question for question in paper.questions if question.id not in done]
    about = {question.about for question in left}
    for question in paper.questions if left else ():
        for statement in question.tells if question.id in done else ():
            if statement in about:
                yield Line(left[0], statement, asks=False, again=True)
    for question in left:
        for statement in question.tells:
            yield Line(question, statement, asks=False)
        yield Line(question, question.text, asks=True)


@dataclass
class _Judge:
    """Types the paper to one subject, and reads its answers. Every subject gets the same keys, from
    the typing seed."""

    season: Season
    subject: Subject
    asked: Asked
    channel: DirectoryChannel
    program: Program | None
    options: AskingOptions
    progress: Progress

    def __post_init__(self) -> None:
        self._clock = self.options.clock
        self._dead = self.program is not None
        #: Set when the program ends, or the end of an answer may be sooner than expected.
        self._stirs = asyncio.Event()
        #: The text of lines begun since the judge's last Return, and when its last key came.
        self._pane: Pane | None = None
        self._last: float | None = None
        self._before = LineBegunBefore()

    async def run(self, done: Collection[str]) -> None:
        """Asks the paper, except questions asked before an interruption (`done`); raises LPPError
        if the program can't be started, or the directory fails."""
        self._note("server", kinds.SittingBegun(self.subject.id, self.subject.human))
        reader = asyncio.create_task(self._read(), name=f"listens to {self.subject.id}")
        try:
            await self._start()
            over, behind = len(done), False
            for line in lines_of(self.asked.paper, done):
                how = await self._put(line)
                if line.asks:
                    self.season.flush()
                    over += 1
                    behind = behind or how in ("silent", "too-long")
                    self.progress(self.subject.id, how, over)
            if behind:
                # The subject may still be typing its last answer.
                await self._listen(asks=True)
            self._note("server", kinds.SittingEnded(self.subject.id))
        finally:
            if self.program is not None:
                await self.program.stop()
            reader.cancel()
            await asyncio.gather(reader, return_exceptions=True)
            self.season.flush()

    def _note(self, actor: str, body: Body) -> None:
        self.season.note(self.subject.id, actor, body)

    async def _start(self) -> None:
        """Starts the program if it is dead."""
        if self.program is None or not self._is_dead():
            return
        await self.program.stop()
        # Remove keys that the previous run left unread: they are not meant for the next.
        await self.channel.empty()
        self._dead = False
        self._note("server", kinds.ProgramStarted(list(self.program.words)))
        await self.program.start(self._stirs.set)
        ready = self._clock.now() + self.asked.timing.ready / 1000
        while not self.program.has_output and self.program.running and self._clock.now() < ready:
            await self._clock.sleep(CHECK_SECONDS)

    def _is_dead(self) -> bool:
        """Whether the program has ended; records its end once."""
        if self.program is not None and not self._dead and not self.program.running:
            self._dead = True
            self._note(self.subject.id, kinds.ProgramEnded(self.program.ending))
        return self._dead

    async def _put(self, line: Line) -> How:
        """Types a line, and reads the answer."""
        how: How = "died"
        for _ in range(TRIES):
            await self._start()
            if await self._type(line):
                local = self.options.local().replace(tzinfo=None, microsecond=0)
                self._note("judge", kinds.LineAsked(line.question.id, line.asks, local))
                self._before.asked()
                how = await self._listen(line.asks)
                break
        self._note("judge", kinds.LineEnded(line.question.id, line.asks, how))
        return how

    async def _type(self, line: Line) -> bool:
        """Types a line up to its Return; False if the program died first."""
        self._note("judge", kinds.LineBegun(line.question.id, line.asks, line.again))
        rng = random.Random(f"{self.asked.typing_seed} {line.question.id} {line.asks} {line.text}")
        for stroke in self.options.pace.strokes(f"{line.text}\n", rng):
            if await self._sleep(stroke.delay):
                return False
            self._note("judge", kinds.SittingKey("judge", stroke.key))
            await self.channel.send(stroke.key)
        return True

    async def _read(self) -> None:
        async for received in self.channel:
            press = received.press
            broken = [violation.rule.value for violation in received.violations]
            self._note(self.subject.id, kinds.SittingKey("entity", press.key, press.raw, broken))
            continues = self._before.press(press.key, self._clock.now())
            if self._pane is not None and not continues:
                before = _stage(self._pane.text)
                self._pane.press(press.key)
                self._last = self._clock.now()
                if before != _stage(self._pane.text):
                    # The answer may end sooner now; any other key only delays its end.
                    self._stirs.set()

    async def _listen(self, asks: bool) -> How:
        self._pane, self._last, asked = Pane(), None, self._clock.now()
        try:
            while True:
                at, how = self.asked.timing.over_at(asks, asked, self._last, self._pane.text)
                left = at - self._clock.now()
                if left <= 0:
                    return how
                if await self._sleep(left):
                    await self._clock.sleep(LAST_KEYS)
                    return "died"
        finally:
            self._pane = None

    async def _sleep(self, seconds: float) -> bool:
        """Waits for some seconds, or until `_stirs` is set; returns True, and at once, if the
        program has died."""
        if self._is_dead():
            return True
        self._stirs.clear()
        waits = [
            asyncio.ensure_future(each) for each in (self._clock.sleep(seconds), self._stirs.wait())
        ]
        try:
            await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for wait in waits:
                wait.cancel()
            await asyncio.gather(*waits, return_exceptions=True)
        return self._is_dead()


def _stage(text: str) -> tuple[bool, bool]:
    """Whether there is any text, and whether its last line is unfinished."""
    return bool(text.strip()), bool(text) and not text.endswith("\n")
