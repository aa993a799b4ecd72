"""What the numbers of a contest say, beside the official result and never in its place.

* Shares, such as 3 of 12 verdicts, with two intervals at 95 %: Wilson's score interval (1927),
  which covers the true chance in about 95 of 100 contests on the average over all chances (with
  four verdicts, in 83 for some), and the exact one of Clopper and Pearson (1934), which covers it
  in at least 95 and is wider. Two shares are compared by Fisher's exact test.
* The chance of such a table if nobody could tell: exact sums over all tables, no simulation.
  *Guessing*: each verdict is the toss of a fair coin. *Alike*: the entries were taken for the human
  as often in all as they were, but which of them it was is chance.
* How human each participant seemed, all pairings together: strengths by Bradley and Terry (1952).
* Whether the judges agree: Krippendorff's alpha of verdicts, Kendall's W of rankings.
* What separated the talks: how programs typed, how humans did, in the same pairings.

All of it takes the verdicts for independent. Each function gives its part of the document
`statistics.json`; docs/reference/results.md has the meaning of all names in it,
docs/explanation/what-the-numbers-say.md explains the methods. Decisions of judges are looked at
with numpy and scipy (the extra `science`); without them that part is left out, and the document
says so. A contest is held, tallied and published without the extra.
"""

from __future__ import annotations

import functools
import importlib
import math
import statistics
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import combinations, groupby
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

from contest.errors import YoursToFix
from contest.results.rhythm import (
    AUTHORS,
    BINS,
    Press,
    distribution,
    gaps_of,
    mean_distribution,
    rhythm_of,
)
from scheduler import Ballot, Choice, Roster, Schedule, Verdict
from scheduler.texts import in_order, listed

if TYPE_CHECKING:  # verdicts and rankings alone need no record
    from contest.results.contest import Contest
    from contest.state.model import Talk

#: Version of the form, in the document.
FORMAT = 1
#: How sure an interval is meant to be.
CONFIDENCE = 0.95
#: Shuffles of the rankings: so many where a ballot is short, fewer where there is more to shuffle.
SHUFFLES, FEWER_SHUFFLES = 9_999, 999
#: Judges times participants from which on there are fewer.
MANY = 1_000
#: Participants up to which each interval is found by profile: beyond, there are verdicts enough.
MOST_PROFILED = 40
#: Seed of the shuffles, so that they come out the same every time.
_SEED = 2010
#: Steps until the likeliest strengths are found at most, how near is near enough, and how near the
#: limits of their intervals are found.
_STEPS, _NEAR, _NEAR_ENOUGH = 100, 1e-8, 1e-5

#: A part of the document.
Json: TypeAlias = dict[str, Any]


class ScienceMissing(YoursToFix):
    """The packages of the extra `science` are not installed.

    Attributes:
        extra: its name; the command says how to install it.
    """

    extra: ClassVar[str] = "science"


