"""Shares, such as 3 of 12 verdicts, each with what it says of the chance behind it.

Two intervals at 95 %: Wilson's score interval (1927), which covers the true chance in about 95 of
100 contests on the average over all chances (with four verdicts, in 83 for some), and the exact one
of Clopper and Pearson (1934), which covers it in at least 95 and is wider for it. Two shares are
compared by Fisher's exact test. All take the verdicts for independent, each with the same chance.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from contest.statistics.needs import module

#: How sure an interval is meant to be.
CONFIDENCE = 0.95


@dataclass(frozen=True, slots=True)
class Interval:
    """From where to where, both ends included."""

    low: float
    high: float

    def as_json(self) -> dict[str, float]:
        """For programs."""
        return {"low": self.low, "high": self.high}


@dataclass(frozen=True, slots=True)
class Share:
    """How many of how many.

    Attributes:
        taken: how many.
        out_of: of how many.
        wilson, exact: what chances are compatible with that; None of none.
    """

    taken: int
    out_of: int
    wilson: Interval | None
    exact: Interval | None

    @property
    def value(self) -> float | None:
        """The share itself; None of none."""
        return self.taken / self.out_of if self.out_of else None

    def as_json(self) -> dict[str, Any]:
        """For programs."""
        return {
            "taken": self.taken,
            "out_of": self.out_of,
            "share": self.value,
            "wilson": None if self.wilson is None else self.wilson.as_json(),
            "clopper_pearson": None if self.exact is None else self.exact.as_json(),
        }


def share(taken: int, out_of: int) -> Share:
    """A share with its intervals.

    Arguments:
        taken: how many, from 0.
        out_of: of how many.

    Raises:
        ValueError: if that can't be a share.
        ScienceMissing: without scipy.
    """
    if not 0 <= taken <= out_of:
        raise ValueError(f"{taken} of {out_of} is no share")
    if not out_of:
        return Share(0, 0, None, None)
    special = module("scipy.special")
    return Share(
        taken, out_of, _wilson(special, taken, out_of), _clopper_pearson(special, taken, out_of)
    )


def difference(one: Share, other: Share) -> float | None:
    """How often two shares would be as far apart by luck, had both the same chance behind them.

    Returns:
        The p-value of Fisher's exact test, two-sided; None if one of them is of none.

    Raises:
        ScienceMissing: without scipy.
    """
    if not one.out_of or not other.out_of:
        return None
    table = [[each.taken, each.out_of - each.taken] for each in (one, other)]
    return float(module("scipy.stats").fisher_exact(table).pvalue)


def _wilson(special: Any, taken: int, out_of: int) -> Interval:
    z = float(special.ndtri((1 + CONFIDENCE) / 2))
    middle = (taken + z * z / 2) / (out_of + z * z)
    half = z / (out_of + z * z) * math.sqrt(taken * (out_of - taken) / out_of + z * z / 4)
    # Of none the interval begins at 0, of all it ends at 1, exactly.
    low = 0.0 if taken == 0 else middle - half
    return Interval(low, 1.0 if taken == out_of else middle + half)


def _clopper_pearson(special: Any, taken: int, out_of: int) -> Interval:
    tail = (1 - CONFIDENCE) / 2
    low = 0.0 if taken == 0 else special.betaincinv(taken, out_of - taken + 1, tail)
    high = 1.0 if taken == out_of else special.betaincinv(taken + 1, out_of - taken, 1 - tail)
    return Interval(float(low), float(high))
