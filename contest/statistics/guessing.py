"""The chance of such a table if nobody could tell: exact sums over all tables, no simulation.

Two suppositions, both with independent verdicts:

* *guessing*: each verdict is the toss of a fair coin;
* *alike*: the entries were taken for the human as often in all as they were, but which of them it
  was is chance, each verdict as likely as another.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from contest.statistics.needs import module


@dataclass(frozen=True, slots=True)
class Column:
    """An entry's column of the table: how many of its verdicts took it for the human."""

    entry: str
    taken: int
    out_of: int


@dataclass(frozen=True, slots=True)
class Guessing:
    """Chances, from 0 to 1.

    Attributes:
        taken, out_of: over all entries.
        total_as_low: guessing: that as few verdicts or fewer take an entry for the human.
        total_as_high: guessing: that as many or more do.
        best: the highest score.
        best_as_high: guessing: that at least one entry reaches it.
        best_as_high_alike: alike: the same.
        own: guessing: for each entry that it reaches its own score.
    """

    taken: int
    out_of: int
    total_as_low: float
    total_as_high: float
    best: int
    best_as_high: float
    best_as_high_alike: float
    own: dict[str, float]

    def as_json(self) -> dict[str, Any]:
        """For programs."""
        return asdict(self)


def guessing(columns: Sequence[Column]) -> Guessing | None:
    """What guessing gives.

    Arguments:
        columns: one an entry; those without verdicts count for nothing.

    Returns:
        The chances, or None where there is no verdict.

    Raises:
        ScienceMissing: without numpy and scipy.
    """
    held = [column for column in columns if column.out_of]
    if not held:
        return None
    special = module("scipy.special")

    def up_to(number: int, tosses: int) -> float:
        """That a fair coin shows heads so many times or fewer."""
        return float(special.bdtr(number, tosses, 0.5)) if number >= 0 else 0.0

    def at_least(number: int, tosses: int) -> float:
        return up_to(tosses - number, tosses)

    taken, out_of = (sum(getattr(c, name) for c in held) for name in ("taken", "out_of"))
    best = max(column.taken for column in held)
    below = 1.0
    for column in held:
        below *= up_to(best - 1, column.out_of) if best <= column.out_of else 1.0
    return Guessing(
        taken,
        out_of,
        total_as_low=up_to(taken, out_of),
        total_as_high=at_least(taken, out_of),
        best=best,
        best_as_high=1 - below,
        best_as_high_alike=_alike(held, taken, out_of, best),
        own={c.entry: at_least(c.taken, c.out_of) for c in held},
    )


def _alike(columns: Sequence[Column], taken: int, out_of: int, best: int) -> float:
    """That at least one of the columns reaches `best`, all verdicts that took an entry for the
    human being spread over the columns by chance."""
    if taken in (0, out_of):
        return 1.0
    numpy, special = module("numpy"), module("scipy.special")
    # Given the sum, binomials of whatever chance are spread alike; this one's sum is likeliest.
    chance = taken / out_of

    def binomial(numbers: Any, tosses: int) -> Any:
        ways = (
            special.gammaln(tosses + 1)
            - special.gammaln(numbers + 1)
            - special.gammaln(tosses - numbers + 1)
        )
        heads, tails = numbers * math.log(chance), (tosses - numbers) * math.log1p(-chance)
        return numpy.exp(ways + heads + tails)

    below = numpy.ones(1)
    for column in columns:
        fewer = binomial(numpy.arange(min(best, column.out_of + 1)), column.out_of)
        below = numpy.convolve(below, fewer)[: taken + 1]
    all_below = float(below[taken]) if taken < len(below) else 0.0
    return min(1.0, max(0.0, 1 - all_below / float(binomial(taken, out_of))))
