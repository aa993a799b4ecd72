"""`python -m benchmarks [NAME…] [--json FILE] [--quick]`."""

from __future__ import annotations

import importlib
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click
from rich.console import Console

from benchmarks.report import Row, as_json, show, write_json

#: Name to module and to the arguments of its `run` with --quick.
BENCHMARKS: dict[str, tuple[str, dict[str, Any]]] = {
    "latency": ("benchmarks.latency", {"turns": 1, "keys": 60}),
    "bursts": ("benchmarks.bursts", {"sizes": (1, 100, 10_000), "turns": 1}),
    "frozen": ("benchmarks.frozen", {"keys": 3_000}),
    "idle": ("benchmarks.idle", {"seconds": 1.0}),
    "console": ("benchmarks.console", {"seconds": 3.0, "starts": 1}),
    "desks": ("benchmarks.server.desks", {"seconds": 5.0, "turns": 1, "warm": 1.0}),
    "browsers": ("benchmarks.server.browsers", {"seconds": 3.0, "warm": 2.0, "bare": 2.0}),
    "talks": ("benchmarks.server.talks", {"sizes": (10, 100), "seconds": 5.0, "warm": 2.0}),
    "spectators": ("benchmarks.server.spectators", {"viewers": (0, 100), "seconds": 5.0}),
    "flood": ("benchmarks.server.flood", {"keys": 20_000, "seconds": 5.0}),
    "restart": ("benchmarks.server.restart", {"sizes": (1_000, 10_000)}),
    "pages": ("benchmarks.server.pages", {"sizes": (1_000, 10_000)}),
    "schedules": ("benchmarks.schedules", {"orders": (4, 10), "judges": (4, 20)}),
    "records": ("benchmarks.server.records", {"sizes": (1_000, 10_000)}),
    "levels": ("benchmarks.levels", {"blocks": (4, 64), "sizes": ((16, 10),)}),
    "screening": ("benchmarks.screening", {"entries": 4, "questions": 4, "speed": 20.0}),
    "ige": ("benchmarks.ige", {"seeds": 10}),
}
#: Names of groups of benchmarks.
GROUPS = {
    "server": (
        "desks",
        "browsers",
        "talks",
        "spectators",
        "flood",
        "restart",
        "pages",
        "records",
    )
}

RESULTS = Path(__file__).parent / "results"


@click.command()
@click.argument("names", nargs=-1, metavar="[NAME]…")
@click.option("--json", "file", type=click.Path(path_type=Path), help="Where to write the JSON.")
@click.option("--quick", is_flag=True, help="Fewer keys: faster and less precise.")
def main(names: tuple[str, ...], file: Path | None, quick: bool) -> None:
    """Run benchmarks and print a table for each; JSON goes to benchmarks/results/ by default.

    Without NAME all benchmarks run. `server` means desks, browsers, talks, spectators,
    flood, restart, pages and records.
    """
    for name in names:
        if name not in BENCHMARKS and name not in GROUPS:
            there_are = ", ".join((*BENCHMARKS, *GROUPS))
            raise click.UsageError(f"there is no benchmark {name!r}; choose from {there_are}")
    chosen = [each for name in names for each in GROUPS.get(name, (name,))]
    console = Console()
    rows: list[Row] = []
    for name in chosen or BENCHMARKS:
        module, quick_arguments = BENCHMARKS[name]
        found: list[Row] = importlib.import_module(module).run(**(quick_arguments if quick else {}))
        show(found, console)
        rows.extend(found)
    now = datetime.now(UTC)
    file = file or RESULTS / f"{now:%Y%m%dT%H%M%SZ}.json"
    write_json(as_json(rows, quick=quick), file)
    console.print(f"written to {file}")


if __name__ == "__main__":
    main()
