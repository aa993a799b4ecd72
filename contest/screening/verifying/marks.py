"""Marking: letters as they were sealed and drawn, marks of the scale by markers who did not know,
all of them there before it was known whose they are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from contest.errors import BadOrder
from contest.record.events import Event
from contest.screening.asking.ask import sittings_of
from contest.screening.asking.paperset import needed
from contest.screening.bodies import AnyBody
from contest.screening.marking.bodies import (
    LettersDrawn,
    LettersRevealed,
    Marked,
    MarkSettled,
    QualityOpened,
    ScaleSet,
    TieRuleStated,
)
from contest.screening.marking.book import QUALITY, Book
from contest.screening.marking.letters import digest, draw, letter
from contest.screening.marking.scale import scale_of
from contest.screening.marking.steps import MARKERS
from contest.screening.ranking import TIE_RULES
from contest.screening.selecting import selection_of
from contest.screening.verifying.past import OWN, Past, anew, named
from contest.verification.findings import Check, Faults, quoted, several


class MarksCheck:
    """Takes all events in their order; `check` says what was found.

    Arguments:
        past: what stands before each event.
        sealed: what is sealed beside the chains: name to value. Letters that are not revealed yet
            are held against what is on record of them.
    """

    def __init__(self, past: Past, sealed: Mapping[str, Any]) -> None:
        self._past = past
        self._sealed = sealed
        self._faults = Faults(OWN)
        self._book = Book()
        self._subjects: dict[str, tuple[str, ...]] = {}
        self._marks = 0

    def take(self, event: Event, body: AnyBody) -> None:
        """Takes the next event."""
        match body:
            case ScaleSet():
                self._scale(event, body)
            case LettersDrawn():
                self._draw(event, body)
            case Marked():
                self._mark(event, body)
            case MarkSettled():
                self._settle(event, body)
            case TieRuleStated():
                if body.rule not in TIE_RULES:
                    self._faults.at(event, f"there is no rule {quoted(body.rule)}")
                if self._book.revealed:
                    self._faults.at(event, "it was stated when the letters were revealed")
            case QualityOpened():
                self._quality(event, body)
            case LettersRevealed():
                self._reveal(event, body)
            case _:
                pass

    def check(self) -> Check:
        """What was found."""
        said = "marking has not begun"
        if self._book.drawn:
            markers = {who for given in self._book.marks.values() for who in given}
            said = (
                f"{several(self._marks, 'mark')} by {several(len(markers), 'marker')}, "
                f"{len(self._book.settled)} settled; letters "
                + ("as sealed" if self._book.revealed else "sealed")
            )
        return self._faults.check("marks", said)

    # The beginning

    def _scale(self, event: Event, body: ScaleSet) -> None:
        if self._book.scale is not None:
            self._faults.at(event, "a scale was set before, and stands")
            return
        try:
            scale_of(body.scale)
        except BadOrder as exc:
            self._faults.at(event, str(exc))
            return
        self._book.take(event, body)

    def _draw(self, event: Event, body: LettersDrawn) -> None:
        if body.round in self._book.drawn:
            self._faults.at(event, "letters of this round were drawn before")
            return
        if body.round != self._book.round:
            self._faults.at(event, "its round was not opened")
        if self._book.scale is None:
            self._faults.at(event, "no scale was set before it")
        self._book.take(event, body)
        self._hold_sealed(event, body)
        kept, settings = self._past.kept, self._past.settings
        asked = anew(self._faults, event, "what was asked", lambda: needed(kept))
        if asked is None:
            return
        items = [question.id for question in asked.paper.questions]
        if body.items != (items if body.round == "questions" else [QUALITY]):
            self._faults.at(event, "its items are not those that were asked")
        found = anew(
            *(self._faults, event, "who was asked"),
            lambda: (selection_of(kept, settings).to_ask, sittings_of(kept, asked)),
        )
        if found is None:
            return
        running, sittings = found
        left = [id_ for id_ in running if id_ not in sittings or not sittings[id_].ended]
        if left:
            self._faults.at(event, f"not asked to the end by then: {named(left)}")
        self._subjects[body.round] = tuple(
            id_ for id_, each in sittings.items() if each.ended and (id_ in running or each.human)
        )

    def _hold_sealed(self, event: Event, body: LettersDrawn) -> None:
        match self._sealed.get(f"letters-{body.round}"):
            case None:
                self._faults.at(event, "its letters are not sealed beside the chains")
            case {"letters": dict(letters), "salt": salt}:
                if _digest(letters, salt) != body.sha256:
                    self._faults.at(event, "what is sealed is not what was drawn")
            case _:
                self._faults.at(event, "what is sealed beside the chains are no letters")

    def _quality(self, event: Event, body: QualityOpened) -> None:
        if self._book.quality:
            self._faults.at(event, "that round was opened before")
            return
        if "questions" not in self._book.revealed:
            self._faults.at(event, "the questions were not marked to the end")
        if not body.reason:
            self._faults.at(event, "it has no reason")
        self._book.take(event, body)

    # Marks

    def _mark(self, event: Event, body: Marked) -> None:
        if not body.marker or body.marker != event.actor:
            self._faults.at(event, f"{quoted(event.actor)} gave marks of {quoted(body.marker)}")
        fits = [self._fits(event, body.item, each, mark) for each, mark in body.marks.items()]
        self._marks += len(fits)
        if all(fits):
            self._book.take(event, body)

    def _settle(self, event: Event, body: MarkSettled) -> None:
        if not self._fits(event, body.item, body.letter, body.mark):
            return
        if len(set(self._book.marks.get((body.item, body.letter), {}).values())) < 2:
            self._faults.at(event, "no two markers differed")
        if not body.reason:
            self._faults.at(event, "it has no reason")
        self._book.take(event, body)

    def _fits(self, event: Event, item: str, of: str, mark: str) -> bool:
        """Whether a mark can be given: for an answer that there is, of the scale, in time."""
        wrong = ""
        book = self._book
        subjects = self._subjects.get(book.round)
        letters = None if subjects is None else set(map(letter, range(len(subjects))))
        if book.scale is None or book.round not in book.drawn:
            wrong = "nothing was to be marked"
        elif book.round in book.revealed:
            wrong = "it was given when it was known whose answers they are"
        elif item not in book.items or (letters is not None and of not in letters):
            wrong = f"there is no answer {quoted(of)} to {quoted(item)}"
        elif _value(mark) not in book.scale.marks:
            wrong = f"{quoted(mark)} is no mark of the scale {book.scale.name}"
        if wrong:
            self._faults.at(event, wrong)
        return not wrong

    # The end

    def _reveal(self, event: Event, body: LettersRevealed) -> None:
        book = self._book
        drawn = book.drawn.get(body.round)
        if drawn is None or body.round in book.revealed or body.round != book.round:
            self._faults.at(event, "nothing was to be revealed")
            return
        if _digest(body.letters, body.salt) != drawn.sha256:
            self._faults.at(event, "the letters that it reveals are not those that were sealed")
        subjects = self._subjects.get(body.round)
        if subjects is not None:
            if body.letters != draw(drawn.items, subjects, body.salt)["letters"]:
                self._faults.at(event, "its letters are not what its salt draws")
            self._whole(event, subjects)
        book.take(event, body)

    def _whole(self, event: Event, subjects: Sequence[str]) -> None:
        """Whether all was marked."""
        if len(self._book.markers) < MARKERS:
            self._faults.at(event, f"fewer than {MARKERS} people had marked")
        missing = self._book.missing(map(letter, range(len(subjects))))
        for who, number in missing.items():
            if number:
                self._faults.at(event, f"{several(number, 'mark')} of {quoted(who)} were missing")
        for open_ in self._book.disagreements():
            self._faults.at(event, f"{quoted(open_.item)}, {open_.letter} was to be settled")


def _digest(letters: Mapping[str, Any], salt: Any) -> str:
    """What is on record of letters; empty where they have no canonical form."""
    try:
        return digest({"letters": letters, "salt": salt})
    except ValueError:
        return ""


def _value(text: str) -> Fraction | None:
    try:
        return Fraction(text)
    except (ValueError, ZeroDivisionError):
        return None
