"""How far markers agree: Krippendorff's alpha, by the library of that name."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction

from contest.screening.marking.book import Book
from contest.screening.marking.scale import Scale
from contest.statistics.needs import module
from contest.verification.findings import several


@dataclass(frozen=True, slots=True)
class Agreement:
    """How far markers agree.

    Attributes:
        alpha: 1 where they all agree, 0 as by chance, below 0 less than by chance; None where
            nothing can be said.
        answers: how many have two marks at least.
        same: of how many of them all marks are the same.
        why_not: why there is no alpha; empty if there is one.
    """

    alpha: float | None
    answers: int
    same: int
    why_not: str = ""

    def as_json(self) -> dict[str, object]:
        """For programs."""
        return {
            "alpha": self.alpha,
            "answers": self.answers,
            "same": self.same,
            "why_not": self.why_not,
        }

    def in_words(self) -> str:
        """For people, a sentence."""
        if not self.answers:
            return f"No agreement to measure: {self.why_not}."
        verb = "is" if self.answers == 1 else "are"
        same = f"{self.same} of {several(self.answers, 'answer')} {verb} marked alike"
        if self.alpha is None:
            return f"{same}; no alpha: {self.why_not}."
        return f"{same}; Krippendorff's alpha is {self.alpha:.3f} (ordinal)."


def agreement_of(book: Book) -> Agreement:
    """How far the markers of this round agree, before anything is settled.

    Raises:
        ScienceMissing: if the library is not installed.
    """
    items = set(book.items)
    assert book.scale is not None
    return agreement(
        (given for (item, _), given in sorted(book.marks.items()) if item in items), book.scale
    )


def agreement(answers: Iterable[Mapping[str, Fraction]], scale: Scale) -> Agreement:
    """How far markers agree.

    Arguments:
        answers: of each, marker to mark.
        scale: of the marks; the distance between two is by their order.

    Raises:
        ScienceMissing: if the library is not installed.
    """
    units = [given for given in answers if len(given) > 1]
    same = sum(len(set(given.values())) == 1 for given in units)
    if not units:
        return Agreement(None, 0, 0, "no answer is marked by two people")
    if len({mark for given in units for mark in given.values()}) == 1:
        # Who only ever gives one mark shows nothing of how he tells answers apart.
        return Agreement(None, len(units), same, "all marks are the same one")
    markers = sorted({who for given in units for who in given})
    data = [[float(given[who]) if who in given else math.nan for given in units] for who in markers]
    alpha = module("krippendorff").alpha(
        reliability_data=data,
        value_domain=[float(mark) for mark in scale.marks],
        level_of_measurement="ordinal",
    )
    return Agreement(float(alpha), len(units), same)
