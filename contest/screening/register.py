"""The register: reading what somebody writes of an entry, the rules of section 1 that it can break,
and the steps that change it.

The same fields, by the same names, are options of `loebner screen register`, columns of a CSV file,
keys of a TOML file and fields of the board's form. Bad dates and media are no reason to refuse an
entry, for it has come in: the rules that it breaks are quoted, and decide when it is tested. Only
somebody who is associated with two entries is asked about at once.
"""

from __future__ import annotations

import datetime as dt
import re
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import msgspec

from contest.errors import BadOrder, WrongMoment, YoursToFix
from contest.record.season import EntryRegistered, EntryRestored, EntryWithdrawn, Form
from contest.screening.state import State, Writer
from contest.screening.texts import NAME_LIMIT, TEXT_LIMIT, one_line, reason_of
from contest.setup import rules as names
from contest.setup.rules import RULES, Finding, folded
from contest.setup.settings import SeasonTable
from scheduler.documents import read_cells, read_table
from scheduler.texts import listed, natural, near, plain, shown

#: Names in one field.
_MANY = 50
_STAMP = re.compile(r"(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2})?))?")
_YES = {"yes": True, "true": True, "no": False, "false": False}
#: Ways of submission, in words.
WAYS: Mapping[int, str] = {
    1: "management installs it",
    2: "the entrant installs it on management's computer",
    3: "the entrant brings a computer",
}
#: Fields that an entry can't be registered without.
NEEDED = ("program", "entrant", "posted", "received", "way")
#: Field to its label on the board, and to what it holds, for help and hints.
FIELDS: Mapping[str, tuple[str, str]] = {
    "program": ("Program", "the program's name"),
    "entrant": ("Entrant", "who submits it"),
    "individuals": (
        "Individuals",
        "others who are associated with it; several with semicolons between them",
    ),
    "posted": (
        "Date of posting",
        "date of posting, 2010-05-03; with its time of day, if the proof has one, 2010-05-03 14:05",
    ),
    "service": ("Service", "by which it was sent, such as FedEx"),
    "proof": ("Number of the receipt", "number of the receipt that proves the posting"),
    "received": ("Date of receipt", "date of receipt, with its time of day if that is known"),
    "way": ("Way of submission", "; ".join(f"{way}: {words}" for way, words in WAYS.items())),
    "media": ("Media", "on which it came"),
    "platforms": ("Platforms", "on which it runs; several with semicolons between them"),
    "testing": (
        "Testing date",
        "date and time of day at which the entrant comes to have it tested (ways 2, 3)",
    ),
    "agreed": ("Agreed on", "day on which the testing date was agreed (ways 2 and 3)"),
    "present": ("Present", "yes or no: will the entrant be present at the contest (ways 2 and 3)"),
    "command": ("Command", "how it is started to be screened, with {dir} for its directory"),
    "note": ("Note", "anything else to remember"),
}


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


class Clash(WrongMoment):
    """Somebody is associated with another entry already."""


# Reading


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

    def bad(field: str, problem: str) -> BadForm:
        return BadForm(f"{where + ', ' if where else ''}{field}: {problem}", field, problem)

    held: dict[str, Any] = {} if before is None else msgspec.structs.asdict(before)
    for name, value in values.items():
        if name not in FIELDS:
            raise bad(plain(name)[:60], f"there is no such field{near(name, FIELDS)}")
        try:
            held |= _read(name, value)
        except ValueError as exc:
            raise bad(name, str(exc)) from None
    for name in NEEDED:
        if name not in held:
            raise bad(name, f"is missing; give {FIELDS[name][1]}")
    form = Form(**held)
    for field, problem in _problems(form):
        raise bad(field, problem)
    return form


def faults(values: Mapping[str, Any], before: Form | None = None) -> dict[str, str]:
    """All that is wrong with what was written of an entry: field to what; arguments as of
    `read_form`."""
    found: dict[str, str] = {}
    for name in values.keys() & FIELDS.keys():
        try:
            _read(name, values[name])
        except ValueError as exc:
            found[name] = str(exc)
    if not found:
        try:
            read_form(values, "", before)
        except BadForm as exc:
            found[exc.field] = exc.problem
    return found


