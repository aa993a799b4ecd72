"""The stage: everything that a running contest consists of, set up in order and taken down in
reverse.

Record, journal, conductor, codes, entries' directories and links, entries' programs, server: when
one of them can't be had, those that were are undone, and the error says what is wrong.
"""

from __future__ import annotations

import asyncio
import contextlib
import random
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AsyncExitStack, ExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import scheduler
from contest.control.conductor import NOT_RECORDED, Conductor
from contest.control.controls import Controls
from contest.control.house import House
from contest.control.overview import Overview
from contest.control.returning import linked as links_are_here
from contest.control.returning import returning
from contest.doors import codes, door
from contest.doors.admission import SEALED, admit
from contest.doors.codes import CodeTable
from contest.doors.gate import Gate
from contest.doors.handshake import Porter
from contest.doors.hosts import Hosts
from contest.doors.keyring import Keyring
from contest.doors.tls import Identity
from contest.doors.web import application, serving
from contest.errors import JournalFailed
from contest.history import timeline
from contest.history.publication import Published
from contest.history.tallying import result_body
from contest.links.entries import in_hand, linked
from contest.links.link import Link
from contest.links.linked import LinkedProgram
from contest.links.local import code_of, file_of, tell_to_end
from contest.links.program import Program
from contest.links.remote import RemoteLink
from contest.pages import compile_templates
from contest.record.bodies import TakenUp, WrongCodes
from contest.record.journal import Journal
from contest.record.store import Record, record_url
from contest.recovery.snapshot import FILE_NAME as SNAPSHOT
from contest.recovery.snapshot import Keeper
from contest.recovery.takeup import Begun
from contest.results.published import PUBLISHED, code_digest
from contest.serving.opening import open_record, refuse_remote_commands, undone
from contest.serving.routes import routes
from contest.setup.lock import locked
from contest.setup.settings import Settings
from contest.talks.standing import FILE_NAME as CLOCK
from contest.talks.standing import Noted
from contest.verification.verify import HEAD_FILE
from lpp.clock import Clock

#: Seconds of real time that consoles have at the end to take in what they are told.
FAREWELL = 5.0
#: Seconds of real time that a server stays which can't record anything any more, for the board to
#: say so.
LAST_LOOK = 2.0


@dataclass
class Stage:
    """A contest that can be played.

    Attributes:
        folder: the contest's folder.
        address: where consoles connect to, `HOST:PORT`.
        codes: seat to code.
        link_codes: entry to the code of its link, of entries on other machines.
        conductor: plays it.
        links: entry id to its link.
        programs: entry id to its program.
        overview: what the organizer sees of it.
        differing: of a contest that was taken up, what its settings say otherwise now, in words.
        taken_up: whether it was begun before, and goes on.
    """

    folder: Path
    address: str
    codes: dict[str, str]
    link_codes: dict[str, str]
    conductor: Conductor
    journal: Journal
    record: Record
    links: dict[str, Link]
    programs: dict[str, Program]
    overview: Overview
    differing: Sequence[str] = ()
    taken_up: bool = False

    async def play(self) -> str:
        """Plays the contest to its end, and writes results and head beside the record.

        Returns:
            The head to publish: the hash of the contest chain's last event.

        Raises:
            JournalFailed: if nothing can be recorded any more. Everybody has been told.
        """
        playing = asyncio.create_task(self._play(), name="the contest")
        failing = asyncio.create_task(self.journal.failed.wait(), name="the end of the journal")
        try:
            await asyncio.wait({playing, failing}, return_when=asyncio.FIRST_COMPLETED)
            if self.journal.failure is not None:
                await asyncio.sleep(LAST_LOOK)
                await self.farewell(NOT_RECORDED)
                raise self.journal.failure
            return playing.result()
        finally:
            for task in (playing, failing):
                task.cancel()
            await asyncio.gather(playing, failing, return_exceptions=True)

    async def _play(self) -> str:
        if self.journal.finished:
            self.conductor.over()
            return self.record.chains.head(None)
        await self.conductor.play(self.links)
        await self.journal.flushed()
        # Nothing but the record says what the result is: it is read back and computed from there.
        if self.conductor.ending.result is None:
            view = await asyncio.to_thread(lambda: timeline.view_of(Published(self.record.log())))
            await self.conductor.conclude(result_body(view))
        if self.conductor.manual:
            # Nobody is needed any more at the seats; the public is shown what the organizer shows.
            self.conductor.over()
            await self.conductor.finality()
        last = await self.conductor.close(await asyncio.to_thread(code_digest))
        (self.folder / HEAD_FILE).write_text(last.hash + "\n", encoding="ascii")
        await asyncio.to_thread(self._write_results)
        self.conductor.over()
        return last.hash

    async def farewell(self, why: str = "the contest is over", patience: float = FAREWELL) -> None:
        """Lets every console hear all that it was told, and hangs up.

        Arguments:
            why: what consoles are told by the connection's end.
            patience: seconds of real time at most: a console that is gone hinders nobody.
        """
        seats = self.conductor.seats
        sitting = [(seat, seat.outlet) for seat in seats.seats.values() if seat.outlet is not None]
        for _, outlet in sitting:
            outlet.close(why)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(patience):
                while any(seat.outlet is outlet for seat, outlet in sitting):
                    seats.changed.clear()
                    await seats.changed.wait()

    def _write_results(self) -> None:
        view = timeline.view_of(Published(self.record.log()))
        for name, made in PUBLISHED.items():
            with (self.folder / name).open("w", encoding="utf-8", newline="\n") as file:
                file.writelines(made(view))


