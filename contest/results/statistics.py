"""Statistics of a contest, which supplement the official result and never replace it.

The statistics of verdicts and rankings are one list of `Number`s. Each is a row of
`statistics.csv`, of the tables on the results page and of `statistics.json`. Their words are in
`statistics.toml`.

docs/explanation/what-the-numbers-say.md explains the methods and their assumptions. They need
numpy, scipy and krippendorff (the extra `science`); without them the document says so and has no
statistics of verdicts and rankings. A contest can be held, tallied and published without the extra.
"""

from __future__ import annotations

import functools
import importlib
import math
import statistics
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import combinations, groupby
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, TypeAlias

from contest.errors import UserError
from contest.results.rhythm import AUTHORS, BINS, Press, distribution, gaps_of, rhythm_of
from scheduler import Ballot, Choice, Roster, Schedule, Verdict
from scheduler.texts import in_order
from texts import Sentence

if TYPE_CHECKING:  # verdicts and rankings alone need no record
    from contest.results.contest import Contest
    from contest.state.model import Talk

#: Version of the document's format, which the document contains. Version 1 had the numbers in
#: nested objects.
FORMAT = 2
#: The confidence level of the intervals.
CONFIDENCE = 0.95
#: Methods of intervals of shares: the name in tables, and scipy's.
INTERVALS = (("Wilson", "wilson"), ("Clopper-Pearson", "exact"))

#: A part of the document.
Json: TypeAlias = dict[str, Any]


class ScienceMissing(UserError):
    """The packages of the extra `science` are not installed.

    Attributes:
        extra: the name of the extra, for the command's hint on how to install it.
    """

    extra: ClassVar[str] = "science"


def import_science(name: str) -> Any:
    """Imports a module of the extra `science` on demand.

    Arguments:
        name: its full name, such as `scipy.stats`.

    Raises:
        ScienceMissing: if it is not installed.
    """
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as exc:
        package = name.partition(".")[0]
        missing = Sentence("trouble.science", package=exc.name or package)
        raise ScienceMissing(missing) from exc


class Number(NamedTuple):
    """A number computed from verdicts or rankings.

    Attributes:
        statistic: the name of the statistic in `statistics.toml`.
        of: the id that it belongs to, two ids separated by a space, or empty.
        value: the number.
        low, high: its 95 % interval, or None.
        taken, out_of: the verdicts that it is based on, as explained in `tables.toml`.
        method: how it was computed.
    """

    statistic: str
    of: str
    value: float
    low: float | None = None
    high: float | None = None
    taken: int | None = None
    out_of: int | None = None
    method: str = ""


# The document


def statistics_of(contest: Contest) -> Json:
    """The statistics of a contest up to now, as far as they may be published."""
    schedule, verdicts, ballots = contest.counted
    counting = [talk for talk in contest.talks if contest.counts(talk)]
    published = [talk for talk in counting if not contest.withheld(talk)]
    rows = [row for talk in published for row in _typing(contest, talk)]
    withheld = len(counting) - len(published)
    try:
        numbers = list(numbers_of(verdicts, ballots, schedule.roster))
        return _document(numbers, separations(rows), rows, withheld)
    except ScienceMissing as exc:
        return _document([], [], rows, withheld, str(exc))


def statistics_of_tally(
    verdicts: Sequence[Verdict], ballots: Sequence[Ballot], schedule: Schedule | None = None
) -> Json:
    """The statistics of verdicts and rankings alone.

    Arguments:
        verdicts, ballots: as `scheduler.tally` has accepted them.
        schedule: all pairings; if left out, those of the verdicts.

    Raises:
        ScienceMissing: without the extra, since there would be no statistics at all.
    """
    planned = schedule or Schedule.of(verdict.pairing for verdict in verdicts)
    return _document(list(numbers_of(verdicts, ballots, planned.roster)), [], [], 0)


