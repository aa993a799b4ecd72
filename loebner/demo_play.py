"""Plays the demo: makes the contest folder, runs its server and people, and shows the result."""

from __future__ import annotations

import asyncio
import contextlib
import random
import shlex
from collections.abc import Callable, Collection, Mapping
from importlib.metadata import version
from pathlib import Path

import click
from rich.console import Console
from rich.text import Text

from contest.organizer.scripted import organize
from contest.record import reading
from contest.record.events import Event
from contest.results.contest import Contest
from contest.results.document import Results
from contest.results.text import result_in_words
from contest.scripted import scripted_people
from contest.seat_page import PATH as SIT
from contest.serving.server import Server
from contest.serving.set_up import set_up
from contest.setup import folder as folders
from contest.setup.planning import schedule_of
from contest.setup.settings import load
from judge_console.client import SeatClient
from judge_console.model.seat import SeatRefused
from lpp.clock import LoopClock
from lpp.lines import LineEditor
from scheduler import Schedule
from scheduler.texts import plain

#: Seconds of real time that programs have to say that they are ready.
READY_TIMEOUT = 10.0


async def play(
    folder: Path,
    seed: int,
    speed: float,
    seat_others: Callable[[Server], Collection[str]] = lambda _: (),
    *,
    browser: bool = False,
) -> Contest:
    """Plays a contest of 2010 with bundled entries and scripted people; prints progress and result.

    Arguments:
        folder: the contest folder to make; new or empty.
        seed: random seed for sides, and for what people and bots say.
        speed: seconds of contest time per second.
        seat_others: called with the server once it listens; returns the seats that others take.
        browser: whether to print a link for the first judge's seat, and not the talks.

    Returns:
        The finished contest.

    Raises:
        UserError: if the folder is not empty.
    """
    options = f"--seed {seed} --clock 2010-10-23T09:30:00 --speed {speed:g}"
    text = folders.template().replace(" --dir {dir}", f" {options} --dir {{dir}}")
    # Scripted people don't answer the question about publication, and have nothing to withhold.
    folders.make(folder, text.replace('default = "withhold"', 'default = "publish" '))
    settings, clock = load(folder), LoopClock(speed)
    schedule = schedule_of(settings, folder)
    judges = [judge.id for judge in settings.judge]
    people = scripted_people(judges, [each.id for each in settings.confederate], seed)
    async with set_up(
        *(folder, settings, schedule, clock),
        program=f"loebner {version('loebner')} demo, seed {seed}",
        rng=random.Random(seed),
    ) as server:
        click.echo(f"The server listens at {server.address}; the record is in {folder}.")
        taken = seat_others(server)
        if browser:
            page = f"http://{server.address}{SIT}#{server.codes[judges[0]]}"
            click.echo(f"Take the seat of judge {judges[0]} in a browser: {page}")
        # A person who judges must not learn here who is who.
        names = {each.id: each.name for each in (*settings.judge, *settings.confederate)}
        names |= {entry.id: entry.name for entry in settings.entry}
        progress = Progress(names, schedule, talks=not taken and not browser)
        server.journal.watchers.append(progress)

        async def sit(seat: str) -> None:
            """Plays a seat over a socket, as a console does."""
            url, code = f"ws://{server.address}/seat", server.codes[seat]
            try:
                async with SeatClient(url, code, client="scripted person") as client:
                    await people[seat].play(client, clock)
            except* SeatRefused:
                if not browser:
                    raise  # with --browser, a person may have taken over the seat

        async with asyncio.TaskGroup() as tasks:
            organizing = tasks.create_task(_organize(server))
            for seat in people.keys() - taken:
                tasks.create_task(sit(seat), name=seat)
            await server.play()
            organizing.cancel()
    contest = Contest.of(reading.open_log(folder))
    click.echo(f"\n{result_in_words(Results(contest))}", nl=False)
    click.echo(f"The record is in {folder / 'record.db'}, every talk in {folder / 'results.html'}.")
    click.echo(f"Check it: loebner verify {shlex.quote(str(folder))} --head {contest.head}")
    return contest


async def _organize(server: Server) -> None:
    """Acts as the organizer: begins when the programs have reported that they are ready."""
    logs = [server.folder / "logs" / f"{entry}.log" for entry in server.links]
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(READY_TIMEOUT):
            while not all(log.exists() and log.stat().st_size for log in logs):  # noqa: ASYNC110
                await asyncio.sleep(0.1)
    await organize(lambda: server, "the demo is over")


class Progress:
    """Prints the events of a contest as they happen; in colours on a terminal.

    Arguments:
        names: maps ids to names.
        schedule: the contest's schedule.
        talks: whether to print finished lines of the talks, too.
    """

    def __init__(self, names: Mapping[str, str], schedule: Schedule, *, talks: bool) -> None:
        self._names, self._rounds, self._with_talks = names, schedule.rounds, talks
        self._console = Console(highlight=False)
        # For each talk and author: the author's id and unfinished line.
        self._talks: dict[str | None, dict[str, tuple[str, LineEditor]]] = {}

    def __call__(self, event: Event) -> None:
        """Prints a durable event."""
        body, name, say = event.body, self._name, self._say
        match event.kind:
            case "round-opened":
                say(f"Round {body['round']} of {len(self._rounds)}", "bold")
                for each in self._rounds[body["round"] - 1]:
                    both = f"{name(each.entry)} with {name(each.confederate)}"
                    say(f"  {name(each.judge)} compares {both}")
            case "round-started":
                say(f"  the interaction begins, {body['seconds'] / 60:g} minutes")
            case "round-ended":
                say("  time is up; the judges decide")
            case "verdict":
                say(f"  {name(body['judge'])}: the human was on the {body['human']}")
            case "ranking":
                say(f"  {name(body['judge'])} has ranked all participants")
            case "sides-revealed":
                say("Every verdict and ranking is closed; the sides are revealed.", "bold")
            case "entry-exited" | "trouble":
                say(f"  {event.actor}: {event.kind} {body}", "red")
            case "talk-opened" if self._with_talks:
                who = {"judge": body["judge"], "entity": body["entity"]}
                self._talks[event.talk] = {by: (who[by], LineEditor()) for by in who}
            case "key" if event.talk in self._talks and "out_of_phase" not in body:
                speaker, editor = self._talks[event.talk][body["author"]]
                line = editor.press(body["key"])
                if line and line.strip():
                    pair = "-".join(who for who, _ in self._talks[event.talk].values())
                    style = "cyan" if body["author"] == "entity" else ""
                    say(f"    {pair}  {speaker}: {line}", style)

    def _say(self, text: str, style: str = "") -> None:
        self._console.print(Text(plain(text)), style=style, soft_wrap=True)

    def _name(self, id_: str) -> str:
        return f"{id_} ({name})" if (name := self._names.get(id_)) else id_