def import_science(name: str) -> Any:
    """Imports a module of numpy, scipy or matplotlib when it is needed.

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


# The document


def statistics_of(contest: Contest) -> Json:
    """The statistics of a contest, as far as it goes and may be published."""
    schedule, verdicts, ballots = contest.counted
    counting = [talk for talk in contest.talks if contest.counts(talk)]
    talks = [_typing(contest, talk) for talk in counting if not contest.withheld(talk)]
    withheld = len(counting) - len(talks)
    try:
        found = judged(verdicts, ballots, schedule.roster)
        return _document(found, separations(talks), talks, withheld)
    except ScienceMissing as exc:
        return _document(None, [], talks, withheld, str(exc))


def statistics_of_tally(
    verdicts: Sequence[Verdict], ballots: Sequence[Ballot], schedule: Schedule | None = None
) -> Json:
    """The statistics of verdicts and rankings alone.

    Arguments:
        verdicts, ballots: as `scheduler.tally` takes them, and has not refused.
        schedule: all pairings there are; without it, those of the verdicts.

    Raises:
        ScienceMissing: without numpy and scipy: there is nothing else to say.
    """
    planned = schedule or Schedule.of(verdict.pairing for verdict in verdicts)
    return _document(judged(verdicts, ballots, planned.roster), [], [], 0)


def _document(
    found: Json | None, separated: list[Json], talks: list[Json], withheld: int, missing: str = ""
) -> Json:
    programs = [talk for talk in talks if talk["role"] == "entry"]
    humans = [talk for talk in talks if talk["role"] != "entry"]
    return {
        "format": FORMAT,
        "missing": missing,
        "judged": found,
        "separations": separated,
        "withheld_talks": withheld,
        "gap_bins_ms": BINS,
        "gaps": {
            "judges": mean_distribution(talk["gaps"]["judge"] for talk in talks),
            "humans": mean_distribution(talk["gaps"]["entity"] for talk in humans),
            "programs": mean_distribution(talk["gaps"]["entity"] for talk in programs),
        },
        "talks": talks,
    }


def _typing(contest: Contest, talk: Talk) -> Json:
    """How both typed in a talk; times count from the beginning of the interaction."""
    presses = [
        Press(contest.offset_ns(talk, key.mono_ns) / 1_000_000, key.author, key.key)
        for key in contest.shown(talk)
    ]
    verdict = contest.verdict(talk)
    verdict_counts = verdict is not None and contest.why_void(verdict) is None
    return {
        "talk": talk.id,
        "round": talk.round,
        "attempt": talk.attempt,
        "judge": talk.judge,
        "entity": talk.entity,
        "role": "entry" if contest.is_entry(talk.entity) else "confederate",
        "side": talk.side,
        "taken_for_human": contest.taken_for_human(talk) if verdict_counts else None,
        "rhythm": {author: rhythm_of(presses, author) for author in AUTHORS},
        "gaps": {author: distribution(gaps_of(presses, author)) for author in AUTHORS},
    }


# Verdicts and rankings


def judged(verdicts: Sequence[Verdict], ballots: Sequence[Ballot], roster: Roster) -> Json:
    """What verdicts and ballots say.

    Arguments:
        verdicts: one a pairing at most; one without a choice counts for nothing.
        ballots: one a judge; those that are excluded count for nothing.
        roster: who is there, in the order to be shown.

    Raises:
        ScienceMissing: without numpy and scipy.
    """
    given = [(v.pairing, v.choice is Choice.ENTRY) for v in verdicts if v.choice is not None]

    def shares(role: str, names: Iterable[str], wanted: bool) -> dict[str, Json]:
        found: dict[str, list[bool]] = {who: [] for who in names}
        for pairing, taken in given:
            found[getattr(pairing, role)].append(taken is wanted)
        return {who: share(sum(each), len(each)) for who, each in found.items()}

    entries = shares("entry", roster.entries, True)
    return {
        "programs_taken_for_human": share(sum(taken for _, taken in given), len(given)),
        "entries_taken_for_human": entries,
        "entries_differ": [
            {"entry": one, "other": other, "fisher_p": chance}
            for one, other in combinations(entries, 2)
            if (chance := fisher(entries[one], entries[other])) is not None
        ],
        "judges_recognized_human": shares("judge", roster.judges, False),
        "confederates_recognized": shares("confederate", roster.confederates, False),
        "guessing": guessing({who: (s["taken"], s["out_of"]) for who, s in entries.items()}),
        "strengths": strengths(
            [(p.entry, p.confederate, taken) for p, taken in given], roster.participants
        ),
        "agreement": {
            "verdicts": agreement_of_verdicts((p.entry, taken) for p, taken in given),
            "rankings": agreement_of_rankings(ranks_of(ballots)),
        },
    }


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
def share(taken: int, out_of: int) -> Json:
    """A share with its intervals; don't change what comes back.

    Arguments:
        taken: how many, from 0.
        out_of: of how many.

    Raises:
        ValueError: if that can't be a share.
        ScienceMissing: without scipy.
    """
    if not 0 <= taken <= out_of:
        raise ValueError(f"{taken} of {out_of} is not a share")
    found: Json = {"taken": taken, "out_of": out_of, "share": taken / out_of if out_of else None}
    for name, method in (("wilson", "wilson"), ("clopper_pearson", "exact")):
        found[name] = None
        if out_of:
            test = import_science("scipy.stats").binomtest(taken, out_of)
            interval = test.proportion_ci(CONFIDENCE, method)
            found[name] = {"low": float(interval.low), "high": float(interval.high)}
    return found


def fisher(one: Json, other: Json) -> float | None:
    """How often two shares would be as far apart by luck, had both the same chance: the p-value of
    Fisher's exact test, two-sided; None if one of them is of none.

    Raises:
        ScienceMissing: without scipy.
    """
    if not one["out_of"] or not other["out_of"]:
        return None
    table = [[each["taken"], each["out_of"] - each["taken"]] for each in (one, other)]
    return float(import_science("scipy.stats").fisher_exact(table).pvalue)


def guessing(scores: Mapping[str, tuple[int, int]]) -> Json | None:
    """The chances of such scores if nobody could tell, or None where there is no verdict.

    Arguments:
        scores: of each entry, how many of how many verdicts took it for the human; entries without
            verdicts count for nothing.

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
    return {
        "taken": taken,
        "out_of": out_of,
        "total_as_low": float(coin.cdf(taken, out_of, 0.5)),
        "total_as_high": float(coin.sf(taken - 1, out_of, 0.5)),
        "best": best,
        "best_as_high": 1 - below,
        "best_as_high_alike": _alike([tosses for _, tosses in held.values()], taken, best),
        "own": {entry: float(coin.sf(score - 1, n, 0.5)) for entry, (score, n) in held.items()},
    }


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


