"""Chances, shares and intervals in words that can't be taken for more than they are."""

from __future__ import annotations

import math

from contest.statistics.shares import Interval


def percent(value: float | None) -> str:
    """A share, such as `53 %`; never `0 %` or `100 %` of what is not none or all."""
    if value is None:
        return "–"
    whole = math.floor(100 * value + 0.5)
    if whole == 0 and value > 0:
        return "under 1 %"
    if whole == 100 and value < 1:
        return "over 99 %"
    return f"{whole} %"


def between(interval: Interval) -> str:
    """An interval, such as `between 9 % and 53 %`."""
    return f"between {percent(interval.low)} and {percent(interval.high)}"


def in_contests(chance: float) -> str:
    """A chance, as in how many contests something happens."""
    if chance >= 1:
        return "in every such contest"
    if chance > 0.995:
        return "in more than 99 of 100 such contests"
    if chance >= 0.01:
        return f"in about {round(100 * chance)} of 100 such contests"
    if chance >= 0.001:
        return f"in about {round(1000 * chance)} of 1,000 such contests"
    return "in fewer than 1 of 1,000 such contests"


def span(interval: Interval) -> str:
    """An interval for a table, such as `8.9 to 53.2 %`."""
    return f"{100 * interval.low:.1f} to {100 * interval.high:.1f} %"
