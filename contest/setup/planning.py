"""The schedule of a contest: the file that its settings name, or one made for its numbers and
wishes."""

from __future__ import annotations

from pathlib import Path

import scheduler
from contest.errors import BadSettings
from contest.setup.settings import FILE_NAME, Settings, people_of, problem_of
from scheduler.planning import SECONDS, Wishes


def schedule_of(settings: Settings, folder: Path) -> scheduler.Schedule:
    """The schedule that a contest is played by.

    Arguments:
        settings: the contest's settings; ids are given to J1, E1, C1… in their order.
        folder: the contest's folder, where `[rules] schedule` stands.

    Raises:
        BadSettings: if nobody is there, or the schedule names others than the settings do, or does
            what must not be by `[schedule]`.
        scheduler.SchedulerError: if none can be had for these numbers and wishes, or the file is
            not a schedule.
    """
    where = folder / FILE_NAME
    if not settings.rules.schedule:
        schedule = made_of(settings, folder).schedule
    else:
        _refuse_nobody(settings, where)
        schedule = _read(settings, folder)
    people = zip(("judge", "entry", "confederate"), people_of(settings), strict=True)
    used = (schedule.roster.judges, schedule.roster.entries, schedule.roster.confederates)
    for (kind, known), named in zip(people, used, strict=True):
        if strange := sorted({*named} - {*known}):
            raise BadSettings(
                f"{where}: the schedule names {', '.join(strange)}, but no [[{kind}]] has this id; "
                "add it, or correct the schedule"
            )
    if len(schedule.rounds) != settings.rules.rounds:
        raise BadSettings(
            f"{where}: [rules] rounds is {settings.rules.rounds}, but the schedule has "
            f"{len(schedule.rounds)}; make them agree"
        )
    if clashes := scheduler.check(schedule).clashes:
        raise BadSettings(
            f"{where}: the schedule can't be played: {clashes[0]}; see `loebner schedule check`"
        )
    # What is made keeps to the wishes; a schedule of the organizer's own has to, too.
    if breach := problem_of(settings, str(where)).breach(schedule.pairings):
        raise BadSettings(
            f"{where}: the schedule breaks a wish of [schedule]: {breach}; correct one or the other"
        )
    return schedule


def made_of(
    settings: Settings,
    folder: Path,
    *,
    more: Wishes = scheduler.NO_WISHES,
    seed: int | None = None,
    seconds: float = SECONDS,
) -> scheduler.Plan:
    """A schedule made for the numbers and wishes of a contest, whether or not its settings name a
    file. Where not everybody can meet, it loses the fewest pairs.

    Arguments:
        settings: the contest's.
        folder: the contest's folder.
        more: wishes beside those of the settings.
        seed: draws names and order, the same for the same seed.
        seconds: how long the solver may search, where it is needed.

    Raises:
        BadSettings: if nobody is there.
        scheduler.SchedulerError: if none can be had; see `scheduler.make`.
    """
    _refuse_nobody(settings, folder / FILE_NAME)
    wishes = settings.schedule.wishes().and_also(more)
    return scheduler.planned(
        wishes.problem(*people_of(settings), settings.rules.rounds), seconds, seed
    )


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
            raise BadSettings(f"{where}: there is no [[{table}]]; a contest needs at least one")
