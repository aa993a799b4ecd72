"""The schedule of a contest: read from the file that its settings name, or made for its numbers and
wishes."""

from __future__ import annotations

from pathlib import Path

import scheduler
from contest.errors import BadSettings
from contest.setup.settings import FILE_NAME, Settings, people_of, problem_of
from scheduler.files import read_text
from scheduler.planning.plan import SECONDS
from scheduler.planning.wishes import Wishes


def schedule_of(settings: Settings, folder: Path) -> scheduler.Schedule:
    """The schedule of a contest.

    Arguments:
        settings: the contest's settings.
        folder: the contest's folder, which holds the file `[rules] schedule`.

    Raises:
        BadSettings: if a role has no participants, or the schedule names participants that the
            settings don't have, or breaks a wish of `[schedule]`.
        scheduler.SchedulerError: if there is no schedule for these numbers and wishes, or the file
            is not a schedule.
    """
    where = folder / FILE_NAME
    if not settings.rules.schedule:
        schedule = make_schedule(settings, folder).schedule
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
            f"{len(schedule.rounds)}; correct one or the other"
        )
    if clashes := scheduler.check(schedule).clashes:
        raise BadSettings(
            f"{where}: the schedule can't be played: {clashes[0]}; see `loebner schedule check`"
        )
    # The organizer's own schedule must respect the wishes, too.
    if breach := problem_of(settings, str(where)).breach(schedule.pairings):
        raise BadSettings(
            f"{where}: the schedule breaks a wish of [schedule]: {breach}; correct one or the other"
        )
    return schedule


def make_schedule(
    settings: Settings,
    folder: Path,
    *,
    more: Wishes = scheduler.NO_WISHES,
    seed: int | None = None,
    seconds: float = SECONDS,
) -> scheduler.Plan:
    """Makes a schedule for the numbers and wishes of a contest, whether or not its settings name a
    file. If not everybody can meet, it loses the fewest pairs.

    Arguments:
        settings: the contest's settings.
        folder: the contest's folder.
        more: wishes in addition to those in the settings.
        seed: the seed for drawing names and order.
        seconds: how long the solver may search, if it is needed.

    Raises:
        BadSettings: if a role has no participants.
        scheduler.SchedulerError: if there is no such schedule; see `scheduler.make`.
    """
    _refuse_nobody(settings, folder / FILE_NAME)
    wishes = settings.schedule.wishes().and_also(more)
    return scheduler.make_plan(
        wishes.problem(*people_of(settings), settings.rules.rounds), seconds, seed
    )


def _read(settings: Settings, folder: Path) -> scheduler.Schedule:
    file = folder / settings.rules.schedule
    read = scheduler.read_schedule(read_text(file), source=str(file))
    if not isinstance(read, scheduler.Schedule):
        raise BadSettings(f"{file}: this is a matrix without rounds; a contest needs rounds")
    return read


def _refuse_nobody(settings: Settings, where: Path) -> None:
    for table in ("judge", "entry", "confederate"):
        if not getattr(settings, table):
            raise BadSettings(f"{where}: there is no [[{table}]]; a contest needs at least one")
