"""Setting a contest's server up: the one way, for `serve`, the demo, a rehearsal, tests, and the
console without a server. They differ in what they pass: clock, journal, sockets or none; and in who
comes to the seats, who gives the organizer's orders, and what sits beside the entries.

Record, journal, conductor, codes, links, sockets: when one of them can't be had, those that were
are undone, and the error says what is wrong.
"""

from __future__ import annotations

import asyncio
import contextlib
import random
from collections.abc import AsyncIterator, Callable, Collection, Mapping
from contextlib import AsyncExitStack, ExitStack, asynccontextmanager
from pathlib import Path
from typing import Protocol

import scheduler
from contest.audience.feed import Feed
from contest.audience.routes import audience_routes, outcome_so_far
from contest.errors import JournalFailed
from contest.links.link import Link, link_route
from contest.links.process import code_of, entries_here, file_of, tell_to_end
from contest.live.conductor import NOT_BACK, NOT_RECORDED, NOT_WRITTEN, Conductor
from contest.live.standing import FILE_NAME as CLOCK
from contest.live.standing import StandingClock, noting
from contest.net import codes, door
from contest.net.codes import Codes
from contest.net.limits import Gate
from contest.net.web import Hosts, Porter, application, serving
from contest.organizer.board import Board
from contest.organizer.controls import Controls, control_route
from contest.organizer.log import Log
from contest.organizer.status import Overview
from contest.pages import compile_templates, static_route
from contest.record import season
from contest.record.bodies import TakenUp, WrongCodes
from contest.record.copying import Copy
from contest.record.journal import Journal
from contest.record.store import Record, record_url
from contest.recovery.snapshot import FILE_NAME as SNAPSHOT
from contest.recovery.snapshot import kept
from contest.serving.opening import (
    LOCAL,
    Opening,
    Sockets,
    open_record,
    refuse_remote_commands,
    undone,
)
from contest.serving.server import Server
from contest.setup.lock import locked
from contest.setup.settings import Settings
from contest.tasks import running
from lpp.clock import Clock, LoopClock

#: Seconds of real time for which the clock of a contest that is taken up stands still at most,
#: until those who were here when its server ended are back; then the organizer decides.
RETURN = 10.0
#: Seconds of real time that a new server waits for the links on its own machine.
LINKED = 15.0


class MakeJournal(Protocol):
    """Makes what writes the record: `contest.record.journal.Journal`, or a kind of it that keeps to
    another clock."""

    def __call__(
        self, record: Record, clock: Clock, copy: Copy | None, *, finished: bool
    ) -> Journal:
        """See Journal."""