def agreement_of_verdicts(verdicts: Iterable[tuple[str, bool]]) -> Json:
    """Krippendorff's alpha for nominal data (2004), entries being the units.

    Arguments:
        verdicts: entry, and whether it was taken for the human; one each.
    """
    by_entry: dict[str, list[bool]] = {}
    for entry, taken in verdicts:
        by_entry.setdefault(entry, []).append(taken)
    units = [each for each in by_entry.values() if len(each) > 1]
    total, ones = sum(map(len, units)), sum(map(sum, units))
    alpha, why_not = None, ""
    if not units:
        why_not = "no entry has two verdicts"
    elif ones in (0, total):
        why_not = "all verdicts are the same, so that chance agrees as well"
    else:
        differing = sum(Fraction(2 * sum(u) * (len(u) - sum(u)), len(u) - 1) for u in units)
        alpha = float(1 - differing / Fraction(2 * ones * (total - ones), total - 1))
    return {"alpha": alpha, "verdicts": total, "entries": len(units), "why_not": why_not}


def agreement_of_rankings(ballots: Sequence[Mapping[str, Fraction]]) -> Json:
    """Kendall's W (1939) with his correction for ties, and how likely it is by chance.

    Arguments:
        ballots: those that count, each participant to rank. Participants who are not on all of
            them are left out, and the others are ranked again.

    Raises:
        ScienceMissing: without numpy and scipy.
    """
    names = in_order(set.intersection(*map(set, ballots)) if ballots else set())
    found: Json = {"w": None, "chance": None, "shuffles": 0}
    found |= {"judges": len(ballots), "participants": names, "why_not": ""}
    if len(ballots) < 2:
        return found | {"why_not": "it takes the rankings of two judges at least"}
    if len(names) < 2:
        return found | {"why_not": "no two participants are on all ballots"}
    if all(len({ballot[name] for name in names}) == 1 for ballot in ballots):
        return found | {"why_not": "every ballot gives all the same rank"}
    numpy, stats = import_science("numpy"), import_science("scipy.stats")
    ranks = stats.rankdata([[float(b[name]) for name in names] for b in ballots], axis=1)
    judges, people = ranks.shape
    middle = judges * (people + 1) / 2
    # scipy's factor is 1 - sum(t³ - t) / (n³ - n) over the ties t of a ballot.
    untied = sum(float(stats.tiecorrect(row)) for row in ranks)
    most = judges * (people**3 - people) * untied / 12

    def spread(rows: Any) -> float:
        return float(((rows.sum(axis=0) - middle) ** 2).sum())

    dice = numpy.random.default_rng(_SEED)
    shuffles = SHUFFLES if judges * people <= MANY else FEWER_SHUFFLES
    # Slightly less, for sums of halves that were added up in another order.
    wanted = spread(ranks) * (1 - 1e-12)
    as_good = sum(spread(dice.permuted(ranks, axis=1)) >= wanted for _ in range(shuffles))
    chance = (1 + as_good) / (1 + shuffles)
    return found | {"w": spread(ranks) / most, "chance": chance, "shuffles": shuffles}


# Talks


def _times(value: float | None, factor: int, divisor: int = 1) -> float | None:
    return None if value is None else factor * value / divisor


