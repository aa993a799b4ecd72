"""What verdicts and rankings say beside the official result.

* Shares, such as 3 of 12 verdicts, with two intervals at 95 %: Wilson's score interval (1927),
  which covers the true chance in about 95 of 100 contests on the average over all chances (with
  four verdicts, in 83 for some), and the exact one of Clopper and Pearson (1934), which covers it
  in at least 95 and is wider. Two shares are compared by Fisher's exact test.
* The chance of such a table if nobody could tell: exact sums over all tables, no simulation.
  *Guessing*: each verdict is the toss of a fair coin. *Alike*: the entries were taken for the human
  as often in all as they were, but which of them it was is chance.
* Whether the judges agree: Krippendorff's alpha of verdicts, Kendall's W of rankings.

All of it takes the verdicts for independent.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from fractions import Fraction
from itertools import combinations
from typing import Any

from contest.statistics import import_science
from contest.statistics.strengths import CONFIDENCE, Compared, Interval, Strengths, strengths
from scheduler import Ballot, Choice, Roster, Verdict
from scheduler.texts import in_order

#: Shuffles of the rankings: so many where a ballot is short, fewer where there is more to shuffle.
SHUFFLES, FEWER_SHUFFLES = 9_999, 999
#: Judges times participants from which on there are fewer.
MANY = 1_000
#: Seed of the shuffles, so that they come out the same every time.
_SEED = 2010


@dataclass(frozen=True, slots=True)
class Share:
    """How many of how many.

    Attributes:
        taken: how many.
        out_of: of how many.
        share: the one by the other; None of none.
        wilson, clopper_pearson: what chances are compatible with that; None of none.
    """

    taken: int
    out_of: int
    share: float | None
    wilson: Interval | None
    clopper_pearson: Interval | None


@dataclass(frozen=True, slots=True)
class Difference:
    """How often two entries' shares would be as far apart by luck, had both the same chance.

    Attributes:
        entry, other: their ids.
        fisher_p: the p-value of Fisher's exact test, two-sided.
    """

    entry: str
    other: str
    fisher_p: float


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


@dataclass(frozen=True, slots=True)
class Agreement:
    """How far the judges agree, in verdicts and in rankings."""

    verdicts: OfVerdicts
    rankings: OfRankings


@dataclass(frozen=True, slots=True)
class Judged:
    """All of it, under the names that `statistics.json` has.

    Attributes:
        programs_taken_for_human: how often an entry was taken for the human, of all verdicts.
        entries_taken_for_human: the same of each entry.
        entries_differ: each two entries, compared.
        judges_recognized_human: of each judge, how often the human was recognized.
        confederates_recognized: of each confederate, how often he or she was.
        guessing: what guessing would give; None without verdicts.
        strengths: by Bradley and Terry.
        agreement: how far the judges agree.
    """

    programs_taken_for_human: Share
    entries_taken_for_human: dict[str, Share]
    entries_differ: tuple[Difference, ...]
    judges_recognized_human: dict[str, Share]
    confederates_recognized: dict[str, Share]
    guessing: Guessing | None
    strengths: Strengths
    agreement: Agreement

    def as_json(self) -> dict[str, Any]:
        """For programs."""
        return asdict(self)


def judged(verdicts: Sequence[Verdict], ballots: Sequence[Ballot], roster: Roster) -> Judged:
    """What verdicts and ballots say.

    Arguments:
        verdicts: one a pairing at most; one without a choice counts for nothing.
        ballots: one a judge; those that are excluded count for nothing.
        roster: who is there, in the order to be shown.

    Raises:
        ScienceMissing: without numpy and scipy.
    """
    given = [(v.pairing, v.choice is Choice.ENTRY) for v in verdicts if v.choice is not None]

    def shares(role: str, names: Iterable[str], wanted: bool) -> dict[str, Share]:
        found: dict[str, list[bool]] = {who: [] for who in names}
        for pairing, taken in given:
            found[getattr(pairing, role)].append(taken is wanted)
        return {who: share(sum(each), len(each)) for who, each in found.items()}

    entries = shares("entry", roster.entries, True)
    return Judged(
        share(sum(taken for _, taken in given), len(given)),
        entries,
        tuple(
            Difference(one, other, chance)
            for one, other in combinations(entries, 2)
            if (chance := fisher(entries[one], entries[other])) is not None
        ),
        shares("judge", roster.judges, False),
        shares("confederate", roster.confederates, False),
        guessing({who: (each.taken, each.out_of) for who, each in entries.items()}),
        strengths(
            [Compared(p.entry, p.confederate, int(taken), int(not taken)) for p, taken in given],
            roster.participants,
        ),
        Agreement(
            agreement_of_verdicts((p.entry, taken) for p, taken in given),
            agreement_of_rankings(ranks_of(ballots)),
        ),
    )


def ranks_of(ballots: Iterable[Ballot]) -> list[dict[str, Fraction]]:
    """The ballots that count, each as participant to rank."""
    return [
        {rank.participant: rank.value for rank in ballot.ranks}
        for ballot in ballots
        if not ballot.excluded
    ]


def by_mean_rank(
    ballots: Iterable[Mapping[str, Fraction]],
) -> list[tuple[str, list[Fraction], Fraction]]:
    """Each participant with the given ranks and their mean, the most human first."""
    given: dict[str, list[Fraction]] = {}
    for ballot in ballots:
        for who, rank in ballot.items():
            given.setdefault(who, []).append(rank)
    found = [(who, ranks, sum(ranks, Fraction(0)) / len(ranks)) for who, ranks in given.items()]
    return sorted(found, key=lambda each: each[2])


@functools.cache
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
        raise ValueError(f"{taken} of {out_of} is not a share")
    if not out_of:
        return Share(0, 0, None, None, None)
    test = import_science("scipy.stats").binomtest(taken, out_of)
    wilson, exact = (test.proportion_ci(CONFIDENCE, method) for method in ("wilson", "exact"))
    return Share(
        taken,
        out_of,
        taken / out_of,
        Interval(float(wilson.low), float(wilson.high)),
        Interval(float(exact.low), float(exact.high)),
    )


def fisher(one: Share, other: Share) -> float | None:
    """The p-value of Fisher's exact test on two shares, two-sided; None if one of them is of none.

    Raises:
        ScienceMissing: without scipy.
    """
    if not one.out_of or not other.out_of:
        return None
    table = [[each.taken, each.out_of - each.taken] for each in (one, other)]
    return float(import_science("scipy.stats").fisher_exact(table).pvalue)


def guessing(scores: Mapping[str, tuple[int, int]]) -> Guessing | None:
    """What guessing gives.

    Arguments:
        scores: of each entry, how many of how many verdicts took it for the human; entries without
            verdicts count for nothing.

    Returns:
        The chances, or None where there is no verdict.

    Raises:
        ScienceMissing: without numpy and scipy.
    """
    held = {entry: score for entry, score in scores.items() if score[1]}
    if not held:
        return None
    coin = import_science("scipy.stats").binom
    taken, out_of = (sum(each) for each in zip(*held.values(), strict=True))
    best = max(score for score, _ in held.values())
    below = math.prod(float(coin.cdf(best - 1, tosses, 0.5)) for _, tosses in held.values())
    return Guessing(
        taken,
        out_of,
        total_as_low=float(coin.cdf(taken, out_of, 0.5)),
        total_as_high=float(coin.sf(taken - 1, out_of, 0.5)),
        best=best,
        best_as_high=1 - below,
        best_as_high_alike=_alike([tosses for _, tosses in held.values()], taken, best),
        own={entry: float(coin.sf(score - 1, n, 0.5)) for entry, (score, n) in held.items()},
    )


def _alike(tosses: Sequence[int], taken: int, best: int) -> float:
    """That at least one entry reaches `best`, all verdicts that took an entry for the human being
    spread over the entries by chance."""
    out_of = sum(tosses)
    if taken in (0, out_of):
        return 1.0
    numpy, binom = import_science("numpy"), import_science("scipy.stats").binom
    # Given the sum, binomials of any one chance are spread alike; this one's sum is likeliest.
    chance = taken / out_of
    below = numpy.ones(1)
    for each in tosses:
        fewer = binom.pmf(numpy.arange(min(best, each + 1)), each, chance)
        below = numpy.convolve(below, fewer)[: taken + 1]
    all_below = float(below[taken]) if taken < len(below) else 0.0
    return min(1.0, max(0.0, 1 - all_below / float(binom.pmf(taken, out_of, chance))))


def agreement_of_verdicts(verdicts: Iterable[tuple[str, bool]]) -> OfVerdicts:
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


def agreement_of_rankings(ballots: Sequence[Mapping[str, Fraction]]) -> OfRankings:
    """Kendall's W (1939) with his correction for ties, and how likely it is by chance.

    Arguments:
        ballots: those that count, each participant to rank. Who is not on all of them is left out,
            and the others are ranked again.

    Raises:
        ScienceMissing: without numpy and scipy.
    """
    names = in_order(set.intersection(*map(set, ballots)) if ballots else set())
    why_not = ""
    if len(ballots) < 2:
        why_not = "it takes the rankings of two judges at least"
    elif len(names) < 2:
        why_not = "no two participants are on all ballots"
    elif all(len({ballot[name] for name in names}) == 1 for ballot in ballots):
        why_not = "every ballot gives all the same rank"
    if why_not:
        return OfRankings(None, None, 0, len(ballots), names, why_not)
    numpy, stats = import_science("numpy"), import_science("scipy.stats")
    ranks = stats.rankdata([[float(b[name]) for name in names] for b in ballots], axis=1)
    judges, people = ranks.shape
    middle = judges * (people + 1) / 2
    # scipy's factor is 1 - sum(t³ - t) / (n³ - n) over the ties t of a ballot.
    untied = sum(float(stats.tiecorrect(row)) for row in ranks)
    most = judges * (people**3 - people) * untied / 12

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
