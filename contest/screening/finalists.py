"""The finalists become the entries of the contest: `[[entry]]` in its contest.toml.

The file is a person's, with comments: only values are put into the tables that are there, tables
are added or taken away behind them, and everything else stays as it is, which is checked by reading
both. The contest's schedule is made for these entries, or refuses to be by name.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec

from contest.errors import BadSettings, Surroundings, WrongMoment
from contest.record.events import Event
from contest.record.store import FILE_NAME as RECORD_FILE
from contest.screening.bodies import Form
from contest.screening.marking.bodies import CutDecided, FinalistsSet
from contest.screening.marking.book import book_in, book_of
from contest.screening.marking.steps import reason_of
from contest.screening.register import register_of
from contest.screening.result import Result, result_of
from contest.screening.season import Season, bodies
from contest.setup import planning, settings
from contest.setup.settings import FILE_NAME, EntryTable
from scheduler.errors import SchedulerError

_HEADER = re.compile(r"\s*\[\[\s*entry\s*\]\]\s*(?:#.*)?")
_TABLE = re.compile(r"\s*\[")
_OPTION = re.compile(r"\s*([A-Za-z0-9_-]+)\s*=")
#: A value on one line, with what stands behind it.
_LINE = re.compile(
    r"(?P<key>\s*[A-Za-z0-9_-]+\s*=\s*)"
    r"(?P<value>\"(?:[^\"\\]|\\.)*\"|'[^']*'|\[[^\]#]*\]|[^\s#\"'\[]+)(?P<rest>\s*(?:#.*)?)"
)


@dataclass(frozen=True, slots=True)
class Written:
    """What was done.

    Attributes:
        entries: the finalists, as they stand in the contest's settings.
        schedule: the contest's rounds, each as a text such as J1E1C1; empty where none can be had.
        trouble: why none can be had; empty if one can.
    """

    entries: tuple[EntryTable, ...]
    schedule: tuple[str, ...]
    trouble: str = ""


def decide(season: Season, entries: Sequence[str], by: str, reason: str) -> Result:
    """Puts on record which of those that are tied at the cut go on.

    Raises:
        BadOrder: if it does not fit the tie, or has no reason.
        WrongMoment: if marking is not over, or the general quality has to decide first.
    """
    why = reason_of(reason)
    body = CutDecided(list(entries), why)
    kept = list(bodies(season.events()))
    if not book_of(kept).quality and not result_of(kept, season.settings).ranking.answered:
        raise WrongMoment(
            "no entry earned a mark, so the general quality of the responses decides first (rules "
            "2010, section 4): `loebner screen mark CONTEST --quality`"
        )
    # Looked at first with the decision in it: what does not fit is not written.
    draft = season.draft(by, body)
    tried = Event(0, None, draft.at, draft.mono_ns, by, body.kind, draft.body, "", "")
    result_of([*kept, (tried, body)], season.settings, deciding=True)
    season.write(by, body)
    return result_of(bodies(season.events()), season.settings)


def entries_of(season: Season) -> list[EntryTable]:
    """The finalists as entries of the contest, by their places.

    Raises:
        WrongMoment: if it is not known yet who they are.
    """
    kept = list(bodies(season.events()))
    ranking = result_of(kept, season.settings).ranking
    if ranking.is_open or not ranking.finalists:
        raise WrongMoment(f"the finalists are not known yet: {' '.join(ranking.words)}")
    register = register_of(kept)
    return [_entry(id_, register.find(id_).form) for id_ in ranking.finalists]


def write(season: Season, by: str) -> Written:
    """Writes the finalists into the contest's settings.

    Arguments:
        season: of which the ranking is known.
        by: who has it done.

    Raises:
        WrongMoment: if it is not known yet who the finalists are, or the contest has begun.
        BadSettings: if the file can't be changed without harm; says what to put there.
        Surroundings: if it can't be written.
    """
    entries = entries_of(season)
    if (season.folder / RECORD_FILE).exists():
        raise WrongMoment(
            f"{season.folder} holds the record of a contest that has begun; its entries stand"
        )
    file = season.folder / FILE_NAME
    text = changed(file.read_text(encoding="utf-8-sig"), entries, str(file))
    _replace(file, text)
    ids = [entry.id for entry in entries]
    if list(book_in(season).finalists) != ids:
        season.write(by, FinalistsSet(ids))
    return _planned(season.folder, entries)


def changed(text: str, entries: Sequence[EntryTable], where: str = FILE_NAME) -> str:
    """A contest.toml with other entries.

    Arguments:
        text: as it is.
        entries: those that take the place of the ones in it.
        where: what errors call it.

    Raises:
        BadSettings: if it can't be done without harm to something else.
    """
    before = settings.parse(text, where)
    lines = text.split("\n")
    blocks = _blocks(lines)
    out: list[str] = []
    at = 0
    for nth, (start, end) in enumerate(blocks):
        out += lines[at:start]
        if nth < len(entries):
            out += _filled(lines[start:end], entries[nth])
        if nth == len(blocks) - 1:
            for entry in entries[len(blocks) :]:
                out += _filled(["[[entry]]"], entry)
        at = end
    out += lines[at:]
    if not blocks:
        for entry in entries:
            out += ["", *_filled(["[[entry]]"], entry)]
        out.append("")
    made = "\n".join(out)
    wanted = msgspec.structs.replace(before, entry=tuple(entries))
    if settings.parse(made, where) != wanted:
        raise BadSettings(
            f"{where}: its [[entry]] tables are written in a way that can't be changed safely; put "
            f"these in their place: {as_toml(entries)}"
        )
    return made


def as_toml(entries: Sequence[EntryTable]) -> str:
    """Entries as contest.toml has them."""
    return "\n".join("\n".join(_filled(["[[entry]]"], entry)) for entry in entries)


def _entry(id_: str, form: Form) -> EntryTable:
    return EntryTable(
        id_,
        form.program,
        form.entrant,
        form.individuals,
        form.command,
        # Who brings a computer has the directory there, and `loebner link` beside it.
        link="remote" if form.way == 3 else "local",
    )


def _blocks(lines: Sequence[str]) -> list[tuple[int, int]]:
    """Where the tables of entries begin, and end behind their last option."""
    found = []
    for start, line in enumerate(lines):
        if not _HEADER.fullmatch(line):
            continue
        end = start + 1
        for index in range(start + 1, len(lines)):
            if _TABLE.match(lines[index]):
                break
            if _OPTION.match(lines[index]):
                end = index + 1
        found.append((start, end))
    return found


def _filled(lines: Sequence[str], entry: EntryTable) -> list[str]:
    """A table with an entry's values; comments stay, and so does the order of what is there."""
    values = _values(entry)
    out = []
    for line in lines:
        option = _OPTION.match(line)
        match = _LINE.fullmatch(line.rstrip("\r"))
        if option is None or match is None:
            out.append(line)
        elif option[1] in values:
            rest = match["rest"]
            value = values.pop(option[1])
            width = len(match["value"]) + len(rest) - len(rest.lstrip())
            gap = max(width - len(value), 2) if rest.strip() else 0
            out.append(f"{match['key']}{value}{' ' * gap}{rest.lstrip()}")
    plain = EntryTable("")
    return out + [
        f"{name} = {value}"
        for name, value in values.items()
        if getattr(entry, name) != getattr(plain, name)
    ]


def _values(entry: EntryTable) -> dict[str, str]:
    plain: Mapping[str, object] = msgspec.structs.asdict(entry)
    return {name: _toml(value) for name, value in plain.items()}


def _toml(value: object) -> str:
    if isinstance(value, tuple):
        return f"[{', '.join(map(_toml, value))}]"
    # A basic string of TOML is one of JSON, but for this one character.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007F")


def _replace(file: Path, text: str) -> None:
    """All of it, or nothing."""
    beside = file.with_name(f"{file.name}.new")
    try:
        beside.write_text(text, encoding="utf-8", newline="")
        os.replace(beside, file)
    except OSError as exc:
        raise Surroundings(f"{file}: can't be written ({exc.strerror or exc})") from exc


def _planned(folder: Path, entries: Sequence[EntryTable]) -> Written:
    try:
        schedule = planning.schedule_of(settings.load(folder), folder)
    except (BadSettings, SchedulerError) as exc:
        return Written(tuple(entries), (), str(exc))
    rounds = tuple(
        " ".join(f"{pair.judge}{pair.entry}{pair.confederate}" for pair in round_)
        for round_ in schedule.rounds
    )
    return Written(tuple(entries), rounds)
