"""The schedule of a contest: the file that its settings name, or one made for its numbers."""

from __future__ import annotations

from pathlib import Path

import scheduler
from contest.errors import BadSettings
from contest.setup.settings import FILE_NAME, Settings


def schedule_of(settings: Settings, folder: Path) -> scheduler.Schedule:
    """The schedule that a contest is played by.

    Arguments:
        settings: the contest's settings; ids are given to J1, E1, C1… in their order.
        folder: the contest's folder, where `[rules] schedule` stands.

    Raises:
        BadSettings: if nobody is there, or the schedule names others than the settings do.
        scheduler.SchedulerError: if none can be had for these numbers, or the file is no schedule.
    """
    where = folder / FILE_NAME
    for table in ("judge", "entry", "confederate"):
        if not getattr(settings, table):
            raise BadSettings(f"{where}: there is no [[{table}]]; a contest needs one at least")
    if settings.rules.schedule:
        file = folder / settings.rules.schedule
        try:
            text = file.read_text(encoding="utf-8-sig")
        except (OSError, UnicodeDecodeError) as exc:
            raise BadSettings(
                f"{where}: [rules] schedule: {file} can't be read ({exc}); name a file beside it"
            ) from exc
        read = scheduler.read_schedule(text, source=str(file))
        if not isinstance(read, scheduler.Schedule):
            raise BadSettings(f"{file}: this is a matrix without rounds; a contest needs rounds")
        schedule = read
    else:
        schedule = _made(settings)
    _check_names(schedule, settings, where)
    _check_rounds(schedule, settings, where)
    return schedule


def _made(settings: Settings) -> scheduler.Schedule:
    made = scheduler.make(
        len(settings.judge),
        len(settings.entry),
        len(settings.confederate),
        settings.rules.rounds,
    ).schedule
    names: dict[str, str] = {}
    names.update(zip(made.roster.judges, (judge.id for judge in settings.judge), strict=True))
    names.update(zip(made.roster.entries, (entry.id for entry in settings.entry), strict=True))
    confederates = (confederate.id for confederate in settings.confederate)
    names.update(zip(made.roster.confederates, confederates, strict=True))
    return scheduler.Schedule.of(
        (
            scheduler.Pairing(p.round, names[p.judge], names[p.entry], names[p.confederate])
            for p in made.pairings
        ),
        judges=(judge.id for judge in settings.judge),
        entries=(entry.id for entry in settings.entry),
        confederates=(confederate.id for confederate in settings.confederate),
    )


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
