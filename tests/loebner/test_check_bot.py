"""Tests `loebner check-bot` at the command line: options, outputs, exit codes, refusals."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from loebner.cli import main
from lpp.conformance.cases import CASES

MUTANT = str(Path(__file__).parents[1] / "mutants" / "mutant.py")
ENDS = ["--", sys.executable, MUTANT, "ends-at-once", "{dir}"]
RIGHT = ["--", sys.executable, MUTANT, "none", "{dir}"]

Captured = pytest.CaptureFixture[str]


def test_the_list_shows_all_cases_or_some(capsys: Captured) -> None:
    assert main(["check-bot", "--list"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[:2] for line in lines] == [[c.id, c.level.value] for c in CASES]
    assert main(["check-bot", "--list", "--only", "2.A.a", "--json"]) == 0
    assert len(json.loads(capsys.readouterr().out)["cases"]) == 4


@pytest.mark.parametrize(
    ("args", "told"),
    [
        ([], "--dir DIR"),
        (["--"], "--dir DIR"),
        (["--only", "2.C", *ENDS], "'2.C'"),
        (["--only", "", "--list"], "''"),
        (["--dir", "/there/is/none"], "no such directory"),
        (["--dir", __file__], "not a directory"),
        (["--", "./no-such-program", "{dir}"], "can't be started"),
        (["--attest", "honesty", *ENDS], "honesty"),
        (["--junit", "/there/is/none/x.xml", *ENDS], "/there/is/none"),
        (["--html", __file__, *ENDS], "file"),
        (["./stray.py", "{dir}"], "can't be started"),
        (["--wild", *ENDS], "--wild"),
    ],
)
def test_a_usage_error_is_one_line_with_exit_code_2(
    args: list[str], told: str, capsys: Captured
) -> None:
    assert main(["check-bot", *args]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.count("\n") == 1
    assert told in captured.err


def test_a_program_that_ends_at_once_is_reported(capsys: Captured) -> None:
    assert main(["check-bot", *ENDS]) == 1
    out = capsys.readouterr().out
    assert "ended by itself" in out
    assert "exit code 3" in out
    assert "died of its fault" in out
    assert "FAILED" in out


def test_json_is_the_contracts_document_and_nothing_else(tmp_path: Path, capsys: Captured) -> None:
    files = ["--html", str(tmp_path / "r"), "--junit", str(tmp_path / "j.xml")]
    assert main(["check-bot", "--json", "--attest", "browse", *files, *ENDS]) == 1
    document = json.loads(capsys.readouterr().out)
    assert document["passed"] is False
    assert [case["id"] for case in document["cases"]] == [case.id for case in CASES]
    found = {case["id"]: case["outcome"] for case in document["cases"]}
    assert found["2/browse"] == "pass"
    assert found["3/answers"] == "fail"
    assert "mutant.py" in (tmp_path / "r" / "index.html").read_text("utf-8")
    assert ElementTree.parse(tmp_path / "j.xml").getroot().tag == "testsuites"


def test_a_correct_program_passes_in_a_given_directory(tmp_path: Path, capsys: Captured) -> None:
    args = ["--dir", str(tmp_path), "--only", "3/answers", "--only", "2.A.c", "--strict"]
    assert main(["check-bot", *args, *RIGHT]) == 0
    out = capsys.readouterr().out
    assert out.count(" pass ") == 2
    assert "passed in" in out
    assert list(tmp_path.iterdir()) == []


def test_a_command_without_dir_gives_a_warning(capsys: Captured) -> None:
    args = ["--only", "3/answers", "--", sys.executable, "-c", "pass"]
    assert main(["check-bot", *args]) == 1
    assert "ARGS has no {dir}" in capsys.readouterr().err
