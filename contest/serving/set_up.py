"""Setting a contest's server up: the one way, for `serve`, the demo, a rehearsal, tests, and the
console without a server. They differ in what they pass: clock, journal, sockets or none; and in who
comes to the seats, who gives the organizer's orders, and what sits beside the entries.

Record, journal, conductor, codes, links, sockets: when one of them is not available, those that
were are undone, and the error says what is wrong.
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
from contest.audience.routes import audience_routes, outcome_so_far
from contest.errors import BadSettings, ContestError, JournalFailed, RecordTrouble, WrongMoment
from contest.links.link import Link
from contest.links.process import code_of, entries_here, file_of, tell_to_end
from contest.live.conductor import NOT_BACK, NOT_RECORDED, NOT_WRITTEN, Conductor, Sealed
from contest.live.standing import FILE_NAME as CLOCK
from contest.live.standing import StandingClock, noted, noting
from contest.net import codes, door
from contest.net.codes import Codes
from contest.net.limits import Gate, Limits
from contest.net.sockets import BROWSER_SEAT, LINK, SEAT
from contest.net.tls import Identity
from contest.net.web import Hosts, Porter, application, serving
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
from contest.recovery.recovery import moved
from contest.recovery.snapshot import FILE_NAME as SNAPSHOT
from contest.recovery.snapshot import fold, kept
from contest.seat_page import sit_route
from contest.serving.server import Server
from contest.setup.lock import locked
from contest.setup.settings import FILE_NAME as SETTINGS_NAME
from contest.setup.settings import Settings, resumed
from contest.state.model import State
from contest.state.schedules import read_schedule
from contest.tasks import running
from lpp.clock import Clock, LoopClock

#: Seconds of real time for which the clock of a contest that is taken up stands still at most,
#: until those who were here when its server ended are back; then the organizer decides.
RETURN = 10.0
#: Seconds of real time that a new server waits for the links on its own machine.
LINKED = 15.0


@dataclass(frozen=True, slots=True)
class Sockets:
    """Where a server listens.

    Attributes:
        host: the address.
        port: the port; 0 takes a free one.
        identity: with it the server speaks TLS; without, it does not.
        announce: whether consoles on the local network are to find the server by themselves.
    """

    host: str = "127.0.0.1"
    port: int = 0
    identity: Identity | None = None
    announce: bool = False


#: For this machine alone, at a free port.
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
    """Sets a contest's server up, and takes it down when the context ends. `Server.play` plays the
    contest; rounds are started by the organizer (`contest.organizer.organizing` for one who is not
    a person).

    Arguments:
        folder: the contest's folder. A contest that was begun there goes on.
        settings: its settings.
        schedule: who meets whom, or what makes that, which only a new contest needs.
        clock: the contest's clock; real time if left out.
        sockets: where consoles, links and browsers come in. Entries on this machine then have a
            link in a separate process, which outlives a server that is killed. None opens none:
            consoles and links are in this process, by `Server.connect_seat` and `connect_link`.
        program: name and version of what plays it, for the record.
        rng: where sides are drawn from; the system's randomness if left out.
        journal: makes what writes the record, as `Journal` does.

    Raises:
        YoursToFix: settings that can't be used.
        InUse: another server holds the contest.
        Surroundings: a record that can't be written, a port that is not available.
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
        was_here, folded = set(opening.state.here), opening.state.last_seq
        conductor = await _conductor(opening, writer, program, rng)
        given = Codes(writer, folder)
        if sockets is not None:
            await _issue(given, folder, opening, conductor)
        await _link_entries(stack, opening, writer, conductor)
        await writer.flushed()
        overview = Overview(conductor, writer, folder)
        later = (e for e in opening.record.events(after=folded) if e.kind not in season.KINDS)
        log = Log(opening.record, [*opening.log, *later])
        writer.watchers += [log.event, overview.event]
        server = Server(
            *(folder, opening.settings, opening.record, opening.clock, writer, conductor),
            *(overview, log, Controls(conductor, writer, overview, log, given)),
            differing=opening.differing,
            taken_up=opening.taken_up,
        )
        if sockets is not None:
            await _listen(stack, server, opening, given, sockets)
        if opening.taken_up:
            waiting = _return(was_here, opening.clock, conductor)
            await stack.enter_async_context(running(waiting, "those who were here"))
        undo.clear()
        yield server
        with contextlib.suppress(RuntimeError, JournalFailed):
            await writer.flushed()


# The record


@dataclass
class Opening:
    """A record that is open, and what the contest goes by.

    Attributes:
        record, settings, schedule, clock: of the contest; the clock stands until it is let go.
        state: the fold of its record; from now on it follows what is written.
        log: all events by then but keys and their times.
        taken_up, over: whether the contest was begun before; whether it is over, and only shown.
        copy: the second copy of the record, if there is to be one.
        differing: what the settings say now and does not hold, in words.
        read: how many events were read to know where the contest was.
    """

    record: Record
    settings: Settings
    schedule: scheduler.Schedule
    clock: StandingClock
    state: State = field(default_factory=State)
    log: Sequence[Event] = ()
    taken_up: bool = False
    over: bool = False
    copy: Copy | None = None
    differing: list[str] = field(default_factory=list)
    read: int = 0


