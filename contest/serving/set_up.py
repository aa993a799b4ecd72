"""Sets up a contest's server, in the same way for `serve`, the demo, a rehearsal, tests, and the
console without a server. They differ in their arguments (clock, journal, sockets or none), in who
joins the seats and gives the organizer's orders, and in the entries' side of the links.

The steps are record, journal, conductor, codes, links, sockets. If one fails, the earlier ones are
undone, and the error says what is wrong.
"""

from __future__ import annotations

import asyncio
import contextlib
import random
from collections.abc import AsyncIterator, Callable, Collection, Iterator, Sequence
from contextlib import AsyncExitStack, ExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import scheduler
from contest.audience.feed import Feed
from contest.audience.routes import audience_routes
from contest.errors import BadSettings, ContestError, JournalFailed, RecordTrouble, WrongMoment
from contest.links.link import Link
from contest.links.process import code_of, file_of, order_end, run_local_links
from contest.live.clock import FILE_NAME as CLOCK
from contest.live.clock import ContestClock, saved_time, saving_clock
from contest.live.conductor import (
    NOT_EVERYBODY_BACK,
    RECORD_FAILED,
    RECORD_UNAVAILABLE,
    Conductor,
    Sealed,
)
from contest.net import addresses, codes
from contest.net.codes import Codes
from contest.net.limits import Gate, Limits
from contest.net.sockets import BROWSER_SEAT, LINK, SEAT
from contest.net.tls import Identity
from contest.net.web import Access, Hosts, application, serving
from contest.organizer.board import Board
from contest.organizer.controls import Controls, control_route
from contest.organizer.log import Log
from contest.organizer.status import Overview
from contest.pages import compile_templates, static_route
from contest.record import season
from contest.record.bodies import ContestOpened, TakenUp, WrongCodes
from contest.record.events import Event
from contest.record.journal import Journal
from contest.record.store import FILE_NAME as RECORD_NAME
from contest.record.store import Copy, Record, record_url
from contest.recovery.recovery import without_databases
from contest.recovery.snapshot import FILE_NAME as SNAPSHOT
from contest.recovery.snapshot import fold, keep_snapshots
from contest.results.contest import Contest
from contest.results.document import Results
from contest.results.page import outcome_of
from contest.seat_page import sit_route
from contest.serving.server import Server
from contest.setup.lock import locked
from contest.setup.settings import FILE_NAME as SETTINGS_NAME
from contest.setup.settings import Settings, resume_settings
from contest.state.model import State
from contest.state.schedules import read_schedule
from contest.tasks import running
from lpp.clock import Clock, LoopClock

#: After a restart, the contest's clock is stopped until everybody who was connected is back, but
#: for at most this many seconds of real time; then the organizer decides.
RETURN_LIMIT = 10.0
#: Seconds of real time that a new server waits for the links on its own machine.
LINKS_LIMIT = 15.0


@dataclass(frozen=True, slots=True)
class Sockets:
    """Where a server listens.

    Attributes:
        host: the address.
        port: the port; 0 for any free one.
        identity: the TLS identity; by default the server uses no TLS.
        announce: whether to announce the server to consoles on the local network.
    """

    host: str = "127.0.0.1"
    port: int = 0
    identity: Identity | None = None
    announce: bool = False


