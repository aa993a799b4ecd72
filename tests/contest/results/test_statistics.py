"""Tests statistics: intervals by their definitions, chances by enumerating all tables, agreement
and strengths by closed forms and other libraries; the words, what is withheld, and the document
without the extra."""

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

import scheduler
from contest.record import bodies
from contest.results.document import Results
from contest.results.page import page_stream
from contest.results.statistics import (
    MEASURES,
    Json,
    Number,
    ScienceMissing,
    agreement_of_rankings,
    agreement_of_verdicts,
    fisher,
    guessing,
    import_science,
    interval,
    statistics_of_tally,
    strengths,
)
from contest.results.text import in_contests, parts_of, percent, score_table, span, statistics_text
from scheduler import Ballot, Choice, Pairing, Schedule, Verdict, schedule_2010
from tests.contest.build import FOOLED, Builder, brief, contest, reforge, small

# Shares


@pytest.mark.parametrize(
    ("taken", "out_of", "wilson"),
    [(1, 4, "4.6 to 69.9 %"), (3, 12, "8.9 to 53.2 %"), (5, 60, "3.6 to 18.1 %")],
)
def test_wilson_intervals_of_contests(taken: int, out_of: int, wilson: str) -> None:
    assert span(*interval(taken, out_of, "Wilson")) == wilson


