"""`python -m benchmarks.plot FILE… --out DIR`: plots growth from the results of benchmarks.

Plain SVG with light and dark colours. Both axes are logarithmic, so that a diagonal line means
proportional growth. If sizes begin at 0, the horizontal axis is linear.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

import click

WIDTH, HEIGHT = 760, 400
LEFT, RIGHT, TOP, BOTTOM = 74, 230, 44, 56

#: Colours that can be distinguished on light and dark, also by colour-blind readers, in this order.
_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#b58900")
_STYLE = (
    "text{font:14px sans-serif;fill:#222}.grid{stroke:#8886;stroke-width:1}"
    ".limit{stroke:#c00;stroke-width:1.5;stroke-dasharray:6 4}"
    "polyline{fill:none;stroke-width:2.5}.back{fill:#fff}.title{font-weight:bold}"
    "@media(prefers-color-scheme:dark){text{fill:#ddd}.back{fill:#16181c}.limit{stroke:#f66}}"
)


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


def draw(growth: Growth, lines: dict[str, list[Point]]) -> str:
    """Draws a plot as SVG.

    Arguments:
        growth: the plot.
        lines: name of the line to its points, (size, measured); all measured values are above 0.
    """
    points = [point for each in lines.values() for point in each]
    heights = [y for _, y in points] + ([] if growth.limit is None else [growth.limit])
    across = _Axis([x for x, _ in points], LEFT, WIDTH - RIGHT)
    up = _Axis(heights, HEIGHT - BOTTOM, TOP)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" '
        'aria-labelledby="title desc">',
        f'<title id="title">{escape(growth.title)}</title>',
        f'<desc id="desc">{escape(in_words(growth, lines))}</desc>',
        f"<style>{_STYLE}</style>",
        f'<rect class="back" width="{WIDTH}" height="{HEIGHT}"/>',
        f'<text class="title" x="{LEFT}" y="26">{escape(growth.title)}</text>',
    ]
    for value in across.ticks():
        x = across.at(value)
        parts.append(f'<path class="grid" d="M{x:.1f} {TOP}V{HEIGHT - BOTTOM}"/>')
        parts.append(_text(x, HEIGHT - BOTTOM + 20, _short(value), "middle"))
    for value in up.ticks():
        y = up.at(value)
        parts.append(f'<path class="grid" d="M{LEFT} {y:.1f}H{WIDTH - RIGHT}"/>')
        parts.append(_text(LEFT - 8, y + 5, _short(value), "end"))
    parts.append(_text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 12, growth.across, "middle"))
    middle = (TOP + HEIGHT - BOTTOM) / 2
    parts.append(
        f'<text text-anchor="middle" transform="translate(18 {middle}) rotate(-90)">'
        f"{escape(growth.up)}</text>"
    )
    right = WIDTH - RIGHT + 8
    labels = [up.at(each[-1][1]) for each in lines.values()]
    if growth.limit is not None:
        y = up.at(growth.limit)
        parts.append(f'<path class="limit" d="M{LEFT} {y:.1f}H{WIDTH - RIGHT}"/>')
        *labels, label = _apart([*labels, y])
        parts.append(_text(right, label + 5, f"target: {_short(growth.limit)}", "start"))
    else:
        labels = _apart(labels)
    for (name, each), colour, label in zip(lines.items(), _COLOURS, labels, strict=False):
        at = " ".join(f"{across.at(x):.1f},{up.at(y):.1f}" for x, y in each)
        parts.append(f'<polyline stroke="{colour}" points="{at}"/>')
        parts += [
            f'<circle fill="{colour}" cx="{across.at(x):.1f}" cy="{up.at(y):.1f}" r="4"/>'
            for x, y in each
        ]
        mark = f'x="{right}" y="{label - 2:.1f}" width="12" height="4"'
        parts.append(f'<rect fill="{colour}" {mark}/>')
        parts.append(_text(right + 18, label + 5, name, "start"))
    return "\n".join([*parts, "</svg>", ""])


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


class _Axis:
    """An axis between two positions in SVG units: logarithmic, or linear if a value is 0."""

    def __init__(self, values: Sequence[float], begin: float, end: float) -> None:
        self._is_linear = min(values) <= 0
        if self._is_linear:
            self._low, self._high = min(values), max(*values, 1.0) * 1.05
        else:
            self._low = math.log10(min(values)) - 0.05
            self._high = max(math.log10(max(values)) + 0.05, self._low + 0.3)
        self._begin, self._end = begin, end

    def at(self, value: float) -> float:
        """The position of a value."""
        place = value if self._is_linear else math.log10(value)
        share = (place - self._low) / (self._high - self._low)
        return self._begin + share * (self._end - self._begin)

    def ticks(self) -> list[float]:
        """The round values in between: 1, 2, 5, 10 and so on; on a long axis only powers of ten. On
        a linear axis about five equal steps."""
        if self._is_linear:
            decade = 10.0 ** math.floor(math.log10(self._high))
            step = next(s for s in (0.2, 0.5, 1.0) if self._high / (s * decade) <= 6) * decade
            return [step * n for n in range(math.floor(self._high / step) + 1)]
        steps: tuple[float, ...] = (1, 2, 5) if self._high - self._low < 2.5 else (1,)
        decades = range(math.floor(self._low), math.ceil(self._high) + 1)
        found = [step * 10.0**decade for decade in decades for step in steps]
        return [value for value in found if self._low <= math.log10(value) <= self._high]


def _apart(heights: Sequence[float], least: float = 18.0) -> list[float]:
    """The heights of labels, moved down where they would overlap."""
    moved = list(heights)
    for before, at in zip(
        order := sorted(range(len(moved)), key=moved.__getitem__), order[1:], strict=False
    ):
        moved[at] = max(moved[at], moved[before] + least)
    return moved


def _text(x: float, y: float, text: str, anchor: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(text)}</text>'


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
            file.write_text(draw(growth, lines), encoding="utf-8")
            click.echo(f"written to {file}")


if __name__ == "__main__":
    main()
