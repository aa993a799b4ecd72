"""A rehearsal from beginning to end: its folder, its play, its report."""

from __future__ import annotations

import contextlib
import logging
import re
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec

from contest.errors import BadSettings, Surroundings
from contest.record import reading
from contest.rehearsal import loop
from contest.rehearsal.cast import Cast
from contest.rehearsal.faults import Fault
from contest.rehearsal.looking import Facts, look
from contest.rehearsal.play import Broken, Rehearsal
from contest.rehearsal.report import Report
from contest.results.comparison import verify_all
from contest.setup import folder as folders
from contest.setup.planning import schedule_of
from contest.setup.settings import FILE_NAME, Settings, load, parse
from contest.talks.standing import FILE_NAME as CLOCK
from lpp.directory import rooms_parent

Tell = Callable[[float, str], None]


def rehearse(
    folder: Path,
    make_cast: Callable[[Settings, int], Cast],
    faults: tuple[Fault, ...],
    *,
    seed: int,
    program: str,
    out: Path | None = None,
    tell: Tell = lambda seconds, words: None,
) -> Report:
    """Rehearses a contest. Nothing in its own folder is touched.

    Arguments:
        folder: the contest's folder.
        make_cast: who plays, by settings and seed.
        faults: what is to happen.
        seed: with the same seed the same happens again.
        program: name and version of what plays it, for the record.
        out: where the rehearsal's own contest folder is left, new or empty; None leaves none.
        tell: told in words how it goes on, with the seconds of the contest since the beginning.

    Raises:
        YoursToFix: if the contest can't be used, or `out` is not empty.
        SchedulerError: if no schedule can be had.
        Surroundings: if nothing can be written.
    """
    if out is not None:
        folders.refuse_unless_empty(out)
    settings = load(folder)
    schedule = schedule_of(settings, folder)
    began = time.perf_counter()
    with tempfile.TemporaryDirectory(prefix="loebner-", dir=rooms_parent()) as scratch:
        # In memory where there is such a place: how fast a disk is, is not what is rehearsed.
        stage = Path(scratch) / "contest"
        rehearsed = _copied(folder, settings, stage)
        rehearsal = Rehearsal(
            *(stage, rehearsed, schedule, make_cast(rehearsed, seed), faults, seed, program, tell)
        )
        broken = ""
        with _quiet():
            try:
                loop.run(rehearsal.play(Path(scratch)))
            except (Broken, loop.Asleep) as exc:
                broken = str(exc)
        events = list(reading.log(stage).events())
        facts = Facts(events, [entry.id for entry in settings.entry])
        checks = look(rehearsal, facts, verify_all(stage, rehearsal.head or None), broken)
        if out is not None:
            _keep(stage, out)
    return Report(
        contest=settings.contest.name,
        seed=seed,
        entries={entry.id: entry.name for entry in rehearsal.entries.values()},
        rounds=tuple(facts.rounds()),
        delays=facts.delays(),
        faults=tuple(rehearsal.happened),
        checks=checks,
        lasted=rehearsal.lasted,
        took=time.perf_counter() - began,
        events=len(events),
        head=rehearsal.head,
        folder=str(out or ""),
    )


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """What the server logs of the faults is in the report; whoever has set logging up gets it."""
    log, handler = logging.getLogger("contest"), logging.NullHandler()
    log.addHandler(handler)
    try:
        yield
    finally:
        log.removeHandler(handler)


def _copied(folder: Path, settings: Settings, stage: Path) -> Settings:
    """Copies a contest's settings, and the schedule that they name, without their record.

    Returns:
        The settings of the copy.

    Raises:
        BadSettings: if the record's place can't be taken out of them.
    """
    text = (folder / FILE_NAME).read_text(encoding="utf-8-sig")
    text = re.sub(r"^(\s*(?:database|copy_to)\s*=).*$", r'\1 ""', text, flags=re.MULTILINE)
    rehearsed = parse(text, str(folder / FILE_NAME))
    # That is the contest's own, and no line of a text in it must have been taken for an option.
    if rehearsed != msgspec.structs.replace(settings, record=type(settings.record)()):
        raise BadSettings(
            f"{folder / FILE_NAME}: write `database = …` and `copy_to = …` on lines of their own "
            "in [record], and nowhere else: a rehearsal has a record of its own"
        )
    folders.make(stage, text)
    if settings.rules.schedule:
        file = stage / Path(settings.rules.schedule).name
        shutil.copyfile(folder / settings.rules.schedule, file)
    return rehearsed


def _keep(stage: Path, out: Path) -> None:
    try:
        leave = shutil.ignore_patterns("*-lock", CLOCK)
        shutil.copytree(stage, out, dirs_exist_ok=True, ignore=leave)
    except (OSError, shutil.Error) as exc:
        reason = getattr(exc, "strerror", None) or exc
        raise Surroundings(f"{out}: can't be written ({reason})") from exc
