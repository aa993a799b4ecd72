"""Who is screened: the entries that comply with the rules, those with the earliest posting first.

Compliance is a checklist. The register answers some items; the person who tests the entry sees
others; `check-bot` says whether it speaks the protocol. An entry complies when every item that
applies to its way of submission is kept, and does not when one is broken; until then it is open.
Entries are tested in the order of receipt (rules 2010, section 1): a test out of order needs a
reason.

The order of those that comply, from the rules (section 1), and where they are silent from us:

1. The date of posting; receipt alone decides nothing.
2. On one day, the time of day on the proof. A proof without one counts as the end of its day.
3. At one moment, receipt, in the same way.
4. After that, the organizer's decision on record. Without one entries share their place, and if the
   cut goes through them all of them are screened.

Until screening begins the next entry moves up for one that is withdrawn or does not comply; from
then on the list is final.
"""

from __future__ import annotations

import datetime as dt
import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any, NamedTuple

import msgspec

from contest.errors import BadOrder, WrongMoment
from contest.record.season import (
    ComplianceTested,
    Conformance,
    Form,
    ItemTested,
    PriorityDecided,
    ScreeningBegun,
)
from contest.screening.register import look
from contest.screening.state import TEXT_LIMIT, State, checks, one_line, require_reason
from contest.setup.rules import RULES, Finding, changes, date_findings
from lpp.conformance.cases import Level, Outcome, choose
from scheduler.texts import counted, listed, natural, near, shown

OUTCOMES = ("pass", "fail", "not-applicable")
#: Where the answer to an item comes from.
REGISTER, PERSON, CHECK_BOT = "register", "person", "check-bot"
#: The state of an entry.
COMPLIES, FAILS, OPEN = "complies", "does not comply", "open"
#: What becomes of an entry.
SCREENED, WAITS, UNTESTED, WITHDRAWN = (
    *("screened", "moves up if another goes", "to be tested", "withdrawn"),
)


class Item(NamedTuple):
    """An item of the checklist: its name, its rule, what has to be so, where the answer comes from,
    and the ways of submission to which it applies."""

    id: str
    rule: str
    words: str
    source: str
    ways: tuple[int, ...] = (1, 2, 3)


#: The checklist in order.
ITEMS: Mapping[str, Item] = {
    item.id: item
    for item in (
        Item("posted", "1/posted", "posted in time", REGISTER),
        Item("proof", "1/proof", "with proof of its posting", REGISTER),
        Item("media", "1/media", "on the media of the rules", REGISTER),
        Item("individual", "1/individual", "no person is associated with another entry", REGISTER),
        Item(
            "platform", "1/platform", "for a platform of management's computers", REGISTER, (1, 2)
        ),
        Item("agreed", "1/agreed", "testing date agreed in time", REGISTER, (2, 3)),
        Item("testing", "1/testing", "testing date as the rules say", REGISTER, (2, 3)),
        Item("present", "1/present", "entrant present at the contest", REGISTER, (2, 3)),
        Item("programs", "1/programs", "all programs that it needs are on the media", PERSON),
        Item("runs", "1/platform", "installs and runs on such a platform", PERSON, (1, 2)),
        Item("path", "1/path", "nobody has to key in a path", PERSON),
        Item("variable", "1/variable", "nobody has to change a system variable", PERSON),
        Item("browse", "2/browse", "offers a browse function when it starts", PERSON),
        Item("lpp", "2/lpp", "speaks LPP, by check-bot", CHECK_BOT),
    )
}
#: The items that a person answers.
ASKED = tuple(id_ for id_, item in ITEMS.items() if item.source == PERSON)


class Answer(msgspec.Struct, frozen=True):
    """The answer to an item of an entry: `pass`, `fail`, `not-applicable` or `open`, why, and if a
    person gave it, who, when, and the day of the test; and the rule with its sentence."""

    item: str
    rule: str
    sentence: str
    outcome: str
    reason: str = ""
    by: str = ""
    at: str = ""
    tested: dt.date | None = None

    @property
    def words(self) -> str:
        """What has to be so."""
        return ITEMS[self.item].words


class Checklist(msgspec.Struct, frozen=True):
    """The checklist of an entry: whether it complies, as far as is known, the answers to the items
    that apply to it, and remarks."""

    entry: str
    program: str
    entrant: str
    received: dt.date
    withdrawn: bool
    state: str
    items: list[Answer]
    remarks: list[str]

    def of(self, outcome: str) -> list[Answer]:
        """The answers with an outcome."""
        return [answer for answer in self.items if answer.outcome == outcome]

    @property
    def why(self) -> str:
        """Why it does not comply, or is open; empty if it complies."""
        if self.state == FAILS:
            return "; ".join(answer.reason or answer.words for answer in self.of("fail"))
        missing = [answer.item for answer in self.of("open")]
        return f"not answered yet: {', '.join(missing)}" if missing else ""


