"""The register: reading what somebody writes about an entry, and the rules of section 1 that an
entry can break.

The same fields are options of `loebner screen register` and fields of the form in the browser.
Wrong dates or media are no reason to refuse an entry that has come in: the broken rules are quoted,
and decide when it is tested. Only a person who is associated with two entries is refused at
once.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import msgspec

from contest.errors import BadOrder, WrongMoment, YoursToFix
from contest.record.season import EntryRegistered, EntryRestored, EntryWithdrawn, Form
from contest.screening.state import NAME_LIMIT, TEXT_LIMIT, State, Writer, one_line, reason_of
from contest.setup import rules as names
from contest.setup.rules import RULES, Finding, folded
from contest.setup.settings import SeasonTable
from scheduler.texts import listed, natural, near, plain, shown

#: Names in one field.
_MANY = 50
#: Ways of submission, in words.
WAYS: Mapping[int, str] = {
    1: "management installs it",
    2: "the entrant installs it on management's computer",
    3: "the entrant brings a computer",
}


class BadForm(YoursToFix):
    """A field that can't be used, and what is wrong with it."""

    def __init__(self, field: str, problem: str) -> None:
        super().__init__(f"{field}: {problem}")


class Clash(WrongMoment):
    """Somebody is associated with another entry already."""


# Fields. A reader turns what was written into fields of `Form`, and raises ValueError.


def _text(name: str, value: Any) -> dict[str, Any]:
    return {name: one_line(value, FIELDS[name].limit)}


def _name(name: str, value: Any) -> dict[str, Any]:
    text = one_line(value)
    if not folded(text):
        raise ValueError(f"{shown(text)} is not a name: it has neither a letter nor a digit")
    return {name: text}


def _names(name: str, value: Any) -> dict[str, Any]:
    parts = value.split(";") if isinstance(value, str) else value
    given = [part for part in parts if part.strip()]
    if len(given) > _MANY:
        raise ValueError(f"has {len(given)} names; at most {_MANY} are allowed")
    return {name: tuple(_name(name, part)[name] for part in given)}


def _stamp(name: str, value: Any) -> dict[str, Any]:
    text = one_line(value)
    try:
        moment = dt.datetime.fromisoformat(text)
    except ValueError:
        raise ValueError(
            f"{shown(text)} is not a date; write year-month-day, such as 2010-05-03"
        ) from None
    return {name: moment.date(), f"{name}_at": moment.time() if ":" in text else None}


def _day(name: str, value: Any) -> dict[str, Any]:
    return {name: read_day(value)}


def read_day(value: Any) -> dt.date:
    """A date such as 2010-06-15; raises ValueError, which says what to write."""
    found = _stamp("day", value)
    if found["day_at"] is not None:
        raise ValueError(f"{shown(str(value))} has a time; write a date such as 2010-06-15")
    day: dt.date = found["day"]
    return day


def _way(name: str, value: Any) -> dict[str, Any]:
    text = one_line(value)
    if text not in ("1", "2", "3"):
        raise ValueError(f"{shown(value)} is not a way of submission; {FIELDS['way'].holds}")
    return {name: int(text)}


def _yes(name: str, value: Any) -> dict[str, Any]:
    text = one_line(value).casefold()
    if text not in ("yes", "no"):
        raise ValueError(f"{shown(value)} is neither yes nor no")
    return {name: text == "yes"}


@dataclass(frozen=True, slots=True)
class Field:
    """A field of the register: its label, what it holds, how it is read, the part of the form in
    the browser, whether it is required, and how many characters it takes at most."""

    label: str
    holds: str
    read: Callable[[str, Any], dict[str, Any]]
    group: str
    needed: bool = False
    limit: int = NAME_LIMIT


