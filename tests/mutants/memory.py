"""Mutants in memory: a whole check on virtual time, without a process."""

from __future__ import annotations

import asyncio
import functools
import random
from collections.abc import Callable
from dataclasses import replace

from contest.rehearse.loop import VirtualLoop
from lpp.conformance.acts import USUAL, Durations
from lpp.conformance.cases import CASES, Case, CheckResult
from lpp.conformance.check import Setup, Tell, play
from lpp.conformance.log import DIRECTORY, FILE, NON_EMPTY
from lpp.conformance.stage import Created, WatchedDirectory
from lpp.numbers import MemoryNumbers
from lpp.pace import Pace
from lpp.program import Program
from tests.mutants.mutant import Dies, Files, Mutant

#: Seconds between two looks of a mutant.
TURN = 0.1
#: When virtual time begins, for sequence numbers that contain the time.
EPOCH = 1e6


class Person(Mutant):
    """A mutant that types as a person does: with thought, pauses and corrections.

    Arguments:
        fault, files, now: as for `Mutant`.
        pace: how it types.
        seed: makes chance repeatable.
    """

    def __init__(self, fault: str, files: Files, now: float, pace: Pace, seed: int) -> None:
        super().__init__(fault, files, now)
        self._pace = pace
        self._rng = random.Random(seed)

    def say(self, text: str, at: float) -> None:
        at = max(at, self.typed[-1][0] if self.typed else 0.0)
        for stroke in self._pace.strokes(text, self._rng):
            at += stroke.delay
            self.typed.append((at, stroke.key))


class MemoryPlace(WatchedDirectory):
    """A directory in memory; tells of creations at once.

    Attributes:
        entries: what stands in it, by kind.
    """

    poll: float | None = None

    def __init__(self, now: Callable[[], float]) -> None:
        self._path = "memory"
        self.ordered = True
        self.entries: dict[str, str] = {}
        self._now = now
        self._watches: list[tuple[Created, Callable[[], None]]] = []

    def names(self) -> list[str]:
        return list(self.entries)

    def what(self, name: str) -> str | None:
        return self.entries.get(name)

    def make(self, name: str) -> None:
        self.plant(name, DIRECTORY)

    def plant(self, name: str, what: str) -> None:
        if name in self.entries:
            raise FileExistsError(17, "File exists", name)
        self.entries[name] = what
        for created, _ in self._watches:
            created(name, self._now())

    def remove(self, name: str) -> str | None:
        what = self.entries.pop(name, None)
        for _, changed in self._watches:
            changed()
        return what

    def watch(self, created: Created, changed: Callable[[], None]) -> Callable[[], None]:
        watch = (created, changed)
        self._watches.append(watch)
        return lambda: self._watches.remove(watch)


_KINDS = {"plain file": FILE, "directory": DIRECTORY, "directory with something in it": NON_EMPTY}


class MemoryProgram(Program):
    """A mutant as the program of a stage; a life is a task.

    Arguments:
        fault: as for `Mutant`.
        place: its directory.
        load: seconds from its start to its first look.
        gap, echo, turn: as for `Mutant`.
        pace: types as a person does, if given.
        seed: for a person's chance.
    """

    def __init__(
        self,
        fault: str,
        place: MemoryPlace,
        *,
        load: float = 0.0,
        gap: float = 0.0,
        echo: bool = True,
        turn: float = 0.0,
        pace: Pace | None = None,
        seed: int = 1,
    ) -> None:
        self._fault = fault
        self._place = place
        self._load = load
        self._gap = gap
        self._echo = echo
        self._turn = turn
        self._pace = pace
        self._seed = seed
        self._task: asyncio.Task[None] | None = None
        self._ending = ""

    def names(self) -> list[str]:
        return self._place.names()

    def make(self, name: str, what: str) -> None:
        self._place.plant(name, _KINDS[what])

    def remove(self, name: str) -> None:
        self._place.remove(name)

    async def start(self, changed: Callable[[], None]) -> None:
        self._ending = ""
        self._task = asyncio.create_task(self._live())
        self._task.add_done_callback(lambda _: changed())

    async def _live(self) -> None:
        loop = asyncio.get_running_loop()
        await asyncio.sleep(self._load)
        try:
            mutant = self._mutant(EPOCH + loop.time())
            while True:
                mutant.step(EPOCH + loop.time())
                await asyncio.sleep(self._turn / 2 or TURN)
        except Dies:
            self._ending = "exit code 3"

    def _mutant(self, now: float) -> Mutant:
        if self._pace is not None:
            return Person(self._fault, self, now, self._pace, self._seed)
        return Mutant(self._fault, self, now, gap=self._gap, echo=self._echo, turn=self._turn)

    async def stop(self) -> None:
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    @property
    def ending(self) -> str:
        return self._ending

    @property
    def has_output(self) -> bool:
        return bool(self._ending)

    @property
    def output(self) -> str:
        return ""

    @property
    def running(self) -> bool:
        return self._task is not None and not self._task.done()


#: Shortens the long line, which halves a check's time; most programs read it the same way.
SHORT = replace(USUAL, long_keys=60)


@functools.lru_cache(maxsize=8)  # a check on virtual time comes out the same each time
def check_mutant(
    fault: str,
    *,
    cases: tuple[Case, ...] = CASES,
    measures: Durations = SHORT,
    restartable: bool = True,
    strict: bool = False,
    tell: Tell = lambda result, log: None,
    load: float = 0.0,
    gap: float = 0.0,
    echo: bool = True,
    turn: float = 0.0,
    pace: Pace | None = None,
    seed: int = 1,
) -> CheckResult:
    """Checks a mutant in memory.

    Arguments:
        fault: as for `Mutant`.
        cases, strict, measures, tell: as for `Setup`.
        restartable: whether the stage may start it; if not, it runs already.
        load, gap, echo, turn, pace, seed: as for `MemoryProgram`.
    """

    async def whole() -> CheckResult:
        place = MemoryPlace(asyncio.get_running_loop().time)
        program = MemoryProgram(
            fault, place, load=load, gap=gap, echo=echo, turn=turn, pace=pace, seed=seed
        )
        if not restartable:
            await program.start(lambda: None)
        try:
            return await play(
                Setup(cases=cases, strict=strict, measures=measures, tell=tell),
                place,
                program if restartable else None,
                MemoryNumbers(),
            )
        finally:
            await program.stop()

    with asyncio.Runner(loop_factory=VirtualLoop) as runner:
        return runner.run(whole())
