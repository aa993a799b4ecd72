"""Checks of the contest as it is set: contest.toml, who takes part, and who meets whom."""

from __future__ import annotations

import shlex
from collections.abc import Iterator

import scheduler
from contest.errors import BadSettings
from contest.history.pseudonyms import BadPseudonym, accepted
from contest.preflight.finding import Check, Seen, green, red, yellow
from contest.preflight.ground import Ground
from contest.setup.planning import schedule_of
from contest.setup.settings import FILE_NAME
from scheduler.checking import KINDS
from scheduler.texts import listed

#: Minutes of a round as the rules of 2010, section 3, have them: interaction and scoring.
MINUTES_2010 = (25.0, 5.0)
#: Pairs that a line names; `loebner schedule check` names all.
_NAMED = 6


def settings(ground: Ground) -> Iterator[Seen]:
    """contest.toml can be read, and all that stands in it is known."""
    if ground.settings is None:
        yield red(ground.trouble, "mend the line that it names; every option is in `loebner new`")
    else:
        yield green(f"{ground.folder / FILE_NAME} can be read, and every option in it is known")


def facts(ground: Ground) -> Iterator[Seen]:
    """Name, venue and day are said, and the day is not over."""
    table = ground.set.contest
    told = {
        "name": table.name.strip(),
        "venue": table.venue.strip(),
        "date": table.date,
        "start": table.start,
    }
    missing = [name for name, value in told.items() if value is None or value == ""]
    if missing:
        yield yellow(
            f"[contest] does not say {listed(missing)}",
            f"write {listed(missing)} into {FILE_NAME}: they stand on every page",
        )
    elif table.date is not None and table.date < ground.machine.now().date():
        yield yellow(
            f"{table.name!r} is to be held on {table.date}, and that day is over",
            f"write the day of the contest as [contest] date into {FILE_NAME}",
        )
    else:
        yield green(f"{table.name!r}, {table.venue}, {table.date} at {table.start:%H:%M}")


def numbers(ground: Ground) -> Iterator[Seen]:
    """There are judges, entries and confederates, and as many of each."""
    settings = ground.set
    counts: dict[str, int] = {
        "judge": len(settings.judge),
        "entry": len(settings.entry),
        "confederate": len(settings.confederate),
    }
    rules = settings.rules
    minutes = rules.rounds * (rules.interaction_minutes + rules.scoring_minutes)
    found = (
        f"{_many(counts['judge'], 'judge', 'judges')}, {_many(counts['entry'], 'entry', 'entries')}"
        f", {_many(counts['confederate'], 'confederate', 'confederates')}, "
        f"{_many(rules.rounds, 'round', 'rounds')} of {rules.interaction_minutes:g} and "
        f"{rules.scoring_minutes:g} minutes: {_hours(minutes)}, and the ranking"
    )
    nobody = [f"[[{table}]]" for table, count in counts.items() if not count]
    if nobody:
        yield red(found, f"add {listed(nobody)} to {FILE_NAME}: a contest needs one at least")
    elif len(set(counts.values())) > 1:
        yield yellow(
            found, "have as many of each, or some of them sit idle in some rounds; else leave it"
        )
    elif (rules.interaction_minutes, rules.scoring_minutes) != MINUTES_2010:
        yield yellow(
            found,
            "the rules of 2010, section 3, have rounds of 25 and 5 minutes; where yours are "
            "others, say so to judges and entrants",
        )
    else:
        yield green(found)


def schedule(ground: Ground) -> Iterator[Seen]:
    """A schedule can be had, nobody is in two places at once, and every pair meets once."""
    settings = ground.set
    if not (settings.judge and settings.entry and settings.confederate):
        return  # which `numbers` says
    try:
        plan = schedule_of(settings, ground.folder)
    except (BadSettings, scheduler.SchedulerError) as exc:
        yield red(str(exc), "mend the schedule, or leave [rules] schedule empty to have one made")
        return
    report = scheduler.check(plan)
    apart = [frozenset(pair) for pair in settings.schedule.wishes().conflicts]
    said = []
    for kind, words in KINDS.items():
        pairs = report.pairs[kind]
        missing = tuple(pair for pair in pairs.missing if frozenset(pair) not in apart)
        for what, which in (("missing", missing), ("repeated", pairs.repeated)):
            if which:
                named = ", ".join("".join(pair) for pair in which[:_NAMED])
                more = len(which) - _NAMED
                said.append(f"{words} {what}: {named}{f' and {more} more' * (more > 0)}")
    if said:
        yield yellow(
            "; ".join(said),
            f"`loebner schedule make {shlex.quote(str(ground.folder))}` shows one that lacks and "
            "repeats as little as can be, and proves it; with these numbers and wishes there "
            "may be no better one",
        )
    else:
        yield green(
            "each judge meets each entry and each confederate, and each entry each confederate, "
            "exactly once"
        )


def names(ground: Ground) -> Iterator[Seen]:
    """No judge's or confederate's name reads like a side, a label or somebody else."""
    settings = ground.set
    people = {judge.id: judge.name for judge in settings.judge}
    people |= {confederate.id: confederate.name for confederate in settings.confederate}
    everybody = people | {entry.id: entry.name for entry in settings.entry}
    unfit = []
    for seat, name in people.items():
        try:
            accepted(name, seat, everybody, {})
        except BadPseudonym as exc:
            unfit.append(f"{name!r} of {seat}: {exc}")
    nameless = [seat for seat, name in people.items() if not name.strip()]
    if unfit:
        yield yellow("; ".join(unfit), f"give them other names in {FILE_NAME}")
    elif nameless:
        yield yellow(
            f"{listed(nameless)} {'has' if len(nameless) == 1 else 'have'} no name",
            f"give names, or pseudonyms, in {FILE_NAME}; else the pages of results call them so",
        )
    else:
        yield green("every judge and confederate has a name that is nobody else's")


def _many(number: int, one: str, several: str) -> str:
    return f"{number} {one if number == 1 else several}"


def _hours(minutes: float) -> str:
    hours, rest = divmod(round(minutes), 60)
    return f"{hours} h {rest} min" if hours else f"{rest} min"


CHECKS = (
    Check("settings", "contest.toml", settings, settings=False),
    Check("facts", "name, venue and day", facts),
    Check("numbers", "who takes part", numbers),
    Check("schedule", "the schedule", schedule),
    Check("names", "names", names),
)
