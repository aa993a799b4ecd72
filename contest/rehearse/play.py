"""A rehearsal: a contest on the virtual clock, with its organizer, people, programs and faults."""

from __future__ import annotations

import asyncio
import datetime as dt
import logging
import random
import re
import shutil
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable
from contextlib import AsyncExitStack
from pathlib import Path

import msgspec

import scheduler
from contest.errors import BadSettings, Surroundings
from contest.history import timeline
from contest.history.publication import Published
from contest.history.tallying import tally_of
from contest.live import decisions
from contest.live.standing import FILE_NAME as CLOCK
from contest.record import reading
from contest.record.events import Event
from contest.rehearse import loop
from contest.rehearse.cast import Cast, Chair, Screens
from contest.rehearse.entry import Entry
from contest.rehearse.faults import LASTS, PART, Fault, LeftOut, NotOvercome, Planned, Scene, plan
from contest.rehearse.loop import ended
from contest.rehearse.report import (
    BAD,
    LEFT_OUT,
    OVERCOME,
    Check,
    Facts,
    Happened,
    Report,
    checks,
)
from contest.rehearse.server import Server
from contest.results.finality import still_open
from contest.results.published import verify_all
from contest.scripted import scripted_confederates, scripted_judges
from contest.setup import folder as folders
from contest.setup.planning import schedule_of
from contest.setup.settings import FILE_NAME, Settings, load, parse
from contest.state.phases import Phase
from lpp.clock import LoopClock
from lpp.directory import rooms_parent

#: Seconds between two looks of the organizer.
LOOK = 1.0
#: Seconds that the organizer leaves between two rounds, and before a round goes on after a pause.
BREAK, RESUME = 30.0, 10.0
#: Seconds of the contest, for each round and at the end, beyond what everything is set to take.
SLACK = 1800.0


class Broken(Exception):
    """The rehearsal can't go on: something has died that was not to die, or never ends."""


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
        make_cast: who plays, by settings and seed.
        faults: what is to happen.
        seed: with the same seed the same happens again.
        program: name and version of what plays it, for the record.
        out: where the rehearsal's own contest folder is left, new or empty; None leaves none.
        tell: told in words how it goes on, with the seconds of the contest since the beginning.

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
        facts = Facts(reading.log(copy), [entry.id for entry in settings.entry])
        verification = verify_all(copy, rehearsal.head or None)
        found = [
            Check("end", not broken, broken or "the contest was played to its end"),
            *checks(
                *(facts, verification, scene.chairs, rehearsal.screens),
                *(scene.entries, rehearsal.happened),
            ),
        ]
        if out is not None:
            _keep(copy, out)
    return Report(
        ok=all(check.ok for check in found),
        contest=settings.contest.name,
        seed=seed,
        entries={entry.id: entry.program.name for entry in scene.entries.values()},
        rounds=facts.rounds,
        faults=rehearsal.happened,
        checks=found,
        contest_seconds=round(rehearsal.lasted, 1),
        real_seconds=round(time.perf_counter() - began, 1),
        events=facts.view.events,
        head=rehearsal.head,
        folder=None if out is None else str(out),
    )


def _copied(folder: Path, settings: Settings, copy: Path) -> Settings:
    """Copies a contest's settings, and the schedule that they name, without their record.

    Returns:
        The settings of the copy.

    Raises:
        BadSettings: if the record's place can't be taken out of them.
    """
    text = (folder / FILE_NAME).read_text(encoding="utf-8-sig")
    text = re.sub(r"^(\s*(?:database|copy_to)\s*=).*$", r'\1 ""', text, flags=re.MULTILINE)
    rehearsed = parse(text, str(folder / FILE_NAME))
    # No line of a text in it may have been taken for an option.
    if rehearsed != msgspec.structs.replace(settings, record=type(settings.record)()):
        raise BadSettings(
            f"{folder / FILE_NAME}: write `database = …` and `copy_to = …` on lines of their own "
            "in [record], and nowhere else: a rehearsal has a record of its own"
        )
    folders.make(copy, text)
    if settings.rules.schedule:
        file = copy / Path(settings.rules.schedule).name
        shutil.copyfile(folder / settings.rules.schedule, file)
    return rehearsed


def _keep(copy: Path, out: Path) -> None:
    try:
        leave = shutil.ignore_patterns("*-lock", "*.lock", CLOCK)
        shutil.copytree(copy, out, dirs_exist_ok=True, ignore=leave)
    except (OSError, shutil.Error) as exc:
        reason = getattr(exc, "strerror", None) or exc
        raise Surroundings(f"{out}: can't be written ({reason})") from exc


