"""`loebner schedule make|check` as a person or a program uses it."""

import io
import json
import re
import sys
from pathlib import Path

import pytest

from loebner.cli import main

ROUNDS_2010 = """\
Round 1 J1E1C1 J2E2C2 J3E3C3 J4E4C4
Round 2 J2E4C1 J1E3C2 J4E2C3 J3E1C4
Round 3 J3E2C1 J4E1C2 J1E4C3 J2E3C4
Round 4 J4E3C1 J3E4C2 J2E1C3 J1E2C4
"""

MAKE = ["schedule", "make", "--judges", "4", "--entries", "4", "--confederates", "4"]

Output = pytest.CaptureFixture[str]


def sized(judges: object, entries: object, confederates: object, *more: str) -> list[str]:
    """The command for so many of each."""
    numbers = {"--judges": judges, "--entries": entries, "--confederates": confederates}
    return ["schedule", "make", *(str(x) for pair in numbers.items() for x in pair), *more]


def give(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Puts text on standard input."""
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode()), "utf-8"))


def test_make_prints_the_schedule_of_2010_then_its_proof(capsys: Output) -> None:
    assert main(MAKE) == 0
    said = capsys.readouterr()
    assert said.out.startswith(ROUNDS_2010)
    proof = said.out.removeprefix(ROUNDS_2010).splitlines()
    assert proof
    assert all(line.startswith("# ") for line in proof)
    assert "# judge with entry: 16 of 16; none repeated; none missing" in proof
    assert said.err == ""


@pytest.mark.parametrize("more", [[], ["--seed", "7"], ["--json"], ["--json", "--seed", "7"]])
def test_what_is_made_passes_the_check(
    more: list[str], capsys: Output, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert main([*MAKE, *more]) == 0
    give(capsys.readouterr().out, monkeypatch)
    assert main(["schedule", "check", "-"]) == 0
    assert capsys.readouterr().out.startswith("standard input: valid\n")


def test_the_document_of_make_is_the_contracts(capsys: Output) -> None:
    assert main([*MAKE, "--rounds", "1", "--json"]) == 0
    said = capsys.readouterr()
    document = json.loads(said.out)
    assert document["rounds"] == [
        [{"judge": f"J{i}", "entry": f"E{i}", "confederate": f"C{i}"} for i in range(1, 5)]
    ]
    assert set(document) == {"rounds", "pairs", "optimal"}
    assert document["optimal"] is True
    assert set(document["pairs"]) == {"judge_entry", "judge_confederate", "entry_confederate"}
    pairs = document["pairs"]["judge_entry"]
    assert (pairs["covered"], pairs["of"], pairs["repeated"]) == (4, 16, [])
    assert len(pairs["missing"]) == 12
    assert pairs["missing"][:4] == ["J1E2", "J1E3", "J1E4", "J2E1"]
    assert said.err == ""


@pytest.mark.parametrize(
    ("args", "code", "says"),
    [
        (sized(2, 2, 2), 1, "no Graeco-Latin square of order 2"),
        (sized(6, 6, 6), 1, "Tarry"),
        (sized(10, 10, 10), 1, "not by finite fields"),
        (sized(4, 5, 3), 1, "unequal numbers can't be made yet"),
        (sized(4, 4, 4, "--rounds", "5"), 1, "take 4 rounds or fewer"),
        (sized(0, 4, 4), 2, "0 is no number of judges; give 1 to 1000"),
        (sized(4, -4, 4), 2, "-4 is no number of entries"),
        (sized(4, 4, 1001), 2, "1001 is no number of confederates"),
        (sized("four", 4, 4), 2, "'four' is not a valid integer"),
        (sized("4.5", 4, 4), 2, "'4.5' is not a valid integer"),
        (sized(4, 4, 4, "--rounds", "0"), 2, "0 is no number of rounds"),
        (sized(4, 4, 4, "--seed", "-1"), 2, "-1 is no seed"),
        (sized(4, 4, 4, "--speed", "1"), 2, "--speed"),
        (["schedule", "make", "--judges", "4"], 2, "--entries"),
        (["schedule", "check"], 2, "FILE"),
        (["schedule", "check", "/nowhere/plan.csv"], 2, "/nowhere/plan.csv: there is no such file"),
        (["schedule", "check", "/"], 2, "is a directory"),
    ],
)
def test_what_is_refused_is_one_clear_line(
    args: list[str], code: int, says: str, capsys: Output
) -> None:
    for more in ([], ["--json"]):
        assert main([*args, *more]) == code
        said = capsys.readouterr()
        assert says in said.err
        assert said.err.count("\n") == 1
        assert said.out == ""


@pytest.mark.parametrize(
    ("name", "code", "says"),
    [
        ("2010", 0, "judge with entry: 16 of 16"),
        (
            "2010-published-list",
            1,
            "judge with entry: 12 of 16; repeated: J1E1, J2E4, J3E3, J4E2; "
            "missing: J1E4, J2E1, J3E2, J4E3\n",
        ),
        ("2010-published-matrix", 1, "has no transversal and can't be played in 4 parallel rounds"),
    ],
)
def test_the_three_schedules_of_2010_are_at_hand(
    name: str, code: int, says: str, capsys: Output
) -> None:
    assert main(["schedule", "check", name]) == code
    said = capsys.readouterr()
    assert said.out.startswith(f"{name}: {'not ' * code}valid\n")
    assert says in said.out
    assert said.err == ""


def test_the_document_of_check_is_the_contracts(capsys: Output) -> None:
    assert main(["schedule", "check", "2010-published-list", "--json"]) == 1
    said = capsys.readouterr()
    document = json.loads(said.out)
    assert set(document) == {"valid", "pairs", "rounds", "schedulable", "reason"}
    assert document["valid"] is False
    assert document["schedulable"] is True
    assert document["rounds"] == {"clashes": []}
    assert document["pairs"]["judge_entry"] == {
        "covered": 12,
        "of": 16,
        "repeated": ["J1E1", "J2E4", "J3E3", "J4E2"],
        "missing": ["J1E4", "J2E1", "J3E2", "J4E3"],
    }
    assert said.err == ""


def test_a_file_goes_before_a_name_of_ours(
    tmp_path: Path, capsys: Output, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("2010").write_text("Round 1 J1E1C1 J2E1C2\n")
    assert main(["schedule", "check", "2010"]) == 1
    assert "in two places at once: Round 1: E1 in J1E1C1 and J2E1C2" in capsys.readouterr().out


def test_a_matrix_that_can_be_played_is_shown_in_rounds(
    tmp_path: Path, capsys: Output, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "matrix.csv"
    file.write_text(",E1,E2,E3\nJ1,C1,C2,C3\nJ2,C2,C3,C1\nJ3,C3,C1,C2\n")
    assert main(["schedule", "check", str(file)]) == 0
    said = capsys.readouterr().out
    assert "the matrix can be played in 3 parallel rounds\none way to play it:\nRound 1 " in said
    give(said[said.index("Round 1") :], monkeypatch)
    assert main(["schedule", "check", "-"]) == 0


def test_a_matrix_of_other_names_is_shown_as_csv(tmp_path: Path, capsys: Output) -> None:
    file = tmp_path / "matrix.csv"
    file.write_text(",Eliza\nAnn,Bob\n")
    assert main(["schedule", "check", str(file)]) == 0
    assert capsys.readouterr().out.endswith("round,judge,entry,confederate\n1,Ann,Eliza,Bob\n")


def test_text_from_a_file_stays_text(tmp_path: Path, capsys: Output) -> None:
    file = tmp_path / "[red]plan.csv"
    file.write_text("round,judge,entry,confederate\n1,[bold]J1,E\x1b[31m1,C1\n")
    assert main(["schedule", "check", str(file)]) == 2
    said = capsys.readouterr().err
    assert r"[red]plan.csv, line 2, field entry: 'E\x1b[31m1' holds a character" in said


PAGE = Path(__file__).parents[2] / "docs" / "reference" / "schedule-and-tally.md"


def test_the_page_shows_what_the_commands_print(capsys: Output) -> None:
    shown = re.findall(r"```console\n\$ loebner (.*)\n((?:.*\n)*?)```", PAGE.read_text("utf-8"))
    assert len(shown) == 2
    for command, output in shown:
        main(command.split())
        assert capsys.readouterr().out == output
