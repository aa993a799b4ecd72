"""Runs the server's benchmarks with tiny numbers; tests that nothing is lost, and that the plots of
growth show the right values."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner

from benchmarks import __main__ as command
from benchmarks import plot
from benchmarks.plot import GROWTHS, as_svg, draw, lines_of
from benchmarks.server.quantile import quantile

TINY = {
    "desks": {"desks": 1, "seconds": 0.5, "turns": 1, "warm": 0.0},
    "browsers": {"desks": 1, "seconds": 0.5, "warm": 0.1, "bare": 0.5},
    "talks": {"sizes": (2,), "seconds": 0.5, "warm": 0.1},
    "spectators": {"viewers": (0, 3), "desks": 2, "seconds": 0.5, "warm": 0.0},
    "flood": {"keys": 200, "desks": 1, "seconds": 0.5, "warm": 0.1},
    "restart": {"sizes": (100,), "desks": 1},
    "pages": {"sizes": (100,), "desks": 1},
    "records": {"sizes": (200,)},
}
#: Words in the note of a failed benchmark.
FAULTS = ("LOST", "DOUBLED", "OUT OF ORDER", "WRONG KEYS", "NOT SAID", "NOT GREEN", "refused")


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=() if name == "talks" else pytest.mark.soak)
        for name in command.GROUPS["server"]
    ],
)
def test_each_benchmark_runs_and_no_key_is_lost(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    module, _ = command.BENCHMARKS[name]
    monkeypatch.setattr(command, "BENCHMARKS", {name: (module, TINY[name])})
    monkeypatch.setattr(command, "GROUPS", {"server": (name,)})
    file = tmp_path / "benchmarks.json"
    result = CliRunner().invoke(command.main, ["server", "--quick", "--json", str(file)])
    assert result.exit_code == 0, result.output
    rows = json.loads(file.read_text("utf-8"))["rows"]
    notes = " ".join(row["note"] for row in rows)
    assert rows
    assert not [fault for fault in FAULTS if fault in notes], notes
    assert "load average" in notes
    assert any(row["measured"] > 0 for row in rows)
    if name not in ("desks", "browsers"):
        drawn = [growth for growth in GROWTHS if growth.benchmark == name]
        assert all(lines_of(growth, rows).keys() == set(growth.lines) for growth in drawn)


@pytest.mark.parametrize("percent", [0, 50, 99, 100])
def test_a_quantile_is_a_measured_value(percent: float) -> None:
    values = [float(value) for value in range(100, 0, -1)]
    assert quantile(values, percent) == min(percent + 1, 100)
    assert quantile([], percent) == 0.0


# Plots

ROWS = [
    {"benchmark": "talks", "line": line, "size": size, "measured": size * factor}
    for line, factor in (("p50", 0.01), ("p99", 0.1), ("work", 0.2))
    for size in (500, 10, 100)
] + [{"benchmark": "latency", "measured": 1.0}]
SVG = "{http://www.w3.org/2000/svg}"
DESCRIPTION = "{http://purl.org/dc/elements/1.1/}description"


def test_a_plot_has_its_lines_and_a_text_alternative() -> None:
    growth = GROWTHS[0]
    lines = lines_of(growth, ROWS)
    assert lines["p50"] == [(10, 0.1), (100, 1.0), (500, 5.0)]
    (axes,) = draw(growth, lines).axes
    drawn: dict[str, Any] = {str(line.get_label()): line.get_xydata() for line in axes.lines}
    assert {name: [(x, y) for x, y in drawn[name]] for name in growth.lines} == lines
    assert [y for _, y in drawn["target: 100"]] == [100, 100]
    assert axes.get_xscale() == axes.get_yscale() == "log"
    picture = ElementTree.fromstring(as_svg(growth, lines))
    assert picture.findtext(f"{SVG}title") == growth.title
    words = picture.findtext(f".//{DESCRIPTION}") or ""
    assert "p99: 1 at 10, 10 at 100, 50 at 500" in words
    assert "Target: 100." in words


def test_sizes_from_zero_have_a_linear_axis() -> None:
    growth = next(each for each in GROWTHS if each.name == "growth-viewers")
    points = {line: [(0.0, 10.0), (500.0, 20.0), (1000.0, 40.0)] for line in growth.lines[:1]}
    (axes,) = draw(growth, points).axes
    assert axes.get_xscale() == axes.get_yscale() == "linear"
    texts = {
        each.text for each in ElementTree.fromstring(as_svg(growth, points)).iter(f"{SVG}text")
    }
    assert {"0", "200", "1,000"} <= texts


def test_missing_measurements_are_not_drawn(tmp_path: Path) -> None:
    file = tmp_path / "found.json"
    file.write_text(json.dumps({"rows": ROWS}), encoding="utf-8")
    out = tmp_path / "pictures"
    result = CliRunner().invoke(plot.main, [str(file), "--out", str(out)])
    assert result.exit_code == 0, result.output
    assert {each.name for each in out.iterdir()} == {"growth-talks.svg", "growth-work.svg"}
