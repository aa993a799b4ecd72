"""The results of a benchmark: rows with a baseline, a ratio and a target, as table and as JSON."""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table


@dataclass(frozen=True, slots=True)
class Target:
    """The target for a number.

    Attributes:
        limit: the bound, in the unit of the number, or as a ratio.
        at_least: whether it is a lower bound.
        ratio: whether it bounds the ratio to the baseline instead of the number itself.
    """

    limit: float
    at_least: bool = False
    ratio: bool = True


@dataclass(frozen=True, slots=True)
class Row:
    """One number.

    Attributes:
        benchmark: the name of the benchmark.
        what: the quantity, in words.
        measured: its value.
        unit: the unit of `measured` and `baseline`.
        baseline: the value to compare with, measured in the same run.
        target: the target, or None.
        note: further information.
        line: the line on a plot of growth to which this is a point; empty if none.
        size: the position on that line: the number of talks, keys or viewers.
    """

    benchmark: str
    what: str
    measured: float
    unit: str
    baseline: float | None = None
    target: Target | None = None
    note: str = ""
    line: str = ""
    size: float = 0.0

    @property
    def ratio(self) -> float | None:
        """The number as a multiple of its baseline, or None without one."""
        return self.measured / self.baseline if self.baseline else None

    @property
    def reached(self) -> bool | None:
        """Whether the target is met, or None if there is none."""
        if self.target is None:
            return None
        value = self.ratio if self.target.ratio else self.measured
        if value is None:
            return None
        return value >= self.target.limit if self.target.at_least else value <= self.target.limit

    @property
    def verdict(self) -> str:
        """The target and the measured value, in words; empty without a target."""
        if self.target is None or self.reached is None:
            return ""
        sign = "at least" if self.target.at_least else "under"
        if self.target.ratio:
            assert self.ratio is not None
            limit, value = _ratio(self.target.limit), _ratio(self.ratio)
        else:
            limit, value = f"{self.target.limit:g} {self.unit}", f"{self.measured:.3g} {self.unit}"
        return f"target {sign} {limit}, measured {value}: {'' if self.reached else 'not '}met"


def show(rows: Sequence[Row], console: Console) -> None:
    """Prints the rows of one benchmark as a table."""
    table = Table(title=rows[0].benchmark, title_justify="left")
    for column in ("what", "measured", "bare", "ratio"):
        table.add_column(column, justify="left" if column == "what" else "right")
    table.add_column("verdict")
    for row in rows:
        style = {None: "", True: "green", False: "yellow"}[row.reached]
        table.add_row(
            row.what,
            f"{_number(row.measured)} {row.unit}",
            "" if row.baseline is None else f"{_number(row.baseline)} {row.unit}",
            "" if row.ratio is None else _ratio(row.ratio),
            " ".join(part for part in (row.verdict, row.note) if part),
            style=style,
        )
    console.print(table)


def as_json(rows: Sequence[Row], *, quick: bool) -> dict[str, Any]:
    """All rows, with a description of the machine."""
    return {
        "at": datetime.now(UTC).isoformat(timespec="seconds"),
        "quick": quick,
        "machine": {
            "system": platform.platform(),
            "cores": os.cpu_count(),
            "python": platform.python_version(),
        },
        "rows": [
            asdict(row) | {"ratio": row.ratio, "reached": row.reached, "verdict": row.verdict}
            for row in rows
        ],
    }


def write_json(document: dict[str, Any], file: Path) -> None:
    """Writes the document, making the file's directory if it is missing."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")


def _number(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"


def _ratio(value: float) -> str:
    return f"{value:.0%}" if value < 1 else f"{value:.2f}x"
