"""The rehearsal itself: a contest on the virtual clock, with an organizer, people, programs, faults."""

from __future__ import annotations

import asyncio
import contextlib
import datetime as dt
import random
import time
from collections import defaultdict
from collections.abc import Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import scheduler
from contest.bodies import RoundClosed, RoundStarted, Trouble, from_json
from contest.events import Event
from contest.people import Person, scripted_confederates, scripted_judges
from contest.phases import Phase
from contest.rehearsal.cast import Cast
from contest.rehearsal.chair import Chair, Screens
from contest.rehearsal.entry import Entry
from contest.rehearsal.faults import Fault, NotOvercome, Planned, lasts, plan
from contest.rehearsal.server import Server
from contest.settings import Settings
from lpp.clock import LoopClock

#: Seconds between two looks of the organizer.
LOOK = 1.0
#: Seconds that the organizer leaves between two rounds, and before a round goes on after a pause.
BREAK, RESUME = 30.0, 10.0
#: Where chance comes from, beside the seed: another one for each use.
_SIDES, _FAULTS = "sides", "faults"


class Broken(Exception):
    """The rehearsal can't go on: something has died that was not to die."""


@dataclass(frozen=True, slots=True)
class Happened:
    """A fault that happened, or could not.

    Attributes:
        fault: which.
        round: in which round.
        at: seconds of its interaction that had been played.
        who: whom it befell.
        words: what came of it.
        overcome: whether it was overcome.
    """

    fault: Fault
    round: int
    at: float
    who: str
    words: str
    overcome: bool


