"""Compliance: does an entry keep the rules, item by item of a checklist?

The register answers some items; the person who tests the entry sees others; `check-bot` says
whether it speaks the protocol. An entry complies when every item that applies to its way of
submission is kept, and does not when one is broken; until then it is open. Entries are tested in
the order of receipt (rules 2010, section 1): a test out of order needs a reason.
"""

from __future__ import annotations

import datetime as dt
import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from contest.errors import BadOrder, WrongMoment, YoursToFix
from contest.record.season import ComplianceTested, Conformance, Form, ItemTested
from contest.screening.register import look
from contest.screening.state import TEXT_LIMIT, Entry, State, Writer, one_line, reason_of
from contest.setup.rules import RULES
from lpp.conformance.cases import Level, Outcome, choose
from scheduler.texts import listed, natural, near, shown

OUTCOMES = ("pass", "fail", "not-applicable")
#: Where the answer to an item comes from.
REGISTER, PERSON, CHECK_BOT = "register", "person", "check-bot"
#: The state of an entry.
COMPLIES, FAILS, OPEN = "complies", "does not comply", "open"


@dataclass(frozen=True, slots=True)
class Item:
    """An item of the checklist: its name, its rule, what has to be so, where the answer comes from,
    and the ways of submission to which it applies."""

    id: str
    rule: str
    words: str
    source: str
    ways: tuple[int, ...] = (1, 2, 3)


