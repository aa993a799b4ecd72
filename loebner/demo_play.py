"""Plays the demo: contest folder, server, people at the seats, and the closing words.

The windows are in a process of their own, so that their troubles don't disturb the contest.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import random
import shlex
from asyncio.subprocess import PIPE, Process
from collections import deque
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any

import msgspec
from rich.columns import Columns
from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

import scheduler
from contest.ending import end_on_terminate
from contest.errors import Surroundings
from contest.links.program import end_process
from contest.organizer.organizing import organize
from contest.record.events import Event
from contest.scripted import scripted_people
from contest.serving.server import Server
from contest.serving.set_up import set_up
from contest.setup import folder as folders
from contest.setup.agreement import Terms
from contest.setup.planning import schedule_of
from contest.setup.settings import Settings, load
from judge_console.client import SeatClient
from lpp.clock import Clock, LoopClock
from lpp.lines import LineEditor
from lpp.program import OWN_GROUP

#: Seconds of real time between two pictures of the progress.
PICTURE = 0.1
#: Seconds of real time that programs have to say that they are ready.
READY = 10.0
#: What the windows' program prints when they can be seen.
SHOWN = "windows"
#: Seconds that the windows may take to open.
OPENING = 30.0
#: Lines of a talk that are kept for a desk on a terminal.
LINES = 12
#: A terminal of so many columns shows two desks side by side.
WIDE = 100


def play(
    folder: Path, seed: int, speed: float, console: Console, windows: Sequence[str] = ()
) -> None:
    """Plays a contest of 2010 with bundled entries and scripted people, and prints the result.

    Arguments:
        folder: the contest folder to make; new or empty.
        seed: draws sides, and what people and bots say.
        speed: seconds of contest time in a second.
        console: where progress is shown.
        windows: the program that opens windows for two judges and a confederate; empty for none.

    Raises:
        YoursToFix: if the folder is not empty.
        Surroundings: if the windows can't be opened.
    """
    options = f"--seed {seed} --clock 2010-10-23T09:30:00 --speed {speed:g}"
    text = folders.template().replace(" --dir {dir}", f" {options} --dir {{dir}}")
    # Scripted people don't answer, and have nothing to withhold.
    text = text.replace('default = "withhold"', 'default = "publish" ')
    folders.make(folder, text)
    try:
        asyncio.run(_play(folder, load(folder), seed, speed, console, windows))
    except asyncio.CancelledError:
        raise KeyboardInterrupt from None


async def _play(
    folder: Path,
    settings: Settings,
    seed: int,
    speed: float,
    console: Console,
    windows: Sequence[str],
) -> None:
    end_on_terminate()
    clock = LoopClock(speed)
    schedule = schedule_of(settings, folder)
    process: Process | None = None
    async with AsyncExitStack() as stack:
        with Progress(console, settings, schedule) as progress:
            async with set_up(
                *(folder, settings, schedule, clock),
                program=f"loebner {version('loebner')} demo, seed {seed}",
                rng=random.Random(seed),
            ) as server:
                server.journal.watchers.append(progress.event)
                console.print(f"The server listens at {server.address}; the record is in {folder}.")
                chairs = windowed(settings, server.codes) if windows else ()
                if chairs:
                    orders = Orders(server.address, seed, speed, chairs)
                    log = folder / "logs" / "windows.log"
                    process = await stack.enter_async_context(windows_open(orders, log, windows))
                await _seat_people(server, settings, seed, clock, chairs, process, progress)
        document = json.loads((folder / "results.json").read_text(encoding="utf-8"))
        tell(document, folder, console)
        if process is not None and process.returncode is None and console.is_terminal:
            console.print("\nClose the windows to end, or press Ctrl-C.")
            await process.wait()


async def _seat_people(
    server: Server,
    settings: Settings,
    seed: int,
    clock: Clock,
    chairs: Sequence[Chair],
    windows: Process | None,
    progress: Progress,
) -> None:
    """Plays the contest with scripted people at all seats but those of the windows."""
    judges = [judge.id for judge in settings.judge]
    cast = scripted_people(judges, [each.id for each in settings.confederate], seed)
    away = {chair.seat for chair in chairs}

    async def sit(seat: str, take_over: bool = False) -> None:
        """Over a socket, as a console does."""
        url, code = f"ws://{server.address}/seat", server.codes[seat]
        async with SeatClient(url, code, client="scripted person", take_over=take_over) as client:
            await cast[seat].play(client, clock)

    async def replace_windows() -> None:
        """Scripted people take the seats of windows that are gone before the end."""
        if windows is not None:
            await windows.wait()
            # The server may not have noticed yet that the windows are gone.
            await asyncio.gather(*(sit(seat, take_over=True) for seat in away))

    async with asyncio.TaskGroup() as tasks:
        people = [tasks.create_task(sit(seat), name=seat) for seat in cast.keys() - away]
        others = [
            tasks.create_task(work)
            for work in (replace_windows(), _organize(server), progress.draw())
        ]
        await server.play()
        await asyncio.gather(*people)
        for task in others:
            task.cancel()


async def _organize(server: Server) -> None:
    """The organizer: begins when the programs have said that they are ready."""
    logs = [server.folder / "logs" / f"{entry}.log" for entry in server.links]
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(READY):
            while not all(log.exists() and log.stat().st_size for log in logs):  # noqa: ASYNC110
                await asyncio.sleep(PICTURE)
    await organize(lambda: server, "the demo is over")


# Windows


@dataclass(frozen=True, slots=True)
class Chair:
    """A seat with a window.

    Attributes:
        seat: its id.
        code: its secret code.
        role: judge or confederate.
        number: which of its role it is, from 0: this says which scripted person sits there.
    """

    seat: str
    code: str
    role: str
    number: int


@dataclass(frozen=True, slots=True)
class Orders:
    """What the windows' program needs to know: one line of JSON on its standard input."""

    address: str
    seed: int
    speed: float
    chairs: tuple[Chair, ...]


