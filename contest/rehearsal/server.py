"""The server of a rehearsal: everything that a contest's server is, without sockets; it can stop
dead and be built anew from the record.

Record, conductor, seats, hub and links are the contest's own. What is the rehearsal's: the
journal's thread is left out (journal.py), and consoles and links come over lines in memory
(wires.py).
"""

from __future__ import annotations

import asyncio
import contextlib
import datetime as dt
import random
from collections.abc import Callable
from contextlib import AsyncExitStack
from pathlib import Path

import scheduler
from contest import timeline
from contest.bodies import TakenUp
from contest.conductor import Conductor
from contest.events import Event
from contest.links.remote import RemoteLink
from contest.links.server_end import NotTaken
from contest.page import html_page
from contest.record import FILE_NAME, Record, sqlite_url
from contest.rehearsal.journal import RehearsalJournal
from contest.rehearsal.wires import Line, Unreachable
from contest.results import results_text
from contest.seats import SeatRefused
from contest.settings import Settings
from contest.sides import Sealed
from contest.standing import NOTE_EVERY, StandingClock
from contest.takeup import Begun, schedule_in
from contest.tallying import result_body
from contest.verify import HEAD_FILE
from lpp import linkwire, wire
from lpp.clock import Clock, LoopClock

#: Seconds that a server waits for those who were here before its clock goes on; see contest.stage.
RETURN = 3.0

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
        conductor, journal, links: of the life that is on.
        alive: whether one is.
        lives: how many there were.
        taken_up: how many events the record held when the last one began.
    """

    conductor: Conductor
    journal: RehearsalJournal
    links: dict[str, RemoteLink]

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
        self._record: Record
        self._clock: Clock
        self._noted = 0.0
        self._born = asyncio.Event()
        self._play: asyncio.Task[None] | None = None
        self._lines: set[SeatLine | LinkLine] = set()

    # Life

    async def start(self) -> None:
        """Begins the contest, or takes it up where its record says that it was."""
        stack = self._stack = AsyncExitStack()
        self._record = stack.enter_context(Record(sqlite_url(self.folder / FILE_NAME), create=True))
        self.taken_up = self._record.chains.last_seq
        begun = Begun.of(self._record.events()) if self.taken_up else None
        clock: Clock = LoopClock()
        standing: StandingClock | None = None
        if begun is not None:
            clock = standing = StandingClock(clock, max(begun.now, self._noted))
        self._clock = clock
        journal = RehearsalJournal(self._record, clock, self._begins)
        self.journal = await stack.enter_async_context(journal)
        journal.watchers.append(self._hear)
        schedule = self.schedule if begun is None else schedule_in(begun)
        self.conductor = Conductor(
            *(self.settings, schedule, journal, clock),
            program=self._program,
            rng=self._rng,
            manual=True,
        )
        journal.on_trouble = self.conductor.trouble
        if begun is None:
            await self.conductor.open()
        else:
            seals = self._record.unseal("side/").items()
            self.conductor.take_up(begun, {name: Sealed(**value) for name, value in seals})
            await journal.written(None, "server", TakenUp(self._program))
        self.links = {}
        was = begun or Begun()
        for entry in self.settings.entry:
            self.links[entry.id] = await stack.enter_async_context(
                RemoteLink(
                    *(entry.id, journal, self.conductor.hub, self.settings.contest.name),
                    *(self.conductor.seats.contest_id, self.conductor.seats.changed.set),
                    talk=len(was.attempts),
                    known=was.names.get(entry.id, ()),
                    program=was.programs.get(entry.id),
                )
            )
        self.alive = True
        self.lives += 1
        if begun is not None and standing is not None:
            returning = asyncio.create_task(self._return(begun, standing), name="return")
            stack.push_async_callback(_ended, returning)
        self._play = asyncio.create_task(self.conductor.play(self.links), name="conductor")
        self._born.set()

    async def die(self) -> None:
        """Stops dead: nothing is written, said or closed any more."""
        self.alive = False
        self._born.clear()
        # The note of the clock (contest.standing) is a quarter of a second old at most.
        self._noted = self._clock.now() // NOTE_EVERY * NOTE_EVERY
        self.journal.die()
        for line in self._lines:
            line.die()
        self._lines.clear()
        assert self._play is not None
        await _ended(self._play)
        await self._stack.aclose()

    async def played(self) -> str:
        """Waits until the contest is played, through all lives of the server; then closes the
        record, and writes results and head beside it.

        Returns:
            The head.
        """
        while True:
            play = self._play
            assert play is not None
            await asyncio.wait([play])
            if not play.cancelled():
                play.result()
                break
            # It died; the next life plays on.
            await self._born.wait()
        await self.journal.flushed()
        self.journal.put_away()
        if not self.conductor.has_result:
            result = result_body(timeline.read(self._record.events()))
            await self.journal.written(None, "server", result)
        last = await self.conductor.close()
        self.journal.put_away()
        (self.folder / HEAD_FILE).write_text(last.hash + "\n", encoding="ascii")
        view = timeline.read(self._record.events())
        (self.folder / "results.json").write_text(results_text(view), encoding="utf-8")
        (self.folder / "results.html").write_text(html_page(view), encoding="utf-8")
        self.conductor.over()
        return last.hash

    async def end(self) -> None:
        """Ends in order; what is not played is on record as far as it went."""
        if self._play is not None:
            await _ended(self._play)
        if self.alive:
            self.alive = False
            await self._stack.aclose()

    async def _return(self, begun: Begun, clock: StandingClock) -> None:
        """Lets the clock go on when those who were here are back, or have had the time for it."""
        seats = self.conductor.seats

        def back() -> bool:
            return all(
                seat.outlet is not None for seat in seats.seats.values() if seat.id in begun.here
            ) and all(link.here for link in self.links.values())

        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(RETURN):
                while not back():
                    seats.changed.clear()
                    await seats.changed.wait()
        clock.go()
        seats.broadcast()
        seats.changed.set()

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

        def ended(why: str) -> None:
            self._lines.discard(line)
            seats.leave(seat, line, why)

        def take(frame: wire.ToServer) -> None:
            if seat.outlet is line:
                seats.handle(seat, wire.decode_to_server(wire.encode(frame)))

        line: SeatLine = Line(lambda frame: wire.decode_to_seat(wire.encode(frame)), take, ended)
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

        def ended(why: str) -> None:
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
            lambda frame: linkwire.decode_to_link(linkwire.encode(frame)), take, ended
        )
        self._lines.add(line)
        try:
            remote.connect(line, hello)
        except NotTaken as exc:
            refuse(exc)
        return line


async def _ended(task: asyncio.Task[None]) -> None:
    task.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await task
