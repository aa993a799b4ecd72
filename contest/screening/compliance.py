"""Compliance: does an entry keep the rules, item by item of a checklist?

The register answers some items; the person who tests the entry sees others; whether it speaks the
protocol is `check-bot`'s verdict. An entry complies when every item that applies to its way of
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
from contest.screening.state import Entry, State, Writer
from contest.screening.texts import TEXT_LIMIT, one_line, reason_of
from contest.setup.rules import RULES
from lpp.conformance.cases import Level, Outcome, choose
from scheduler.texts import listed, natural, near, shown

OUTCOMES = ("pass", "fail", "not-applicable")
#: Where the answer to an item comes from.
REGISTER, PERSON, CHECK_BOT = "register", "person", "check-bot"
#: What comes out for an entry.
COMPLIES, FAILS, OPEN = "complies", "does not comply", "open"
_AGAIN = "make it again with `loebner check-bot --json -- PROGRAM {dir}`"


@dataclass(frozen=True, slots=True)
class Item:
    """An item of the checklist: its name, the rule that it rests on, what is to be so, where the
    answer comes from, and the ways of submission to which it applies."""

    id: str
    rule: str
    words: str
    source: str
    ways: tuple[int, ...] = (1, 2, 3)


#: The checklist, in the order in which it is gone through.
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


@dataclass(frozen=True, slots=True)
class Answer:
    """An item of an entry: `pass`, `fail`, `not-applicable` or `open`, why, and where somebody has
    said so, by whom, when, and on which day it was tested."""

    item: Item
    outcome: str
    reason: str = ""
    by: str = ""
    at: str = ""
    tested: dt.date | None = None

    def as_json(self) -> dict[str, object]:
        """For programs."""
        return {
            "item": self.item.id,
            "outcome": self.outcome,
            "reason": self.reason,
            "by": self.by,
            "at": self.at,
            "tested": None if self.tested is None else str(self.tested),
            "rule": self.item.rule,
            "sentence": RULES[self.item.rule].sentence,
        }


@dataclass(frozen=True, slots=True)
class Assessment:
    """The checklist of an entry: the answers to the items that apply to it, and remarks."""

    entry: Entry
    answers: tuple[Answer, ...]
    remarks: tuple[str, ...]

    @property
    def state(self) -> str:
        """What has come out so far."""
        if self.broken:
            return FAILS
        return OPEN if self.open else COMPLIES

    @property
    def open(self) -> list[Item]:
        """The items that nobody has answered yet."""
        return [answer.item for answer in self.answers if answer.outcome == "open"]

    @property
    def broken(self) -> list[Answer]:
        """The items that are not kept."""
        return [answer for answer in self.answers if answer.outcome == "fail"]

    @property
    def why(self) -> str:
        """Why it does not comply, or is open; empty if it complies."""
        if self.broken:
            return "; ".join(answer.reason or answer.item.words for answer in self.broken)
        asked = ", ".join(item.id for item in self.open)
        return f"not answered yet: {asked}" if asked else ""

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


def assess(state: State, id_: str, active: Mapping[str, Form] | None = None) -> Assessment:
    """The checklist of an entry.

    Arguments:
        state: the season's.
        id_: the entry's.
        active: `state.active`, where it is at hand.

    Raises:
        BadOrder: if there is no such entry.
    """
    entry, told = state.find(id_), state.tests.get(id_, {})
    form = entry.form
    forms = state.active if active is None else active
    broken, remarks = look(id_, form, forms, state.settings.season)
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
    active = state.active
    found = (assess(state, id_, active) for id_ in state.entries)
    return sorted(found, key=lambda each: (_received(each.entry.form), natural(each.entry.id)))


def _received(form: Form) -> tuple[dt.date, dt.time]:
    """What the order of receipt goes by: the day, and its time where that is known, else the end
    of the day."""
    return form.received, form.received_at or dt.time.max


def waiting_for(state: State, id_: str) -> list[str]:
    """The entries that have to be tested before one: they were received earlier and are open."""
    own = _received(state.find(id_).form)
    return [
        each.entry.id
        for each in assess_all(state)
        if not each.entry.withdrawn and each.state == OPEN and _received(each.entry.form) < own
    ]


# Tests


class OutOfOrder(WrongMoment):
    """An entry that was received earlier has to be tested first."""


def out_of_turn(id_: str, first: Sequence[str]) -> str:
    """That others have to be tested before an entry, and the sentence that says so."""
    were, are = ("was", "is") if len(first) == 1 else ("were", "are")
    return (
        f"{listed(first)} {were} received before {id_} and {are} to be tested first "
        f"({RULES['1/order'].quoted()})"
    )


def read_items(words: Iterable[str]) -> dict[str, ItemTested]:
    """Items as they are written on the command line, `NAME=OUTCOME` or `NAME=OUTCOME:REASON`.

    Raises:
        BadOrder: if one can't be read, or lacks a reason that it needs.
    """
    asked = [id_ for id_, item in ITEMS.items() if item.source == PERSON]
    found: dict[str, ItemTested] = {}
    for word in words:
        name, equals, said = word.partition("=")
        outcome, _, reason = said.partition(":")
        name, outcome = name.strip(), outcome.strip()
        if not equals:
            raise BadOrder(f"{shown(word)} says nothing of an item; write {asked[0]}=pass")
        if name not in ITEMS:
            raise BadOrder(f"there is no item {shown(name)}{near(name, asked)}")
        if ITEMS[name].source == REGISTER:
            raise BadOrder(
                f"{name} follows from the register; correct that with `loebner screen register "
                "CONTEST change`"
            )
        if ITEMS[name].source == CHECK_BOT:
            raise BadOrder(f"{name} is check-bot's to say: give its document with --check-bot FILE")
        if name in found:
            raise BadOrder(f"{name} is said twice; say it once")
        if outcome not in OUTCOMES:
            raise BadOrder(
                f"{name}: {shown(outcome)} is no outcome; write pass, fail:REASON or "
                "not-applicable:REASON"
            )
        try:
            found[name] = read_outcome(outcome, reason)
        except ValueError as exc:
            raise BadOrder(f"{name}: {exc}: write {name}={outcome}:REASON") from None
    return found


def read_outcome(outcome: str, reason: str) -> ItemTested:
    """The outcome of an item; all but `pass` need a reason.

    Raises:
        ValueError: if there is no such outcome, or the reason can't be used or is missing.
    """
    if outcome not in OUTCOMES:
        raise ValueError(f"{shown(outcome)} is no outcome")
    try:
        why = one_line(reason, TEXT_LIMIT)
    except ValueError as exc:
        raise ValueError(f"the reason {exc}") from None
    if outcome != "pass" and not why:
        raise ValueError(f"{outcome} needs a reason")
    return ItemTested(outcome, why)  # type: ignore[arg-type]  # one of OUTCOMES


def check_tested(state: State, _by: str, body: ComplianceTested) -> None:
    """Raises ContestError where a test can't have been made like this."""
    entry, id_ = state.find(body.entry), body.entry
    if not body.items and body.conformance is None:
        raise BadOrder(f"nothing is said of {id_}: give --item NAME=pass or --check-bot FILE")
    for name, tested in body.items.items():
        if name not in ITEMS or ITEMS[name].source != PERSON:
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
    # What was begun is gone on with.
    if not body.out_of_order and id_ not in state.tests and (first := waiting_for(state, id_)):
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
    """Puts on record what came out of a test.

    Arguments:
        season: where.
        id_: the entry's.
        items: what was seen; each replaces what was said of it before.
        by: who has tested it.
        tested: the day.
        conformance: check-bot's verdict.
        out_of_order: why it is tested before one that was received earlier.

    Returns:
        The entry's checklist as it stands now.

    Raises:
        BadOrder: if there is no such entry, nothing is said, or an item is not asked of it.
        WrongMoment: if it is withdrawn, or the test can't have been then.
        OutOfOrder: if another has to be tested first, and no reason is given.
    """
    reason = reason_of(out_of_order, needed=False)
    season.state.find(id_)
    why = reason if reason and waiting_for(season.state, id_) else ""
    season.write(by, ComplianceTested(id_, tested, dict(items), conformance, why))
    return assess(season.state, id_)


