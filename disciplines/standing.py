"""Ranks, winners and their confidence intervals, for all disciplines, without I/O.

An entry is *ranked*; or a *baseline*, which is scored and shown without a rank; or *ineligible*,
which gets a rank but can't win; or *disqualified*, without a score.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from decimal import Decimal
from random import Random
from typing import Any, Literal, NamedTuple, TypeAlias

Status: TypeAlias = Literal["ranked", "baseline", "ineligible", "disqualified"]
Score: TypeAlias = Decimal | float
#: The number of resamples by default, and the share of them within an interval.
DRAWS, LEVEL = 1000, 0.95


class Entrant(NamedTuple):
    """An entry: a unique name, a status, and the reason for the status in words, if any."""

    name: str
    status: Status = "ranked"
    reason: str = ""


class Place(NamedTuple):
    """An entrant's place.

    Attributes:
        score: None if disqualified.
        rank: from 1. Entrants with equal scores and tie-breaks share a rank, as in 1, 2, 2, 4. None
            for baselines and disqualified entrants.
        tied: whether another entrant has the same rank.
        by_tie_break: whether another entrant has the same score and a different rank.
        wins: whether it wins; if several are tied for first place, all of them win. A score of 0
            never wins.
    """

    name: str
    status: Status
    reason: str
    score: Score | None
    rank: int | None
    tied: bool
    by_tie_break: bool
    wins: bool


def standing(
    entrants: Iterable[Entrant],
    scores: Mapping[str, Score],
    tie_break: Mapping[str, Any] | None = None,
    must_beat: str = "",
) -> list[Place]:
    """Ranks entrants by score, the highest first.

    Arguments:
        entrants: in any order.
        scores: the score of each entrant that isn't disqualified.
        tie_break: a value for each of these; among equal scores, the smallest value ranks first.
            Without it, equal scores share a rank.
        must_beat: the entrant whose score the winner must exceed; ignored if there is no such
            entrant.

    Returns:
        A place for each entrant, by score and tie-break, then by name; disqualified entrants come
        last.
    """
    everyone = sorted(entrants)
    scored = [each for each in everyone if each.status != "disqualified"]
    out = [each for each in everyone if each.status == "disqualified"]

    def key(name: str) -> tuple[Any, ...]:
        return (-scores[name], *(() if tie_break is None else (tie_break[name],)))

    scored.sort(key=lambda each: key(each.name))
    keys = [key(each.name) for each in scored if each.status != "baseline"]
    bar = scores[must_beat] if must_beat in {each.name for each in scored} else 0
    able = (each.name for each in scored if each.status == "ranked" and scores[each.name] > bar)
    best = min(map(key, able), default=None)
    places = []
    for name, status, reason in scored:
        own = key(name)
        is_ranked = status != "baseline"
        same = sum(other[0] == own[0] for other in keys)
        places.append(
            Place(
                *(name, status, reason, scores[name]),
                rank=keys.index(own) + 1 if is_ranked else None,
                tied=is_ranked and keys.count(own) > 1,
                by_tie_break=is_ranked and same > keys.count(own),
                wins=status == "ranked" and own == best,
            )
        )
    return places + [Place(*each, None, None, False, False, False) for each in out]


class Interval(NamedTuple):
    """How certain a place is, estimated by resampling.

    Attributes:
        low, high: the ends of the score's interval.
        best, worst: the ends of the rank's interval; None for baselines.
        same_rank: the share of resamples, 0 to 1, in which the rank is the official one.
        first: the share in which the rank is 1.
    """

    low: float
    high: float
    best: int | None
    worst: int | None
    same_rank: float
    first: float


def percentiles(values: Iterable[Any]) -> tuple[Any, Any]:
    """The ends of the interval that holds `LEVEL` of the values around their median."""
    held = sorted(values)
    outside = int(len(held) * (1 - LEVEL) / 2)
    return held[outside], held[-1 - outside]


def bootstrap(
    draw: Callable[[Random], Mapping[str, float]],
    places: Iterable[Place],
    *,
    draws: int = DRAWS,
) -> dict[str, Interval]:
    """Percentile intervals of scores and ranks over resampled trials (Efron's bootstrap).

    Arguments:
        draw: resamples the trials with the given generator, and returns the scores by name.
        places: the official places. Disqualified entrants are left out.
        draws: the number of resamples.
    """
    held = [place for place in places if place.score is not None]
    random = Random(0)
    scores: dict[str, list[float]] = {place.name: [] for place in held}
    ranks: dict[str, list[int]] = {place.name: [] for place in held}
    for _ in range(draws):
        drawn = draw(random)
        order = sorted(-drawn[place.name] for place in held if place.rank is not None)
        for place in held:
            scores[place.name].append(drawn[place.name])
            if place.rank is not None:
                ranks[place.name].append(order.index(-drawn[place.name]) + 1)

    intervals = {}
    for place in held:
        low, high = percentiles(scores[place.name])
        drawn_ranks = ranks[place.name]
        best, worst = percentiles(drawn_ranks) if drawn_ranks else (None, None)
        same, first = (drawn_ranks.count(rank) / draws for rank in (place.rank or 0, 1))
        intervals[place.name] = Interval(low, high, best, worst, same, first)
    return intervals