def _problems(form: Form) -> Iterable[tuple[str, str]]:
    """What no post office and no calendar can have done: field and problem."""
    latest = dt.time.max
    at = (form.received_at or latest) if form.received == form.posted else latest
    if form.received < form.posted or at < (form.posted_at or dt.time.min):
        posted = f"{form.received} is before it was posted, {form.posted}"
        yield "received", f"{posted}; look at both again"
    if form.agreed is not None and form.testing is not None and form.agreed > form.testing:
        testing = f"{form.agreed} is after the testing date, {form.testing}"
        yield "agreed", f"{testing}; look at both again"
    if form.command and "{dir}" not in form.command:
        yield "command", "lacks {dir}, the place of its communications directory"


def _read(name: str, value: Any) -> dict[str, Any]:
    """A field as the form's fields; raises ValueError."""
    empty = value is None or (isinstance(value, str) and not value.strip())
    if empty and name in NEEDED:
        raise ValueError(f"is empty; give {FIELDS[name][1]}")
    if empty:
        return _EMPTY.get(name, {name: ""})
    return _READERS.get(name, _read_text)(name, value)


def _read_text(name: str, value: Any) -> dict[str, Any]:
    return {name: one_line(value, TEXT_LIMIT if name in ("command", "note") else NAME_LIMIT)}


def _read_name(name: str, value: Any) -> dict[str, Any]:
    text = one_line(value)
    if not folded(text):
        raise ValueError(f"{shown(text)} is no name: it has neither a letter nor a digit")
    return {name: text}


def _read_names(name: str, value: Any) -> dict[str, Any]:
    parts = value.split(";") if isinstance(value, str) else value
    if not isinstance(parts, Sequence):
        raise ValueError(f"{shown(value)} is no list of names")
    given = [part for part in parts if not isinstance(part, str) or part.strip()]
    if len(given) > _MANY:
        raise ValueError(f"has {len(given)} names; {_MANY} are taken at most")
    return {name: tuple(_read_name(name, part)[name] for part in given)}


def _read_stamp(name: str, value: Any) -> dict[str, Any]:
    if isinstance(value, dt.datetime):
        if value.tzinfo is not None:
            raise ValueError(
                f"{shown(str(value))} has a time zone; write date and time as the proof has them"
            )
        return {name: value.date(), f"{name}_at": value.time().replace(microsecond=0)}
    if isinstance(value, dt.date):
        return {name: value, f"{name}_at": None}
    text = value.strip() if isinstance(value, str) else ""
    match = _STAMP.fullmatch(text) if text.isascii() else None
    if match is None:
        raise ValueError(f"{shown(value)} is no date; write year-month-day, such as 2010-05-03")
    try:
        time = None if match[2] is None else dt.time.fromisoformat(match[2])
        return {name: dt.date.fromisoformat(match[1]), f"{name}_at": time}
    except ValueError as exc:
        raise ValueError(f"{shown(text)} is no date: {exc}") from None


def _read_day(name: str, value: Any) -> dict[str, Any]:
    return {name: read_day(value)}


def read_day(value: Any) -> dt.date:
    """A date as somebody writes it, such as 2010-06-15; raises ValueError, which says what to
    write."""
    found = _read_stamp("day", value)
    if found["day_at"] is not None:
        raise ValueError(f"{shown(str(value))} has a time; a date is wanted, such as 2010-06-15")
    day: dt.date = found["day"]
    return day


def _read_way(name: str, value: Any) -> dict[str, Any]:
    text = str(value).strip() if isinstance(value, (str, int)) else ""
    if text not in ("1", "2", "3"):
        raise ValueError(f"{shown(value)} is no way of submission; {FIELDS['way'][1]}")
    return {name: int(text)}


