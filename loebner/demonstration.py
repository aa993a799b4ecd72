"""How the demo plays: the contest's folder, the server, and people at the seats."""

from __future__ import annotations

import asyncio
import contextlib
import json
import random
from collections.abc import Callable, Iterable, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

from rich.console import Console

import scheduler
from contest.control.organizing import organize
from contest.control.server import Server
from contest.ending import end_on_terminate
from contest.scripted import Person, scripted_confederates, scripted_judges
from contest.serving.set_up import set_up
from contest.setup import folder as folders
from contest.setup.planning import schedule_of
from contest.setup.settings import Settings, load
from judge_console.client import SeatClient
from loebner.ending import tell
from loebner.progress import progress
from loebner.windowed import beside
from lpp.clock import Clock, LoopClock

#: Seconds of real time between two pictures of what goes on.
PICTURE = 0.1
#: Seconds of real time that programs have to say that they are ready.
READY = 10.0


def play(
    folder: Path, seed: int, speed: float, console: Console, *, windows: bool = False
) -> dict[str, Any]:
    """Plays a contest of 2010 with bundled entries and scripted people, and tells how it ended.

    Arguments:
        folder: the contest folder to make; new or empty.
        seed: draws sides, and what people and bots say.
        speed: seconds of contest time in a second.
        console: where progress is shown.
        windows: whether two judges and a confederate have real windows.

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
    shown: list[beside.Beside] = []
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
    windows: bool,
    windows_shown: list[beside.Beside],
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
            chairs = beside.chairs(settings, server.codes) if windows else ()
            away = {chair.seat for chair in chairs}
            if chairs:
                orders = beside.Orders(server.address, seed, speed, chairs)
                windows_shown.append(beside.Beside(orders, folder / "logs" / "windows.log"))
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
    windows: Sequence[beside.Beside], seat_people: Callable[[], Sequence[asyncio.Task[None]]]
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
