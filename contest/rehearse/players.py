"""The players of a rehearsal: the server, people at consoles, entries with their programs.

Server, consoles and links are the contest's own code, connected in memory. Each of them can be
broken: a server that stops dead, a network that falls silent, a program that is killed. Consoles
and programs belong to other packages, which pass them in as a `Cast`.
"""

from __future__ import annotations

import asyncio
import datetime as dt
import random
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, Protocol, Self, TypeAlias

import scheduler
from contest.links import linkwire
from contest.links.directory import Checkpoint, LinkedDirectory
from contest.links.link import linked_here
from contest.live.standing import FILE_NAME as CLOCK
from contest.live.standing import NOTE_EVERY, noting
from contest.net.sockets import MemoryConnection
from contest.record.events import Event
from contest.record.store import Copy, Record
from contest.rehearse.journal import RehearsalJournal
from contest.rehearse.loop import ended
from contest.scripted import Person, Seat
from contest.serving.server import Server
from contest.serving.set_up import set_up
from contest.setup.settings import EntryTable, Settings
from lpp.channel import DirectoryChannel
from lpp.clock import Clock, LoopClock
from lpp.keypress import Side, parse
from lpp.numbers import ForgetfulNumbers
from lpp.testing import MemoryDirectory
from lpp.wire import Author, Place

#: Connects a console to its seat; raises OSError if no server answers.
Connect: TypeAlias = Callable[[], MemoryConnection]
#: (round, attempt, place) to the keys on a screen there, as (author, key name).
Screens: TypeAlias = dict[tuple[int, int, Place], list[tuple[Author, str]]]

#: Exit code of a program that was killed, as the system gives it.
KILLED = -9
#: Seconds between two looks into the directory when nothing wakes the program. In memory no wake is
#: ever lost.
SWEEP = 10.0


class Console(Seat, Protocol):
    """A console at a seat: what a scripted person needs, and what a rehearsal does to it."""

    @property
    def attempt(self) -> int:
        """The number of the attempt at this round."""

    @property
    def connected(self) -> bool:
        """Whether the present connection was greeted."""

    @property
    def unconfirmed(self) -> int:
        """Own keys that the server has not confirmed, in the present talks."""

    def open(self) -> None:
        """Connects, and reconnects from now on."""

    async def close(self) -> None:
        """Ends, as a window that is closed; typed keys are kept for the next console."""

    async def agree(self, publish: bool, pseudonym: str = "") -> None:
        """Answers what people are asked to agree to."""


class Program(NamedTuple):
    """An entry's program: its name, and one life of it over the keys of its directory,
    which ends when it is cancelled; the second argument counts the lives from 1."""

    name: str
    live: Callable[[DirectoryChannel, int], Coroutine[Any, Any, None]]


@dataclass(frozen=True, slots=True)
class Cast:
    """Makes consoles, from the seat, its connection and a folder of its own; and programs."""

    console: Callable[[str, Connect, Path], Console]
    program: Callable[[EntryTable], Program]


class MortalServer:
    """A contest's server over all its lives: it can stop dead, and is then set up again from the
    record.

    Arguments:
        folder: the contest's folder.
        settings: the contest's.
        schedule: who meets whom.
        program: the name and version of the program that plays it, for the record.
        begins: the day and hour at which the loop's clock was 0.
        rng: draws the sides.
        hear: called with each event when it is durable.

    Attributes:
        now: the server of the present life; of the last one while none is alive.
        journal: its journal.
        alive: whether there is a present life.
        away: ids of the seats and entries whose network is gone.
        taken_up: how many events the record held when the last life began.
    """

    now: Server
    journal: RehearsalJournal

    def __init__(
        self,
        folder: Path,
        settings: Settings,
        schedule: scheduler.Schedule,
        program: str,
        begins: dt.datetime,
        rng: random.Random,
        hear: Callable[[Event], None],
    ) -> None:
        self.alive = False
        self.taken_up = 0
        self._folder, self._settings, self._schedule = folder, settings, schedule
        self._program, self._rng = program, rng
        self._begins, self._hear = begins, hear
        self._stack = AsyncExitStack()
        self._play: asyncio.Task[str] | None = None
        self._born = asyncio.Event()
        self.away: set[str] = set()
        self._lines: dict[str, MemoryConnection] = {}

    def _make_journal(
        self, record: Record, clock: Clock, copy: Copy | None, *, finished: bool
    ) -> RehearsalJournal:
        self.taken_up = record.chains.last_seq
        self.journal = RehearsalJournal(record, clock, self._begins)
        self.journal.watchers.append(self._hear)
        return self.journal

    async def start(self) -> None:
        """Begins the contest, or goes on where its record ends."""
        self._stack = AsyncExitStack()
        self.now = await self._stack.enter_async_context(
            set_up(
                *(self._folder, self._settings, self._schedule, LoopClock()),
                sockets=None,
                program=self._program,
                rng=self._rng,
                journal=self._make_journal,
            )
        )
        self.alive = True
        self._play = asyncio.create_task(self.now.play(), name="server")
        self._born.set()

    async def die(self) -> None:
        """Stops dead: nothing is written, sent or closed any more."""
        assert self._play is not None
        self.alive = False
        self._born.clear()
        # A real server notes its clock all the time; it is enough to note it here.
        at = self.now.clock.now() // NOTE_EVERY * NOTE_EVERY
        async with noting(self._folder / CLOCK, self.now.conductor.state.contest_id, lambda: at):
            await asyncio.sleep(0)
        self.journal.die()
        for line in self._lines.values():
            line.die()
        self._lines.clear()
        await ended(self._play)
        await self._stack.aclose()

    async def played(self) -> str:
        """Waits until the contest is played, through all lives of the server.

        Returns:
            The head of its record.
        """
        while True:
            play = self._play
            assert play is not None
            await asyncio.wait([play])
            if not play.cancelled():
                return play.result()
            await self._born.wait()

    async def end(self) -> None:
        """Ends in order."""
        if self._play is not None:
            await ended(self._play)
        if self.alive:
            self.alive = False
            await self._stack.aclose()

    def connect_seat(self, seat: str) -> MemoryConnection:
        """A connection for a console at a seat; raises OSError if no server answers it."""
        return self._connected(seat, lambda: self.now.connect_seat(seat))

    def connect_link(self, entry: str) -> MemoryConnection:
        """A connection for the link beside an entry; raises OSError if no server answers it."""
        return self._connected(entry, lambda: self.now.connect_link(entry))

    def _connected(self, who: str, connect: Callable[[], MemoryConnection]) -> MemoryConnection:
        if not self.alive or who in self.away:
            raise OSError("no server answers")
        line = self._lines[who] = connect()
        return line

    def lose(self, who: str, *, silent: bool) -> None:
        """The network of a seat or an entry is gone until it is taken out of `away`: it falls
        silent, or its connection is cut."""
        self.away.add(who)
        line = self._lines.get(who)
        if line is not None and silent:
            line.fall_silent()
        elif line is not None:
            line.cut("the network is gone")


