"""The register: reading what somebody writes about an entry, and the rules of section 1 that an
entry can break.

The same fields are options of `loebner screen register` and fields of the form in the browser. An
entry that breaks a rule about dates, media or platform is registered all the same: it has come in,
and the rule decides when it is tested. Only a person who is associated with two entries is refused
at once.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any, NamedTuple

import msgspec

from contest.errors import BadOrder, WrongMoment, YoursToFix
from contest.record.season import EntryRegistered, EntryRestored, EntryWithdrawn, Form
from contest.screening.state import TEXT_LIMIT, Entry, State, checks, one_line, require_reason
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
    """Fields that can't be used.

    Attributes:
        faults: field to what is wrong with it.
    """

    def __init__(self, faults: Mapping[str, str]) -> None:
        super().__init__(": ".join(next(iter(faults.items()))))
        self.faults = faults


# Fields. A reader turns what was written into a value, and raises ValueError.


def _name(value: str) -> str:
    if not folded(text := one_line(value)):
        raise ValueError(f"{shown(text)} is not a name: it has neither a letter nor a digit")
    return text


def _names(value: Any) -> tuple[str, ...]:
    parts = value.split(";") if isinstance(value, str) else value
    given = [part for part in parts if part.strip()]
    if len(given) > _MANY:
        raise ValueError(f"has {len(given)} names; at most {_MANY} are allowed")
    return tuple(map(_name, given))


def _stamp(value: str) -> tuple[dt.date, dt.time | None]:
    text = one_line(value)
    try:
        moment = dt.datetime.fromisoformat(text)
    except ValueError:
        raise ValueError(
            f"{shown(text)} is not a date; write year-month-day, such as 2010-05-03"
        ) from None
    return moment.date(), moment.time() if ":" in text else None


def read_day(value: str) -> dt.date:
    """A date such as 2010-06-15; raises ValueError, which says what to write."""
    day, time = _stamp(value)
    if time is not None:
        raise ValueError(f"{shown(value)} has a time; write a date such as 2010-06-15")
    return day


def _choice(choices: Mapping[str, Any]) -> Callable[[str], Any]:
    def read(value: str) -> Any:
        if (text := one_line(value).casefold()) not in choices:
            raise ValueError(f"{shown(value)} is not one of {', '.join(choices)}")
        return choices[text]

    return read


class Field(NamedTuple):
    """A field of the register: its label, what it holds, how it is read, whether it is required,
    and what is in it if nothing is given."""

    label: str
    holds: str
    read: Callable[[Any], Any] = one_line
    needed: bool = False
    empty: Any = ""


_WAYS = "; ".join(f"{way}: {words}" for way, words in WAYS.items())
FIELDS: Mapping[str, Field] = {
    "program": Field("Program", "the program's name", _name, True),
    "entrant": Field("Entrant", "who submits it", _name, True),
    "individuals": Field(
        "Individuals",
        "other people associated with it; several with semicolons between them",
        *(_names, False, ()),
    ),
    "posted": Field(
        "Date of posting",
        "date of posting, 2010-05-03; with the time of day if the proof has one, 2010-05-03 14:05",
        *(_stamp, True),
    ),
    "service": Field("Service", "the service that carried it, such as FedEx"),
    "proof": Field("Number of the receipt", "number of the receipt that proves the posting"),
    "received": Field(
        "Date of receipt", "date of receipt, with its time of day if known", _stamp, True
    ),
    "way": Field("Way of submission", _WAYS, _choice({str(way): way for way in WAYS}), True),
    "media": Field("Media", "the medium it came on, such as CD"),
    "platforms": Field(
        "Platforms",
        "the platforms it runs on; several with semicolons between them",
        _names,
        False,
        (),
    ),
    "testing": Field(
        "Testing date",
        "date and time at which the entrant comes for the test (ways 2 and 3)",
        *(_stamp, False, (None, None)),
    ),
    "agreed": Field(
        "Agreed on",
        "day on which the testing date was agreed (ways 2 and 3)",
        *(read_day, False, None),
    ),
    "present": Field(
        "Present",
        "yes or no: will the entrant be at the contest (ways 2 and 3)",
        *(_choice({"yes": True, "no": False}), False, False),
    ),
    "command": Field(
        "Command", "the command that starts it for screening, with {dir} for its directory"
    ),
    "note": Field("Note", "anything else to remember"),
}
#: Field to the most characters that it takes, where it is not `state.NAME_LIMIT`.
LIMITS: Mapping[str, int] = {"command": TEXT_LIMIT, "note": TEXT_LIMIT}


def read_form(values: Mapping[str, Any], before: Form | None = None) -> Form:
    """Reads what was written about an entry.

    Arguments:
        values: field to text, or to several names. An empty text takes an optional field away.
        before: what the register has already; fields that are not given stay as they were.

    Raises:
        BadForm: if a field is unknown, missing or unreadable, or two fields contradict each other.
    """
    held: dict[str, Any] = {} if before is None else msgspec.structs.asdict(before)
    wrong: dict[str, str] = {}
    for name, value in values.items():
        if (field := FIELDS.get(name)) is None:
            wrong[plain(name)[:60]] = f"there is no such field{near(name, FIELDS)}"
            continue
        empty = value is None or (isinstance(value, str) and not value.strip())
        try:
            if empty and field.needed:
                raise ValueError(f"is empty; give {field.holds}")
            if empty:
                read = field.empty
            elif name in LIMITS:
                read = one_line(value, LIMITS[name])
            else:
                read = field.read(value)
            held |= {name: read[0], f"{name}_at": read[1]} if f"{name}_at" in _AT else {name: read}
        except ValueError as exc:
            wrong[name] = str(exc)
    for name, field in FIELDS.items():
        if field.needed and name not in held and name not in wrong:
            wrong[name] = f"is missing; give {field.holds}"
    wrong = wrong or dict(_contradictions(form := Form(**held)))
    if wrong:
        raise BadForm(wrong)
    return form


_AT = [name for name in Form.__struct_fields__ if name.endswith("_at")]


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


def as_json_of(entry: Entry) -> dict[str, Any]:
    """An entry for programs: the fields of its form, and its changes."""
    form: dict[str, Any] = msgspec.to_builtins(msgspec.structs.asdict(entry.form))
    plain_ = {"entry": entry.id, "withdrawn": entry.withdrawn is not None, **form}
    return plain_ | {"changes": msgspec.to_builtins(entry.changes)}


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


def look(state: State, id_: str) -> tuple[list[Finding], list[str]]:
    """The rules that an entry of the register breaks, and remarks on it, each a clause; raises
    BadOrder if there is no such entry."""
    form, forms, table = state.find(id_).form, state.active, state.settings.season
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
            f"received on {form.received}, after {table.closes}: posting decides, although the "
            f"list of dates has “{RULES['1/receipt'].sentence}”",
        )
        remarks.append(decides.in_full())
    if form.received > table.testing_to:
        remarks.append(f"received on {form.received}, after the last day of testing")
    if form.posted_at is None:
        remarks.append("the proof has no time of day: it counts as the end of that day")
    return broken, remarks


def _findings(form: Form, table: SeasonTable) -> Iterator[tuple[str, str]]:
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


def registration(state: State, values: Mapping[str, Any]) -> EntryRegistered:
    """The event that registers an entry that has come in, under the next id; raises BadForm if a
    field can't be used."""
    return EntryRegistered(f"E{len(state.entries) + 1}", 1, read_form(values))


