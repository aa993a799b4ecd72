"""How the demo plays: a contest's folder, its server, people at the seats, windows in a program of
their own, and what is told in the end.

The windows have a process of their own: one that has trouble does not disturb the contest.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import random
import shlex
import subprocess
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

import msgspec
from rich.console import Console
from rich.table import Table
from rich.text import Text

import scheduler
from contest.ending import end_on_terminate
from contest.errors import Surroundings
from contest.organizer.organizing import organize
from contest.scripted import Person, scripted_confederates, scripted_judges
from contest.serving.server import Server
from contest.serving.set_up import set_up
from contest.setup import folder as folders
from contest.setup.planning import schedule_of
from contest.setup.settings import Settings, load
from judge_console.client import SeatClient
from loebner.progress import progress
from lpp.clock import Clock, LoopClock

#: Seconds of real time between two pictures of what goes on.
PICTURE = 0.1
#: Seconds of real time that programs have to say that they are ready.
READY = 10.0
#: What the windows' program prints when they can be seen.
SHOWN = "windows"
#: Seconds that the windows may take to be there, and to be gone.
COMING, GOING = 30.0, 10.0


def play(
    folder: Path, seed: int, speed: float, console: Console, windows: Sequence[str] = ()
) -> dict[str, Any]:
    """Plays a contest of 2010 with bundled entries and scripted people, and tells how it ended.

    Arguments:
        folder: the contest folder to make; new or empty.
        seed: draws sides, and what people and bots say.
        speed: seconds of contest time in a second.
        console: where progress is shown.
        windows: the program that opens windows for two judges and a confederate; empty for none.

    Returns:
        The results, as `results.json` has them.

    Raises:
        YoursToFix: if the folder is not empty.
        Surroundings: if the windows can't be opened.
    """
    text = folders.template().replace(" --dir {dir}", f" --dir {{dir}} --speed {speed:g}")
    text = text.replace(" --dir {dir}", f" --seed {seed} --clock 2010-10-23T09:30:00 --dir {{dir}}")
    # Scripted people give no answer, and have nothing to keep to themselves.
    text = text.replace('default = "withhold"', 'default = "publish" ')
    folders.make(folder, text)
    settings = load(folder)
    schedule = schedule_of(settings, folder)
    shown: list[WindowsProcess] = []
    try:
        asyncio.run(_play(folder, settings, schedule, seed, speed, console, windows, shown))
        text = (folder / "results.json").read_text(encoding="utf-8")
        document: dict[str, Any] = json.loads(text)
        tell(document, folder, console)
        if shown and shown[0].running and console.is_terminal:
            console.print("\nClose the windows to end, or press Ctrl-C.")
            shown[0].wait()
    except asyncio.CancelledError:
        raise KeyboardInterrupt from None
    finally:
        for each in shown:
            each.stop()
    return document


async def _play(
    folder: Path,
    settings: Settings,
    schedule: scheduler.Schedule,
    seed: int,
    speed: float,
    console: Console,
    windows: Sequence[str],
    windows_shown: list[WindowsProcess],
) -> None:
    end_on_terminate()
    clock = LoopClock(speed)
    rounds = scheduler.rounds_json(schedule)
    with progress(console, settings.as_json(), rounds) as shown:
        async with set_up(
            folder,
            settings,
            schedule,
            clock,
            program=f"loebner {version('loebner')} demo, seed {seed}",
            rng=random.Random(seed),
        ) as server:
            server.journal.watchers.append(shown.event)
            console.print(f"The server listens at {server.address}; the record is in {folder}.")
            chairs = windowed(settings, server.codes) if windows else ()
            away = {chair.seat for chair in chairs}
            if chairs:
                orders = Orders(server.address, seed, speed, chairs)
                windows_shown.append(
                    WindowsProcess(orders, folder / "logs" / "windows.log", windows)
                )
                await windows_shown[0].start()
            cast = _cast(settings, seed)
            async with asyncio.TaskGroup() as tasks:
                drawing = tasks.create_task(_draw(shown.refresh))

                def seat_people(
                    seats: Iterable[str], take_over: bool = False
                ) -> list[asyncio.Task[None]]:
                    return [
                        tasks.create_task(
                            _sit(server, seat, cast[seat], clock, take_over),
                            name=f"person at {seat}",
                        )
                        for seat in seats
                    ]

                people = seat_people(cast.keys() - away)
                # The server may not have seen yet that the windows are gone.
                replacing = tasks.create_task(
                    _replace(windows_shown, lambda: seat_people(away, take_over=True))
                )
                organizer = tasks.create_task(_organize(server))
                await server.play()
                organizer.cancel()
                await asyncio.gather(*people)
                drawing.cancel()
                replacing.cancel()


async def _organize(server: Server) -> None:
    """The organizer: begins when the programs have said that they are ready."""
    logs = [server.folder / "logs" / f"{entry}.log" for entry in server.links]
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(READY):
            while not all(log.exists() and log.stat().st_size for log in logs):  # noqa: ASYNC110
                await asyncio.sleep(PICTURE)
    await organize(lambda: server, "the demo is over")


def _cast(settings: Settings, seed: int) -> dict[str, Person]:
    """Seat to the scripted person who sits there."""
    judges = [judge.id for judge in settings.judge]
    confederates = [confederate.id for confederate in settings.confederate]
    return {
        **dict(zip(judges, scripted_judges(len(judges), seed), strict=True)),
        **dict(zip(confederates, scripted_confederates(len(confederates), seed), strict=True)),
    }


async def _replace(
    windows: Sequence[WindowsProcess], seat_people: Callable[[], Sequence[asyncio.Task[None]]]
) -> None:
    """Has scripted people sit down where windows were, if those are gone before the end."""
    # A process of its own sets no event of this loop.
    while windows and windows[0].running:  # noqa: ASYNC110
        await asyncio.sleep(PICTURE)
    if windows:
        await asyncio.gather(*seat_people())


async def _sit(server: Server, seat: str, person: Person, clock: Clock, take_over: bool) -> None:
    """A scripted person at a real seat, over a socket as a console is."""
    async with SeatClient(
        f"ws://{server.address}/seat",
        server.codes[seat],
        client="scripted person",
        take_over=take_over,
    ) as client:
        await person.play(client, clock)


async def _draw(refresh: Any) -> None:
    while True:
        refresh()
        await asyncio.sleep(PICTURE)


# Windows


@dataclass(frozen=True, slots=True)
class Chair:
    """A seat with a window.

    Attributes:
        seat: its id.
        code: its secret code.
        role: judge or confederate.
        number: which of its role it is, from 0: which scripted person sits there.
        count: how many of its role there are.
    """

    seat: str
    code: str
    role: str
    number: int
    count: int


@dataclass(frozen=True, slots=True)
class Orders:
    """What the windows' program is told, as one line of JSON on its standard input."""

    address: str
    seed: int
    speed: float
    chairs: tuple[Chair, ...]