_ENTRY, _POST, _CAME, _VISIT, _BESIDES = (
    *("The entry", "The post", "What came"),
    *("Only for ways 2 and 3, where the entrant comes", "Besides"),
)
FIELDS: Mapping[str, Field] = {
    "program": Field("Program", "the program's name", _name, _ENTRY, True),
    "entrant": Field("Entrant", "who submits it", _name, _ENTRY, True),
    "individuals": Field(
        "Individuals",
        "others who are associated with it; several with semicolons between them",
        *(_names, _ENTRY),
    ),
    "posted": Field(
        "Date of posting",
        "date of posting, 2010-05-03; with the time of day if the proof has one, 2010-05-03 14:05",
        *(_stamp, _POST, True),
    ),
    "service": Field("Service", "by which it was sent, such as FedEx", _text, _POST),
    "proof": Field(
        "Number of the receipt", "number of the receipt that proves the posting", _text, _POST
    ),
    "received": Field(
        "Date of receipt", "date of receipt, with its time of day if known", _stamp, _POST, True
    ),
    "way": Field(
        "Way of submission",
        "; ".join(f"{way}: {words}" for way, words in WAYS.items()),
        *(_way, _CAME, True),
    ),
    "media": Field("Media", "on which it came", _text, _CAME),
    "platforms": Field(
        "Platforms", "on which it runs; several with semicolons between them", _names, _CAME
    ),
    "testing": Field(
        "Testing date",
        "date and time of day at which the entrant comes to have it tested (ways 2, 3)",
        *(_stamp, _VISIT),
    ),
    "agreed": Field(
        "Agreed on", "day on which the testing date was agreed (ways 2 and 3)", _day, _VISIT
    ),
    "present": Field(
        "Present", "yes or no: will the entrant be at the contest (ways 2 and 3)", _yes, _VISIT
    ),
    "command": Field(
        "Command",
        "how it is started to be screened, with {dir} for its directory",
        *(_text, _BESIDES, False, TEXT_LIMIT),
    ),
    "note": Field("Note", "anything else to remember", _text, _BESIDES, False, TEXT_LIMIT),
}
#: Fields that an entry can't be registered without.
NEEDED = tuple(name for name, field in FIELDS.items() if field.needed)
_EMPTY: Mapping[str, dict[str, Any]] = {
    "individuals": {"individuals": ()},
    "platforms": {"platforms": ()},
    "testing": {"testing": None, "testing_at": None},
    "agreed": {"agreed": None},
    "present": {"present": False},
}


def read_form(values: Mapping[str, Any], before: Form | None = None) -> Form:
    """Reads what was written about an entry.

    Arguments:
        values: field to text, or to several names. An empty text takes an optional field away.
        before: what the register has already; fields that are not given stay as they were.

    Raises:
        BadForm: if a field is unknown, missing or unreadable, or two fields contradict each other.
    """
    form, wrong = read_fields(values, before)
    if form is None:
        raise BadForm(*next(iter(wrong.items())))
    return form


def read_fields(
    values: Mapping[str, Any], before: Form | None = None
) -> tuple[Form | None, dict[str, str]]:
    """As `read_form`; gives None, and field to fault, where anything is wrong."""
    held: dict[str, Any] = {} if before is None else msgspec.structs.asdict(before)
    wrong: dict[str, str] = {}
    for name, value in values.items():
        field = FIELDS.get(name)
        empty = value is None or (isinstance(value, str) and not value.strip())
        if field is None:
            wrong[plain(name)[:60]] = f"there is no such field{near(name, FIELDS)}"
        elif empty and field.needed:
            wrong[name] = f"is empty; give {field.holds}"
        elif empty:
            held |= _EMPTY.get(name, {name: ""})
        else:
            try:
                held |= field.read(name, value)
            except ValueError as exc:
                wrong[name] = str(exc)
    for name in NEEDED:
        if name not in held and name not in wrong:
            wrong[name] = f"is missing; give {FIELDS[name].holds}"
    if wrong:
        return None, wrong
    form = Form(**held)
    wrong = dict(_contradictions(form))
    return (None if wrong else form), wrong


def _contradictions(form: Form) -> Iterator[tuple[str, str]]:
    """Values that no post office and no calendar can have made: field and problem."""
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


# Rules


