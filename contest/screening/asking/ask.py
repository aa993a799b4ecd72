"""Several sittings side by side, on record; what was asked before is not asked again."""

from __future__ import annotations

import asyncio
import contextlib
import datetime as dt
import shutil
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol, TypeAlias

from contest.errors import BadOrder, BadSettings, WrongMoment
from contest.links.program import command_line
from contest.record.events import Draft, Event
from contest.screening.asking.hearing import TALK, Heard, heard
from contest.screening.asking.paperset import Asked, asked_of
from contest.screening.asking.sitting import Program, Sitting
from contest.screening.bodies import AnyBody
from contest.screening.marking.bodies import LettersDrawn
from contest.screening.register import register_of
from contest.screening.season import Season, bodies
from contest.screening.selecting import selection_of
from contest.setup.settings import Settings
from lpp.channel import DirectoryChannel
from lpp.clock import Clock
from lpp.conformance.program import Process
from lpp.directory import Directory, LocalDirectory, rooms_parent
from lpp.errors import LPPError
from lpp.keypress import Side
from lpp.numbers import ForgetfulNumbers, StoredNumbers
from lpp.pace import Pace
from scheduler.texts import id_problem, listed, natural

#: Seconds of real time until keys are on record at the latest. What a power cut takes belongs to a
#: question that had not ended, and is asked anew.
FLUSH = 1.0


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


class Told(Protocol):
    """Shows how it goes."""

    def began(self, subject: str, done: int, of: int) -> None:
        """A sitting begins, with so many questions done before."""

    def over(self, subject: str, done: int, of: int, how: str) -> None:
        """A question is over."""

    def ended(self, subject: str) -> None:
        """A sitting has ended."""

    def failed(self, subject: str, why: str) -> None:
        """A sitting can't go on."""


Opened: TypeAlias = tuple[Directory, Program | None]
#: Makes the directory of a subject, and what starts its program.
Opens: TypeAlias = Callable[[Subject], contextlib.AbstractAsyncContextManager[Opened]]


@dataclass(frozen=True, slots=True)
class Way:
    """How it is asked.

    Attributes:
        clock: what all waiting goes by.
        opens: makes directories and programs, such as `on_this_machine`.
        side_by_side: sittings at once.
        pace: how the judge types.
        local: the local time of the machine.
        sweep: seconds between two looks into a directory where nothing wakes us; as the channel
            chooses if left out.
    """

    clock: Clock
    opens: Opens
    side_by_side: int = 4
    pace: Pace = field(default_factory=Pace)
    local: Callable[[], dt.datetime] = dt.datetime.now
    sweep: float | None = None


def subjects_of(
    kept: Sequence[tuple[Event, AnyBody]],
    settings: Settings,
    only: Sequence[str] = (),
    by_hand: Mapping[str, Path] | None = None,
    controls: Mapping[str, Path] | None = None,
) -> list[Subject]:
    """Who is to be asked.

    Arguments:
        kept: the season's events.
        settings: the contest's.
        only: ids; all that go on if left out, and the controls.
        by_hand: entries whose program somebody starts, to their directories.
        controls: humans who sit the paper to compare, to their directories.

    Raises:
        WrongMoment: if screening has not begun, or marking has.
        BadOrder: if an id is not among those that go on, or an entry has no command.
    """
    by_hand, controls = dict(by_hand or {}), dict(controls or {})
    if any(isinstance(body, LettersDrawn) for _, body in kept):
        raise WrongMoment("marking has begun: whoever sits the paper now has no letter")
    found = selection_of(kept, settings)
    if not found.begun:
        raise WrongMoment(
            "screening has not begun: `loebner screen go-on CONTEST begin` fixes who is screened"
        )
    register = register_of(kept)
    for id_ in controls:
        problem = id_problem(id_)
        if problem or id_ in register.entries:
            raise BadOrder(problem or f"{id_} is an entry's id; give the human another, such as H1")
    for id_ in (*only, *by_hand):
        if id_ not in found.to_ask and id_ not in controls:
            asked = listed(found.to_ask) if found.to_ask else "nobody"
            raise BadOrder(f"{id_} is not among those that are screened: {asked}")
    chosen = [id_ for id_ in found.to_ask if id_ in only or (not only and not controls)]
    subjects = []
    for id_ in chosen:
        command = register.find(id_).form.command
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
    subjects += [Subject(id_, directory=place, human=True) for id_, place in controls.items()]
    return subjects