#: What is measured of a talk's entity, all of it shown whatever comes out: name in tables, words
#: for people, unit (empty for plain numbers), and the value of a rhythm, None where it has none.
MEASURES: tuple[tuple[str, str, str, Callable[[Json], float | None]], ...] = (
    ("keys", "key presses", "", lambda r: float(r["keys"])),
    ("gap", "time between keys", "ms", lambda r: r["gap_ms"] and r["gap_ms"]["median"]),
    ("pace", "keys a minute while typing", "", lambda r: r["keys_a_minute"]),
    (
        "pauses",
        "pauses of 2 s and more, of 100 keys",
        "",
        lambda r: 100 * r["pauses"] / r["keys"] if r["keys"] else None,
    ),
    ("backspace", "share of BackSpace", "%", lambda r: _times(r["backspace_share"], 100)),
    ("line", "length of a line, in characters", "", lambda r: r["line_length"]),
    ("overlap", "typed while the judge typed", "%", lambda r: _times(r["overlap"], 100)),
    ("answer", "time until an answer begins", "s", lambda r: _times(r["answer_ms"], 1, 1000)),
)


def separations(talks: Sequence[Json]) -> list[Json]:
    """How programs and humans compare in each of the `MEASURES`: medians of their talks, and in how
    many pairings the program had more, of those where both had a value and not the same.

    Raises:
        ScienceMissing: without scipy.
    """
    programs = [talk for talk in talks if talk["role"] == "entry"]
    found = []
    for name, words, unit, measure in MEASURES:

        def median(some: Iterable[Json], measure: Any = measure) -> Json:
            each = (measure(talk["rhythm"]["entity"]) for talk in some)
            values = [value for value in each if value is not None]
            return {"median": statistics.median(values) if values else None, "talks": len(values)}

        more = less = equal = 0
        for _, desk in groupby(talks, key=lambda t: (t["round"], t["attempt"], t["judge"])):
            values = {talk["role"]: measure(talk["rhythm"]["entity"]) for talk in desk}
            program, human = values.get("entry"), values.get("confederate")
            if program is not None and human is not None:
                more += program > human
                less += program < human
                equal += program == human
        found.append(
            {
                "measure": name,
                "words": words,
                "unit": unit,
                "programs": median(programs),
                "humans": median(talk for talk in talks if talk["role"] != "entry"),
                "programs_taken_for_human": median(t for t in programs if t["taken_for_human"]),
                "program_has_more": share(more, more + less),
                "equal": equal,
            }
        )
    return found


# Strengths


def strengths(compared: Sequence[tuple[str, str, bool]], order: Sequence[str]) -> Json:
    """How human each participant seemed, by Bradley and Terry (1952).

    In a pairing the judge chooses the one who seems the human; the odds are those of the two
    strengths. A strength is given as the chance to be chosen beside an average participant of this
    contest, and as the logarithm of its odds, which is 0 for an average one.

    A participant who was always chosen, or never, would have an infinite strength. So everybody is
    given half a verdict won and half a verdict lost against an imaginary average participant: the
    penalty log-F(1,1) of Greenland and Mansournia (2015), which draws all strengths somewhat
    towards the average. With it there is exactly one likeliest set of strengths, and a further
    verdict never weakens the one it favours. Intervals at 95 % are those of the penalized profile
    likelihood, which stay right where a strength is far out; with very many participants those of
    the normal approximation. Verdicts are taken for independent.

    Arguments:
        compared: entry, confederate, and whether the entry was taken for the human; one a verdict.
        order: all participants; equal strengths stay in this order.

    Returns:
        The strengths of those who were in a pairing with a verdict, the strongest first; none, with
        the reason, where not all were compared with one another, directly or by way of others:
        strengths are differences.

    Raises:
        ScienceMissing: without numpy and scipy.
    """
    found: Json = {"strengths": [], "method": "", "always": [], "never": [], "why_not": ""}
    names = [name for name in order if any(name in each[:2] for each in compared)]
    if not names:
        return found | {"why_not": "there is no verdict"}
    if len(groups := _groups(names, compared)) > 1:
        apart = "; ".join(listed(group) for group in groups)
        why_not = f"nobody was compared across these groups, not even by way of others: {apart}"
        return found | {"why_not": why_not}
    model = _Strengths(names, compared)
    best = model.highest(model.np.zeros(len(names)), None)
    profiled = len(names) <= MOST_PROFILED
    if profiled:
        intervals = [model.profile(best, at) for at in range(len(names))]
    else:
        intervals = model.normal(best)
    taken = model.by_participant(model.won, model.lost)
    out_of = model.by_participant(model.tries, model.tries)
    each: list[Json] = [
        {
            "who": name,
            "log_odds": float(best[at]),
            "interval": {"low": low, "high": high},
            "taken": int(taken[at]),
            "out_of": int(out_of[at]),
            "chance": _chance(best[at]),
            "chances": {"low": _chance(low), "high": _chance(high)},
        }
        for at, (name, (low, high)) in enumerate(zip(names, intervals, strict=True))
    ]
    return found | {
        # Rounded: equal ones differ by what the steps have left.
        "strengths": sorted(each, key=lambda one: -round(one["log_odds"], 6)),
        "method": "profile" if profiled else "normal",
        "always": [one["who"] for one in each if one["taken"] == one["out_of"]],
        "never": [one["who"] for one in each if one["taken"] == 0],
    }