def assess(state: State, id_: str) -> Checklist:
    """The checklist of an entry; raises BadOrder if there is none with that id."""
    entry, told = state.find(id_), state.tests.get(id_, {})
    form, (broken, remarks) = entry.form, look(state, id_)
    answers = []
    for item in ITEMS.values():
        if form.way not in item.ways:
            continue
        of = (item.id, item.rule, RULES[item.rule].sentence)
        if item.source == REGISTER:
            reasons = [finding.words for finding in broken if finding.rule == item.rule]
            answers.append(Answer(*of, "fail" if reasons else "pass", "; ".join(reasons)))
        elif (said := told.get(item.id)) is not None:
            answers.append(Answer(*of, said.outcome, said.reason, said.by, said.at, said.day))
        else:
            answers.append(Answer(*of, "open"))
    days = {said.day for said in told.values()}
    if form.way != 1 and form.testing is not None and days and form.testing not in days:
        remarks.append(f"the testing date was {form.testing}, and it was tested on another day")
    if id_ in state.out_of_order:
        remarks.append(f"tested out of the order of receipt: {state.out_of_order[id_]}")
    outcomes = {answer.outcome for answer in answers}
    is_ = FAILS if "fail" in outcomes else OPEN if "open" in outcomes else COMPLIES
    out, names = entry.withdrawn is not None, (form.program, form.entrant)
    return Checklist(id_, *names, form.received, out, is_, answers, remarks)


def assess_all(state: State) -> list[Checklist]:
    """The checklists of all entries, withdrawn ones too, in the order of receipt."""
    ids = sorted(state.entries, key=lambda id_: (_received(state, id_), natural(id_)))
    return [assess(state, id_) for id_ in ids]


def _received(state: State, id_: str) -> tuple[dt.date, dt.time]:
    """The day of receipt and its time; the end of the day if the time is not known."""
    form = state.find(id_).form
    return form.received, form.received_at or dt.time.max


def waiting_for(state: State, id_: str) -> str:
    """The sentence that says that others have to be tested before an entry: they were received
    earlier and are open. Empty if there are none, or its own test has begun."""
    first = [
        each.entry
        for each in ([] if id_ in state.tests else assess_all(state))
        if not each.withdrawn
        and each.state == OPEN
        and _received(state, each.entry) < _received(state, id_)
    ]
    if not first:
        return ""
    were, are = ("was", "is") if len(first) == 1 else ("were", "are")
    return (
        f"{listed(first)} {were} received before {id_} and {are} to be tested first "
        f"({RULES['1/order'].quoted()})"
    )


# Tests


class OutOfOrder(WrongMoment):
    """An entry that was received earlier has to be tested first."""


def read_outcome(text: str) -> ItemTested:
    """Reads the outcome of an item: `pass`, `fail:REASON` or `not-applicable:REASON`; raises
    ValueError if there is no such outcome, or its reason is missing or can't be used."""
    outcome, _, reason = text.partition(":")
    outcome = outcome.strip()
    if outcome not in OUTCOMES:
        raise ValueError(f"{shown(outcome)} is not an outcome; there are {', '.join(OUTCOMES)}")
    why = one_line(reason, TEXT_LIMIT)
    if outcome != "pass" and not why:
        raise ValueError(f"{outcome} needs a reason, {outcome}:REASON")
    return ItemTested(outcome, why)  # type: ignore[arg-type]  # one of OUTCOMES


def read_items(words: Sequence[str]) -> dict[str, ItemTested]:
    """Reads items as on the command line, `NAME=OUTCOME` or `NAME=OUTCOME:REASON`; raises BadOrder
    if one can't be read."""
    found: dict[str, ItemTested] = {}
    for word in words:
        name, equals, said = (part.strip() for part in word.partition("="))
        if not equals or name not in ASKED:
            raise BadOrder(
                f"{shown(word)}: write ITEM=pass, ITEM=fail:REASON or ITEM=not-applicable:REASON, "
                f"with an item of {', '.join(ASKED)}{near(name, ASKED) if equals else ''}"
            )
        if name in found:
            raise BadOrder(f"{name} is given twice; give it once")
        try:
            found[name] = read_outcome(said)
        except ValueError as exc:
            raise BadOrder(f"{name}: {exc}") from None
    return found