async def ask(
    season: Season, asked: Asked, subjects: Sequence[Subject], way: Way, told: Told
) -> list[str]:
    """Puts the paper to subjects; those who have ended are left alone.

    Arguments:
        season: where all goes on record.
        asked: what is asked.
        subjects: who.
        way: how.
        told: shows how it goes.

    Returns:
        The ids of those that could not be asked to the end.

    Raises:
        RecordTrouble: if it can't be kept on record.
    """
    before = sittings_of(bodies(season.events()), asked)
    log = _Log(season)
    turn = asyncio.Semaphore(way.side_by_side)
    failed: list[str] = []

    async def one(subject: Subject) -> None:
        held = before.get(subject.id)
        done = frozenset(held.answers) if held is not None else frozenset()
        if held is not None and held.ended:
            told.ended(subject.id)
            return
        async with turn:
            told.began(subject.id, len(done), len(asked.paper.questions))
            try:
                await _sit(subject, asked, way, log, done, told)
            except (LPPError, BadSettings) as exc:
                failed.append(subject.id)
                told.failed(subject.id, str(exc))
            else:
                told.ended(subject.id)

    async def flush() -> None:
        while True:
            await asyncio.sleep(FLUSH)
            log.flush_if_due()

    async def all_of_them() -> None:
        await asyncio.gather(*(one(subject) for subject in subjects))

    tasks = [
        asyncio.create_task(flush(), name="writes to the record"),
        asyncio.create_task(all_of_them(), name="asks"),
    ]
    try:
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        for each in done:
            each.result()
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        log.flush()
    return failed


async def _sit(
    subject: Subject, asked: Asked, way: Way, log: _Log, done: frozenset[str], told: Told
) -> None:
    async with way.opens(subject) as (place, program):
        own = isinstance(place, LocalDirectory) and subject.directory is not None
        numbers = StoredNumbers.of(place.path, Side.JUDGE) if own else ForgetfulNumbers()
        async with DirectoryChannel(
            place, side=Side.JUDGE, numbers=numbers, sweep=way.sweep
        ) as channel:
            sitting = Sitting(
                *(subject.id, asked.paper, channel, program),
                _Talk(log, f"{TALK}{subject.id}"),
                way.clock,
                timing=asked.timing,
                local=way.local,
                pace=way.pace,
                seed=asked.typing_seed,
                human=subject.human,
                tell=lambda done, of, how: told.over(subject.id, done, of, how),
            )
            await sitting.run(done)


@contextlib.asynccontextmanager
async def on_this_machine(subject: Subject) -> AsyncIterator[Opened]:
    """A fresh directory, in memory where there is such a place, and a process; or the directory of
    one that somebody else starts."""
    if subject.directory is not None:
        yield LocalDirectory(subject.directory), None
        return
    fresh = Path(tempfile.mkdtemp(prefix="loebner-screen-", dir=rooms_parent()))
    try:
        process = Process(command_line(subject.id, subject.command, fresh), str(fresh))
        try:
            yield LocalDirectory(fresh), process
        finally:
            process.close()
    finally:
        shutil.rmtree(fresh, ignore_errors=True)


def sittings_of(events: Iterable[tuple[Event, AnyBody]], asked: Asked | None) -> dict[str, Heard]:
    """All sittings of a season, by subject, in the natural order of ids.

    Arguments:
        events: the season's.
        asked: what was asked; looked up if left out.
    """
    kept = list(events)
    asked = asked or asked_of(kept)
    chains: dict[str, list[tuple[Event, AnyBody]]] = {}
    for event, body in kept:
        if event.talk is not None and event.talk.startswith(TALK):
            chains.setdefault(event.talk.removeprefix(TALK), []).append((event, body))
    if asked is None:
        return {}
    return {id_: heard(id_, chains[id_], asked.paper) for id_ in sorted(chains, key=natural)}


class _Log:
    """What is to go on record, of all sittings in the order in which it happened."""

    def __init__(self, season: Season) -> None:
        self._season = season
        self._waiting: list[Draft] = []
        self._last = time.monotonic()

    def write(self, actor: str, body: AnyBody, talk: str) -> None:
        self._waiting.append(self._season.draft(actor, body, talk))

    def flush(self) -> None:
        if self._waiting:
            self._season.write_all(self._waiting)
            self._waiting.clear()
        self._last = time.monotonic()

    def flush_if_due(self) -> None:
        """By the machine's own clock, whatever the loop's shows: a commit waits for the disk."""
        if time.monotonic() - self._last >= FLUSH / 2:
            self.flush()


class _Talk:
    """One sitting's part of it."""

    def __init__(self, log: _Log, talk: str) -> None:
        self._log = log
        self._talk = talk

    def write(self, actor: str, body: AnyBody) -> None:
        """See sitting.Writes."""
        self._log.write(actor, body, self._talk)

    def flush(self) -> None:
        """See sitting.Writes."""
        self._log.flush()
