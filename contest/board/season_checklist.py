"""The form about a test for compliance: item by item what was seen, by whom, on which day."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from contest.board.season_fields import (
    BY,
    Box,
    Faulty,
    Typed,
    filled,
    signing_faults,
)
from contest.board.season_writing import Hand
from contest.errors import BadOrder
from contest.screening.bodies import Conformance, ItemTested
from contest.screening.compliance import (
    ITEMS,
    Answer,
    Answers,
    Assessment,
    Source,
    State,
    assess_all,
)
from contest.screening.evidence import BadEvidence, read_conformance
from contest.screening.examining import (
    OUTCOMES,
    OutOfOrder,
    out_of_turn,
    read_outcome,
    waiting_for,
)
from contest.screening.forms import TEXT_LIMIT, read_day
from contest.screening.register import Register
from contest.screening.season import bodies, read
from contest.setup import settings
from contest.setup.rules import RULES

TESTED = Box("tested", "Day of the test", hint="such as 2010-06-15", needed=True)
OUT_OF_ORDER = Box(
    "out_of_order",
    "Why it is tested nevertheless",
    hint="such as the appointment of an entrant who comes; goes on record",
    longest=TEXT_LIMIT,
)
DOCUMENT = Box(
    "document",
    "The document of check-bot",
    "text",
    "all that loebner check-bot --json -- PROGRAM {dir} has written, pasted here",
    longest=0,
)
#: What may be said of an item, beside nothing.
CHOICES = tuple((outcome, outcome.replace("-", " ")) for outcome in OUTCOMES)


@dataclass(frozen=True, slots=True)
class Asked:
    """An item that a person answers.

    Attributes:
        answer: what was said of it so far.
        sentence: of the rules, on which it rests.
        outcome: what is chosen; empty for nothing.
        reason: the field for it.
    """

    answer: Answer
    sentence: str
    outcome: str
    reason: Box


class Checklist:
    """Puts on record what came out of a test."""

    template = "season_test.html"

    def page(self, folder: Path, id_: str, typed: Typed | None, wrong: Typed) -> dict[str, Any]:
        """What the form shows."""
        found, first = _found(folder, id_)
        given = {TESTED.name: str(dt.date.today())} if typed is None else typed
        asked = [each for each in found.answers if each.item.source is Source.PERSON]
        signing = (TESTED, *((OUT_OF_ORDER,) if first else ()), BY)
        boxes = filled((*map(_reason, asked), DOCUMENT, *signing), given, wrong)
        reasons, (document, *rest) = boxes[: len(asked)], boxes[len(asked) :]
        return {
            "entry": found.entry,
            "broken": [
                (answer, RULES[answer.item.rule].quoted())
                for answer in found.broken
                if answer.item.source is Source.REGISTER
            ],
            "asked": [
                Asked(
                    answer, RULES[answer.item.rule].quoted(), given.get(_outcome(answer), ""), box
                )
                for answer, box in zip(asked, reasons, strict=True)
            ],
            "choices": CHOICES,
            "lpp": next(each for each in found.answers if each.item.source is Source.CHECK_BOT),
            "document": document,
            "waiting": f"{out_of_turn(id_, first)}." if first else "",
            "signing": rest,
        }

    def wrong(self, _folder: Path, _id: str, typed: Typed) -> dict[str, str]:
        """Field to what is wrong with it."""
        return _told(typed).wrong

    def take(self, hand: Hand, _folder: Path, id_: str, typed: Typed) -> tuple[str, str]:
        """Puts it on record.

        Returns:
            The entry's id, and what is to be said.

        Raises:
            ContestError: if it is not put on record.
        """
        told = _told(typed)
        if told.wrong or told.tested is None:
            raise Faulty(told.wrong)
        if not told.items and told.conformance is None:
            raise BadOrder(
                "nothing is written yet, for nothing is said: choose what came out for one item at "
                "least, or paste the document of check-bot"
            )
        try:
            done = hand.test(
                id_,
                told.items,
                typed[BY.name].strip(),
                tested=told.tested,
                conformance=told.conformance,
                out_of_order=typed.get(OUT_OF_ORDER.name, ""),
            )
        except OutOfOrder as exc:
            wrong = {OUT_OF_ORDER.name: "is empty: it is not this entry’s turn"}
            raise Faulty(wrong) from exc
        return id_, f"the test is on record: {id_} {_state(done)}"


@dataclass(frozen=True, slots=True)
class _Told:
    """What a form says of an entry, and what is wrong with it."""

    items: dict[str, ItemTested]
    conformance: Conformance | None
    tested: dt.date | None
    wrong: dict[str, str]


def _told(typed: Typed) -> _Told:
    items, wrong = {}, signing_faults(typed, OUT_OF_ORDER, BY)
    for item in ITEMS.values():
        outcome = typed.get(f"outcome-{item.id}", "")
        reason = typed.get(f"reason-{item.id}", "")
        if item.source is Source.PERSON and (outcome or reason.strip()):
            try:
                items[item.id] = _item(outcome, reason)
            except ValueError as exc:
                wrong[f"reason-{item.id}"] = str(exc)
    conformance = tested = None
    # Forms end lines as no file does that check-bot has written; its digest is the file's.
    document = typed.get(DOCUMENT.name, "").replace("\r\n", "\n")
    try:
        if document.strip():
            conformance = read_conformance(document, "what is pasted")
    except BadEvidence as exc:
        wrong[DOCUMENT.name] = str(exc)
    try:
        tested = read_day(typed.get(TESTED.name, ""))
    except ValueError as exc:
        wrong[TESTED.name] = str(exc)
    return _Told(items, conformance, tested, wrong)


def _item(outcome: str, reason: str) -> ItemTested:
    if not outcome:
        raise ValueError("there is a reason, and nothing is chosen that it is for")
    return read_outcome(outcome, reason)


def _found(folder: Path, id_: str) -> tuple[Assessment, list[str]]:
    """An entry's checklist, and who has to be tested before it."""
    register, tests = Register(), Answers()
    for event, body in bodies(read(folder)):
        register.take(event, body)
        tests.take(event, body)
    entry = register.find(id_)
    found = assess_all(register, tests, settings.load(folder).season)
    own = next(each for each in found if each.entry.id == entry.id)
    return own, waiting_for(entry, tests, found)


def _outcome(answer: Answer) -> str:
    return f"outcome-{answer.item.id}"


def _reason(answer: Answer) -> Box:
    return Box(
        f"reason-{answer.item.id}",
        f"Reason ({answer.item.id})",
        hint="needed for all but pass",
        longest=TEXT_LIMIT,
    )


def _state(found: Assessment) -> str:
    if found.state is State.OPEN:
        return f"is open: {', '.join(item.id for item in found.open)}"
    state: str = found.state.value
    return state
