"""Tests `loebner schedule make|check` as a person or a program uses it."""

import io
import json
import re
import sys
from pathlib import Path

import pytest

from contest.setup import folder
from contest.state.schedules import change
from loebner.cli import main
from scheduler import schedule_2010
from tests.contest.build import Builder, save

ROUNDS_2010 = """\
Round 1 J1E1C1 J2E2C2 J3E3C3 J4E4C4
Round 2 J2E4C1 J1E3C2 J4E2C3 J3E1C4
Round 3 J3E2C1 J4E1C2 J1E4C3 J2E3C4
Round 4 J4E3C1 J3E4C2 J2E1C3 J1E2C4
"""

MAKE = ["schedule", "make", "--judges", "4", "--entries", "4", "--confederates", "4"]

Output = pytest.CaptureFixture[str]


def sized(judges: object, entries: object, confederates: object, *more: str) -> list[str]:
    """The command with this many judges, entries and confederates."""
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


def test_the_document_of_make_is_the_contracts(capsys: Output) -> None:
    assert main([*MAKE, "--rounds", "1", "--json"]) == 0
    said = capsys.readouterr()
    document = json.loads(said.out)
    assert document["rounds"] == [
        [{"judge": f"J{i}", "entry": f"E{i}", "confederate": f"C{i}"} for i in range(1, 5)]
    ]
    assert set(document) == {"rounds", "pairs", "optimal", "proof"}
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
        (sized(1, 1, 1, "--rounds", "2"), 1, "use 1 round or fewer"),
        (sized(1, 1, 1, "--conflict", "J1E1"), 1, "nobody can meet anybody"),
        (sized(4, 4, 4, "--conflict", "J1J2"), 2, "J1 and J2 never meet anyway"),
        (
            sized(4, 4, 4, "--conflict", "J1"),
            2,
            "field conflicts[0]: 'J1' does not name two people",
        ),
        (
            sized(4, 4, 4, "--conflict", "J1E9"),
            2,
            "'E9', named in a wish (conflict), does not take part",
        ),
        (sized(4, 4, 4, "--away", "J2"), 2, "J2:3"),
        (sized(4, 4, 4, "--away", "J2:x"), 2, "field away.J2[0]: 'x' is not a whole number"),
        (sized(4, 4, 4, "--away", "J2:4-2"), 2, "'4-2' ends before it begins"),
        (sized(4, 4, 4, "--away", "J2:9"), 2, "J2 is away in round 9, but there are 4 rounds"),
        (sized(4, 4, 4, "--desks", "0"), 2, "0 is not a whole number from 1 to 1000"),
        (sized(4, 4, 4, "--desks", "4,4"), 2, "for 4 rounds"),
        (sized(4, 4, 4, "--weight", "d=1"), 2, "'d' is not a wish; the wishes are a, b and c"),
        (sized(4, 4, 4, "--weight", "a"), 2, "a=2"),
        (sized(4, 4, 4, "--weight", "a=0,b=0,c=0"), 2, "all weights are 0"),
        (sized(4, 4, 4, "--hard", "a,x"), 2, "field hard[1]: 'x' is not a wish"),
        (sized(4, 4, 4, "--time", "0"), 2, "--time"),
        (sized(0, 4, 4), 2, "judges must be between 1 and 1000, not 0"),
        (sized(4, -4, 4), 2, "entries must be between 1 and 1000, not -4"),
        (sized(4, 4, 1001), 2, "confederates must be between 1 and 1000, not 1001"),
        (sized("four", 4, 4), 2, "'four' is not a valid integer"),
        (sized("4.5", 4, 4), 2, "'4.5' is not a valid integer"),
        (sized(4, 4, 4, "--rounds", "0"), 2, "rounds must be between 1 and 1000, not 0"),
        (sized(4, 4, 4, "--seed", "-1"), 2, "seed must be a whole number"),
        (sized(4, 4, 4, "--speed", "1"), 2, "--speed"),
        (["schedule", "make", "--judges", "4"], 2, "give --entries, --confederates, or a contest"),
        (
            ["schedule", "make", "/nowhere", "--rounds", "4"],
            2,
            "--rounds: leave it out; the settings of /nowhere",
        ),
        (["schedule", "make", "/nowhere"], 2, "/nowhere: no such folder"),
        (["schedule", "show", "/nowhere"], 2, "/nowhere: no such folder"),
        (["schedule", "check"], 2, "FILE"),
        (["schedule", "check", "/nowhere/plan.csv"], 2, "/nowhere/plan.csv: there is no such file"),
        (["schedule", "check", "/"], 2, "is a directory"),
    ],
)
def test_unusable_input_is_refused_in_one_line(
    args: list[str], code: int, says: str, capsys: Output
) -> None:
    for more in ([], ["--json"]):
        assert main([*args, *more]) == code
        said = capsys.readouterr()
        assert says in said.err
        assert said.err.count("\n") == 1
        assert said.out == ""


