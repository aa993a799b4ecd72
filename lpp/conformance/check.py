"""A whole check: which scripts are played, in which lives of the program, and what comes of it.

Few lives, so that a right program is through in under a minute: the first in an empty directory,
the second beside old keys and foreign things, the third finds `.judge` left-overs. A program that
died, fell silent or is still typing at a person's pace is started again in between.
"""

from __future__ import annotations

import asyncio
import contextlib
import shutil
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from lpp.conformance import texts
from lpp.conformance.cases import CASES, Case, CaseResult, CheckResult
from lpp.conformance.log import DIRECTORY, FILE, FULL, Full, Kind, Log
from lpp.conformance.stage import Place, Stage
from lpp.conformance.talk import USUAL, Measures, Talk, is_spared
from lpp.directory import rooms_parent
from lpp.errors import YoursToFix
from lpp.keypress import WIDTH, Side
from lpp.names import keys_of
from lpp.numbers import ForgetfulNumbers, Numbers, StoredNumbers
from lpp.program import Program

LIVES: tuple[tuple[str, ...], ...] = (
    (
        *("waits-empty", "greet", "probe", "spelling", "backspace", "unknown"),
        *("silence", "burst"),
    ),
    ("waits-beside", "empties", "keys", "while-typing", "long", "beside"),
    ("leftovers", "slow", "restart", "alone"),
)

#: Foreign things, put beside the talk.
FOREIGN = (("notes", DIRECTORY), ("pictures", FULL), ("Thumbs.db", FILE))
#: Starts of a program beyond the planned ones; one that dies each time has shown what it does.
EXTRA_STARTS = 6
#: Seconds to let a program load before keys are in its directory, where no act waits anyway.
LOADING = 1.5
#: Seconds kept back for stopping the program and for judging.
ENDING = 6.0

Tell = Callable[[CaseResult, Log], None]


class NothingToCheck(YoursToFix):
    """Neither a program nor a directory was given."""


@dataclass(frozen=True, slots=True)
class Setup:
    """What to check, and how.

    Attributes:
        words: the program and its arguments, `{dir}` in them for the directory; none if the
            entry is running.
        directory: where the entry is running, or shall be; a new one if left out.
        cases: which cases.
        strict: whether a SHOULD counts as a MUST.
        measures: how long things take.
        attested: what a person attested.
        tell: given each case's result as soon as it is known, with the log so far.
    """

    words: tuple[str, ...] = ()
    directory: Path | None = None
    cases: tuple[Case, ...] = CASES
    strict: bool = False
    measures: Measures = USUAL
    attested: frozenset[str] = frozenset()
    tell: Tell = lambda result, log: None


async def check(setup: Setup) -> CheckResult:
    """Checks an entry.

    Raises:
        NothingToCheck: without a program and a directory.
        BadDirectory: if the directory is not one, or can't be written.
        CantStart: if the program can't be started.
        Surroundings: if the directory fails meanwhile.
    """
    if not setup.words and setup.directory is None:
        raise NothingToCheck(
            "say what to check: a program (-- PROGRAM ARGS, with {dir} in ARGS for the directory) "
            "or --dir DIR, the directory in which one is running"
        )
    with _directory(setup.directory) as path:
        place = Place(path)
        numbers: Numbers = ForgetfulNumbers()
        if setup.directory is not None:
            # A program that runs on may pass over numbers that it has seen before.
            numbers = StoredNumbers.of(place.path, Side.JUDGE)
        process = Program(list(setup.words), place.path) if setup.words else None
        try:
            return await play(setup, place, process, numbers)
        finally:
            if process is not None:
                process.close()


@contextlib.contextmanager
def _directory(given: Path | None) -> Iterator[Path]:
    if given is not None:
        yield given
        return
    made = Path(tempfile.mkdtemp(prefix="loebner-check-", dir=rooms_parent()))
    try:
        yield made
    finally:
        shutil.rmtree(made, ignore_errors=True)


async def play(
    setup: Setup, place: Place, program: Program | None, numbers: Numbers
) -> CheckResult:
    """`check` over any place and program: what tests call on virtual time.

    Arguments:
        setup: what to check, its words and directory apart.
        place, program, numbers: as for `Stage`.
    """
    log = Log(program is not None, setup.attested)
    results: dict[str, CaseResult] = {}

    def judge(case: Case) -> None:
        if case.id not in results:
            results[case.id] = case.judge(log, setup.strict)
            setup.tell(results[case.id], log)

    def judge_early() -> None:
        for case in setup.cases:
            if case.early and not player.to_come & {*case.acts}:
                judge(case)

    stage = Stage(place, program, numbers, log)
    async with stage.open():
        player = Player(stage, setup.measures, setup.cases, judge_early)
        if player.to_come:
            await player.play()
        ended = log.of(Kind.EXITED)
        if log.trouble and ended:
            log.trouble = f"{log.trouble} ({ended[-1].detail})"
        # What stands unread now has been waited for; stopping comes after.
        for case in setup.cases:
            judge(case)
    cases = tuple(results[case.id] for case in setup.cases)
    return CheckResult(cases, log, program.output if program else "", stage.now())


