"""The server of a rehearsal: everything that a contest's server is, without sockets; it can stop
dead and be built anew from the record.

Record, conductor, seats, hub and links are the contest's own. What is the rehearsal's: the
journal's thread is left out (journal.py), and consoles and links are connected in memory.
"""

from __future__ import annotations

import asyncio
import datetime as dt
import random
from collections.abc import Callable
from contextlib import AsyncExitStack
from pathlib import Path
from typing import TypeVar

import scheduler
from contest.links.link import Link
from contest.live.conductor import Conductor
from contest.live.standing import FILE_NAME as CLOCK
from contest.live.standing import NOTE_EVERY, Noted
from contest.record.copying import Copy
from contest.record.events import Event
from contest.record.store import Record
from contest.rehearse.cast import LinkLine, SeatLine
from contest.rehearse.journal import RehearsalJournal
from contest.rehearse.loop import ended
from contest.serving.server import Server as Contest
from contest.serving.set_up import set_up
from contest.setup.settings import Settings
from lpp.clock import Clock, LoopClock

_Line = TypeVar("_Line", SeatLine, LinkLine)


class Server:
    """A contest's server, over all its lives.

    Arguments:
        folder: where the record is; the contest's folder.
        settings: the contest's.
        schedule: who meets whom.
        program: the name and version of what plays it, for the record.
        begins: the day and hour at which the loop's clock was 0.
        rng: where sides are drawn from.
        hear: told each event when it is durable.

    Attributes:
        stage, journal, links: of the life that is on.
        alive: whether one is.
        lives: how many there were.
        taken_up: how many events the record held when the last one began.
    """

    stage: Contest
    journal: RehearsalJournal
    links: dict[str, Link]

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
        self.folder = folder
        self.settings = settings
        self.schedule = schedule
        self.alive = False
        self.lives = self.taken_up = 0
        self._program = program
        self._begins = begins
        self._rng = rng
        self._hear = hear
        self._stack = AsyncExitStack()
        self._play: asyncio.Task[str] | None = None
        self._born = asyncio.Event()
        self._lines: list[SeatLine | LinkLine] = []

    @property
    def conductor(self) -> Conductor:
        """What plays the contest, in the life that is on."""
        return self.stage.conductor

    async def start(self) -> None:
        """Begins the contest, or takes it up where its record says that it was."""
        stack = self._stack = AsyncExitStack()

        def journal(
            record: Record, clock: Clock, copy: Copy | None, *, finished: bool
        ) -> RehearsalJournal:
            self.taken_up = record.chains.last_seq
            self.journal = RehearsalJournal(record, clock, self._begins)
            return self.journal

        self.stage = await stack.enter_async_context(
            set_up(
                *(self.folder, self.settings, self.schedule, LoopClock()),
                sockets=None,
                program=self._program,
                rng=self._rng,
                journal=journal,
            )
        )
        self.links = self.stage.links
        self.journal.watchers.append(self._hear)
        self.alive = True
        self.lives += 1
        self._play = asyncio.create_task(self.stage.play(), name="stage")
        self._born.set()

    async def die(self) -> None:
        """Stops dead: nothing is written, said or closed any more."""
        self.alive = False
        self._born.clear()
        await self._note_clock()
        self.journal.die()
        for line in self._lines:
            line.die()
        self._lines.clear()
        assert self._play is not None
        await ended(self._play)
        await self._stack.aclose()

    async def _note_clock(self) -> None:
        """What a server notes all the time (contest.live.standing) is a quarter of a second old at
        most; it is noted here when it is needed."""
        now = self.stage.clock.now() // NOTE_EVERY * NOTE_EVERY
        contest = self.conductor.state.contest_id
        async with Noted(self.folder / CLOCK, contest, lambda: now):
            await asyncio.sleep(0)

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
            # It died; the next life plays on.
            await self._born.wait()

    async def end(self) -> None:
        """Ends in order; what is not played is on record as far as it went."""
        if self._play is not None:
            await ended(self._play)
        if self.alive:
            self.alive = False
            await self._stack.aclose()

    def sit(self, seat: str) -> SeatLine:
        """A connection for a console at a seat.

        Raises:
            OSError: if no server is alive.
        """
        return self._connected(lambda: self.stage.connect_seat(seat))

    def link(self, entry: str) -> LinkLine:
        """A connection for the link beside an entry.

        Raises:
            OSError: if no server is alive.
        """
        return self._connected(lambda: self.stage.connect_link(entry))

    def _connected(self, connect: Callable[[], _Line]) -> _Line:
        if not self.alive:
            raise OSError("no server answers")
        line = connect()
        self._lines.append(line)
        return line