def windowed(settings: Settings, codes: Mapping[str, str]) -> tuple[Chair, ...]:
    """The seats with windows: the first two judges and the first confederate."""
    judges = [Chair(each.id, codes[each.id], "judge", n) for n, each in enumerate(settings.judge)]
    first = settings.confederate[0].id
    return (*judges[:2], Chair(first, codes[first], "confederate", 0))


@asynccontextmanager
async def windows_open(orders: Orders, log: Path, words: Sequence[str]) -> AsyncIterator[Process]:
    """The windows' program, with windows that can be seen; closed with the context.

    Arguments:
        orders: see `Orders`.
        log: the file that its messages go to.
        words: the program.

    Raises:
        Surroundings: if they can't be opened; the text says why.
    """
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("wb") as file:
        process = await asyncio.create_subprocess_exec(
            *words,
            stdin=PIPE,
            stdout=PIPE,
            stderr=file,
            # A Ctrl-C is the contest's, which then closes the windows in order.
            **OWN_GROUP,
        )
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        process.stdin.write(msgspec.json.encode(orders) + b"\n")
        said = b""
        with contextlib.suppress(TimeoutError):
            said = await asyncio.wait_for(process.stdout.readline(), OPENING)
        if said.strip() != SHOWN.encode():
            await end_process(process)
            why = log.read_text(encoding="utf-8", errors="replace").strip().splitlines()
            last = why[-1] if why else f"no answer within {OPENING:g} seconds"
            raise Surroundings(f"the windows can't be opened: {last.removeprefix('loebner: ')}")
        yield process
    finally:
        await end_process(process)


# Progress