class Player:
    """Plays the acts that some cases need.

    Arguments:
        stage: an open stage.
        measures: how long things take.
        cases: what is to be judged.
        played: called when an act will not be played again.

    Attributes:
        lives: the acts by the program's lives.
        to_come: the acts that are still to be played.
    """

    def __init__(
        self,
        stage: Stage,
        measures: Measures,
        cases: tuple[Case, ...],
        played: Callable[[], None] = lambda: None,
    ) -> None:
        self.stage = stage
        self.talk = Talk(stage, measures)
        self._log = stage.log
        self._whole = measures.whole
        self._played = played
        wanted = {act for case in cases for act in case.acts}
        self.lives = [[act for act in life if act in wanted] for life in LIVES]
        if not self._log.restartable:
            # No left-overs at a start; and what makes it type longest can't be cut, so comes last.
            moved = ("leftovers", "long")
            self.lives = [[act for act in life if act not in moved] for life in self.lives]
            self.lives.append([act for act in ("long",) if act in wanted])
        self.to_come = {act for life in self.lives for act in life}
        self._extra = EXTRA_STARTS if self._log.restartable else 0

    async def play(self) -> None:
        """Plays, until the end or until time is up. `log.trouble` says what kept it from its end.

        Raises:
            CantStart: if the program can't be started.
        """
        try:
            async with asyncio.timeout(self._whole - ENDING - self.stage.now()):
                for acts in self.lives:
                    if acts and not await self._play_life(acts):
                        break
        except TimeoutError:
            self._log.trouble = f"the {self._whole:.0f} seconds of the whole check were used up"
        except Full:
            self._log.trouble = "the program flooded the directory, so the check was ended"

    async def _play_life(self, acts: list[str]) -> bool:
        """Plays one life's acts; returns whether to go on with the next life."""
        if not self._log.life or self._log.restartable:
            await self._begin(acts)
        else:
            # It runs on: what others find at a start comes while it runs.
            self._plant(acts)
            await self.talk.quiet()
        merged = False
        for act in list(acts):
            if self._ended_at_once():
                return False
            self._put_off(acts)
            if act not in acts:
                continue
            if is_spared(act, self._log):
                self.to_come.discard(act)
                continue
            if not await self._ready(act):
                return False
            last = act == acts[-1]
            answered = await self.talk.act(act, last)
            if merged and answered is False and self._extra:
                # Was it this act, or the one before? This one again, alone.
                await self._start_again()
                await self.talk.act(act, last)
            merged = answered is None and act in ("silence", "empties")
            self.to_come.discard(act)
            self._played()
        self._played()
        return not self._ended_at_once()

    def _ended_at_once(self) -> bool:
        log = self._log
        ended = log.life == 1 and not self.stage.alive and not log.of(Kind.PRESSED)
        if ended:
            log.trouble = "the program ended by itself before the judge had pressed a key"
        return ended

    def _put_off(self, acts: list[str]) -> None:
        """Puts what takes longest last, where nothing else can be lost to it: to type an echo of
        200 keys takes a person most of a minute."""
        # What a running program types longest can't be cut, and comes later still.
        last = self.lives[-1 if self._log.restartable else -2]
        if "burst" in acts and acts is not last and self.talk.echoes and self.talk.slow_typist:
            acts.remove("burst")
            # What is only reported comes after it.
            last.insert(last.index("alone") if "alone" in last else len(last), "burst")

    async def _ready(self, act: str) -> bool:
        """Sees to it that the entry is there, and quiet; returns False if it can't be started."""
        if not self.stage.alive:
            self._log.trouble = "the program ended by itself again and again"
            if self._extra:
                await self._start_again()
                self._log.trouble = ""
                if not self.stage.alive:
                    self._log.trouble = "started again, the program ended by itself at once"
            return self.stage.alive
        if act == "leftovers":
            return True
        talk = self.talk
        hangs = talk.unanswered and talk.answers
        busy = talk.still_typing or talk.owes
        if self._extra and (hangs or (busy and talk.may_cut and act != "silence")):
            await self._start_again()
        elif busy:
            if talk.owes:
                await talk.be_paid()
            await talk.quiet()
        return True

    async def _start_again(self) -> None:
        self._extra -= 1
        await self._begin([])

    async def _begin(self, acts: list[str]) -> None:
        await self.stage.stop()
        self.stage.sweep()
        self.talk.unanswered = False
        self._plant(acts)
        await self.stage.start()
        if not any(act in ("waits-empty", "waits-beside", "leftovers") for act in acts):
            self._log.act = "start"
            await self._let_load()

    async def _let_load(self) -> None:
        """Waits until the program writes something, as one that says that it is ready; a while if
        it writes nothing."""
        until = self.stage.now() + LOADING + min(15.0, self.talk.load)
        while self.stage.alive and not self.stage.spoke and self.stage.now() < until:
            await self.talk.pause(0.05)
        if self.stage.spoke:
            await self.talk.pause(0.3)

    def _plant(self, acts: list[str]) -> None:
        if "waits-beside" in acts or "beside" in acts:
            self._log.act = "waits-beside"
            for name in old_keys(self._log):
                self.stage.plant(name)
            for name, what in FOREIGN:
                self.stage.plant(name, what)
        if "leftovers" in acts:
            self._log.act = "leftovers"
            for key in keys_of(texts.LEFT_OVER + "\n"):
                self.stage.press(key)


def old_keys(log: Log) -> list[str]:
    """Names of two `.other` directories as an earlier talk may have left them: below all that the
    entry has typed, so that its own next ones can't meet them."""
    keys = [key for key in log.typed() if key.value is not None and key.extension == "other"]
    lowest = min((key.value or 0 for key in keys), default=2)
    width = len(keys[0].sequence) if keys else WIDTH
    numbers = [lowest - 2, lowest - 1] if lowest >= 2 else [0]
    taken = {key.name for key in keys}
    names = [f"{number:0{width}d}.{key}.other" for number, key in zip(numbers, "qz", strict=False)]
    return [name for name in names if name not in taken]
