"""The wire log of an entry: every key of its own talks, as an entrant needs it to look for faults.

What the entry sent stands with the directory's whole name, its time and the rules that it broke;
what the judge typed, as the entry saw it. Talks that a participant does not want to have published
are left out, and said to be.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator

from contest.results.contest import Contest, Key
from contest.state.incidents import WITHHELD
from contest.state.model import Talk
from lpp.names import legible, shown_as
from scheduler.texts import plain

COLUMNS = (
    *("round", "attempt", "time", "offset_ms", "author", "key", "number", "raw_name"),
    *("durable", "shown", "rules_broken", "not_shown"),
)


def talks_of(contest: Contest, entry: str) -> list[Talk]:
    """The entry's own talks, in their order."""
    return [talk for talk in contest.talks if talk.entity == entry]


def as_csv(contest: Contest, entry: str) -> str:
    """The wire log as a table, one row a key; times as RFC 3339 in UTC.

    Arguments:
        contest: the contest, as it may be published.
        entry: the entry's id.
    """
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(COLUMNS)
    for talk in talks_of(contest, entry):
        for key in contest.keys(talk.id):
            writer.writerow(_row(contest, talk, key))
    return out.getvalue()


def as_text(contest: Contest, entry: str) -> str:
    """The wire log for people: one line a key, talk by talk, with the breaches between them.

    Arguments:
        contest: the contest, as it may be published.
        entry: the entry's id.
    """
    return "".join(f"{line}\n" for line in _lines(contest, entry))


def _row(contest: Contest, talk: Talk, key: Key) -> list[str | int]:
    def wall(mono_ns: int | None) -> str:
        return "" if mono_ns is None else contest.wall_text(mono_ns)

    return [
        *(talk.round, talk.attempt, wall(key.mono_ns)),
        "" if not _began(contest, talk) else contest.offset_ms(talk, key.mono_ns),
        *("judge" if key.author == "judge" else "entry", _name(key)),
        # A judge's number is the console's; the entry's directory has another for it.
        key.n if key.author == "entity" else "",
        *(legible(key.raw or ""), wall(key.durable_ns), wall(key.shown_ns)),
        *(" ".join(key.rules), key.out_of_phase or ""),
    ]


def _lines(contest: Contest, entry: str) -> Iterator[str]:
    yield plain(f"Wire log of {entry} ({contest.name(entry)})")
    yield "Times are UTC; the second column counts from the beginning of the interaction."
    yield "Judge: the key as it stood in the directory, with the time when it was received here."
    for talk in talks_of(contest, entry):
        attempt = f", attempt {talk.attempt}" if talk.attempt > 1 else ""
        void = "" if (voided := contest.voided(talk)) is None else f" (voided: {plain(voided)})"
        yield ""
        yield f"Round {talk.round}{attempt}{void}"
        if contest.withheld(talk):
            yield f"  {WITHHELD}"
        elif not contest.keys(talk.id):
            yield "  no key was pressed"
        for key in contest.keys(talk.id):
            yield _line(contest, talk, key)
    told = [each for each in contest.incidents if each.who == entry]
    if told:
        yield ""
        yield "Incidents"
        for each in told:
            yield f"  {contest.wall(each.mono_ns):%H:%M:%S}  {plain(each.what)}"


def _line(contest: Contest, talk: Talk, key: Key) -> str:
    offset = (
        "" if not _began(contest, talk) else f"{contest.offset_ms(talk, key.mono_ns) / 1000:10.3f}"
    )
    who = "judge" if key.author == "judge" else "entry"
    said = f"  {contest.wall(key.mono_ns):%H:%M:%S.%f}{offset:>11}  {who}  {_name(key)}"
    if key.raw:
        said += f"  {legible(key.raw)}"
    if key.rules:
        said += f"  breaks {', '.join(map(plain, key.rules))}"
    if key.out_of_phase:
        said += f"  not shown: {plain(key.out_of_phase)}"
    elif shown_as(key.key) is None:
        said += "  not shown: types nothing"
    return said


def _began(contest: Contest, talk: Talk) -> bool:
    attempt = contest.attempt(talk)
    return attempt is not None and attempt.started_ns is not None


def _name(key: Key) -> str:
    """A key's name: an entry's as it came, a judge's as it was made in the directory."""
    shown = shown_as(key.key) if key.author == "judge" else None
    return legible(key.key if shown is None else shown)