def _document(
    numbers: Sequence[Number],
    separated: list[Json],
    typing: list[Json],
    withheld: int,
    missing: str = "",
) -> Json:
    who = {"judge": "judges", "confederate": "humans", "entry": "programs"}
    gaps: dict[str, list[Sequence[float]]] = {name: [] for name in who.values()}
    for row in typing:
        if row["gaps"]:
            gaps[who["judge" if row["author"] == "judge" else row["role"]]].append(row["gaps"])
    return {
        "format": FORMAT,
        "missing": missing,
        "numbers": [number._asdict() for number in numbers],
        "separations": separated,
        "withheld_talks": withheld,
        "gap_bins_ms": BINS,
        # Each talk has the same weight.
        "gaps": {
            name: [statistics.fmean(part) for part in zip(*each, strict=True)]
            for name, each in gaps.items()
        },
        "typing": typing,
    }


def _typing(contest: Contest, talk: Talk) -> Iterator[Json]:
    """How both authors typed in a talk: a row of `rhythm.csv` for each, and the distribution of the
    gaps. Times count from the beginning of the interaction."""
    presses = [
        Press(contest.offset_ns(talk, key.mono_ns) / 1_000_000, key.author, key.key)
        for key in contest.shown(talk)
    ]
    verdict = contest.verdict(talk)
    counts = verdict is not None and contest.void_reason(verdict) is None
    for author in AUTHORS:
        yield {
            **contest.row(talk),
            "taken_for_human": contest.taken_for_human(talk) if counts else None,
            "author": author,
            **rhythm_of(presses, author),
            "gaps": distribution(gaps_of(presses, author)),
        }


# Verdicts and rankings


def numbers_of(
    verdicts: Iterable[Verdict], ballots: Iterable[Ballot], roster: Roster
) -> Iterator[Number]:
    """All statistics of verdicts and ballots. Those that can't be computed are left out.

    Arguments:
        verdicts: at most one per pairing; those without a choice are ignored.
        ballots: one per judge; excluded ones are ignored.
        roster: the participants, in the order in which to show them.

    Raises:
        ScienceMissing: without the extra.
    """
    given = [(v.pairing, v.choice is Choice.ENTRY) for v in verdicts if v.choice is not None]
    scores: dict[str, tuple[int, int]] = {}
    for name, role, who, wanted in (
        ("programs-taken-for-human", "", ("",), True),
        ("entry-taken-for-human", "entry", roster.entries, True),
        ("judge-recognized-human", "judge", roster.judges, False),
        ("confederate-recognized", "confederate", roster.confederates, False),
    ):
        for one in who:
            hits = [taken is wanted for p, taken in given if not role or getattr(p, role) == one]
            if hits:
                yield from share(name, one, sum(hits), len(hits))
            if hits and role == "entry":
                scores[one] = (sum(hits), len(hits))
    for one, other in combinations(scores, 2):
        chance = fisher(scores[one], scores[other])
        yield Number("entries-differ", f"{one} {other}", chance, method="Fisher's exact test")
    if scores:
        yield from guessing(scores)
    compared = [(p.entry, p.confederate, taken) for p, taken in given]
    yield from strengths(compared, roster.participants)
    yield from agreement_of_verdicts((p.entry, taken) for p, taken in given)
    yield from agreement_of_rankings(ranks_of(ballots))


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
    """Each participant with the ranks given to it and their mean, the most human first."""
    given: dict[str, list[Fraction]] = {}
    for ballot in ballots:
        for who, rank in ballot.items():
            given.setdefault(who, []).append(rank)
    found = [(who, ranks, sum(ranks, Fraction(0)) / len(ranks)) for who, ranks in given.items()]
    return sorted(found, key=lambda each: each[2])