class BadEvidence(YoursToFix):
    """A document that is not that of a whole check."""


def read_conformance(text: str, source: str) -> Conformance:
    """The result of a document of check-bot. Only a whole check counts.

    Arguments:
        text: the document of `check-bot --json`.
        source: its name, for errors.

    Raises:
        BadEvidence: if it is none, has not all cases once, or its verdict is not that of them.
    """
    try:
        document = json.loads(text)
    except (ValueError, RecursionError) as exc:
        raise BadEvidence(f"{source}: this is no JSON ({exc}); {_AGAIN}") from None
    cases = _cases(document, source)
    levels = {case.id: case.level for case in choose(())}
    missing = [id_ for id_ in levels if id_ not in cases]
    if missing:
        raise BadEvidence(
            f"{source}: the case {missing[0]} is not in it: it checks a part; {_AGAIN}"
        )
    failed = [id_ for id_, outcome in cases.items() if outcome == "fail"]
    soft = [id_ for id_ in cases if levels.get(id_) is Level.MUST and cases[id_] == "non-strict"]
    if document["passed"] is bool(failed) or soft:
        raise BadEvidence(
            f"{source}: it says {'passed' if document['passed'] else 'failed'}, which its cases do "
            f"not bear out ({listed(failed or soft) if failed or soft else 'none fails'}); {_AGAIN}"
        )
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
    by_outcome = {
        word.value: [id_ for id_, found in cases.items() if found == word.value] for word in Outcome
    }
    held = {outcome: found for outcome, found in by_outcome.items() if found}
    return Conformance(digest, document["passed"], held)


def _cases(document: Any, source: str) -> dict[str, str]:
    """Case to outcome."""
    rows = document.get("cases") if isinstance(document, dict) else None
    if not isinstance(rows, list) or not isinstance(document.get("passed"), bool):
        raise BadEvidence(f"{source}: this is no document of check-bot: cases and passed; {_AGAIN}")
    found: dict[str, str] = {}
    for each in rows:
        id_, outcome = (each.get("id"), each.get("outcome")) if isinstance(each, dict) else (0, 0)
        if not isinstance(id_, str) or outcome not in [word.value for word in Outcome]:
            raise BadEvidence(f"{source}: {shown(each)} is no case with its outcome; {_AGAIN}")
        if id_ in found:
            raise BadEvidence(f"{source}: the case {shown(id_)} is in it twice; {_AGAIN}")
        found[id_] = outcome
    return found
