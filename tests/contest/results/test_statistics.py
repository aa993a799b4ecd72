"""Statistics: intervals by their definitions, chances against all tables written out one by one,
agreement and strengths against closed forms and others' code; the words, what is withheld, and the
document without the extra."""

from __future__ import annotations

import math
import subprocess
import sys
from dataclasses import replace
from fractions import Fraction
from itertools import accumulate, pairwise, product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import brentq, minimize  # type: ignore[import-untyped]
from scipy.special import expit  # type: ignore[import-untyped]
from scipy.stats import binom, friedmanchisquare, norm  # type: ignore[import-untyped]

import scheduler
from contest.record import bodies
from contest.results import statistics
from contest.results.document import Results
from contest.results.page import page_stream
from contest.results.statistics import (
    MEASURES,
    MOST_PROFILED,
    Json,
    ScienceMissing,
    fisher,
    guessing,
    share,
    statistics_of_tally,
    strengths,
)
from contest.results.statistics import agreement_of_rankings as of_rankings
from contest.results.statistics import agreement_of_verdicts as of_verdicts
from contest.results.text import (
    between,
    in_contests,
    parts_of,
    percent,
    score_table,
    span,
    statistics_text,
)
from scheduler import Ballot, Choice, Pairing, Schedule, Verdict, schedule_2010
from tests.contest.build import FOOLED, Builder, brief, contest, reforge, small

# Shares


@pytest.mark.parametrize(
    ("taken", "out_of", "wilson"),
    [(1, 4, "4.6 to 69.9 %"), (3, 12, "8.9 to 53.2 %"), (5, 60, "3.6 to 18.1 %")],
)
def test_wilson_intervals_of_contests(taken: int, out_of: int, wilson: str) -> None:
    assert span(share(taken, out_of)["wilson"]) == wilson


