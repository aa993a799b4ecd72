"""An entry of a rehearsal: its directory, the link beside it, and the program that plays it.

Directory and link are those of `loebner link`, without disk and socket. The program can die and be
started again, and the link can lose the server.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Self, TypeAlias

from contest.links import linkwire
from contest.links.beside import Beside
from contest.links.memory import Memory
from contest.rehearsal.cast import Program
from contest.rehearsal.loop import ended
from contest.rehearsal.wires import Line, LineEnded, Unreachable
from lpp.channel import DirectoryChannel
from lpp.keypress import Side, parse
from lpp.numbers import ForgetfulNumbers
from lpp.testing import MemoryDirectory

LinkLine: TypeAlias = Line[linkwire.ToServer, linkwire.ToLink]
#: Seconds between two attempts of a link to come back.
PAUSE = 0.5
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
        connect: connects its link to the server; raises Unreachable if no server answers.
        folder: where its link keeps what it has to remember.

    Attributes:
        directory: its communications directory.
        lives: how often the program was started.
        away: whether the link's network is gone.
    """

    def __init__(
        self,
        id: str,
        program: Program,
        connect: Callable[[linkwire.Hello], LinkLine],
        folder: Path,
    ) -> None:
        self.id = id
        self.program = program
        self.directory = RememberingDirectory(id)
        self.lives = 0
        self.away = False
        self._connect = connect
        self._numbers = ForgetfulNumbers()
        self._beside = Beside(self.directory, Memory(folder / f"{id}.jsonl"), id, "rehearsal")
        self._line: LinkLine | None = None
        #: The program's life, and the link.
        self.tasks: list[asyncio.Task[None]] = []

    async def __aenter__(self) -> Self:
        await self._beside.__aenter__()
        self.tasks = [asyncio.create_task(self._keep_linked(), name=f"link of {self.id}")]
        self.start()
        return self

    async def __aexit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        for task in self.tasks:
            await ended(task)
        await self._beside.__aexit__(exc_type, exc, traceback)

    def start(self) -> None:
        """Starts the program."""
        self.lives += 1
        self.tasks.append(asyncio.create_task(self._live(), name=f"program of {self.id}"))
        self._beside.started([self.program.name])

    async def die(self) -> None:
        """Kills the program."""
        await ended(self.tasks.pop())
        self._beside.exited(KILLED)

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

    async def _keep_linked(self) -> None:
        while True:
            with contextlib.suppress(Unreachable, LineEnded):
                await self._connection()
            self._beside.lost()
            await asyncio.sleep(PAUSE)

    async def _connection(self) -> None:
        if self.away:
            raise Unreachable("the network is gone")
        line = self._line = self._connect(self._beside.hello())
        writer = asyncio.create_task(self._write(line), name=f"frames of {self.id}")
        try:
            while True:
                self._beside.receive(await line.receive())
        finally:
            await ended(writer)
            line.hang_up()

    async def _write(self, line: LinkLine) -> None:
        while True:
            await self._beside.to_send.wait()
            self._beside.to_send.clear()
            for frame in self._beside.outgoing():
                line.say(frame)
