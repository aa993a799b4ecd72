"""Runs the server's benchmarks with tiny numbers; tests that nothing is lost, and that the plots of
growth show the right values."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner

from benchmarks import __main__ as command
from benchmarks import plot
from benchmarks.plot import GROWTHS, draw, lines_of
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


def test_a_plot_has_its_lines_and_a_text_alternative(tmp_path: Path) -> None:
    growth = GROWTHS[0]
    lines = lines_of(growth, ROWS)
    assert lines["p50"] == [(10, 0.1), (100, 1.0), (500, 5.0)]
    picture = ElementTree.fromstring(draw(growth, lines))
    assert picture.findtext(f"{SVG}title") == growth.title
    words = picture.findtext(f"{SVG}desc") or ""
    assert "p99: 1 at 10, 10 at 100, 50 at 500" in words
    assert "Target: 100." in words
    found = picture.findall(f"{SVG}polyline")
    assert len(found) == 2
    for line in found:
        points = [tuple(map(float, each.split(","))) for each in line.attrib["points"].split()]
        assert len(points) == 3
        assert all(plot.LEFT <= x <= plot.WIDTH - plot.RIGHT for x, _ in points)
        assert all(plot.TOP <= y <= plot.HEIGHT - plot.BOTTOM for _, y in points)
        assert [x for x, _ in points] == sorted(x for x, _ in points)
        assert [y for _, y in points] == sorted((y for _, y in points), reverse=True)


def test_sizes_from_zero_have_a_linear_axis() -> None:
    growth = next(each for each in GROWTHS if each.name == "growth-viewers")
    points = {line: [(0.0, 10.0), (500.0, 20.0), (1000.0, 40.0)] for line in growth.lines[:1]}
    picture = ElementTree.fromstring(draw(growth, points))
    (line,) = picture.findall(f"{SVG}polyline")
    across = [float(each.split(",")[0]) for each in line.attrib["points"].split()]
    assert across[0] == plot.LEFT
    assert across[1] - across[0] == pytest.approx(across[2] - across[1], abs=0.2)
    texts = {each.text for each in picture.findall(f"{SVG}text")}
    assert {"0", "200", "1,000"} <= texts


def test_missing_measurements_are_not_drawn(tmp_path: Path) -> None:
    file = tmp_path / "found.json"
    file.write_text(json.dumps({"rows": ROWS}), encoding="utf-8")
    out = tmp_path / "pictures"
    result = CliRunner().invoke(plot.main, [str(file), "--out", str(out)])
    assert result.exit_code == 0, result.output
    assert {each.name for each in out.iterdir()} == {"growth-talks.svg", "growth-work.svg"}