@pytest.mark.parametrize(
    ("args", "says", "lacks"),
    [
        (sized(2, 2, 2, "--rounds", "2"), "no Graeco-Latin square of order 2", "E1C2, E2C1"),
        (sized(6, 6, 6, "--rounds", "6"), "Tarry", "E5C6, E6C5"),
        (sized(4, 5, 3, "--rounds", "5", "--hard", "b"), "wish (b) can't be granted", "J"),
    ],
)
def test_impossible_wishes_fail_with_the_best_schedule(
    args: list[str], says: str, lacks: str, capsys: Output, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert main(args) == 1
    said = capsys.readouterr()
    assert says in said.err
    assert f"lacks {'judge with entry' if lacks == 'J' else 'entry with confederate'} {lacks}" in (
        said.err
    )
    assert said.err.count("\n") == 1
    assert said.out.startswith("Round 1 J")
    give(said.out, monkeypatch)
    assert main(["schedule", "check", "-"]) == 1
    assert "nobody is in two places at once" in capsys.readouterr().out
    assert main([*args, "--json"]) == 1
    document = json.loads(capsys.readouterr().out)
    assert document["optimal"] is True
    assert sum(len(pairs["missing"]) for pairs in document["pairs"].values()) in (2, 5)


WISHES = (
    *("--conflict", "J1E2,J3C1,J4E1", "--away", "J2:3", "--away", "E5:1-2"),
    *("--desks", "3,3,3,2,2", "--weight", "a=2", "--hard", "c"),
)


def test_wishes_can_be_given_as_options(capsys: Output) -> None:
    args = sized(4, 5, 3, "--rounds", "5", *WISHES)
    assert main([*args, "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    sizes = [len(play) for play in document["rounds"]]
    assert len(sizes) == 5
    assert max(sizes) <= 3
    assert max(sizes[3:]) <= 2
    met = {
        (number, frozenset(pairing.values()))
        for number, play in enumerate(document["rounds"], 1)
        for pairing in play
    }
    for number, names in met:
        assert not names >= {"J1", "E2"}
        assert not names >= {"J3", "C1"}
        assert not names >= {"J4", "E1"}
        assert not (number == 3 and "J2" in names)
        assert not (number < 3 and "E5" in names)
    assert document["pairs"]["judge_confederate"]["missing"] == ["J3C1"]
    proof = document["proof"]
    assert set(proof) == {"missing", "repeats", "unevenness", "by", "possible", "lost"}
    assert proof["possible"] == {
        "judge_entry": 18,
        "judge_confederate": 11,
        "entry_confederate": 15,
    }
    lost = {pair: each["reason"] for each in proof["lost"] for pair in each["pairs"]}
    assert lost["J1E2"] == "they must not meet (conflict of interest)"
    missing = [pair for pairs in document["pairs"].values() for pair in pairs["missing"]]
    assert sorted(lost) == sorted(missing)
    assert len(document["idle"]) == 5


@pytest.fixture
def contest(tmp_path: Path) -> Path:
    """A contest's folder with three rounds and a conflict in its settings."""
    text = folder.template().replace("conflicts = []", 'conflicts = ["J1E2"]')
    text = text.replace("rounds = 4 ", "rounds = 3 ", 1)
    folder.make(tmp_path / "c", text)
    return tmp_path / "c"


def test_numbers_and_wishes_come_from_a_contest_folder(contest: Path, capsys: Output) -> None:
    assert main(["schedule", "make", str(contest), "--away", "J2:3", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert len(document["rounds"]) == 3
    assert "J1E2" in document["pairs"]["judge_entry"]["missing"]
    assert "J2" in document["idle"][2]
    assert main(["schedule", "make", str(contest)]) == 0
    said = capsys.readouterr().out
    assert "# J1E2 never meets: they must not meet (conflict of interest)\n" in said
    (contest / "plan.txt").write_text(said)
    file = contest / "contest.toml"
    file.write_text(file.read_text().replace('schedule = ""', 'schedule = "plan.txt"'))
    assert main(["schedule", "show", str(contest)]) == 0
    shown = capsys.readouterr().out
    assert shown.partition("#")[0] == said.partition("#")[0]
    assert "# from the file plan.txt\n" in shown


def test_ambiguous_ids_are_written_as_csv(contest: Path, capsys: Output) -> None:
    file = contest / "contest.toml"
    file.write_text(file.read_text().replace('id = "E3"', 'id = "suzette"'))
    assert main(["schedule", "make", str(contest)]) == 0
    said = capsys.readouterr()
    assert said.out.startswith("round,judge,entry,confederate\n1,")
    assert ",suzette," in said.out
    assert "J1E2 never meets" in said.err
    (contest / "plan.csv").write_text(said.out)
    assert main(["schedule", "check", str(contest / "plan.csv")]) == 1
    assert "nobody is in two places at once" in capsys.readouterr().out


def test_show_prints_the_schedule_in_use(contest: Path, tmp_path: Path, capsys: Output) -> None:
    assert main(["schedule", "show", str(contest), "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["from"] == "settings"
    assert "J1E2" in document["pairs"]["judge_entry"]["missing"]
    b = Builder()
    b.open(schedule_2010())
    b.write(change(schedule_2010(), 1, "so it was"), actor="organizer")
    on = save(tmp_path / "on", b)
    assert main(["schedule", "show", str(on)]) == 0
    assert capsys.readouterr().out.startswith(f"{ROUNDS_2010}# as recorded\n")


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
def test_the_three_schedules_of_2010_are_bundled(
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


def test_a_playable_matrix_is_shown_in_rounds(
    tmp_path: Path, capsys: Output, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "matrix.csv"
    file.write_text(",E1,E2,E3\nJ1,C1,C2,C3\nJ2,C2,C3,C1\nJ3,C3,C1,C2\n")
    assert main(["schedule", "check", str(file)]) == 0
    said = capsys.readouterr().out
    assert "the matrix can be played in 3 parallel rounds\none way to play it:\nRound 1 " in said
    give(said[said.index("Round 1") :], monkeypatch)
    assert main(["schedule", "check", "-"]) == 0


PAGE = Path(__file__).parents[2] / "docs" / "reference" / "schedule-and-tally.md"


def test_the_docs_show_the_commands_real_output(
    tmp_path: Path, capsys: Output, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    shown = re.findall(r"```console\n\$ loebner (.*)\n((?:.*\n)*?)```", PAGE.read_text("utf-8"))
    assert shown
    for command, output in shown:
        main(command.split())
        assert capsys.readouterr().out == output
