"""A rehearsal: a contest on the virtual clock, with its organizer, people, programs and faults."""

from __future__ import annotations

import asyncio
import datetime as dt
import logging
import random
import shutil
import tempfile
import time
from collections import defaultdict
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import NamedTuple, TypeAlias

import tomlkit

import scheduler
from contest.errors import EnvironmentProblem, UserError
from contest.live.clock import FILE_NAME as CLOCK
from contest.live.clock import SAVE_EVERY, saving_clock
from contest.net.sockets import MemoryConnection
from contest.organizer.scripted import organize
from contest.record import reading
from contest.record.bodies import DeclaredFinal, RoundClosed, RoundOpened, RoundStarted
from contest.record.events import Event
from contest.record.store import Copy, Record
from contest.rehearse.journal import RehearsalJournal
from contest.rehearse.loop import Deadlock, VirtualLoop, cancel_and_wait
from contest.rehearse.players import MakeConsole, MakeProgram, RehearsedEntry, Screens, SeatedPerson
from contest.rehearse.report import (
    BAD,
    LEFT_OUT,
    OVER,
    OVERCOME,
    FaultResult,
    RehearsalCheck,
    RehearsalReport,
    checks,
)
from contest.results.contest import Contest
from contest.results.published import verify_all
from contest.scripted import scripted_people
from contest.serving.server import Server
from contest.serving.set_up import set_up
from contest.setup import folder as folders
from contest.setup.planning import schedule_of
from contest.setup.settings import FILE_NAME, Settings, load, parse
from contest.state.phases import TYPING, Phase
from lpp.clock import Clock, LoopClock
from lpp.directory import communications_root

#: Seconds between two checks by the organizer, and between two checks of the time and the players.
LOOK = 1.0
#: Seconds of break between two rounds.
BREAK = 30.0
#: Seconds that a fault lasts; in a short round, at most this part of the interaction.
FAULT_SECONDS, PART = 20.0, 1 / 12
#: Seconds of contest time allowed beyond the settings, for each round and at the end.
SLACK = 1800.0
#: Seconds between two checks of a condition, and until the rehearsal gives up waiting for it.
CHECK_EVERY, TIME_LIMIT = 0.25, 90.0
#: Seconds until a killed server is restarted, and by how many seconds its time may then be off.
SERVER_RESTART, TOLERANCE = 2.0, 0.5


class Failed(Exception):
    """Something that must not happen in a contest, in words: the contest doesn't recover from a
    fault, a player crashes, or the contest never ends."""


def rehearse(
    folder: Path,
    console: MakeConsole,
    program: MakeProgram,
    faults: tuple[str, ...],
    *,
    seed: int,
    version: str,
    out: Path | None = None,
    tell: Callable[[float, str], None] = lambda seconds, words: None,
) -> RehearsalReport:
    """Rehearses a contest, without changing anything in its folder.

    Arguments:
        folder: the contest's folder.
        console, program: make the consoles and the programs.
        faults: the faults to inject, by their names in `FAULTS`.
        seed: two rehearsals with the same seed are the same.
        version: name and version of this program, for the record.
        out: where to keep the rehearsal's own contest folder, new or empty; by default it is
            deleted.
        tell: called with the seconds of contest time and a message, as the rehearsal proceeds.

    Raises:
        UserError: if the contest can't be used, or `out` is not empty.
        SchedulerError: if there is no schedule.
        EnvironmentProblem: if nothing can be written.
    """
    if out is not None:
        folders.refuse_unless_empty(out)
    settings = load(folder)
    schedule = schedule_of(settings, folder)
    began = time.perf_counter()
    # In memory where possible, because a rehearsal doesn't test the disk's speed.
    with tempfile.TemporaryDirectory(prefix="loebner-", dir=communications_root()) as scratch:
        copy = Path(scratch) / "contest"
        rehearsed = _copied(folder, settings, copy)
        planned = plan(faults, len(schedule.rounds), random.Random(f"{seed}/faults"))
        play = Rehearsal(copy, rehearsed, schedule, console, program, planned, seed, version, tell)
        broken = ""
        # The report says what the server logs about the faults.
        log, quiet = logging.getLogger("contest"), logging.NullHandler()
        log.addHandler(quiet)
        try:
            with asyncio.Runner(loop_factory=VirtualLoop) as runner:
                runner.run(play.play(Path(scratch)))
        except (Failed, Deadlock) as exc:
            broken = str(exc)
        finally:
            log.removeHandler(quiet)
        contest = Contest.of(reading.open_log(copy))
        verified = verify_all(copy, play.head or None)
        found = [
            RehearsalCheck("end", not broken, broken or "the contest was played to its end"),
            *checks(contest, verified, play.people, play.screens, play.entries, play.happened),
        ]
        events = contest.log.count()
        if out is not None:
            _keep(copy, out)
    return RehearsalReport(
        ok=all(check.ok for check in found),
        contest=settings.contest.name,
        seed=seed,
        entries={entry.id: entry.program.name for entry in play.entries.values()},
        faults=play.happened,
        checks=found,
        contest_seconds=round(play.played_seconds, 1),
        real_seconds=round(time.perf_counter() - began, 1),
        events=events,
        head=play.head,
        folder=None if out is None else str(out),
    )


