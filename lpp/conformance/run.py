"""A whole check: directory, program, plan, outcomes."""

from __future__ import annotations

import contextlib
import shutil
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from lpp.conformance.cases import CASES, Case
from lpp.conformance.log import Kind, Log
from lpp.conformance.outcome import Outcome
from lpp.conformance.places import LocalPlace, Place
from lpp.conformance.plan import Player
from lpp.conformance.program import Process
from lpp.conformance.stage import Program, Stage
from lpp.conformance.talk import FULL, USUAL, Measures
from lpp.conformance.verdict import Facts, judge, passed
from lpp.directory import rooms_parent
from lpp.ending import run_in_order
from lpp.errors import YoursToFix
from lpp.keypress import Side
from lpp.numbers import ForgetfulNumbers, Numbers, StoredNumbers

#: Cases that no act decides alone: judged at the end, by everything that was seen.
_BY_ALL = (
    *("2.A.a", "2.A.b", "2.A.c", "2.A.d", "2.B/removes", "2.B/prompt", "2.B/while-typing"),
    *("2.B/only", "2.B/keys", "3/restart"),
)


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
        full: whether to take up to ten minutes, with longer silences.
        attested: what a person attested.
    """

    words: tuple[str, ...] = ()
    directory: Path | None = None
    cases: tuple[Case, ...] = CASES
    strict: bool = False
    full: bool = False
    attested: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Result:
    """What a check came to.

    Attributes:
        outcomes: one a case, in the table's order.
        log: the wire log.
        output: the end of what the program wrote.
        trouble: what kept the check from its end, in words, or "".
        seconds: how long it took.
    """

    outcomes: list[Outcome]
    log: Log
    output: str = ""
    trouble: str = ""
    seconds: float = 0.0
    passed: bool = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "passed", passed(self.outcomes))

    def document(self) -> dict[str, object]:
        """As `check-bot --json` gives it."""
        return {"cases": [o.document() for o in self.outcomes], "passed": self.passed}


Tell = Callable[[Outcome, Log], None]


async def check(
    setup: Setup,
    tell: Tell = lambda outcome, log: None,
    measures: Measures | None = None,
) -> Result:
    """Checks an entry.

    Arguments:
        setup: what to check, and how.
        tell: given each case's outcome as soon as it is known, with the log so far.
        measures: how long things take; as `setup` says if left out.

    Raises:
        NothingToCheck: without a program and a directory.
        BadDirectory: if the directory is none, or can't be written.
        CantStart: if the program can't be started.
        Surroundings: if the directory fails meanwhile.
    """
    if not setup.words and setup.directory is None:
        raise NothingToCheck(
            "say what to check: a program (-- PROGRAM ARGS, with {dir} in ARGS for the directory) "
            "or --dir DIR, the directory in which one is running"
        )
    with _directory(setup.directory) as path:
        place = LocalPlace(path)
        numbers: Numbers = ForgetfulNumbers()
        if setup.directory is not None:
            # A program that runs on may pass over numbers that it has seen before.
            numbers = StoredNumbers.of(place.path, Side.JUDGE)
        process = Process(list(setup.words), place.path) if setup.words else None
        if measures is None:
            measures = FULL if setup.full else USUAL
        try:
            return await play(setup, place, process, numbers, measures, tell)
        finally:
            if process is not None:
                process.close()


async def play(
    setup: Setup,
    place: Place,
    program: Program | None,
    numbers: Numbers,
    measures: Measures,
    tell: Tell = lambda outcome, log: None,
) -> Result:
    """The same over any place and program: what tests call on virtual time.

    Arguments:
        setup: which cases, and how they are judged; its words and directory are passed over.
        place, program, numbers: as for `Stage`.
        measures: how long things take.
        tell: as for `check`.
    """
    stage = Stage(place, program, numbers)
    told: dict[str, Outcome] = {}

    def facts(trouble: str = "") -> Facts:
        return Facts(setup.attested, stage.restartable, trouble, setup.strict)

    def decide(case: Case, trouble: str = "") -> None:
        if case.id not in told:
            told[case.id] = judge(case, stage.log, facts(trouble))
            tell(told[case.id], stage.log)

    def played() -> None:
        for case in setup.cases:
            if not case.id.startswith(_BY_ALL) and not player.to_come & {*case.acts}:
                decide(case)

    async with stage.open():
        player = Player(stage, measures, setup.cases, played)
        if any(player.lives):
            await player.play()
        trouble = player.trouble
        ended = stage.log.of(Kind.EXITED)
        if trouble and ended:
            trouble = f"{trouble} ({ended[-1].detail})"
        # What stands unread now has been waited for; stopping comes after.
        for case in setup.cases:
            decide(case, trouble)
    return Result(
        [told[case.id] for case in setup.cases],
        stage.log,
        getattr(program, "output", ""),
        trouble,
        stage.now(),
    )


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


def check_now(setup: Setup, tell: Tell = lambda outcome, log: None) -> Result:
    """`check`, for callers without a loop."""
    return run_in_order(check(setup, tell))