class Sitter:
    """A scripted person with a console at a seat.

    Arguments:
        seat: the seat's id.
        person: the scripted person.
        make: makes a console.

    Attributes:
        playing: what the person does, once seated.
    """

    def __init__(self, seat: str, person: Person, make: Callable[[], Console]) -> None:
        self.seat, self.person = seat, person
        self._make = make
        self.console = make()
        self.playing: asyncio.Task[None] | None = None

    async def sit(self) -> None:
        """Sits down at the console."""
        self.console.open()
        await self.console.agree(True)
        play = self.person.play(self.console, LoopClock())
        self.playing = asyncio.create_task(play, name=self.seat)

    async def leave(self) -> None:
        """Gets up, and closes the console."""
        if self.playing is not None:
            await ended(self.playing)
        await self.console.close()

    async def restart_console(self, pause: float) -> None:
        """Closes the console, and starts another one after this many seconds."""
        await self.leave()
        await asyncio.sleep(pause)
        self.console = self._make()
        await self.sit()

    def screens(self) -> Screens:
        """The screen now."""
        at = self.console
        return {(at.round, at.attempt, place): list(at.keys(place)) for place in at.places}


class RememberingDirectory(MemoryDirectory):
    """A communications directory in memory that remembers what was made in it.

    Attributes:
        made: every name that was ever made, with the mark that was set then, in order.
        mark: set from outside, to tell one talk's names from another's.
    """

    def __init__(self, path: str) -> None:
        super().__init__(path)
        self.made: list[tuple[str, str]] = []
        self.mark = ""

    def make(self, name: str) -> None:
        """See lpp.directory.Directory."""
        super().make(name)
        self.made.append((self.mark, name))

    def unread(self) -> int:
        """How many of the judge's key presses are there."""
        return sum(_side(name) is Side.JUDGE for name in self.entries)

    def pressed(self, side: Side) -> list[tuple[str, str]]:
        """The marks and names of all key presses that a side ever made, in order."""
        return [(mark, name) for mark, name in self.made if _side(name) is side]


def _side(name: str) -> Side | None:
    parsed = parse(name)
    return None if parsed is None else parsed[0].side


class Entry:
    """An entry: its directory, the link beside it, and the program that plays it.

    Arguments:
        id: the entry's.
        program: plays it.
        connect: connects its link to the server; raises OSError if no server answers.
        folder: where its link keeps what it has to remember.

    Attributes:
        directory: its communications directory.
        lives: how often the program was started.
        playing: the program's present life.
    """

    def __init__(
        self, id: str, program: Program, connect: Callable[[], MemoryConnection], folder: Path
    ) -> None:
        self.id, self.program = id, program
        self.directory = RememberingDirectory(id)
        self.lives = 0
        self.playing: asyncio.Task[None] | None = None
        self._connect = connect
        self._numbers = ForgetfulNumbers()
        self._checkpoint = Checkpoint(folder / f"{id}.jsonl")
        self._linked: LinkedDirectory

    @asynccontextmanager
    async def opened(self) -> AsyncIterator[Self]:
        """The entry with its link and its program, which end with the context."""
        async with linked_here(self.directory, self._checkpoint, self._connect) as self._linked:
            self.start()
            try:
                yield self
            finally:
                await self._end()

    def start(self) -> None:
        """Starts the program."""
        self.lives += 1
        self.playing = asyncio.create_task(self._live(), name=self.id)
        self._linked.report(linkwire.Started, [self.program.name])

    async def die(self) -> None:
        """Kills the program."""
        await self._end()
        self._linked.report(linkwire.Exited, KILLED)

    async def _end(self) -> None:
        assert self.playing is not None
        await ended(self.playing)

    async def _live(self) -> None:
        async with DirectoryChannel(
            self.directory, side=Side.OTHER, numbers=self._numbers, sweep=SWEEP
        ) as channel:
            await self.program.live(channel, self.lives)