def windowed(settings: Settings, codes: Mapping[str, str]) -> tuple[Chair, ...]:
    """Who gets a window: the first two judges and the first confederate."""
    judges = [judge.id for judge in settings.judge]
    confederates = [confederate.id for confederate in settings.confederate]
    return tuple(
        Chair(seat, codes[seat], role, number, len(seats))
        for role, seats, windows in (("judge", judges, 2), ("confederate", confederates, 1))
        for number, seat in enumerate(seats[:windows])
    )


class WindowsProcess:
    """The windows' program, running.

    Arguments:
        orders: what it is told.
        log: the file that its messages go to.
        words: the program.
    """

    def __init__(self, orders: Orders, log: Path, words: Sequence[str]) -> None:
        self._orders = orders
        self._log = log
        self._words = words
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def running(self) -> bool:
        """Whether it runs."""
        return self._process is not None and self._process.poll() is None

    async def start(self) -> None:
        """Starts it, and waits until the windows can be seen.

        Raises:
            Surroundings: if they can't be opened; the text says why.
        """
        process = self._process = self._spawn()
        assert process.stdout is not None
        word = b""
        try:
            async with asyncio.timeout(COMING):
                word = await asyncio.to_thread(process.stdout.readline)
        except TimeoutError:
            pass
        finally:
            # Who is told to end in the meantime must not wait for a program that says nothing.
            if word.strip() != SHOWN.encode():
                self.stop()
        if word.strip() != SHOWN.encode():
            said = self._log.read_text(encoding="utf-8", errors="replace").strip()
            why = said.splitlines()[-1] if said else f"no answer within {COMING:g} seconds"
            raise Surroundings(f"the windows can't be opened: {why.removeprefix('loebner: ')}")

    def _spawn(self) -> subprocess.Popen[bytes]:
        self._log.parent.mkdir(parents=True, exist_ok=True)
        with self._log.open("wb") as log:
            process = subprocess.Popen(
                self._words,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                # A Ctrl-C is the contest's, which then ends the windows in order.
                start_new_session=True,
            )
        assert process.stdin is not None
        # One short line fits into any pipe; a program that does not read it gives no answer.
        with contextlib.suppress(OSError):
            process.stdin.write(msgspec.json.encode(self._orders) + b"\n")
            process.stdin.flush()
        return process

    def wait(self) -> None:
        """Waits until the windows are closed."""
        if self._process is not None:
            self._process.wait()

    def stop(self) -> None:
        """Closes the windows."""
        process = self._process
        if process is None:
            return
        process.terminate()
        try:
            process.wait(GOING)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        # Not before: a pipe that is being read can't be closed.
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()


