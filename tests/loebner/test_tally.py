"""Tests `loebner tally` as a person or a program uses it."""

import json
from pathlib import Path

import pytest

from contest.results.contest import Contest
from loebner.cli import main
from scheduler import Pairing, schedule_2010
from tests.contest.build import brief, save, small

Output = pytest.CaptureFixture[str]

FAVOUR = {"J1E1C1", "J3E1C4", "J2E4C1"}
HEAD = "round,judge,entry,confederate,verdict\n"


def row(pairing: Pairing) -> str:
    """A line of a verdicts file."""
    verdict = "entry" if pairing.label in FAVOUR else "confederate"
    p = pairing
    return f"{p.round},{p.judge},{p.entry},{p.confederate},{verdict}\n"


ROWS = [row(pairing) for pairing in schedule_2010().pairings]
ALL = HEAD + "".join(ROWS)
ORDER = ("E1", "E2", "E3", "E4", "C1", "C2", "C3", "C4")
RANKINGS = "judge,participant,rank\n" + "".join(
    f"J{j},{name},{rank}\n" for j in range(1, 5) for rank, name in enumerate(ORDER, 1)
)
BALLOTS_2016 = ((1, 2, 3, 4), (1, 2, 3, 4), (1, 3, 2, 4), (2, 2, 3, 1))
RANKINGS_2016 = "judge,participant,rank\n" + "".join(
    f"J{j},E{e},{rank}\n"
    for j, ranks in enumerate(BALLOTS_2016, 1)
    for e, rank in enumerate(ranks, 1)
)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with v.csv and r.csv, made the current directory."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "v.csv").write_text(ALL)
    (tmp_path / "r.csv").write_text(RANKINGS)
    return tmp_path


@pytest.mark.usefixtures("folder")
def test_a_whole_contest_is_tallied_and_explained(capsys: Output) -> None:
    assert main(["tally", "v.csv", "r.csv", "--schedule", "2010"]) == 0
    said = capsys.readouterr()
    assert [line.split() for line in said.out.splitlines()[:8]] == [
        ["E1", "E2", "E3", "E4"],
        ["J1", "1", "0", "0", "0"],
        ["J2", "0", "0", "0", "1"],
        ["J3", "1", "0", "0", "0"],
        ["J4", "0", "0", "0", "0"],
        ["score", "2", "0", "0", "1"],
        ["mean", "rank", "1", "2", "3", "4"],
        ["place", "1", "3", "4", "2"],
    ]
    assert said.out.splitlines()[9:] == [
        "E1 has 2; E1 is first.",
        "E4 has 1; E4 is second.",
        "E2 and E3 have 0 each; mean ranks 2 and 3; E2 is third, E3 is fourth.",
        "Silver medal: E1 was taken for the human by J1 and J3, who compared it with C1 and C4.",
        "The contest continues with the audio-visual gold medal (US$ 100,000).",
        "Prizes of 2010:",
        "  E1: US$ 3,000, the bronze medal and the silver medal and US$ 25,000",
        "  E4: US$ 1,000",
        "  E2: US$ 750",
        "  E3: US$ 250",
    ]
    assert said.err == ""


@pytest.mark.usefixtures("folder")
def test_the_document_is_the_contracts(capsys: Output) -> None:
    assert main(["tally", "v.csv", "r.csv", "--json"]) == 0
    said = capsys.readouterr()
    document = json.loads(said.out)
    assert list(document) == ["table", "entries", "winners", "silver", "warnings"]
    assert document["table"]["J1"] == {"E1": 1, "E2": 0, "E3": 0, "E4": 0}
    assert document["entries"][0] == {
        "entry": "E1",
        "score": 2,
        "mean_rank": 1.0,
        "place": 1,
        "tied": False,
    }
    assert [entry["entry"] for entry in document["entries"]] == ["E1", "E4", "E2", "E3"]
    assert document["winners"] == ["E1"]
    assert document["silver"] == [
        {"entry": "E1", "judges": ["J1", "J3"], "confederates": ["C1", "C4"]}
    ]
    assert document["warnings"] == []
    assert said.err == ""


