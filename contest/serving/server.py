"""A contest's server, which runs the contest for seats, links, the board and the audience.
`contest.serving.set_up` builds it."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from contest.links.link import Link
from contest.live.clock import ContestClock
from contest.live.conductor import RECORD_FAILED, Conductor
from contest.net.sockets import LINK, SEAT, MemoryConnection
from contest.organizer.controls import Controls
from contest.organizer.log import Log
from contest.organizer.status import Overview
from contest.record.journal import Journal
from contest.record.store import Record
from contest.results.contest import Contest
from contest.results.document import Results
from contest.results.published import PUBLISHED
from contest.setup.folder import write_whole
from contest.setup.settings import Settings
from contest.tasks import running
from contest.verify.verify import HEAD_FILE

#: Seconds of real time that consoles have at the end to receive all frames.
CLOSE_LIMIT = 5.0
#: Seconds of real time for which a server that can't record anything any more keeps running, so
#: that the board can say so.
REPORT_SECONDS = 2.0


@dataclass
class Server:
    """A contest's server, ready to run.

    Attributes:
        folder, settings, record, clock: the contest's; the record is for reading.
        journal: writes the record; its `watchers` get each event once it is durable.
        conductor: runs the contest; has `seats`, `hub`, `links`, `schedule`, `status()`.
        overview, log: the contest's status and log, for the organizer.
        controls: carries out the organizer's orders.
        ignored_changes: for a contest that continues, the changed settings that have no effect,
            in words.
        taken_up: whether an earlier server began the contest.
        codes, link_codes: seat to code, and entry on another machine to its link's code. These and
            the following are empty without sockets.
        address: the address at which it listens, as `HOST:PORT`.
        fingerprint: the fingerprint of its certificate; empty without TLS.
    """

    folder: Path
    settings: Settings
    record: Record
    clock: ContestClock
    journal: Journal
    conductor: Conductor
    overview: Overview
    log: Log
    controls: Controls
    ignored_changes: Sequence[str] = ()
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
        """A connection in memory for a console at a seat, without a code."""
        return MemoryConnection(SEAT, partial(self.conductor.seats.join, seat))

    def connect_link(self, entry: str) -> MemoryConnection:
        """A connection in memory for an entry's link, without a code."""
        return MemoryConnection(LINK, self.links[entry].connect)

    async def play(self) -> str:
        """Runs the contest to its end, and writes the results and the head to its folder.

        Returns:
            The head to publish: the hash of the contest chain's last event.

        Raises:
            JournalFailed: if nothing can be recorded any more; all consoles have been informed.
        """
        async with (
            running(self._play(), "the contest") as playing,
            running(self.journal.failed.wait(), "the end of the journal") as failing,
        ):
            await asyncio.wait({playing, failing}, return_when=asyncio.FIRST_COMPLETED)
            if self.journal.failure is not None:
                await asyncio.sleep(REPORT_SECONDS)
                await self.close_consoles(RECORD_FAILED)
                raise self.journal.failure
            return playing.result()

    async def _play(self) -> str:
        conductor, files = self.conductor, {HEAD_FILE, *PUBLISHED}
        if self.journal.finished:
            # An earlier server may have been killed before it had written everything.
            files = {name for name in files if not (self.folder / name).exists()}
            head = self.record.chains.head(None)
        else:
            await conductor.play()
            head = (await conductor.conclude()).hash
        await asyncio.to_thread(self._publish, head, files)
        conductor.seats.broadcast()
        return head

    async def close_consoles(self, why: str = "the contest is over") -> None:
        """Sends all consoles their remaining frames and the reason, and closes their connections.
        Waits for at most `CLOSE_LIMIT` seconds, because a console may have gone."""
        seats = self.conductor.seats
        sitting = [(seat, seat.outlet) for seat in seats.seats.values() if seat.outlet is not None]
        for _, outlet in sitting:
            outlet.close(why)
        await seats.until(
            lambda: all(seat.outlet is not outlet for seat, outlet in sitting), CLOSE_LIMIT
        )

    def _publish(self, head: str, files: Collection[str]) -> None:
        """Writes some of the files of a finished contest: each whole, or not at all."""
        if HEAD_FILE in files:
            write_whole(self.folder / HEAD_FILE, [f"{head}\n"])
        results = None
        for name, made in PUBLISHED.items():
            if name in files:
                results = results or Results(Contest.of(self.record.log()))
                write_whole(self.folder / name, made(results))