def _copied(folder: Path, settings: Settings, copy: Path) -> Settings:
    """Copies a contest's settings, without `[record]`, and the schedule that they name.

    Returns:
        The settings of the copy.
    """
    document = tomlkit.parse((folder / FILE_NAME).read_text(encoding="utf-8-sig"))
    document.pop("record", None)
    text = tomlkit.dumps(document)
    folders.make(copy, text)
    if settings.rules.schedule:
        file = copy / Path(settings.rules.schedule).name
        shutil.copyfile(folder / settings.rules.schedule, file)
    return parse(text, str(folder / FILE_NAME))


def _keep(copy: Path, out: Path) -> None:
    try:
        ignored = shutil.ignore_patterns("*-lock", "*.lock", CLOCK)
        shutil.copytree(copy, out, dirs_exist_ok=True, ignore=ignored)
    except (OSError, shutil.Error) as exc:
        reason = getattr(exc, "strerror", None) or exc
        raise EnvironmentProblem(f"{out}: can't be written ({reason})") from exc


@dataclass
class Rehearsal:
    """A contest with scripted people on the running loop, which must be a `VirtualLoop`. Its server
    can be killed and set up again from the record.

    Attributes:
        folder: the copy of the contest's folder.
        settings, schedule, console, program, seed, version, tell: see `rehearse`.
        planned: the faults that have not happened yet.
        server: the contest's server; the previous one while none is running.
        journal: its journal.
        alive: whether the server is running.
        away: ids of the seats whose network is down.
        people, entries: by their ids.
        happened: the faults that have happened.
        screens: seat to its screens at the end of each round.
        head: the head of the contest's record, when the contest is over.
        played_seconds: how long the contest has lasted, in seconds of contest time.
        fault_seconds: how long a fault lasts, in seconds of contest time.
    """

    folder: Path
    settings: Settings
    schedule: scheduler.Schedule
    console: MakeConsole
    program: MakeProgram
    planned: list[Planned]
    seed: int
    version: str
    tell: Callable[[float, str], None]
    server: Server = field(init=False)
    journal: RehearsalJournal = field(init=False)
    alive: bool = False
    away: set[str] = field(default_factory=set)
    people: dict[str, SeatedPerson] = field(default_factory=dict)
    entries: dict[str, RehearsedEntry] = field(default_factory=dict)
    happened: list[FaultResult] = field(default_factory=list)
    screens: dict[str, Screens] = field(default_factory=lambda: defaultdict(dict))
    head: str = ""
    played_seconds: float = 0.0

    def __post_init__(self) -> None:
        at = self.settings.contest
        day, start = at.date or dt.date(2010, 10, 23), at.start or dt.time(9, 30)
        self._begins = dt.datetime.combine(day, start, dt.UTC)
        self._interaction = self.settings.rules.interaction_minutes * 60
        self.fault_seconds = min(FAULT_SECONDS, self._interaction * PART)
        self._clock = LoopClock()
        self._sides = random.Random(f"{self.seed}/sides")
        self._drawn = random.Random(f"{self.seed}/drawn")
        self._injecting: list[asyncio.Task[None]] = []
        self._lines: dict[str, MemoryConnection] = {}
        self._life: asyncio.Task[None]
        self._down = AsyncExitStack()

    async def play(self, scratch: Path) -> None:
        """Plays the contest.

        Arguments:
            scratch: a folder for the files of consoles and links.

        Raises:
            Failed: if a player crashes, or the contest does not end.
        """
        settings, rules = self.settings, self.settings.rules
        self._clock.now()  # this starts the clock
        await self.start_server()
        async with AsyncExitStack() as stack:
            stack.push_async_callback(self._end_server)
            for table in settings.entry:
                connect = partial(self._connected, table.id)
                program = self.program(settings, table)
                entry = RehearsedEntry(table.id, program, connect, scratch / "links")
                self.entries[table.id] = await stack.enter_async_context(entry.opened())
            judges = [judge.id for judge in settings.judge]
            confederates = [confederate.id for confederate in settings.confederate]
            for seat, person in scripted_people(judges, confederates, self.seed).items():
                dial = partial(self._connected, seat)
                console = self.console(seat, dial, scratch / "seats" / seat)
                seated = self.people[seat] = SeatedPerson(seat, person, console)
                await stack.enter_async_context(seated.play_seat())
            organizing = organize(
                lambda: self.server if self.alive else None,
                "rehearsed",
                check_every=LOOK,
                between=BREAK,
            )
            organizer = asyncio.create_task(organizing, name="organizer")
            stack.push_async_callback(cancel_and_wait, organizer)
            stack.push_async_callback(self._end_faults)
            length = self._interaction + rules.scoring_minutes * 60 + SLACK
            longest = rules.rounds * length + rules.ranking_minutes * 60 + SLACK
            while not self.head:
                await asyncio.sleep(LOOK)
                if self._clock.now() > longest:
                    raise Failed("the contest does not end")
                people = [each.playing for each in self.people.values()]
                programs = [entry.playing for entry in self.entries.values()]
                for task in (organizer, self._life, *self._injecting, *people, *programs):
                    if task.done() and not task.cancelled() and (failed := task.exception()):
                        raise Failed(f"{task.get_name()} has crashed: {failed!r}") from failed
            _, uninformed = await asyncio.wait(people, timeout=SLACK)
            if uninformed:
                raise Failed("not everybody learned that the contest is over")
            self.tell(self._clock.now(), "the contest is over")

    # The server

    async def start_server(self) -> None:
        """Begins the contest, or continues it where its record ends."""

        def journal(
            record: Record, clock: Clock, _copy: Copy | None, **_finished: bool
        ) -> RehearsalJournal:
            self.journal = RehearsalJournal(record, clock, self._begins)
            self.journal.watchers.append(self._handle)
            return self.journal

        async def live() -> None:
            self.head = await self.server.play()

        self.server = await self._down.enter_async_context(
            set_up(
                *(self.folder, self.settings, self.schedule, LoopClock()),
                sockets=None,
                program=self.version,
                rng=self._sides,
                journal=journal,
            )
        )
        self.alive = True
        self._life = asyncio.create_task(live(), name="server")

    async def kill_server(self) -> None:
        """Simulates a crash of the server: nothing is written, sent or closed any more."""
        self.alive = False
        # A real server saves the clock's time all the time; saving it here is enough.
        at = self.server.clock.now() // SAVE_EVERY * SAVE_EVERY
        async with saving_clock(
            self.folder / CLOCK, self.server.conductor.state.contest_id, lambda: at
        ):
            await asyncio.sleep(0)
        self.journal.crash()
        for line in self._lines.values():
            line.crash_server()
        self._lines.clear()
        await self._end_server()

    async def _end_server(self) -> None:
        await cancel_and_wait(self._life)
        self.alive = False
        await self._down.aclose()

    def _connected(self, who: str) -> MemoryConnection:
        """Connects a seat or an entry; raises OSError if no server answers."""
        if not self.alive or who in self.away:
            raise OSError("no server answers")
        server = self.server
        connect = server.connect_link if who in server.links else server.connect_seat
        line = self._lines[who] = connect(who)
        return line

    def lose(self, seat: str) -> None:
        """Cuts a seat off from the network until it is removed from `away`."""
        self.away.add(seat)
        if seat in self._lines:
            self._lines[seat].stop_delivering()

    def _handle(self, event: Event) -> None:
        """Handles a durable event."""
        self.played_seconds = now = self._clock.now()
        body, directories = event.body, [entry.directory for entry in self.entries.values()]
        match event.kind:
            case RoundOpened.kind:
                for directory in directories:
                    directory.mark = f"{body['round']}.{body['attempt']}"
            case RoundStarted.kind:
                self.tell(now, f"round {body['round']} begins")
                faults = [each for each in self.planned if each.round == body["round"]]
                self._injecting.append(asyncio.create_task(self._inject(faults), name="a fault"))
            case RoundClosed.kind:
                for seat, person in self.people.items():
                    at, screens = person.console, self.screens[seat]
                    screens |= {(at.round, at.attempt, p): list(at.keys(p)) for p in at.places}
                self.tell(now, f"round {body['round']} is closed")
            case DeclaredFinal.kind:
                for directory in directories:
                    directory.mark = OVER

    # The faults

    async def _inject(self, faults: list[Planned]) -> None:
        for planned in faults:
            self.planned.remove(planned)
            who, came, at = "", OVERCOME, planned.at * self._interaction
            # This follows the round's own time, which can stop and has no event to wait for.
            while self.phase in TYPING and self._interaction - self.remaining < at:  # noqa: ASYNC110
                await asyncio.sleep(LOOK)
            if self.phase not in TYPING:
                over = "the round ended before it could happen"
                self._note(planned, at, "", over, LEFT_OUT)
                continue
            self.tell(self._clock.now(), f"fault: {planned.fault}")
            try:
                who, words = await FAULTS[planned.fault](self)
            except Failed as exc:
                words, came = str(exc), BAD
            self._note(planned, at, who, words, came)

    def _note(self, planned: Planned, at: float, who: str, words: str, came: str) -> None:
        happened = FaultResult(planned.fault, planned.round, round(at, 1), who, words, came)
        self.happened.append(happened)
        self.tell(self._clock.now(), f"{came}: {words}")

    async def _end_faults(self) -> None:
        for task in self._injecting:
            await cancel_and_wait(task)

    # For the faults

    @property
    def phase(self) -> Phase:
        """The contest's phase."""
        return self.server.conductor.status().phase

    @property
    def remaining(self) -> float:
        """Seconds left in the phase."""
        return self.server.conductor.status().remaining or 0.0

    def all_confirmed(self) -> bool:
        """Whether every typed key is recorded."""
        return not any(person.console.unconfirmed for person in self.people.values())

    def draw(self, role: str) -> list[str]:
        """The ids of this role's players in the current round, in random order."""
        round_ = self.schedule.rounds[self.server.conductor.status().round - 1]
        ids = [getattr(pairing, role) for pairing in round_]
        return self._drawn.sample(ids, len(ids))

    async def until(self, condition: Callable[[], object], otherwise: str) -> float:
        """Waits for a condition; returns how many seconds it took.

        Raises:
            Failed: with the message `otherwise`, if it is not met in time.
        """
        began = self._clock.now()
        while not condition():
            if self._clock.now() - began > TIME_LIMIT:
                raise Failed(otherwise)
            await asyncio.sleep(CHECK_EVERY)
        return self._clock.now() - began


