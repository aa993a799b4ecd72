"""Whether the judges agree: Krippendorff's alpha of verdicts, Kendall's W of rankings."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from fractions import Fraction
from typing import Any

from contest.statistics.needs import module
from scheduler.texts import in_order

#: Shuffles of the rankings: so many where a ballot is short, fewer where there is more to shuffle.
SHUFFLES, FEWER_SHUFFLES = 9_999, 999
#: Judges times participants from which on there are fewer.
MANY = 1_000
#: Where the shuffles begin, so that they come out the same whenever they are done.
_SEED = 2010


@dataclass(frozen=True, slots=True)
class OfVerdicts:
    """How far the judges' verdicts on one entry agree.

    Attributes:
        alpha: 1 where they all agree, 0 as by chance, below where less than by chance; None where
            nothing can be said.
        verdicts, entries: how many that rests on: of entries with two verdicts at least.
        why_not: why there is no alpha; empty if there is one.
    """

    alpha: float | None
    verdicts: int
    entries: int
    why_not: str = ""

    def as_json(self) -> dict[str, Any]:
        """For programs."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class OfRankings:
    """How far the judges' rankings agree.

    Attributes:
        w: from 0, no agreement, to 1, all rankings the same; None where nothing can be said.
        chance: how often rankings shuffled by chance agree as well or better.
        shuffles: how many were tried for that.
        judges, participants: how many ballots, and whom all of them rank.
        why_not: why there is no W; empty if there is one.
    """

    w: float | None
    chance: float | None
    shuffles: int
    judges: int
    participants: tuple[str, ...]
    why_not: str = ""

    def as_json(self) -> dict[str, Any]:
        """For programs."""
        return {**asdict(self), "participants": list(self.participants)}


def of_verdicts(verdicts: Iterable[tuple[str, bool]]) -> OfVerdicts:
    """Krippendorff's alpha for nominal data (2004), entries being the units.

    Arguments:
        verdicts: entry, and whether it was taken for the human; one each.
    """
    by_entry: dict[str, list[bool]] = {}
    for entry, taken in verdicts:
        by_entry.setdefault(entry, []).append(taken)
    units = [each for each in by_entry.values() if len(each) > 1]
    total = sum(map(len, units))
    if not units:
        return OfVerdicts(None, 0, 0, "no entry has two verdicts")
    ones = sum(map(sum, units))
    if ones in (0, total):
        return OfVerdicts(
            None, total, len(units), "all verdicts are the same, so that chance agrees as well"
        )
    differing = sum(Fraction(2 * sum(u) * (len(u) - sum(u)), len(u) - 1) for u in units)
    expected = Fraction(2 * ones * (total - ones), total - 1)
    return OfVerdicts(float(1 - differing / expected), total, len(units))


def of_rankings(ballots: Sequence[Mapping[str, Fraction]]) -> OfRankings:
    """Kendall's W (1939) with his correction for ties, and how likely it is by chance.

    Arguments:
        ballots: those that count, each participant to rank. Who is not on all of them is left out,
            and the others are ranked anew.

    Raises:
        ScienceMissing: without numpy.
    """
    everybody = set.intersection(*map(set, ballots)) if ballots else set()
    names = in_order(everybody)
    why_not = ""
    if len(ballots) < 2:
        why_not = "it takes the rankings of two judges at least"
    elif len(names) < 2:
        why_not = "no two participants are on all ballots"
    elif all(len({ballot[name] for name in names}) == 1 for ballot in ballots):
        why_not = "every ballot gives all the same rank"
    if why_not:
        return OfRankings(None, None, 0, len(ballots), names, why_not)
    numpy = module("numpy")
    ranks = numpy.array([_anew([ballot[name] for name in names]) for ballot in ballots])
    judges, people = ranks.shape
    middle = judges * (people + 1) / 2
    ties = sum(
        float((counts**3 - counts).sum())
        for counts in (numpy.unique(row, return_counts=True)[1] for row in ranks)
    )
    most = (judges**2 * (people**3 - people) - judges * ties) / 12

    def spread(rows: Any) -> float:
        return float(((rows.sum(axis=0) - middle) ** 2).sum())

    found = spread(ranks)
    dice = numpy.random.default_rng(_SEED)
    shuffles = SHUFFLES if judges * people <= MANY else FEWER_SHUFFLES
    # A hair's breadth for sums of halves that were added up in another order.
    as_good = sum(
        spread(dice.permuted(ranks, axis=1)) >= found * (1 - 1e-12) for _ in range(shuffles)
    )
    chance = (1 + as_good) / (1 + shuffles)
    return OfRankings(found / most, chance, shuffles, judges, names)


def _anew(ranks: Sequence[Fraction]) -> list[float]:
    """The same in the same order as ranks from 1; equal ones share the middle of theirs."""
    ordered = sorted(ranks)
    return [bisect_left(ordered, r) + (ordered.count(r) + 1) / 2 for r in ranks]
