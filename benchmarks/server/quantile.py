"""Quantiles."""

from __future__ import annotations

from collections.abc import Sequence


def quantile(values: Sequence[float], percent: float) -> float:
    """The value below which this percentage of all values lies; 0 if there are none."""
    if not values:
        return 0.0
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * percent / 100))]