def open_record(
    stack: ExitStack,
    folder: Path,
    settings: Settings,
    schedule: scheduler.Schedule | Callable[[], scheduler.Schedule],
    clock: Clock,
) -> Opening:
    """Opens the record of a contest for writing, until the stack is closed. A contest that was
    begun goes on with the settings and the schedule of its record, and with its clock where that
    was.

    Raises:
        InUse: if another server writes it.
        RecordTrouble: if it can't be read or written.
        WrongMoment: if a season has begun, and has no finalists yet, who become entries.
    """
    url = record_url(folder, settings.record.database)
    record = stack.enter_context(Record(url, create=True))
    first = next(record.events(), None)
    is_season = first is not None and first.kind in season.KINDS
    if first is not None and (not is_season or record.count(kind=ContestOpened.kind)):
        begun, read = fold(record, folder / SNAPSHOT)
        state = begun.state
        if state.opened is None:
            raise RecordTrouble("the record holds no event that opens a contest")
        kept_settings, differing = resumed(state.opened.settings, settings)
        start = max(state.last_ns, noted(folder / CLOCK, state.contest_id))
        opening = Opening(
            *(record, kept_settings, read_schedule(state.schedule)),
            *(StandingClock(clock, start / 1e9), state, begun.log),
            taken_up=True,
            over=state.closed,
            differing=differing,
            read=read,
        )
    else:
        if is_season and not record.count(kind=season.FinalistsSet.kind):
            raise WrongMoment(
                f"{folder}: its season has no finalists yet, and a contest that is opened takes no "
                "others: end it with `loebner screen finalists` (its pages: `loebner screen "
                "serve`), or hold a contest without it in a new folder, with this contest.toml"
            )
        plan = schedule if isinstance(schedule, scheduler.Schedule) else schedule()
        # A season may be before the contest: the record's clock goes on from it.
        last = record.last()
        stands = StandingClock(clock, 0.0 if last is None else last.mono_ns / 1e9)
        opening = Opening(record, settings, plan, stands)
        _seal_settings(record, folder)
    if settings.record.copy_to:
        opening.copy = Copy(folder / settings.record.copy_to, record)
        stack.callback(opening.copy.close)
    return opening


def _seal_settings(record: Record, folder: Path) -> None:
    """Keeps contest.toml: with it the contest can be taken up from a copy alone. Where the record
    is, with a password maybe, is of no use there, and left out."""
    try:
        text = moved((folder / SETTINGS_NAME).read_text(encoding="utf-8-sig"))
    except (OSError, UnicodeDecodeError, BadSettings):
        return  # settings that came from elsewhere; the first event has them all the same
    record.seal(SETTINGS_NAME, text)


@contextmanager
def undone(folder: Path, settings: Settings) -> Iterator[list[Path]]:
    """Takes away what a setting-up that fails has made, as long as the list is not cleared: nobody
    has played, and the folder is to be used again when the fault is corrected."""
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
    """Refuses what only another machine can do.

    Raises:
        BadSettings: if an entry on another machine has a command or a directory here.
    """
    for entry in settings.entry:
        for option in ("command", "directory"):
            if entry.link == "remote" and getattr(entry, option):
                raise BadSettings(
                    f'{entry.id} has link = "remote" and a {option}, but that is another '
                    f"machine's: leave {option} out, and give it to `loebner link` there"
                )


# What plays the contest


async def _conductor(
    opening: Opening, journal: Journal, program: str, rng: random.Random | None
) -> Conductor:
    """What plays the contest, at its beginning or where its record says that it was."""
    clock = opening.clock
    conductor = Conductor(
        *(opening.settings, opening.schedule, journal, clock),
        speed=clock.speed,
        program=program,
        rng=rng,
        state=opening.state,
        seals={name: Sealed(**value) for name, value in opening.record.unseal("side/").items()},
    )

    def pause(trouble: ContestError) -> None:
        # What is not durable is shown to nobody.
        if not isinstance(trouble, JournalFailed):
            conductor.pause_ourselves(NOT_WRITTEN)
            return
        # Stopped, not only paused: the pause is not on record, and the next server goes on at
        # the moment that was noted last.
        clock.stop()
        conductor.pause_ourselves(NOT_RECORDED)

    journal.on_trouble = pause
    if not opening.taken_up:
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
    """Has a server listen until the stack is closed; its address and codes are put in."""
    folder, settings, identity = server.folder, server.settings, sockets.identity
    conductor, journal, clock = server.conductor, server.journal, server.clock
    seats, speed = conductor.seats, conductor.seats.speed
    porter = Porter(
        Gate(lambda where, tries: journal.write(None, "server", WrongCodes(where, tries))),
        Limits().faster(speed),
        Hosts([*settings.server.names, *(() if identity is None else identity.names)]),
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
        sit_route(),
        porter.route(SEAT, given.seats, seats.join),
        porter.route(BROWSER_SEAT, given.seats, partial(seats.join, browser=True)),
        porter.route(LINK, given.links, lambda entry, *rest: server.links[entry].connect(*rest)),
        control_route(server.controls, given.organizers, porter),
        *Board(server, porter, given.organizers).routes(),
        *audience_routes(feed, settings, server.record.log),
    ]
    if not opening.over:
        url = record_url(folder, settings.record.database)
        keep = await stack.enter_async_context(kept(url, folder / SNAPSHOT, opening.read))
        journal.watchers.append(keep)
    await asyncio.to_thread(compile_templates, "pages", "organizer", "audience", "seat_page")
    served = application(routes, porter)
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
    if not opening.taken_up:
        # A link that is late is named when a round is to begin, and hinders nobody before.
        programs = {entry.id for entry in settings.entry if entry.command}
        await seats.until(
            lambda: all(
                link.here and (name not in programs or link.running is not None)
                for name, link in here.items()
            ),
            LINKED,
        )
    organizer = given.codes[codes.ORGANIZER]
    stack.enter_context(door.shown(folder, server.address, organizer, identity))
    if sockets.announce:
        from contest.net.announce import announced  # needs zeroconf, and some time

        name = await stack.enter_async_context(
            announced(server.address, settings.contest.name, tls=identity is not None)
        )
        porter.hosts.names |= {name} - {""}
