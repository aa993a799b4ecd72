"""Tests `loebner replay FILE --report`, the report on how everybody typed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from loebner.cli import main
from lpp.log2012 import compose, write
from lpp.names import keys_of
from tests.loebner.test_replay import LONGEST, real_logs

#: Milliseconds between successive keys, medians of a file (lpp-in-practice.md, over 24 logs).
PUBLISHED = {"judge": (120, 271), "human": (135, 259), "program": (47, 328)}


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


def test_each_author_has_a_row_in_the_report(log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["replay", str(log), "--report", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)["typing"]
    by = {(row["side"], row["who"]): row for row in rows}
    gaps = {place: row["gap_median_ms"] for place, row in by.items()}
    assert gaps == {
        ("left", "judge"): 100,
        ("left", "program"): 50,
        ("right", "judge"): 100,
        ("right", "human"): 200,
    }
    assert by["right", "human"]["backspaces"] == 1
    assert by["left", "program"]["answer_ms"] == 1100
    assert main(["replay", str(log), "--report", "--side", "human"]) == 0
    said = capsys.readouterr().out
    assert ["right,", "human", "5"] in [line.split()[:3] for line in said.splitlines()]
    assert "left" not in said


@pytest.mark.parametrize(
    "words",
    [["--json"], ["--report", "--window"], ["--report", "--speed", "2"], ["--report", "--wait"]],
)
def test_contradicting_options_are_refused(
    log: Path, words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["replay", str(log), *words]) == 2
    assert len(capsys.readouterr().err.splitlines()) == 1


@real_logs(LONGEST)
def test_a_real_log_has_a_report_within_the_published_ranges(
    file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["replay", str(file), "--report", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)["typing"]
    assert len(rows) == 4
    for row in rows:
        low, high = PUBLISHED[row["who"]]
        if row["keys"] >= 500:  # medians of short talks can differ
            assert 0.9 * low <= row["gap_median_ms"] <= 1.1 * high, row
