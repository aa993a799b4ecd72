"""How human each participant seemed, all pairings together: strengths by Bradley and Terry (1952).

In a pairing the judge chooses the one who seems the human; the odds are those of the two strengths.
A strength is given as the chance to be chosen beside an average participant of this contest, and
as the logarithm of its odds, which is 0 for an average one.

Who was always chosen, or never, would have an infinite strength. So everybody is given half a
verdict won and half a verdict lost against an imaginary average participant: the penalty log-F(1,1)
of Greenland and Mansournia (2015), which draws all strengths somewhat towards the average. With it
there is exactly one likeliest set of strengths, and a further verdict never weakens the one it
favours. Intervals at 95 % are those of the penalized profile likelihood, which stay right where a
strength is far out; with very many participants those of the normal approximation. Verdicts are
taken for independent.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from contest.statistics import import_science
from scheduler.texts import listed

#: How sure an interval is meant to be.
CONFIDENCE = 0.95
#: Participants up to which each interval is found by profile: beyond, there are verdicts enough.
MOST_PROFILED = 40
#: Steps until the likeliest strengths are found at most, and how near is near enough.
_STEPS, _NEAR = 100, 1e-8
#: How near the limits of intervals are found.
_NEAR_ENOUGH = 1e-5


@dataclass(frozen=True, slots=True)
class Interval:
    """From where to where, both ends included."""

    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Compared:
    """What came of the pairings of two participants: how often each was taken for the human."""

    entry: str
    confederate: str
    entry_taken: int
    confederate_taken: int


@dataclass(frozen=True, slots=True)
class Strength:
    """A participant's.

    Attributes:
        who: the id.
        log_odds: from the average, 0.
        interval: of the log odds.
        taken, out_of: how often taken for the human, of how many.
        chance: to be taken for the human beside an average participant.
        chances: the interval of the same.
    """

    who: str
    log_odds: float
    interval: Interval
    taken: int
    out_of: int
    chance: float
    chances: Interval


@dataclass(frozen=True, slots=True)
class Strengths:
    """All of them.

    Attributes:
        strengths: one a participant, the strongest first.
        method: of the intervals: `profile` or `normal`.
        always, never: who was taken for the human in all of the pairings, or in none.
        why_not: why there are none; empty if there are.
    """

    strengths: tuple[Strength, ...]
    method: str
    always: tuple[str, ...]
    never: tuple[str, ...]
    why_not: str = ""


def strengths(compared: Sequence[Compared], order: Sequence[str]) -> Strengths:
    """The strengths.

    Arguments:
        compared: the pairings with a verdict, in any parts.
        order: all participants; equal strengths stay in this order.

    Returns:
        The strengths of those who were in a pairing with a verdict; none, with the reason, where
        they hang together in no way: strengths are differences.

    Raises:
        ScienceMissing: without numpy and scipy.
    """
    met = {name for each in compared for name in (each.entry, each.confederate)}
    names = [name for name in order if name in met]
    if not names:
        return Strengths((), "", (), (), "there is no verdict")
    groups = _groups(names, compared)
    if len(groups) > 1:
        apart = "; ".join(listed(group) for group in groups)
        why_not = f"nobody was compared across these groups, not even by way of others: {apart}"
        return Strengths((), "", (), (), why_not)
    return _Model(names, compared).strengths()


def _chance(log_odds: float) -> float:
    return 1 / (1 + math.exp(-log_odds))


def _groups(names: Sequence[str], compared: Sequence[Compared]) -> list[list[str]]:
    """Who hangs together by pairings."""
    group = {name: {name} for name in names}
    for each in compared:
        one, other = group[each.entry], group[each.confederate]
        if one is not other:
            one |= other
            group.update(dict.fromkeys(other, one))
    found = []
    for name in names:
        if (same := [n for n in names if n in group[name]]) not in found:
            found.append(same)
    return found


class _Model:
    """The penalized likelihood of strengths, whose average is 0.

    Arguments:
        names: the participants, who hang together.
        compared: their pairings.
    """

    def __init__(self, names: Sequence[str], compared: Sequence[Compared]) -> None:
        self.np = import_science("numpy")
        self.names = names
        place = {name: at for at, name in enumerate(names)}
        cells: dict[tuple[int, int], list[int]] = {}
        for each in compared:
            cell = cells.setdefault((place[each.entry], place[each.confederate]), [0, 0])
            cell[0] += each.entry_taken
            cell[1] += each.confederate_taken
        self.first, self.second = self.np.array(list(cells), dtype=int).T
        self.won, self.lost = self.np.array(list(cells.values()), dtype=float).T
        self.tries = self.won + self.lost

    def strengths(self) -> Strengths:
        """See `strengths`."""
        np, count = self.np, len(self.names)
        best = self._highest(np.zeros(count), self._directions(None))
        profiled = count <= MOST_PROFILED
        if profiled:
            intervals = [self._profile(best, at) for at in range(count)]
        else:
            intervals = self._normal(best)
        taken = self._by_participant(self.won, self.lost)
        out_of = self._by_participant(self.tries, self.tries)
        each = [
            Strength(
                *(name, float(best[at]), intervals[at], int(taken[at]), int(out_of[at])),
                _chance(best[at]),
                Interval(_chance(intervals[at].low), _chance(intervals[at].high)),
            )
            for at, name in enumerate(self.names)
        ]
        return Strengths(
            # Rounded: equal ones differ by what the steps have left.
            tuple(sorted(each, key=lambda one: -round(one.log_odds, 6))),
            "profile" if profiled else "normal",
            tuple(one.who for one in each if one.taken == one.out_of),
            tuple(one.who for one in each if one.taken == 0),
        )

    def _by_participant(self, first: Any, second: Any) -> Any:
        count = len(self.names)
        of_first = self.np.bincount(self.first, first, count)
        return of_first + self.np.bincount(self.second, second, count)

    def _directions(self, fixed: int | None) -> Any:
        """In which strengths may go: columns that leave their sum, and one participant's strength
        if that is fixed."""
        np, count = self.np, len(self.names)
        free = [at for at in range(count) if at != fixed]
        found = np.zeros((count, len(free) - 1))
        for column, at in enumerate(free[:-1]):
            found[at, column], found[free[-1], column] = 1, -1
        return found

    def _height(self, strengths: Any) -> float:
        """The logarithm of the penalized likelihood."""
        np = self.np
        ahead = strengths[self.first] - strengths[self.second]
        likely = (self.won * np.logaddexp(0, -ahead) + self.lost * np.logaddexp(0, ahead)).sum()
        penalty = (np.logaddexp(0, -strengths) + np.logaddexp(0, strengths)).sum() / 2
        return float(-likely - penalty)

    def _slope(self, strengths: Any) -> tuple[Any, Any]:
        """How the height changes with each strength, and how much less it does further on."""
        np, count = self.np, len(self.names)
        chances = 1 / (1 + np.exp(strengths[self.second] - strengths[self.first]))
        own = 1 / (1 + np.exp(-strengths))
        rest = self.won - self.tries * chances
        weights = self.tries * chances * (1 - chances)
        bend = np.zeros((count, count))
        np.subtract.at(bend, (self.first, self.second), weights)
        np.subtract.at(bend, (self.second, self.first), weights)
        bend[np.diag_indices(count)] = own * (1 - own) - bend.sum(axis=0)
        return self._by_participant(rest, -rest) + 0.5 - own, bend

    def _highest(self, start: Any, directions: Any) -> Any:
        """The likeliest strengths that can be had from some others in these directions, by
        Newton's steps, shortened where they would lead down."""
        np, here = self.np, start
        if not directions.shape[1]:
            return here
        height = self._height(here)
        for _ in range(_STEPS):
            slope, bend = self._slope(here)
            step = directions @ np.linalg.solve(
                directions.T @ bend @ directions, directions.T @ slope
            )
            while (there := self._height(here + step)) < height and np.abs(step).max() > _NEAR:
                step /= 2
            here, height = here + step, there
            if np.abs(step).max() <= _NEAR:
                break
        return here

    def _profile(self, best: Any, at: int) -> Interval:
        """Where one strength, with the likeliest others, is as likely as the interval asks for."""
        optimize, special = import_science("scipy.optimize"), import_science("scipy.special")
        wanted = self._height(best) - float(special.chdtri(1, 1 - CONFIDENCE)) / 2
        directions = self._directions(at)

        def above(strength: float) -> float:
            start = best - (strength - best[at]) / (len(best) - 1)
            start[at] = strength
            return self._height(self._highest(start, directions)) - wanted

        def limit(direction: int) -> float:
            near = far = float(best[at])
            while above(far) > 0:
                # The penalty alone brings it down, so that this comes to an end.
                near, far = far, far + direction
            return float(optimize.brentq(above, near, far, xtol=_NEAR_ENOUGH))

        return Interval(limit(-1), limit(1))

    def _normal(self, best: Any) -> list[Interval]:
        z = float(import_science("scipy.special").ndtri((1 + CONFIDENCE) / 2))
        _, bend = self._slope(best)
        every = self._directions(None)
        covariance = every @ self.np.linalg.solve(every.T @ bend @ every, every.T)
        spread = self.np.sqrt(self.np.diag(covariance))
        return [
            Interval(float(one - z * wide), float(one + z * wide))
            for one, wide in zip(best, spread, strict=True)
        ]