@pytest.mark.parametrize("out_of", [1, 4, 12, 1000])
def test_intervals_end_where_their_definitions_say(out_of: int) -> None:
    for taken in {0, 1, out_of // 3, out_of - 1, out_of}:
        found = share(taken, out_of)
        wilson, exact = found["wilson"], found["clopper_pearson"]
        for end, bound in ((wilson["low"], 0), (wilson["high"], 1)):
            # At its ends the share is 1.96 standard errors off; of none and of all it stops there.
            off, error = (taken / out_of - end) ** 2, end * (1 - end) / out_of
            assert end == bound or off == pytest.approx(norm.ppf(0.975) ** 2 * error)
        as_many = 0.025 if taken else 1
        as_few = 0.025 if taken < out_of else 1
        assert binom.sf(taken - 1, out_of, exact["low"]) == pytest.approx(as_many)
        assert binom.cdf(taken, out_of, exact["high"]) == pytest.approx(as_few)


@given(st.integers(1, 300).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_intervals_hold_the_share_and_mirror(of: tuple[int, int]) -> None:
    taken, out_of = of
    found, mirrored = share(taken, out_of), share(out_of - taken, out_of)
    for name in ("wilson", "clopper_pearson"):
        mine, other = found[name], mirrored[name]
        assert 0 <= mine["low"] <= taken / out_of <= mine["high"] <= 1
        mirror = (1 - other["high"], 1 - other["low"])
        assert mirror == pytest.approx((mine["low"], mine["high"]), abs=1e-9)


@pytest.mark.parametrize(
    ("one", "other", "chance"),
    [
        ((5, 8), (0, 8), 2 * 56 / 4368),
        ((4, 4), (0, 4), 2 / 70),
        ((1, 4), (1, 4), 1.0),
        ((1, 4), (0, 0), None),
    ],
)
def test_two_shares_are_compared_by_their_difference(
    one: tuple[int, int], other: tuple[int, int], chance: float | None
) -> None:
    first, second = share(*one), share(*other)
    assert fisher(first, second) == fisher(second, first) == pytest.approx(chance)


@pytest.mark.parametrize(("taken", "out_of"), [(-1, 4), (5, 4), (1, 0)])
def test_what_is_no_share_is_refused(taken: int, out_of: int) -> None:
    assert share(0, 0)["share"] is share(0, 0)["wilson"] is None
    with pytest.raises(ValueError, match="not a share"):
        share(taken, out_of)


# Guessing


@given(
    st.lists(st.integers(1, 4), min_size=1, max_size=3).flatmap(
        lambda sizes: st.tuples(st.tuples(*(st.integers(0, n) for n in sizes)), st.just(sizes))
    )
)
def test_all_chances_are_those_of_all_tables(case: tuple[tuple[int, ...], list[int]]) -> None:
    taken, out_of = case
    found = guessing({f"E{at}": of for at, of in enumerate(zip(taken, out_of, strict=True))})
    assert found is not None
    cuts = list(pairwise(accumulate(out_of, initial=0)))
    tables = [[sum(t[a:b]) for a, b in cuts] for t in product((0, 1), repeat=sum(out_of))]
    total, best = sum(taken), max(taken)
    same = [t for t in tables if sum(t) == total]
    expected = {
        "total_as_low": sum(sum(t) <= total for t in tables) / len(tables),
        "total_as_high": sum(sum(t) >= total for t in tables) / len(tables),
        "best_as_high": sum(max(t) >= best for t in tables) / len(tables),
        "best_as_high_alike": sum(max(t) >= best for t in same) / len(same),
    }
    assert {name: found[name] for name in expected} == pytest.approx(expected)
    for at, own in enumerate(found["own"].values()):
        assert own == pytest.approx(sum(t[at] >= taken[at] for t in tables) / len(tables))


def test_entries_without_verdicts_count_for_nothing() -> None:
    some = {"E1": (1, 4), "E2": (3, 4)}
    assert guessing({**some, "E9": (0, 0)}) == guessing(some)
    assert guessing({"E1": (0, 0)}) is None


def test_a_contest_of_200_judges_and_entries() -> None:
    found = guessing({f"E{at}": (60, 200) for at in range(200)})
    assert found is not None
    assert found["total_as_low"] < 1e-12
    # Of 200 that are alike the best has more than the mean, nearly always.
    assert found["best_as_high_alike"] > 0.999


# Agreement


def test_krippendorffs_own_example() -> None:
    # K. Krippendorff, Computing Krippendorff's Alpha-Reliability (2011), A: two observers, ten
    # units, binary: 0.095.
    meg, owen = [0, 1, 0, 0, 0, 0, 0, 0, 1, 0], [1, 1, 1, 0, 0, 1, 0, 0, 0, 0]
    found = of_verdicts((str(unit), bool(v)) for who in (meg, owen) for unit, v in enumerate(who))
    assert found["alpha"] == pytest.approx(0.095, abs=0.0005)
    assert (found["verdicts"], found["entries"]) == (20, 10)
    assert of_verdicts([("E1", True)] * 3 + [("E2", False)] * 3)["alpha"] == 1
    # An entry with one verdict has nobody to agree with.
    some = [("E1", True), ("E1", False), ("E2", False), ("E2", False)]
    assert of_verdicts([*some, ("E3", True)]) == of_verdicts(some)


def ballot(*ranks: float) -> dict[str, Fraction]:
    return {f"P{at}": Fraction(rank) for at, rank in enumerate(ranks)}


@pytest.mark.parametrize(
    "ballots",
    [
        [(1, 2, 3, 4), (2, 1, 3, 4), (1, 3, 2, 4)],
        [(1.5, 1.5, 3, 4), (2, 1, 3.5, 3.5), (1, 2.5, 2.5, 4), (4, 3, 2, 1)],
    ],
)
def test_w_is_friedmans_statistic_by_another_way(ballots: list[tuple[float, ...]]) -> None:
    found = of_rankings([ballot(*each) for each in ballots])
    other = friedmanchisquare(*zip(*ballots, strict=True)).statistic
    assert found["w"] == pytest.approx(other / (len(ballots) * (len(ballots[0]) - 1)))


def test_rankings_that_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    found = of_rankings([ballot(1, 2, 3, 4, 5, 6)] * 4)
    assert found["w"] == pytest.approx(1)
    assert found["chance"] < 0.001
    # Two judges, two participants: they agree in half of all cases.
    assert of_rankings([ballot(1, 2)] * 2)["chance"] == pytest.approx(0.5, abs=0.02)
    # Participants who are not on all ballots are left out.
    whole = [ballot(1, 2, 3), ballot(2, 1, 3)]
    more = [{"X": Fraction(1), **{n: r + 1 for n, r in whole[0].items()}}, whole[1]]
    assert of_rankings(more) == of_rankings(whole)
    monkeypatch.setattr(statistics, "MANY", 5)
    assert of_rankings([ballot(1, 2, 3)] * 2)["shuffles"] == statistics.FEWER_SHUFFLES


@pytest.mark.parametrize(
    ("found", "why_not"),
    [
        (of_verdicts([]), "no entry has two verdicts"),
        (of_verdicts([("E1", True), ("E2", False)]), "no entry has two verdicts"),
        (
            of_verdicts([("E1", False)] * 4),
            "all verdicts are the same, so that chance agrees as well",
        ),
        (of_rankings([]), "it takes the rankings of two judges at least"),
        (of_rankings([ballot(1, 2)]), "it takes the rankings of two judges at least"),
        (of_rankings([ballot(1), ballot(1)]), "no two participants are on all ballots"),
        (of_rankings([ballot(1, 1), ballot(2, 2)]), "every ballot gives all the same rank"),
        (strengths([], ["E1"]), "there is no verdict"),
    ],
)
def test_where_nothing_can_be_said_it_says_why(found: Json, why_not: str) -> None:
    assert found["why_not"] == why_not
    assert found.get("alpha") is found.get("w") is None


# Strengths

PLAN = schedule_2010()
EVERYBODY = PLAN.roster.participants
MIXED = [(p.entry, p.confederate, (p.round, p.judge) in FOOLED) for p in PLAN.pairings]


def by_name(found: Json) -> dict[str, float]:
    return {each["who"]: each["log_odds"] for each in found["strengths"]}


@pytest.mark.parametrize(("won", "lost"), [(3, 1), (4, 0), (0, 7), (2, 2)])
def test_of_two_participants_it_is_one_equation(won: int, lost: int) -> None:
    def slope(strength: float) -> float:
        between, own = expit(2 * strength), expit(strength)
        return float(won - (won + lost) * between + 0.5 - own)

    found = by_name(strengths([("E", "C", at < won) for at in range(won + lost)], ["E", "C"]))
    strength = brentq(slope, -9, 9)
    assert found == pytest.approx({"E": strength, "C": -strength}, abs=1e-6)


def test_an_interval_is_where_the_penalized_likelihood_has_it() -> None:
    def height(one: float) -> float:
        # The other one's strength is the opposite: their average is 0.
        between = 3 * math.log(expit(2 * one)) + math.log(expit(-2 * one))
        return between + math.log(expit(one)) + math.log(expit(-one))

    best = strengths([("E", "C", at < 3) for at in range(4)], ["E", "C"])["strengths"][0]
    wanted, here = height(best["log_odds"]) - 3.841458820694124 / 2, best["log_odds"]
    low = brentq(lambda one: height(one) - wanted, here - 9, here)
    high = brentq(lambda one: height(one) - wanted, here, here + 9)
    assert tuple(best["interval"].values()) == pytest.approx((low, high), abs=1e-3)


def test_an_optimizer_that_shares_no_code_finds_the_same() -> None:
    place = {name: at for at, name in enumerate(EVERYBODY)}
    design = np.zeros((len(MIXED), len(EVERYBODY)))
    for row, (entry, confederate, _) in enumerate(MIXED):
        design[row, place[entry]], design[row, place[confederate]] = 1, -1
    won = np.array([taken for *_, taken in MIXED], dtype=int)

    def depth(free: np.ndarray[tuple[int], np.dtype[np.float64]]) -> float:
        each = np.append(free, -free.sum())
        ahead = design @ each
        likely = won * np.log(expit(ahead)) + (1 - won) * np.log(expit(-ahead))
        return float(-likely.sum() - (np.log(expit(each)) + np.log(expit(-each))).sum() / 2)

    least = minimize(depth, np.zeros(len(EVERYBODY) - 1), tol=1e-10).x
    expected = dict(zip(EVERYBODY, (*least, -least.sum()), strict=True))
    found = strengths(MIXED, EVERYBODY)
    assert by_name(found) == pytest.approx(expected, abs=1e-4)
    assert found["method"] == "profile"
    values = [round(each["log_odds"], 6) for each in found["strengths"]]
    assert values == sorted(values, reverse=True)
    # Equal ones stay in the order of the roster.
    order = [each["who"] for each in found["strengths"]]
    assert [who for who in order if who in ("E1", "E2", "E3")] == ["E1", "E2", "E3"]


def test_who_was_always_taken_for_the_human_has_a_strength_and_is_named() -> None:
    found = strengths([(p.entry, p.confederate, False) for p in PLAN.pairings], EVERYBODY)
    assert (found["always"], found["never"]) == (
        list(PLAN.roster.confederates),
        list(PLAN.roster.entries),
    )
    for each in found["strengths"]:
        low, high = each["interval"].values()
        assert -math.inf < low < each["log_odds"] < high < math.inf
        low, high = each["chances"].values()
        assert 0 < low < each["chance"] < high < 1


def test_who_is_in_no_way_compared_is_not_ranked() -> None:
    apart, names = [("E1", "C1", True), ("E2", "C2", False)], ["E1", "E2", "C1", "C2"]
    found = strengths(apart, names)
    assert found["strengths"] == []
    assert found["why_not"].endswith("E1 and C1; E2 and C2")
    assert len(strengths([*apart, ("E1", "C2", True)], names)["strengths"]) == 4


@settings(max_examples=15)
@given(
    st.lists(st.booleans(), min_size=16, max_size=16),
    st.permutations(EVERYBODY),
    st.integers(0, 15),
)
def test_what_holds_of_all_strengths(verdicts: list[bool], names: list[str], at: int) -> None:
    def quickly(compared: list[tuple[str, str, bool]]) -> dict[str, float]:
        # The strengths alone: intervals by profile take their time.
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(statistics, "MOST_PROFILED", 0)
            return by_name(strengths(compared, EVERYBODY))

    pairs = zip(PLAN.pairings, verdicts, strict=True)
    compared = [(p.entry, p.confederate, taken) for p, taken in pairs]
    found = quickly(compared)
    # Names change nothing but names.
    new = dict(zip(EVERYBODY, names, strict=True))
    renamed = quickly([(new[one], new[other], taken) for one, other, taken in compared])
    assert renamed == pytest.approx({new[who]: v for who, v in found.items()}, abs=1e-4)
    # A further verdict never weakens the one it favours.
    entry, human = PLAN.pairings[at].entry, PLAN.pairings[at].confederate
    more = quickly([*compared, (entry, human, True)])
    assert more[entry] - more[human] > found[entry] - found[human]


def test_of_very_many_the_intervals_are_the_normal_ones() -> None:
    count = MOST_PROFILED // 2 + 1
    entries, humans = ([f"{role}{at}" for at in range(count)] for role in "EC")
    dice = np.random.default_rng(1)
    compared = [
        (entry, human, bool(at < won))
        for entry in entries
        for human in humans
        for won in [dice.integers(2, 9)]
        for at in range(10)
    ]
    found = strengths(compared, [*entries, *humans])
    assert found["method"] == "normal"
    for each in found["strengths"]:
        low, high = each["interval"].values()
        assert low < each["log_odds"] < high
        assert 0.05 < high - low < 1


# A contest


@pytest.fixture(scope="module")
def whole() -> Json:
    """Of the whole contest."""
    return Results(contest().read()).statistics


def test_shares_are_those_of_the_table(whole: Json) -> None:
    def taken(name: str) -> dict[str, int]:
        return {who: each["taken"] for who, each in whole["judged"][name].items()}

    assert taken("entries_taken_for_human") == {"E1": 1, "E2": 1, "E3": 1, "E4": 3}
    assert taken("judges_recognized_human") == {"J1": 1, "J2": 3, "J3": 2, "J4": 4}
    assert sum(taken("confederates_recognized").values()) == 10
    every = whole["judged"]["programs_taken_for_human"]
    assert (every["taken"], every["out_of"]) == (6, 16)


def test_only_talks_that_count_are_measured(whole: Json) -> None:
    talks = whole["talks"]
    assert len(talks) == 32
    assert {talk["attempt"] for talk in talks if talk["round"] == 2} == {2}
    assert sum(bool(talk["taken_for_human"]) for talk in talks) == 16
    programs = [talk for talk in talks if talk["role"] == "entry"]
    assert sum(bool(talk["taken_for_human"]) for talk in programs) == 6
    # In round 3 the clock was stopped for half a minute: that is nobody's pause.
    third, first = (next(t for t in talks if t["round"] == n)["rhythm"]["judge"] for n in (3, 1))
    assert third["longest_ms"] < first["longest_ms"] + 5_000


def test_every_measure_is_told_whatever_comes_out(whole: Json) -> None:
    assert [each["measure"] for each in whole["separations"]] == [name for name, *_ in MEASURES]
    for each in whole["separations"]:
        assert each["program_has_more"]["out_of"] + each["equal"] <= 16
        of = ("programs", "humans", "programs_taken_for_human")
        assert [each[name]["talks"] for name in of] == [16, 16, 6]


def test_programs_are_compared_with_the_human_of_the_same_desk() -> None:
    def play(b: Builder, talks: dict[str, str]) -> None:
        b.type(talks["E1"], "entity", "E1", "a long line of text\n")
        b.type(talks["C1"], "entity", "C1", "sho\brt\n")

    statistics = Results(small(play).read()).statistics
    found = {each["measure"]: each for each in statistics["separations"]}
    line = found["line"]
    assert (line["programs"]["median"], line["humans"]["median"]) == (19, 4)
    more = {name: found[name]["program_has_more"] for name in found}
    assert (more["line"]["taken"], more["line"]["out_of"]) == (1, 1)
    assert (more["backspace"]["taken"], more["backspace"]["out_of"]) == (0, 1)
    assert (more["gap"]["out_of"], found["gap"]["equal"]) == (0, 1)
    assert found["answer"]["programs"]["median"] is None


def test_ballots_that_do_not_count_are_not_looked_at() -> None:
    verdicts = [Verdict(Pairing(1, "J1", "E1", "C1"), Choice.ENTRY)]
    ballots = [Ballot.of(judge, {"E1": 1, "C1": 2}) for judge in ("J1", "J2")]
    for last, w in ((ballots[1], 1), (replace(ballots[1], excluded="left early"), None)):
        found = statistics_of_tally(verdicts, [ballots[0], last])["judged"]
        assert found["agreement"]["rankings"]["w"] == w


# Words


@pytest.mark.parametrize(
    ("value", "said"),
    [
        *((None, "–"), (0.0, "0 %"), (0.001, "under 1 %"), (0.125, "13 %"), (0.375, "38 %")),
        *((0.532, "53 %"), (0.999, "over 99 %"), (1.0, "100 %")),
    ],
)
def test_a_share_in_words_is_never_none_or_all_that_is_not(value: float | None, said: str) -> None:
    assert percent(value) == said


@pytest.mark.parametrize(
    ("chance", "said"),
    [
        (1.0, "in every such contest"),
        (0.999, "in more than 99 of 100 such contests"),
        (0.23, "in about 23 of 100 such contests"),
        (0.0042, "in about 4 of 1,000 such contests"),
        (0.0, "in fewer than 1 of 1,000 such contests"),
    ],
)
def test_a_chance_in_words(chance: float, said: str) -> None:
    assert in_contests(chance) == said


def twelve(*, taken: int) -> dict[str, Any]:
    """The parts of twelve judges on one entry, by their names."""
    verdicts = [
        Verdict(
            Pairing(at, f"J{at}", "E1", f"C{at}"),
            Choice.ENTRY if at <= taken else Choice.CONFEDERATE,
        )
        for at in range(1, 13)
    ]
    return {part["name"]: part for part in parts_of(statistics_of_tally(verdicts, []))}


def test_a_share_is_told_so_that_it_can_not_be_misread() -> None:
    assert (
        "With 12 verdicts, 3 of 12 took E1 for the human (25 %): a chance anywhere between 9 % and "
        "53 % would be compatible with that." in twelve(taken=3)["shares"]["said"]
    )
    assert between(share(3, 12)["wilson"]) == "between 9 % and 53 %"


def test_who_won_all_is_said_to_have_no_strength_without_the_penalty() -> None:
    part = twelve(taken=12)["strengths"]
    assert "E1 was taken for the human in every pairing. Without the penalty" in part["said"][1]
    assert "were taken for the human in no pairing" in part["said"][2]
    assert "half a verdict won and half a verdict lost" in part["method"]
    # Equally strong ones are told together.
    everybody = ", ".join(f"C{at}" for at in range(1, 12)) + " and C12 in 44 % (between "
    assert everybody in part["said"][0]


def test_every_part_names_its_method_and_what_it_supposes(whole: Json) -> None:
    parts = parts_of(whole)
    names = ["shares", "guessing", "strengths", "agreement", "talks"]
    assert [part["name"] for part in parts] == names
    for part in parts:
        assert part["said"]
        assert min(len(part["method"]), len(part["supposes"])) > 40
        if part["table"] is not None:
            assert {len(row) for row in part["table"]["rows"]} == {len(part["table"]["columns"])}
    said = parts[0]["said"]
    assert len(said) == 4
    assert said[1].startswith("With 4 verdicts each, 1 of 4 took E1, E2 and E3 for the human")
    text = statistics_text(whole)
    for part in parts:
        assert f"\n{part['title']}\n{'-' * len(part['title'])}\n" in text


def test_of_nothing_there_is_no_part() -> None:
    assert parts_of(Results(small(close=False).read()).statistics) == []
    nothing = Schedule.of([Pairing(1, "J1", "E1", "C1")])
    assert parts_of(statistics_of_tally([], [], nothing)) == []


@pytest.mark.parametrize("speed", [1, 60])
def test_a_contest_in_a_hurry_is_said_to_be_one(whole: Json, speed: int) -> None:
    said = statistics_text(whole, speed)
    assert ("This contest was played at 60 times real time" in said) == (speed == 60)


def test_the_score_table_is_never_cut_and_names_are_no_markup() -> None:
    assert score_table(contest().read().tally)[-3:] == [
        "score          1      1   1   3",
        "mean rank  5.125  5.875   7   8",
        "place          2      3   4   1",
    ]
    names = [f"[red]{'x' * 90}{at}" for at in range(3)]
    pairings = [Pairing(at, "J1", name, f"C{at}") for at, name in enumerate(names, 1)]
    lines = score_table(scheduler.tally([], [], Schedule.of(pairings)), lines=True)
    assert all(name in "".join(lines) for name in names)


# What is withheld, and without the extra


def test_a_talk_that_is_withheld_is_counted_and_not_measured() -> None:
    b = reforge(brief().drafts)
    b.write(bodies.ConsentGiven("C1", False, 1), actor="C1")
    found = Results(b.read()).statistics
    assert found["withheld_talks"] == 2
    assert {talk["entity"] for talk in found["talks"]} == {"E1", "E2", "C2"}
    assert "2 talks left out at the wish of a participant." in parts_of(found)[-1]["said"]
    # Whom the judges took for the human is the result, and stays.
    assert found["judged"]["programs_taken_for_human"]["out_of"] == 4


def test_without_the_extra_the_rest_is_there_and_it_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    share.cache_clear()
    for name in ("numpy", "scipy.stats", "scipy.optimize", "matplotlib.figure"):
        monkeypatch.setitem(sys.modules, name, None)
    results = Results(contest().read())
    assert results.statistics["judged"] is None
    assert "the extra 'science'" in results.statistics["missing"]
    assert len(results.statistics["talks"]) == 32
    assert [part["name"] for part in parts_of(results.statistics)] == ["talks"]
    page = "".join(page_stream(results))
    assert "the extra &#39;science&#39;" in page
    assert 'id="t-square"' in page
    with pytest.raises(ScienceMissing, match="science"):
        twelve(taken=3)


def test_nothing_heavy_is_imported_before_it_is_used() -> None:
    script = (
        "import sys, contest.results.exports, contest.results.page, loebner.replay;"
        "print(*sorted({'numpy', 'scipy', 'matplotlib'} & set(sys.modules)));"
        "import contest.results.text"
    )
    run = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        text=True,
        check=True,
        cwd=Path(__file__).parents[3],
    )
    assert run.stdout.strip() == ""


def test_verdicts_alone_need_no_record() -> None:
    script = (
        "import sys, contest.results.text, contest.results.statistics, contest.results.rhythm;"
        "print(*sorted({'sqlalchemy', 'rfc8785', 'jinja2', 'aiohttp'} & set(sys.modules)))"
    )
    run = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        text=True,
        check=True,
        cwd=Path(__file__).parents[3],
    )
    assert run.stdout.strip() == ""
