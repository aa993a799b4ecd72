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
from contextlib import AsyncExitStack
from functools import partial
from pathlib import Path
from typing import NamedTuple, TypeAlias

import tomlkit

import scheduler
from contest.errors import Surroundings, YoursToFix
from contest.live.standing import FILE_NAME as CLOCK
from contest.organizer.organizing import organize
from contest.record import reading
from contest.record.events import Event
from contest.rehearse import loop
from contest.rehearse.loop import ended
from contest.rehearse.players import Cast, Entry, MortalServer, Screens, Sitter
from contest.rehearse.report import (
    BAD,
    LEFT_OUT,
    OVERCOME,
    Check,
    Happened,
    Report,
    checks,
)
from contest.results.contest import Contest
from contest.results.published import verify_all
from contest.scripted import scripted_people
from contest.setup import folder as folders
from contest.setup.planning import schedule_of
from contest.setup.settings import FILE_NAME, Settings, load, parse
from contest.state.phases import Phase
from lpp.clock import LoopClock
from lpp.directory import rooms_parent

#: Seconds between two looks of the organizer, and of the faults at the time.
LOOK = 1.0
#: Seconds that the organizer leaves between two rounds.
BREAK = 30.0
#: Seconds that a fault lasts; in a short round, this part of the interaction at most.
LASTS, PART = 20.0, 1 / 12
#: Seconds of the contest, for each round and at the end, beyond its settings.
SLACK = 1800.0
#: Seconds between two looks at a condition, and until the rehearsal gives up waiting for it.
GLANCE, PATIENCE = 0.25, 90.0
#: Seconds until a console, and a server, that died is started again.
CONSOLE_RESTART, SERVER_RESTART = 8.0, 2.0
#: Seconds by which a server that is started again may be wrong about the time.
EXACT = 0.5


class Broken(Exception):
    """The rehearsal can't go on: something died by itself, or the contest never ends."""


def rehearse(
    folder: Path,
    make_cast: Callable[[Settings, int], Cast],
    faults: tuple[Fault, ...],
    *,
    seed: int,
    program: str,
    out: Path | None = None,
    tell: Callable[[float, str], None] = lambda seconds, words: None,
) -> Report:
    """Rehearses a contest. Nothing in its own folder is touched.

    Arguments:
        folder: the contest's folder.
        make_cast: makes consoles and programs, by settings and seed.
        faults: what is to happen.
        seed: with the same seed the same happens again.
        program: name and version of the program that plays it, for the record.
        out: where the rehearsal's own contest folder is left, new or empty; None leaves none.
        tell: called with the seconds of the contest and words, as it goes on.

    Raises:
        YoursToFix: if the contest can't be used, or `out` is not empty.
        SchedulerError: if there is no schedule.
        Surroundings: if nothing can be written.
    """
    if out is not None:
        folders.refuse_unless_empty(out)
    settings = load(folder)
    schedule = schedule_of(settings, folder)
    began = time.perf_counter()
    # In memory where there is such a place: the disk's speed is not rehearsed.
    with tempfile.TemporaryDirectory(prefix="loebner-", dir=rooms_parent()) as scratch:
        copy = Path(scratch) / "contest"
        rehearsed = _copied(folder, settings, copy)
        cast = make_cast(rehearsed, seed)
        rehearsal = Rehearsal(copy, rehearsed, schedule, cast, faults, seed, program, tell)
        broken = ""
        # The report says what the server logs about the faults.
        log, quiet = logging.getLogger("contest"), logging.NullHandler()
        log.addHandler(quiet)
        try:
            loop.run(rehearsal.play(Path(scratch)))
        except (Broken, loop.Asleep) as exc:
            broken = str(exc)
        finally:
            log.removeHandler(quiet)
        contest = Contest.of(reading.log(copy))
        found = [
            Check("end", not broken, broken or "the contest was played to its end"),
            *checks(
                contest,
                verify_all(copy, rehearsal.head or None),
                rehearsal.sitters,
                rehearsal.screens,
                rehearsal.entries,
                rehearsal.happened,
            ),
        ]
        events = contest.log.count()
        if out is not None:
            _keep(copy, out)
    return Report(
        ok=all(check.ok for check in found),
        contest=settings.contest.name,
        seed=seed,
        entries={entry.id: entry.program.name for entry in rehearsal.entries.values()},
        faults=rehearsal.happened,
        checks=found,
        contest_seconds=round(rehearsal.lasted, 1),
        real_seconds=round(time.perf_counter() - began, 1),
        events=events,
        head=rehearsal.head,
        folder=None if out is None else str(out),
    )


