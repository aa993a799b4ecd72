"""How long it takes to verify and to export a contest, by the size of its record; beside it, to
read every event and compute its hash, which nobody can do without."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable
from pathlib import Path

from benchmarks.report import Row
from benchmarks.server.house import folder, furnish
from benchmarks.server.load import load
from benchmarks.server.written import write
from contest.exports.export import export
from contest.record import reading
from contest.verification.verify import verify

NAME = "records"
DESKS = 4
FORMATS = ("json", "csv", "html")


def run(*, sizes: tuple[int, ...] = (1_000, 10_000, 30_000, 100_000)) -> list[Row]:
    """Measures.

    Arguments:
        sizes: keys on record.
    """
    return [row for size in sizes for row in _rows(size)]


def _rows(size: int) -> list[Row]:
    before = load()
    with folder() as place:
        contest = furnish(place, DESKS)
        write(contest, size)
        bare = _seconds(lambda: _read_and_hash(contest))
        faults: list[str] = []

        def check() -> None:
            report = verify(contest)
            if not report.ok:
                red = [each for each in report.checks if each.faults]
                faults.append(f"NOT GREEN: {red[0].faults[0]}")

        took = {"verified": _seconds(check)}
        for form in FORMATS:
            out = place / form
            took[f"exported as {form}"] = _seconds(lambda f=form, o=out: export(contest, f, o))  # type: ignore[misc]
    note = f"{'; '.join(faults) or 'all green'}; load average {before} before"
    return [
        Row(
            NAME,
            f"{size:,} keys, {what}",
            seconds,
            "s",
            bare,
            note=note * (what == "verified"),
            line=what,
            size=size,
        )
        for what, seconds in took.items()
    ]


def _read_and_hash(contest: Path) -> None:
    for row in reading.rows(contest):
        json.loads(row.body)
        hashlib.sha256(row.body.encode()).hexdigest()


def _seconds(what: Callable[[], object]) -> float:
    begun = time.perf_counter()
    what()
    return time.perf_counter() - begun
