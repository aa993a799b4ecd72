"""`loebner replay FILE --report`: how all typed, as text and as JSON."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from loebner.cli import main
from lpp.log2012 import compose, write
from lpp.names import keys_of
from tests.contest.build import brief, save

DATA = Path(__file__).parents[3] / "shared" / "data" / "2012"
REAL = sorted(DATA.glob("*.log"))


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """A log in which the program types every 50 ms, the human every 200, the judge every 100."""
    keys = []
    for start, gap, author, side, text in (
        (0, 100_000, "judge", "left", "Hi there.\n"),
        (2_000_000, 50_000, "entity", "left", "Hello, you\n"),
        (3_000_000, 100_000, "judge", "right", "Hi\n"),
        (4_000_000, 200_000, "entity", "right", "hey\b\n"),
    ):
        names = keys_of(text)
        keys += [(start + gap * at, author, side, name) for at, name in enumerate(names)]
    file = tmp_path / "a.log"
    made = compose(
        title="t", notice="n", judge="J1", program="p", round_=1, left="program",
        keys=keys,  # type: ignore[arg-type]
    )  # fmt: skip
    file.write_bytes(write(made).encode())
    return file


def test_as_text(log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["replay", str(log), "--report"]) == 0
    said = capsys.readouterr().out
    lines = [line.split() for line in said.splitlines()]
    assert ["program", "50", "ms", "50", "ms", "50", "ms"] in lines
    assert ["human", "200", "ms", "200", "ms", "200", "ms"] in lines
    assert ["judge", "100", "ms", "100", "ms", "100", "ms"] in lines
    assert "left, program" in said
    assert max(map(len, said.splitlines())) <= 100


def test_as_json(log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["replay", str(log), "--report", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["gap_ms"]["human"]["median"] == 200
    assert document["length_ms"] == 4800
    by = {(each["side"], each["who"]): each for each in document["typing"]}
    assert by["right", "human"]["backspaces"] == 1
    assert by["left", "judge"]["keys"] == 10
    assert by["left", "program"]["answer_ms"] == 1100


def test_of_one_side(log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["replay", str(log), "--report", "--json", "--side", "human"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert {each["side"] for each in document["typing"]} == {"right"}


def test_of_a_talk_of_a_contest(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = save(tmp_path / "c", brief())
    words = ["replay", str(folder), "--talk", "1.1.J1.left", "--report", "--json"]
    assert main(words) == 0
    document = json.loads(capsys.readouterr().out)
    assert {each["author"] for each in document["typing"]} == {"judge", "entity"}
    assert document["gap_ms"]["judge"]["median"] == 150


@pytest.mark.parametrize(
    "words",
    [["--json"], ["--report", "--window"], ["--report", "--speed", "2"], ["--report", "--wait"]],
)
def test_what_does_not_go_together_is_refused(
    log: Path, words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["replay", str(log), *words]) == 2
    assert len(capsys.readouterr().err.splitlines()) == 1


@pytest.mark.skipif(not REAL, reason="the logs of 2012 do not stand beside the project")
def test_every_real_log_has_a_report(capsys: pytest.CaptureFixture[str]) -> None:
    assert len(REAL) == 11
    for file in REAL:
        assert main(["replay", str(file), "--report"]) == 0
        said = capsys.readouterr().out
        assert "gaps under 2 s" in said
        assert all(f"{side}, judge" in said for side in ("left", "right"))
