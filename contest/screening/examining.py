"""What somebody says of an entry when it is tested for compliance, put on record.

Entries are tested in the order of receipt (rules 2010, section 1): a test out of order needs a
reason, such as the appointment of an entrant who comes.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Mapping, Sequence

from contest.errors import BadOrder, WrongMoment
from contest.screening.bodies import ComplianceTested, Conformance, ItemTested
from contest.screening.compliance import (
    ITEMS,
    Answers,
    Assessment,
    Source,
    assess,
    assess_all,
    before,
)
from contest.screening.forms import TEXT_LIMIT, one_line
from contest.screening.register import Entry, Register
from contest.screening.season import Season, bodies
from contest.setup.rules import RULES
from scheduler.texts import listed, near, shown

OUTCOMES = ("pass", "fail", "not-applicable")


class OutOfOrder(WrongMoment):
    """An entry that was received earlier has to be tested first.

    Attributes:
        why: who was received before whom, and the sentence that asks for the order.
    """

    def __init__(self, why: str) -> None:
        super().__init__(f"{why}; or say with --out-of-order why not")
        self.why = why


def read_items(words: Sequence[str]) -> dict[str, ItemTested]:
    """Items as they are written on the command line.

    Arguments:
        words: of each item `NAME=OUTCOME` or `NAME=OUTCOME:REASON`.

    Raises:
        BadOrder: if one can't be read, or lacks a reason that it needs.
    """
    found: dict[str, ItemTested] = {}
    for word in words:
        name, equals, said = word.partition("=")
        outcome, _, reason = said.partition(":")
        name, outcome = name.strip(), outcome.strip()
        asked = [id_ for id_, item in ITEMS.items() if item.source is Source.PERSON]
        if not equals:
            raise BadOrder(f"{shown(word)} says nothing of an item; write {asked[0]}=pass")
        if name not in ITEMS:
            raise BadOrder(f"there is no item {shown(name)}{near(name, asked)}")
        if ITEMS[name].source is Source.REGISTER:
            raise BadOrder(
                f"{name} follows from the register; correct that with `loebner screen register "
                "CONTEST change`"
            )
        if ITEMS[name].source is Source.CHECK_BOT:
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
    """What came out for an item.

    Arguments:
        outcome: one of `OUTCOMES`.
        reason: why; needed for all but `pass`.

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


def waiting_for(entry: Entry, tests: Answers, assessments: Iterable[Assessment]) -> list[str]:
    """Who has to be tested before an entry; nobody where its own test has begun, for what was begun
    is gone on with.

    Arguments:
        entry: which is to be tested.
        tests: what was told of entries.
        assessments: of all.

    Returns:
        Their ids, in the order of receipt.
    """
    return [] if entry.id in tests.answers else before(entry, assessments)


def record_test(
    season: Season,
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
    register, tests = register_and_tests(season)
    entry, table = register.find(id_), season.settings.season
    if not items and conformance is None:
        raise BadOrder(f"nothing is said of {id_}: give --item NAME=pass or --check-bot FILE")
    for name in items:
        if entry.form.way not in ITEMS[name].ways:
            raise BadOrder(
                f"{name} is not asked of {id_}, which is submitted by way {entry.form.way}"
            )
    if entry.withdrawn:
        raise WrongMoment(f"{id_} is withdrawn ({entry.steps[-1].reason})")
    if tested < entry.form.received:
        raise WrongMoment(f"{id_} was received on {entry.form.received}, and not there on {tested}")
    try:
        reason = one_line(out_of_order, TEXT_LIMIT)
    except ValueError as exc:
        raise BadOrder(f"the reason {exc}") from None
    assessments = assess_all(register, tests, table)
    first = before(entry, assessments)
    waited_for = waiting_for(entry, tests, assessments)
    if waited_for and not reason:
        raise OutOfOrder(out_of_turn(id_, waited_for))
    body = ComplianceTested(id_, tested, dict(items), conformance, reason if first else "")
    event = season.write(by, body)
    tests.take(event, body)
    return assess(entry, register.forms, tests, table)


def out_of_turn(id_: str, first: Sequence[str]) -> str:
    """That an entry is not to be tested yet, and the sentence that says so.

    Arguments:
        id_: the entry's.
        first: those that go before it, one at least.
    """
    were, are = ("was", "is") if len(first) == 1 else ("were", "are")
    return (
        f"{listed(first)} {were} received before {id_} and {are} to be tested first "
        f"({RULES['1/order'].quoted()})"
    )


def register_and_tests(season: Season) -> tuple[Register, Answers]:
    """The register and all tests of a season that is open."""
    register, tests = Register(), Answers()
    for event, body in bodies(season.events()):
        register.take(event, body)
        tests.take(event, body)
    return register, tests
