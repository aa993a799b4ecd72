"""Seasons for tests, on virtual time: submissions, subjects in memory, and seasons played up to
some step."""

from __future__ import annotations

import asyncio
import contextlib
import datetime as dt
import functools
import random
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterator, Mapping
from pathlib import Path
from typing import Any, ParamSpec, cast

import msgspec

from bots.bot import Bot, Context
from bots.runner import Runner
from contest.record.events import Body, Event, read
from contest.record.season import (
    KINDS,
    ComplianceTested,
    Conformance,
    CutDecided,
    EntryRegistered,
    EntryRestored,
    EntryWithdrawn,
    Form,
    ItemTested,
    MarkSettled,
    PriorityDecided,
    ScreeningBegun,
    TieRuleStated,
)
from contest.screening import finalists, marking, register
from contest.screening.ask import AskingOptions, Opened, Subject, ask, set_paper
from contest.screening.paper import Paper, Question, joined
from contest.screening.questions import Counts, make
from contest.screening.register import select_entries
from contest.screening.season import Season
from contest.screening.state import State
from contest.setup import folder
from contest.setup.settings import ContestTable, SeasonTable, Settings
from lpp.channel import DirectoryChannel
from lpp.clock import LoopClock
from lpp.keypress import Side
from lpp.lines import LineEditor
from lpp.names import keys_of
from lpp.numbers import MemoryNumbers
from lpp.pace import Pace
from lpp.program import Program
from lpp.testing import MemoryDirectory
from tests.bots.talking import inline
from tests.contest.rehearse.build import run

_P = ParamSpec("_P")

TABLE = SeasonTable()

GOOD = Form(
    program="Suzette",
    entrant="Ada Wilcox",
    posted=dt.date(2010, 5, 10),
    received=dt.date(2010, 5, 14),
    way=1,
    posted_at=dt.time(14, 5),
    service="FedEx",
    proof="8701",
    media="CD",
    platforms=("Windows XP",),
)
#: GOOD, except that the entrant brings a computer.
BROUGHT = msgspec.structs.replace(
    GOOD,
    way=3,
    platforms=("Debian",),
    testing=dt.date(2010, 6, 9),
    agreed=dt.date(2010, 6, 6),
    present=True,
)

#: GOOD as texts.
WRITTEN: dict[str, Any] = {
    "program": "Suzette",
    "entrant": "Ada Wilcox",
    "posted": "2010-05-10 14:05",
    "received": "2010-05-14",
    "way": "1",
    "service": "FedEx",
    "proof": "8701",
    "media": "CD",
    "platforms": ["Windows XP"],
}

PASSED = {name: ItemTested("pass") for name in ("programs", "path", "variable", "browse")}
SPEAKS = Conformance("0" * 64, True, {"pass": ["2.B/removes"]})


def form(base: Form = GOOD, **changed: Any) -> Form:
    """A submission that differs from GOOD in some fields; dates are texts."""
    read = {
        name: dt.date.fromisoformat(value)
        if name in ("posted", "received", "testing", "agreed") and value is not None
        else dt.time.fromisoformat(value)
        if name in ("posted_at", "received_at") and value is not None
        else value
        for name, value in changed.items()
    }
    return msgspec.structs.replace(base, **read)


Told = tuple[Event, Body]


def event(body: Body, by: str = "Ada") -> Told:
    """An event with its body; only who and when matter here."""
    at = "2010-06-01T09:00:00.000000Z"
    return Event(1, None, at, 0, by, body.kind, {}, "", ""), body


def season_body(event: Event) -> Body:
    """The body of a season's event."""
    return read(event.kind, event.body, KINDS)


def registered(**forms: Form) -> list[Told]:
    """Registrations of entries with these ids."""
    return [event(EntryRegistered(id_, 1, each)) for id_, each in forms.items()]


def complied(id_: str, base: Form = GOOD, **items: ItemTested) -> Told:
    """A test that an entry passes, except for the given items."""
    runs = {"runs": ItemTested("pass")} if base.way != 3 else {}
    return event(ComplianceTested(id_, base.received, {**PASSED, **runs, **items}, SPEAKS))


def state_of(*events: Told, table: SeasonTable = TABLE) -> State:
    """The state after some events."""
    state = State(settings=Settings(ContestTable(""), season=table))
    for told in events:
        state.apply(*told)
    return state


def add(season: Season, values: Mapping[str, Any], by: str = "Ada") -> str:
    """Registers an entry, and returns its id."""
    body = register.registration(season.state, values)
    season.write(by, body)
    return body.entry


def change(season: Season, id_: str, values: Mapping[str, Any], by: str, reason: str) -> None:
    """Corrects an entry."""
    season.write(by, register.correction(season.state, id_, values, reason))


def comply(season: Season, *ids: str, way: int = 1) -> None:
    """Records passed tests of entries."""
    items = {**PASSED, **({"runs": PASSED["path"]} if way != 3 else {})}
    for id_ in ids:
        season.write("Ada", ComplianceTested(id_, dt.date(2010, 6, 15), items, SPEAKS))


