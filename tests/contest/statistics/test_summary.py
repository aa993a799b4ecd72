"""The statistics of a contest: shares of its table, talks side by side, words, what is withheld,
and what is said where the extra is not installed."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from contest.record import bodies
from contest.results.document import Results
from contest.results.page import page_stream
from contest.statistics import ScienceMissing
from contest.statistics.summary import MEASURES, Statistics, statistics_of_tally
from contest.statistics.text import parts_of, percent
from scheduler import Ballot, Choice, Pairing, Schedule, Verdict
from tests.contest.build import Builder, brief, contest, reforge, small


@pytest.fixture(scope="module")
def whole() -> Statistics:
    """Of the whole contest."""
    return Results(contest().view()).statistics


def test_shares_are_those_of_the_table(whole: Statistics) -> None:
    assert whole.judged is not None
    assert {who: s.taken for who, s in whole.judged.entries_taken_for_human.items()} == {
        "E1": 1, "E2": 1, "E3": 1, "E4": 3,
    }  # fmt: skip
    assert (
        whole.judged.programs_taken_for_human.taken,
        whole.judged.programs_taken_for_human.out_of,
    ) == (6, 16)
    assert {who: s.taken for who, s in whole.judged.judges_recognized_human.items()} == {
        "J1": 1, "J2": 3, "J3": 2, "J4": 4,
    }  # fmt: skip
    assert sum(s.taken for s in whole.judged.confederates_recognized.values()) == 10


def test_only_talks_that_count_are_measured(whole: Statistics) -> None:
    assert len(whole.talks) == 32
    assert {talk.attempt for talk in whole.talks if talk.round == 2} == {2}
    assert sum(bool(talk.taken_for_human) for talk in whole.talks) == 16
    assert sum(bool(talk.taken_for_human) for talk in whole.talks if talk.is_program) == 6


def test_a_pause_of_the_round_is_no_pause_of_whoever_types(whole: Statistics) -> None:
    third = next(t for t in whole.talks if t.round == 3)
    others = next(t for t in whole.talks if t.round == 1)
    assert third.rhythm["judge"].longest_ms is not None
    assert others.rhythm["judge"].longest_ms is not None
    # The clock was stopped for half a minute.
    assert third.rhythm["judge"].longest_ms < others.rhythm["judge"].longest_ms + 5_000


def test_every_measure_is_told_whatever_comes_out(whole: Statistics) -> None:
    assert [each.measure for each in whole.separations] == [name for name, *_ in MEASURES]
    for each in whole.separations:
        assert each.program_has_more.out_of + each.equal <= 16
        assert (each.programs.talks, each.humans.talks, each.programs_taken_for_human.talks) == (
            16,
            16,
            6,
        )


def test_programs_are_compared_with_the_human_of_the_same_desk() -> None:
    def play(b: Builder, talks: dict[str, str]) -> None:
        b.type(talks["E1"], "entity", "E1", "a long line of text\n")
        b.type(talks["C1"], "entity", "C1", "sho\brt\n")

    found = {each.measure: each for each in Results(small(play).view()).statistics.separations}
    assert (found["line"].programs.median, found["line"].humans.median) == (19, 4)
    assert (found["line"].program_has_more.taken, found["line"].program_has_more.out_of) == (1, 1)
    assert (
        found["backspace"].program_has_more.taken,
        found["backspace"].program_has_more.out_of,
    ) == (0, 1)
    assert (found["gap"].program_has_more.out_of, found["gap"].equal) == (0, 1)
    assert found["answer"].programs.median is None


def test_the_document_is_json_and_holds_all_talks(whole: Statistics) -> None:
    document = json.loads(whole.as_text())
    assert document["format"] == 1
    assert len(document["talks"]) == 32
    assert document["judged"]["entries_taken_for_human"]["E4"]["taken"] == 3
    assert len(document["gap_bins_ms"]) == len(document["gaps"]["judges"]) + 1


# Words


def twelve(*, taken: int) -> Statistics:
    """Twelve judges on one entry."""
    verdicts = [
        Verdict(
            Pairing(at, f"J{at}", "E1", f"C{at}"),
            Choice.ENTRY if at <= taken else Choice.CONFEDERATE,
        )
        for at in range(1, 13)
    ]
    return statistics_of_tally(verdicts, [])


def test_a_share_is_told_so_that_it_can_not_be_misread() -> None:
    said = parts_of(twelve(taken=3))[0].said
    assert (
        "With 12 verdicts, 3 of 12 took E1 for the human (25 %): a chance anywhere between 9 % and "
        "53 % would be compatible with that." in said
    )


def test_who_won_all_is_said_to_have_no_strength_without_the_penalty() -> None:
    (part,) = [part for part in parts_of(twelve(taken=12)) if part.name == "strengths"]
    assert "E1 was taken for the human in every pairing. Without the penalty" in part.said[1]
    assert "were taken for the human in no pairing" in part.said[2]
    assert "half a verdict won and half a verdict lost" in part.method


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.125, "13 %"), (0.375, "38 %"), (0.001, "under 1 %"), (0.998, "over 99 %")],
)
def test_a_share_is_rounded_as_people_do(value: float, text: str) -> None:
    assert percent(value) == text


def test_equally_strong_ones_are_told_together() -> None:
    (part,) = [part for part in parts_of(twelve(taken=12)) if part.name == "strengths"]
    assert part.said[0].count("%") == 6
    everybody = ", ".join(f"C{at}" for at in range(1, 12)) + " and C12 in 44 % (between "
    assert everybody in part.said[0]


def test_every_part_names_its_method_and_what_it_supposes(whole: Statistics) -> None:
    parts = parts_of(whole)
    assert [part.name for part in parts] == [
        *("shares", "guessing", "strengths", "agreement", "talks"),
    ]
    for part in parts:
        assert part.said
        assert len(part.method) > 40
        assert len(part.supposes) > 40
        if part.table is not None:
            assert {len(row) for row in part.table.rows} == {len(part.table.columns)}


def test_equal_shares_are_told_together(whole: Statistics) -> None:
    said = parts_of(whole)[0].said
    assert len(said) == 4
    assert said[1].startswith("With 4 verdicts each, 1 of 4 took E1, E2 and E3 for the human")


def test_a_part_about_nothing_is_not_parts_of() -> None:
    assert parts_of(Results(small(close=False).view()).statistics) == []
    nothing = Schedule.of([Pairing(1, "J1", "E1", "C1")])
    assert parts_of(statistics_of_tally([], [], nothing)) == []


def test_ballots_that_do_not_count_are_not_looked_at() -> None:
    verdicts = [Verdict(Pairing(1, "J1", "E1", "C1"), Choice.ENTRY)]
    ballots = [Ballot.of("J1", {"E1": 1, "C1": 2}), Ballot.of("J2", {"E1": 1, "C1": 2})]
    found = statistics_of_tally(verdicts, ballots).judged
    assert found is not None
    assert found.agreement.rankings.w == 1
    out = [ballots[0], replace(ballots[1], excluded="left early")]
    left = statistics_of_tally(verdicts, out).judged
    assert left is not None
    assert left.agreement.rankings.w is None


def test_a_contest_in_a_hurry_is_said_to_be_one() -> None:
    said = [
        [line for part in parts_of(Results(contest(again=False, speed=speed).view()).statistics)
         for line in part.said if "times real time" in line]
        for speed in (1000, 60_000)
    ]  # fmt: skip
    assert said[0] == []
    assert said[1][0].startswith("This contest was played at 60 times real time")


# What is withheld


def test_a_talk_that_is_withheld_is_counted_and_not_measured() -> None:
    b = reforge(brief().drafts)
    b.write(bodies.ConsentGiven("C1", False, 1), actor="C1")
    found = Results(b.view()).statistics
    assert found.withheld == 2
    assert {talk.entity for talk in found.talks} == {"E1", "E2", "C2"}
    (part,) = [part for part in parts_of(found) if part.name == "talks"]
    assert "2 talks left out at the wish of a participant." in part.said
    # Whom the judges took for the human is the result, and stays.
    assert found.judged is not None
    assert found.judged.programs_taken_for_human.out_of == 4


# Without the extra


@pytest.fixture
def bare(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if numpy, scipy and matplotlib were not installed."""
    for name in ("numpy", "scipy.stats", "scipy.optimize", "matplotlib.figure"):
        monkeypatch.setitem(sys.modules, name, None)


@pytest.mark.usefixtures("bare")
def test_without_the_extra_the_rest_is_there_and_it_says_what_to_install() -> None:
    found = Results(contest().view()).statistics
    assert found.judged is None
    assert "the extra 'science'" in found.missing
    assert len(found.talks) == 32
    assert [part.name for part in parts_of(found)] == ["talks"]
    page = "".join(page_stream(Results(contest().view())))
    assert "the extra &#39;science&#39;" in page
    assert 'id="t-square"' in page
    with pytest.raises(ScienceMissing, match="science"):
        twelve(taken=3)


def test_nothing_heavy_is_imported_before_it_is_used() -> None:
    script = (
        "import sys, contest.exports.export;"
        "import contest.results.page, loebner.replay;"
        "print(*sorted({'numpy', 'scipy', 'matplotlib'} & set(sys.modules)))"
    )
    root = Path(__file__).parents[3]
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, cwd=root
    )
    assert done.stdout.strip() == ""
