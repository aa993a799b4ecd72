"""Schedules in words: what a check found, and the proof of what we made."""

from collections.abc import Iterable

from scheduler.checking import KINDS, NAMED_IN_REASON, Report
from scheduler.making import Made
from scheduler.schedule import Pair
from scheduler.texts import plain


def explain_report(report: Report) -> list[str]:
    """What a check found, each repeated or missing pair by name.

    Arguments:
        report: what was found.

    Returns:
        Lines.
    """
    roster = report.roster
    said = [
        f"{_count(roster.judges, 'judge', 'judges')}, "
        f"{_count(roster.entries, 'entry', 'entries')}, "
        f"{_count(roster.confederates, 'confederate', 'confederates')}"
    ]
    for kind, words in KINDS.items():
        pairs = report.pairs[kind]
        line = f"{words}: {pairs.covered} of {pairs.of}"
        line += f"; repeated: {_named(pairs.repeated)}" if pairs.repeated else "; none repeated"
        line += f"; missing: {_named(pairs.missing)}" if pairs.missing else "; none missing"
        said.append(line)
    if report.rounds_needed is None:
        said += [f"in two places at once: {clash}" for clash in report.clashes]
        if not report.clashes:
            said.append("nobody is in two places at once")
    elif report.unplayable:
        said.append(report.unplayable)
    else:
        said.append(f"the matrix can be played in {report.rounds_needed} parallel rounds")
    return said


def explain_made(made: Made) -> list[str]:
    """The proof of a schedule that we made.

    Arguments:
        made: the schedule and its proof.

    Returns:
        Lines.
    """
    said = explain_report(made.report)
    idle = [
        f"idle in round {number}: {_some(names)}"
        for number, names in enumerate(made.idle, 1)
        if names
    ]
    said += idle or ["everybody plays in each round"]
    for number, (play, rooms) in enumerate(zip(made.schedule.rounds, made.rooms, strict=False), 1):
        held: dict[str, list[str]] = {}
        for pairing, room in zip(play, rooms, strict=True):
            held.setdefault(room, []).append(pairing.label)
        places = [" ".join([plain(room), *labels]) for room, labels in held.items()]
        said.append(f"rooms in round {number}: {'; '.join(places)}")
    if made.proof is not None:
        said += made.proof.in_words()
    return said


def _some(names: tuple[str, ...]) -> str:
    more = len(names) - NAMED_IN_REASON
    return ", ".join(names[:NAMED_IN_REASON]) + f" and {more} more" * (more > 0)


def _count(names: tuple[str, ...], one: str, many: str) -> str:
    return f"{len(names)} {one if len(names) == 1 else many}"


def _named(pairs: Iterable[Pair]) -> str:
    # Ids such as J1 and E1 read well without a space; names that organizers chose may not.
    return ", ".join(
        "".join(pair) if all(name[-1:].isdigit() for name in pair) else " with ".join(pair)
        for pair in pairs
    )
