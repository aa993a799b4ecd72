"""The register: the details of an entry, the rules that it can break, its checklist, and the
selection of entries to screen: of the entries that comply, those posted earliest.

`data/register.toml` has the sentences of the rules, the checklist, and the fields, which are
options of `loebner screen register` and fields of the form in the browser. An entry that breaks a
rule is registered anyway, because it has been received. Only an entry that shares a person with
another one is refused at once. An entry *complies* if every item that applies to its way of
submission is passed, does not comply if one is failed, and is open otherwise.

Entries are tested in the order of receipt (rules 2010, section 1); a test out of order needs a
reason. Compliant entries are ordered by the rules (section 1), and by our own where those say
nothing:

1. By date of posting; receipt alone decides nothing.
2. On the same day, by the time of day on the proof. A proof without a time counts as the end of the
   day.
3. At the same time, by receipt, in the same way.
4. After that, by the organizer's decision on record. Without a decision, entries share a place, and
   if the cut goes through them, all of them are screened.

Until screening begins, the next entry moves up if one is withdrawn or does not comply; from then on
the list is final.
"""

from __future__ import annotations

import datetime as dt
import difflib
import functools
import hashlib
import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import groupby, pairwise
from typing import Any

import msgspec

from contest.errors import BadOrder, UserError, WrongMoment
from contest.record.season import Conformance, EntryRegistered, Form, ItemTested
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
from lpp.conformance.cases import Level, Outcome, choose
from scheduler.texts import counted, did_you_mean, joined, listed, natural, plain, shown
from texts import Sentence

#: The maximum number of names in one field; the minimum similarity (0 to 1) of two names that gets
#: a remark.
_MANY, _ALIKE = 50, 0.85
#: The sources of an item's answer, besides check-bot.
REGISTER, PERSON = "register", "person"
#: The state of an entry.
COMPLIES, FAILS, OPEN = "complies", "does not comply", "open"
#: The outcomes of an item.
OUTCOMES = ("pass", "fail", "not-applicable")
#: The outcomes for an entry that does not fail.
SCREENED, WAITS, UNTESTED, WITHDRAWN = (
    *("screened", "moves up if another drops out", "to be tested", "withdrawn"),
)
_LAST = dt.time.max


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