def read_conformance(text: str, source: str) -> Conformance:
    """The result in a document of `check-bot --json`. Only a whole check counts.

    Arguments:
        text: the document.
        source: its name, for errors.

    Raises:
        BadOrder: if it is no such document, lacks a case, or its verdict is not that of its cases.
    """

    def bad(what: str) -> BadOrder:
        again = "make it again with `loebner check-bot --json -- PROGRAM {dir}`"
        return BadOrder(f"{source}: {what}; {again}")

    try:
        document: Any = json.loads(text)
        passed = document["passed"]
        rows = [(case["id"], Outcome(case["outcome"]).value) for case in document["cases"]]
    except (ValueError, RecursionError, LookupError, TypeError) as exc:
        raise bad(f"not a document of check-bot ({type(exc).__name__}: {exc})") from exc
    cases, levels = dict(rows), {case.id: case.level for case in choose(())}
    if len(cases) < len(rows):
        raise bad("a case is in it twice")
    if missing := [id_ for id_ in levels if id_ not in cases]:
        raise bad(f"the case {missing[0]} is not in it: it checks a part")
    failed = [id_ for id_, outcome in cases.items() if outcome == "fail"]
    soft = [id_ for id_ in cases if levels.get(id_) is Level.MUST and cases[id_] == "non-strict"]
    if passed is not (not failed) or soft:
        raise bad(f"its verdict is not that of its cases ({listed(failed or soft or ['no fail'])})")
    by_outcome: dict[str, list[str]] = {}
    for id_, outcome in rows:
        by_outcome.setdefault(outcome, []).append(id_)
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
    return Conformance(digest, passed, by_outcome)


@checks(ComplianceTested)
def _check_tested(state: State, _by: str, body: ComplianceTested) -> None:
    entry, id_ = state.find(body.entry), body.entry
    if not body.items and body.conformance is None:
        raise BadOrder(f"nothing is said of {id_}: give the outcome of an item, or check-bot's")
    for name, tested in body.items.items():
        if name not in ASKED:
            raise BadOrder(f"{shown(name)} is nothing that a person tests")
        if entry.form.way not in ITEMS[name].ways:
            way = entry.form.way
            raise BadOrder(f"{name} is not asked of {id_}, which is submitted by way {way}")
        try:
            read_outcome(f"{tested.outcome}:{tested.reason}")
        except ValueError as exc:
            raise BadOrder(f"{name}: {exc}") from None
    told = body.conformance
    if told is not None and told.passed == bool(told.cases.get("fail")):
        raise BadOrder("check-bot's verdict is not that of its cases")
    if entry.withdrawn is not None:
        raise WrongMoment(f"{id_} is withdrawn ({entry.withdrawn})")
    if body.tested < (received := entry.form.received):
        raise WrongMoment(f"{id_} was received on {received}, and not there on {body.tested}")
    if not body.out_of_order and (first := waiting_for(state, id_)):
        raise OutOfOrder(f"{first}; or say with --out-of-order why not")


# Who goes on


