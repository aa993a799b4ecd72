"""The server of a rehearsal: everything that a contest's server is, without sockets; it can stop
dead and be built anew from the record.

Record, conductor, seats, hub and links are the contest's own. What is the rehearsal's: the
journal's thread is left out (journal.py), and consoles and links come over lines in memory
(wires.py).
"""

from __future__ import annotations

import asyncio
import datetime as dt
import random
from collections.abc import Callable
from contextlib import AsyncExitStack
from pathlib import Path

import scheduler
from contest.control.conductor import Conductor
from contest.control.server import Server as Contest
from contest.links import linkwire
from contest.links.link import Link
from contest.links.server_end import NotTaken
from contest.record.copying import Copy
from contest.record.events import Event
from contest.record.store import Record
from contest.rehearsal.journal import RehearsalJournal
from contest.rehearsal.loop import ended
from contest.rehearsal.wires import Line, Unreachable
from contest.serving.set_up import set_up
from contest.setup.settings import Settings
from contest.talks.seats import SeatRefused
from contest.talks.standing import FILE_NAME as CLOCK
from contest.talks.standing import NOTE_EVERY, Noted
from lpp import wire
from lpp.clock import Clock, LoopClock

SeatLine = Line[wire.ToServer, wire.ToSeat]
LinkLine = Line[linkwire.ToServer, linkwire.ToLink]


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
        self._lines: set[SeatLine | LinkLine] = set()

    @property
    def conductor(self) -> Conductor:
        """What plays the contest, in the life that is on."""
        return self.stage.conductor

    # Life

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
        """What a server notes all the time (contest.talks.standing) is a quarter of a second old at
        most; it is noted here when it is needed."""
        now = self.stage.clock.now() // NOTE_EVERY * NOTE_EVERY
        contest = self.conductor.seats.contest_id
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

    # Doors

    def sit(self, seat_id: str, hello: wire.Hello) -> SeatLine:
        """A console sits down at a seat; its code is not asked for.

        Raises:
            Unreachable: if no server is alive.
        """
        if not self.alive:
            raise Unreachable("no server answers")
        seats = self.conductor.seats
        seat = seats.seats[seat_id]

        def gone(why: str) -> None:
            self._lines.discard(line)
            seats.leave(seat, line, why)

        def take(frame: wire.ToServer) -> None:
            if seat.outlet is line:
                seats.handle(seat, wire.decode_to_server(wire.encode(frame)))

        line: SeatLine = Line(lambda frame: wire.decode_to_seat(wire.encode(frame)), take, gone)
        self._lines.add(line)
        try:
            seats.join(seat_id, line, hello.client, hello.take_over)
        except SeatRefused as exc:
            line.send(wire.Refused(exc.code, str(exc), exc.answers))
            line.close(str(exc))
        return line

    def link(self, entry: str, hello: linkwire.Hello) -> LinkLine:
        """An entry's link connects.

        Raises:
            Unreachable: if no server is alive.
        """
        if not self.alive:
            raise Unreachable("no server answers")
        remote = self.links[entry]

        def gone(why: str) -> None:
            self._lines.discard(line)
            remote.disconnect(line, why)

        def take(frame: linkwire.ToServer) -> None:
            try:
                remote.receive(linkwire.decode_to_server(linkwire.encode(frame)))
            except NotTaken as exc:
                refuse(exc)

        def refuse(exc: NotTaken) -> None:
            line.send(linkwire.Refused(exc.code, str(exc), exc.answers))
            line.close(str(exc))

        line: LinkLine = Line(
            lambda frame: linkwire.decode_to_link(linkwire.encode(frame)), take, gone
        )
        self._lines.add(line)
        try:
            remote.connect(line, hello)
        except NotTaken as exc:
            refuse(exc)
        return line