def _copied(folder: Path, settings: Settings, copy: Path) -> Settings:
    """Copies a contest's settings and the schedule that they name, without their record.

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
        leave = shutil.ignore_patterns("*-lock", "*.lock", CLOCK)
        shutil.copytree(copy, out, dirs_exist_ok=True, ignore=leave)
    except (OSError, shutil.Error) as exc:
        reason = getattr(exc, "strerror", None) or exc
        raise Surroundings(f"{out}: can't be written ({reason})") from exc


class NotOvercome(Exception):
    """The contest did not overcome a fault, and in words why."""


class LeftOut(Exception):
    """The moment for a fault never came, and in words why."""


class Rehearsal:
    """A contest with scripted people on the running loop, which has to be a `VirtualLoop`.

    Arguments: see `rehearse`; `folder` is the copy of the contest's folder.

    Attributes:
        server, schedule: the contest's.
        sitters, entries: by their ids.
        troubles: place to the troubles of it that are on record.
        happened: the faults, as they happened.
        screens: seat to its screens at the end of each round.
        head: of the contest's record, when it is over.
        lasted: seconds of the contest that were played.
        lasts: seconds of the contest for which a fault lasts.
    """

    def __init__(
        self,
        folder: Path,
        settings: Settings,
        schedule: scheduler.Schedule,
        cast: Cast,
        faults: tuple[Fault, ...],
        seed: int,
        program: str,
        tell: Callable[[float, str], None],
    ) -> None:
        self.settings = settings
        self.clock = LoopClock()
        day = settings.contest.date or dt.date(2010, 10, 23)
        begins = dt.datetime.combine(day, settings.contest.start or dt.time(9, 30), dt.UTC)
        sides = random.Random(f"{seed}/sides")
        self.server = MortalServer(
            *(folder, settings, schedule, program, begins, sides, self._hear)
        )
        self.schedule = schedule
        self.sitters: dict[str, Sitter] = {}
        self.entries: dict[str, Entry] = {}
        self.troubles: dict[str, list[str]] = defaultdict(list)
        self.happened: list[Happened] = []
        self.screens: dict[str, Screens] = defaultdict(dict)
        self.head = ""
        self.lasted = 0.0
        self._cast, self._seed, self._tell = cast, seed, tell
        self._rng = random.Random(f"{seed}/faults")
        self.lasts = min(LASTS, settings.rules.interaction_minutes * 60 * PART)
        self._planned = plan(faults, len(schedule.rounds), self._rng)
        self._injecting: list[asyncio.Task[None]] = []

    async def play(self, scratch: Path) -> None:
        """Plays the contest.

        Arguments:
            scratch: a folder for what consoles and links keep.

        Raises:
            Broken: if a player dies by itself, or the contest does not end.
        """
        server, settings = self.server, self.settings
        self.clock.now()  # which begins with the contest
        await server.start()
        async with AsyncExitStack() as stack:
            stack.push_async_callback(server.end)
            for table in settings.entry:
                program = self._cast.program(table)
                connect = partial(server.connect_link, table.id)
                entry = Entry(table.id, program, connect, scratch / "links")
                self.entries[table.id] = await stack.enter_async_context(entry.opened())
            judges = [judge.id for judge in settings.judge]
            confederates = [confederate.id for confederate in settings.confederate]
            for seat, person in scripted_people(judges, confederates, self._seed).items():
                dial = partial(server.connect_seat, seat)
                make = partial(self._cast.console, seat, dial, scratch / "seats" / seat)
                sitter = self.sitters[seat] = Sitter(seat, person, make)
                await sitter.sit()
                stack.push_async_callback(sitter.leave)
            organizing = organize(
                lambda: server.now if server.alive else None,
                "rehearsed",
                look=LOOK,
                between=BREAK,
            )
            tasks = [
                asyncio.create_task(organizing, name="organizer"),
                asyncio.create_task(self._watch(), name="watch"),
                asyncio.create_task(server.played(), name="play"),
            ]
            for task in tasks:
                stack.push_async_callback(ended, task)
            stack.push_async_callback(self._no_more_faults)
            rules = settings.rules
            round_ = (rules.interaction_minutes + rules.scoring_minutes) * 60 + SLACK
            longest = rules.rounds * round_ + rules.ranking_minutes * 60 + SLACK
            done, _ = await asyncio.wait(
                tasks, timeout=longest, return_when=asyncio.FIRST_COMPLETED
            )
            for task in done:
                self.head = task.result() or ""
            if not done:
                raise Broken("the contest does not come to its end")
            heard = [sitter.playing for sitter in self.sitters.values() if sitter.playing]
            _, deaf = await asyncio.wait(heard, timeout=SLACK)
            if deaf:
                raise Broken("not everybody hears that the contest is over")
            self._tell(self.clock.now(), "the contest is over")

    async def _watch(self) -> None:
        """Raises Broken when a player dies that no fault has killed."""
        while True:
            await asyncio.sleep(LOOK)
            tasks = [each.playing for each in self.entries.values()]
            tasks += [each.playing for each in self.sitters.values()]
            for task in filter(None, [*self._injecting, *tasks]):
                if task.done() and not task.cancelled() and (failed := task.exception()):
                    raise Broken(f"{task.get_name()} has died: {failed!r}") from failed

    def _hear(self, event: Event) -> None:
        self.lasted = now = self.clock.now()
        body = event.body
        match event.kind:
            case "trouble":
                self.troubles[body["where"]].append(body["what"])
            case "round-opened":
                for entry in self.entries.values():
                    entry.directory.mark = f"{body['round']}.{body['attempt']}"
            case "round-started":
                self._tell(now, f"round {body['round']} begins")
                faults = [each for each in self._planned if each.round == body["round"]]
                self._injecting.append(asyncio.create_task(self._inject(faults), name="a fault"))
            case "round-closed":
                for sitter in self.sitters.values():
                    self.screens[sitter.seat] |= sitter.screens()
                self._tell(now, f"round {body['round']} is closed")

    async def _inject(self, faults: list[Planned]) -> None:
        length = self.settings.rules.interaction_minutes * 60
        for planned in faults:
            self._planned.remove(planned)
            # The round's own time: it can stand still, and no event tells how it goes.
            while (at := self._played(length)) is not None and at < planned.at * length:  # noqa: ASYNC110
                await asyncio.sleep(LOOK)
            if at is None:
                over = "the round was over before it could happen"
                self._note(planned, length, "", over, LEFT_OUT)
                continue
            self._tell(self.clock.now(), f"fault: {planned.fault.what}")
            who, came = "", OVERCOME
            try:
                who, words = await planned.fault.happen(self)
            except (LeftOut, NotOvercome) as exc:
                words, came = str(exc), LEFT_OUT if isinstance(exc, LeftOut) else BAD
            self._note(planned, at, who, words, came)

    def _played(self, length: float) -> float | None:
        """Seconds of the interaction that were played; None when it is over."""
        if not self.server.alive:
            return 0.0
        playing = self.phase in (Phase.INTERACTION, Phase.PAUSED)
        return length - self.remaining if playing else None

    def _note(self, planned: Planned, at: float, who: str, words: str, came: str) -> None:
        happened = Happened(planned.fault.id, planned.round, round(at, 1), who, words, came)
        self.happened.append(happened)
        self._tell(self.clock.now(), f"{came}: {words}")

    async def _no_more_faults(self) -> None:
        for task in self._injecting:
            await ended(task)
        for planned in self._planned:
            self._note(planned, 0.0, "", "its round was never begun", LEFT_OUT)

    # What faults need

    @property
    def phase(self) -> Phase:
        """The contest's phase."""
        return self.server.now.conductor.status().phase

    @property
    def remaining(self) -> float:
        """Seconds that the phase has left."""
        return self.server.now.conductor.status().remaining or 0.0

    def all_confirmed(self) -> bool:
        """Whether every typed key is on record."""
        return not any(sitter.console.unconfirmed for sitter in self.sitters.values())

    def draw(self, role: str) -> list[str]:
        """The ids of this role's players in the present round, in an order by chance."""
        round_ = self.schedule.rounds[self.server.now.conductor.status().round - 1]
        ids = [getattr(pairing, role) for pairing in round_]
        return self._rng.sample(ids, len(ids))

    async def until(self, condition: Callable[[], object], otherwise: str) -> float:
        """Waits for a condition; returns the seconds that it took.

        Raises:
            NotOvercome: with these words, if it does not come true in time.
        """
        loop = asyncio.get_running_loop()
        began = loop.time()
        while not condition():
            if loop.time() - began > PATIENCE:
                raise NotOvercome(otherwise)
            await asyncio.sleep(GLANCE)
        return loop.time() - began

    async def moment(self, condition: Callable[[], object], otherwise: str) -> None:
        """Waits for the moment at which a fault is to happen.

        Raises:
            LeftOut: with these words, if it does not come in time and in the interaction.
        """
        try:
            await self.until(lambda: condition() or self.phase is not Phase.INTERACTION, otherwise)
        except NotOvercome:
            raise LeftOut(otherwise) from None
        if not condition():
            raise LeftOut(otherwise)

    async def typing(self, role: str) -> Sitter:
        """Waits until somebody of a role is in the middle of a line; see `moment`."""
        sitters = [self.sitters[seat] for seat in self.draw(role)]
        await self.moment(lambda: any(map(_in_a_line, sitters)), f"no {role} typed anything")
        return next(sitter for sitter in sitters if _in_a_line(sitter))

    async def back(self, sitter: Sitter, before: Screens) -> float:
        """Waits until a console is connected, with all keys confirmed and all that its screens
        held; see `until`."""
        console = sitter.console
        return await self.until(
            lambda: console.connected and not console.unconfirmed and _holds(sitter, before),
            f"{sitter.seat} did not come back as it was",
        )