class Rehearsal:
    """A contest with scripted people, on the running loop, which is to be a `VirtualLoop`.

    Arguments:
        folder: the contest's folder; the record goes there.
        settings, schedule: the contest's.
        cast: who plays.
        faults: what is to happen.
        seed: with the same seed the same happens again.
        program: name and version of what plays it, for the record.
        tell: told in words how it goes on, with the seconds since the beginning.

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
        self.server = Server(folder, settings, schedule, program, begins, sides, self._hear)
        self.scene = Scene(self.server, schedule)
        self.happened: list[Happened] = []
        self.screens: dict[str, Screens] = defaultdict(dict)
        self.head = ""
        self.lasted = 0.0
        self._cast, self._seed = cast, seed
        self._rng = random.Random(f"{seed}/faults")
        self._planned = plan(faults, len(schedule.rounds), self._rng)
        self._injecting: list[asyncio.Task[None]] = []
        self._tell = tell

    async def play(self, scratch: Path) -> None:
        """Plays it all.

        Arguments:
            scratch: a folder for what consoles and links keep.

        Raises:
            Broken: if something dies that is not to die.
        """
        self.clock.now()  # which begins with the contest
        await self.server.start()
        async with AsyncExitStack() as stack:
            stack.push_async_callback(self.server.end)
            for table in self.settings.entry:
                entry = Entry(
                    *(table.id, self._cast.program(table)),
                    *(self.server.link, scratch / "links"),
                )
                self.scene.entries[table.id] = await stack.enter_async_context(entry.opened())
            judges = [judge.id for judge in self.settings.judge]
            confederates = [confederate.id for confederate in self.settings.confederate]
            people = [
                *scripted_judges(len(judges), self._seed),
                *scripted_confederates(len(confederates), self._seed),
            ]
            for seat, person in zip([*judges, *confederates], people, strict=True):
                chair = Chair(
                    *(seat, person, self._cast.console, self.server.sit),
                    *(scratch / "seats" / seat, self.clock),
                )
                self.scene.chairs[seat] = chair
                await chair.sit()
                stack.push_async_callback(chair.leave)
            tasks = [
                asyncio.create_task(work, name=name)
                for name, work in (
                    ("organizer", self._organize()),
                    ("watch", self._watch()),
                    ("play", self.server.played()),
                )
            ]
            for task in tasks:
                stack.push_async_callback(ended, task)
            stack.push_async_callback(self._no_more_faults)
            rules = self.settings.rules
            round_ = (rules.interaction_minutes + rules.scoring_minutes) * 60 + SLACK
            longest = rules.rounds * round_ + rules.ranking_minutes * 60 + SLACK
            done, _ = await asyncio.wait(
                tasks, timeout=longest, return_when=asyncio.FIRST_COMPLETED
            )
            for task in done:
                self.head = task.result() or ""
            if not done:
                raise Broken("the contest does not come to its end")
            heard = [chair.playing for chair in self.scene.chairs.values() if chair.playing]
            _, deaf = await asyncio.wait(heard, timeout=SLACK)
            if deaf:
                raise Broken("not everybody hears that the contest is over")
            self._tell(self.clock.now(), "the contest is over")

    async def _organize(self) -> None:
        """The organizer: starts what waits for a start when all is ready, ends the pauses that the
        contest has made by itself when their reason is gone, shows the result step by step and
        declares it final."""
        while True:
            await asyncio.sleep(LOOK)
            if not self.scene.everybody_here():
                continue
            conductor = self.server.conductor
            if self._to_start():
                await asyncio.sleep(BREAK)
                if self._to_start():
                    self.server.conductor.start()
            elif self._to_resume():
                await asyncio.sleep(RESUME)
                if self._to_resume():
                    self.server.conductor.order(decisions.resume)
            elif decisions.steps_left(conductor.state):
                conductor.order(decisions.reveal, everything=False)
            elif decisions.result_state(conductor.state) == "provisional":
                view = timeline.view_of(Published(self.server.stage.record.log()))
                missing = still_open(view, tally_of(view))
                conductor.order(decisions.declare_final, "rehearsed", missing, anyway=True)

    def _to_start(self) -> bool:
        server = self.server
        return (
            self.scene.everybody_here()
            and server.conductor.waits
            and all(each.ok for each in server.stage.overview.check())
        )

    def _to_resume(self) -> bool:
        paused = self.server.conductor.status().phase is Phase.PAUSED
        return self.scene.everybody_here() and paused and not self.server.journal.full

    async def _watch(self) -> None:
        """Watches that everything lives that is to live.

        Raises:
            Broken: if something has died by itself.
        """
        while True:
            await asyncio.sleep(LOOK)
            tasks = [("a fault", task) for task in self._injecting]
            tasks += [(each.id, each.life) for each in self.scene.entries.values() if each.life]
            for chair in self.scene.chairs.values():
                tasks += [(chair.seat, chair.playing)] if chair.playing else []
            for who, task in tasks:
                if task.done() and not task.cancelled() and (failed := task.exception()):
                    raise Broken(f"{who} has died: {failed!r}") from failed

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
                self._injecting.append(asyncio.create_task(self._inject(faults), name="faults"))
            case "round-closed":
                for chair in self.scene.chairs.values():
                    self.screens[chair.seat] |= chair.screens()
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
            lasts = min(LASTS, length * PART)
            try:
                who, words = await planned.fault.happen(self.scene, self._rng, lasts)
            except LeftOut as exc:
                self._note(planned, at, "", str(exc), LEFT_OUT)
            except NotOvercome as exc:
                self._note(planned, at, "", str(exc), BAD)
            else:
                self._note(planned, at, who, words, OVERCOME)

    def _played(self, length: float) -> float | None:
        """Seconds of the interaction that were played; None when it is over."""
        if not self.server.alive:
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