def correction(state: State, id_: str, values: Mapping[str, Any], reason: str) -> EntryRegistered:
    """The event that corrects fields of an entry; raises ContestError if one can't be used."""
    entry = state.find(id_)
    if not values:
        raise BadOrder(f"nothing of {id_} is to be changed; give a field")
    return EntryRegistered(id_, len(entry.versions) + 1, read_form(values, entry.form), reason)


@checks(EntryRegistered)
def _check_registered(state: State, _by: str, body: EntryRegistered) -> None:
    held, id_, form = state.entries.get(body.entry), body.entry, body.form
    expected = 1 if held is None else len(held.versions) + 1
    if body.version != expected:
        raise BadOrder(f"its version is {body.version}, not {expected}")
    if wrong := dict(_contradictions(form)):
        raise BadForm(wrong)
    if held is None:
        if id_ != (next_ := f"E{len(state.entries) + 1}"):
            raise BadOrder(f"it registers {shown(id_)}; the next one is {next_}")
        # Seasons of the first version could take a clash in, with a reason.
        if not body.reason:
            _refuse_shared(state.active, id_, form)
        return
    require_reason(body.reason)
    if form == held.form:
        raise WrongMoment(f"{id_} is in the register as you say already; nothing is changed")
    if held.withdrawn is None:
        _refuse_shared(state.active, id_, form)


@checks(EntryWithdrawn)
def _check_withdrawn(state: State, _by: str, body: EntryWithdrawn) -> None:
    require_reason(body.reason)
    if (why := state.find(body.entry).withdrawn) is not None:
        raise WrongMoment(f"{body.entry} is withdrawn already ({why})")


@checks(EntryRestored)
def _check_restored(state: State, _by: str, body: EntryRestored) -> None:
    entry = state.find(body.entry)
    require_reason(body.reason)
    if entry.withdrawn is None:
        raise WrongMoment(f"{body.entry} is not withdrawn")
    _refuse_shared(state.active, body.entry, entry.form)


def _refuse_shared(active: Mapping[str, Form], id_: str, form: Form) -> None:
    known = shared(active)
    for each in shared({**active, id_: form}, id_):
        if each not in known:
            raise WrongMoment(
                f"{_shared_words(*each)} ({RULES['1/individual'].quoted()}); withdraw one, or if "
                "these are two persons tell them apart in the name, such as 'Ann Lee (Leeds)'"
            )
