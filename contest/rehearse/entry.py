"""An entry of a rehearsal: its directory, the link beside it, and the program that plays it.

Directory and link are those of `loebner link`, without disk and socket. The program can die and be
started again, and the link can lose the server.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Self

from contest.links.checkpoint import Checkpoint
from contest.links.directory import LinkedDirectory
from contest.links.link import linked_here
from contest.rehearse.cast import LinkLine, Program
from contest.rehearse.loop import ended
from lpp.channel import DirectoryChannel
from lpp.keypress import Side, parse
from lpp.numbers import ForgetfulNumbers
from lpp.testing import MemoryDirectory

#: Exit code of a program that was killed, as the system gives it.
KILLED = -9
#: Seconds between two looks into the directory when nothing wakes the program. In memory a wake is
#: never lost.
SWEEP = 10.0


class RememberingDirectory(MemoryDirectory):
    """A directory in memory.

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
    """An entry.

    Arguments:
        id: the entry's.
        program: what plays it.
        connect: connects its link to the server; raises OSError if no server answers.
        folder: where its link keeps what it has to remember.

    Attributes:
        directory: its communications directory.
        lives: how often the program was started.
        away: whether the link's network is gone.
        life: the program's present life.
    """

    def __init__(
        self, id: str, program: Program, connect: Callable[[str], LinkLine], folder: Path
    ) -> None:
        self.id = id
        self.program = program
        self.directory = RememberingDirectory(id)
        self.lives = 0
        self.away = False
        self.life: asyncio.Task[None] | None = None
        self._connect = connect
        self._numbers = ForgetfulNumbers()
        self._checkpoint = Checkpoint(folder / f"{id}.jsonl")
        self._line: LinkLine | None = None
        self._beside: LinkedDirectory | None = None

    @asynccontextmanager
    async def opened(self) -> AsyncIterator[Self]:
        """The entry with its link and its program, which end with the context."""
        async with linked_here(self.directory, self._checkpoint, self._dial) as beside:
            self._beside = beside
            self.start()
            try:
                yield self
            finally:
                await self._end()

    def start(self) -> None:
        """Starts the program."""
        assert self._beside is not None
        self.lives += 1
        self.life = asyncio.create_task(self._live(), name=f"program of {self.id}")
        self._beside.started([self.program.name])

    async def die(self) -> None:
        """Kills the program."""
        assert self._beside is not None
        await self._end()
        self._beside.exited(KILLED)

    async def _end(self) -> None:
        assert self.life is not None
        await ended(self.life)

    async def _live(self) -> None:
        channel = DirectoryChannel(
            self.directory, side=Side.OTHER, numbers=self._numbers, sweep=SWEEP
        )
        async with channel:
            await self.program.live(channel, self.lives)

    def lose_server(self) -> None:
        """The link's network is gone, until `away` is unset."""
        self.away = True
        if self._line is not None:
            self._line.cut("the network is gone")

    def _dial(self) -> LinkLine:
        if self.away:
            raise OSError("the network is gone")
        self._line = self._connect(self.id)
        return self._line