def _read_yes(name: str, value: Any) -> dict[str, Any]:
    found = _YES.get(str(value).strip().casefold())
    if found is None:
        raise ValueError(f"{shown(value)} is neither yes nor no")
    return {name: found}


_READERS: Mapping[str, Callable[[str, Any], dict[str, Any]]] = {
    **dict.fromkeys(("program", "entrant"), _read_name),
    **dict.fromkeys(("individuals", "platforms"), _read_names),
    **dict.fromkeys(("posted", "received", "testing"), _read_stamp),
    "agreed": _read_day,
    "way": _read_way,
    "present": _read_yes,
}
_EMPTY: Mapping[str, dict[str, Any]] = {
    "individuals": {"individuals": ()},
    "platforms": {"platforms": ()},
    "testing": {"testing": None, "testing_at": None},
    "agreed": {"agreed": None},
    "present": {"present": False},
}


def read_file(text: str, source: str) -> list[tuple[str, dict[str, Any]]]:
    """The entries of a CSV file with a head, or of a TOML file with a table `[[entry]]` for each:
    where each stands, and its fields.

    Arguments:
        text: the file's.
        source: its name; TOML's ends with `.toml`.

    Raises:
        BadForm, scheduler.BadInput: if it is no such file.
    """
    if not source.casefold().endswith(".toml"):
        for name in read_cells(text, source)[0][1]:
            # A column that is passed over would be a date that nobody misses.
            if name and name.casefold() not in FIELDS:
                raise BadForm(f"{source}: there is no column {shown(name)}{near(name, FIELDS)}")
        optional = [name for name in FIELDS if name not in NEEDED]
        rows = read_table(text, NEEDED, source, optional)
        return [(f"{source}, line {line}", cells) for line, cells in rows]
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


# Rules


def shared(
    forms: Mapping[str, Form],
    about: str | None = None,
    alike: Callable[[str, str], bool] = names.same,
) -> list[tuple[str, str, str, str]]:
    """Individuals who are associated with two entries: both ids, and the name as both have it.

    Arguments:
        forms: entry to form, of those that are not withdrawn.
        about: only those who are associated with this entry; with all if left out.
        alike: which names are one person's; `names.near` for those that somebody should look at.
    """
    people = {id_: _people(form) for id_, form in forms.items()}
    return [
        (first, second, name, other)
        for first, second in combinations(sorted(forms, key=natural), 2)
        if about is None or about in (first, second)
        for name in people[first]
        for other in people[second]
        if alike(name, other)
    ]


def _people(form: Form) -> list[str]:
    """All individuals associated with an entry, each once, the entrant first."""
    found: dict[str, str] = {}
    for name in (form.entrant, *form.individuals):
        found.setdefault(folded(name), name)
    return list(found.values())


def _shared_words(first: str, second: str, name: str, other: str) -> str:
    if name == other:
        return f"{shown(name)} is associated with {first} and {second}"
    return f"{shown(name)} of {first} and {shown(other)} of {second} are the same name"


def look(
    id_: str, form: Form, forms: Mapping[str, Form], table: SeasonTable
) -> tuple[list[Finding], list[str]]:
    """The rules that an entry breaks, and remarks on it, each a clause.

    Arguments:
        id_: the entry's.
        form: what is known of it.
        forms: entry to form, of those that are not withdrawn.
        table: `[season]`.
    """
    broken = [Finding("1/individual", _shared_words(*each)) for each in shared(forms, id_)]
    broken += [Finding(f"1/{rule}", words) for rule, words in _findings(form, table)]
    remarks = [
        f"{shown(name)} of {first} and {shown(other)} of {second} are nearly the same name; make "
        "sure that they are two persons"
        for first, second, name, other in shared(forms, id_, names.near)
    ]
    if form.received > table.closes:
        decides = Finding(
            "1/priority",
            f"received on {form.received}, after {table.closes}: posting decides, although "
            f"“{RULES['1/receipt'].sentence}” stands in the list of dates",
        )
        remarks.append(decides.in_full())
    if form.received > table.testing_to:
        remarks.append(f"received on {form.received}, after the last day of testing")
    if form.posted_at is None:
        remarks.append("the proof has no time of day: it counts as the end of that day")
    return broken, remarks