def begin(season: Season, ids: list[str], *commands: str) -> None:
    """Registers entries that comply, and begins screening."""
    for nth, id_ in enumerate(ids):
        command = commands[nth] if commands else "program {dir}"
        names = {"program": f"Program {id_}", "entrant": f"Person {id_}", "command": command}
        assert add(season, {**WRITTEN, **names}) == id_
    comply(season, *ids)
    start(season)


def start(season: Season) -> None:
    """Begins screening."""
    season.write("Ada", ScreeningBegun(select_entries(season.state).screened))


AT = dt.datetime(2010, 6, 30, 9, 30, tzinfo=dt.UTC)

#: A program's behaviour from start to end: called with its channel, and how often it was started.
Life = Callable[[DirectoryChannel, int], Awaitable[None]]


def virtual(now: float) -> dt.datetime:
    """The time of day at a time of the loop's clock, in seconds."""
    return AT + dt.timedelta(seconds=now)


def loop_time() -> float:
    try:
        return asyncio.get_running_loop().time()
    except RuntimeError:
        return 0.0


def local() -> dt.datetime:
    return virtual(loop_time()).replace(tzinfo=None)


def new_contest(place: Path, finalists: int = 4) -> Path:
    folder.make(place)
    file = place / "contest.toml"
    text = file.read_text(encoding="utf-8")
    assert "\nfinalists = 4" in text
    changed = text.replace("\nfinalists = 4", f"\nfinalists = {finalists}")
    file.write_text(changed, encoding="utf-8")
    return place


def opened(place: Path) -> Season:
    """A season on the loop's clock."""
    return Season(place, wall=lambda: virtual(loop_time()), clock=loop_time)


def on_virtual_time(test: Callable[_P, Coroutine[object, object, None]]) -> Callable[_P, None]:
    """Runs a test on the rehearsal's loop, whose virtual time makes hours pass in a second."""

    @functools.wraps(test)
    def runs(*args: _P.args, **named: _P.kwargs) -> None:
        run(test(*args, **named))

    return runs


class InMemory:
    """A program in memory, with the part of `lpp.program.Program` that asking uses."""

    def __init__(self, life: Life, place: MemoryDirectory) -> None:
        self.words = ["program", "memory"]
        self._life = life
        self._place = place
        self._numbers = MemoryNumbers()
        self._task: asyncio.Task[None] | None = None
        self.lives = 0

    async def start(self, changed: Callable[[], None]) -> None:
        self.lives += 1
        self._task = asyncio.create_task(self._live(self.lives), name="program")
        self._task.add_done_callback(lambda _: changed())

    async def _live(self, nth: int) -> None:
        async with DirectoryChannel(
            self._place, side=Side.OTHER, numbers=self._numbers, sweep=10
        ) as channel:
            await self._life(channel, nth)

    async def stop(self) -> None:
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    @property
    def running(self) -> bool:
        return self._task is not None and not self._task.done()

    @property
    def ending(self) -> str:
        return "exit code 1"

    @property
    def has_output(self) -> bool:
        return True


def in_memory(
    lives: Mapping[str, Life],
) -> Callable[[Subject], contextlib.AbstractAsyncContextManager[Opened]]:
    """Opens subjects in memory, each with the behaviour for its id."""

    @contextlib.asynccontextmanager
    async def opens(subject: Subject) -> AsyncIterator[Opened]:
        place = MemoryDirectory(subject.id)
        yield place, cast(Program, InMemory(lives[subject.id], place))

    return opens


def asking_options(
    lives: Mapping[str, Life], side_by_side: int = 4, pace: Pace | None = None
) -> AskingOptions:
    """Asking options on the loop's clock."""
    return AskingOptions(
        LoopClock(), in_memory(lives), side_by_side, pace or Pace(), local, sweep=10
    )


def bot(make: Callable[[Context], Bot], seed: int = 1) -> Life:
    """A bundled bot."""

    async def live(channel: DirectoryChannel, nth: int) -> None:
        made = make(Context(random.Random(seed), local))
        rng = random.Random(f"{seed} {nth}")
        await Runner(made, channel, LoopClock(), rng=rng, call=inline).run()

    return live


async def lines(channel: DirectoryChannel) -> AsyncIterator[str]:
    """Yields the judge's lines."""
    editor = LineEditor()
    async for received in channel:
        line = editor.press(received.press.key)
        if line is not None:
            yield line


def answers(reply: Callable[[str], str], after: float = 1.0, end: str = "\n") -> Life:
    """Answers each line in one burst, after this many seconds."""

    async def live(channel: DirectoryChannel, _nth: int) -> None:
        async for line in lines(channel):
            await asyncio.sleep(after)
            await press(channel, reply(line) + end)

    return live


async def press(channel: DirectoryChannel, text: str) -> None:
    for key in keys_of(text):
        await asyncio.sleep(0.1)
        await channel.send(key)


