"""The register: the details of an entry, the rules that it can break, and its checklist.

`data/register.toml` has the sentences of the rules, the checklist, and the fields, which are
options of `loebner screen register` and fields of the form in the browser. An entry that breaks a
rule is registered anyway, because it has been received. Only a person associated with two entries
is refused at once. An entry *complies* if every item that applies to its way of submission is
passed, does not comply if one is failed, and is open otherwise.
"""

from __future__ import annotations

import datetime as dt
import difflib
import functools
import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import combinations
from typing import Any

import msgspec

from contest.errors import BadOrder, UserError
from contest.record.season import EntryRegistered, Form
from contest.screening.questions import data
from contest.screening.state import (
    NAME_LIMIT,
    TEXT_LIMIT,
    Entry,
    State,
    Tested,
    one_line,
)
from contest.setup.settings import SeasonTable
from scheduler.texts import did_you_mean, joined, listed, natural, plain, shown
from texts import Sentence

#: The maximum number of names in one field; the similarity, from 0 to 1, from which two names get a
#: remark.
_MANY, _ALIKE = 50, 0.85
#: The sources of an item's answer, besides check-bot.
REGISTER, PERSON = "register", "person"
#: The state of an entry.
COMPLIES, FAILS, OPEN = "complies", "does not comply", "open"


class BadForm(UserError):
    """Fields that can't be used.

    Attributes:
        faults: field to what is wrong with it.
    """

    def __init__(self, faults: Mapping[str, str]) -> None:
        super().__init__(": ".join(next(iter(faults.items()))))
        self.faults = faults


class Field(msgspec.Struct, frozen=True):
    """A field of the register or of a form: its label, its description (`holds`), which of
    `READERS` reads it, whether it is required, the values that it offers, each with a label, and
    the German texts, by these names."""

    label: str
    holds: str
    kind: str = "line"
    needed: bool = False
    offers: tuple[tuple[str, str], ...] = ()
    de: dict[str, Any] = {}

    def in_language(self, language: str) -> Field:
        """The field with its texts in a language, `en` or `de`."""
        return self if language == "en" else msgspec.structs.replace(self, **self.de)

    @property
    def limit(self) -> int:
        """The maximum number of characters."""
        return TEXT_LIMIT if self.kind == "text" else NAME_LIMIT


class Item(msgspec.Struct, frozen=True):
    """An item of the checklist: its rule, the source of the answer, and the ways of submission to
    which it applies."""

    rule: str
    source: str
    ways: tuple[int, ...] = (1, 2, 3)


_DATA = data("register")
#: Rule to its sentence.
SENTENCES: Mapping[str, str] = _DATA["rules"]
#: The fields of an entry, and the other fields of forms.
FIELDS = msgspec.convert(_DATA["fields"], dict[str, Field])
MORE_FIELDS = msgspec.convert(_DATA["more_fields"], dict[str, Field])
ITEMS = msgspec.convert(_DATA["items"], dict[str, Item])
#: The items that a person answers.
ASKED = tuple(id_ for id_, item in ITEMS.items() if item.source == PERSON)


def quoted(rule: str) -> Sentence:
    """A rule's section and sentence, to quote after a fault."""
    section = rule.partition("/")[0]
    return Sentence("season.quoted", section=section, sentence=SENTENCES[rule])


# Fields. A reader turns text into a value, and raises ValueError.


def _name(value: Any) -> str:
    if not folded(text := one_line(value)):
        raise ValueError(Sentence("season.refused.no_name", text=shown(text)))
    return text


def _names(value: Any) -> tuple[str, ...]:
    parts = value.split(";") if isinstance(value, str) else value
    given = [part for part in parts if part.strip()]
    if len(given) > _MANY:
        raise ValueError(Sentence("season.refused.names", number=len(given), most=_MANY))
    return tuple(map(_name, given))


def _stamp(value: Any) -> tuple[dt.date, dt.time | None]:
    text = one_line(value)
    try:
        moment = dt.datetime.fromisoformat(text)
    except ValueError:
        raise ValueError(Sentence("season.refused.no_date", text=shown(text))) from None
    return moment.date(), moment.time() if ":" in text else None


