"""All that is known of a season's marking, out of its events; pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Literal, TypeAlias

from contest.record.events import Event
from contest.screening.bodies import AnyBody
from contest.screening.marking.bodies import (
    CutDecided,
    FinalistsSet,
    LettersDrawn,
    LettersRevealed,
    Marked,
    MarkSettled,
    QualityOpened,
    ScaleSet,
    TieRuleStated,
)
from contest.screening.marking.scale import Scale, scale_of
from contest.screening.season import Season, bodies

Round: TypeAlias = Literal["questions", "quality"]
#: The item of the second round.
QUALITY = "general-quality"


@dataclass(frozen=True, slots=True)
class Settled:
    """A mark that was settled: which, by whom, why."""

    mark: Fraction
    by: str
    reason: str


@dataclass(frozen=True, slots=True)
class Disagreement:
    """An answer on which markers differ: their marks by name."""

    item: str
    letter: str
    marks: Mapping[str, Fraction]


@dataclass
class Book:
    """A season's marking.

    Attributes:
        scale: of the marks; None before the first sheet.
        drawn: round to what is on record of its letters, while sealed.
        revealed: round to item to subjects in the order of their letters, when marking is over.
        marks: (item, letter) to marker to mark.
        settled: (item, letter) to the mark that was settled.
        tie_rule: what settles a tie at the cut; empty for nothing.
        cut: the organizer's decision on such a tie: who goes on, by whom, why.
        quality: why the general quality decides; empty where it does not.
        finalists: as they were written into the contest's settings.
    """

    scale: Scale | None = None
    drawn: dict[str, LettersDrawn] = field(default_factory=dict)
    revealed: dict[str, LettersRevealed] = field(default_factory=dict)
    marks: dict[tuple[str, str], dict[str, Fraction]] = field(default_factory=dict)
    settled: dict[tuple[str, str], Settled] = field(default_factory=dict)
    tie_rule: str = ""
    cut: tuple[tuple[str, ...], str, str] | None = None
    quality: str = ""
    finalists: tuple[str, ...] = ()

    def take(self, event: Event, body: AnyBody) -> None:
        """Takes an event in; those that are not of the marking change nothing."""
        match body:
            case ScaleSet():
                self.scale = scale_of(body.scale)
            case LettersDrawn():
                self.drawn[body.round] = body
            case LettersRevealed():
                self.revealed[body.round] = body
            case Marked():
                for letter, mark in body.marks.items():
                    self.marks.setdefault((body.item, letter), {})[body.marker] = Fraction(mark)
            case MarkSettled():
                settled = Settled(Fraction(body.mark), event.actor, body.reason)
                self.settled[body.item, body.letter] = settled
            case TieRuleStated():
                self.tie_rule = body.rule
            case CutDecided():
                self.cut = (tuple(body.entries), event.actor, body.reason)
            case QualityOpened():
                # A decision on a tie by other marks says nothing of a tie by these.
                self.quality, self.cut = body.reason, None
            case FinalistsSet():
                self.finalists = tuple(body.entries)

    @property
    def round(self) -> Round:
        """The round that is being marked."""
        return "quality" if self.quality else "questions"

    @property
    def items(self) -> tuple[str, ...]:
        """What is marked in this round; nothing before letters are drawn."""
        drawn = self.drawn.get(self.round)
        return tuple(drawn.items) if drawn is not None else ()

    @property
    def markers(self) -> tuple[str, ...]:
        """Who has given a mark in this round."""
        items = set(self.items)
        found = {who for (item, _), given in self.marks.items() if item in items for who in given}
        return tuple(sorted(found))

    def disagreements(self) -> list[Disagreement]:
        """Answers of this round on which markers differ and which are not settled."""
        items = self.items
        return [
            Disagreement(item, letter, dict(sorted(given.items())))
            for (item, letter), given in sorted(
                self.marks.items(), key=lambda pair: (pair[0][0], len(pair[0][1]), pair[0][1])
            )
            if item in items and len(set(given.values())) > 1 and (item, letter) not in self.settled
        ]

    def missing(self, letters: Iterable[str]) -> dict[str, int]:
        """Marker to how many answers of this round he has not marked.

        Arguments:
            letters: those that are in use.
        """
        used = tuple(letters)
        wanted = [(item, letter) for item in self.items for letter in used]
        return {
            who: sum(who not in self.marks.get(key, {}) for key in wanted) for who in self.markers
        }

    def mark(self, item: str, letter: str) -> Fraction | None:
        """The mark that counts: the one that was settled, or that all markers give."""
        settled = self.settled.get((item, letter))
        if settled is not None:
            return settled.mark
        given = set(self.marks.get((item, letter), {}).values())
        return given.pop() if len(given) == 1 else None


#: The kinds of event that the marking is made of.
_KINDS = (
    *(ScaleSet, LettersDrawn, LettersRevealed, Marked, MarkSettled),
    *(TieRuleStated, CutDecided, QualityOpened, FinalistsSet),
)


def book_in(season: Season) -> Book:
    """The marking of a season that is open; the keys of all sittings are not read for it."""
    found = [event for kind in _KINDS for event in season.events(kind=kind.kind)]
    return book_of(bodies(sorted(found, key=lambda event: event.seq)))


def book_of(events: Iterable[tuple[Event, AnyBody]]) -> Book:
    """The marking of a season's events."""
    book = Book()
    for event, body in events:
        book.take(event, body)
    return book