async def silent(channel: DirectoryChannel, _nth: int) -> None:
    """Reads, but never answers."""
    async for _ in channel:
        pass


def dies(on: str) -> Life:
    """Repeats each line, and dies at a line that contains a text."""

    async def live(channel: DirectoryChannel, _nth: int) -> None:
        async for line in lines(channel):
            if on in line:
                return
            await press(channel, f"You said: {line}\n")

    return live


class Quiet:
    """Collects the progress messages without showing them."""

    def __init__(self) -> None:
        self.told: list[tuple[str, str, int]] = []

    def __call__(self, subject: str, what: str, done: int) -> None:
        self.told.append((subject, what, done))


# Seasons

PACE = Pace(0.01, 0, 0, 0, 0)
CAT = Question("things-1", "things", "What says meow?", words=("cat",), explanation="a cat")
DOG = Question("things-2", "things", "What says woof?", words=("dog",), explanation="a dog")
LIVES: dict[str, Life] = {
    "E1": answers(lambda line: "A cat." if "meow" in line else "A dog."),
    "E2": answers(lambda line: "A cat."),
    "E3": silent,
    "E4": answers(lambda line: "=HYPERLINK(<b>1</b>)"),
}
LIVES["H1"] = LIVES["E1"]


def sit(season: Season, paper: Paper, lives: Mapping[str, Life]) -> None:
    """Asks all subjects a paper; H1 is a human."""
    asked = set_paper(season, paper, typing_seed=1)
    subjects = [Subject(id_, "x {dir}", human=id_ == "H1") for id_ in lives]
    assert run(ask(season, asked, subjects, asking_options(lives, 5, PACE), Quiet())) == {}


@contextlib.contextmanager
def sat(place: Path, finalists: int = 4) -> Iterator[Season]:
    """A season in which four entries and a human were asked two questions, open while the context
    is. Its folder is made."""
    with opened(new_contest(place, finalists)) as made:
        begin(made, ["E1", "E2", "E3", "E4"])
        sit(made, Paper(None, (CAT, DOG)), LIVES)
        yield made


#: A question of the organizer's own, and one from a template about the statement before it: "Ben
#: lost a pen …".
OWN = msgspec.structs.replace(CAT, id="own-1")
PAPER = joined(make(5, Counts(0, 0, 0, 1, between=0)), (OWN,))


def play(place: Path) -> Path:
    """Plays a season of four entries and a human, with two finalists, and returns its folder. One
    entry is best, two are equal, and one dies at a question."""
    new_contest(place, 2)
    # Opened for each step, as by commands: the loop's clock restarts, but the season's continues.
    for step in (_submit, _sit, _mark, _end):
        with opened(place) as season:
            step(season)
    return place


def _submit(season: Season) -> None:
    """Registers five entries; one is withdrawn, one temporarily; four comply, two at the same
    time."""
    for nth in (1, 2, 3, 4, 5):
        posted = f"2010-05-1{min(nth, 3)} 10:00"
        values = {"program": f"Program {nth}", "entrant": f"Person {nth}", "posted": posted}
        add(season, {**WRITTEN, **values, "command": "program {dir}"})
    change(season, "E1", {"note": "two disks"}, "Ada", "the second one was found")
    season.write("Ada", EntryWithdrawn("E5", "as its entrant wishes"))
    season.write("Ada", EntryWithdrawn("E4", "as its entrant wishes"))
    season.write("Ada", EntryRestored("E4", "the entrant thinks better of it"))
    season.write("Ada", PriorityDecided(["E3", "E4"], "drawn by lot"))
    comply(season, "E1", "E2", "E3", "E4")
    start(season)


def _meows(other: str, line: str) -> str:
    return "A cat." if "meow" in line else other


def _sit(season: Season) -> None:
    said = {"E1": "Hm", "H1": "Well"}
    lives = {id_: answers(functools.partial(_meows, other)) for id_, other in said.items()}
    lives |= {"E2": silent, "E3": answers(lambda _: "No."), "E4": dies("?")}
    sit(season, PAPER, dict(sorted(lives.items())))


def _mark(season: Season) -> None:
    """Two people mark. E1 earns one mark, which has to be settled; the others earn none, so E2, E3
    and E4 are tied at the cut."""
    marking.begin(season)
    season.write("Ada", TieRuleStated("none"))
    letters = marking.sealed_letters(season).letters
    first = marking.letter(letters["own-1"].index("E1"))
    for who, best in (("Ann", "1"), ("Bob", "0.5")):
        marks = {item: dict.fromkeys(marking.letters(season.state), "0") for item in letters}
        marks["own-1"][first] = best
        marking.mark_all(season, who, marks)
    season.write("Cy", MarkSettled("own-1", first, "1", "it is right"))
    marking.reveal(season)


def _end(season: Season) -> None:
    """Decides which of the tied entries goes through."""
    season.write("Ada", CutDecided(["E3"], "drawn by lot"))
    finalists.write(season, "Ada")
