"""Rating criteria, and statistics of ratings: means, agreement, bias and disagreements."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from random import Random
from statistics import fmean
from typing import NamedTuple

from contest.results.statistics import import_science
from disciplines.standing import DRAWS, percentiles


class Criterion(NamedTuple):
    """A criterion by which raters score an item.

    Attributes:
        name: its name in files and commands.
        question: the question that the rater answers with a score.
        checks: hints on what to consider and what to ignore.
        scores: the scale, from the lowest to the highest score.
        anchors: score to its meaning.
        comment: the question that the rater answers with a comment; empty for no comment.
    """

    name: str
    question: str
    checks: tuple[str, ...]
    scores: range
    anchors: dict[int, str]
    comment: str = ""


class Rating(NamedTuple):
    """A score that a rater gave a target for a metric. `system` made the target."""

    system: str
    target: str
    rater: str
    metric: str
    score: float


class Mean(NamedTuple):
    """The mean over targets of their mean scores, with a bootstrap interval over targets."""

    mean: float
    low: float
    high: float
    targets: int


def mean_of(ratings: Iterable[Rating]) -> Mean:
    """The mean of the ratings of one system and metric. There must be at least one rating."""
    scores: dict[str, list[float]] = defaultdict(list)
    for each in ratings:
        scores[each.target].append(each.score)
    means = [fmean(each) for each in scores.values()]
    random = Random(0)
    drawn = (fmean(random.choices(means, k=len(means))) for _ in range(DRAWS))
    return Mean(fmean(means), *percentiles(drawn), len(means))


def alpha_of(ratings: Sequence[Rating]) -> float | None:
    """Krippendorff's alpha for ordinal scores of one metric; None if it is undefined, because no
    target has two raters or all scores are equal.

    Raises:
        ScienceMissing: without the extra `science`.
    """
    scores = {(each.rater, each.target): each.score for each in ratings}
    raters = sorted({rater for rater, _ in scores})
    targets = sorted({target for _, target in scores})
    shared = [t for t in targets if sum((r, t) in scores for r in raters) > 1]
    if len({scores[r, t] for r in raters for t in shared if (r, t) in scores}) < 2:
        return None
    table = [[scores.get((r, t), float("nan")) for t in targets] for r in raters]
    alpha = import_science("krippendorff").alpha(
        reliability_data=table, level_of_measurement="ordinal"
    )
    return float(alpha)


def bias_of(ratings: Sequence[Rating]) -> dict[str, float]:
    """How much higher each rater scores one metric, on average, than the others who rated the same
    targets, by rater. Raters who share no target with others are left out."""
    of_target: dict[str, dict[str, float]] = defaultdict(dict)
    for each in ratings:
        of_target[each.target][each.rater] = each.score
    above: dict[str, list[float]] = defaultdict(list)
    for scores in of_target.values():
        for rater, score in scores.items():
            if others := [other for name, other in scores.items() if name != rater]:
                above[rater].append(score - fmean(others))
    return {rater: fmean(each) for rater, each in sorted(above.items())}


def disagreements(ratings: Sequence[Rating]) -> list[tuple[str, str, float]]:
    """The targets and metrics on which raters differ, each with the gap between the highest and the
    lowest score; the largest gap first."""
    scores: dict[tuple[str, str], list[float]] = defaultdict(list)
    for each in ratings:
        scores[each.target, each.metric].append(each.score)
    found = [(*which, max(each) - min(each)) for which, each in scores.items()]
    return sorted((each for each in found if each[2]), key=lambda each: (-each[2], *each[:2]))
