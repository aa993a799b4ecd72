"""How the demo plays: the contest's folder, the stage, and people at the seats."""

from __future__ import annotations

import asyncio
import contextlib
import json
import random
import signal
from importlib.metadata import version
from pathlib import Path
from typing import Any

from rich.console import Console

import scheduler
from contest import folder as folders
from contest.people import Person, scripted_confederates, scripted_judges
from contest.planning import schedule_of
from contest.settings import Settings, load
from contest.stage import Stage, set_up
from judge_console.client import SeatClient
from loebner.progress import progress
from lpp.clock import Clock, LoopClock

#: Seconds of real time between two pictures of what goes on.
PICTURE = 0.1


def play(folder: Path, seed: int, speed: float, console: Console) -> dict[str, Any]:
    """Plays a contest of 2010 with bundled entries and scripted people.

    Arguments:
        folder: the contest folder to make; new or empty.
        seed: draws sides, and what people and bots say.
        speed: seconds of contest time in a second.
        console: where progress is shown.

    Returns:
        The results, as `results.json` has them.

    Raises:
        YoursToFix: if the folder is not empty.
    """
    text = folders.template().replace(" --dir {dir}", f" --dir {{dir}} --speed {speed:g}")
    text = text.replace(" --dir {dir}", f" --seed {seed} --clock 2010-10-23T09:30:00 --dir {{dir}}")
    folders.make(folder, text)
    settings = load(folder)
    schedule = schedule_of(settings, folder)
    try:
        asyncio.run(_play(folder, settings, schedule, seed, speed, console))
    except asyncio.CancelledError:
        raise KeyboardInterrupt from None
    document: dict[str, Any] = json.loads((folder / "results.json").read_text(encoding="utf-8"))
    return document


async def _play(
    folder: Path,
    settings: Settings,
    schedule: scheduler.Schedule,
    seed: int,
    speed: float,
    console: Console,
) -> None:
    _end_on_terminate()
    clock = LoopClock(speed)
    rounds = scheduler.rounds_json(schedule)
    with progress(console, settings.as_json(), rounds) as shown:
        async with set_up(
            folder,
            settings,
            schedule,
            clock,
            speed=speed,
            program=f"loebner {version('loebner')} demo, seed {seed}",
            rng=random.Random(seed),
        ) as stage:
            stage.journal.watchers.append(shown.event)
            console.print(f"The server listens at {stage.address}; the record is in {folder}.")
            async with asyncio.TaskGroup() as tasks:
                drawing = tasks.create_task(_draw(shown.refresh))
                people = [
                    tasks.create_task(_sit(stage, seat, person, clock), name=f"person at {seat}")
                    for seat, person in _cast(settings, seed).items()
                ]
                await stage.play()
                await asyncio.gather(*people)
                drawing.cancel()


def _cast(settings: Settings, seed: int) -> dict[str, Person]:
    """Seat to the scripted person who sits there."""
    judges = [judge.id for judge in settings.judge]
    confederates = [confederate.id for confederate in settings.confederate]
    return {
        **dict(zip(judges, scripted_judges(len(judges), seed), strict=True)),
        **dict(zip(confederates, scripted_confederates(len(confederates), seed), strict=True)),
    }


async def _sit(stage: Stage, seat: str, person: Person, clock: Clock) -> None:
    """A scripted person at a real seat, over a socket as a console is."""
    async with SeatClient(
        f"ws://{stage.address}/seat", stage.codes[seat], client="scripted person"
    ) as client:
        await person.play(client, clock)


async def _draw(refresh: Any) -> None:
    while True:
        refresh()
        await asyncio.sleep(PICTURE)


def _end_on_terminate() -> None:
    # A SIGTERM, or a terminal that is closed, closes the record and ends the entries as Ctrl-C
    # does. Windows' loop knows no signals, and Windows no SIGHUP.
    task = asyncio.current_task()
    assert task is not None
    for name in ("SIGTERM", "SIGHUP"):
        with contextlib.suppress(NotImplementedError, AttributeError):
            asyncio.get_running_loop().add_signal_handler(getattr(signal, name), task.cancel)
