"""The kinds of event of marking, ranking and the cut; `contest.screening.bodies` has all kinds
together."""

from __future__ import annotations

from typing import Literal

from contest.record.body import Body


class ScaleSet(Body, frozen=True):
    """The scale of the marks, one of `marking.scale.SCALES`, before the first mark."""

    kind = "scale-set"
    scale: str


class LettersDrawn(Body, frozen=True):
    """For each item letters are given to the subjects, in an order of its own that is sealed: the
    SHA-256 of the canonical JSON of `{"letters", "salt"}`."""

    kind = "letters-drawn"
    round: Literal["questions", "quality"]
    items: list[str]
    sha256: str


class LettersRevealed(Body, frozen=True):
    """Marking is over: what was sealed. Item to the subjects in the order of their letters."""

    kind = "letters-revealed"
    round: Literal["questions", "quality"]
    letters: dict[str, list[str]]
    salt: str


class Marked(Body, frozen=True):
    """A marker's marks for answers to an item: letter to mark, as text such as 0.5. The last one
    counts."""

    kind = "marked"
    marker: str
    item: str
    marks: dict[str, str]


class MarkSettled(Body, frozen=True):
    """What the markers do not agree on is settled, for `reason`, by the event's actor."""

    kind = "mark-settled"
    item: str
    letter: str
    mark: str
    reason: str


class TieRuleStated(Body, frozen=True):
    """What settles a tie at the cut, one of `ranking.TIE_RULES`; before the letters are revealed.
    The last one counts."""

    kind = "tie-rule-stated"
    rule: str


class CutDecided(Body, frozen=True):
    """Of those that are tied at the cut these go on: the organizer's decision, for `reason`. The
    last one counts."""

    kind = "cut-decided"
    entries: list[str]
    reason: str


class QualityOpened(Body, frozen=True):
    """No entry answered intelligently: the general quality of the responses decides, for
    `reason`."""

    kind = "quality-opened"
    reason: str


class FinalistsSet(Body, frozen=True):
    """The finalists, written into the contest's settings."""

    kind = "finalists-set"
    entries: list[str]