# The faults. To add one, write a function that does it and says what came of it, and add a row to
# `FAULTS`.


def _in_a_line(sitter: Sitter) -> bool:
    """Whether the last own key on some screen is in the middle of a line."""
    for keys in sitter.screens().values():
        own = [key for author, key in keys[-40:] if author == sitter.person.own]
        if own and own[-1] not in ("Return", "BackSpace"):
            return True
    return False


def _holds(sitter: Sitter, before: Screens) -> bool:
    """Whether screens still hold what they held, each author's keys in their order."""
    now = sitter.screens()
    for talk, keys in before.items():
        for author in ("judge", "entity"):
            old = [key for by, key in keys if by == author]
            new = [key for by, key in now.get(talk, []) if by == author]
            if new[: len(old)] != old:
                return False
    return True


#: Does a fault in a rehearsal; returns the id of the one it befell, and what happened in words.
#: Raises NotOvercome or LeftOut.
Happen: TypeAlias = Callable[[Rehearsal], Awaitable[tuple[str, str]]]


async def entry_dies(play: Rehearsal) -> tuple[str, str]:
    """A program is killed, and its link starts it again."""
    entry = play.entries[play.draw("entry")[0]]
    troubles = play.troubles[f"directory of {entry.id}"]
    before = len(troubles)
    await entry.die()
    try:
        await play.moment(entry.directory.unread, f"{entry.id} was told nothing")
        await asyncio.sleep(play.lasts)
        unread = entry.directory.unread()
    finally:
        entry.start()
    took = await play.until(lambda: not entry.directory.unread(), f"{entry.id} left keys unread")
    alarm = "the organizer was told" if len(troubles) > before else "too short for an alarm"
    return entry.id, (
        f"killed, and started again after {play.lasts:g} s ({alarm}); {unread} unread keys were "
        f"read within {took:.1f} s"
    )