def share(name: str, who: str, taken: int, out_of: int) -> Iterator[Number]:
    """A share of verdicts, with an interval by each method.

    Arguments:
        name, who: the name of the statistic, and the id that it belongs to.
        taken, out_of: the share's numerator and denominator, which is at least 1.

    Raises:
        ScienceMissing: without scipy.
    """
    for method, _ in INTERVALS:
        low, high = interval(taken, out_of, method)
        yield Number(name, who, taken / out_of, low, high, taken, out_of, method)


@functools.cache
def interval(taken: int, out_of: int, method: str) -> tuple[float, float]:
    """The 95 % interval of a share, by one of the methods in `INTERVALS`.

    Raises:
        ScienceMissing: without scipy.
    """
    test = import_science("scipy.stats").binomtest(taken, out_of)
    found = test.proportion_ci(CONFIDENCE, dict(INTERVALS)[method])
    return float(found.low), float(found.high)


def fisher(one: tuple[int, int], other: tuple[int, int]) -> float:
    """The probability that two shares differ at least this much by luck if both have the same
    chance: the two-sided p-value of Fisher's exact test.

    Arguments:
        one, other: numerator and denominator of each share.
    """
    table = [(taken, out_of - taken) for taken, out_of in (one, other)]
    return float(import_science("scipy.stats").fisher_exact(table).pvalue)


def guessing(scores: Mapping[str, tuple[int, int]]) -> Iterator[Number]:
    """The probabilities of these scores if no judge could tell programs from humans.

    Arguments:
        scores: for each entry, how many verdicts took it for the human, and out of how many.
    """
    coin = import_science("scipy.stats").binom
    taken, out_of = (sum(each) for each in zip(*scores.values(), strict=True))
    best = max(score for score, _ in scores.values())
    for name, chance in (
        ("guessing-total-as-low", coin.cdf(taken, out_of, 0.5)),
        ("guessing-total-as-high", coin.sf(taken - 1, out_of, 0.5)),
    ):
        yield Number(name, "", float(chance), None, None, taken, out_of, "binomial, one half")
    for who, (score, tosses) in scores.items():
        chance = float(coin.sf(score - 1, tosses, 0.5))
        of = (score, tosses, "binomial, one half")
        yield Number("guessing-score-as-high", who, chance, None, None, *of)
    below = math.prod(float(coin.cdf(best - 1, tosses, 0.5)) for _, tosses in scores.values())
    coins, alike = "product of binomials, one half", "hypergeometric, all scores"
    yield Number("guessing-best-as-high", "", 1 - below, None, None, best, None, coins)
    chance = _alike([tosses for _, tosses in scores.values()], taken, best)
    yield Number("alike-best-as-high", "", chance, None, None, best, None, alike)


def _alike(tosses: Sequence[int], taken: int, best: int) -> float:
    """The probability that at least one entry reaches `best` if the verdicts that took an entry for
    the human are distributed over the entries at random."""
    out_of = sum(tosses)
    if taken in (0, out_of):
        return 1.0
    numpy, binom = import_science("numpy"), import_science("scipy.stats").binom
    # Given the sum, the distribution doesn't depend on the binomials' common chance. With this one
    # the sum is likeliest.
    chance = taken / out_of
    below = numpy.ones(1)
    for each in tosses:
        fewer = binom.pmf(numpy.arange(min(best, each + 1)), each, chance)
        below = numpy.convolve(below, fewer)[: taken + 1]
    all_below = float(below[taken]) if taken < len(below) else 0.0
    return min(1.0, max(0.0, 1 - all_below / float(binom.pmf(taken, out_of, chance))))


def agreement_of_verdicts(verdicts: Iterable[tuple[str, bool]]) -> Iterator[Number]:
    """Krippendorff's alpha for nominal data (2004) with the entries as units. Yields nothing if no
    entry has two verdicts, or if all verdicts are the same, when alpha is undefined.

    Arguments:
        verdicts: for each verdict, the entry and whether it was taken for the human.
    """
    counts: dict[str, list[int]] = {}
    for entry, taken in verdicts:
        counts.setdefault(entry, [0, 0])[taken] += 1
    units = [each for each in counts.values() if sum(each) > 1]
    if units and all(map(any, zip(*units, strict=True))):
        alpha = import_science("krippendorff").alpha(
            value_counts=units, level_of_measurement="nominal"
        )
        count, method = sum(map(sum, units)), "Krippendorff's alpha, nominal"
        yield Number("agreement-verdicts", "", float(alpha), out_of=count, method=method)