def _findings(form: Form, table: SeasonTable) -> Iterable[tuple[str, str]]:
    """Rules about posting, media, platform, testing date and presence that an entry breaks."""
    if form.posted < table.opens:
        yield "posted", f"posted on {form.posted}, before {table.opens}"
    if form.posted > table.closes:
        yield "posted", f"posted on {form.posted}, after {table.closes}"
    if not form.service or not form.proof:
        lacks = "service" if not form.service else "number of a receipt"
        yield "proof", f"no {lacks} that proves the posting"
    if not any(names.same(form.media, each) for each in table.media):
        said = shown(form.media) if form.media else "no media"
        yield "media", f"submitted on {said}, not on {_or(table.media)}"
    runs = any(names.same(one, each) for one in form.platforms for each in table.platforms)
    if form.way in (1, 2) and not runs:
        said = listed(map(shown, form.platforms)) if form.platforms else "no platform"
        yield "platform", f"said to run on {said}, not on {_or(table.platforms)}"
    if form.way == 1:
        return
    if form.agreed is None:
        yield "agreed", "no day on which a testing date was agreed"
    elif form.agreed >= table.agreed_before:
        late = f"the testing date was agreed on {form.agreed}, not before {table.agreed_before}"
        yield "agreed", late
    if form.testing is None:
        yield "testing", "no testing date"
    elif not table.testing_from <= form.testing <= table.testing_to:
        days = f"{table.testing_from} and {table.testing_to}"
        yield "testing", f"the testing date is {form.testing}, not between {days}"
    if not form.present:
        yield "present", "the entrant is not said to be present at the contest"


def _or(values: Sequence[str]) -> str:
    return " or ".join(filter(None, (", ".join(values[:-1]), values[-1])))


# Steps


def check_registered(state: State, _by: str, body: EntryRegistered) -> None:
    """Raises ContestError where an entry can't be registered, or changed, like this."""
    held, id_, form = state.entries.get(body.entry), body.entry, body.form
    expected = 1 if held is None else len(held.versions) + 1
    if body.version != expected:
        raise BadOrder(f"its version is {body.version}, not {expected}")
    for field, problem in _problems(form):
        raise BadForm(f"{field}: {problem}", field, problem)
    if held is None:
        if id_ != (next_ := next_id(state)):
            raise BadOrder(f"it registers {shown(id_)}; the next one is {next_}")
        if not body.reason:
            _refuse_shared(state.active, id_, form)
        return
    reason_of(body.reason)
    if form == held.form:
        raise WrongMoment(f"{id_} is in the register as you say already; nothing is changed")
    if not held.withdrawn:
        _refuse_shared(state.active, id_, form)


def check_withdrawn(state: State, _by: str, body: EntryWithdrawn) -> None:
    """Raises ContestError where an entry can't be withdrawn."""
    entry = state.find(body.entry)
    reason_of(body.reason)
    if entry.withdrawn:
        raise WrongMoment(f"{body.entry} is withdrawn already ({entry.steps[-1].reason})")


def check_restored(state: State, _by: str, body: EntryRestored) -> None:
    """Raises ContestError where a withdrawal can't be taken back."""
    entry = state.find(body.entry)
    reason_of(body.reason)
    if not entry.withdrawn:
        raise WrongMoment(f"{body.entry} is not withdrawn")
    _refuse_shared(state.active, body.entry, entry.form)


def _refuse_shared(active: Mapping[str, Form], id_: str, form: Form, where: str = "") -> None:
    known = shared(active)
    for each in shared({**active, id_: form}, id_):
        if each not in known:
            words = f"{where + ': ' if where else ''}{_shared_words(*each)}"
            raise Clash(
                f"{words} ({RULES['1/individual'].quoted()}); withdraw one, or if these are two "
                "persons tell them apart in the name, such as 'Ann Lee (Leeds)'"
            )


