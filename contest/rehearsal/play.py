"""The rehearsal itself: a contest on the virtual clock, with its organizer, people, programs and
faults."""

from __future__ import annotations

import asyncio
import datetime as dt
import enum
import random
import time
from collections import defaultdict
from collections.abc import Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import scheduler
from contest.history import timeline
from contest.history.publication import Published
from contest.history.tallying import tally_of
from contest.record.bodies import RoundClosed, RoundStarted, Trouble, from_json
from contest.record.events import Event
from contest.rehearsal.cast import Cast
from contest.rehearsal.chair import Chair, Screens
from contest.rehearsal.entry import Entry
from contest.rehearsal.faults import Fault, LeftOut, NotOvercome
from contest.rehearsal.loop import ended
from contest.rehearsal.planned import Planned, lasts, plan
from contest.rehearsal.server import Server
from contest.results.finality import still_open
from contest.scripted import Person, scripted_confederates, scripted_judges
from contest.setup.settings import Settings
from contest.state.phases import Phase
from lpp.clock import LoopClock

#: Seconds between two looks of the organizer.
LOOK = 1.0
#: Seconds that the organizer leaves between two rounds, and before a round goes on after a pause.
BREAK, RESUME = 30.0, 10.0
#: Where chance comes from, beside the seed: another one for each use.
_SIDES, _FAULTS = "sides", "faults"
#: Seconds of the contest, for each round and at the end, beyond what all is set to take: who is
#: not done by then never will be.
SLACK = 1800.0


class Broken(Exception):
    """The rehearsal can't go on: something has died that was not to die, or never ends."""


class Came(enum.Enum):
    """What came of a fault."""

    OVERCOME = "overcome"
    BAD = "not overcome"
    LEFT_OUT = "left out"


@dataclass(frozen=True, slots=True)
class Happened:
    """A fault that happened, or could not.

    Attributes:
        fault: which.
        round: in which round.
        at: seconds of its interaction that had been played.
        who: whom it befell.
        words: what came of it, or why it could not happen.
        came: the same in a word.
    """

    fault: Fault
    round: int
    at: float
    who: str
    words: str
    came: Came


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
        self.lasted = 0.0
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
        self.clock.now()  # which begins with the contest
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
            stack.push_async_callback(ended, organizer)
            stack.push_async_callback(self._no_more_faults)
            watching = asyncio.create_task(self._watch(), name="watch")
            stack.push_async_callback(ended, watching)
            played = asyncio.create_task(self.server.played(), name="play")
            stack.push_async_callback(ended, played)
            await asyncio.wait(
                {organizer, watching, played},
                timeout=self._longest(),
                return_when=asyncio.FIRST_COMPLETED,
            )
            for task in (organizer, watching, played):
                if task.done():
                    task.result()
            if not played.done():
                raise Broken("the contest does not come to its end")
            self.head = played.result()
            await self._everybody_heard()
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

    def _longest(self) -> float:
        """Seconds of the contest that it may take at most."""
        rules = self.settings.rules
        round_ = (rules.interaction_minutes + rules.scoring_minutes) * 60 + SLACK
        return rules.rounds * round_ + rules.ranking_minutes * 60 + SLACK

    async def _everybody_heard(self) -> None:
        """Waits until everybody has heard that the contest is over.

        Raises:
            Broken: if somebody does not.
        """
        try:
            async with asyncio.timeout(SLACK):
                await asyncio.gather(*(chair.played() for chair in self.chairs.values()))
        except TimeoutError:
            raise Broken("not everybody hears that the contest is over") from None

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
        """The organizer: starts what waits for a start when all is ready, ends the pauses that the
        contest has made by itself when their reason is gone, shows the result step by step and
        declares it final."""
        while True:
            await asyncio.sleep(LOOK)
            if not self.everybody_here():
                continue
            conductor = self.server.conductor
            if self._to_start():
                await asyncio.sleep(BREAK)
                if self._to_start():
                    self.server.conductor.start()
            elif self._to_resume():
                await asyncio.sleep(RESUME)
                if self._to_resume():
                    self.server.conductor.resume()
            elif conductor.ending.left:
                await conductor.reveal(everything=False)
            elif conductor.ending.state == "provisional":
                view = timeline.view_of(Published(self.server.stage.record.log()))
                await conductor.declare_final(
                    "rehearsed", still_open(view, tally_of(view)), anyway=True
                )

    def _to_start(self) -> bool:
        server = self.server
        return (
            self.everybody_here()
            and server.conductor.waits
            and all(each.ok for each in server.stage.overview.check())
        )

    def _to_resume(self) -> bool:
        paused = self.server.conductor.status().phase is Phase.PAUSED
        return self.everybody_here() and paused and not self.server.journal.full

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
            died = {entry.id: entry.failed for entry in self.entries.values()}
            died |= {chair.seat: chair.failed for chair in self.chairs.values()}
            for who, failed in died.items():
                if failed is not None:
                    raise Broken(f"{who} has died: {failed!r}") from failed

    def _hear(self, event: Event) -> None:
        self.lasted = self.clock.now()
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
            # The round's own time: it can stand still, and no event tells how it goes.
            while (at := self._played(length)) is not None and at < planned.at * length:  # noqa: ASYNC110
                await asyncio.sleep(LOOK)
            if at is None:
                over = "the round was over before it could happen"
                self._note(planned, length, "", over, Came.LEFT_OUT)
                continue
            self._tell(self.clock.now(), f"fault: {planned.fault.what}")
            try:
                outcome = await planned.fault.happen(self, self._rng, lasts(length))
            except LeftOut as exc:
                self._note(planned, at, "", str(exc), Came.LEFT_OUT)
            except NotOvercome as exc:
                self._note(planned, at, "", str(exc), Came.BAD)
            else:
                self._note(planned, at, outcome.who, outcome.words, Came.OVERCOME)

    def _played(self, length: float) -> float | None:
        """Seconds of the interaction that were played; None when it is over."""
        if not self.server.alive:
            return 0.0
        status = self.server.conductor.status()
        if status.phase not in (Phase.INTERACTION, Phase.PAUSED) or status.remaining is None:
            return None
        return length - status.remaining

    def _note(self, planned: Planned, at: float, who: str, words: str, came: Came) -> None:
        self.happened.append(Happened(planned.fault, planned.round, at, who, words, came))
        self._tell(self.clock.now(), f"{came.value}: {words}")

    async def _no_more_faults(self) -> None:
        for task in self._injecting:
            await ended(task)
        for planned in self._planned:
            self._note(planned, 0.0, "", "its round was never begun", Came.LEFT_OUT)


def _begins(settings: Settings) -> dt.datetime:
    day = settings.contest.date or dt.date(2010, 10, 23)
    return dt.datetime.combine(day, settings.contest.start or dt.time(9, 30), dt.UTC)