def agreement_of_rankings(ballots: Sequence[Mapping[str, Fraction]]) -> Iterator[Number]:
    """Kendall's W (1939), corrected for ties, and the p-value of Friedman's test. Yields nothing
    for fewer than two ballots, or fewer than three participants who are on all of them.

    Arguments:
        ballots: the ballots that count, each participant to rank. Participants who are not on all
            ballots are left out, and the others are ranked again.
    """
    names = in_order(set.intersection(*map(set, ballots)) if ballots else set())
    differ = any(len({ballot[name] for name in names}) > 1 for ballot in ballots)
    if len(ballots) < 2 or len(names) < 3 or not differ:
        return
    ranks = ([float(ballot[name]) for ballot in ballots] for name in names)
    found = import_science("scipy.stats").friedmanchisquare(*ranks)
    w = float(found.statistic) / (len(ballots) * (len(names) - 1))
    for name, value, method in (
        ("agreement-rankings", w, "Kendall's W"),
        ("agreement-rankings-by-chance", float(found.pvalue), "Friedman's test"),
    ):
        yield Number(name, "", value, out_of=len(ballots), method=method)


def strengths(compared: Iterable[tuple[str, str, bool]], order: Sequence[str]) -> Iterator[Number]:
    """How human each participant seemed, by the model of Bradley and Terry (1952), the strongest
    first: the chance of being chosen over an average participant of this contest, and the logarithm
    of its odds.

    Everybody is given half a verdict won and half a verdict lost against an imaginary average
    participant, because the strength of somebody who was always or never chosen would be infinite.
    This is the penalty log-F(1,1) of Greenland and Mansournia (2015). Intervals use the normal
    approximation. Yields nothing unless all participants are connected by comparisons, directly or
    through others.

    Arguments:
        compared: for each verdict, the entry, the confederate, and whether the entry was taken for
            the human.
        order: all participants; equal strengths stay in this order.
    """
    cells = Counter(compared)
    names = [name for name in order if any(name in (entry, other) for entry, other, _ in cells)]
    count = len(names)
    if not names:
        return
    np, place = import_science("numpy"), {name: at for at, name in enumerate(names)}
    first = [place[entry] for entry, _, _ in cells]
    second = [place[other] for _, other, _ in cells]
    graph = import_science("scipy.sparse").coo_array(
        ([1] * len(cells), (first, second)), shape=(count, count)
    )
    components = import_science("scipy.sparse.csgraph").connected_components
    if components(graph, directed=False)[0] > 1:
        return
    # One row per distinct comparison, and one for each participant's penalty: half a verdict won,
    # with weight 1.
    pairs = np.zeros((len(cells), count))
    pairs[np.arange(len(cells)), first], pairs[np.arange(len(cells)), second] = 1, -1
    won = np.array([float(cell[2]) for cell in cells] + [0.5] * count)
    weights = np.array([*map(float, cells.values()), *[1.0] * count])
    # The strengths add up to 0, so the last one follows from the others.
    free = np.vstack([np.eye(count - 1), -np.ones(count - 1)])
    rows = np.vstack([pairs, np.eye(count)]) @ free
    here = np.zeros(count - 1)
    # Newton's method, with limited steps so that it doesn't diverge.
    for _ in range(200):
        likely = 1 / (1 + np.exp(-rows @ here))
        bend = rows.T @ (rows * (weights * likely * (1 - likely))[:, None])
        step = np.linalg.solve(bend, rows.T @ (weights * (won - likely)))
        here = here + step / max(1.0, float(np.abs(step).max()))
        if np.abs(step).max() < 1e-9:
            break
    spread = np.sqrt(np.diag(free @ np.linalg.solve(bend, free.T)))
    z = statistics.NormalDist().inv_cdf((1 + CONFIDENCE) / 2)
    # Rounded, because equal strengths differ by the error of the iteration.
    found = sorted(zip(free @ here, spread, names, strict=True), key=lambda s: -round(s[0], 6))
    for odds, wide, who in found:
        value, low, high = (float(odds + sign * z * wide) for sign in (0, -1, 1))
        taken = sum(n for (e, c, won), n in cells.items() if who == (e if won else c))
        out_of = sum(n for cell, n in cells.items() if who in cell[:2])
        of = (taken, out_of, "Bradley-Terry, log-F(1,1), normal")
        yield Number("strength-log-odds", who, value, low, high, *of)
        value, low, high = (1 / (1 + math.exp(-each)) for each in (value, low, high))
        yield Number("strength-chance", who, value, low, high, *of)