@pytest.mark.parametrize("gap", ["row", "cell"])
def test_a_missing_verdict_leaves_the_result_open(gap: str, folder: Path, capsys: Output) -> None:
    first = "" if gap == "row" else "1,J1,E1,C1,\n"
    (folder / "v.csv").write_text(HEAD + first + "".join(ROWS[1:]))
    assert main(["tally", "v.csv", "--schedule", "2010", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["table"]["J1"]["E1"] is None
    assert document["entries"][0]["mean_rank"] is None
    assert "J1E1C1" in document["warnings"][0]
    assert main(["tally", "v.csv", "--schedule", "2010"]) == 0
    said = capsys.readouterr().out
    assert "So far (1 without a verdict):" in said
    assert "not won so far" in said
    assert "Prizes" not in said


def test_one_document_can_have_verdicts_and_rankings(folder: Path, capsys: Output) -> None:
    verdicts = [
        {
            "round": p.round,
            "judge": p.judge,
            "entry": p.entry,
            "confederate": p.confederate,
            "verdict": "entry",
        }
        for p in schedule_2010().pairings
    ]
    both = {"verdicts": verdicts, "rankings": {"J1": {"E1": 1, "E2": 2.5, "E3": 2.5, "E4": 4}}}
    (folder / "v.json").write_text(json.dumps(both))
    assert main(["tally", "v.json", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert [entry["place"] for entry in document["entries"]] == [1, 2, 2, 4]
    assert "There is no ballot from J2, J3 and J4" in document["warnings"]


FAULTS = [
    (["none.csv"], {}, "none.csv: there is no such file"),
    (["v.csv", "none.csv"], {}, "none.csv: there is no such file"),
    (["v.csv", "."], {}, ".: is a directory"),
    (["v.csv", "--schedule", "2010-published-matrix"], {}, "is a matrix without rounds"),
    (["v.csv"], {"v.csv": ""}, "v.csv: is empty"),
    (["v.csv"], {"v.csv": HEAD}, "v.csv: has no verdicts"),
    (["v.csv"], {"v.csv": "judge,entry\n"}, "v.csv, line 1: the header lacks the columns round"),
    (["v.csv"], {"v.csv": ALL + ROWS[3]}, "v.csv, line 18: a second verdict for round 1, J4E4C4"),
    (
        ["v.csv"],
        {"v.csv": ALL.replace(",verdict", ",human")},
        "v.csv, line 1: the header lacks the column verdict; write round,judge,entry",
    ),
    (
        ["v.csv"],
        {"v.csv": ALL.replace("C2,confederate", "C2,C2")},
        "v.csv, line 3, field verdict: 'C2' is not a verdict",
    ),
    (
        ["v.csv", "--schedule", "2010"],
        {"v.csv": ALL + "3,J1,E1,C1,entry\n"},
        "v.csv, line 18: round 3, J1E1C1 is not in the schedule",
    ),
    (
        ["v.csv", "r.csv"],
        {"r.csv": RANKINGS + "J1,E9,1\n"},
        "r.csv, line 34: participant 'E9' is in no pairing; known: E1, E2",
    ),
    (
        ["v.csv", "r.csv"],
        {"r.csv": RANKINGS + "J5,E1,1\n"},
        "r.csv, line 34: judge 'J5' is in no pairing; known: J1, J2, J3 and J4",
    ),
    (
        ["v.csv", "r.csv"],
        {"r.csv": RANKINGS + "J1,E1,1\n"},
        "r.csv, line 34: E1 is on the ballot of J1 twice",
    ),
    (
        ["v.csv", "r.csv"],
        {"r.csv": "judge,participant,rank\nJ1,E1,9\n"},
        "r.csv, line 2: the rank 9 of E1 is out of range; ranks go from 1 to 8",
    ),
    (
        ["v.csv", "r.csv"],
        {"r.csv": "judge,participant,rank\nJ1,E1,0\n"},
        "r.csv, line 2: the rank 0 of E1 is out of range",
    ),
    (
        ["v.csv", "r.csv"],
        {"r.csv": "judge,participant,rank\nJ1,E1,nan\n"},
        "r.csv, line 2, field rank: 'nan' is not a rank",
    ),
    (["v.csv", "r.csv"], {"r.csv": "judge,rank\n"}, "lacks the column participant"),
]


@pytest.mark.parametrize(("args", "files", "says"), FAULTS, ids=lambda x: str(x)[-50:])
def test_unusable_input_is_refused_in_one_line(
    args: list[str], files: dict[str, str], says: str, folder: Path, capsys: Output
) -> None:
    for name, text in files.items():
        (folder / name).write_text(text)
    for more in ([], ["--json"]):
        assert main(["tally", *args, *more]) == 2
        said = capsys.readouterr()
        assert says in said.err
        assert said.err.count("\n") == 1
        assert said.out == ""


def test_text_from_files_is_printed_whole_and_escaped(folder: Path, capsys: Output) -> None:
    names = [f"[bold]:warning: program number {i}[/bold]" for i in range(9)]
    rows = [f"{i},J1,{name},C1,entry\n" for i, name in enumerate(names, 1)]
    (folder / "v.csv").write_text(HEAD + "".join(rows))
    assert main(["tally", "v.csv"]) == 0
    said = capsys.readouterr().out
    head = said.splitlines()[0]
    assert all(name in head for name in names), "plain text, not truncated at 80 columns"


def test_a_contests_folder_is_tallied(tmp_path: Path, capsys: Output) -> None:
    contest = save(tmp_path / "c", brief())
    assert main(["tally", str(contest), "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == Contest.load(contest).tally.as_json()
    assert main(["tally", str(contest)]) == 0
    said = capsys.readouterr().out
    assert "Final: all verdicts are in, and the contest is closed." in said
    assert "Prizes of 2010:" in said


def test_statistics_can_be_shown_with_the_result(folder: Path, capsys: Output) -> None:
    contest = save(folder / "c", brief())
    for where in (["v.csv", "r.csv"], [str(contest)]):
        assert main(["tally", *where]) == 0
        alone = capsys.readouterr().out
        assert main(["tally", *where, "--statistics"]) == 0
        with_more = capsys.readouterr().out
        assert with_more.startswith(f"{alone}\nStatistics\n")
        assert "None of this changes the official result" in with_more
        assert main(["tally", *where, "--json"]) == 0
        document = json.loads(capsys.readouterr().out)
        assert main(["tally", *where, "--json", "--statistics"]) == 0
        beside = json.loads(capsys.readouterr().out)
        assert beside.pop("statistics")["numbers"]
        assert beside == document


def test_an_interim_result_lists_missing_items(tmp_path: Path, capsys: Output) -> None:
    contest = save(tmp_path / "c", small())
    assert main(["tally", str(contest)]) == 0
    said = capsys.readouterr().out
    assert "Provisional: no ballot from J1." in said
    assert "Prizes" not in said
