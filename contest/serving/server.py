"""A contest's server: what seats, links, the board and the audience reach, and how it plays the
contest. `contest.serving.set_up` builds it."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from contest.links.link import Link
from contest.live.conductor import NOT_RECORDED, Conductor
from contest.live.standing import StandingClock
from contest.net.sockets import LINK, SEAT, MemoryConnection
from contest.organizer.controls import Controls
from contest.organizer.log import Log
from contest.organizer.status import Overview
from contest.record.journal import Journal
from contest.record.store import Record
from contest.results.contest import Contest
from contest.results.document import Results
from contest.results.published import PUBLISHED, code_digest
from contest.setup.settings import Settings
from contest.tasks import running
from contest.verify.verify import HEAD_FILE

#: Seconds of real time that consoles have at the end to take in what is sent to them.
FAREWELL = 5.0
#: Seconds of real time that a server stays which can't record anything any more, for the board to
#: say so.
LAST_LOOK = 2.0


@dataclass
class Server:
    """A contest that can be played.

    Attributes:
        folder, settings, record, clock: the contest's; the record is for reading.
        journal: writes the record; `watchers` hear each event when it is durable.
        conductor: plays it; has `seats`, `hub`, `links`, `schedule`, `status()`.
        overview, log: what the organizer sees of it; what has happened.
        controls: carries the organizer's orders out.
        differing: of a contest that was taken up, what its settings say otherwise now, in words.
        taken_up: whether it was begun before, and goes on.
        codes, link_codes: seat to code, and entry on another machine to its link's code; empty
            without sockets, as all that follow.
        address: where it listens, `HOST:PORT`.
        fingerprint: of its certificate; empty where it speaks no TLS.
    """

    folder: Path
    settings: Settings
    record: Record
    clock: StandingClock
    journal: Journal
    conductor: Conductor
    overview: Overview
    log: Log
    controls: Controls
    differing: Sequence[str] = ()
    taken_up: bool = False
    codes: Mapping[str, str] = field(default_factory=dict)
    link_codes: Mapping[str, str] = field(default_factory=dict)
    address: str = ""
    fingerprint: str = ""

    @property
    def links(self) -> dict[str, Link]:
        """Entry id to its link."""
        return self.conductor.links

    def connect_seat(self, seat: str) -> MemoryConnection:
        """A connection in memory for a console at a seat; its code is not asked for."""
        return MemoryConnection(SEAT, partial(self.conductor.seats.join, seat))

    def connect_link(self, entry: str) -> MemoryConnection:
        """A connection in memory for the link beside an entry; its code is not asked for."""
        return MemoryConnection(LINK, self.links[entry].connect)

    async def play(self) -> str:
        """Plays the contest to its end, and writes results and head beside the record.

        Returns:
            The head to publish: the hash of the contest chain's last event.

        Raises:
            JournalFailed: if nothing can be recorded any more. Everybody has been told.
        """
        async with (
            running(self._play(), "the contest") as playing,
            running(self.journal.failed.wait(), "the end of the journal") as failing,
        ):
            await asyncio.wait({playing, failing}, return_when=asyncio.FIRST_COMPLETED)
            if self.journal.failure is not None:
                await asyncio.sleep(LAST_LOOK)
                await self.farewell(NOT_RECORDED)
                raise self.journal.failure
            return playing.result()

    async def _play(self) -> str:
        conductor = self.conductor
        if self.journal.finished:
            conductor.seats.broadcast()
            return self.record.chains.head(None)
        await conductor.play()
        await self.journal.flushed()
        # Nothing but the record says what the result is: it is read back and computed from there.
        if conductor.state.result is None:
            contest = await asyncio.to_thread(Contest.of, self.record.log())
            await conductor.conclude(contest.result())
        # Nobody is needed any more at the seats; the public is shown what the organizer shows.
        conductor.seats.broadcast()
        await conductor.finality()
        last = await conductor.close(await asyncio.to_thread(code_digest))
        (self.folder / HEAD_FILE).write_text(last.hash + "\n", encoding="ascii")
        await asyncio.to_thread(self._write_results)
        conductor.seats.broadcast()
        return last.hash

    async def farewell(self, why: str = "the contest is over", patience: float = FAREWELL) -> None:
        """Lets every console hear everything sent to it, and hangs up.

        Arguments:
            why: what consoles are told by the connection's end.
            patience: seconds of real time at most: a console that is gone hinders nobody.
        """
        seats = self.conductor.seats
        sitting = [(seat, seat.outlet) for seat in seats.seats.values() if seat.outlet is not None]
        for _, outlet in sitting:
            outlet.close(why)
        await seats.until(
            lambda: all(seat.outlet is not outlet for seat, outlet in sitting), patience
        )

    def _write_results(self) -> None:
        results = Results(Contest.of(self.record.log()))
        for name, made in PUBLISHED.items():
            with (self.folder / name).open("w", encoding="utf-8", newline="\n") as file:
                file.writelines(made(results))