@asynccontextmanager
async def set_up(
    folder: Path,
    settings: Settings,
    schedule: scheduler.Schedule | Callable[[], scheduler.Schedule],
    clock: Clock | None = None,
    *,
    sockets: Sockets | None = LOCAL,
    program: str = "loebner",
    rng: random.Random | None = None,
    journal: MakeJournal = Journal,
) -> AsyncIterator[Server]:
    """Sets a contest's server up, and takes it down when the context ends. `Server.play` plays the
    contest; rounds are started by the organizer (`contest.organizer.organizing` for one who is no
    person).

    Arguments:
        folder: the contest's folder. A contest that was begun there goes on.
        settings: its settings.
        schedule: who meets whom, or what makes that, which only a new contest needs.
        clock: the contest's clock; real time if left out.
        sockets: where consoles, links and browsers come in. Entries on this machine then have a
            link in a process of its own, which outlives a server that is killed. None opens none:
            consoles and links are in this process, by `Server.connect_seat` and `connect_link`.
        program: name and version of what plays it, for the record.
        rng: where sides are drawn from; the system's randomness if left out.
        journal: what writes the record.

    Raises:
        YoursToFix: settings that can't be used.
        InUse: another server holds the contest.
        Surroundings: a record that can't be written, a port that can't be had.
    """
    refuse_remote_commands(settings)
    async with AsyncExitStack() as stack:
        stack.enter_context(locked(folder))
        undo = stack.enter_context(undone(folder, settings))
        closing = stack.enter_context(ExitStack())
        opening = await asyncio.to_thread(
            open_record, closing, folder, settings, schedule, clock or LoopClock()
        )
        writer = await stack.enter_async_context(
            journal(opening.record, opening.clock, opening.copy, finished=opening.over)
        )
        was_here = set() if opening.begun is None else set(opening.begun.state.here)
        folded = 0 if opening.begun is None else opening.begun.state.last_seq
        conductor = await _conductor(opening, writer, program, rng)
        given = Codes(writer, folder)
        if sockets is not None:
            await _issue(given, folder, opening, conductor)
        await _link_entries(stack, opening, writer, conductor)
        await writer.flushed()
        overview = Overview(conductor, writer, folder)
        later = (e for e in opening.record.events(after=folded) if e.kind not in season.KINDS)
        log = Log(opening.record, [*(opening.begun.log if opening.begun else ()), *later])
        writer.watchers += [log.event, overview.event]
        server = Server(
            *(folder, opening.settings, opening.record, opening.clock, writer, conductor),
            *(overview, log, Controls(conductor, writer, overview, log, given)),
            differing=opening.differing,
            taken_up=opening.begun is not None,
        )
        if sockets is not None:
            await _listen(stack, server, opening, given, sockets)
        if opening.begun is not None:
            waiting = _return(was_here, opening.clock, conductor)
            await stack.enter_async_context(running(waiting, "those who were here"))
        undo.clear()
        yield server
        with contextlib.suppress(RuntimeError, JournalFailed):
            await writer.flushed()


async def _conductor(
    opening: Opening, journal: Journal, program: str, rng: random.Random | None
) -> Conductor:
    """What plays the contest, at its beginning or where its record says that it was."""
    begun, clock = opening.begun, opening.clock
    conductor = Conductor(
        *(opening.settings, opening.schedule, journal, clock),
        speed=clock.speed,
        program=program,
        rng=rng,
        state=None if begun is None else begun.state,
        seals=opening.sides,
    )
    # What is not durable is shown to nobody.
    journal.on_trouble = lambda _: conductor.pause_ourselves(NOT_WRITTEN)

    def fail(_why: JournalFailed) -> None:
        # Stopped, not only paused: the pause is not on record, and the next server goes on at
        # the moment that was noted last.
        clock.stop()
        conductor.pause_ourselves(NOT_RECORDED)

    journal.on_failure = fail
    if begun is None:
        clock.go()
        await conductor.open()
    elif not opening.over:
        await journal.written(None, "server", TakenUp(program))
    return conductor


async def _link_entries(
    stack: AsyncExitStack, opening: Opening, journal: Journal, conductor: Conductor
) -> None:
    """A link for each entry; when the contest is over, for those on other machines only, which come
    and are told so."""
    state = conductor.state
    for entry in opening.settings.entry:
        if opening.over and entry.link != "remote":
            continue
        conductor.links[entry.id] = await stack.enter_async_context(
            Link(
                entry.id,
                journal,
                conductor.hub,
                opening.settings.contest.name,
                state.contest_id,
                conductor.seats.changed.set,
                talk=len(state.attempts),
                known=list(state.names.get(entry.id, ())),
                program=state.programs.get(entry.id),
            )
        )


async def _return(was_here: Collection[str], clock: StandingClock, conductor: Conductor) -> None:
    """Lets the clock of a contest that is taken up go on when those who were here are back. Where
    they do not come in time the contest is paused."""

    def back() -> bool:
        seats = conductor.seats.seats
        return all(seats[name].outlet is not None for name in was_here if name in seats) and all(
            link.here for link in conductor.links.values()
        )

    await conductor.seats.until(back, RETURN)
    clock.go()
    if not back():
        conductor.pause_ourselves(NOT_BACK)
    conductor.seats.broadcast()
    conductor.seats.changed.set()


# With sockets


