"""What the numbers of a contest say, beside the official result and never in its place.

All that verdicts and rankings say is one list of `Number`s: a row of `statistics.csv`, of the
tables on the results page and of `statistics.json` alike. `statistics.toml` has the words of each.

docs/explanation/what-the-numbers-say.md explains the methods and what they suppose. They need
numpy, scipy and krippendorff (the extra `science`); without them the document says so and has
nothing of verdicts and rankings. A contest is held, tallied and published without the extra.
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

from contest.errors import YoursToFix
from contest.results.rhythm import AUTHORS, BINS, Press, distribution, gaps_of, rhythm_of
from scheduler import Ballot, Choice, Roster, Schedule, Verdict
from scheduler.texts import in_order

if TYPE_CHECKING:  # verdicts and rankings alone need no record
    from contest.results.contest import Contest
    from contest.state.model import Talk

#: Version of the form, in the document. Version 1 had the numbers in nested objects.
FORMAT = 2
#: How sure an interval is meant to be.
CONFIDENCE = 0.95
#: Methods of intervals of shares: the name in tables, and scipy's.
INTERVALS = (("Wilson", "wilson"), ("Clopper-Pearson", "exact"))

#: A part of the document.
Json: TypeAlias = dict[str, Any]


class ScienceMissing(YoursToFix):
    """The packages of the extra `science` are not installed.

    Attributes:
        extra: its name; the command says how to install it.
    """

    extra: ClassVar[str] = "science"


def import_science(name: str) -> Any:
    """Imports a module of the extra `science` when it is needed.

    Arguments:
        name: its full name, such as `scipy.stats`.

    Raises:
        ScienceMissing: if it is not installed.
    """
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as exc:
        package = name.partition(".")[0]
        raise ScienceMissing(
            f"this needs the extra 'science' ({exc.name or package} is not installed)"
        ) from exc


class Number(NamedTuple):
    """A number that verdicts and rankings give.

    Attributes:
        statistic: what it is, a name of `statistics.toml`.
        of: the id that it is of, two ids with a blank between them, or empty.
        value: the number.
        low, high: its interval at 95 %, or None.
        taken, out_of: the verdicts that it rests on, as `tables.toml` says.
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
    """The statistics of a contest so far, as far as they may be published."""
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
        verdicts, ballots: as `scheduler.tally` takes them, and has not refused.
        schedule: all pairings there are; without it, those of the verdicts.

    Raises:
        ScienceMissing: without the extra: there is nothing else to say.
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
        # Each talk of the same weight.
        "gaps": {
            name: [statistics.fmean(part) for part in zip(*each, strict=True)]
            for name, each in gaps.items()
        },
        "typing": typing,
    }


def _typing(contest: Contest, talk: Talk) -> Iterator[Json]:
    """How both typed in a talk, a row of `rhythm.csv` each, with the distribution of their gaps;
    times count from the beginning of the interaction."""
    presses = [
        Press(contest.offset_ns(talk, key.mono_ns) / 1_000_000, key.author, key.key)
        for key in contest.shown(talk)
    ]
    verdict = contest.verdict(talk)
    counts = verdict is not None and contest.why_void(verdict) is None
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
    """What verdicts and ballots say. What can't be computed is not there.

    Arguments:
        verdicts: one a pairing at most; one without a choice counts for nothing.
        ballots: one a judge; those that are excluded count for nothing.
        roster: who is there, in the order to be shown.

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
    """Each participant with the given ranks and their mean, the most human first."""
    given: dict[str, list[Fraction]] = {}
    for ballot in ballots:
        for who, rank in ballot.items():
            given.setdefault(who, []).append(rank)
    found = [(who, ranks, sum(ranks, Fraction(0)) / len(ranks)) for who, ranks in given.items()]
    return sorted(found, key=lambda each: each[2])


def share(name: str, who: str, taken: int, out_of: int) -> Iterator[Number]:
    """A share of verdicts, by each method of intervals.

    Arguments:
        name, who: the number's statistic, and whose it is.
        taken, out_of: how many, of how many; at least 1.

    Raises:
        ScienceMissing: without scipy.
    """
    for method, _ in INTERVALS:
        low, high = interval(taken, out_of, method)
        yield Number(name, who, taken / out_of, low, high, taken, out_of, method)


@functools.cache
def interval(taken: int, out_of: int, method: str) -> tuple[float, float]:
    """The interval of a share at 95 %, by one of `INTERVALS`.

    Raises:
        ScienceMissing: without scipy.
    """
    test = import_science("scipy.stats").binomtest(taken, out_of)
    found = test.proportion_ci(CONFIDENCE, dict(INTERVALS)[method])
    return float(found.low), float(found.high)


def fisher(one: tuple[int, int], other: tuple[int, int]) -> float:
    """How often two shares would be as far apart by luck, had both the same chance: the p-value of
    Fisher's exact test, two-sided.

    Arguments:
        one, other: how many, of how many.
    """
    table = [(taken, out_of - taken) for taken, out_of in (one, other)]
    return float(import_science("scipy.stats").fisher_exact(table).pvalue)


def guessing(scores: Mapping[str, tuple[int, int]]) -> Iterator[Number]:
    """The chances of such scores if nobody could tell.

    Arguments:
        scores: of each entry, how many of how many verdicts took it for the human.
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
    """The chance that at least one entry reaches `best`, if the verdicts that took an entry for the
    human are spread over the entries by chance."""
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