def _chance(log_odds: float) -> float:
    return 1 / (1 + math.exp(-log_odds))


def _groups(names: Sequence[str], compared: Sequence[tuple[str, str, bool]]) -> list[list[str]]:
    """Who was compared with whom, directly or by way of others."""
    group = {name: {name} for name in names}
    for entry, confederate, _ in compared:
        one, other = group[entry], group[confederate]
        if one is not other:
            one |= other
            group.update(dict.fromkeys(other, one))
    found = []
    for name in names:
        if (same := [n for n in names if n in group[name]]) not in found:
            found.append(same)
    return found


class _Strengths:
    """The penalized likelihood of strengths, whose average is 0.

    Arguments:
        names: the participants, all compared with one another.
        compared: see `strengths`.
    """

    def __init__(self, names: Sequence[str], compared: Sequence[tuple[str, str, bool]]) -> None:
        self.np, self.count = import_science("numpy"), len(names)
        place = {name: at for at, name in enumerate(names)}
        cells: dict[tuple[int, int], list[int]] = {}
        for entry, confederate, taken in compared:
            cells.setdefault((place[entry], place[confederate]), [0, 0])[not taken] += 1
        self.first, self.second = self.np.array(list(cells), dtype=int).T
        self.won, self.lost = self.np.array(list(cells.values()), dtype=float).T
        self.tries = self.won + self.lost

    def by_participant(self, first: Any, second: Any) -> Any:
        """The sums of what both had in each pairing."""
        of_first = self.np.bincount(self.first, first, self.count)
        return of_first + self.np.bincount(self.second, second, self.count)

    def _directions(self, fixed: int | None) -> Any:
        """In which strengths may go: columns that leave their sum, and one participant's strength
        if that is fixed."""
        np, count = self.np, self.count
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
        np, count = self.np, self.count
        chances = 1 / (1 + np.exp(strengths[self.second] - strengths[self.first]))
        own = 1 / (1 + np.exp(-strengths))
        rest = self.won - self.tries * chances
        weights = self.tries * chances * (1 - chances)
        bend = np.zeros((count, count))
        np.subtract.at(bend, (self.first, self.second), weights)
        np.subtract.at(bend, (self.second, self.first), weights)
        bend[np.diag_indices(count)] = own * (1 - own) - bend.sum(axis=0)
        return self.by_participant(rest, -rest) + 0.5 - own, bend

    def highest(self, start: Any, fixed: int | None) -> Any:
        """The likeliest strengths of the same sum as some others, and with one participant's
        strength if that is fixed; by Newton's steps, shortened where they would lead down."""
        np, here, directions = self.np, start, self._directions(fixed)
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

    def profile(self, best: Any, at: int) -> tuple[float, float]:
        """Where one strength, with the likeliest others, is as likely as the interval asks for."""
        optimize, special = import_science("scipy.optimize"), import_science("scipy.special")
        wanted = self._height(best) - float(special.chdtri(1, 1 - CONFIDENCE)) / 2

        def above(strength: float) -> float:
            start = best - (strength - best[at]) / (len(best) - 1)
            start[at] = strength
            return self._height(self.highest(start, at)) - wanted

        def limit(direction: int) -> float:
            near = far = float(best[at])
            while above(far) > 0:
                # The penalty alone brings it down, so that this comes to an end.
                near, far = far, far + direction
            return float(optimize.brentq(above, near, far, xtol=_NEAR_ENOUGH))

        return limit(-1), limit(1)

    def normal(self, best: Any) -> list[tuple[float, float]]:
        """The intervals by the normal approximation."""
        z = float(import_science("scipy.special").ndtri((1 + CONFIDENCE) / 2))
        _, bend = self._slope(best)
        every = self._directions(None)
        covariance = every @ self.np.linalg.solve(every.T @ bend @ every, every.T)
        spread = self.np.sqrt(self.np.diag(covariance))
        return [
            (float(one - z * wide), float(one + z * wide))
            for one, wide in zip(best, spread, strict=True)
        ]
