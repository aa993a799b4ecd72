"""Compliance: does an entry keep the rules, item by item of a checklist?

What stands in the register is held against the rules by itself; what has to be seen is told by
whoever tests the entry; whether it speaks the protocol is `check-bot`'s verdict. An entry complies
when every item that goes for its way of submission is kept, and does not when one is broken; until
then it is open. Pure functions; `contest.screening.examining` puts tests on record.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from types import MappingProxyType

from contest.record.events import Event
from contest.screening.bodies import AnyBody, ComplianceTested, Form, ItemTested
from contest.screening.register import Entry, Register
from contest.screening.submission import look
from contest.setup.calendar import SeasonTable
from contest.setup.rules import RULES
from lpp.conformance.cases import Outcome
from scheduler.texts import natural


class Source(Enum):
    """Where the answer to an item comes from."""

    REGISTER = "register"
    PERSON = "person"
    CHECK_BOT = "check-bot"


@dataclass(frozen=True, slots=True)
class Item:
    """An item of the checklist.

    Attributes:
        id: its name.
        rule: the rule that it rests on, one of `RULES`.
        words: what is to be so.
        ways: the ways of submission for which it is asked.
        source: where the answer comes from.
    """

    id: str
    rule: str
    words: str
    ways: tuple[int, ...] = (1, 2, 3)
    source: Source = Source.PERSON


#: The checklist, in the order in which it is gone through.
ITEMS: Mapping[str, Item] = MappingProxyType(
    {
        item.id: item
        for item in (
            Item("posted", "1/posted", "posted in time", source=Source.REGISTER),
            Item("proof", "1/proof", "with proof of its posting", source=Source.REGISTER),
            Item("media", "1/media", "on the media of the rules", source=Source.REGISTER),
            Item(
                "individual",
                "1/individual",
                "by nobody who is associated with another entry",
                source=Source.REGISTER,
            ),
            Item(
                "platform",
                "1/platform",
                "for a platform of management's computers",
                (1, 2),
                Source.REGISTER,
            ),
            Item("agreed", "1/agreed", "testing date agreed in time", (2, 3), Source.REGISTER),
            Item("testing", "1/testing", "testing date as the rules say", (2, 3), Source.REGISTER),
            Item("present", "1/present", "entrant present at the contest", (2, 3), Source.REGISTER),
            Item("programs", "1/programs", "all programs that it needs are on the media"),
            Item("runs", "1/platform", "installs and runs on such a platform", (1, 2)),
            Item("path", "1/path", "nobody has to key in a path"),
            Item("variable", "1/variable", "nobody has to change a system variable"),
            Item("browse", "2/browse", "offers a browse function when it starts"),
            Item("lpp", "2/lpp", "speaks LPP, by check-bot", source=Source.CHECK_BOT),
        )
    }
)


class State(Enum):
    """What has come out for an entry so far."""

    COMPLIES = "complies"
    FAILS = "does not comply"
    OPEN = "open"


@dataclass(frozen=True, slots=True)
class Answer:
    """An item of an entry, answered or not.

    Attributes:
        item: which.
        outcome: `pass`, `fail`, `not-applicable` or `open`.
        reason: why.
        by: who has said so; empty where it follows from the register, or is open.
        at: when it was written, RFC 3339; empty likewise.
        tested: the day of the test; None likewise.
    """

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
    """The checklist of an entry.

    Attributes:
        entry: the entry.
        answers: item by item, those that go for its way of submission.
        remarks: what else should be known, each a clause.
    """

    entry: Entry
    answers: tuple[Answer, ...]
    remarks: tuple[str, ...]

    @property
    def state(self) -> State:
        """What has come out so far."""
        outcomes = {answer.outcome for answer in self.answers}
        if "fail" in outcomes:
            return State.FAILS
        return State.OPEN if "open" in outcomes else State.COMPLIES

    @property
    def open(self) -> tuple[Item, ...]:
        """The items that nobody has answered yet."""
        return tuple(answer.item for answer in self.answers if answer.outcome == "open")

    @property
    def broken(self) -> tuple[Answer, ...]:
        """The items that are not kept."""
        return tuple(answer for answer in self.answers if answer.outcome == "fail")

    def as_json(self) -> dict[str, object]:
        """For programs."""
        return {
            "entry": self.entry.id,
            "program": self.entry.form.program,
            "entrant": self.entry.form.entrant,
            "received": str(self.entry.form.received),
            "withdrawn": self.entry.withdrawn,
            "state": self.state.value,
            "items": [answer.as_json() for answer in self.answers],
            "remarks": list(self.remarks),
        }


@dataclass
class Answers:
    """What was told of entries when they were tested: the latest word on each item counts."""

    answers: dict[str, dict[str, Answer]] = field(default_factory=dict)
    out_of_order: dict[str, str] = field(default_factory=dict)

    def take(self, event: Event, body: AnyBody) -> None:
        """Takes an event in; those that are no tests change nothing."""
        if not isinstance(body, ComplianceTested):
            return
        held = self.answers.setdefault(body.entry, {})
        said: dict[str, ItemTested] = dict(body.items)
        if body.conformance is not None:
            said["lpp"] = ItemTested(
                "pass" if body.conformance.passed else "fail", verdict(body.conformance.cases)
            )
        for name, tested in said.items():
            # An item that a later version of this program has would be no item here.
            if name in ITEMS:
                held[name] = Answer(
                    ITEMS[name], tested.outcome, tested.reason, event.actor, event.at, body.tested
                )
        if body.out_of_order:
            self.out_of_order[body.entry] = body.out_of_order


def verdict(cases: Mapping[str, Iterable[str]]) -> str:
    """What check-bot's cases come to, in a few words.

    Arguments:
        cases: outcome to identifiers of cases.
    """
    # In the words' own order: a body that is read back has its names sorted.
    known = [outcome.value for outcome in Outcome]
    found = [(outcome, list(cases[outcome])) for outcome in known if outcome in cases]
    counts = [f"{len(ids)} {outcome}" for outcome, ids in found if ids]
    failed = list(cases.get("fail", ()))
    named = f": {', '.join(failed)}" if failed else ""
    return f"{', '.join(counts)}{named}"


def assess(
    entry: Entry, forms: Mapping[str, Form], tests: Answers, table: SeasonTable
) -> Assessment:
    """The checklist of an entry.

    Arguments:
        entry: the entry.
        forms: entry to form, of those that are not withdrawn.
        tests: what was told of entries.
        table: `[season]`.
    """
    broken, remarks = look(entry.id, entry.form, forms, table)
    told = tests.answers.get(entry.id, {})
    answers = []
    for item in ITEMS.values():
        if entry.form.way not in item.ways:
            continue
        if item.source is Source.REGISTER:
            reasons = [finding.words for finding in broken if finding.rule == item.rule]
            outcome = "fail" if reasons else "pass"
            answers.append(Answer(item, outcome, "; ".join(reasons)))
        else:
            answers.append(told.get(item.id, Answer(item, "open")))
    found = list(remarks)
    days = {answer.tested for answer in told.values()} - {None}
    testing = entry.form.testing
    if entry.form.way != 1 and testing is not None and days and testing not in days:
        found.append(f"the testing date was {testing}, and it was tested on another day")
    if entry.id in tests.out_of_order:
        found.append(f"tested out of the order of receipt: {tests.out_of_order[entry.id]}")
    return Assessment(entry, tuple(answers), tuple(found))


def assess_all(register: Register, tests: Answers, table: SeasonTable) -> list[Assessment]:
    """The checklists of all entries, withdrawn ones too, in the order of receipt."""
    forms = register.forms
    return [
        assess(entry, forms, tests, table) for entry in sorted(register.entries.values(), key=turn)
    ]


def received(form: Form) -> tuple[dt.date, dt.time]:
    """What the order of receipt goes by: the day, and its time where that is known, else the end
    of the day."""
    return form.received, form.received_at or dt.time.max


def before(entry: Entry, assessments: Iterable[Assessment]) -> list[str]:
    """Who has to be tested first: entries that were received earlier and are open.

    Arguments:
        entry: which is to be tested.
        assessments: of all.

    Returns:
        Their ids, in the order of receipt.
    """
    return [
        each.entry.id
        for each in sorted(assessments, key=lambda each: turn(each.entry))
        if not each.entry.withdrawn
        and each.state is State.OPEN
        and received(each.entry.form) < received(entry.form)
    ]


def turn(entry: Entry) -> tuple[object, ...]:
    """The order of receipt, with the id last: whatever was given first, it is one order."""
    return *received(entry.form), natural(entry.id)
