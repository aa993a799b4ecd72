"""Reading what somebody writes of an entry: field by field, each error with its place.

The same fields, by the same names, are options of `loebner screen register`, columns of a CSV file
and keys of a TOML file.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import msgspec

from contest.errors import YoursToFix
from contest.screening.bodies import Form
from contest.setup.names import folded
from scheduler.texts import near, plain, shown

#: Characters of a name, and of a command or a note.
NAME_LIMIT, TEXT_LIMIT = 200, 2000
#: Names in one field.
_MANY = 50

_STAMP = re.compile(r"(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2})?))?")
_YES = MappingProxyType({"yes": True, "true": True, "no": False, "false": False})

#: Fields that an entry can't be registered without.
NEEDED = ("program", "entrant", "posted", "received", "way")

#: Field to what it holds, in words for help and documentation.
FIELDS: Mapping[str, str] = MappingProxyType(
    {
        "program": "the program's name",
        "entrant": "who submits it",
        "individuals": "whoever else is associated with it; in CSV with semicolons between them",
        "posted": "date of posting, 2010-05-03; with its time of day, if the proof has one, "
        "2010-05-03 14:05",
        "service": "by which it was sent, such as FedEx",
        "proof": "number of the receipt that proves the posting",
        "received": "date of receipt, with its time of day if that is known",
        "way": "1: management installs it; 2: the entrant does, on management's computer; "
        "3: the entrant brings a computer",
        "media": "on which it came",
        "platforms": "on which it runs; in CSV with semicolons between them",
        "testing": "date and time of day at which the entrant comes to have it tested (ways 2, 3)",
        "agreed": "day on which that was agreed (ways 2 and 3)",
        "present": "yes or no: will the entrant be present at the contest (ways 2 and 3)",
        "command": "how it is started to be screened, with {dir} for its directory",
        "note": "whatever else is to be known",
    }
)


class BadForm(YoursToFix):
    """What was written of an entry can't be used.

    Attributes:
        field: which field it is about; empty if none.
        problem: what is wrong with it, to stand beside the field.
    """

    def __init__(self, words: str, field: str = "", problem: str = "") -> None:
        super().__init__(words)
        self.field = field
        self.problem = problem or words


def read_form(values: Mapping[str, Any], where: str = "", before: Form | None = None) -> Form:
    """What was written of an entry, as the register has it.

    Arguments:
        values: field to what was written: text, or what TOML has for it. An empty text takes away
            what an optional field had before.
        where: what errors call the place; empty for the command line.
        before: what the register has already; fields that are not given stay as they were.

    Raises:
        BadForm: a field is unknown, missing or can't be read, or two of them can't both be right.
    """
    for name in values:
        if name not in FIELDS:
            raise _bad(where, plain(name)[:60], f"there is no such field{near(name, FIELDS)}")
    read: dict[str, Any] = {} if before is None else msgspec.structs.asdict(before)
    for name, value in values.items():
        for field, held in _read(name, value, where).items():
            read[field] = held
    missing = [name for name in NEEDED if name not in read]
    if missing:
        raise _bad(where, missing[0], f"is missing; give {FIELDS[missing[0]]}")
    form = Form(**read)
    _check(form, where)
    return form


def faults(values: Mapping[str, Any], before: Form | None = None) -> dict[str, str]:
    """All that is wrong with what was written of an entry, for those who see all fields at once.

    Arguments:
        values: as of `read_form`.
        before: as of `read_form`.

    Returns:
        Field to what is wrong with it; nothing for what `read_form` takes.
    """
    found: dict[str, str] = {}
    for name, value in values.items():
        if name in FIELDS:
            try:
                _read(name, value, "")
            except BadForm as exc:
                found[exc.field] = exc.problem
    if not found:
        # What is missing, unknown, or does not go together.
        try:
            read_form(values, "", before)
        except BadForm as exc:
            found[exc.field] = exc.problem
    return found


def read_day(text: str) -> dt.date:
    """A date as somebody writes it, such as 2010-06-15.

    Raises:
        ValueError: if it is none; says what to write.
    """
    found: dt.date = _day("", text)[""]
    return found


def _check(form: Form, where: str) -> None:
    """What no post office and no calendar can have done."""
    at = (form.received_at or dt.time.max) if form.received == form.posted else dt.time.max
    if form.received < form.posted or at < (form.posted_at or dt.time.min):
        raise _bad(
            where,
            "received",
            f"{form.received} is before it was posted, {form.posted}; look at both again",
        )
    if form.agreed is not None and form.testing is not None and form.agreed > form.testing:
        raise _bad(
            where,
            "agreed",
            f"{form.agreed} is after the testing date, {form.testing}; look at both again",
        )
    if form.command and "{dir}" not in form.command:
        raise _bad(where, "command", "lacks {dir}, the place of its communications directory")


def _read(name: str, value: Any, where: str) -> dict[str, Any]:
    """A field as the form's fields."""
    if name not in NEEDED and (value is None or (isinstance(value, str) and not value.strip())):
        return _EMPTY.get(name, {name: ""})
    if isinstance(value, str) and not value.strip():
        raise _bad(where, name, f"is empty; give {FIELDS[name]}")
    try:
        return _READERS[name](name, value)
    except ValueError as exc:
        raise _bad(where, name, str(exc)) from None


