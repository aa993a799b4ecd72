"""Verification of a discipline's run: checks its record and files, and recomputes its result."""

from __future__ import annotations

import contextlib
import copy
import hashlib
import importlib
import tomllib
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import TypeAlias

from contest.errors import ContestError
from contest.record import reading
from contest.record.events import GENESIS, Json
from contest.record.store import FILE_NAME as RECORD_FILE
from contest.record.store import sqlite_url
from contest.setup.settings import FILE_NAME as SETTINGS_FILE
from contest.verify.chain import Chain
from contest.verify.findings import Check, Report, quoted
from disciplines.events import RunOpened, RunResult
from disciplines.run import ItemFailed, State, body_of
from scheduler.errors import SchedulerError
from scheduler.texts import counted

_OWN = "run"
#: Recomputes a part of a run: reports each difference to the check, and returns its summary.
Step: TypeAlias = Callable[[Check, State, Path], str]

#: The module of each discipline whose `CHECKS` maps names to the steps that recompute parts of a
#: run.
DISCIPLINES: Mapping[str, str] = MappingProxyType(
    {
        "chatgpt4pcg": "disciplines.chatgpt4pcg.run",
        "ige": "disciplines.ige.run",
        "labyrinth": "disciplines.labyrinth.report",
    }
)


def discipline_of(folder: Path) -> str | None:
    """The discipline of a folder's run, from the first event of its record, or from its settings if
    the record can't be read. None if there is no such run."""
    if not (folder / RECORD_FILE).is_file():
        return None
    with contextlib.suppress(ContestError):
        first = next(reading.open_reader(sqlite_url(folder / RECORD_FILE)).events(), None)
        if first is not None and first.kind == RunOpened.kind:
            return str(first.body.get("discipline"))
        if first is not None:
            return None
    with contextlib.suppress(OSError, ValueError):
        found = tomllib.loads((folder / SETTINGS_FILE).read_text("utf-8")).get("discipline")
        return None if found is None else str(found)
    return None


def verify(folder: Path, head: str | None = None) -> Report:
    """Verifies the run of a discipline's folder.

    Arguments:
        folder: a folder for which `discipline_of` finds a discipline.
        head: the published head of its record, in hex, or None.

    Returns:
        The findings. A damaged record is a finding, not an error.
    """
    chain, state, order = Chain(body_of, _OWN), State(), Check("order", _OWN)
    # Events after a result, such as ratings or a stage that is repeated, belong to the next one.
    at_result, since = state, 0
    rows = reading.read_rows(sqlite_url(folder / RECORD_FILE), thorough=True)
    for event, body in chain.events(rows):
        if isinstance(body, RunOpened) == bool(state.discipline):
            order.at(
                *(event, "it precedes the opening event")
                if state.discipline == ""
                else (event, "the run was already opened")
            )
        state.apply(event, body)
        since += 1
        if isinstance(body, RunResult):
            at_result, since = copy.deepcopy(state), 0
    checks = [chain.check(), chain.check_heads(head, "--head")]
    if chain.usable:
        answers, failed = len(state.answers), sum(map(len, state.failures.values()))
        order.summary = f"{counted(answers, 'answer')}, {counted(failed, 'failure')} with reasons"
        checks += [order, _files(state, folder)]
    if chain.usable and state.discipline in DISCIPLINES:
        steps = importlib.import_module(DISCIPLINES[state.discipline]).CHECKS
        checks += _recomputed(steps, state, at_result, folder)
        if state.result is not None and since:
            checks[-1].summary += f"; {counted(since, 'event')} since, not in this result"
    elif chain.usable:
        order.tell(f"the discipline {quoted(state.discipline)} is unknown to this version")
    return Report(
        checks=tuple(checks),
        events=chain.read,
        head="" if chain.head == GENESIS else chain.head,
        finished=state.result is not None,
    )


def _files(state: State, folder: Path) -> Check:
    """Checks the files that were written with the result."""
    check = Check("published", _OWN)
    if state.result is None:
        return check.with_summary("no result yet")
    for name, digest in state.result.files.items():
        if Path(name).is_absolute() or ".." in Path(name).parts:
            check.tell(f"{quoted(name)} is not a file below this folder")
            continue
        try:
            data = (folder / name).read_bytes()
        except OSError as exc:
            check.tell(f"{quoted(name)} can't be read ({exc.strerror or exc})")
            continue
        if hashlib.sha256(data).hexdigest() != digest:
            check.tell(f"{quoted(name)} has changed since it was written with the result")
    return check.with_summary(
        f"{counted(len(state.result.files), 'file')} unchanged since the result"
    )


def _recomputed(
    steps: Mapping[str, Step], state: State, at_result: State, folder: Path
) -> list[Check]:
    """A check for each step; the last one recomputes the result, from the state at that time. A
    part of the record that is too damaged to be recomputed is a fault."""
    found = []
    for name, step in steps.items():
        check = Check(name, _OWN)
        try:
            check.summary = step(check, at_result if name == "result" else state, folder)
        except (
            *(ContestError, SchedulerError, ItemFailed),
            *(AttributeError, LookupError, TypeError, ValueError),
        ) as exc:
            check.tell(f"can't be recomputed: {quoted(str(exc))}")
        found.append(check)
    return found


def compare(
    check: Check,
    state: State,
    value: Json,
    made: Mapping[str, bytes],
    without: Collection[str] = (),
) -> None:
    """Compares a recomputed result with the one on record.

    Arguments:
        check: collects the differences.
        state: the run's state, which has a result.
        value: the recomputed value of the result.
        made: path to content of the files made again.
        without: paths of files that need not be equal.
    """
    assert state.result is not None
    if value != state.result.value:
        check.tell("the recomputed result is different")
    for name in made.keys() - set(without):
        if hashlib.sha256(made[name]).hexdigest() != state.result.files.get(name):
            check.tell(f"{name} differs from the recomputed file")