#: The checklist in order.
ITEMS: Mapping[str, Item] = {
    row[0]: Item(*row)
    for row in (
        ("posted", "1/posted", "posted in time", REGISTER),
        ("proof", "1/proof", "with proof of its posting", REGISTER),
        ("media", "1/media", "on the media of the rules", REGISTER),
        ("individual", "1/individual", "by nobody who is associated with another entry", REGISTER),
        ("platform", "1/platform", "for a platform of management's computers", REGISTER, (1, 2)),
        ("agreed", "1/agreed", "testing date agreed in time", REGISTER, (2, 3)),
        ("testing", "1/testing", "testing date as the rules say", REGISTER, (2, 3)),
        ("present", "1/present", "entrant present at the contest", REGISTER, (2, 3)),
        ("programs", "1/programs", "all programs that it needs are on the media", PERSON),
        ("runs", "1/platform", "installs and runs on such a platform", PERSON, (1, 2)),
        ("path", "1/path", "nobody has to key in a path", PERSON),
        ("variable", "1/variable", "nobody has to change a system variable", PERSON),
        ("browse", "2/browse", "offers a browse function when it starts", PERSON),
        ("lpp", "2/lpp", "speaks LPP, by check-bot", CHECK_BOT),
    )
}
#: The items that a person answers.
ASKED = tuple(id_ for id_, item in ITEMS.items() if item.source == PERSON)


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer to an item of an entry: `pass`, `fail`, `not-applicable` or `open`, why, and if a
    person gave it, who, when, and the day of the test."""

    item: Item
    outcome: str
    reason: str = ""
    by: str = ""
    at: str = ""
    tested: dt.date | None = None

    def as_json(self) -> dict[str, object]:
        """For programs."""
        plain = {name: getattr(self, name) for name in ("outcome", "reason", "by", "at")}
        tested = None if self.tested is None else str(self.tested)
        rule = {"rule": self.item.rule, "sentence": RULES[self.item.rule].sentence}
        return {"item": self.item.id, **plain, "tested": tested, **rule}


@dataclass(frozen=True, slots=True)
class Assessment:
    """The checklist of an entry: the answers to the items that apply to it, and remarks."""

    entry: Entry
    answers: tuple[Answer, ...]
    remarks: tuple[str, ...]

    @property
    def state(self) -> str:
        """Whether it complies, as far as is known."""
        return FAILS if self.broken else OPEN if self.open else COMPLIES

    @property
    def open(self) -> list[str]:
        """The items without an answer."""
        return [answer.item.id for answer in self.answers if answer.outcome == "open"]

    @property
    def broken(self) -> list[Answer]:
        """The items that are not kept."""
        return [answer for answer in self.answers if answer.outcome == "fail"]

    @property
    def why(self) -> str:
        """Why it does not comply, or is open; empty if it complies."""
        if self.broken:
            return "; ".join(answer.reason or answer.item.words for answer in self.broken)
        return f"not answered yet: {', '.join(self.open)}" if self.open else ""

    def as_json(self) -> dict[str, object]:
        """For programs."""
        form = self.entry.form
        return {
            "entry": self.entry.id,
            "program": form.program,
            "entrant": form.entrant,
            "received": str(form.received),
            "withdrawn": self.entry.withdrawn,
            "state": self.state,
            "items": [answer.as_json() for answer in self.answers],
            "remarks": list(self.remarks),
        }


def assess(state: State, id_: str) -> Assessment:
    """The checklist of an entry; raises BadOrder if there is none with that id."""
    entry, told = state.find(id_), state.tests.get(id_, {})
    form = entry.form
    broken, remarks = look(id_, form, state.active, state.settings.season)
    answers = []
    for item in ITEMS.values():
        if form.way not in item.ways:
            continue
        if item.source == REGISTER:
            reasons = [finding.words for finding in broken if finding.rule == item.rule]
            answers.append(Answer(item, "fail" if reasons else "pass", "; ".join(reasons)))
        elif (said := told.get(item.id)) is not None:
            answers.append(Answer(item, said.outcome, said.reason, said.by, said.at, said.day))
        else:
            answers.append(Answer(item, "open"))
    days = {said.day for said in told.values()}
    if form.way != 1 and form.testing is not None and days and form.testing not in days:
        remarks.append(f"the testing date was {form.testing}, and it was tested on another day")
    if id_ in state.out_of_order:
        remarks.append(f"tested out of the order of receipt: {state.out_of_order[id_]}")
    return Assessment(entry, tuple(answers), tuple(remarks))


def assess_all(state: State) -> list[Assessment]:
    """The checklists of all entries, withdrawn ones too, in the order of receipt."""
    found = (assess(state, id_) for id_ in state.entries)
    return sorted(found, key=lambda each: (_received(each.entry.form), natural(each.entry.id)))


def _received(form: Form) -> tuple[dt.date, dt.time]:
    """The day of receipt and its time; the end of the day if the time is not known."""
    return form.received, form.received_at or dt.time.max


def waiting_for(state: State, id_: str) -> list[str]:
    """The entries that have to be tested before one: they were received earlier and are open. None
    once its own test has begun."""
    own = _received(state.find(id_).form)
    return [
        each.entry.id
        for each in ([] if id_ in state.tests else assess_all(state))
        if not each.entry.withdrawn and each.state == OPEN and _received(each.entry.form) < own
    ]


# Tests


class OutOfOrder(WrongMoment):
    """An entry that was received earlier has to be tested first."""


def out_of_turn(id_: str, first: Sequence[str]) -> str:
    """The sentence that says that others have to be tested before an entry."""
    were, are = ("was", "is") if len(first) == 1 else ("were", "are")
    return (
        f"{listed(first)} {were} received before {id_} and {are} to be tested first "
        f"({RULES['1/order'].quoted()})"
    )


def read_items(words: Iterable[str]) -> dict[str, ItemTested]:
    """Reads items as on the command line, `NAME=OUTCOME` or `NAME=OUTCOME:REASON`; raises BadOrder
    if one can't be read."""
    found: dict[str, ItemTested] = {}
    for word in words:
        name, equals, said = (part.strip() for part in word.partition("="))
        outcome, _, reason = said.partition(":")
        if not equals or name not in ASKED:
            raise BadOrder(
                f"{shown(word)}: write ITEM=pass, ITEM=fail:REASON or ITEM=not-applicable:REASON, "
                f"with an item of {', '.join(ASKED)}{near(name, ASKED) if equals else ''}"
            )
        if name in found:
            raise BadOrder(f"{name} is given twice; give it once")
        try:
            found[name] = read_outcome(outcome.strip(), reason)
        except ValueError as exc:
            raise BadOrder(f"{name}: {exc}") from None
    return found