@functools.lru_cache(20_000)  # all pairs of 200 names
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
    others = sorted(forms.keys() - {about}, key=natural) if about in forms else ()
    return [
        (first, second, name, other)
        for first, second in (sorted((about, id_), key=natural) for id_ in others)
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
    """The faults of an entry according to the register: item, and a clause. An entry that
    shares a person with another one is refused earlier (`checks`)."""
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


# In the order of receipt


def assess_all(state: State) -> list[Checklist]:
    """The checklists of all entries, including withdrawn ones, in the order of receipt."""
    ids = sorted(state.entries, key=lambda id_: (_received(state, id_), natural(id_)))
    return [assess(state, id_) for id_ in ids]


def _received(state: State, id_: str) -> tuple[dt.date, dt.time]:
    form = state.find(id_).form
    return form.received, form.received_at or _LAST


def waiting_for(state: State, id_: str) -> str:
    """A clause that says which entries have to be tested before this one, because they were
    received earlier and are open. Empty if there are none, or this entry's test has begun."""
    first = [
        each.entry
        for each in ([] if id_ in state.tests else assess_all(state))
        if not each.withdrawn
        and each.state == OPEN
        and _received(state, each.entry) < _received(state, id_)
    ]
    if not first:
        return ""
    fields = {"n": len(first), "first": listed(first), "entry": id_, "rule": quoted("1/order")}
    return Sentence("season.refused.order", **fields)


# Tests


class OutOfOrder(WrongMoment):
    """An entry that was received earlier has to be tested first."""


def read_items(words: Sequence[str]) -> dict[str, ItemTested]:
    """Reads items as written on the command line, `NAME=OUTCOME` or `NAME=OUTCOME:REASON`; raises
    BadOrder if one can't be read."""
    found: dict[str, ItemTested] = {}
    for word in words:
        name, equals, said = (part.strip() for part in word.partition("="))
        outcome, _, reason = said.partition(":")
        if not equals or name not in ASKED:
            raise BadOrder(
                f"{shown(word)}: write ITEM=pass, ITEM=fail:REASON or ITEM=not-applicable:REASON, "
                f"with an item of {', '.join(ASKED)}{did_you_mean(name, ASKED) if equals else ''}"
            )
        if name in found:
            raise BadOrder(f"{name} is given twice; give it once")
        found[name] = read_outcome(name, outcome.strip(), reason)
    return found


def read_outcome(name: str, outcome: str, reason: str) -> ItemTested:
    """Reads the outcome of an item; raises BadOrder if it or its reason can't be used."""
    if outcome not in OUTCOMES:
        known = ", ".join(OUTCOMES)
        said = Sentence("season.refused.outcome", item=name, outcome=shown(outcome), known=known)
        raise BadOrder(said)
    try:
        why = one_line(reason, TEXT_LIMIT)
    except ValueError as exc:
        raise BadOrder(Sentence("season.refused.of_item", item=name, why=exc.args[0])) from None
    if outcome != "pass" and not why:
        raise BadOrder(Sentence("season.refused.needs_reason", item=name, outcome=outcome))
    return ItemTested(outcome, why)  # type: ignore[arg-type]  # one of OUTCOMES


class _Case(msgspec.Struct):
    id: str
    outcome: Outcome


class _Document(msgspec.Struct):
    passed: bool
    cases: list[_Case]


#: Made at import, because msgspec crashes if two threads use a struct for the first time at once;
#: see `contest.record.events.kinds_in`.
_documents = msgspec.json.Decoder(_Document)


def read_conformance(text: str, source: str) -> Conformance:
    """Reads the result in a document of `check-bot --json`; `source` is its name in errors. Only a
    complete check counts: raises BadOrder if it is not such a document, lacks a case, or its
    verdict contradicts its cases."""
    levels, wrong = {case.id: case.level for case in choose(())}, ""
    passed, by_outcome = False, dict[str, list[str]]()
    try:
        document = _documents.decode(text)
    except (msgspec.DecodeError, ValueError, RecursionError) as exc:
        wrong = Sentence("season.conformance.unreadable", why=str(exc))
    else:
        passed, cases = document.passed, [case.id for case in document.cases]
        for case in document.cases:
            by_outcome.setdefault(case.outcome.value, []).append(case.id)
        failed = by_outcome.get("fail", [])
        soft = [id_ for id_ in by_outcome.get("non-strict", ()) if levels.get(id_) is Level.MUST]
        if len(set(cases)) < len(cases):
            wrong = Sentence("season.conformance.twice")
        elif missing := [id_ for id_ in levels if id_ not in cases]:
            wrong = Sentence("season.conformance.lacks", case=missing[0])
        elif passed == bool(failed) or soft:
            these = failed or soft
            cases_ = listed(these) if these else Sentence("season.conformance.no_fail")
            wrong = Sentence("season.conformance.contradicts", cases=cases_)
    if wrong:
        raise BadOrder(
            Sentence("season.conformance.again", source=source, wrong=wrong, dir="{dir}")
        )
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
    return Conformance(digest, passed, by_outcome)


# Selection


class Standing(msgspec.Struct, frozen=True):
    """An entry's place.

    Attributes:
        fate: the outcome for it: `SCREENED`, `WAITS` and so on, or `FAILS`.
        place: its place among compliant entries, as 1, 2, 2, 4; None for all others.
        tied: the other entries that share its place.
        why: the reason, in words.
    """

    entry: str
    program: str
    entrant: str
    posted: dt.date
    posted_at: dt.time | None
    received: dt.date
    fate: str
    place: int | None
    tied: list[str]
    why: str


class Selection(msgspec.Struct, frozen=True):
    """The selection of entries to screen.

    Attributes:
        screened: the ids, by place.
        begun: whether screening has begun, so that the list is final.
        provisional: whether an entry that is not tested yet could change the list.
        words: remarks, each a sentence.
        entries: all entries; first the compliant ones by place, then the others by id.
    """

    screened: list[str]
    begun: bool
    provisional: bool
    words: list[str]
    entries: list[Standing]


def priority(state: State, id_: str) -> tuple[dt.date, dt.time, dt.date, dt.time]:
    """The sort key: posting and receipt, each with its time. Dates and times are local to the place
    of posting, as on the proofs."""
    form = state.find(id_).form
    return form.posted, form.posted_at or _LAST, *_received(state, id_)


def select_entries(state: State) -> Selection:
    """Selects the entries to screen."""
    known = {each.entry: each for each in assess_all(state)}
    places = dict(
        _places(state, [id_ for id_ in known if id_ in state.active and not known[id_].why])
    )
    inside = [id_ for id_, (place, _) in places.items() if place <= state.settings.season.screened]
    begun, screened = state.begun is not None, list(inside if state.begun is None else state.begun)
    others = sorted((id_ for id_ in known if id_ not in places), key=natural)
    rows = [
        _row(state, known[id_], id_ in screened, *places.get(id_, (None, [])))
        for id_ in (*places, *others)
    ]
    if begun:
        words: list[str] = [
            Sentence("season.remark.begun", entries=counted(len(screened), "entry"))
        ]
    else:
        words = list(_list_remarks(state, rows, inside))
    words += _dates(state)
    provisional = not begun and any(row.fate == UNTESTED for row in rows)
    return Selection(screened, begun, provisional, words, rows)


def _places(state: State, complying: list[str]) -> Iterator[tuple[str, tuple[int, list[str]]]]:
    """Each entry with its place and the entries that share it, the earliest first."""
    place = 1
    ordered = sorted(complying, key=lambda id_: (priority(state, id_), natural(id_)))
    for _, equal in groupby(ordered, key=lambda id_: priority(state, id_)):
        ids = list(equal)
        # The last decision that covers all of them, if any.
        decided = next((each for each in reversed(state.priorities) if set(each) >= set(ids)), None)
        if decided is None:
            yield from ((id_, (place, ids)) for id_ in ids)
        else:
            for number, id_ in enumerate(sorted(ids, key=decided.index)):
                yield id_, (place + number, [id_])
        place += len(ids)


def _row(
    state: State, each: Checklist, screened: bool, place: int | None, group: list[str]
) -> Standing:
    entry = state.entries[each.entry]
    form, why = entry.form, each.why
    if entry.withdrawn is not None:
        fate, why = WITHDRAWN, entry.withdrawn
    elif screened:
        fate = SCREENED
    elif why:
        fate = FAILS if each.state == FAILS else UNTESTED
    else:
        fate = WAITS
    posted = Sentence("season.remark.posted", date=form.posted)
    if form.posted_at is not None:
        at = f"{form.posted_at:%H:%M:%S}".removesuffix(":00")
        posted = Sentence("season.remark.posted_at", date=form.posted, time=at)
    tied = [other for other in group if other != each.entry]
    return Standing(
        *(each.entry, form.program, form.entrant, form.posted, form.posted_at, form.received),
        *(fate, place, tied, why or posted),
    )


def _list_remarks(state: State, rows: Sequence[Standing], inside: Sequence[str]) -> Iterator[str]:
    """Remarks on a list that may change."""
    table, prizes = state.settings.season, state.settings.prizes
    if open_ := [row.entry for row in rows if row.fate == UNTESTED]:
        yield Sentence("season.remark.may_change", n=len(open_), entries=listed(open_))
    if any(row.place is not None and row.entry not in inside for row in rows):
        n = sum(row.place is not None for row in rows)
        yield Sentence("season.remark.first", n=n, rule=quoted("1/first"))
    if len(inside) > table.screened:
        last = next(row for row in reversed(rows) if row.entry in inside)
        tied = listed(sorted((last.entry, *last.tied), key=natural))
        yield Sentence("season.remark.tied", entries=tied, limit=table.screened)
    if not rows:
        yield Sentence("season.remark.empty")
    elif not inside and not open_:
        money = f"{prizes.currency} {sum(prizes.places)}".strip()
        yield Sentence("season.remark.none", money=money, rule=quoted("1/none"))
    elif len(inside) < table.finalists and not open_:
        fields = {"finalists": table.finalists, "rule": quoted("3/open-source")}
        yield Sentence("season.remark.few", n=len(inside), **fields)


def _dates(state: State) -> Iterator[str]:
    """Faults in the contest's date, and in changes of date and venue."""
    table, date = state.settings.season, state.settings.contest.date
    if date is not None and not table.contest_from <= date <= table.contest_to:
        days = {"first": table.contest_from, "last": table.contest_to}
        yield Sentence("season.remark.date", date=date, **days, rule=quoted("1/moved"))
    for (_, before), (day, contest) in pairwise(state.held):
        for name in ("date", "venue") if day > table.fixed_after else ():
            old, new = before.get(name), contest.get(name)
            if old and old != new:
                fields = {"old": old, "new": new or Sentence("season.remark.nothing"), "day": day}
                fields |= {"limit": table.fixed_after, "rule": quoted("1/date")}
                yield Sentence(f"season.remark.{name}_changed", **fields)


def are(ids: Sequence[str]) -> str:
    """Names followed by "is" or "are"."""
    return f"{listed(ids)} {'is' if len(ids) == 1 else 'are'}"
