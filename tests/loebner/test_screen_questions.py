"""`loebner screen questions`: papers on the terminal, as JSON, in a file; own questions."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from contest.screening import paper as papers
from contest.screening.questions import Counts, make
from loebner.cli import main

OWN = '[[question]]\nid = "own-1"\nset = "things"\ntext = "What is a spoon for?"\nwords = ["eat"]\n'


def run(capsys: pytest.CaptureFixture[str], *args: str) -> tuple[int, str, str]:
    code = main(["screen", "questions", *args])
    out, err = capsys.readouterr()
    return code, out, err


def test_no_answer_is_shown_without_key(capsys: pytest.CaptureFixture[str]) -> None:
    code, plain, _ = run(capsys, "--seed", "12")
    assert code == 0
    _, shown, _ = run(capsys, "--seed", "12", "--key")
    paper = make(12)
    lines = plain.splitlines()
    for question in paper.questions:
        assert any(line.endswith(f". {question.text}") for line in lines)
        if question.explanation and question.set != "memory":
            assert question.explanation not in plain
            assert question.explanation in shown
    assert not [line for line in lines if line.strip().startswith("=")]
    assert len(shown.splitlines()) == len(lines) + len(paper.questions)


def test_without_a_seed_one_is_drawn_and_said(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = run(capsys, "--json")
    document = json.loads(out)
    _, again, _ = run(capsys, "--json", "--seed", str(document["seed"]))
    assert json.loads(again) == document


def test_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    counts = ("--time", "2", "--things", "1", "--relations", "3", "--memory", "2")
    _, out, _ = run(capsys, "--seed", "4", "--json", *counts)
    document = json.loads(out)
    assert [each["set"] for each in document["questions"]] == [
        *("time", "time", "things", "relations", "relations", "relations", "memory", "memory")
    ]
    assert all(set(each) == {"id", "set", "tells", "text"} for each in document["questions"])
    assert document["facts"]["start"] == "2010-10-23T09:30:00"
    _, out, _ = run(capsys, "--seed", "4", "--json", "--key", *counts)
    for each, question in zip(
        json.loads(out)["questions"],
        make(4, Counts(2, 1, 3, 2)).questions,
        strict=True,
    ):
        assert each["key"]["words"] == list(question.words)
        assert each["key"]["rule"] == (question.rule or None)


def test_facts_are_those_of_the_contest(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    folder = tmp_path / "contest"
    assert main(["new", str(folder)]) == 0
    toml = folder / "contest.toml"
    text = toml.read_text()
    assert "start = 2010-10-23T09:30:00" in text
    toml.write_text(text.replace("start = 2010-10-23T09:30:00", "start = 2011-05-06T14:00:00"))
    capsys.readouterr()
    _, out, _ = run(capsys, str(folder), "--seed", "1", "--json")
    assert json.loads(out)["facts"]["start"] == "2011-05-06T14:00:00"


def test_the_paper_is_written_and_own_questions_are_added(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    own, out = tmp_path / "own.toml", tmp_path / "paper.toml"
    own.write_text(OWN)
    code, shown, _ = run(capsys, "--seed", "3", "--add", str(own), "--out", str(out))
    assert code == 0
    assert "What is a spoon for?" in shown
    assert "keep it to yourself" in shown
    paper = papers.read(out)
    assert paper.seed == 3
    assert len(paper.questions) == 21
    assert [each.words for each in paper.questions if each.id == "own-1"] == [("eat",)]
    assert run(capsys, "--check", str(out)) == (0, f"{out}: no faults\n", "")


def test_check_names_words_and_faults_with_their_questions(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    own = tmp_path / "own.toml"
    own.write_text(OWN.replace("spoon", "carburetor") + OWN.replace("own-1", "own 2"))
    code, out, _ = run(capsys, "--check", str(own))
    assert code == 1
    assert f"{own}: question 2 (own 2): id: give up to 40 letters" in out
    own.write_text(OWN.replace("spoon", "carburetor"))
    code, out, _ = run(capsys, "--check", str(own), "--json")
    assert code == 1
    assert json.loads(out) == {
        "file": str(own),
        "valid": False,
        "faults": [f"{own}: question own-1: 'carburetor' is outside the vocabulary"],
    }


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["--time", "-1"], "of the set time: -1"),
        (["--time", "x"], "'x' is not a valid integer"),
        (["--memory", "5000"], "no more than"),
        (["--seed", "-4"], "the seed: -4"),
        (["--between", "99"], "its questions: 99"),
        (
            ["--time", "0", "--things", "0", "--relations", "0", "--memory", "0"],
            "at least one question",
        ),
        (["nowhere"], "no such folder"),
        (["--add", "none.toml"], "none.toml can't be read"),
        (["--check", "none.toml"], "none.toml can't be read"),
        (["--out", "no/such/paper.toml"], "can't be written"),
    ],
)
def test_wrong_use_is_one_line(
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    args: list[str],
    said: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    code, out, err = run(capsys, *args)
    assert code == 2
    assert out == ""
    assert said in err
    assert len(err.splitlines()) == 1
