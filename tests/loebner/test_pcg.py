"""Tests `loebner pcg qualify|extract|level|stability|picture|score` as a person or a program uses
it."""

import csv
import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from loebner.cli import main
from tests.disciplines.chatgpt4pcg.official import DATA, needs_data

Output = pytest.CaptureFixture[str]

PROMPT = "Draw an <OBJECT> with ab_drop('b11', 4)."
RESPONSE = "Here:\n```\nab_drop('b11', 4)\nab_drop('b31', 4)\n```\n"
BROKEN = "```ab_drop('b31', 0)```"


def asked(capsys: Output, *words: object) -> tuple[int, Any]:
    """The exit code of a command and its document."""
    code = main(["pcg", *map(str, words), "--json"])
    said = capsys.readouterr()
    assert said.err == ""
    return code, json.loads(said.out)


def refused(capsys: Output, *words: object) -> str:
    """The line of a command that can't be done."""
    assert main(["pcg", *map(str, words)]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.count("\n") == 1
    assert "Traceback" not in said.err
    return said.err


@pytest.fixture
def level(tmp_path: Path) -> Path:
    """The file of a stable level."""
    program = tmp_path / "program.txt"
    program.write_text("ab_drop('b11', 3)\nab_drop('b11', 5)\nab_drop('b31', 4)\n")
    assert main(["pcg", "level", str(program), "--out", str(tmp_path / "level.xml")]) == 0
    return tmp_path / "level.xml"


def test_a_folder_of_prompts_is_qualified(tmp_path: Path, capsys: Output) -> None:
    folder, out = tmp_path / "prompts", tmp_path / "qualified"
    folder.mkdir()
    (folder / "good.v2.txt").write_text(PROMPT)
    (folder / "long.txt").write_text(PROMPT + " word" * 900)
    (folder / "bytes.txt").write_bytes(b"\xff <OBJECT>")
    (folder / ".hidden").write_text("")
    code, document = asked(capsys, "qualify", folder, "--out", out)
    assert code == 1
    assert [(each["name"], each["status"]) for each in document["entries"]] == [
        ("bytes", "disqualified"),
        ("good.v2", "qualified"),
        ("long", "disqualified"),
    ]
    assert list(document["entries"][0]) == ["name", "status", "reason", "words"]
    assert [file.name for file in out.iterdir()] == ["good.v2.txt"]
    code, document = asked(capsys, "qualify", folder / "good.v2.txt")
    assert (code, document["entries"][0]["words"]) == (0, 8)
    assert asked(capsys, "qualify", folder / "good.v2.txt", "--edition", "2025")[0] == 1
    assert "nothing" in refused(capsys, "qualify", tmp_path / "nothing.txt")


def test_a_program_is_taken_out_of_a_response(tmp_path: Path, capsys: Output) -> None:
    file = tmp_path / "response.txt"
    file.write_text(RESPONSE)
    assert asked(capsys, "extract", file) == (
        *(0, {"code": "ab_drop('b11', 4)\nab_drop('b31', 4)\n"}),
    )
    assert asked(capsys, "extract", file, "--edition", "2024") == (1, {"code": None})
    assert main(["pcg", "extract", str(file)]) == 0
    assert capsys.readouterr().out == "ab_drop('b11', 4)\nab_drop('b31', 4)\n"


@needs_data
def test_levels_are_written_byte_for_byte(tmp_path: Path, capsys: Output) -> None:
    case = json.loads((DATA / "xml.json").read_text("utf-8"))["cases"][3]
    program, out = tmp_path / "program.txt", tmp_path / "deep" / "level.xml"
    program.write_text(case["program"])
    assert main(["pcg", "level", str(program), "--out", str(out)]) == 0
    assert out.read_bytes() == case["xml"].encode()
    capsys.readouterr()
    assert main(["pcg", "level", str(program)]) == 0
    assert capsys.readouterr().out == case["xml"] + "\n"


def test_a_broken_program_says_where(tmp_path: Path, capsys: Output) -> None:
    program = tmp_path / "program.txt"
    program.write_text("ab_drop('b11', 3)\nab_drop('b31', 0)\n")
    code, document = asked(capsys, "level", program, "--out", tmp_path / "level.xml")
    assert (code, document["line"], document["xml"]) == (1, 2, None)
    assert document["error"] == "Width boundary is intruded."
    assert main(["pcg", "level", str(program)]) == 1
    said = capsys.readouterr()
    assert said.out == ""
    assert "line 2" in said.err
    assert not (tmp_path / "level.xml").exists()


def test_stability_of_a_file_and_of_a_folder(level: Path, capsys: Output) -> None:
    capsys.readouterr()
    code, document = asked(capsys, "stability", level)
    row = {"file": str(level), "score": 1.0, "starting": 3, "moving": 0}
    assert (code, document) == (0, {"levels": [row]})
    (level.parent / "bad.xml").write_text("<Level>")
    code, document = asked(capsys, "stability", level.parent, "--blocks")
    bad, good = document["levels"]
    assert code == 1
    assert (bad["score"], bad["starting"]) == (None, None)
    assert "XML" in bad["error"]
    assert good["score"] == 1
    assert len(good["distances"]) == 3
    assert "bad.xml" in refused(capsys, "stability", level.parent / "bad.xml")
    assert main(["pcg", "stability", str(level.parent)]) == 1
    assert "1.0000" in capsys.readouterr().out


def test_a_level_of_ten_thousand_blocks_is_one_clear_error(tmp_path: Path, capsys: Output) -> None:
    file = tmp_path / "many.xml"
    block = '<Block type="SquareTiny" material="wood" x="0" y="0" rotation="0" />'
    file.write_text(f"<Level><GameObjects>{block * 10_000}</GameObjects></Level>")
    for words in (["stability"], ["picture", "--out", tmp_path / "p.png"]):
        assert "10,000 blocks" in refused(capsys, *words, file)


def test_a_file_that_is_too_large_or_can_not_be_written(tmp_path: Path, capsys: Output) -> None:
    (tmp_path / "large.xml").write_bytes(b" " * 2_000_000)
    assert "larger" in refused(capsys, "stability", tmp_path / "large.xml")
    (tmp_path / "program.txt").write_text("ab_drop('b11',4)")
    assert main(["pcg", "level", str(tmp_path / "program.txt"), "--out", str(tmp_path)]) == 1
    assert "can't be written" in capsys.readouterr().err


def test_a_level_without_calls_is_empty_and_said_to_be(tmp_path: Path, capsys: Output) -> None:
    (tmp_path / "program.txt").write_text("drop_block('b11',4)")
    assert main(["pcg", "level", str(tmp_path / "program.txt")]) == 0
    assert "ab_drop" in capsys.readouterr().err


def test_pictures(level: Path, capsys: Output) -> None:
    capsys.readouterr()
    out = level.with_name("level.png")
    code, document = asked(capsys, "picture", level, "--out", out)
    assert (code, document["width"], document["height"]) == (0, 1024, 1024)
    with Image.open(out) as image:
        assert image.getextrema() == (0, 255)
    assert asked(capsys, "picture", level, "--out", out, "--drawing")[1]["height"] == 512
    assert "--out" in refused(capsys, "picture", level)


def test_one_stage_after_the_other_over_a_tree(tmp_path: Path, capsys: Output) -> None:
    root = tmp_path / "contest"
    for number, response in ((1, RESPONSE), (2, BROKEN), (10, "no idea")):
        file = root / "team" / "raw" / "A" / f"team_A_{number}.txt"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(response)
    code, document = asked(capsys, "extract", root, "--tree")
    assert code == 1
    assert [(each["trial"], bool(each["error"])) for each in document["trials"]] == [
        *((1, False), (2, False), (10, True)),
    ]
    code, document = asked(capsys, "level", root, "--tree")
    assert (code, [each["trial"] for each in document["trials"]]) == (1, [1, 2])
    assert asked(capsys, "stability", root, "--tree")[0] == 0
    assert asked(capsys, "picture", root, "--tree")[0] == 0
    assert sorted(str(path.relative_to(root / "team")) for path in root.rglob("*.*")) == [
        *("images/A/team_A_1.png", "images/A/team_A_1_raw.png"),
        *("intermediate/A/team_A_1.txt", "intermediate/A/team_A_2.txt"),
        "levels/A/team_A_1.xml",
        *("raw/A/team_A_1.txt", "raw/A/team_A_10.txt", "raw/A/team_A_2.txt"),
        "stability/A.json",
    ]
    (row,) = json.loads((root / "team" / "stability" / "A.json").read_text())["raws"]
    assert row["tag"] == "contest\\team\\levels\\A\\team_A_1.xml"
    # Without similarity each trial scores 0, and the team's files are reported.
    code, document = asked(
        *(capsys, "score", root, "--edition", "2023", "--out", root / "result"),
    )
    assert code == 0
    assert document["competition"] == "0"
    assert [each["team"] for each in document["problems"]] == ["team", "team"]
    assert "raw" in refused(capsys, "extract", root / "team", "--tree")


@needs_data
def test_the_results_of_2023(tmp_path: Path, capsys: Output) -> None:
    code, document = asked(
        *(capsys, "score", DATA / "2023" / "trial_scores.csv", "--edition", "2023"),
        *("--out", tmp_path, "--prompts", DATA / "2023" / "prompts"),
        *("--baseline", "v1_sample", "--ineligible", "The Organizer"),
    )
    assert code == 0
    assert document["competition"] == "0.66619817402104604574"
    assert [each["name"] for each in document["teams"] if each["wins"]] == ["dereventsolve"]
    official = json.loads((DATA / "2023" / "result.json").read_text("utf-8"))
    with (tmp_path / "prompt_scores_ranks.csv").open(encoding="utf-8", newline="") as file:
        assert [
            (row["team"], float(row["normalizedPromptScore"]), int(row["rank"]))
            for row in csv.DictReader(file)
        ] == [(row["teamName"], row["normalizedPromptScore"], row["rank"]) for row in official]
    with (tmp_path / "character_scores.csv").open(encoding="utf-8", newline="") as file:
        rows = sorted(tuple(row.values()) for row in csv.DictReader(file))
    with (DATA / "2023" / "character_scores.csv").open(encoding="utf-8", newline="") as file:
        assert rows == sorted(tuple(row.values()) for row in csv.DictReader(file))
    assert document["problems"] == []


def test_scores_that_can_not_be_computed(tmp_path: Path, capsys: Output) -> None:
    table = tmp_path / "trials.csv"
    table.write_text("teamName,character,trial,stabilityScore,similarityScore\nx,A,3,1,1\n")
    score = ["score", table, "--out", tmp_path / "out"]
    assert "--edition" in refused(capsys, *score)
    assert "diversityscore" in refused(capsys, *score, "--edition", "2024")
    assert "line 2" in refused(capsys, *score, "--edition", "2023", "--trials", "2")
    assert "'y'" in refused(capsys, *score, "--edition", "2023", "--baseline", "y")
    assert "twice" in refused(capsys, *score, "--edition", "2023", "--letters", "AA")
    assert not (tmp_path / "out").exists()
    assert main(["pcg", *map(str, score), "--edition", "2023", "--letters", "AB"]) == 0
    shutil.rmtree(tmp_path / "out")