@pytest.mark.parametrize("out_of", [1, 4, 12, 1000])
def test_intervals_match_their_definitions(out_of: int) -> None:
    stats = import_science("scipy.stats")
    for taken in {0, 1, out_of // 3, out_of - 1, out_of}:
        low, high = interval(taken, out_of, "Wilson")
        for end, bound in ((low, 0), (high, 1)):
            # Each end is 1.96 standard errors from the share, but not below 0 or above 1.
            off, error = (taken / out_of - end) ** 2, end * (1 - end) / out_of
            assert end == bound or off == pytest.approx(stats.norm.ppf(0.975) ** 2 * error)
        low, high = interval(taken, out_of, "Clopper-Pearson")
        assert stats.binom.sf(taken - 1, out_of, low) == pytest.approx(0.025 if taken else 1)
        assert stats.binom.cdf(taken, out_of, high) == pytest.approx(0.025 if taken < out_of else 1)


@pytest.mark.parametrize(
    ("one", "other", "chance"),
    [((5, 8), (0, 8), 2 * 56 / 4368), ((4, 4), (0, 4), 2 / 70), ((1, 4), (1, 4), 1.0)],
)
def test_two_shares_are_compared_by_their_difference(
    one: tuple[int, int], other: tuple[int, int], chance: float
) -> None:
    assert fisher(one, other) == fisher(other, one) == pytest.approx(chance)


# Guessing


def values(numbers: Any) -> dict[tuple[str, str], float]:
    return {(each.statistic, each.of): each.value for each in numbers}


@settings(max_examples=40)
@given(
    st.lists(st.integers(1, 4), min_size=1, max_size=3).flatmap(
        lambda sizes: st.tuples(st.tuples(*(st.integers(0, n) for n in sizes)), st.just(sizes))
    )
)
def test_chances_match_an_enumeration_of_all_tables(
    case: tuple[tuple[int, ...], list[int]],
) -> None:
    taken, out_of = case
    found = guessing({f"E{at}": of for at, of in enumerate(zip(taken, out_of, strict=True))})
    cuts = list(pairwise(accumulate(out_of, initial=0)))
    tables = [[sum(t[a:b]) for a, b in cuts] for t in product((0, 1), repeat=sum(out_of))]
    total, best = sum(taken), max(taken)
    same = [t for t in tables if sum(t) == total]
    expected = {
        ("guessing-total-as-low", ""): sum(sum(t) <= total for t in tables) / len(tables),
        ("guessing-total-as-high", ""): sum(sum(t) >= total for t in tables) / len(tables),
        ("guessing-best-as-high", ""): sum(max(t) >= best for t in tables) / len(tables),
        ("alike-best-as-high", ""): sum(max(t) >= best for t in same) / len(same),
    }
    for at, score in enumerate(taken):
        own = sum(t[at] >= score for t in tables) / len(tables)
        expected["guessing-score-as-high", f"E{at}"] = own
    assert values(found) == pytest.approx(expected)


# Agreement


def test_krippendorffs_own_example() -> None:
    # K. Krippendorff, Computing Krippendorff's Alpha-Reliability (2011), A: two observers, ten
    # units, binary: 0.095.
    meg, owen = [0, 1, 0, 0, 0, 0, 0, 0, 1, 0], [1, 1, 1, 0, 0, 1, 0, 0, 0, 0]
    each = [(str(unit), bool(v)) for who in (meg, owen) for unit, v in enumerate(who)]
    # An entry with one verdict has no pair to agree.
    for given_ in (each, [*each, ("E3", True)]):
        (found,) = agreement_of_verdicts(given_)
        assert found.value == pytest.approx(0.095, abs=0.0005)
        assert found.out_of == 20
    (found,) = agreement_of_verdicts([("E1", True)] * 3 + [("E2", False)] * 3)
    assert found.value == 1


def ballot(*ranks: float) -> dict[str, Fraction]:
    return {f"P{at}": Fraction(rank) for at, rank in enumerate(ranks)}


def test_kendalls_w_matches_friedmans_statistic() -> None:
    ballots = [(1.5, 1.5, 3, 4), (2, 1, 3.5, 3.5), (1, 2.5, 2.5, 4), (4, 3, 2, 1)]
    w, chance = agreement_of_rankings([ballot(*each) for each in ballots])
    other = import_science("scipy.stats").friedmanchisquare(*zip(*ballots, strict=True))
    assert (w.value, chance.value) == pytest.approx((other.statistic / 12, other.pvalue))
    w, _ = agreement_of_rankings([ballot(1, 2, 3, 4, 5, 6)] * 4)
    assert w.value == pytest.approx(1)
    # Participants who are not on all ballots are left out.
    whole = [ballot(1, 2, 3), ballot(2, 1, 3)]
    more = [{"X": Fraction(1), **{n: r + 1 for n, r in whole[0].items()}}, whole[1]]
    assert list(agreement_of_rankings(more)) == list(agreement_of_rankings(whole))


@pytest.mark.parametrize(
    "found",
    [
        agreement_of_verdicts([]),
        agreement_of_verdicts([("E1", True), ("E2", False)]),
        agreement_of_verdicts([("E1", False)] * 4),
        agreement_of_rankings([]),
        agreement_of_rankings([ballot(1, 2, 3)]),
        agreement_of_rankings([ballot(1, 2)] * 2),
        agreement_of_rankings([ballot(1, 1, 1), ballot(2, 2, 2)]),
        strengths([], ["E1"]),
    ],
)
def test_numbers_that_can_not_be_computed_are_left_out(found: Any) -> None:
    assert list(found) == []


# Strengths

PLAN = schedule_2010()
EVERYBODY = PLAN.roster.participants
MIXED = [(p.entry, p.confederate, (p.round, p.judge) in FOOLED) for p in PLAN.pairings]


def log_odds(compared: Any, names: Any) -> dict[str, Number]:
    found = strengths(compared, names)
    return {each.of: each for each in found if each.statistic == "strength-log-odds"}


def test_an_independent_optimizer_finds_the_same_strengths() -> None:
    expit = import_science("scipy.special").expit
    place = {name: at for at, name in enumerate(EVERYBODY)}
    design = np.zeros((len(MIXED), len(EVERYBODY)))
    for row, (entry, confederate, _) in enumerate(MIXED):
        design[row, place[entry]], design[row, place[confederate]] = 1, -1
    won = np.array([taken for *_, taken in MIXED], dtype=int)

    def depth(free: Any) -> float:
        each = np.append(free, -free.sum())
        ahead = design @ each
        likely = won * np.log(expit(ahead)) + (1 - won) * np.log(expit(-ahead))
        return float(-likely.sum() - (np.log(expit(each)) + np.log(expit(-each))).sum() / 2)

    least = import_science("scipy.optimize").minimize(
        depth, np.zeros(len(EVERYBODY) - 1), tol=1e-10
    )
    expected = dict(zip(EVERYBODY, (*least.x, -least.x.sum()), strict=True))
    found = log_odds(MIXED, EVERYBODY)
    assert {who: each.value for who, each in found.items()} == pytest.approx(expected, abs=1e-4)
    ordered = [round(each.value, 6) for each in found.values()]
    assert ordered == sorted(ordered, reverse=True)
    # Equal strengths stay in the order of the roster.
    assert [who for who in found if who in ("E1", "E2", "E3")] == ["E1", "E2", "E3"]
    # The curvature of the same function, by finite differences.
    step, each_ = 1e-3, np.eye(7) * 1e-3
    bend = [
        [
            sum(
                a * b * depth(least.x + a * one + b * other) for a in (1, -1) for b in (1, -1)
            ) / (4 * step**2)
            for other in each_
        ]
        for one in each_
    ]  # fmt: skip
    wide = 1.959964 * math.sqrt(np.linalg.inv(bend)[0][0])
    first = found[EVERYBODY[0]]
    assert first.high is not None
    assert first.high - first.value == pytest.approx(wide, abs=1e-3)


@settings(max_examples=15)
@given(st.lists(st.booleans(), min_size=16, max_size=16), st.permutations(EVERYBODY))
def test_properties_of_strengths(verdicts: list[bool], names: list[str]) -> None:
    pairs = zip(PLAN.pairings, verdicts, strict=True)
    compared = [(p.entry, p.confederate, taken) for p, taken in pairs]
    found = {who: each.value for who, each in log_odds(compared, EVERYBODY).items()}
    for each in strengths(compared, EVERYBODY):
        assert each.low is not None
        assert each.high is not None
        assert -math.inf < each.low < each.value < each.high < math.inf
    # Renaming participants changes only the names.
    new = dict(zip(EVERYBODY, names, strict=True))
    again = log_odds([(new[one], new[other], taken) for one, other, taken in compared], EVERYBODY)
    renamed = {who: each.value for who, each in again.items()}
    assert renamed == pytest.approx({new[who]: v for who, v in found.items()}, abs=1e-6)
    # A further verdict never weakens the one it favours.
    entry, human = PLAN.pairings[0].entry, PLAN.pairings[0].confederate
    more = log_odds([*compared, (entry, human, True)], EVERYBODY)
    assert more[entry].value - more[human].value > found[entry] - found[human]


def test_unconnected_participants_have_no_strengths() -> None:
    apart, names = [("E1", "C1", True), ("E2", "C2", False)], ["E1", "E2", "C1", "C2"]
    assert log_odds(apart, names) == {}
    assert len(log_odds([*apart, ("E1", "C2", True)], names)) == 4
    # A thousand wins give a higher strength than one win.
    often = log_odds([("E1", "C1", True)] * 1000, names)["E1"].value
    assert 3 < often < 9


# A contest


@pytest.fixture(scope="module")
def whole() -> Json:
    """The statistics of the whole contest."""
    return Results(contest().read()).statistics


def test_shares_match_the_table(whole: Json) -> None:
    taken = {(each["statistic"], each["of"]): each["taken"] for each in whole["numbers"]}
    assert [taken["entry-taken-for-human", f"E{at}"] for at in (1, 2, 3, 4)] == [1, 1, 1, 3]
    assert [taken["judge-recognized-human", f"J{at}"] for at in (1, 2, 3, 4)] == [1, 3, 2, 4]
    assert sum(taken["confederate-recognized", f"C{at}"] for at in (1, 2, 3, 4)) == 10
    assert taken["programs-taken-for-human", ""] == 6
    assert whole["numbers"][0]["out_of"] == 16


def test_only_counting_talks_are_measured(whole: Json) -> None:
    rows = [row for row in whole["typing"] if row["author"] == "judge"]
    assert len(rows) == 32
    assert {row["attempt"] for row in rows if row["round"] == 2} == {2}
    assert sum(bool(row["taken_for_human"]) for row in rows) == 16
    # In round 3 the clock was stopped for half a minute, which is not a typing pause.
    third, first = (next(row for row in rows if row["round"] == n) for n in (3, 1))
    assert third["longest_ms"] < first["longest_ms"] + 5_000


def test_programs_are_compared_with_the_human_of_the_same_desk(whole: Json) -> None:
    assert [each["measure"] for each in whole["separations"]] == [name for name, *_ in MEASURES]

    def play(b: Builder, talks: dict[str, str]) -> None:
        b.type(talks["E1"], "entity", "E1", "a long line of text\n")
        b.type(talks["C1"], "entity", "C1", "sho\brt\n")

    rows = Results(small(play).read()).statistics["separations"]
    found = {row["measure"]: row for row in rows}
    line = found["line"]
    assert (line["programs"], line["humans"]) == (19, 4)
    assert (line["program_more"], line["out_of"]) == (1, 1)
    assert (found["backspace"]["program_more"], found["backspace"]["out_of"]) == (0, 1)
    assert (found["gap"]["out_of"], found["gap"]["equal"]) == (0, 1)
    assert found["answer"]["programs"] is None


def test_excluded_ballots_are_ignored() -> None:
    verdicts = [Verdict(Pairing(1, "J1", "E1", "C1"), Choice.ENTRY)]
    ranks = {"E1": 1, "C1": 2, "C2": 3}
    ballots = [Ballot.of(judge, ranks) for judge in ("J1", "J2")]
    for last, count in ((ballots[1], 1), (replace(ballots[1], excluded="left early"), 0)):
        found = statistics_of_tally(verdicts, [ballots[0], last])["numbers"]
        assert sum(each["statistic"] == "agreement-rankings" for each in found) == count


# Words


def test_shares_and_chances_in_words() -> None:
    for value, said in (
        *((None, "–"), (0.0, "0 %"), (0.001, "under 1 %"), (0.125, "13 %"), (0.375, "38 %")),
        *((0.532, "53 %"), (0.999, "over 99 %"), (1.0, "100 %")),
    ):
        assert percent(value) == said
    for chance, said in (
        (1.0, "in every such contest"),
        (0.999, "in more than 99 of 100 such contests"),
        (0.23, "in about 23 of 100 such contests"),
        (0.0042, "in about 4 of 1,000 such contests"),
        (0.0, "in fewer than 1 of 1,000 such contests"),
    ):
        assert in_contests(chance) == said


def twelve(*, taken: int) -> dict[str, Any]:
    """The parts for twelve verdicts on one entry, by name."""
    verdicts = [
        Verdict(
            Pairing(at, f"J{at}", "E1", f"C{at}"),
            Choice.ENTRY if at <= taken else Choice.CONFEDERATE,
        )
        for at in range(1, 13)
    ]
    return {part["name"]: part for part in parts_of(statistics_of_tally(verdicts, []))}


def test_a_shares_sentence_gives_counts_and_interval() -> None:
    assert (
        "3 of 12 verdicts took E1 for the human (25 %): a chance anywhere between 9 % and 53 % "
        "would be compatible with that." in twelve(taken=3)["shares"]["said"]
    )


def test_every_part_has_a_method_and_assumptions(whole: Json) -> None:
    parts = parts_of(whole)
    names = ["shares", "guessing", "strengths", "agreement", "talks"]
    assert [part["name"] for part in parts] == names
    for part in parts:
        assert min(len(part["method"]), len(part["assumptions"])) > 40
        assert {len(row["cells"]) for row in part["rows"]} == {len(part["columns"])}
    text = statistics_text(whole, 60)
    assert "This contest was played at 60 times real time" in text
    assert "3 of 4 verdicts took E4 for the human (75 %)" in " ".join(text.split())
    for part in parts:
        assert f"\n{part['title']}\n{'-' * len(part['title'])}\n" in text


def test_parts_without_data_are_left_out() -> None:
    assert parts_of(Results(small(close=False).read()).statistics) == []
    nothing = Schedule.of([Pairing(1, "J1", "E1", "C1")])
    assert parts_of(statistics_of_tally([], [], nothing)) == []


def test_the_score_table_is_never_truncated_and_names_are_plain_text() -> None:
    assert score_table(contest().read().tally)[-3:] == [
        "score          1      1   1   3",
        "mean rank  5.125  5.875   7   8",
        "place          2      3   4   1",
    ]
    names = [f"[red]{'x' * 90}{at}" for at in range(3)]
    pairings = [Pairing(at, "J1", name, f"C{at}") for at, name in enumerate(names, 1)]
    lines = score_table(scheduler.tally([], [], Schedule.of(pairings)), lines=True)
    assert all(name in "".join(lines) for name in names)


# Withheld talks, and the document without the extra


def test_a_withheld_talk_is_counted_but_not_measured() -> None:
    b = reforge(brief().drafts)
    b.write(bodies.ConsentGiven("C1", False, 1), actor="C1")
    found = Results(b.read()).statistics
    assert found["withheld_talks"] == 2
    assert {row["entity"] for row in found["typing"]} == {"E1", "E2", "C2"}
    assert "2 talks left out at the request of a participant." in parts_of(found)[-1]["said"]
    # Verdicts are part of the result, so they stay.
    assert found["numbers"][0]["out_of"] == 4


def test_without_the_extra_the_document_names_the_package_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    interval.cache_clear()
    for name in ("numpy", "scipy.stats", "matplotlib.figure"):
        monkeypatch.setitem(sys.modules, name, None)
    results = Results(contest().read())
    assert results.statistics["numbers"] == []
    assert "the extra 'science'" in results.statistics["missing"]
    assert len(results.statistics["typing"]) == 64
    assert [part["name"] for part in parts_of(results.statistics)] == ["talks"]
    assert "the extra &#39;science&#39;" in "".join(page_stream(results))
    with pytest.raises(ScienceMissing, match="science"):
        twelve(taken=3)


def test_imports_are_deferred() -> None:
    # Verdicts alone need no record, and heavy packages are imported only on use.
    script = """import sys, contest.results.text, contest.results.rhythm
print(*{"sqlalchemy", "rfc8785", "jinja2", "aiohttp"} & {*sys.modules})
import contest.results.exports, loebner.replay
print(*{"numpy", "scipy", "matplotlib"} & {*sys.modules})"""
    run = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        text=True,
        check=True,
        cwd=Path(__file__).parents[3],
    )
    assert run.stdout.strip() == ""
