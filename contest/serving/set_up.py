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
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, ExitStack, asynccontextmanager
from pathlib import Path
from typing import Protocol

import scheduler
from contest.errors import JournalFailed
from contest.links.link import Link
from contest.live.conductor import NOT_RECORDED, Conductor
from contest.live.returning import returning
from contest.net.codes import Codes
from contest.organizer.controls import Controls
from contest.organizer.log import Log
from contest.organizer.status import Overview
from contest.record import season
from contest.record.bodies import TakenUp
from contest.record.copying import Copy
from contest.record.journal import Journal
from contest.record.store import Record
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
from lpp.clock import Clock, LoopClock


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
        begun = opening.begun
        folded, was_here = (
            (0, set()) if begun is None else (begun.state.last_seq, set(begun.state.here))
        )
        conductor = await _conductor(opening, writer, program, rng)
        given = Codes(writer, folder)
        if sockets is not None:
            from contest.serving.sockets import issue, listening

            await issue(given, folder, opening, conductor)
        server = await _server(stack, folder, opening, writer, conductor, given, folded)
        if sockets is not None:
            await stack.enter_async_context(listening(server, opening, given, sockets))
        if opening.begun is not None:
            await stack.enter_async_context(returning(was_here, opening.clock, conductor))
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
    journal.on_trouble = conductor.trouble

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


async def _server(
    stack: AsyncExitStack,
    folder: Path,
    opening: Opening,
    journal: Journal,
    conductor: Conductor,
    given: Codes,
    folded: int,
) -> Server:
    """The server, with a link for each entry; when the contest is over, for those on other machines
    only, which come and are told so."""
    settings, begun = opening.settings, opening.begun
    state = conductor.state
    for entry in settings.entry:
        if opening.over and entry.link != "remote":
            continue
        conductor.links[entry.id] = await stack.enter_async_context(
            Link(
                entry.id,
                journal,
                conductor.hub,
                settings.contest.name,
                state.contest_id,
                conductor.seats.changed.set,
                talk=len(state.attempts),
                known=list(state.names.get(entry.id, ())),
                program=state.programs.get(entry.id),
            )
        )
    overview = Overview(conductor, journal, folder)
    await journal.flushed()
    later = (e for e in opening.record.events(after=folded) if e.kind not in season.KINDS)
    log = Log(opening.record, [*([] if begun is None else begun.log), *later])
    journal.watchers += [log.event, overview.event]
    return Server(
        *(folder, settings, opening.record, opening.clock, journal, conductor, overview, log),
        Controls(conductor, journal, overview, log, given),
        differing=opening.differing,
        taken_up=begun is not None,
    )