@asynccontextmanager
async def set_up(
    folder: Path,
    settings: Settings,
    schedule: scheduler.Schedule | Callable[[], scheduler.Schedule],
    clock: Clock,
    *,
    speed: float = 1.0,
    program: str = "loebner",
    host: str = "127.0.0.1",
    port: int = 0,
    rng: random.Random | None = None,
    announce: bool = False,
    manual: bool = False,
    identity: Identity | None = None,
) -> AsyncIterator[Stage]:
    """Sets a contest up, and takes it down when the context ends.

    Arguments:
        folder: the contest's folder.
        settings: its settings.
        schedule: who meets whom, or what makes that, which only a new contest needs.
        clock: the contest's clock.
        speed: seconds of contest time in a second.
        program: name and version of what plays it, for the record.
        host: the address to listen at.
        port: the port; 0 takes a free one.
        rng: where sides are drawn from; the system's randomness if left out.
        announce: whether consoles on the local network are to find the server by themselves.
        manual: whether an organizer has the contest in hand: rounds wait for the start, and orders
            are taken (contest.control.controls).
        identity: with it the server speaks TLS; without, it does not.

    Raises:
        YoursToFix: settings that can't be used, or a contest that was played already.
        InUse: another server holds the contest.
        Surroundings: a record that can't be written, a port that can't be had.
    """
    refuse_remote_commands(settings)
    async with AsyncExitStack() as stack:
        stack.enter_context(locked(folder))
        undo = stack.enter_context(undone(folder, settings))
        closing = stack.enter_context(ExitStack())
        opening = await asyncio.to_thread(
            open_record, closing, folder, settings, schedule, clock, manual
        )
        record, begun, settings = opening.record, opening.begun, opening.settings
        standing = opening.clock
        over = begun is not None and begun.closed
        journal = await stack.enter_async_context(
            Journal(record, standing, opening.copy, finished=over)
        )
        conductor = Conductor(
            settings,
            opening.schedule,
            journal,
            standing,
            speed=speed,
            program=program,
            rng=rng,
            manual=manual,
        )
        journal.on_trouble = conductor.trouble

        def fail(_why: JournalFailed) -> None:
            # Stopped, not only paused: the pause is not on record, and the next server goes on at
            # the moment that was noted last.
            standing.stop()
            conductor.pause_ourselves(NOT_RECORDED)

        journal.on_failure = fail
        if begun is None:
            standing.go()
            await conductor.open()
        else:
            conductor.take_up(begun, opening.sides)
            if not over:
                await journal.written(None, "server", TakenUp(program))

        seats = list(conductor.seats.seats)
        elsewhere = [entry.id for entry in settings.entry if entry.link == "remote"]
        if over:
            # A server that was killed after the end has left them behind.
            for entry in settings.entry:
                tell_to_end(file_of(folder, entry.id))
        # Links outlive the server where an organizer may have to start another one.
        here = [
            entry.id for entry in settings.entry if manual and not over and entry.link != "remote"
        ]
        persons = [codes.ORGANIZER] if manual else []
        if manual and settings.rules.two_persons:
            persons.append(codes.WITNESS)
        sealed = None if begun is None else await asyncio.to_thread(record.unseal, SEALED)
        admission = await admit(
            *(journal, folder / codes.FILE_NAME),
            [*seats, *elsewhere, *persons],
            {name: code_of(folder, name) for name in here},
            sealed,
        )
        seat_codes = CodeTable(admission.of(seats))
        link_codes = CodeTable(admission.of([*elsewhere, *here]))
        organizers = CodeTable(admission.of(persons))

        links: dict[str, Link] = {}
        remote: dict[str, RemoteLink] = {}
        programs: dict[str, Program] = {}
        for entry in settings.entry:
            if entry.id not in link_codes:
                continue
            was = begun or Begun()
            links[entry.id] = remote[entry.id] = await stack.enter_async_context(
                RemoteLink(
                    entry.id,
                    journal,
                    conductor.hub,
                    settings.contest.name,
                    conductor.seats.contest_id,
                    conductor.seats.changed.set,
                    talk=len(was.attempts),
                    known=was.names.get(entry.id, ()),
                    program=was.programs.get(entry.id),
                )
            )
        for name, link in remote.items():
            programs[name] = LinkedProgram(link)
        if not manual:
            links_here, programs_here = await stack.enter_async_context(
                in_hand(folder, settings, journal, conductor.hub)
            )
            links |= links_here
            programs |= programs_here

        overview = Overview(conductor, links, programs, journal, folder, speed)
        await journal.flushed()
        for event in [] if begun is None else begun.kept:
            overview.event(event)
        for event in record.events(after=0 if begun is None else begun.last_seq):
            overview.event(event)
        journal.watchers.append(overview.event)
        if manual and not over:
            keeper = await stack.enter_async_context(
                Keeper(
                    record_url(folder, settings.record.database),
                    folder / SNAPSHOT,
                    opening.read,
                )
            )
            journal.watchers.append(keeper.event)
        controls = None
        if manual:
            keyring = Keyring(
                *(journal, admission, (seat_codes, link_codes, organizers)),
                *([*seats, *elsewhere, *persons], folder / codes.FILE_NAME, folder),
            )
            controls = Controls(conductor, journal, overview, programs, keyring)
        porter = Porter(
            Gate(lambda where, tries: journal.write(None, "server", WrongCodes(where, tries))),
            hosts=Hosts([*settings.server.names, *(() if identity is None else identity.names)]),
        )
        house = House(
            *(folder, settings, conductor, journal, record, links, remote, link_codes, overview),
            *(controls, organizers, porter),
            "" if identity is None else identity.fingerprint,
        )
        await asyncio.to_thread(compile_templates, "pages", "board", "spectators")
        app = application(conductor.seats, seat_codes, routes(house), porter)
        address = await stack.enter_async_context(serving(app, host, port, identity, porter))
        if manual:
            contest = conductor.seats.contest_id
            await stack.enter_async_context(Noted(folder / CLOCK, contest, standing.now))
            stack.enter_context(standing.watched(conductor.stood_still))
            scheme = "ws" if identity is None else "wss"
            server = f"{scheme}://{door.at_home(address)}/link"
            await stack.enter_async_context(
                linked(
                    *(folder, settings, server, admission.of(here), remote),
                    lambda: journal.finished,
                    "" if identity is None else identity.fingerprint,
                )
            )
            if begun is None:
                local = {name: remote[name] for name in here}
                await links_are_here(local, settings, conductor)
            organizer = admission.codes[codes.ORGANIZER]
            stack.enter_context(door.shown(folder, address, organizer, identity))
        if announce:
            # Only here: a contest in one process has no use for it, and no wish to wait for it.
            from contest.doors.announce import announced

            name = await stack.enter_async_context(
                announced(address, settings.contest.name, tls=identity is not None)
            )
            porter.hosts.add(name)
        if begun is not None:
            await stack.enter_async_context(returning(begun, standing, conductor, links))
        undo.clear()
        yield Stage(
            folder,
            address,
            admission.of(seats),
            admission.of(elsewhere),
            conductor,
            journal,
            record,
            links,
            programs,
            overview,
            opening.differing,
            begun is not None,
        )
        with contextlib.suppress(RuntimeError, JournalFailed):
            await journal.flushed()
