"""An entry of a rehearsal: its directory, the link beside it, and the program that plays it.

Directory and link are those of `loebner link`, without disk and socket; the program is handed in.
It can die and be started again, be stopped for a while, and the link can lose the server.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from types import TracebackType
from typing import Self, TypeAlias

from contest.links import linkwire
from contest.links.beside import Beside
from contest.links.memory import Memory
from contest.rehearsal.cast import Program
from contest.rehearsal.directory import ProgramsView, RememberingDirectory
from contest.rehearsal.loop import ended
from contest.rehearsal.wires import Line, LineEnded, Unreachable
from lpp.channel import DirectoryChannel
from lpp.keypress import KeyPress, Side
from lpp.numbers import ForgetfulNumbers
from lpp.session import Received

LinkLine: TypeAlias = Line[linkwire.ToServer, linkwire.ToLink]
#: Seconds between two attempts of a link to come back.
PAUSE = 0.5
#: Exit code of a program that was killed, as the system gives it.
KILLED = -9
#: Seconds between two looks of the program into its directory when nothing wakes it. In memory a
#: wake is never lost.
SWEEP = 10.0


class Entry:
    """An entry.

    Arguments:
        id: the entry's.
        program: what plays it.
        connect: connects its link to the server; raises Unreachable if nobody answers.
        folder: where its link keeps what it has to remember.

    Attributes:
        directory: its communications directory.
        typed: names of all key presses that the program has made.
        lives: how often the program was started.
    """

    def __init__(
        self,
        id: str,
        program: Program,
        connect: Callable[[linkwire.Hello], LinkLine],
        folder: Path,
    ) -> None:
        self.id = id
        self.name = program.name
        self.directory = RememberingDirectory(id)
        self.typed: list[str] = []
        self.lives = 0
        self._program = program
        self._connect = connect
        self._numbers = ForgetfulNumbers()
        self._view = ProgramsView(self.directory)
        self._beside = Beside(self.directory, Memory(folder / f"{id}.jsonl"), id, "rehearsal")
        self._line: LinkLine | None = None
        self._away = False
        self._running = asyncio.Event()
        self._running.set()
        self._life: asyncio.Task[None] | None = None
        self._linking: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        await self._beside.__aenter__()
        self._linking = asyncio.create_task(self._keep_linked(), name=f"link of {self.id}")
        self.start()
        return self

    async def __aexit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        for task in (self._life, self._linking):
            if task is not None:
                await ended(task)
        await self._beside.__aexit__(exc_type, exc, traceback)

    # The program

    def start(self) -> None:
        """Starts the program."""
        self.lives += 1
        self._life = asyncio.create_task(self._live(self.lives), name=f"program of {self.id}")
        self._beside.started([self.name])

    async def die(self) -> None:
        """The program is killed."""
        assert self._life is not None
        await ended(self._life)
        self._beside.exited(KILLED)

    def stall(self) -> None:
        """The program is stopped: it neither reads nor types."""
        self._view.stop()
        self._running.clear()

    def go_on(self) -> None:
        """The program goes on."""
        self._view.go_on()
        self._running.set()

    @property
    def failed(self) -> BaseException | None:
        """What the program or the link has died of by itself."""
        for task in (self._life, self._linking):
            if task is not None and task.done() and not task.cancelled():
                return task.exception()
        return None

    async def _live(self, life: int) -> None:
        channel = DirectoryChannel(self._view, side=Side.OTHER, numbers=self._numbers, sweep=SWEEP)
        async with channel:
            await self._program.live(_Stoppable(channel, self._running, self.typed), life)

    # The link

    def lose_server(self) -> None:
        """The link's network is gone, and nobody can be reached."""
        self._away = True
        if self._line is not None:
            self._line.cut("the network is gone")

    def find_server(self) -> None:
        """The network is back."""
        self._away = False

    async def _keep_linked(self) -> None:
        while True:
            with contextlib.suppress(Unreachable, LineEnded):
                await self._connection()
            self._beside.lost()
            await asyncio.sleep(PAUSE)

    async def _connection(self) -> None:
        if self._away:
            raise Unreachable("the network is gone")
        line = self._line = self._connect(self._beside.hello())
        writer = asyncio.create_task(self._write(line), name=f"what {self.id} tells")
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


class _Stoppable:
    """A channel whose program can be stopped in the middle of typing."""

    def __init__(self, channel: DirectoryChannel, running: asyncio.Event, typed: list[str]) -> None:
        self._channel = channel
        self._running = running
        self._typed = typed

    async def send(self, key: str) -> KeyPress:
        await self._running.wait()
        press = await self._channel.send(key)
        self._typed.append(press.raw)
        return press

    def __aiter__(self) -> AsyncIterator[Received]:
        return self._channel.__aiter__()
