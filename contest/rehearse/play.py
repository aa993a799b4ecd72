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
from collections.abc import Callable
from contextlib import AsyncExitStack
from functools import partial
from pathlib import Path

import tomlkit

import scheduler
from contest.errors import Surroundings
from contest.live.standing import FILE_NAME as CLOCK
from contest.organizer.organizing import organize
from contest.record import reading
from contest.record.events import Event
from contest.rehearse import loop
from contest.rehearse.faults import Fault, LeftOut, NotOvercome, Planned, Scene, plan
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
        scene = rehearsal.scene
        contest = Contest.of(reading.log(copy))
        found = [
            Check("end", not broken, broken or "the contest was played to its end"),
            *checks(
                contest,
                verify_all(copy, rehearsal.head or None),
                scene.sitters,
                rehearsal.screens,
                scene.entries,
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
        entries={entry.id: entry.program.name for entry in scene.entries.values()},
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


class Rehearsal:
    """A contest with scripted people on the running loop, which has to be a `VirtualLoop`.

    Arguments: see `rehearse`; `folder` is the copy of the contest's folder.

    Attributes:
        scene: server, people and entries.
        happened: the faults, as they happened.
        screens: seat to its screens at the end of each round.
        head: of the contest's record, when it is over.
        lasted: seconds of the contest that were played.
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
        server = MortalServer(folder, settings, schedule, program, begins, sides, self._hear)
        self.scene = Scene(server, schedule)
        self.happened: list[Happened] = []
        self.screens: dict[str, Screens] = defaultdict(dict)
        self.head = ""
        self.lasted = 0.0
        self._cast, self._seed, self._tell = cast, seed, tell
        self._rng = random.Random(f"{seed}/faults")
        self._planned = plan(faults, len(schedule.rounds), self._rng)
        self._injecting: list[asyncio.Task[None]] = []

    async def play(self, scratch: Path) -> None:
        """Plays the contest.

        Arguments:
            scratch: a folder for what consoles and links keep.

        Raises:
            Broken: if a player dies by itself, or the contest does not end.
        """
        scene, server, settings = self.scene, self.scene.server, self.settings
        self.clock.now()  # which begins with the contest
        await server.start()
        async with AsyncExitStack() as stack:
            stack.push_async_callback(server.end)
            for table in settings.entry:
                program = self._cast.program(table)
                connect = partial(server.connect_link, table.id)
                entry = Entry(table.id, program, connect, scratch / "links")
                scene.entries[table.id] = await stack.enter_async_context(entry.opened())
            judges = [judge.id for judge in settings.judge]
            confederates = [confederate.id for confederate in settings.confederate]
            for seat, person in scripted_people(judges, confederates, self._seed).items():
                dial = partial(server.connect_seat, seat)
                make = partial(self._cast.console, seat, dial, scratch / "seats" / seat)
                sitter = scene.sitters[seat] = Sitter(seat, person, make)
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
            heard = [sitter.playing for sitter in scene.sitters.values() if sitter.playing]
            _, deaf = await asyncio.wait(heard, timeout=SLACK)
            if deaf:
                raise Broken("not everybody hears that the contest is over")
            self._tell(self.clock.now(), "the contest is over")

    async def _watch(self) -> None:
        """Raises Broken when a player dies that no fault has killed."""
        while True:
            await asyncio.sleep(LOOK)
            tasks = [each.playing for each in self.scene.entries.values()]
            tasks += [each.playing for each in self.scene.sitters.values()]
            for task in filter(None, [*self._injecting, *tasks]):
                if task.done() and not task.cancelled() and (failed := task.exception()):
                    raise Broken(f"{task.get_name()} has died: {failed!r}") from failed

    def _hear(self, event: Event) -> None:
        self.lasted = now = self.clock.now()
        body = event.body
        match event.kind:
            case "trouble":
                self.scene.troubles[body["where"]].append(body["what"])
            case "round-opened":
                for entry in self.scene.entries.values():
                    entry.directory.mark = f"{body['round']}.{body['attempt']}"
            case "round-started":
                self._tell(now, f"round {body['round']} begins")
                faults = [each for each in self._planned if each.round == body["round"]]
                self._injecting.append(asyncio.create_task(self._inject(faults), name="a fault"))
            case "round-closed":
                for sitter in self.scene.sitters.values():
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
                lasts = min(LASTS, length * PART)
                who, words = await planned.fault.happen(self.scene, self._rng, lasts)
            except (LeftOut, NotOvercome) as exc:
                words, came = str(exc), LEFT_OUT if isinstance(exc, LeftOut) else BAD
            self._note(planned, at, who, words, came)

    def _played(self, length: float) -> float | None:
        """Seconds of the interaction that were played; None when it is over."""
        if not self.scene.server.alive:
            return 0.0
        playing = self.scene.phase in (Phase.INTERACTION, Phase.PAUSED)
        return length - self.scene.remaining if playing else None

    def _note(self, planned: Planned, at: float, who: str, words: str, came: str) -> None:
        happened = Happened(planned.fault.id, planned.round, round(at, 1), who, words, came)
        self.happened.append(happened)
        self._tell(self.clock.now(), f"{came}: {words}")

    async def _no_more_faults(self) -> None:
        for task in self._injecting:
            await ended(task)
        for planned in self._planned:
            self._note(planned, 0.0, "", "its round was never begun", LEFT_OUT)
