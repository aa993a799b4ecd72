"""The players of a rehearsal: people at consoles, and entries with their programs.

Consoles and links are the contest's own code, connected in memory. Consoles and programs come from
other packages, so the caller passes in functions that make them.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple, Protocol, Self, TypeAlias

from contest.links import linkwire
from contest.links.directory import Checkpoint, LinkedDirectory
from contest.links.link import link_in_process
from contest.net.sockets import MemoryConnection
from contest.rehearse.loop import cancel_and_wait
from contest.scripted import Person, SeatInterface
from contest.setup.settings import EntryTable, Settings
from lpp.channel import DirectoryChannel
from lpp.clock import LoopClock
from lpp.keypress import Side, parse
from lpp.numbers import MemoryNumbers
from lpp.testing import MemoryDirectory
from lpp.wire import Author, Place

#: Connects a console or a link to the server; raises OSError if no server answers.
Connect: TypeAlias = Callable[[], MemoryConnection]
#: (round, attempt, place) to the keys on that screen, as (author, key name).
Screens: TypeAlias = dict[tuple[int, int, Place], list[tuple[Author, str]]]

#: The operating system's exit code of a killed program.
KILLED = -9
#: Seconds between two looks into the directory when nothing wakes the program. This can be long,
#: because in memory no wake-up is ever lost.
SWEEP_INTERVAL = 10.0


class Console(SeatInterface, Protocol):
    """A console at a seat, with the methods that scripted people and the rehearsal need."""

    @property
    def attempt(self) -> int:
        """The number of the attempt at this round."""

    @property
    def connected(self) -> bool:
        """Whether the server has accepted the current connection."""

    @property
    def unconfirmed(self) -> int:
        """How many of the person's keys in the current talks the server has not confirmed."""

    def open(self) -> None:
        """Connects, and reconnects from now on."""

    async def close(self) -> None:
        """Closes the console like a window; unconfirmed keys are kept for the next console."""

    async def agree(self, publish: bool, pseudonym: str = "") -> None:
        """Answers the question of consent."""


class EntryProgram(NamedTuple):
    """An entry's program: its name, and a coroutine that runs it on its directory's channel until
    it is cancelled; the second argument counts the runs from 1."""

    name: str
    live: Callable[[DirectoryChannel, int], Coroutine[Any, Any, None]]


#: Makes a console from the seat, its connection and its own folder.
MakeConsole: TypeAlias = Callable[[str, Connect, Path], Console]
#: Makes an entry's program from the contest's settings and the entry.
MakeProgram: TypeAlias = Callable[[Settings, EntryTable], EntryProgram]


@dataclass
class SeatedPerson:
    """A scripted person with a console at a seat; `playing` is the person's task."""

    seat: str
    person: Person
    console: Console
    playing: asyncio.Task[None] = field(init=False)

    @asynccontextmanager
    async def play_seat(self) -> AsyncIterator[None]:
        """Has the person play while the context is open."""
        self.console.open()
        await self.console.agree(True)
        play = self.person.play(self.console, LoopClock())
        self.playing = asyncio.create_task(play, name=self.seat)
        try:
            yield
        finally:
            await cancel_and_wait(self.playing)
            await self.console.close()


class RememberingDirectory(MemoryDirectory):
    """A communications directory in memory that remembers the key presses made in it.

    Attributes:
        made: every key press ever made, in order: its side, its name, and the `mark` at that time.
        mark: set from outside, to distinguish the key presses of different talks.
    """

    def __init__(self, path: str) -> None:
        super().__init__(path)
        self.made: list[tuple[Side, str, str]] = []
        self.mark = ""

    def make(self, name: str) -> None:
        """See lpp.directory.Directory."""
        super().make(name)
        if parsed := parse(name):
            self.made.append((parsed[0].side, name, self.mark))

    def unread(self) -> int:
        """How many of the judge's key presses are in the directory."""
        return sum(name.endswith(".judge") for name in self.entries)


class RehearsedEntry:
    """An entry: its directory, the link beside it, and the program that plays it.

    Arguments:
        id: the entry's id.
        program: the program that plays it.
        connect: connects its link.
        folder: where its link keeps its checkpoint.

    Attributes:
        directory: its communications directory.
        lives: how often the program was started.
        playing: the task of the running program.
    """

    playing: asyncio.Task[None]
    _linked: LinkedDirectory

    def __init__(self, id: str, program: EntryProgram, connect: Connect, folder: Path) -> None:
        self.id, self.program = id, program
        self.directory = RememberingDirectory(id)
        self.lives = 0
        self._connect = connect
        self._numbers = MemoryNumbers()
        self._checkpoint = Checkpoint(folder / f"{id}.jsonl")

    @asynccontextmanager
    async def opened(self) -> AsyncIterator[Self]:
        """Runs the entry's link and program while the context is open."""
        async with link_in_process(self.directory, self._checkpoint, self._connect) as self._linked:
            self.start()
            try:
                yield self
            finally:
                await cancel_and_wait(self.playing)

    def start(self) -> None:
        """Starts the program."""
        self.lives += 1
        self.playing = asyncio.create_task(self._live(), name=self.id)
        self._linked.report(linkwire.Started, [self.program.name])

    async def kill(self) -> None:
        """Kills the program."""
        await cancel_and_wait(self.playing)
        self._linked.report(linkwire.Exited, KILLED)

    async def _live(self) -> None:
        async with DirectoryChannel(
            self.directory, side=Side.OTHER, numbers=self._numbers, sweep=SWEEP_INTERVAL
        ) as channel:
            await self.program.live(channel, self.lives)