# The faults. To add one, write a function that injects it and returns what happened, and add a row
# to `FAULTS`.

#: Injects a fault into a rehearsal; returns the id of the affected player or part, and what
#: happened, in words. Raises Failed.
Inject: TypeAlias = Callable[[Rehearsal], Awaitable[tuple[str, str]]]


async def entry_dies(play: Rehearsal) -> tuple[str, str]:
    """A program is killed, and restarted after 20 seconds. Then it has to read all unread keys."""
    entry = play.entries[play.draw("entry")[0]]
    await entry.kill()
    with suppress(Failed):  # the judge may type nothing more
        await play.until(entry.directory.unread, "")
    await asyncio.sleep(play.fault_seconds)
    unread = entry.directory.unread()
    entry.start()
    took = await play.until(lambda: not entry.directory.unread(), f"{entry.id} left keys unread")
    return entry.id, (f"killed and restarted; {unread} unread keys were read within {took:.1f} s")


async def seat_disconnects(play: Rehearsal) -> tuple[str, str]:
    """A judge's network is down for 20 seconds. Then the console has to reconnect, and all of its
    keys have to be recorded."""
    person = play.people[play.draw("judge")[0]]
    console = person.console
    play.lose(person.seat)
    await asyncio.sleep(play.fault_seconds)
    typed = console.unconfirmed
    play.away.remove(person.seat)
    took = await play.until(
        lambda: console.connected and not console.unconfirmed, f"{person.seat} did not reconnect"
    )
    return person.seat, (
        f"offline for {play.fault_seconds:g} s; {typed} keys typed meanwhile were recorded within "
        f"{took:.1f} s after the network was back"
    )