#: For this machine only, at a free port.
LOCAL = Sockets()


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
    journal: Callable[..., Journal] = Journal,
) -> AsyncIterator[Server]:
    """Sets up a contest's server, and takes it down when the context ends. `Server.play` runs the
    contest. The organizer starts the rounds; `contest.organizer.scripted` has a scripted organizer.

    Arguments:
        folder: the contest's folder. A contest that was begun there continues.
        settings: its settings.
        schedule: who meets whom, or a function that makes the schedule; used for a new contest
            only.
        clock: the clock that the contest's clock follows; by default real time.
        sockets: where to listen for consoles, links and browsers. Each entry on this machine then
            has a link in a separate process, which survives if the server is killed. Without
            sockets, consoles and links are in this process and use `Server.connect_seat` and
            `connect_link`.
        program: the name and version of the running program, for the record.
        rng: the source for drawing sides; by default the system's randomness.
        journal: makes the writer of the record, as `Journal` does.

    Raises:
        UserError: if the settings can't be used.
        InUse: if another server runs the contest.
        EnvironmentProblem: if the record can't be written, or the port is not available.
    """
    refuse_remote_commands(settings)
    async with AsyncExitStack() as stack:
        stack.enter_context(locked(folder))
        undo = stack.enter_context(remove_files_on_failure(folder, settings))
        closing = stack.enter_context(ExitStack())
        opening = await asyncio.to_thread(
            open_record, closing, folder, settings, schedule, clock or LoopClock()
        )
        writer = await stack.enter_async_context(
            journal(opening.record, opening.clock, opening.copy, finished=opening.over)
        )
        were_connected, folded = set(opening.state.connected), opening.state.last_seq
        conductor = await _conductor(opening, writer, program, rng)
        given = Codes(writer, folder)
        if sockets is not None:
            await _issue_codes(given, folder, opening, conductor)
        for entry in opening.settings.entry:
            # After the contest, entries on other machines can connect, to learn that it is over.
            if entry.link == "remote" or not opening.over:
                title, changed = opening.settings.contest.name, conductor.seats.changed.set
                link = Link(entry.id, conductor.hub, title, changed)
                conductor.links[entry.id] = await stack.enter_async_context(link)
        await writer.flush()
        overview = Overview(conductor, folder)
        later = (e for e in opening.record.events(after=folded) if e.kind not in season.KINDS)
        log = Log(opening.record, [*opening.log, *later])
        writer.watchers += [log.event, overview.event]
        server = Server(
            *(folder, opening.settings, opening.record, opening.clock, writer, conductor),
            *(overview, log, Controls(conductor, overview, log, given)),
            ignored_changes=opening.ignored_changes,
            taken_up=opening.taken_up,
        )
        if sockets is not None:
            await _listen(stack, server, opening, given, sockets)
        if opening.taken_up:
            waiting = _wait_for_return(were_connected, opening.clock, conductor)
            await stack.enter_async_context(running(waiting, "returning participants"))
        undo.clear()
        yield server
        with contextlib.suppress(RuntimeError, JournalFailed):
            await writer.flush()


# The record


@dataclass
class Opening:
    """An open record, and the data to run its contest.

    Attributes:
        record, settings, schedule, clock: the contest's; the clock has not started yet.
        state: the fold of its record, which follows all further events.
        log: all events so far except keys and their times.
        taken_up, over: whether an earlier server began the contest; whether the contest is over
            and can only be viewed.
        copy: the second copy of the record, if the settings ask for one.
        ignored_changes: the changed settings that have no effect, in words.
        events_read: how many events were read to restore the state.
    """

    record: Record
    settings: Settings
    schedule: scheduler.Schedule
    clock: ContestClock
    state: State = field(default_factory=State)
    log: Sequence[Event] = ()
    taken_up: bool = False
    over: bool = False
    copy: Copy | None = None
    ignored_changes: list[str] = field(default_factory=list)
    events_read: int = 0


def open_record(
    stack: ExitStack,
    folder: Path,
    settings: Settings,
    schedule: scheduler.Schedule | Callable[[], scheduler.Schedule],
    clock: Clock,
) -> Opening:
    """Opens the record of a contest for writing, until the stack is closed. A contest that has
    begun continues with the settings, schedule and clock time of its record.

    Raises:
        InUse: if another server writes it.
        RecordTrouble: if it can't be read or written.
        WrongMoment: if a season has begun, but has no finalists yet, who become the entries.
    """
    url = record_url(folder, settings.record.database)
    record = stack.enter_context(Record(url, create=True))
    first = next(record.events(), None)
    is_season = first is not None and first.kind in season.KINDS
    if first is not None and (not is_season or record.count(kind=ContestOpened.kind)):
        begun, read = fold(record, folder / SNAPSHOT)
        state = begun.state
        if state.opened is None:
            raise RecordTrouble("the record has no event that opens a contest")
        kept_settings, ignored_changes = resume_settings(state.opened.settings, settings)
        start = max(state.last_ns, saved_time(folder / CLOCK, state.contest_id))
        opening = Opening(
            *(record, kept_settings, read_schedule(state.schedule)),
            *(ContestClock(clock, start / 1e9), state, begun.log),
            taken_up=True,
            over=state.closed,
            ignored_changes=ignored_changes,
            events_read=read,
        )
    else:
        if is_season and not record.count(kind=season.FinalistsSet.kind):
            raise WrongMoment(
                f"{folder}: its season has no finalists yet, and they can't be added once the "
                "contest is open: end the season with `loebner screen finalists` (its pages: "
                "`loebner screen serve`), or hold a contest without a season in a new folder, with "
                "this contest.toml"
            )
        plan = schedule if isinstance(schedule, scheduler.Schedule) else schedule()
        # If the record begins with a season, the clock continues from there.
        last = record.last()
        stopped = ContestClock(clock, 0.0 if last is None else last.mono_ns / 1e9)
        opening = Opening(record, settings, plan, stopped)
        _seal_settings(record, folder)
    if settings.record.copy_to:
        opening.copy = Copy(folder / settings.record.copy_to, record)
        stack.callback(opening.copy.close)
    return opening


