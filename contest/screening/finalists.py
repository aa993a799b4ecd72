"""Writes the finalists into the contest's settings, as `[[entry]]` in its contest.toml.

A person edits this file and may have added comments. Only the values of entries change, which is
checked by parsing both versions. Then the contest's schedule is made for these entries, or the
reason why it can't be made is returned.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec
import tomlkit
from tomlkit.exceptions import TOMLKitError

from contest.errors import BadSettings, WrongMoment
from contest.record.bodies import ContestOpened
from contest.record.season import FinalistsSet
from contest.screening.ranking import ranking_of
from contest.screening.season import Season
from contest.screening.state import State
from contest.setup import folder as folders
from contest.setup import planning, settings
from contest.setup.settings import FILE_NAME, EntryTable
from scheduler.errors import SchedulerError


class Written(msgspec.Struct, frozen=True):
    """The finalists in the contest's settings; the contest's rounds, each as text such as J1E1C1;
    and why there is no schedule, None if there is one."""

    finalists: list[str]
    schedule: list[str]
    trouble: str | None = None


def entries_of(state: State) -> list[EntryTable]:
    """The finalists as entries of the contest, by place; raises WrongMoment if they are not known
    yet."""
    ranking = ranking_of(state)
    if ranking.open or not ranking.finalists:
        raise WrongMoment(f"the finalists are not known yet: {' '.join(ranking.words)}")
    forms = {id_: state.entries[id_].form for id_ in ranking.finalists}
    return [
        EntryTable(
            *(id_, form.program, form.entrant, form.individuals, form.command),
            # An entrant's own computer has the directory and runs `loebner link`.
            link="remote" if form.way == 3 else "local",
        )
        for id_, form in forms.items()
    ]


def write(season: Season, by: str) -> Written:
    """Writes the finalists into the contest's settings and the record, in the name of the person
    `by`. Raises WrongMoment if they are not known yet, or the contest has begun; BadSettings, with
    the text to insert, if the file can't be changed safely; EnvironmentProblem if it
    can't be written."""
    entries = entries_of(season.state)
    if season.has(ContestOpened.kind):
        raise WrongMoment(
            f"the contest in {season.folder} has begun, so its entries can't be changed"
        )
    file = season.folder / FILE_NAME
    text = changed(file.read_text(encoding="utf-8-sig"), entries, str(file))
    folders.write_whole(file, [text])
    ids = [entry.id for entry in entries]
    if list(season.state.finalists or ()) != ids:
        season.write(by, FinalistsSet(ids))
    try:
        schedule = planning.schedule_of(settings.load(season.folder), season.folder)
    except (BadSettings, SchedulerError) as exc:
        return Written(ids, [], str(exc))
    pairs = ((f"{p.judge}{p.entry}{p.confederate}" for p in each) for each in schedule.rounds)
    return Written(ids, [" ".join(each) for each in pairs])


def changed(text: str, entries: Sequence[EntryTable], where: str = FILE_NAME) -> str:
    """The text of a contest.toml with other entries; `where` is its name in errors. Raises
    BadSettings if the entries can't be replaced without changing something else."""
    wanted = msgspec.structs.replace(settings.parse(text, where), entry=tuple(entries))
    try:
        document = tomlkit.parse(text)
        tables = document.get("entry")
        if not isinstance(tables, tomlkit.items.AoT):
            document.pop("entry", None)
            document["entry"] = tables = tomlkit.aot()
        # Blank lines and comments after the last value belong to the next part of the file.
        body: list[Any] = tables[-1].value.body if len(tables) else []
        end = max((index for index, (key, _) in enumerate(body, 1) if key is not None), default=0)
        behind = body[end:]
        del body[end:], tables[len(entries) :]
        for nth, entry in enumerate(entries):
            if nth == len(tables):
                tables.append(tomlkit.table())
            _fill(tables[nth], entry)
        tables[-1].value.body.extend(behind)
        made = tomlkit.dumps(document)
        if settings.parse(made, where) == wanted:
            return made
    except (TOMLKitError, BadSettings):
        pass
    raise BadSettings(
        f"{where}: its [[entry]] tables can't be changed safely by this program; replace them with "
        f"these: {as_toml(entries)}"
    )


def as_toml(entries: Sequence[EntryTable]) -> str:
    """Entries in the form of contest.toml."""
    tables = tomlkit.aot()
    for entry in entries:
        tables.append(tomlkit.table())
        _fill(tables[-1], entry)
    return tomlkit.dumps({"entry": tables}).strip()


def _fill(table: tomlkit.items.Table, entry: EntryTable) -> None:
    """Puts an entry's values into a table, keeping comments and the order of existing keys."""
    plain = EntryTable("")
    for name, value in msgspec.structs.asdict(entry).items():
        if name in table or value != getattr(plain, name):
            table[name] = list(value) if isinstance(value, tuple) else value