def _day(value: Any) -> dt.date:
    day, time = _stamp(value)
    if time is not None:
        raise ValueError(Sentence("season.refused.time", text=shown(value)))
    return day


def _choice(choices: Mapping[str, Any], value: Any) -> Any:
    if (text := one_line(value).casefold()) not in choices:
        offers = ", ".join(choices)
        raise ValueError(Sentence("season.refused.choice", text=shown(value), offers=offers))
    return choices[text]


READERS: Mapping[str, Callable[[Any], Any]] = {
    "line": one_line,
    "text": partial(one_line, limit=TEXT_LIMIT),
    "name": _name,
    "names": _names,
    "stamp": _stamp,
    "day": _day,
    "document": str,
    "way": partial(_choice, {"1": 1, "2": 2, "3": 3}),
    "yes": partial(_choice, {"yes": True, "no": False}),
}


def read_values(
    fields: Mapping[str, Field], values: Mapping[str, Any], before: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """Reads the texts of some fields, replacing the values before. Fields that are not given keep
    their values; an empty text removes the value of an optional field. Raises BadForm if a field is
    unknown, missing or unreadable."""
    held, wrong = dict(before or {}), dict[str, str]()
    for name, value in values.items():
        if (field := fields.get(name)) is None:
            hint = did_you_mean(name, fields)
            wrong[plain(name)[:60]] = Sentence("season.refused.no_field", hint=hint)
            continue
        held = {key: kept for key, kept in held.items() if key not in (name, f"{name}_at")}
        if value is None or (isinstance(value, str) and not value.strip()):
            if field.needed:
                wrong[name] = Sentence("season.refused.empty", holds=field.holds)
            continue
        try:
            held[name] = READERS[field.kind](value)
            if field.kind == "stamp":
                held[name], held[f"{name}_at"] = held[name]
        except ValueError as exc:
            wrong[name] = exc.args[0]
    for name, field in fields.items():
        if field.needed and name not in held:
            wrong.setdefault(name, Sentence("season.refused.missing", holds=field.holds))
    if wrong:
        raise BadForm(wrong)
    return held


def read_form(values: Mapping[str, Any], before: Form | None = None) -> Form:
    """Reads the fields of an entry, replacing those in the register; raises BadForm if a field
    can't be used, or two contradict each other."""
    held = {} if before is None else msgspec.structs.asdict(before)
    form = Form(**read_values(FIELDS, values, held))
    if wrong := dict(contradictions(form)):
        raise BadForm(wrong)
    return form


def contradictions(form: Form) -> Iterator[tuple[str, str]]:
    """Values that contradict each other: field and problem."""
    at = form.received_at or dt.time.max
    if (form.received, at) < (form.posted, form.posted_at or dt.time.min):
        dates = {"received": form.received, "posted": form.posted}
        yield "received", Sentence("season.refused.received", **dates)
    if form.agreed is not None and form.testing is not None and form.agreed > form.testing:
        dates = {"agreed": form.agreed, "testing": form.testing}
        yield "agreed", Sentence("season.refused.agreed", **dates)
    if form.command and "{dir}" not in form.command:
        yield "command", Sentence("season.refused.no_dir", dir="{dir}")


def texts_of(form: Form) -> dict[str, str]:
    """The fields of a form as texts that `read_form` accepts."""

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


def facts_of(form: Form, language: str = "en") -> list[tuple[str, str]]:
    """A form for people, without the program's name: label and text."""
    fields = {name: field.in_language(language) for name, field in FIELDS.items()}
    hidden = ("program", "present") if form.way == 1 else ("program",)
    shown_ = texts_of(form) | dict.fromkeys(hidden, "")
    for name in ("way", "present"):
        shown_[name] = dict(fields[name].offers).get(shown_[name], "")
    return [(fields[name].label, text) for name, text in shown_.items() if text]


def as_json_of(entry: Entry) -> dict[str, Any]:
    """An entry for JSON: the fields of its form, and its changes."""
    held = {"entry": entry.id, "withdrawn": entry.withdrawn is not None}
    held |= msgspec.structs.asdict(entry.form) | {"changes": entry.changes}
    return dict(msgspec.to_builtins(held))


# Names: case, spaces, dots and accents make no difference


@functools.lru_cache(4096)
def folded(name: str) -> str:
    """The part of a name that counts in comparisons: its letters and digits, without accents, in
    lower case. Vowel signs count in scripts that write them as marks. Empty if there is no letter
    or digit."""
    parts = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", name).casefold())
    kept = "".join(
        char
        for char in parts
        if not unicodedata.combining(char)
        and (char.isalnum() or unicodedata.category(char) in ("Mn", "Mc"))
    )
    return kept if any(map(str.isalnum, kept)) else ""


def same(one: str, other: str) -> bool:
    """Whether two names are the same when folded; text without letters or digits is not a name."""
    return folded(one) == folded(other) != ""


def nearly_same(one: str, other: str) -> bool:
    """Whether two names that are not the same may belong to one person: nearly alike, in any order
    of their words."""
    first, second = sorted(
        "".join(sorted(filter(None, map(folded, re.split(r"[\x00-/:-@\[-`{-\x7f]", name)))))
        for name in (one, other)
    )
    ratio = difflib.SequenceMatcher(None, first, second, autojunk=False).ratio()
    return first != "" and ratio >= _ALIKE and not same(one, other)


def shared(
    forms: Mapping[str, Form], about: str, alike: Callable[[str, str], bool] = same
) -> list[tuple[str, str, str, str]]:
    """Individuals of the entry `about` who are associated with another one, too: both ids, and the
    name in each entry. `forms` has the entries that are not withdrawn; `alike` tells whether two
    names belong to one person."""
    people = {
        id_: list({folded(each): each for each in (*form.individuals[::-1], form.entrant)}.values())
        for id_, form in forms.items()
    }
    return [
        (first, second, name, other)
        for first, second in combinations(sorted(forms, key=natural), 2)
        if about in (first, second)
        for name in people[first]
        for other in people[second]
        if alike(name, other)
    ]


def shared_words(first: str, second: str, name: str, other: str) -> Sentence:
    """The fault of such an individual, as a clause."""
    fields = {"first": first, "second": second, "name": shown(name), "other": shown(other)}
    return Sentence(f"season.fault.{'shared' if name == other else 'same_name'}", **fields)


# The checklist


class ItemResult(Tested, frozen=True, kw_only=True):
    """The answer to an item for an entry, with its rule; the outcome may also be `open`."""

    item: str
    rule: str
    sentence: str

    @property
    def words(self) -> str:
        """The requirement in words."""
        return Sentence(f"season.item.{self.item}")


class Checklist(msgspec.Struct, frozen=True):
    """The checklist of an entry: whether it complies as far as known, the answers to the items that
    apply to it, and remarks."""

    entry: str
    program: str
    entrant: str
    received: dt.date
    withdrawn: bool
    state: str
    items: list[ItemResult]
    remarks: list[str]

    def of(self, outcome: str) -> list[ItemResult]:
        """The answers with an outcome."""
        return [answer for answer in self.items if answer.outcome == outcome]

    @property
    def broken(self) -> list[ItemResult]:
        """The failed items whose answer comes from the register."""
        return [each for each in self.of("fail") if ITEMS[each.item].source == REGISTER]

    @property
    def why(self) -> str:
        """Why it does not comply, or is open; empty if it complies."""
        if self.state == FAILS:
            return joined(answer.reason or answer.words for answer in self.of("fail"))
        missing = ", ".join(answer.item for answer in self.of("open"))
        return Sentence("season.remark.unanswered", items=missing) if missing else ""


def assess(state: State, id_: str) -> Checklist:
    """The checklist of an entry; raises BadOrder if there is none with that id."""
    entry, told = state.find(id_), state.tests.get(id_, {})
    form, answers, faults = entry.form, [], dict[str, list[str]]()
    for name, words in _faults(entry.form, state.settings.season):
        faults.setdefault(name, []).append(words)
    for name, item in ITEMS.items():
        said = told.get(name, Tested(outcome="open"))
        if item.source == REGISTER:
            why = joined(faults.get(name, ()))
            said = Tested(outcome="fail" if why else "pass", reason=why)
        if form.way in item.ways:
            of: dict[str, Any] = {"item": name, "rule": item.rule, "sentence": SENTENCES[item.rule]}
            answers.append(ItemResult(**of, **msgspec.structs.asdict(said)))
    outcomes = {answer.outcome for answer in answers}
    is_ = FAILS if "fail" in outcomes else OPEN if "open" in outcomes else COMPLIES
    out, names = entry.withdrawn is not None, (form.program, form.entrant)
    return Checklist(
        *(id_, *names, form.received, out, is_, answers), list(_remarks(state, id_, form))
    )


def _faults(form: Form, table: SeasonTable) -> Iterator[tuple[str, str]]:
    """The faults of an entry according to the register: item, and a clause. A person associated
    with two entries is refused before (`checks`)."""
    if form.posted < table.opens:
        yield "posted", _fault("early", date=form.posted, limit=table.opens)
    if form.posted > table.closes:
        yield "posted", _fault("late", date=form.posted, limit=table.closes)
    if not form.service:
        yield "proof", _fault("no_service")
    elif not form.proof:
        yield "proof", _fault("no_receipt")
    if not any(same(form.media, each) for each in table.media):
        media = {"media": shown(form.media), "known": _or(table.media)}
        yield "media", _fault("media" if form.media else "no_media", **media)
    if not any(same(one, each) for one in form.platforms for each in table.platforms):
        known = _or(table.platforms)
        if form.platforms:
            given = listed(map(shown, form.platforms))
            yield "platform", _fault("platform", platforms=given, known=known)
        else:
            yield "platform", _fault("no_platform", known=known)
    if form.agreed is None:
        yield "agreed", _fault("not_agreed")
    elif form.agreed >= table.agreed_before:
        yield "agreed", _fault("agreed", date=form.agreed, limit=table.agreed_before)
    if form.testing is None:
        yield "testing", _fault("no_testing")
    elif not table.testing_from <= form.testing <= table.testing_to:
        days = {"first": table.testing_from, "last": table.testing_to}
        yield "testing", _fault("testing", date=form.testing, **days)
    if not form.present:
        yield "present", _fault("absent")


def _fault(name: str, **fields: object) -> Sentence:
    return Sentence(f"season.fault.{name}", **fields)


def _or(values: Sequence[str]) -> str:
    *names, last = values
    return Sentence("season.or", names=", ".join(names), last=last) if names else last


def _remarks(state: State, id_: str, form: Form) -> Iterator[str]:
    """Remarks on an entry, each a clause."""
    table = state.settings.season
    for first, second, name, other in shared(state.active, id_, nearly_same):
        names = {"first": first, "second": second, "name": shown(name), "other": shown(other)}
        yield Sentence("season.remark.nearly_same", **names)
    if form.received > table.closes:
        fields = {"receipt": SENTENCES["1/receipt"], "rule": quoted("1/priority")}
        yield Sentence("season.remark.received", date=form.received, limit=table.closes, **fields)
    if form.received > table.testing_to:
        yield Sentence("season.remark.after_testing", date=form.received)
    if form.posted_at is None:
        yield Sentence("season.remark.no_time")
    days = {said.tested for said in state.tests.get(id_, {}).values()}
    if form.way != 1 and form.testing is not None and days and form.testing not in days:
        yield Sentence("season.remark.another_day", date=form.testing)
    if id_ in state.out_of_order:
        yield Sentence("season.remark.out_of_order", why=state.out_of_order[id_])


# Steps


def registration(state: State, values: Mapping[str, Any]) -> EntryRegistered:
    """The event that registers a received entry under the next id; raises BadForm if a field can't
    be used."""
    return EntryRegistered(f"E{len(state.entries) + 1}", 1, read_form(values))


def correction(state: State, id_: str, values: Mapping[str, Any], reason: str) -> EntryRegistered:
    """The event that corrects fields of the latest version of an entry; raises ContestError if a
    field can't be used."""
    entry = state.find(id_)
    if not values:
        raise BadOrder(Sentence("season.refused.no_change", entry=id_))
    return EntryRegistered(id_, len(entry.versions) + 1, read_form(values, entry.form), reason)