def _seal_settings(record: Record, folder: Path) -> None:
    """Saves contest.toml in the record, so that the contest can continue from a copy alone. The
    record's address, which may have a password, is useless there, and left out."""
    try:
        text = without_databases((folder / SETTINGS_NAME).read_text(encoding="utf-8-sig"))
    except (OSError, UnicodeDecodeError, BadSettings):
        return  # the settings came from elsewhere; the first event has them anyway
    record.seal(SETTINGS_NAME, text)


@contextmanager
def remove_files_on_failure(folder: Path, settings: Settings) -> Iterator[list[Path]]:
    """Removes the files that a failed set-up has made, unless the list is cleared: nothing was
    played, and the folder can be used again once the fault is corrected."""
    files = [folder / RECORD_NAME, folder / codes.FILE_NAME]
    if settings.record.database:
        del files[0]
    if settings.record.copy_to:
        files.append(folder / settings.record.copy_to)
    made = [file for file in files if not file.exists()]
    try:
        yield made
    finally:
        for file in made:
            for beside in ("", "-wal", "-shm", "-lock"):
                file.with_name(file.name + beside).unlink(missing_ok=True)


def refuse_remote_commands(settings: Settings) -> None:
    """Refuses settings that only another machine can use.

    Raises:
        BadSettings: if an entry on another machine has a command or a directory here.
    """
    for entry in settings.entry:
        for option in ("command", "directory"):
            if entry.link == "remote" and getattr(entry, option):
                raise BadSettings(
                    f'{entry.id} has link = "remote" and a {option}, which belongs on the other '
                    f"machine: leave out {option} here, and give it to `loebner link` there"
                )


# The conductor


async def _conductor(
    opening: Opening, journal: Journal, program: str, rng: random.Random | None
) -> Conductor:
    """The conductor of a new contest, or of a contest that continues from its record."""
    clock = opening.clock
    conductor = Conductor(
        *(opening.settings, opening.schedule, journal),
        program=program,
        rng=rng,
        state=opening.state,
        seals={name: Sealed(**value) for name, value in opening.record.unseal("side/").items()},
    )

    def pause(trouble: ContestError) -> None:
        # Keys that are not durable are not shown to anybody.
        if not isinstance(trouble, JournalFailed):
            conductor.pause_for_trouble(RECORD_UNAVAILABLE)
            return
        # Stop the clock, too: the pause is not recorded, and the next server continues from the
        # time that was last saved.
        clock.stop()
        conductor.pause_for_trouble(RECORD_FAILED)

    journal.on_trouble = pause
    if not opening.taken_up:
        clock.start()
        await conductor.open()
    elif not opening.over:
        await journal.write_and_wait(None, "server", TakenUp(program))
    return conductor


async def _wait_for_return(
    were_connected: Collection[str], clock: ContestClock, conductor: Conductor
) -> None:
    """Starts the clock of a continued contest once everybody who was connected is back. If they
    don't come back in time, pauses the contest."""

    def back() -> bool:
        seats = conductor.seats.seats
        return all(
            seats[name].outlet is not None for name in were_connected if name in seats
        ) and all(link.here for link in conductor.links.values())

    await conductor.seats.until(back, RETURN_LIMIT)
    clock.start()
    if not back():
        conductor.pause_for_trouble(NOT_EVERYBODY_BACK)
    conductor.seats.broadcast()
    conductor.seats.changed.set()


