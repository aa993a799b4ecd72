"""`python -m benchmarks.plot FILE… --out DIR`: plots growth from the results of benchmarks.

Both axes are logarithmic, so that a diagonal line means proportional growth. If sizes begin at 0,
both are linear.
"""

from __future__ import annotations

import io
import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
import matplotlib
from matplotlib.figure import Figure
from matplotlib.ticker import NullLocator

#: Colours that colour-blind readers can distinguish, in this order.
_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#b58900")
#: Text stays text, and the file is reproducible.
_STYLE: Any = {"svg.fonttype": "none", "svg.hashsalt": "loebner", "font.family": "DejaVu Sans"}
#: Readers who prefer dark pages see light lines on black, in about the same hues.
_DARK = "@media (prefers-color-scheme: dark) {svg {filter: invert(1) hue-rotate(180deg)}}"


@dataclass(frozen=True, slots=True)
class Growth:
    """A plot.

    Attributes:
        name: the name of its file, without extension.
        benchmark: the benchmark whose rows it shows.
        title: the heading.
        across: label of the horizontal axis.
        up: label of the vertical axis, with the unit.
        lines: the names of the benchmark's lines to show.
        limit: the target, in the unit; None if there is none.
    """

    name: str
    benchmark: str
    title: str
    across: str
    up: str
    lines: tuple[str, ...]
    limit: float | None = None


GROWTHS = (
    Growth(
        name="growth-talks",
        benchmark="talks",
        title="Key to screen, by the number of talks",
        across="talks at once, 5 keys/s in each",
        up="milliseconds",
        lines=("p50", "p99"),
        limit=100.0,
    ),
    Growth(
        name="growth-work",
        benchmark="talks",
        title="The server's work, by the number of talks",
        across="talks at once, 5 keys/s in each",
        up="% of a core",
        lines=("work",),
    ),
    Growth(
        name="growth-viewers",
        benchmark="spectators",
        title="200 talks, by the number of viewers",
        across="viewers of 200 talks at 5 keys/s each",
        up="in each line's own unit",
        lines=(
            "key to screen, p50, ms",
            "key to screen, p99, ms",
            "first to last viewer, p99, ms",
            "work, % of a core",
            "sent to a viewer, kB a minute",
        ),
        limit=150.0,
    ),
    Growth(
        name="growth-restart",
        benchmark="restart",
        title="From a kill in a round until everybody is back",
        across="keys on record",
        up="seconds",
        lines=(
            "kill to last screen",
            "kill to serving",
            "without a snapshot, to serving",
            "the server's work",
            "the work without a snapshot",
        ),
        limit=3.0,
    ),
    Growth(
        name="growth-pages",
        benchmark="pages",
        title="A judge's keys while a page is requested for the first time",
        across="keys on record",
        up="milliseconds, the slowest key",
        lines=(
            "the audience's page",
            "a talk's log",
            "a search in a log",
            "any other page",
            "no page",
        ),
        limit=50.0,
    ),
    Growth(
        name="growth-records",
        benchmark="records",
        title="Verifying and exporting, by the size of the record",
        across="keys on record",
        up="seconds",
        lines=("verified", "exported as json", "exported as csv", "exported as html"),
    ),
    Growth(
        name="growth-records-memory",
        benchmark="records",
        title="Memory for verifying and exporting, by the size of the record",
        across="keys on record",
        up="MB",
        lines=(
            "verified, memory",
            "exported as json, memory",
            "exported as csv, memory",
            "exported as html, memory",
            "exported as lpp2012, memory",
        ),
        limit=300.0,
    ),
    Growth(
        name="growth-schedules",
        benchmark="schedules",
        title="Making and proving a schedule, and its tally",
        across="judges",
        up="seconds",
        lines=(
            "equal numbers of each",
            "the tally",
            "4 entries, 4 confederates",
            "5 and 3, with wishes",
        ),
    ),
)

Point = tuple[float, float]


def draw(growth: Growth, lines: dict[str, list[Point]]) -> Figure:
    """Draws a plot.

    Arguments:
        growth: the plot.
        lines: name of the line to its points, (size, measured); all measured values are above 0.
    """
    figure = Figure((9.5, 5), layout="constrained")
    axes = figure.add_subplot(title=growth.title, xlabel=growth.across, ylabel=growth.up)
    for (name, points), colour in zip(lines.items(), _COLOURS, strict=False):
        axes.plot(*zip(*points, strict=True), "o-", color=colour, label=name)
    if growth.limit is not None:
        label = f"target: {_short(growth.limit)}"
        axes.axhline(growth.limit, color="#c00", linestyle="--", label=label)
    if all(size > 0 for points in lines.values() for size, _ in points):
        axes.set(xscale="log", yscale="log")
    else:
        axes.set_ylim(bottom=0)
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_formatter(lambda value, _position: _short(value))
        axis.set_minor_locator(NullLocator())
    axes.grid(color="#ddd")
    axes.spines[["top", "right"]].set_visible(False)
    figure.legend(loc="outside right upper", frameon=False)
    return figure


def as_svg(growth: Growth, lines: dict[str, list[Point]]) -> str:
    """The plot as SVG, with a text alternative; the same points give the same file."""
    out = io.StringIO()
    about = {"Title": growth.title, "Description": in_words(growth, lines), "Date": None}
    with matplotlib.rc_context(_STYLE):
        draw(growth, lines).savefig(out, format="svg", metadata=about)
    return out.getvalue().replace("<defs>", f"<style>{_DARK}</style>\n <defs>", 1)


def in_words(growth: Growth, lines: dict[str, list[Point]]) -> str:
    """The text alternative of a plot."""
    described = [
        f"{name}: " + ", ".join(f"{_short(y)} at {_short(x)}" for x, y in each)
        for name, each in lines.items()
    ]
    limit = "" if growth.limit is None else f" Target: {_short(growth.limit)}."
    return f"{growth.up} by {growth.across}. {'; '.join(described)}.{limit}"


def lines_of(growth: Growth, rows: Iterable[dict[str, Any]]) -> dict[str, list[Point]]:
    """The points of a plot, from the rows that benchmarks have written; of two rows for the same
    point the later counts."""
    found: dict[str, dict[float, float]] = {}
    for row in rows:
        if row["benchmark"] == growth.benchmark and row.get("line") in growth.lines:
            # A logarithmic axis can't show 0.
            found.setdefault(row["line"], {})[row["size"]] = max(row["measured"], 0.001)
    return {name: sorted(found[name].items()) for name in growth.lines if name in found}


def _short(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


@click.command()
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path, exists=True))
@click.option("--out", required=True, type=click.Path(path_type=Path, file_okay=False))
def main(files: tuple[Path, ...], out: Path) -> None:
    """Plot the growth in the result FILES, as SVG in a directory."""
    rows = [row for file in files for row in json.loads(file.read_text("utf-8"))["rows"]]
    out.mkdir(parents=True, exist_ok=True)
    for growth in GROWTHS:
        lines = lines_of(growth, rows)
        if lines:
            file = out / f"{growth.name}.svg"
            file.write_text(as_svg(growth, lines), encoding="utf-8")
            click.echo(f"written to {file}")


if __name__ == "__main__":
    main()
