"""Runs the benchmarks with tiny numbers, and tests that nothing is lost, doubled or out of order.
The measurements themselves are not tested."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from benchmarks import __main__ as command
from benchmarks.keys import Tally, tally
from benchmarks.report import Row, Target, as_json

TINY = {
    "latency": {"turns": 1, "keys": 10},
    "bursts": {"sizes": (1, 700), "turns": 1},
    "frozen": {"keys": 300},
    "idle": {"seconds": 0.05, "counts": (1, 3)},
    "console": {"seconds": 0.3, "screens": ("offscreen",)},
    "levels": {"blocks": (4,), "sizes": ((2, 2),), "levels": 2},
    "schedules": {"orders": (4, 6), "judges": (4,), "largest": 9},
}


@pytest.mark.parametrize(
    "names",
    [("bursts", "frozen"), pytest.param(tuple(TINY), marks=pytest.mark.soak)],
    ids=["channel", "all"],
)
def test_benchmarks_run_and_no_key_goes_wrong(
    names: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The server's benchmarks are tested in a separate file.
    tiny = {name: (command.BENCHMARKS[name][0], TINY[name]) for name in names}
    monkeypatch.setattr(command, "BENCHMARKS", tiny)
    file = tmp_path / "results" / "benchmarks.json"
    result = CliRunner().invoke(command.main, ["--quick", "--json", str(file)])
    assert result.exit_code == 0, result.output
    document = json.loads(file.read_text())
    assert document["quick"] is True
    rows = document["rows"]
    assert {row["benchmark"] for row in rows} == set(names)
    for row in rows:
        assert row["measured"] >= 0
        for fault in ("LOST", "DOUBLED", "OUT OF ORDER", "NOT what was typed"):
            assert fault not in row["note"]
        if row["what"].startswith("all orders from 3"):
            assert row["note"] == "6 of 6 valid"
        if row["benchmark"] in ("bursts", "frozen"):
            assert "none lost, doubled or out of order" in row["note"]


def test_unknown_names_are_refused() -> None:
    result = CliRunner().invoke(command.main, ["latencies"])
    assert result.exit_code == 2
    assert "latencies" in result.output


@pytest.mark.parametrize(
    ("numbers", "count", "expected"),
    [
        ([0, 1, 2], 3, Tally(0, 0, 0)),
        ([0, 2], 3, Tally(1, 0, 0)),
        ([0, 1, 1, 2], 3, Tally(0, 1, 0)),
        ([0, 2, 1], 3, Tally(0, 0, 1)),
        ([], 2, Tally(2, 0, 0)),
    ],
)
def test_wrong_keys_are_counted(numbers: list[int], count: int, expected: Tally) -> None:
    assert tally(numbers, count) == expected
    assert bool(expected.faults) == ("none" not in str(expected))


@pytest.mark.parametrize(
    ("row", "reached", "verdict"),
    [
        (
            Row("b", "w", 2.6, "ms", 1.0, Target(3)),
            True,
            "target under 3.00x, measured 2.60x: met",
        ),
        (
            Row("b", "w", 3.1, "ms", 1.0, Target(3)),
            False,
            "target under 3.00x, measured 3.10x: not met",
        ),
        (
            Row("b", "w", 50.0, "keys/s", 100.0, Target(0.4, at_least=True)),
            True,
            "target at least 40%, measured 50%: met",
        ),
        (
            Row("b", "w", 1.2, "%", None, Target(0.5, ratio=False)),
            False,
            "target under 0.5 %, measured 1.2 %: not met",
        ),
        (Row("b", "w", 1.2, "%"), None, ""),
        (Row("b", "w", 1.2, "%", None, Target(3)), None, ""),
    ],
)
def test_a_number_is_compared_with_its_target(row: Row, reached: bool | None, verdict: str) -> None:
    assert row.reached is reached
    assert row.verdict == verdict
    assert as_json([row], quick=False)["rows"][0]["reached"] is reached