def read_outcome(outcome: str, reason: str) -> ItemTested:
    """The outcome of an item; raises ValueError if there is no such outcome, or its reason is
    missing or can't be used. Only `pass` needs none."""
    if outcome not in OUTCOMES:
        raise ValueError(f"{shown(outcome)} is not an outcome; there are {', '.join(OUTCOMES)}")
    try:
        why = one_line(reason, TEXT_LIMIT)
    except ValueError as exc:
        raise ValueError(f"the reason {exc}") from None
    if outcome != "pass" and not why:
        raise ValueError(f"{outcome} needs a reason")
    return ItemTested(outcome, why)  # type: ignore[arg-type]  # one of OUTCOMES


def check_tested(state: State, _by: str, body: ComplianceTested) -> None:
    """Raises ContestError if a test can't have been made like this."""
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
            read_outcome(tested.outcome, tested.reason)
        except ValueError as exc:
            raise BadOrder(f"{name}: {exc}") from None
    told = body.conformance
    if told is not None and told.passed == bool(told.cases.get("fail")):
        raise BadOrder("check-bot's verdict is not that of its cases")
    if entry.withdrawn:
        raise WrongMoment(f"{id_} is withdrawn ({entry.steps[-1].reason})")
    if body.tested < entry.form.received:
        received = entry.form.received
        raise WrongMoment(f"{id_} was received on {received}, and not there on {body.tested}")
    if not body.out_of_order and (first := waiting_for(state, id_)):
        raise OutOfOrder(f"{out_of_turn(id_, first)}; or say with --out-of-order why not")


def record_test(
    season: Writer,
    id_: str,
    items: Mapping[str, ItemTested],
    by: str,
    *,
    tested: dt.date,
    conformance: Conformance | None = None,
    out_of_order: str = "",
) -> Assessment:
    """Records the outcome of a test, and gives the entry's checklist.

    Arguments:
        season: where.
        id_: the entry's.
        items: what was seen; replaces what was said of these items before.
        by: who tested it.
        tested: the day.
        conformance: check-bot's verdict.
        out_of_order: why it is tested before one that was received earlier.

    Raises:
        BadOrder: if there is no such entry, nothing is said, or an item does not apply to it.
        WrongMoment: if it is withdrawn, or was not there on that day.
        OutOfOrder: if another has to be tested first, and no reason is given.
    """
    reason = reason_of(out_of_order, needed=False)
    why = reason if waiting_for(season.state, id_) else ""
    season.write(by, ComplianceTested(id_, tested, dict(items), conformance, why))
    return assess(season.state, id_)


class BadEvidence(YoursToFix):
    """A document that is not that of a whole check."""


def read_conformance(text: str, source: str) -> Conformance:
    """The result in a document of `check-bot --json`. Only a whole check counts.

    Arguments:
        text: the document.
        source: its name, for errors.

    Raises:
        BadEvidence: if it is none, lacks a case, or its verdict is not that of its cases.
    """

    def bad(what: str) -> BadEvidence:
        again = "make it again with `loebner check-bot --json -- PROGRAM {dir}`"
        return BadEvidence(f"{source}: {what}; {again}")

    try:
        document: Any = json.loads(text)
        passed = document["passed"]
        rows = [(case["id"], Outcome(case["outcome"]).value) for case in document["cases"]]
    except (ValueError, RecursionError, LookupError, TypeError) as exc:
        raise bad(f"this is not a document of check-bot ({type(exc).__name__}: {exc})") from exc
    cases, levels = dict(rows), {case.id: case.level for case in choose(())}
    if len(cases) < len(rows):
        raise bad("a case is in it twice")
    if missing := [id_ for id_ in levels if id_ not in cases]:
        raise bad(f"the case {missing[0]} is not in it: it checks a part")
    failed = [id_ for id_, outcome in cases.items() if outcome == "fail"]
    soft = [id_ for id_ in cases if levels.get(id_) is Level.MUST and cases[id_] == "non-strict"]
    if passed is not (not failed) or soft:
        raise bad(f"its verdict is not that of its cases ({listed(failed or soft or ['no fail'])})")
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
    by_outcome = {
        word.value: [id_ for id_, found in rows if found == word.value] for word in Outcome
    }
    return Conformance(digest, passed, {name: ids for name, ids in by_outcome.items() if ids})