async def link_drops(play: Rehearsal) -> tuple[str, str]:
    """A judge's network falls silent in the middle of a line."""
    sitter = await play.typing("judge")
    play.server.lose(sitter.seat, silent=True)
    await asyncio.sleep(play.lasts)
    typed = sitter.console.unconfirmed
    play.server.away.remove(sitter.seat)
    took = await play.back(sitter, {})
    return sitter.seat, (
        f"silent for {play.lasts:g} s in the middle of a line; {typed} keys typed meanwhile were "
        f"taken within {took:.1f} s of its return"
    )


async def console_restarts(play: Rehearsal) -> tuple[str, str]:
    """A confederate's console is closed and started again."""
    sitter = await play.typing("confederate")
    before = sitter.screens()
    pause = min(CONSOLE_RESTART, play.lasts)
    await sitter.restart_console(pause)
    took = await play.back(sitter, before)
    return sitter.seat, (
        f"the console was closed in the middle of a line and another one started after {pause:g} "
        f"s; its screen, {sum(map(len, before.values()))} keys, was back {took:.1f} s later"
    )


async def entry_link_drops(play: Rehearsal) -> tuple[str, str]:
    """The link beside an entry loses the server."""
    entry = play.entries[play.draw("entry")[0]]
    link = play.server.now.links[entry.id]
    play.server.lose(entry.id, silent=False)
    try:
        await play.moment(lambda: link.unread, f"{entry.id} was told nothing")
        await asyncio.sleep(play.lasts)
        waiting = link.unread
    finally:
        play.server.away.remove(entry.id)
    took = await play.until(
        lambda: link.here and not link.unread, f"the link of {entry.id} did not come back"
    )
    return entry.id, (
        f"without the server for {play.lasts:g} s; {waiting} keys of the judge that waited were "
        f"made within {took:.1f} s"
    )