async def server_stops(play: Rehearsal) -> tuple[str, str]:
    """The server is killed; two seconds later another continues from the record. Everybody has to
    reconnect and see the same remaining time, and every key has to be recorded."""
    remaining, pause = play.remaining, min(SERVER_RESTART, play.fault_seconds)
    await play.kill_server()
    await asyncio.sleep(pause)
    await play.start_server()
    took = await play.until(play.server.conductor.all_connected, "not everybody reconnected")
    gone = remaining - play.remaining
    if not -TOLERANCE <= gone <= took + TOLERANCE:
        raise Failed(f"{remaining:.1f} s were left before the crash, {gone:.1f} s fewer after it")
    await play.until(play.all_confirmed, "not every key was recorded")
    return "server", (
        f"killed, restarted after {pause:g} s; everybody was back after {took:.1f} s, with "
        f"{remaining:.0f} s left as before"
    )


async def disk_full(play: Rehearsal) -> tuple[str, str]:
    """Nothing can be written for 20 seconds. The contest has to pause itself, its clock has to
    stop, and after the organizer resumes it every key has to be recorded."""
    play.journal.full = True
    try:
        await play.until(lambda: play.phase is Phase.PAUSED, "the contest did not pause itself")
        left = play.remaining
        await asyncio.sleep(play.fault_seconds)
        if play.remaining != left:
            raise Failed("the clock did not stop")
    finally:
        play.journal.full = False
    took = await play.until(
        lambda: play.phase is not Phase.PAUSED and play.all_confirmed(), "the round did not resume"
    )
    return "record", (
        f"nothing could be written for {play.fault_seconds:g} s: the contest paused itself, the "
        f"organizer resumed it, and {took:.1f} s after there was space again every key was recorded"
    )