async def _issue(given: Codes, folder: Path, opening: Opening, conductor: Conductor) -> None:
    """Issues the codes of seats, links and the organizer, or knows them again."""
    settings = opening.settings
    here = [entry.id for entry in settings.entry if entry.link != "remote"] * (not opening.over)
    sealed = None
    if opening.begun is not None:
        sealed = await asyncio.to_thread(opening.record.unseal, codes.SEALED)
    await given.open(
        conductor.seats.seats,
        [entry.id for entry in settings.entry if entry.link == "remote"],
        [codes.ORGANIZER] + [codes.WITNESS] * settings.rules.two_persons,
        {name: code_of(folder, name) for name in here},
        sealed,
    )


async def _listen(
    stack: AsyncExitStack, server: Server, opening: Opening, given: Codes, sockets: Sockets
) -> None:
    """Has a server listen until the stack is closed; its address and codes are put in."""
    folder, settings, identity = server.folder, server.settings, sockets.identity
    conductor, journal, clock = server.conductor, server.journal, server.clock
    seats, speed = conductor.seats, conductor.seats.speed
    porter = Porter(
        Gate(lambda where, tries: journal.write(None, "server", WrongCodes(where, tries))),
        hosts=Hosts([*settings.server.names, *(() if identity is None else identity.names)]),
    )
    server.fingerprint = "" if identity is None else identity.fingerprint
    server.codes = given.of(seats.seats)
    server.link_codes = given.of(entry.id for entry in settings.entry if entry.link == "remote")
    feed = Feed(
        *(journal.clock, speed, settings.spectators.delay_seconds),
        *(server.log.events, conductor.hub.talks, journal.flushed),
        lambda: outcome_so_far(server.record.log()),
    )
    routes = [
        static_route(),
        link_route(server.links, given.links, porter, speed),
        control_route(server.controls, given.organizers, porter),
        *Board(server, porter, given.organizers).routes(),
        *audience_routes(feed, settings, server.record.log),
    ]
    if not opening.over:
        url = record_url(folder, settings.record.database)
        keep = await stack.enter_async_context(kept(url, folder / SNAPSHOT, opening.read))
        journal.watchers.append(keep)
    await asyncio.to_thread(compile_templates, "pages", "organizer", "audience")
    served = application(seats, given.seats, routes, porter)
    server.address = await stack.enter_async_context(
        serving(served, sockets.host, sockets.port, identity, porter)
    )
    await stack.enter_async_context(noting(folder / CLOCK, conductor.state.contest_id, clock.now))
    stack.enter_context(clock.watched(conductor.stood_still))
    here = {name: server.links[name] for name in server.links.keys() - server.link_codes.keys()}
    scheme = "ws" if identity is None else "wss"
    await stack.enter_async_context(
        entries_here(
            folder,
            settings,
            f"{scheme}://{door.at_home(server.address)}/link",
            given.of(here),
            here,
            lambda: journal.finished,
            server.fingerprint,
        )
    )
    if opening.over:
        # A server that was killed after the end has left them behind.
        for entry in settings.entry:
            tell_to_end(file_of(folder, entry.id))
    if opening.begun is None:
        await _linked(here, settings, conductor)
    organizer = given.codes[codes.ORGANIZER]
    stack.enter_context(door.shown(folder, server.address, organizer, identity))
    if sockets.announce:
        from contest.net.announce import announced  # needs zeroconf, and some time

        name = await stack.enter_async_context(
            announced(server.address, settings.contest.name, tls=identity is not None)
        )
        porter.hosts.add(name)


async def _linked(links: Mapping[str, Link], settings: Settings, conductor: Conductor) -> None:
    """Waits until the links on this machine are here, and their programs are started; one that is
    late is named when a round is to begin, and hinders nobody before."""
    commands = {entry.id for entry in settings.entry if entry.command}

    def here() -> bool:
        return all(
            link.here and (name not in commands or link.running is not None)
            for name, link in links.items()
        )

    await conductor.seats.until(here, LINKED)