async def server_stops(play: Rehearsal) -> tuple[str, str]:
    """The server stops dead in the middle of a line; another is built from the record."""
    await play.typing("judge")
    screens = {sitter.seat: sitter.screens() for sitter in play.sitters.values()}
    server, remaining, pause = play.server, play.remaining, min(SERVER_RESTART, play.lasts)
    await server.die()
    await asyncio.sleep(pause)
    await server.start()
    took = await play.until(server.now.conductor.everybody_here, "not everybody came back")
    gone = remaining - play.remaining
    if not -EXACT <= gone <= took + EXACT:
        raise NotOvercome(f"{remaining:.1f} s were left before, and {gone:.1f} s less afterwards")
    await play.until(play.all_confirmed, "not every key was taken")
    for sitter in play.sitters.values():
        if not _holds(sitter, screens[sitter.seat]):
            raise NotOvercome(f"the screen of {sitter.seat} has changed")
    return "server", (
        f"killed, restarted after {pause:g} s from {server.taken_up:,} events; everybody was back "
        f"after {took:.1f} s, with the same screens and {remaining:.0f} s left as before"
    )


async def disk_full(play: Rehearsal) -> tuple[str, str]:
    """The disk of the record is full for a while."""
    play.server.journal.full = True
    try:
        await play.until(lambda: play.phase is Phase.PAUSED, "the contest did not pause itself")
        left = play.remaining
        await asyncio.sleep(play.lasts)
        if play.remaining != left:
            raise NotOvercome("the time went on")
    finally:
        play.server.journal.full = False
    took = await play.until(
        lambda: play.phase is Phase.INTERACTION and play.all_confirmed(),
        "the round did not go on",
    )
    return "record", (
        f"nothing could be written for {play.lasts:g} s: the contest paused itself, the organizer "
        f"resumed it, and {took:.1f} s after there was room again every key was on record"
    )


class Fault(NamedTuple):
    """One kind of fault: its name, what it is in words, and the function that does it."""

    id: str
    what: str
    happen: Happen


#: All faults, in the order in which they are dealt out to the rounds.
FAULTS: dict[str, Fault] = {
    fault.id: fault
    for fault in (
        Fault("entry-dies", "a program dies", entry_dies),
        Fault("link-drops", "a judge's network falls silent", link_drops),
        Fault("server-stops", "the server stops dead", server_stops),
        Fault("console-restarts", "a confederate's console is restarted", console_restarts),
        Fault("disk-full", "the record's disk is full", disk_full),
        Fault("entry-link-drops", "an entry's link loses the server", entry_link_drops),
    )
}


def choose(names: str | None) -> tuple[Fault, ...]:
    """Faults by their names.

    Arguments:
        names: separated by commas, one as often as it is to happen; None for all, `none` for none.

    Raises:
        YoursToFix: if there is no such fault.
    """
    if names is None:
        return tuple(FAULTS.values())
    chosen = [] if names.strip() == "none" else [each.strip() for each in names.split(",")]
    for name in chosen:
        if name not in FAULTS:
            raise YoursToFix(f"there is no fault {name!r}; there are {', '.join(FAULTS)}, or none")
    return tuple(FAULTS[name] for name in chosen)


class Planned(NamedTuple):
    """A fault that is to happen: in which round, and at which part of its interaction (0 to 1)."""

    fault: Fault
    round: int
    at: float


def plan(faults: tuple[Fault, ...], rounds: int, rng: random.Random) -> list[Planned]:
    """Deals faults out to rounds: as many to each, one after the other within it, neither at the
    very beginning nor at the end."""
    planned = []
    for round_ in range(1, rounds + 1):
        own = faults[round_ - 1 :: rounds]
        for place, fault in enumerate(own):
            share = (place + rng.uniform(0.2, 0.6)) / len(own)
            planned.append(Planned(fault, round_, 0.1 + 0.7 * share))
    return planned