@dataclass
class _Talk:
    """A running talk: each author's unfinished line, and the last finished ones."""

    judge: str
    entity: str
    side: str
    editors: dict[str, LineEditor] = field(
        default_factory=lambda: {"judge": LineEditor(), "entity": LineEditor()}
    )
    lines: deque[tuple[str, str]] = field(default_factory=lambda: deque(maxlen=LINES))

    def speaker(self, author: str) -> str:
        return self.judge if author == "judge" else self.entity


class Progress:
    """Shows a contest as it goes, by the events that are durable: lines of what happens, and on a
    terminal the desks with the talks, character by character; elsewhere the talks' lines.

    Arguments:
        console: where to.
        settings, schedule: the contest's.
    """

    def __init__(self, console: Console, settings: Settings, schedule: scheduler.Schedule) -> None:
        self._console, self._rounds = console, schedule.rounds
        names = Terms.of(settings).names
        self._names = {id_: f"{id_} ({name})" for id_, name in names.items() if name}
        self._talks: dict[str, _Talk] = {}
        self._live = Live(console=console, auto_refresh=False, transient=True)
        self._started_ns = self._now_ns = 0

    def __enter__(self) -> Progress:
        if self._console.is_terminal:
            self._live.start()
        return self

    def __exit__(self, *exc_info: object) -> None:
        self._live.stop()

    def event(self, event: Event) -> None:
        """Takes an event."""
        body, name = event.body, self._name
        self._now_ns = event.mono_ns
        match event.kind:
            case "round-opened":
                self._talks = {}
                self._say(f"\nRound {body['round']} of {len(self._rounds)}")
                for each in self._rounds[body["round"] - 1]:
                    self._say(
                        f"  {name(each.judge)} compares {name(each.entry)} with "
                        f"{name(each.confederate)}"
                    )
            case "round-started":
                self._started_ns = event.mono_ns
                self._say(f"  the interaction begins, {body['seconds'] / 60:g} minutes")
            case "round-ended":
                self._started_ns = 0
                self._say("  time; the judges decide")
            case "verdict":
                self._say(f"  {name(body['judge'])}: the human was on the {body['human']}")
            case "ranking":
                self._say(f"  {name(body['judge'])} has ranked all participants")
            case "sides-revealed":
                self._say("\nEvery verdict and ranking is closed; the sides are revealed.")
            case "entry-exited" | "trouble":
                self._say(f"  {event.actor}: {event.kind} {body}")
            case "talk-opened" if event.talk is not None:
                self._talks[event.talk] = _Talk(body["judge"], body["entity"], body["side"])
            case "key" if event.talk in self._talks and "out_of_phase" not in body:
                self._key(self._talks[event.talk], body["author"], body["key"])

    def _key(self, talk: _Talk, author: str, key: str) -> None:
        line = talk.editors[author].press(key)
        if line is not None and line.strip():
            talk.lines.append((author, line))
            if not self._console.is_terminal:
                self._say(f"    {talk.judge} {talk.side:5}  {talk.speaker(author)}: {line}")

    def _say(self, text: str) -> None:
        self._console.print(Text(text), soft_wrap=True)

    def _name(self, id_: str) -> str:
        return self._names.get(id_, id_)

    async def draw(self) -> None:
        """Draws the desks on a terminal, until it is cancelled."""
        while self._console.is_terminal:
            self._live.update(self._picture(), refresh=True)
            await asyncio.sleep(PICTURE)

    def _picture(self) -> RenderableType:
        desks: dict[str, list[_Talk]] = {}
        for talk in sorted(self._talks.values(), key=lambda talk: (talk.judge, talk.side)):
            desks.setdefault(talk.judge, []).append(talk)
        elapsed = (self._now_ns - self._started_ns) // 10**9
        played = f"{elapsed // 60}:{elapsed % 60:02d} of the interaction" * bool(self._started_ns)
        across = 2 if self._console.width >= WIDE else 1
        width = self._console.width // across
        # The lines of a round's beginning stand above the desks.
        height = max(6, (self._console.height - 8) // max(1, -(-len(desks) // across)))
        panels = [self._desk(judge, talks, width, height) for judge, talks in desks.items()]
        return Group(Text(played, style="bold"), Columns(panels, padding=0))

    def _desk(self, judge: str, talks: list[_Talk], width: int, height: int) -> Panel:
        column = (width - 6) // 2
        table = Table(box=None, expand=True, padding=(0, 1, 0, 0))
        for talk in talks:
            table.add_column(
                Text(f"{talk.side}: {self._name(talk.entity)}", no_wrap=True), width=column
            )
        # Two rows are the frame's, one is the heading's.
        table.add_row(*(self._rows(talk, column, height - 3) for talk in talks))
        return Panel(table, title=Text(self._name(judge)), width=width, height=height)

    def _rows(self, talk: _Talk, width: int, height: int) -> Text:
        """The last rows of a talk, lines folded; unfinished lines come last."""
        unsent = ((who, editor.unsent) for who, editor in talk.editors.items())
        rows: list[Text] = []
        for author, line in [*talk.lines, *((who, line + "_") for who, line in unsent if line)]:
            style = "bold" if author == "judge" else "cyan"
            text = Text(f"{talk.speaker(author)}: ", style=style)
            text.append(Text(line, style="default"))
            rows.extend(text.wrap(self._console, width))
        return Text("\n").join(rows[-height:])


# The end


def tell(document: dict[str, Any], folder: Path, console: Console) -> None:
    """Says how a contest ended.

    Arguments:
        document: the results, as `results.json` has them.
        folder: the contest's folder.
        console: where to.
    """

    def say(heading: str, lines: Iterable[str] = ()) -> None:
        console.print(Text(f"\n{heading}", style="bold"))
        for line in lines:
            console.print(Text(line), soft_wrap=True)

    tally, words = document["tally"], document["words"]
    rounds = [
        f"Round {number} " + " ".join(p["judge"] + p["entry"] + p["confederate"] for p in pairings)
        for number, pairings in enumerate(document["schedule"]["rounds"], 1)
    ]
    say("Schedule", [*rounds, *document["schedule"]["words"]])
    say("Score: 1 where the judge took the entry for the human")
    console.print(_score_table(tally, {each["id"]: each["name"] for each in document["people"]}))
    say("Places", [*words["places"], *words["silver"]])
    say("Prizes", words["prizes"] or ["not before every verdict is in"])
    if tally["warnings"]:
        say("Warnings", tally["warnings"])
    events, head = document["record"]["events"], document["record"]["head"]
    say(
        "The record",
        [
            f"{folder / 'record.db'}: {events} events, {len(document['talks'])} talks",
            f"{folder / 'results.html'}: the page of results, with every talk",
            f"head to publish: {head}",
            f"check it: loebner verify {shlex.quote(str(folder))} --head {head}",
        ],
    )


def _score_table(tally: dict[str, Any], names: Mapping[str, str]) -> Table:
    entries = sorted(next(iter(tally["table"].values()), {}))
    sums = {standing["entry"]: standing for standing in tally["entries"]}
    table = Table()
    table.add_column("")
    for entry in entries:
        title = Text(f"{entry} {names.get(entry, '')}".strip())
        table.add_column(title, justify="right")
    for judge in sorted(tally["table"]):
        cells = (tally["table"][judge].get(entry) for entry in entries)
        table.add_row(Text(judge), *("-" if cell is None else str(cell) for cell in cells))
    table.add_section()
    means = (sums[entry]["mean_rank"] for entry in entries)
    table.add_row("sum", *(str(sums[entry]["score"]) for entry in entries))
    table.add_row("mean rank", *("-" if mean is None else f"{mean:g}" for mean in means))
    places = (f"{sums[e]['place']}{' shared' * sums[e]['tied']}" for e in entries)
    table.add_row("place", *places)
    return table