# Talks


#: The measures of an entity's typing in a talk, all of which are always shown: name in tables,
#: description, unit (empty for plain numbers), and the value: a column of `rhythm.csv`, times a
#: factor, divided by another column if one is given.
MEASURES: tuple[tuple[str, str, str, str, float, str], ...] = (
    ("keys", "key presses", "", "keys", 1, ""),
    ("gap", "time between keys", "ms", "gap_median_ms", 1, ""),
    ("pace", "keys a minute while typing", "", "keys_a_minute", 1, ""),
    ("pauses", "pauses of 2 s or more per 100 keys", "", "pauses", 100, "keys"),
    ("backspace", "share of BackSpace", "%", "backspace_share", 100, ""),
    ("line", "length of a line, in characters", "", "line_length", 1, ""),
    ("overlap", "typed while the judge was typing", "%", "overlap", 100, ""),
    ("answer", "time until an answer begins", "s", "answer_ms", 0.001, ""),
)


def separations(typing: Iterable[Json]) -> list[Json]:
    """How programs and humans compare in each of the `MEASURES`: a row of `separations.csv` for
    each, with the medians over their talks, and the number of pairings in which the program had
    more, out of those in which the two values differ, with the exact interval of that share.

    Arguments:
        typing: rows of `rhythm.csv`, in the order of the talks.

    Raises:
        ScienceMissing: without scipy.
    """
    entities = [row for row in typing if row["author"] == "entity"]
    found = []
    for name, words, unit, column, factor, by in MEASURES:
        values: dict[str, list[float]] = {"entry": [], "confederate": [], "taken": []}
        signs: Counter[int] = Counter()
        for _, desk in groupby(entities, key=lambda r: (r["round"], r["attempt"], r["judge"])):
            of_desk: dict[str, float] = {}
            for row in desk:
                if row[column] is None or (by and not row[by]):
                    continue
                value = factor * row[column] / (row[by] if by else 1)
                of_desk[row["role"]] = value
                values[row["role"]].append(value)
                if row["role"] == "entry" and row["taken_for_human"]:
                    values["taken"].append(value)
            if len(of_desk) == 2:
                program, human = of_desk["entry"], of_desk["confederate"]
                signs[(program > human) - (program < human)] += 1
        programs, humans, taken = (
            statistics.median(each) if each else None for each in values.values()
        )
        out_of = signs[1] + signs[-1]
        low, high = interval(signs[1], out_of, "Clopper-Pearson") if out_of else (None, None)
        found.append(
            {
                "measure": name,
                "words": words,
                "unit": unit,
                "programs": programs,
                "humans": humans,
                "programs_taken": taken,
                "program_more": signs[1],
                "out_of": out_of,
                "equal": signs[0],
                "low": low,
                "high": high,
            }
        )
    return found
