"""The sockets of a contest's server: codes for those who come, what is served to them, the links'
processes of the entries on this machine, and where the organizer finds it all."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

from contest.audience.feed import Feed
from contest.audience.routes import audience_routes, outcome_so_far
from contest.links.link import link_route
from contest.links.process import code_of, entries_here, file_of, tell_to_end
from contest.live.conductor import Conductor
from contest.live.returning import linked as links_are_here
from contest.live.standing import FILE_NAME as CLOCK
from contest.live.standing import noting
from contest.net import codes, door
from contest.net.codes import Codes
from contest.net.limits import Gate
from contest.net.web import Hosts, Porter, application, serving
from contest.organizer.board import Board
from contest.organizer.controls import control_route
from contest.pages import compile_templates, static_route
from contest.record.bodies import WrongCodes
from contest.record.store import record_url
from contest.recovery.snapshot import FILE_NAME as SNAPSHOT
from contest.recovery.snapshot import Keeper
from contest.serving.opening import Opening, Sockets
from contest.serving.server import Server


async def issue(given: Codes, folder: Path, opening: Opening, conductor: Conductor) -> None:
    """Issues the codes of seats, links and the organizer, or knows them again.

    Raises:
        YoursToFix: if codes of another contest are in the folder.
    """
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


@asynccontextmanager
async def listening(
    server: Server, opening: Opening, given: Codes, sockets: Sockets
) -> AsyncIterator[None]:
    """Has a server listen while the context is open.

    Arguments:
        server: what is served; its address and codes are put in.
        opening: its record, as it was opened.
        given: all codes.
        sockets: where.

    Raises:
        Surroundings: if the port can't be had, or a link can't be started.
        BadSettings: if an entry's command can't be read, or its directory not be had.
    """
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
    here = {name: server.links[name] for name in server.links.keys() - server.link_codes.keys()}
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
    async with AsyncExitStack() as stack:
        if not opening.over:
            url = record_url(folder, settings.record.database)
            keeper = await stack.enter_async_context(Keeper(url, folder / SNAPSHOT, opening.read))
            journal.watchers.append(keeper.event)
        await asyncio.to_thread(compile_templates, "pages", "organizer", "audience")
        server.address = await stack.enter_async_context(
            serving(
                application(seats, given.seats, routes, porter),
                *(sockets.host, sockets.port, identity, porter),
            )
        )
        await stack.enter_async_context(
            noting(folder / CLOCK, conductor.state.contest_id, clock.now)
        )
        stack.enter_context(clock.watched(conductor.stood_still))
        await stack.enter_async_context(
            entries_here(
                *(folder, settings),
                f"{'ws' if identity is None else 'wss'}://{door.at_home(server.address)}/link",
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
            await links_are_here(here, settings, conductor)
        organizer = given.codes[codes.ORGANIZER]
        stack.enter_context(door.shown(folder, server.address, organizer, identity))
        if sockets.announce:
            from contest.net.announce import announced  # needs zeroconf, and some time

            name = await stack.enter_async_context(
                announced(server.address, settings.contest.name, tls=identity is not None)
            )
            porter.hosts.add(name)
        yield