def next_id(state: State) -> str:
    """The id of the next entry that comes in."""
    return f"E{len(state.entries) + 1}"


@dataclass(frozen=True, slots=True)
class Registered:
    """An entry as it stands after a step: its id, the rules that it breaks, and remarks."""

    entry: str
    broken: tuple[Finding, ...]
    remarks: tuple[str, ...]

    @classmethod
    def of(cls, state: State, id_: str) -> Registered:
        """That of an entry of the register."""
        broken, remarks = look(id_, state.find(id_).form, state.active, state.settings.season)
        return cls(id_, tuple(broken), tuple(remarks))

    def as_json(self) -> dict[str, object]:
        """For programs."""
        broken = [finding.as_json() for finding in self.broken]
        return {"entry": self.entry, "broken": broken, "remarks": list(self.remarks)}


def add_all(
    season: Writer,
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
        anyway: why they are registered although somebody is associated with another entry.

    Raises:
        BadForm: if a field can't be used.
        Clash: if somebody is associated with two entries, and `anyway` is empty.
    """
    reason = reason_of(anyway, needed=False)
    active, bodies = season.state.active, []
    for number, (where, values) in enumerate(rows, len(season.state.entries) + 1):
        body = EntryRegistered(f"E{number}", 1, read_form(values, where), reason)
        if not reason:
            _refuse_shared(active, body.entry, body.form, where)
        active[body.entry] = body.form
        bodies.append(body)
    season.write(by, *bodies)
    return [Registered.of(season.state, body.entry) for body in bodies]


def change(season: Writer, id_: str, values: Mapping[str, Any], by: str, reason: str) -> Registered:
    """Corrects fields of an entry; the version before is kept.

    Raises:
        ContestError: if there is no such entry, no field, no reason, or nothing would change; if a
            field can't be used, or somebody becomes associated with another entry, too.
    """
    entry, why = season.state.find(id_), reason_of(reason)
    if not values:
        raise BadOrder(f"nothing is said of {id_} that is to be changed; give a field")
    form = read_form(values, "", entry.form)
    season.write(by, EntryRegistered(id_, len(entry.versions) + 1, form, why))
    return Registered.of(season.state, id_)


def withdraw(season: Writer, id_: str, by: str, reason: str) -> Registered:
    """Takes an entry out; its id stays its own. Raises ContestError where it can't be."""
    season.write(by, EntryWithdrawn(id_, reason_of(reason)))
    return Registered.of(season.state, id_)


def restore(season: Writer, id_: str, by: str, reason: str) -> Registered:
    """Takes a withdrawal back. Raises ContestError where it can't be."""
    season.write(by, EntryRestored(id_, reason_of(reason)))
    return Registered.of(season.state, id_)


# Writing


def texts_of(form: Form) -> dict[str, str]:
    """What the register holds of an entry, field by field as somebody would write it."""

    def stamp(day: dt.date | None, time: dt.time | None = None) -> str:
        if day is None:
            return ""
        return str(day) if time is None else f"{day} {time}".removesuffix(":00")

    plain = {name: getattr(form, name) for name in FIELDS}
    return plain | {
        "individuals": "; ".join(form.individuals),
        "posted": stamp(form.posted, form.posted_at),
        "received": stamp(form.received, form.received_at),
        "way": str(form.way),
        "platforms": "; ".join(form.platforms),
        "testing": stamp(form.testing, form.testing_at),
        "agreed": stamp(form.agreed),
        "present": "yes" if form.present else "no",
    }


def facts_of(form: Form) -> list[tuple[str, str]]:
    """What the register holds of an entry beside the program's name, for people: label and text."""
    texts = texts_of(form) | {"way": f"{form.way}: {WAYS[form.way]}"}
    if form.way == 1:
        texts["present"] = ""
    del texts["program"]
    return [(FIELDS[name][0], text) for name, text in texts.items() if text]
