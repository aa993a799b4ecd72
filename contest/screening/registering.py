"""What somebody does to the register, each step on record with who and when.

A step that can't be taken is refused in words and leaves no trace. Bad dates and media are no
reason to refuse an entry, for it has come in: the rules that it breaks are told, and decide when it
is tested for compliance. Only somebody who is associated with two entries is asked about at once.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from contest.errors import BadOrder, WrongMoment
from contest.record.events import Draft
from contest.screening.associates import Shared, clashes
from contest.screening.bodies import EntryRegistered, EntryRestored, EntryWithdrawn, Form
from contest.screening.forms import (
    FIELDS,
    NEEDED,
    TEXT_LIMIT,
    BadForm,
    one_line,
    read_form,
)
from contest.screening.register import Register, register_of
from contest.screening.season import Season, bodies
from contest.screening.submission import look
from contest.setup.rules import RULES, Finding
from scheduler.tables import read_cells, read_table
from scheduler.texts import near, shown


class Clash(WrongMoment):
    """Somebody is associated with another entry already."""


@dataclass(frozen=True, slots=True)
class Registered:
    """What a step has done to an entry.

    Attributes:
        entry: its id.
        broken: the rules that it breaks.
        remarks: what else should be known, each a clause.
    """

    entry: str
    broken: tuple[Finding, ...]
    remarks: tuple[str, ...]

    def as_json(self) -> dict[str, object]:
        """For programs."""
        return {
            "entry": self.entry,
            "broken": [finding.as_json() for finding in self.broken],
            "remarks": list(self.remarks),
        }


def register_in(season: Season) -> Register:
    """The register of a season that is open."""
    return register_of(bodies(season.events()))


def add(season: Season, values: Mapping[str, Any], by: str, *, anyway: str = "") -> Registered:
    """Registers an entry.

    Arguments:
        season: where.
        values: field to what was written; see `contest.screening.forms`.
        by: who registers it.
        anyway: why it is registered although somebody is associated with another entry.

    Raises:
        BadForm: if a field can't be used.
        Clash: if somebody is associated with another entry, and `anyway` is empty.
    """
    return add_all(season, [("", values)], by, anyway=anyway)[0]


def add_all(
    season: Season,
    rows: Sequence[tuple[str, Mapping[str, Any]]],
    by: str,
    *,
    anyway: str = "",
) -> list[Registered]:
    """Registers entries in their order: all of them, or none.

    Arguments:
        season: where.
        rows: of each where it was written, for errors, and its fields.
        by: who registers them.
        anyway: as of `add`, for all.

    Raises:
        BadForm: if a field can't be used.
        Clash: if somebody is associated with two entries, and `anyway` is empty.
    """
    register = register_in(season)
    reason = _reason(anyway, needed=False)
    drafts: list[Draft] = []
    added = []
    forms = register.forms
    for number, (where, values) in enumerate(rows, len(register.entries) + 1):
        id_, form = f"E{number}", read_form(values, where)
        forms[id_] = form
        if not reason:
            _refuse(clashes(forms, id_), where)
        drafts.append(season.draft(by, EntryRegistered(id_, 1, form, reason)))
        added.append(id_)
    season.write_all(drafts)
    return [_told(season, forms, id_, forms[id_]) for id_ in added]


def change(season: Season, id_: str, values: Mapping[str, Any], by: str, reason: str) -> Registered:
    """Corrects fields of an entry; the version before is kept.

    Arguments:
        season: where.
        id_: the entry's.
        values: field to what holds now.
        by: who says so.
        reason: why.

    Raises:
        BadOrder: if there is no such entry, no field, or no reason.
        BadForm: if a field can't be used.
        Clash: if somebody becomes associated with another entry, too.
        WrongMoment: if nothing would change.
    """
    register = register_in(season)
    entry = register.find(id_)
    why = _reason(reason)
    if not values:
        raise BadOrder(f"nothing is said of {id_} that is to be changed; give a field")
    form = read_form(values, "", entry.form)
    if form == entry.form:
        raise WrongMoment(f"{id_} is in the register as you say already; nothing is changed")
    forms = register.forms
    before = clashes(forms)
    if not entry.withdrawn:
        forms[id_] = form
        _refuse([shared for shared in clashes(forms, id_) if shared not in before], "")
    season.write(by, EntryRegistered(id_, entry.versions[-1].number + 1, form, why))
    return _told(season, forms, id_, form)


def withdraw(season: Season, id_: str, by: str, reason: str) -> None:
    """Takes an entry out; its id stays its own.

    Raises:
        BadOrder: if there is no such entry, or no reason.
        WrongMoment: if it is withdrawn already.
    """
    entry = register_in(season).find(id_)
    why = _reason(reason)
    if entry.withdrawn:
        raise WrongMoment(f"{id_} is withdrawn already ({entry.steps[-1].reason})")
    season.write(by, EntryWithdrawn(id_, why))


def restore(season: Season, id_: str, by: str, reason: str) -> Registered:
    """Takes a withdrawal back.

    Raises:
        BadOrder: if there is no such entry, or no reason.
        Clash: if somebody has become associated with another entry meanwhile.
        WrongMoment: if it is not withdrawn.
    """
    register = register_in(season)
    entry = register.find(id_)
    why = _reason(reason)
    if not entry.withdrawn:
        raise WrongMoment(f"{id_} is not withdrawn")
    forms = register.forms | {id_: entry.form}
    _refuse(clashes(forms, id_), "")
    season.write(by, EntryRestored(id_, why))
    return _told(season, forms, id_, entry.form)


# Files


def read_file(text: str, source: str) -> list[tuple[str, dict[str, Any]]]:
    """The entries of a CSV or TOML file.

    Arguments:
        text: its text: CSV with a head, or TOML with a table `[[entry]]` for each.
        source: its name; TOML's ends with `.toml`.

    Returns:
        Of each where it stands, and its fields.

    Raises:
        BadForm, scheduler.BadInput: if it is no such file.
    """
    return _toml(text, source) if source.casefold().endswith(".toml") else _csv(text, source)


def _csv(text: str, source: str) -> list[tuple[str, dict[str, Any]]]:
    for name in read_cells(text, source)[0][1]:
        # A column that is passed over would be a date that nobody misses.
        if name and name.casefold() not in FIELDS:
            raise BadForm(f"{source}: there is no column {shown(name)}{near(name, FIELDS)}")
    optional = [name for name in FIELDS if name not in NEEDED]
    rows = read_table(text, NEEDED, source, optional)
    return [(f"{source}, line {row.line}", row.cells) for row in rows]


def _toml(text: str, source: str) -> list[tuple[str, dict[str, Any]]]:
    try:
        raw = tomllib.loads(text)
    except tomllib.TOMLDecodeError as exc:
        raise BadForm(f"{source}: this is no TOML: {exc}") from exc
    for name in raw:
        if name != "entry":
            raise BadForm(f"{source}: there is no table {shown(name)}; write [[entry]]")
    tables = raw.get("entry", [])
    if not isinstance(tables, list) or not all(isinstance(each, dict) for each in tables):
        raise BadForm(f"{source}: write [[entry]] with two brackets, once for each entry")
    return [(f"{source}, [[entry]] number {n}", table) for n, table in enumerate(tables, 1)]


# Inside


def _reason(text: str, *, needed: bool = True) -> str:
    try:
        reason = one_line(text, TEXT_LIMIT)
    except ValueError as exc:
        raise BadOrder(f"the reason {exc}") from None
    if needed and not reason:
        raise BadOrder("a reason is needed: it goes on record")
    return reason


def _refuse(found: Sequence[Shared], where: str) -> None:
    if found:
        place = f"{where}: " if where else ""
        raise Clash(
            f"{place}{found[0].words()} ({RULES['1/individual'].quoted()}); withdraw one, or if "
            "these are two persons tell them apart in the name, such as 'Ann Lee (Leeds)'"
        )


def _told(season: Season, forms: Mapping[str, Form], id_: str, form: Form) -> Registered:
    """What is to be said of an entry; `forms` has it only if it is not withdrawn."""
    broken, remarks = look(id_, form, forms, season.settings.season)
    return Registered(id_, tuple(broken), tuple(remarks))