def _text(name: str, value: Any) -> dict[str, Any]:
    limit = TEXT_LIMIT if name in ("command", "note") else NAME_LIMIT
    return {name: one_line(value, limit)}


def one_line(value: Any, limit: int = NAME_LIMIT) -> str:
    """A text on one line, without spaces around it.

    Arguments:
        value: what was written.
        limit: characters at most.

    Raises:
        ValueError: if it is none; says what it is instead.
    """
    if not isinstance(value, str):
        raise ValueError(f"{shown(value)} is no text")
    text = " ".join(value.split())
    if len(text) > limit:
        raise ValueError(f"has {len(text)} characters; {limit} are taken at most")
    if not text.isprintable():
        raise ValueError(f"{shown(text)} holds a character that does not print; remove it")
    return text


def _name(name: str, value: Any) -> dict[str, Any]:
    text = one_line(value)
    if not folded(text):
        raise ValueError(f"{shown(text)} is no name: it has neither a letter nor a digit")
    return {name: text}


def _names(name: str, value: Any) -> dict[str, Any]:
    parts = value.split(";") if isinstance(value, str) else value
    if not isinstance(parts, Sequence):
        raise ValueError(f"{shown(value)} is no list of names")
    given = [part for part in parts if not isinstance(part, str) or part.strip()]
    if len(given) > _MANY:
        raise ValueError(f"has {len(given)} names; {_MANY} are taken at most")
    return {name: tuple(_name(name, part)[name] for part in given)}


def _stamp(name: str, value: Any) -> dict[str, Any]:
    day, time = _day_and_time(value)
    return {name: day, f"{name}_at": time}


def _day(name: str, value: Any) -> dict[str, Any]:
    day, time = _day_and_time(value)
    if time is not None:
        raise ValueError(f"{shown(str(value))} has a time; a date is wanted, such as 2010-06-15")
    return {name: day}


def _day_and_time(value: Any) -> tuple[dt.date, dt.time | None]:
    if isinstance(value, dt.datetime):
        if value.tzinfo is not None:
            raise ValueError(
                f"{shown(str(value))} has a time zone; write date and time as the proof has them"
            )
        return value.date(), value.time().replace(microsecond=0)
    if isinstance(value, dt.date):
        return value, None
    text = value.strip() if isinstance(value, str) else ""
    match = _STAMP.fullmatch(text) if text.isascii() else None
    if match is None:
        raise ValueError(f"{shown(value)} is no date; write year-month-day, such as 2010-05-03")
    try:
        time = None if match[2] is None else dt.time.fromisoformat(match[2])
        return dt.date.fromisoformat(match[1]), time
    except ValueError as exc:
        raise ValueError(f"{shown(text)} is no date: {exc}") from None


def _way(name: str, value: Any) -> dict[str, Any]:
    text = str(value).strip() if isinstance(value, (str, int)) else ""
    if text not in ("1", "2", "3"):
        raise ValueError(f"{shown(value)} is no way of submission; {FIELDS['way']}")
    return {name: int(text)}


def _yes_or_no(name: str, value: Any) -> dict[str, Any]:
    if isinstance(value, bool):
        return {name: value}
    found = _YES.get(value.strip().casefold()) if isinstance(value, str) else None
    if found is None:
        raise ValueError(f"{shown(value)} is neither yes nor no")
    return {name: found}


_Reader = Callable[[str, Any], dict[str, Any]]
_READERS: Mapping[str, _Reader] = MappingProxyType(
    {
        **dict.fromkeys(("service", "proof", "media", "command", "note"), _text),
        **dict.fromkeys(("program", "entrant"), _name),
        **dict.fromkeys(("individuals", "platforms"), _names),
        **dict.fromkeys(("posted", "received", "testing"), _stamp),
        "agreed": _day,
        "way": _way,
        "present": _yes_or_no,
    }
)
_EMPTY: Mapping[str, dict[str, Any]] = MappingProxyType(
    {
        "individuals": {"individuals": ()},
        "platforms": {"platforms": ()},
        "testing": {"testing": None, "testing_at": None},
        "agreed": {"agreed": None},
        "present": {"present": False},
    }
)


def _bad(where: str, field: str, problem: str) -> BadForm:
    place = f"{where}, {field}" if where else field
    return BadForm(f"{place}: {problem}", field, problem)
