"""A contest that runs in a separate thread, for windows in the main one."""

from __future__ import annotations

import asyncio
import random
import threading
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path

from contest.live.conductor import Conductor
from contest.organizer.scripted import organize
from contest.scripted import Person, scripted_people
from contest.serving.server import Server
from contest.serving.set_up import set_up
from contest.setup import folder as folders
from contest.setup.planning import schedule_of
from contest.setup.settings import Settings, load, parse
from judge_console.client import SeatClient
from loebner.demo_windows import people_of
from lpp.clock import Clock
from scripts.pictures.clock import LeapingClock

#: The schedule for two of each kind. They can't all meet, so the scheduler refuses to make one.
TWO = ("Round 1 J1E1C1 J2E2C2", "Round 2 J1E2C2 J2E1C1")
#: The time limit in seconds for the start of all programs, and for the end of the contest.
PATIENCE = 60.0
SCHEDULE = "schedule.txt"


class RunningContest:
    """A contest like the demo's, with as many judges, entries and confederates as rounds.

    Arguments:
        folder: the contest's folder to make; new or empty.
        rounds: how many, 1 to 4.
        speed: seconds of contest time in a second.
        seed: draws the sides, and what people and bots say.

    Attributes:
        settings: the contest's settings.
        clock: its clock.
        stage: the contest's server; once it is set, only `act` may use it.
    """

    def __init__(self, folder: Path, rounds: int, speed: float, seed: int) -> None:
        folders.make(folder, settings_text(rounds, speed, seed))
        if rounds <= len(TWO):
            (folder / SCHEDULE).write_text("\n".join(TWO[:rounds]) + "\n", encoding="ascii")
        self.folder = folder
        self.settings: Settings = load(folder)
        self.clock = LeapingClock(speed)
        self.speed, self.seed = speed, seed
        self.stage: Server | None = None
        self._ready = threading.Event()
        self._error: BaseException | None = None
        # A daemon, so that a contest that hangs can't keep the program from ending.
        self._thread = threading.Thread(target=self._run, name="contest", daemon=True)

    def begin(self) -> None:
        """Starts setting up the contest; returns at once."""
        self._thread.start()

    @property
    def ready(self) -> bool:
        """Whether people can join.

        Raises:
            Exception: the error that ended the contest early, if any.
        """
        self.check()
        return self._ready.is_set()

    @property
    def over(self) -> bool:
        """Whether it has ended."""
        self.check()
        return not self._thread.is_alive()

    def check(self) -> None:
        """Raises the error that ended the contest early, if any."""
        if self._error is not None:
            raise self._error

    def seat_the_others(self) -> None:
        """Seats scripted people at all seats without a window."""
        self._loop.call_soon_threadsafe(self._others.set)

    def act(self, what: Callable[[Conductor], None]) -> None:
        """Performs an organizer's action in the contest's thread."""
        stage = self.stage
        assert stage is not None

        async def do() -> None:
            what(stage.conductor)

        asyncio.run_coroutine_threadsafe(do(), self._loop).result(PATIENCE)

    def leap(self, seconds: float) -> None:
        """Advances the clock by some seconds of contest time."""
        self._loop.call_soon_threadsafe(self.clock.leap, seconds)

    def end(self) -> None:
        """Ends the contest at any point."""
        if self._thread.is_alive():
            self._ready.wait(PATIENCE)
            self._loop.call_soon_threadsafe(self._leave.set)
            self._thread.join(PATIENCE)

    # In the thread

    def _run(self) -> None:
        try:
            asyncio.run(self._live())
        except BaseException as exc:  # noqa: BLE001 -- it is raised again in the main thread
            self._error = exc
        finally:
            self._ready.set()

    async def _live(self) -> None:
        self._loop, self._leave = asyncio.get_running_loop(), asyncio.Event()
        self._others = asyncio.Event()
        playing = asyncio.create_task(self._play())
        leaving = asyncio.create_task(self._leave.wait())
        await asyncio.wait([playing, leaving], return_when=asyncio.FIRST_COMPLETED)
        for task in (playing, leaving):
            task.cancel()
        await asyncio.wait([playing, leaving])
        if not playing.cancelled():
            await playing

    async def _play(self) -> None:
        async with set_up(
            self.folder,
            self.settings,
            schedule_of(self.settings, self.folder),
            self.clock,
            program=f"loebner {version('loebner')} screenshots, seed {self.seed}",
            rng=random.Random(self.seed),
        ) as stage:
            self.stage = stage
            self._ready.set()
            with_window = people_of(self.seed)
            async with asyncio.TaskGroup() as tasks:
                organizing = tasks.create_task(organize(lambda: stage, "for the pictures"))
                playing = tasks.create_task(stage.play())
                playing.add_done_callback(lambda _: organizing.cancel())
                await self._others.wait()
                for seat, person in cast(self.settings, self.seed).items():
                    if seat not in with_window:
                        tasks.create_task(sit(stage, seat, person, self.clock))


def cast(settings: Settings, seed: int) -> dict[str, Person]:
    """A scripted person for each seat of a contest."""
    judges = [judge.id for judge in settings.judge]
    confederates = [confederate.id for confederate in settings.confederate]
    return scripted_people(judges, confederates, seed)


async def sit(stage: Server, seat: str, person: Person, clock: Clock) -> None:
    """Plays a seat with a scripted person, over a socket, until the contest ends."""
    async with SeatClient(
        f"ws://{stage.address}/seat", stage.codes[seat], client="scripted person"
    ) as client:
        await person.play(client, clock)


def settings_text(rounds: int, speed: float, seed: int) -> str:
    """A contest.toml based on the template, with fewer people and rounds.

    Arguments:
        rounds: the number of rounds, and of judges, entries and confederates, of whom there are at
            least two.
        speed, seed: options for the entries.
    """
    whole = parse(folders.template())
    tables = [
        f'[contest]\nname = "{whole.contest.name}"\n',
        f'[rules]\nrounds = {rounds}\nschedule = "{SCHEDULE if rounds <= len(TWO) else ""}"\n',
        # Scripted people don't answer the question of consent, and have no secrets.
        '[publication]\ndefault = "publish"\n',
    ]
    for kind in ("judge", "confederate"):
        for each in getattr(whole, kind)[: max(2, rounds)]:
            tables.append(f'[[{kind}]]\nid = "{each.id}"\nname = "{each.name}"\n')
    for entry in whole.entry[: max(2, rounds)]:
        options = f"--speed {speed:g} --seed {seed} --clock 2010-10-23T09:30:00"
        command = entry.command.replace("--dir", f"{options} --dir")
        tables.append(
            f'[[entry]]\nid = "{entry.id}"\nname = "{entry.name}"\n'
            f'entrant = "{entry.entrant}"\ncommand = "{command}"\n'
        )
    return "\n".join(tables)