#: All faults, in the order in which they are distributed over the rounds.
FAULTS: dict[str, Inject] = {
    "entry-dies": entry_dies,
    "seat-disconnects": seat_disconnects,
    "server-stops": server_stops,
    "disk-full": disk_full,
}


def parse_faults(names: str | None) -> tuple[str, ...]:
    """Parses the names of faults.

    Arguments:
        names: separated by commas; a name may be repeated. None means all faults, `none` no fault.

    Raises:
        UserError: if there is no such fault.
    """
    if names is None:
        return tuple(FAULTS)
    chosen = [] if names.strip() == "none" else [each.strip() for each in names.split(",")]
    for name in chosen:
        if name not in FAULTS:
            raise UserError(f"there is no fault {name!r}; choose from {', '.join(FAULTS)}, or none")
    return tuple(chosen)


class Planned(NamedTuple):
    """A planned fault: its round, and at which part of the interaction it happens (0 to 1)."""

    fault: str
    round: int
    at: float


def plan(faults: tuple[str, ...], rounds: int, rng: random.Random) -> list[Planned]:
    """Distributes faults evenly over the rounds: within a round one after the other, and not at the
    very beginning or end."""
    planned = []
    for round_ in range(1, rounds + 1):
        own = faults[round_ - 1 :: rounds]
        for place, fault in enumerate(own):
            share = (place + rng.uniform(0.2, 0.6)) / len(own)
            planned.append(Planned(fault, round_, 0.1 + 0.7 * share))
    return planned