# With sockets


async def _issue_codes(given: Codes, folder: Path, opening: Opening, conductor: Conductor) -> None:
    """Issues the codes of seats, links and the organizer, or restores them."""
    settings, unseal = opening.settings, opening.record.unseal
    here = [entry.id for entry in settings.entry if entry.link != "remote"] * (not opening.over)
    await given.open(
        conductor.seats.seats,
        [entry.id for entry in settings.entry if entry.link == "remote"],
        [codes.ORGANIZER] + [codes.WITNESS] * settings.rules.two_persons,
        {name: code_of(folder, name) for name in here},
        await asyncio.to_thread(unseal, codes.SEALED) if opening.taken_up else None,
    )


async def _listen(
    stack: AsyncExitStack, server: Server, opening: Opening, given: Codes, sockets: Sockets
) -> None:
    """Makes a server listen until the stack is closed, and sets its address and codes."""
    folder, settings, identity = server.folder, server.settings, sockets.identity
    conductor, journal, clock = server.conductor, server.journal, server.clock
    seats, speed = conductor.seats, clock.speed
    access = Access(
        Gate(lambda where, tries: journal.write(None, "server", WrongCodes(where, tries))),
        Limits().faster(speed),
        Hosts([*settings.server.names, *(() if identity is None else identity.names)]),
    )
    server.fingerprint = "" if identity is None else identity.fingerprint
    server.codes = given.of(seats.seats)
    server.link_codes = given.of(entry.id for entry in settings.entry if entry.link == "remote")
    feed = Feed(
        journal.clock,
        settings.spectators.delay_seconds,
        *(server.log.events, conductor.hub.talks, journal.flush),
        lambda: outcome_of(Results(Contest.of(server.record.log()))),
    )
    routes = [
        static_route(),
        sit_route(),
        access.route(SEAT, given.seats, seats.join),
        access.route(BROWSER_SEAT, given.seats, partial(seats.join, browser=True)),
        access.route(LINK, given.links, lambda entry, *rest: server.links[entry].connect(*rest)),
        control_route(server.controls, given.organizers, access),
        *Board(server, access, given.organizers).routes(),
        *audience_routes(feed, settings, server.record.log),
    ]
    if not opening.over:
        url = record_url(folder, settings.record.database)
        keep = await stack.enter_async_context(
            keep_snapshots(url, folder / SNAPSHOT, opening.events_read)
        )
        journal.watchers.append(keep)
    await asyncio.to_thread(compile_templates, "pages", "organizer", "audience", "seat_page")
    served = application(routes, access)
    server.address = await stack.enter_async_context(
        serving(served, sockets.host, sockets.port, identity, access)
    )
    await stack.enter_async_context(
        saving_clock(folder / CLOCK, conductor.state.contest_id, clock.now)
    )
    stack.enter_context(clock.watched(conductor.record_stall))
    here = {name: server.links[name] for name in server.links.keys() - server.link_codes.keys()}
    scheme = "ws" if identity is None else "wss"
    await stack.enter_async_context(
        run_local_links(
            folder,
            settings,
            f"{scheme}://{addresses.loopback_address(server.address)}/link",
            given.of(here),
            here,
            lambda: journal.finished,
            server.fingerprint,
        )
    )
    if opening.over:
        # A server that was killed after the end left these links running.
        for entry in settings.entry:
            order_end(file_of(folder, entry.id))
    if not opening.taken_up:
        # A late link doesn't matter yet; the order `start` would name it.
        programs = {entry.id for entry in settings.entry if entry.command}
        await seats.until(
            lambda: all(
                link.here and (name not in programs or link.running is not None)
                for name, link in here.items()
            ),
            LINKS_LIMIT,
        )
    organizer = given.codes[codes.ORGANIZER]
    stack.enter_context(addresses.control_file(folder, server.address, organizer, identity))
    if sockets.announce:
        from contest.net.announce import announce_server  # needs zeroconf, and takes time to import

        name = await stack.enter_async_context(
            announce_server(server.address, settings.contest.name, tls=identity is not None)
        )
        access.hosts.names |= {name} - {""}
