"""Tests `loebner pcg new|run|demo` and `loebner verify` as a person uses them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from disciplines import folders
from disciplines.folders import prepare
from loebner.cli import main

Output = pytest.CaptureFixture[str]


def test_from_new_to_a_verified_result(capsys: Output, tmp_path: Path) -> None:
    folder = tmp_path / "contest"
    assert main(["pcg", "new", str(folder)]) == 0
    assert main(["pcg", "new", str(folder)]) == 2
    settings = folder / "contest.toml"
    text = settings.read_text("utf-8").replace('letters = ""', 'letters = "I"')
    settings.write_text(text.replace("trials = 0", "trials = 1"))
    (folder / "answers").mkdir()
    (folder / "answers" / "rules_I_1.txt").write_text("```ab_drop('b13', 5)```")
    capsys.readouterr()
    assert main(["pcg", "run", str(folder), "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["ranking"][0]["rank"] == 1
    assert document["zeros"] == []
    assert Path(document["page"]).is_file()
    assert main(["verify", str(folder), "--head", document["head"]]) == 0
    assert main(["verify", str(folder), "--json", "--head", "0" * 64]) == 1
    capsys.readouterr()
    assert main(["pcg", "run", str(folder), "--from", "measure"]) == 0
    said = capsys.readouterr().out
    assert "rules" in said
    assert document["head"] not in said
    (folder / "result" / "results.json").unlink()
    assert main(["verify", str(folder)]) == 1


@pytest.mark.parametrize(
    "words",
    [
        ["run", "nowhere"],
        ["run", "contest", "--from", "nowhere"],
        ["run", "lpp"],
        ["demo", "--out", "lpp"],
    ],
)
def test_what_cant_be_used_is_one_line(
    capsys: Output, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: list[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["pcg", "new", "contest"]) == 0
    assert main(["new", "lpp"]) == 0
    capsys.readouterr()
    assert main(["pcg", *words]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.count("\n") == 1


def prepare_less(discipline: str, folder: Path, kind: str, **values: str) -> None:
    """Prepares the folder of the demo with 8 trials in place of 72."""
    if not folder.exists():
        prepare(discipline, folder, kind, **values)
        settings = folder / "contest.toml"
        text = settings.read_text("utf-8").replace('letters = "HILOTU"', 'letters = "IT"')
        settings.write_text(text.replace("trials = 3", "trials = 1"), "utf-8")


@pytest.mark.parametrize("trials", [8, pytest.param(72, marks=pytest.mark.soak)])
def test_the_demo_holds_a_contest_and_goes_on(
    capsys: Output, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, trials: int
) -> None:
    if trials == 8:
        monkeypatch.setattr(folders, "prepare", prepare_less)
    folder = tmp_path / "demo"
    heads = []
    for _ in range(2):
        assert main(["pcg", "demo", "--out", str(folder), "--json"]) == 0
        heads.append(json.loads(capsys.readouterr().out)["head"])
    assert heads[0] == heads[1]
    assert "Unofficial" in (folder / "result" / "results.html").read_text("utf-8")
    with (folder / "result" / "trials.csv").open(encoding="utf-8") as rows:
        assert len(list(rows)) == 1 + trials
    assert main(["verify", str(folder)]) == 0