class Rehearsal:
    """A contest with scripted people, on the running loop, which is to be a `VirtualLoop`.

    Arguments:
        folder: the contest's folder; the record goes there.
        settings: its settings.
        schedule: who meets whom.
        cast: who plays.
        faults: what is to happen.
        seed: with the same seed the same happens again.
        program: name and version of what plays it, for the record.
        tell: told in words how it goes on, with the seconds since the beginning.

    Attributes:
        happened: the faults, as they happened.
        screens: seat to what stood on its screen at the end of each round.
        troubles: place to the troubles of it that are on record.
        head: of the contest's record, when it is over.
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
        tell: Callable[[float, str], None] = lambda seconds, words: None,
    ) -> None:
        self.folder = folder
        self.settings = settings
        self.schedule = schedule
        self.clock = LoopClock()
        self.server = Server(
            *(folder, settings, schedule, program, _begins(settings)),
            *(random.Random(f"{seed}/{_SIDES}"), self._hear),
        )
        self.chairs: dict[str, Chair] = {}
        self.entries: dict[str, Entry] = {}
        self.happened: list[Happened] = []
        self.screens: dict[str, Screens] = defaultdict(dict)
        self.troubles: dict[str, list[str]] = defaultdict(list)
        self.head = ""
        self._cast, self._seed = cast, seed
        self._rng = random.Random(f"{seed}/{_FAULTS}")
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
        await self.server.start()
        async with AsyncExitStack() as stack:
            stack.push_async_callback(self.server.end)
            for table in self.settings.entry:
                entry = Entry(
                    *(table.id, self._cast.program(table)),
                    *(partial(self.server.link, table.id), scratch / "links"),
                )
                self.entries[table.id] = await stack.enter_async_context(entry)
            for seat, person in self._people().items():
                chair = Chair(
                    *(seat, person, self._cast.console, self.server.sit),
                    *(scratch / "seats" / seat, self.clock),
                )
                self.chairs[seat] = chair
                await chair.sit()
                stack.push_async_callback(chair.leave)
            organizer = asyncio.create_task(self._organize(), name="organizer")
            stack.push_async_callback(_ended, organizer)
            stack.push_async_callback(self._no_more_faults)
            watching = asyncio.create_task(self._watch(), name="watch")
            stack.push_async_callback(_ended, watching)
            played = asyncio.create_task(self.server.played(), name="play")
            stack.push_async_callback(_ended, played)
            done, _ = await asyncio.wait(
                {organizer, watching, played}, return_when=asyncio.FIRST_COMPLETED
            )
            for task in done:
                task.result()
            self.head = played.result()
            await asyncio.gather(*(chair.played() for chair in self.chairs.values()))
            self._tell(self.clock.now(), "the contest is over")

    # What faults look at

    def pairings(self) -> tuple[scheduler.Pairing, ...]:
        """Who plays in the round that is on."""
        return tuple(self.schedule.rounds[self.server.conductor.status().round - 1])

    def everybody_here(self) -> bool:
        """Whether a console sits at each seat, and each link is here."""
        server = self.server
        return (
            server.alive
            and server.conductor.seats.everybody_here()
            and all(link.here for link in server.links.values())
        )

    async def rebuild(self) -> tuple[int, float]:
        """Builds a server anew from the record.

        Returns:
            How many events the record held, and how many seconds of real time it took.
        """
        began = time.perf_counter()
        await self.server.start()
        return self.server.taken_up, time.perf_counter() - began

    # What goes on

    def _people(self) -> dict[str, Person]:
        judges = [judge.id for judge in self.settings.judge]
        confederates = [confederate.id for confederate in self.settings.confederate]
        return {
            **dict(zip(judges, scripted_judges(len(judges), self._seed), strict=True)),
            **dict(
                zip(confederates, scripted_confederates(len(confederates), self._seed), strict=True)
            ),
        }

    async def _organize(self) -> None:
        """The organizer: starts what waits for a start when all are here, and ends pauses that the
        contest made by itself when their reason is gone."""
        while True:
            await asyncio.sleep(LOOK)
            server = self.server
            if not server.alive or not self.everybody_here():
                continue
            if server.conductor.waits:
                await asyncio.sleep(BREAK)
                if server.alive and server.conductor.waits and self.everybody_here():
                    server.conductor.start()
            elif server.conductor.status().phase is Phase.PAUSED and not server.journal.full:
                await asyncio.sleep(RESUME)
                if server.alive and server.conductor.status().phase is Phase.PAUSED:
                    server.conductor.resume()

    async def _watch(self) -> None:
        """Looks whether all live that are to live.

        Raises:
            Broken: if one of them has died by itself.
        """
        while True:
            await asyncio.sleep(LOOK)
            for task in self._injecting:
                if task.done():
                    task.result()
            for each in (*self.entries.values(), *self.chairs.values()):
                if each.failed is not None:
                    who = each.id if isinstance(each, Entry) else each.seat
                    raise Broken(f"{who} has died: {each.failed!r}") from each.failed

    def _hear(self, event: Event) -> None:
        if event.talk is not None:
            return
        body = from_json(event.kind, event.body)
        match body:
            case Trouble():
                self.troubles[body.where].append(body.what)
            case RoundStarted():
                self._tell(self.clock.now(), f"round {body.round} begins")
                faults = [each for each in self._planned if each.round == body.round]
                if faults:
                    injecting = asyncio.create_task(self._inject(faults), name="faults")
                    self._injecting.append(injecting)
            case RoundClosed():
                for chair in self.chairs.values():
                    self.screens[chair.seat] |= chair.screens()
                self._tell(self.clock.now(), f"round {body.round} is closed")
            case _:
                pass
        if event.kind == "round-opened":
            for entry in self.entries.values():
                entry.directory.mark = f"{event.body['round']}.{event.body['attempt']}"

    async def _inject(self, faults: list[Planned]) -> None:
        length = self.settings.rules.interaction_minutes * 60
        for planned in faults:
            self._planned.remove(planned)
            while (at := self._played(length)) is not None and at < planned.at * length:
                await asyncio.sleep(LOOK)
            if at is None:
                self._note(planned, length, "nobody", "the round was over before it could", False)
                continue
            self._tell(self.clock.now(), f"fault: {planned.fault.what}")
            try:
                outcome = await planned.fault.happen(self, self._rng, lasts(length))
            except NotOvercome as exc:
                self._note(planned, at, "", str(exc), False)
            else:
                self._note(planned, at, outcome.who, outcome.words, True)

    def _played(self, length: float) -> float | None:
        """Seconds of the interaction that were played; None when it is over."""
        if not self.server.alive:
            return 0.0
        status = self.server.conductor.status()
        if status.phase not in (Phase.INTERACTION, Phase.PAUSED) or status.remaining is None:
            return None
        return length - status.remaining

    def _note(self, planned: Planned, at: float, who: str, words: str, overcome: bool) -> None:
        happened = Happened(planned.fault, planned.round, at, who, words, overcome)
        self.happened.append(happened)
        self._tell(self.clock.now(), f"{'overcome' if overcome else 'NOT overcome'}: {words}")

    async def _no_more_faults(self) -> None:
        for task in self._injecting:
            await _ended(task)
        for planned in self._planned:
            self._note(planned, 0.0, "", "its round was never begun", False)


def _begins(settings: Settings) -> dt.datetime:
    day = settings.contest.date or dt.date(2010, 10, 23)
    return dt.datetime.combine(day, settings.contest.start or dt.time(9, 30), dt.UTC)


async def _ended(task: asyncio.Task[object]) -> None:
    task.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await task
