"""Tests `loebner schedule repair` as an organizer uses it."""

import json
from pathlib import Path

import pytest

from contest.record import bodies
from contest.setup import folder as new_folder
from contest.state.schedules import change
from loebner.cli import main
from loebner.control import read_words
from scheduler import Schedule, read_schedule, schedule_2010
from tests.contest.build import Builder, contest, play_round, save, settings

Output = pytest.CaptureFixture[str]
WITHOUT_TWO = ["schedule", "repair", "2010", "--played", "2", "--gone", "J1", "--gone", "C2"]


def test_both_plans_are_shown(tmp_path: Path, capsys: Output) -> None:
    out = tmp_path / "plan.csv"
    assert main([*WITHOUT_TWO, "--out", str(out)]) == 0
    said = capsys.readouterr().out.splitlines()
    assert said[0] == (
        "2 rounds played; still taking part: 3 judges, 4 entries and 3 confederates; left: J1, C2"
    )
    assert said[1].split() == ["as", "it", "stands", "repaired"]
    assert said[2].startswith("Round 3")
    assert "J3E2C1 J2E3C4" in said[2]
    assert said[4].split() == ["pairs", "lost", "4", "2"]
    assert said[-3] == (
        "The repaired plan loses 2 pairs fewer; no plan loses fewer than 2 (proved by the solver)."
    )
    assert said[-2] == f"To use it, run `loebner control CONTEST replan {out} REASON`."
    assert said[-1] == f"The plan is in {out}."
    plan = read_schedule(out.read_text(encoding="utf-8"))
    assert isinstance(plan, Schedule)
    assert plan.rounds[:2] == schedule_2010().rounds[:2]
    # The file can be used in an order unchanged.
    order = read_words(["replan", str(out), "two are gone"], {})
    assert (order["action"], order["reason"]) == ("replan", "two are gone")
    assert [len(order["rounds"][number]) for number in "1234"] == [4, 4, 3, 3]
    assert order["rounds"]["1"][0] == ("J1", "E1", "C1")


def test_the_plan_stays_if_no_other_is_better(capsys: Output) -> None:
    assert main(["schedule", "repair", "2010", "--played", "2", "--gone", "C2"]) == 0
    said = capsys.readouterr().out
    assert "The old plan can stay; no plan loses fewer than 2 (proved by" in said
    assert "To use it" not in said


def test_json_is_the_only_output(capsys: Output) -> None:
    args = ["schedule", "repair", "2010", "--played", "2", "--void", "2", "--rounds", "5"]
    assert main([*args, "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert [each["judge"] for each in document["void"]] == ["J1", "J2", "J3", "J4"]
    assert document["repaired"]["lost"] == 0
    assert len(document["repaired"]["rounds"]) == 5
    assert main(args) == 0
    said = capsys.readouterr().out
    assert "does not count: round 2 J1E3C2, round 2 J2E4C1" in said
    assert "Round 5" in said


def begun(tmp_path: Path) -> Path:
    """A contest after two rounds, the second of which was voided."""
    b = Builder()
    plan = schedule_2010()
    b.open(plan)
    for number in (1, 2):
        play_round(b, number, plan.rounds[number - 1])
    b.write(bodies.Voided(2, 1, "no light"), actor="organizer")
    return save(tmp_path / "c", b)


def test_a_contests_record_gives_played_and_voided_rounds(tmp_path: Path, capsys: Output) -> None:
    folder = begun(tmp_path)
    assert main(["schedule", "repair", str(folder), "--gone", "E4", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert (document["played"], document["gone"]) == (2, ["E4"])
    assert {each["round"] for each in document["void"]} == {2}
    assert main(["schedule", "repair", str(folder), "--played", "3"]) == 2
    assert "--played" in capsys.readouterr().err


def test_a_contest_that_has_not_begun_is_planned_by_its_settings(
    tmp_path: Path, capsys: Output
) -> None:
    new_folder.make(tmp_path / "c")
    assert main(["schedule", "repair", str(tmp_path / "c"), "--gone", "C2"]) == 1
    assert "this contest has not begun" in capsys.readouterr().err
    assert main(["schedule", "repair", str(tmp_path), "--gone", "C2"]) == 2
    assert "no record here" in capsys.readouterr().err


def test_participants_without_a_desk_can_get_one(tmp_path: Path, capsys: Output) -> None:
    b = Builder()
    plan = schedule_2010()
    b.open(plan, settings())
    without = Schedule.of(p for p in plan.pairings if p.confederate != "C4")
    b.write(change(without, 1, "C4 is ill"), actor="organizer")
    folder = save(tmp_path / "c", b)
    assert main(["schedule", "repair", str(folder), "--gone", "C4"]) == 0
    assert "3 confederates; left: C4" in capsys.readouterr().out
    assert main(["schedule", "repair", str(folder), "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["as_it_stands"]["lost"] == 12
    assert document["repaired"]["lost"] == 0


@pytest.mark.parametrize(
    ("args", "code", "says"),
    [
        (["2010"], 2, "give the number of rounds played, with --played N"),
        (["2010", "--played", "9"], 2, "9 of 4 rounds can't have been played"),
        (["2010", "--played", "4"], 1, "there is nothing left to plan"),
        (["2010", "--played", "2", "--gone", "X"], 2, "nobody has the id 'X'"),
        (["2010", "--played", "2", "--void", "8"], 2, "there is no round 8"),
        (["2010", "--played", "2", "--void", "3"], 2, "was not played, so it can't be void"),
        (["2010-published-matrix", "--played", "2"], 2, "is a matrix without rounds"),
        (["nowhere.csv", "--played", "2"], 2, "nowhere.csv: there is no such file"),
        (["2010", "--played", "2", "--out", "/nowhere/x.csv"], 2, "can't be written"),
    ],
)
def test_impossible_requests_are_refused_in_one_line(
    args: list[str], code: int, says: str, capsys: Output
) -> None:
    assert main(["schedule", "repair", *args]) == code
    said = capsys.readouterr()
    assert says in said.err
    assert said.err.count("\n") == 1
    assert said.out == ""


def test_a_finished_contest_has_no_remaining_rounds(tmp_path: Path, capsys: Output) -> None:
    folder = save(tmp_path / "c", contest())
    assert main(["schedule", "repair", str(folder)]) == 1
    assert "all 4 rounds have been played" in capsys.readouterr().err


def test_the_new_plan_is_a_schedule_for_control(tmp_path: Path, capsys: Output) -> None:
    assert main(["control", str(tmp_path), "replan", "2010-published-matrix", "why"]) == 2
    assert "is a matrix without rounds" in capsys.readouterr().err
    lines = tmp_path / "rest.txt"
    lines.write_text("Round 3 J1E1C1\nRound 4 J2E1C1 J1E2C2\n", encoding="utf-8")
    order = read_words(["replan", str(lines), "why"], {})
    assert order["rounds"] == {
        "3": [("J1", "E1", "C1")],
        "4": [("J2", "E1", "C1"), ("J1", "E2", "C2")],
    }


def test_ambiguous_ids_are_written_as_csv(tmp_path: Path, capsys: Output) -> None:
    plan = tmp_path / "plan.csv"
    plan.write_text(
        "round,judge,entry,confederate\n1,Ann,Eliza,Bob\n2,Ann,Eve,Cy\n2,Al,Eliza,Bob\n",
        encoding="utf-8",
    )
    assert main(["schedule", "repair", str(plan), "--played", "1"]) == 0
    said = capsys.readouterr().out
    assert "Al/Eliza/Bob" in said
    assert "Al/Eve" in said
