"""Criteria, and what ratings say together: means with intervals, agreement, bias, disagreement."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from random import Random
from statistics import fmean
from typing import NamedTuple

from contest.results.statistics import import_science
from disciplines.standing import DRAWS, percentiles


class Criterion(NamedTuple):
    """What an item is rated for.

    Attributes:
        name: in files and commands.
        question: what the rater answers by a score.
        checks: what to look at, and what not.
        scores: the scale, from the lowest to the highest score.
        anchors: score to what it means.
        comment: the question that a comment answers; empty if none is asked for.
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


def mean_of(ratings: Iterable[Rating], seed: int = 0) -> Mean:
    """The mean of ratings of one system and metric; at least one."""
    scores: dict[str, list[float]] = defaultdict(list)
    for each in ratings:
        scores[each.target].append(each.score)
    means = [fmean(each) for each in scores.values()]
    random = Random(seed)
    drawn = (fmean(random.choices(means, k=len(means))) for _ in range(DRAWS))
    return Mean(fmean(means), *percentiles(drawn), len(means))


def alpha_of(ratings: Sequence[Rating]) -> float | None:
    """Krippendorff's alpha for ordinal scores of one metric; None where it has no value, because no
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
    """Rater to how far their scores of one metric lie above those of the others for the same
    targets, on average; without raters who share no target."""
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
    """Target, metric and distance between the highest and the lowest score, the widest first."""
    scores: dict[tuple[str, str], list[float]] = defaultdict(list)
    for each in ratings:
        scores[each.target, each.metric].append(each.score)
    found = [(*which, max(each) - min(each)) for which, each in scores.items()]
    return sorted((each for each in found if each[2]), key=lambda each: (-each[2], *each[:2]))