# The end


def tell(document: dict[str, Any], folder: Path, console: Console) -> None:
    """Tells how a contest ended.

    Arguments:
        document: the results, as `results.json` has them.
        folder: the contest's folder.
        console: where to.
    """
    names = {person["id"]: person["name"] for person in document["people"]}
    _heading(console, "Schedule")
    for number, pairings in enumerate(document["schedule"]["rounds"], 1):
        shown = " ".join(p["judge"] + p["entry"] + p["confederate"] for p in pairings)
        _say(console, [f"Round {number} {shown}"])
    _say(console, document["schedule"]["words"])

    tally = document["tally"]
    _heading(console, "Score: 1 where the judge took the entry for the human")
    console.print(_score_table(tally, names))
    _heading(console, "Places")
    _say(console, document["words"]["places"])
    _say(console, document["words"]["silver"])
    _heading(console, "Prizes")
    _say(console, document["words"]["prizes"] or ["not before every verdict is in"])
    if tally["warnings"]:
        _heading(console, "Warnings")
        _say(console, tally["warnings"])

    _heading(console, "The record")
    events, head = document["record"]["events"], document["record"]["head"]
    _say(
        console,
        [
            f"{folder / 'record.db'}: {events} events, {len(document['talks'])} talks",
            f"{folder / 'results.html'}: the page of results, with every talk",
            f"head to publish: {head}",
            f"check it: loebner verify {shlex.quote(str(folder))} --head {head}",
        ],
    )


def _score_table(tally: dict[str, Any], names: dict[str, str]) -> Table:
    entries = sorted(next(iter(tally["table"].values()), {}))
    table = Table(show_footer=True)
    table.add_column("", footer="sum")
    sums = {standing["entry"]: standing for standing in tally["entries"]}
    for entry in entries:
        title = Text(f"{entry} {names.get(entry, '')}".strip())
        table.add_column(title, justify="right", footer=str(sums[entry]["score"]))
    for judge in sorted(tally["table"]):
        cells = (tally["table"][judge].get(entry) for entry in entries)
        table.add_row(Text(judge), *("-" if cell is None else str(cell) for cell in cells))
    table.add_section()
    table.add_row("mean rank", *(_number(sums[entry]["mean_rank"]) for entry in entries))
    table.add_row("place", *(_place(sums[entry]) for entry in entries))
    return table


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:g}"


def _place(standing: dict[str, Any]) -> str:
    return f"{standing['place']}{' shared' if standing['tied'] else ''}"


def _heading(console: Console, text: str) -> None:
    console.print()
    console.print(Text(text, style="bold"))


def _say(console: Console, lines: Iterable[str] | Sequence[str]) -> None:
    for line in lines:
        console.print(Text(line), soft_wrap=True)
