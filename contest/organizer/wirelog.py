"""The wire log of an entry: every key of its own talks, as an entrant needs it to look for faults.

What the entry sent stands with the directory's whole name, its time and the rules that it broke;
what the judge typed, as the entry saw it. Talks that a participant does not want to have published
are left out, and said to be.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator

from contest.history.transcript import offset_ms
from contest.history.views import ContestView, KeyView, TalkView
from contest.state.incidents import WITHHELD
from lpp.names import legible, shown_as
from scheduler.texts import plain

COLUMNS = (
    *("round", "attempt", "time", "offset_ms", "author", "key", "number", "raw_name"),
    *("durable", "shown", "rules_broken", "not_shown"),
)


def talks_of(view: ContestView, entry: str) -> list[TalkView]:
    """The entry's own talks, in their order."""
    return [talk for talk in view.talks if talk.entity == entry]


def as_csv(view: ContestView, entry: str) -> str:
    """The wire log as a table, one row a key; times as RFC 3339 in UTC.

    Arguments:
        view: the contest, as it may be published.
        entry: the entry's id.
    """
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(COLUMNS)
    for talk in talks_of(view, entry):
        for key in talk.keys:
            writer.writerow(_row(view, talk, key))
    return out.getvalue()


def as_text(view: ContestView, entry: str) -> str:
    """The wire log for people: one line a key, talk by talk, with the breaches between them.

    Arguments:
        view: the contest, as it may be published.
        entry: the entry's id.
    """
    return "".join(f"{line}\n" for line in _lines(view, entry))


def _row(view: ContestView, talk: TalkView, key: KeyView) -> list[str | int]:
    def wall(mono_ns: int | None) -> str:
        return "" if mono_ns is None else view.wall_text(mono_ns)

    return [
        *(talk.round, talk.attempt, wall(key.mono_ns)),
        "" if talk.started_ns is None else offset_ms(talk, key.mono_ns),
        *("judge" if key.author == "judge" else "entry", _name(key)),
        # A judge's number is the console's; the entry's directory has another for it.
        key.n if key.author == "entity" else "",
        *(legible(key.raw or ""), wall(key.durable_ns), wall(key.shown_ns)),
        *(" ".join(key.rules), key.out_of_phase or ""),
    ]


def _lines(view: ContestView, entry: str) -> Iterator[str]:
    yield plain(f"Wire log of {entry} ({view.name(entry)})")
    yield "Times are UTC; the second column counts from the beginning of the interaction."
    yield "Judge: the key as it stood in the directory, with the time when it was received here."
    for talk in talks_of(view, entry):
        attempt = f", attempt {talk.attempt}" if talk.attempt > 1 else ""
        void = "" if talk.voided is None else f" (voided: {plain(talk.voided)})"
        yield ""
        yield f"Round {talk.round}{attempt}{void}"
        if talk.withheld:
            yield f"  {WITHHELD}"
        elif not talk.keys:
            yield "  no key was pressed"
        for key in talk.keys:
            yield _line(view, talk, key)
    told = [each for each in view.incidents if each.who == entry]
    if told:
        yield ""
        yield "Incidents"
        for each in told:
            yield f"  {view.wall(each.mono_ns):%H:%M:%S}  {plain(each.what)}"


def _line(view: ContestView, talk: TalkView, key: KeyView) -> str:
    offset = "" if talk.started_ns is None else f"{offset_ms(talk, key.mono_ns) / 1000:10.3f}"
    who = "judge" if key.author == "judge" else "entry"
    said = f"  {view.wall(key.mono_ns):%H:%M:%S.%f}{offset:>11}  {who}  {_name(key)}"
    if key.raw:
        said += f"  {legible(key.raw)}"
    if key.rules:
        said += f"  breaks {', '.join(map(plain, key.rules))}"
    if key.out_of_phase:
        said += f"  not shown: {plain(key.out_of_phase)}"
    elif shown_as(key.key) is None:
        said += "  not shown: types nothing"
    return said


def _name(key: KeyView) -> str:
    """A key's name: an entry's as it came, a judge's as it was made in the directory."""
    shown = shown_as(key.key) if key.author == "judge" else None
    return legible(key.key if shown is None else shown)
