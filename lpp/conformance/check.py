"""Runs a whole check: `check` with a real directory and program, `play` with any."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from lpp.conformance.acts import USUAL, ActPlayer, Durations
from lpp.conformance.cases import CASES, Case, CaseResult, CheckResult
from lpp.conformance.log import Kind, Log
from lpp.conformance.stage import Stage, WatchedDirectory
from lpp.directory import communications_root
from lpp.errors import UserError
from lpp.keypress import Side
from lpp.numbers import MemoryNumbers, Numbers, StoredNumbers
from lpp.program import Program

Tell = Callable[[CaseResult, Log], None]


class NothingToCheck(UserError):
    """Neither a program nor a directory was given."""


@dataclass(frozen=True, slots=True)
class Setup:
    """What to check, and how.

    Attributes:
        words: the program and its arguments, with `{dir}` for the directory; empty if the entry is
            already running.
        directory: the directory in which the entry runs, or will run; a new one by default.
        cases: the cases to check.
        strict: whether a SHOULD counts as a MUST.
        measures: durations and sizes of the acts.
        attested: what a person has attested.
        tell: called with each case's result as soon as it is known, and the log so far.
    """

    words: tuple[str, ...] = ()
    directory: Path | None = None
    cases: tuple[Case, ...] = CASES
    strict: bool = False
    measures: Durations = USUAL
    attested: frozenset[str] = frozenset()
    tell: Tell = lambda result, log: None


async def check(setup: Setup) -> CheckResult:
    """Checks an entry.

    Raises:
        NothingToCheck: if neither a program nor a directory was given.
        BadDirectory: if the directory is not one, or can't be written.
        CantStart: if the program can't be started.
        EnvironmentProblem: if the directory fails during the check.
    """
    if not setup.words and setup.directory is None:
        raise NothingToCheck(
            "give a program to check (-- PROGRAM ARGS, with {dir} in ARGS for the directory) "
            "or --dir DIR, the directory in which one is running"
        )
    with contextlib.ExitStack() as stack:
        path = setup.directory
        numbers: Numbers = MemoryNumbers()
        if path is None:
            made = tempfile.TemporaryDirectory(
                prefix="loebner-check-", dir=communications_root(), ignore_cleanup_errors=True
            )
            path = Path(stack.enter_context(made))
        place = WatchedDirectory(path)
        if setup.directory is not None:
            # A program that is already running may ignore numbers that it has seen before.
            numbers = StoredNumbers.of(place.path, Side.JUDGE)
        process = Program(list(setup.words), place.path) if setup.words else None
        if process is not None:
            stack.callback(process.close)
        return await play(setup, place, process, numbers)


async def play(
    setup: Setup, place: WatchedDirectory, program: Program | None, numbers: Numbers
) -> CheckResult:
    """Like `check`, with any place and program; tests call it on virtual time.

    Arguments:
        setup: what to check; its words and directory are not used.
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
            if case.early and not player.remaining & {*case.acts}:
                judge(case)

    stage = Stage(place, program, numbers, log)
    async with stage.open():
        wanted = (act for case in setup.cases for act in case.acts)
        player = ActPlayer(stage, setup.measures, wanted, judge_early)
        if player.remaining:
            await player.play()
        ended = log.of(Kind.EXITED)
        if log.trouble and ended:
            log.trouble = f"{log.trouble} ({ended[-1].detail})"
        # The check has waited for unread keys by now; judge before stopping the program.
        for case in setup.cases:
            judge(case)
    cases = tuple(results[case.id] for case in setup.cases)
    return CheckResult(cases, log, program.output if program else "", stage.now())