class Row(msgspec.Struct, frozen=True):
    """An entry's place.

    Attributes:
        fate: what becomes of it, `SCREENED` and so on, or `FAILS`.
        place: among those that comply, as 1, 2, 2, 4; None for all others.
        tied: those that share its place.
        why: what decided, in words.
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
    """Who is screened.

    Attributes:
        screened: the ids of those that are screened, by place.
        begun: whether screening has begun, so that the list is final.
        provisional: whether an entry that is still to be tested could change it.
        words: remarks on it, each a sentence.
        entries: all entries: those that comply by place, then the others by id.
    """

    screened: list[str]
    begun: bool
    provisional: bool
    words: list[str]
    entries: list[Row]


def _priority(form: Form) -> tuple[dt.date, dt.time, dt.date, dt.time]:
    """The key of the order: posting and receipt, each with its time. Dates and times are those of
    the place of posting, as the proofs have them."""
    last = dt.time.max
    return form.posted, form.posted_at or last, form.received, form.received_at or last


def select(state: State) -> Selection:
    """Who is screened."""
    known = {each.entry: each for each in assess_all(state)}
    complying = [id_ for id_, each in known.items() if id_ in state.active and not each.why]
    by_id = dict(_places(state, complying))
    inside = [id_ for id_, (place, _) in by_id.items() if place <= state.settings.season.screened]
    screened = inside if state.begun is None else list(state.begun)
    rows = [
        _row(state, known[id_], id_ in screened, *by_id.get(id_, (None, [])))
        for id_ in sorted(known, key=lambda id_: (by_id.get(id_, (10**9,))[0], natural(id_)))
    ]
    begun = state.begun is not None
    if begun:
        many = counted(len(screened), "entry")
        words = [f"Screening has begun with {many}: the list is final, and no entry moves up."]
    else:
        words = list(_remarks(state, rows, inside))
    for finding in (
        *date_findings(state.settings.season, state.settings.contest.date),
        *changes(state.settings.season, state.held),
    ):
        said = finding.in_full()
        words.append(f"{said[0].upper()}{said[1:]}.")
    provisional = not begun and any(row.fate == UNTESTED for row in rows)
    return Selection(screened, begun, provisional, words, rows)


def _places(state: State, complying: list[str]) -> Iterator[tuple[str, tuple[int, list[str]]]]:
    """Entry to its place, and those that have it, the earliest first."""

    def key(id_: str) -> Any:
        return _priority(state.entries[id_].form)

    place = 1
    ordered = sorted(complying, key=lambda id_: (key(id_), natural(id_)))
    for _, equal in groupby(ordered, key=key):
        ids = list(equal)
        # The last decision about all of them, if there is one.
        decided = next((each for each in reversed(state.priorities) if set(each) >= set(ids)), None)
        if decided is None:
            yield from ((id_, (place, ids)) for id_ in ids)
        else:
            for number, id_ in enumerate(sorted(ids, key=decided.index)):
                yield id_, (place + number, [id_])
        place += len(ids)


def _row(state: State, each: Checklist, screened: bool, place: int | None, group: list[str]) -> Row:
    entry = state.entries[each.entry]
    form, why = entry.form, each.why
    if entry.withdrawn is not None:
        fate, why, place, group = WITHDRAWN, entry.withdrawn, None, []
    elif screened:
        fate = SCREENED
    elif why:
        fate = FAILS if each.state == FAILS else UNTESTED
    else:
        fate = WAITS
    at = "" if form.posted_at is None else f" at {form.posted_at:%H:%M:%S}".removesuffix(":00")
    tied = [other for other in group if other != each.entry]
    return Row(
        *(each.entry, form.program, form.entrant, form.posted, form.posted_at, form.received),
        *(fate, place, tied, why or f"posted on {form.posted}{at}"),
    )


def _remarks(state: State, rows: Sequence[Row], inside: Sequence[str]) -> Iterator[str]:
    """Remarks on a list that may change."""
    table, prizes = state.settings.season, state.settings.prizes
    if open_ := [row.entry for row in rows if row.fate == UNTESTED]:
        yield f"This may change: {_are(open_)} still to be tested."
    complying = [row for row in rows if row.place is not None]
    if len(complying) > len(inside):
        yield (
            f"{counted(len(complying), 'entry')} comply; those with the earliest posting go on "
            f"({RULES['1/first'].quoted()})."
        )
    if len(inside) > table.screened:
        last = next(row for row in reversed(rows) if row.entry in inside)
        yield (
            f"{listed(sorted((last.entry, *last.tied), key=natural))} were posted and received at "
            f"one moment, and the cut at {table.screened} goes through them: all of them go on, "
            "unless the organizer decides their order (`loebner screen go-on CONTEST decide`)."
        )
    if not rows:
        yield "The register is empty."
    elif not inside and not open_:
        money = f"{prizes.currency} {sum(prizes.places)}".strip()
        none = f"No entry complies: the prize money, {money}, is added to that of the next year"
        yield f"{Finding('1/none', none).in_full()}."
    elif len(inside) < table.finalists and not open_:
        yield (
            f"{counted(len(inside), 'entry')} {'complies' if len(inside) == 1 else 'comply'}, "
            f"fewer than the {table.finalists} finalists: each that complies is a finalist, and "
            "the other places stay empty, or are taken by publicly available programs "
            f"({RULES['3/open-source'].quoted()})."
        )


def _are(ids: Sequence[str]) -> str:
    return f"{listed(ids)} {'is' if len(ids) == 1 else 'are'}"


@checks(PriorityDecided)
def _check_decided(state: State, _by: str, body: PriorityDecided) -> None:
    ids = body.entries
    require_reason(body.reason)
    if state.begun is not None:
        raise WrongMoment("screening has begun: the list is final")
    if len(ids) < 2 or len(set(ids)) < len(ids):
        raise BadOrder("name two entries at least, each once, the first one first")
    moments = {_priority(state.find(id_).form) for id_ in ids}
    if len(moments) > 1:
        raise WrongMoment(
            f"{listed(ids)} were not posted and received at one moment: the dates decide"
        )
    left = [
        each.entry
        for each in assess_all(state)
        if not each.withdrawn
        and each.state != FAILS
        and each.entry not in ids
        and _priority(state.find(each.entry).form) in moments
    ]
    if left:
        raise WrongMoment(f"{_are(left)} equal to these; give their places, too")


@checks(ScreeningBegun)
def _check_begun(state: State, _by: str, body: ScreeningBegun) -> None:
    found = select(state)
    if found.begun:
        raise WrongMoment("screening has begun already: the list is final")
    if found.provisional or not found.screened:
        raise WrongMoment(f"screening can't begin: {found.words[0] if found.words else ''}")
    if body.entries != found.screened:
        named = listed(body.entries) if body.entries else "nobody"
        raise BadOrder(
            f"it begins with {named}; by postings and tests there go on: {listed(found.screened)}"
        )
