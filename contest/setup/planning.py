"""The schedule of a contest: the file that its settings name, or one made for its numbers and
wishes."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import scheduler
from contest.errors import BadSettings
from contest.setup.settings import FILE_NAME, People, Settings, people_of, problem_of
from scheduler.planning import SECONDS, Wishes


def schedule_of(settings: Settings, folder: Path) -> scheduler.Schedule:
    """The schedule that a contest is played by.

    Arguments:
        settings: the contest's settings; ids are given to J1, E1, C1… in their order.
        folder: the contest's folder, where `[rules] schedule` stands.

    Raises:
        BadSettings: if nobody is there, or the schedule names others than the settings do, or does
            what must not be by `[schedule]`.
        scheduler.SchedulerError: if none can be had for these numbers and wishes, or the file is no
            schedule.
    """
    where = folder / FILE_NAME
    if settings.rules.schedule:
        _refuse_nobody(settings, where)
        schedule = _read(settings, folder)
    else:
        schedule = made_of(settings, folder).schedule
    _check_names(schedule, settings, where)
    _check_rounds(schedule, settings, where)
    _check_wishes(schedule, settings, where)
    return schedule


def made_of(
    settings: Settings,
    folder: Path,
    *,
    more: Wishes = scheduler.NO_WISHES,
    seed: int | None = None,
    seconds: float = SECONDS,
) -> scheduler.Made:
    """A schedule made for the numbers and wishes of a contest, whether or not its settings name a
    file. Where not everybody can meet, it loses the fewest pairs.

    Arguments:
        settings: the contest's; ids are given to J1, E1, C1… in their order.
        folder: the contest's folder.
        more: wishes beside those of the settings.
        seed: draws names and order, the same for the same seed.
        seconds: how long the solver may search, where it is needed.

    Raises:
        BadSettings: if nobody is there.
        scheduler.SchedulerError: if none can be had; see `scheduler.make`.
    """
    _refuse_nobody(settings, folder / FILE_NAME)
    people = people_of(settings)
    wishes = settings.schedule.wishes().and_also(more)
    rounds = settings.rules.rounds
    if wishes != scheduler.NO_WISHES:
        problem = wishes.problem(*people, rounds)
        return scheduler.planned(problem, seconds, wishes=wishes, seed=seed or 0)
    judges, entries, confederates = map(len, people)
    try:
        made = scheduler.make(judges, entries, confederates, rounds, seed, seconds=seconds)
    except scheduler.BestInstead as refusal:
        # Two of each, for example: not everybody can meet, and the contest is played all the same.
        made = refusal.best
    roster = made.schedule.roster
    names: dict[str, str] = {}
    for kind, ids in zip((roster.judges, roster.entries, roster.confederates), people, strict=True):
        names.update(zip(kind, ids, strict=True))
    return _named(made, names, people)


def _named(made: scheduler.Made, names: dict[str, str], people: People) -> scheduler.Made:
    """The same schedule and proof by the ids of the contest."""
    pairings = tuple(
        scheduler.Pairing(p.round, names[p.judge], names[p.entry], names[p.confederate])
        for p in made.schedule.pairings
    )
    judges, entries, confederates = map(tuple, people)
    schedule = scheduler.Schedule.of(
        pairings, judges=judges, entries=entries, confederates=confederates
    )
    proof = made.proof
    if proof is not None:
        problem = replace(proof.problem, judges=judges, entries=entries, confederates=confederates)
        proof = replace(proof, problem=problem, planned=pairings)
    return replace(made, schedule=schedule, report=scheduler.check(schedule), proof=proof)


def _read(settings: Settings, folder: Path) -> scheduler.Schedule:
    file = folder / settings.rules.schedule
    try:
        text = file.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as exc:
        why = exc.strerror if isinstance(exc, OSError) and exc.strerror else exc
        raise BadSettings(
            f"{folder / FILE_NAME}: [rules] schedule: {file} can't be read ({why}); name a file "
            "beside it"
        ) from exc
    read = scheduler.read_schedule(text, source=str(file))
    if not isinstance(read, scheduler.Schedule):
        raise BadSettings(f"{file}: this is a matrix without rounds; a contest needs rounds")
    return read


def _refuse_nobody(settings: Settings, where: Path) -> None:
    for table in ("judge", "entry", "confederate"):
        if not getattr(settings, table):
            raise BadSettings(f"{where}: there is no [[{table}]]; a contest needs one at least")


def _check_names(schedule: scheduler.Schedule, settings: Settings, where: Path) -> None:
    for kind, used, known in (
        ("judge", schedule.roster.judges, settings.judge),
        ("entry", schedule.roster.entries, settings.entry),
        ("confederate", schedule.roster.confederates, settings.confederate),
    ):
        strange = sorted(set(used) - {table.id for table in known})
        if strange:
            raise BadSettings(
                f"{where}: the schedule names {', '.join(strange)}, whom no [[{kind}]] has as id; "
                "add them, or mend the schedule"
            )


def _check_rounds(schedule: scheduler.Schedule, settings: Settings, where: Path) -> None:
    if len(schedule.rounds) != settings.rules.rounds:
        raise BadSettings(
            f"{where}: [rules] rounds is {settings.rules.rounds}, but the schedule has "
            f"{len(schedule.rounds)}; make them agree"
        )
    clashes = scheduler.check(schedule).clashes
    if clashes:
        raise BadSettings(
            f"{where}: the schedule can't be played: {clashes[0]}; see `loebner schedule check`"
        )


def _check_wishes(schedule: scheduler.Schedule, settings: Settings, where: Path) -> None:
    """What is made keeps to the wishes; a schedule of the organizer's own has to, too."""
    problem = problem_of(settings, str(where))
    if breach := problem.breach(schedule.pairings):
        raise BadSettings(
            f"{where}: the schedule does what [schedule] says must not be: {breach}; mend the one "
            "or the other"
        )