def agreement_of_verdicts(verdicts: Iterable[tuple[str, bool]]) -> Iterator[Number]:
    """Krippendorff's alpha for nominal data (2004), entries being the units; none where no entry
    has two verdicts, or all verdicts are the same, so that chance agrees as well.

    Arguments:
        verdicts: entry, and whether it was taken for the human; one each.
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
    """Kendall's W (1939), corrected for ties, and the p-value of Friedman's test of the same; none
    of fewer than two ballots, or three participants who are on all of them.

    Arguments:
        ballots: those that count, each participant to rank. Participants who are not on all of
            them are left out, and the others are ranked again.
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
    """How human each participant seemed, by Bradley and Terry (1952), the strongest first: the
    chance to be chosen beside an average participant of this contest, and the logarithm of its
    odds.

    Everybody is given half a verdict won and half a verdict lost against an imaginary average
    participant, because a strength of always or never would be infinite: the penalty log-F(1,1) of
    Greenland and Mansournia (2015). Intervals are those of the normal approximation. There are
    none where not all were compared with one another, directly or by way of others.

    Arguments:
        compared: entry, confederate, and whether the entry was taken for the human; one a verdict.
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
    # A row a pairing, and one for each participant's penalty: half of a verdict of weight 1 won.
    pairs = np.zeros((len(cells), count))
    pairs[np.arange(len(cells)), first], pairs[np.arange(len(cells)), second] = 1, -1
    won = np.array([float(cell[2]) for cell in cells] + [0.5] * count)
    weights = np.array([*map(float, cells.values()), *[1.0] * count])
    # The strengths' sum is 0: the last one is what the others leave.
    free = np.vstack([np.eye(count - 1), -np.ones(count - 1)])
    rows = np.vstack([pairs, np.eye(count)]) @ free
    here = np.zeros(count - 1)
    # Newton's steps, none so long that it leads beyond the highest point for good.
    for _ in range(200):
        likely = 1 / (1 + np.exp(-rows @ here))
        bend = rows.T @ (rows * (weights * likely * (1 - likely))[:, None])
        step = np.linalg.solve(bend, rows.T @ (weights * (won - likely)))
        here = here + step / max(1.0, float(np.abs(step).max()))
        if np.abs(step).max() < 1e-9:
            break
    spread = np.sqrt(np.diag(free @ np.linalg.solve(bend, free.T)))
    z = statistics.NormalDist().inv_cdf((1 + CONFIDENCE) / 2)
    # Rounded: equal ones differ by what the steps have left.
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


#: What is measured of a talk's entity, all of it shown whatever comes out: name in tables, words
#: for people, unit (empty for plain numbers), and the value: a column of `rhythm.csv`, times a
#: factor, by another column if there is one.
MEASURES: tuple[tuple[str, str, str, str, float, str], ...] = (
    ("keys", "key presses", "", "keys", 1, ""),
    ("gap", "time between keys", "ms", "gap_median_ms", 1, ""),
    ("pace", "keys a minute while typing", "", "keys_a_minute", 1, ""),
    ("pauses", "pauses of 2 s and more, of 100 keys", "", "pauses", 100, "keys"),
    ("backspace", "share of BackSpace", "%", "backspace_share", 100, ""),
    ("line", "length of a line, in characters", "", "line_length", 1, ""),
    ("overlap", "typed while the judge typed", "%", "overlap", 100, ""),
    ("answer", "time until an answer begins", "s", "answer_ms", 0.001, ""),
)


def separations(typing: Iterable[Json]) -> list[Json]:
    """How programs and humans compare in each of the `MEASURES`, a row of `separations.csv` each:
    medians of their talks, and in how many pairings the program had more, of those where both had a
    value and not the same, with the exact interval of that share.

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
