"""Who takes part by the settings: ids that can be told apart and stand in file names, names of
seats that nobody else has, and nobody with two entries (rules 2010, section 1).

`contest.setup.settings` has the tables; here they are checked.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from contest.errors import BadSettings
from contest.setup.filenames import is_device

if TYPE_CHECKING:
    from contest.setup.settings import EntryTable, Settings

_ID = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,15}")
#: What the record calls those who act and have no seat.
_OURS = {"organizer", "witness", "server", "withheld"}


def check(settings: Settings, where: str) -> None:
    """Whether these judges, entries and confederates can take part.

    Arguments:
        settings: the contest's.
        where: what errors call the file.

    Raises:
        BadSettings: if an id or a name can't be used or is somebody else's, or an entry is against
            the rules.
    """
    _check_ids(settings, where)
    _check_names(settings, where)
    _check_entries(settings.entry, where)


def _check_ids(settings: Settings, where: str) -> None:
    seen: dict[str, str] = {}
    for table in ("judge", "entry", "confederate"):
        for number, each in enumerate(getattr(settings, table), 1):
            place = f"[[{table}]] number {number}"
            if not _ID.fullmatch(each.id):
                raise BadSettings(
                    f"{where}: {place}: the id {each.id!r} can't be used; ids begin with a letter "
                    "and hold up to 16 letters, digits, - and _, such as E1"
                )
            if each.id.casefold() in _OURS:
                raise BadSettings(
                    f"{where}: {place}: the id {each.id!r} is what the record calls one of ours; "
                    "take another, such as E1"
                )
            if is_device(each.id):
                raise BadSettings(
                    f"{where}: {place}: the id {each.id!r} is a device of Windows, and no file can "
                    "bear its name there; take another, such as E1"
                )
            if each.id.casefold() in seen:
                raise BadSettings(
                    f"{where}: {place} has the id {each.id!r}, as {seen[each.id.casefold()]} has; "
                    "give each its own"
                )
            seen[each.id.casefold()] = place


def _check_names(settings: Settings, where: str) -> None:
    seen: dict[str, str] = {}
    for table in ("judge", "confederate"):
        for each in getattr(settings, table):
            name = " ".join(each.name.split()).casefold()
            if name and name in seen:
                raise BadSettings(
                    f"{where}: the seats {seen[name]} and {each.id} have one name, {each.name!r}; "
                    "name each seat apart"
                )
            seen[name] = each.id


def _check_entries(entries: Sequence[EntryTable], where: str) -> None:
    associated: dict[str, str] = {}
    for entry in entries:
        people = {" ".join(name.split()).casefold(): name for name in entry.individuals}
        if entry.entrant:
            people.setdefault(" ".join(entry.entrant.split()).casefold(), entry.entrant)
        for key, name in people.items():
            if key in associated:
                raise BadSettings(
                    f"{where}: {name!r} is associated with {associated[key]} and {entry.id}; "
                    "no individual may be associated with more than one entry (rules, section 1)"
                )
            associated[key] = entry.id
        if entry.command and "{dir}" not in entry.command:
            raise BadSettings(
                f"{where}: the command of {entry.id} lacks {{dir}}, the place of its "
                "communications directory"
            )