def shared(
    forms: Mapping[str, Form],
    about: str | None = None,
    alike: Callable[[str, str], bool] = names.same,
) -> list[tuple[str, str, str, str]]:
    """Individuals who are associated with two entries: both ids, and the name as both have it.

    Arguments:
        forms: entry to form, of those that are not withdrawn.
        about: only individuals of this entry; of all entries if left out.
        alike: whether two names are one person's; `names.near` for names that look alike.
    """
    people = {
        id_: list({folded(each): each for each in (*form.individuals[::-1], form.entrant)}.values())
        for id_, form in forms.items()
    }
    return [
        (first, second, name, other)
        for first, second in combinations(sorted(forms, key=natural), 2)
        if about is None or about in (first, second)
        for name in people[first]
        for other in people[second]
        if alike(name, other)
    ]


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
        form: what is known about it.
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
    """Raises ContestError if an entry can't be registered, or changed, like this."""
    held, id_, form = state.entries.get(body.entry), body.entry, body.form
    expected = 1 if held is None else len(held.versions) + 1
    if body.version != expected:
        raise BadOrder(f"its version is {body.version}, not {expected}")
    for field, problem in _contradictions(form):
        raise BadForm(field, problem)
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
    """Raises ContestError if an entry can't be withdrawn."""
    entry = state.find(body.entry)
    reason_of(body.reason)
    if entry.withdrawn:
        raise WrongMoment(f"{body.entry} is withdrawn already ({entry.steps[-1].reason})")


def check_restored(state: State, _by: str, body: EntryRestored) -> None:
    """Raises ContestError if a withdrawal can't be taken back."""
    entry = state.find(body.entry)
    reason_of(body.reason)
    if not entry.withdrawn:
        raise WrongMoment(f"{body.entry} is not withdrawn")
    _refuse_shared(state.active, body.entry, entry.form)


def _refuse_shared(active: Mapping[str, Form], id_: str, form: Form) -> None:
    known = shared(active)
    for each in shared({**active, id_: form}, id_):
        if each not in known:
            raise Clash(
                f"{_shared_words(*each)} ({RULES['1/individual'].quoted()}); withdraw one, or if "
                "these are two persons tell them apart in the name, such as 'Ann Lee (Leeds)'"
            )


def next_id(state: State) -> str:
    """The id of the next entry."""
    return f"E{len(state.entries) + 1}"


def add(season: Writer, values: Mapping[str, Any], by: str) -> str:
    """Registers an entry that has come in, and gives its id. Raises BadForm if a field can't be
    used, Clash if somebody is associated with another entry."""
    id_ = next_id(season.state)
    season.write(by, EntryRegistered(id_, 1, read_form(values)))
    return id_


def change(season: Writer, id_: str, values: Mapping[str, Any], by: str, reason: str) -> None:
    """Corrects fields of an entry; the version before is kept. Raises ContestError if it can't be
    corrected like this."""
    entry, why = season.state.find(id_), reason_of(reason)
    if not values:
        raise BadOrder(f"nothing is said of {id_} that is to be changed; give a field")
    form = read_form(values, entry.form)
    season.write(by, EntryRegistered(id_, len(entry.versions) + 1, form, why))


def withdraw(season: Writer, id_: str, by: str, reason: str, *, back: bool = False) -> None:
    """Takes an entry out, or takes that back; its id stays its own. Raises ContestError if it can't
    be done."""
    season.write(by, (EntryRestored if back else EntryWithdrawn)(id_, reason_of(reason)))


# Showing


def about(state: State, id_: str) -> tuple[list[Finding], list[str]]:
    """The rules that an entry of the register breaks, and remarks on it; see `look`."""
    return look(id_, state.find(id_).form, state.active, state.settings.season)


def texts_of(form: Form) -> dict[str, str]:
    """The fields of a form as somebody would write them."""

    def text(name: str) -> str:
        value, at = getattr(form, name), getattr(form, f"{name}_at", None)
        if isinstance(value, tuple):
            return "; ".join(value)
        if isinstance(value, bool):
            return "yes" if value else "no"
        if at is not None:
            return f"{value} {at}".removesuffix(":00")
        return "" if value is None else str(value)

    return {name: text(name) for name in FIELDS}


def facts_of(form: Form) -> list[tuple[str, str]]:
    """A form without the program's name, for people: label and text."""
    texts = texts_of(form) | {"way": f"{form.way}: {WAYS[form.way]}", "program": ""}
    if form.way == 1:
        texts["present"] = ""
    return [(FIELDS[name].label, text) for name, text in texts.items() if text]
