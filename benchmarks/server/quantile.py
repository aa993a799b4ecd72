"""Where a share of all values lies."""

from __future__ import annotations

from collections.abc import Sequence


def quantile(values: Sequence[float], percent: float) -> float:
    """The smallest value that so many per cent of all are not above; 0 where there are none."""
    if not values:
        return 0.0
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * percent / 100))]
