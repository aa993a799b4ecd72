"""The players of a rehearsal: people at consoles, and entries with their programs.

Consoles and links are the contest's own code, connected in memory. Consoles and programs belong to
other packages, which pass them in as a `Cast`.
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
from contest.links.link import linked_here
from contest.net.sockets import MemoryConnection
from contest.rehearse.loop import ended
from contest.scripted import Person, Seat
from contest.setup.settings import EntryTable
from lpp.channel import DirectoryChannel
from lpp.clock import LoopClock
from lpp.keypress import Side, parse
from lpp.numbers import ForgetfulNumbers
from lpp.testing import MemoryDirectory
from lpp.wire import Author, Place

#: Connects a console or a link to the server; raises OSError if no server answers.
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


@dataclass
class Sitter:
    """A scripted person with a console at a seat; `playing` is what the person does."""

    seat: str
    person: Person
    console: Console
    playing: asyncio.Task[None] = field(init=False)

    @asynccontextmanager
    async def seated(self) -> AsyncIterator[None]:
        """The person plays while the context is open."""
        self.console.open()
        await self.console.agree(True)
        play = self.person.play(self.console, LoopClock())
        self.playing = asyncio.create_task(play, name=self.seat)
        try:
            yield
        finally:
            await ended(self.playing)
            await self.console.close()

    def screens(self) -> Screens:
        """The screen now."""
        at = self.console
        return {(at.round, at.attempt, place): list(at.keys(place)) for place in at.places}


class RememberingDirectory(MemoryDirectory):
    """A communications directory in memory that remembers what was made in it.

    Attributes:
        made: every key press that was ever made, in order: its side, its name, and the mark that
            was set then.
        mark: set from outside, to tell one talk's names from another's.
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
        """How many of the judge's key presses are there."""
        return sum(name.endswith(".judge") for name in self.entries)


class Entry:
    """An entry: its directory, the link beside it, and the program that plays it.

    Arguments:
        id: the entry's.
        program: plays it.
        connect: connects its link.
        folder: where its link keeps what it has to remember.

    Attributes:
        directory: its communications directory.
        lives: how often the program was started.
        playing: the program's present life.
    """

    playing: asyncio.Task[None]
    _linked: LinkedDirectory

    def __init__(self, id: str, program: Program, connect: Connect, folder: Path) -> None:
        self.id, self.program = id, program
        self.directory = RememberingDirectory(id)
        self.lives = 0
        self._connect = connect
        self._numbers = ForgetfulNumbers()
        self._checkpoint = Checkpoint(folder / f"{id}.jsonl")

    @asynccontextmanager
    async def opened(self) -> AsyncIterator[Self]:
        """The entry with its link and its program, which end with the context."""
        async with linked_here(self.directory, self._checkpoint, self._connect) as self._linked:
            self.start()
            try:
                yield self
            finally:
                await ended(self.playing)

    def start(self) -> None:
        """Starts the program."""
        self.lives += 1
        self.playing = asyncio.create_task(self._live(), name=self.id)
        self._linked.report(linkwire.Started, [self.program.name])

    async def die(self) -> None:
        """Kills the program."""
        await ended(self.playing)
        self._linked.report(linkwire.Exited, KILLED)

    async def _live(self) -> None:
        async with DirectoryChannel(
            self.directory, side=Side.OTHER, numbers=self._numbers, sweep=SWEEP
        ) as channel:
            await self.program.live(channel, self.lives)
