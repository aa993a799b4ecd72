"""What the demo says in the end: schedule, score table, ties, prizes, and where the record is."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text


def tell(document: dict[str, Any], folder: Path, console: Console) -> None:
    """Tells how a contest ended.

    Arguments:
        document: the results, as `results.json` has them.
        folder: the contest's folder.
        console: where to.
    """
    names = {person["id"]: person["name"] for person in document["people"]}
    _heading(console, "Schedule")
    for number, pairings in enumerate(document["schedule"]["rounds"], 1):
        shown = " ".join(p["judge"] + p["entry"] + p["confederate"] for p in pairings)
        _say(console, [f"Round {number} {shown}"])
    _say(console, document["schedule"]["words"])

    tally = document["tally"]
    _heading(console, "Score: 1 where the judge took the entry for the human")
    console.print(_score_table(tally, names))
    _heading(console, "Places")
    _say(console, document["words"]["places"])
    _say(console, document["words"]["silver"])
    _heading(console, "Prizes")
    _say(console, document["words"]["prizes"] or ["not before every verdict is in"])
    if tally["warnings"]:
        _heading(console, "Warnings")
        _say(console, tally["warnings"])

    _heading(console, "The record")
    events, head = document["record"]["events"], document["record"]["head"]
    _say(
        console,
        [
            f"{folder / 'record.db'}: {events} events, {len(document['talks'])} talks",
            f"{folder / 'results.html'}: the page of results, with every talk",
            f"head to publish: {head}",
            f"check it: loebner verify {shlex.quote(str(folder))} --head {head}",
        ],
    )


def _score_table(tally: dict[str, Any], names: dict[str, str]) -> Table:
    entries = sorted(next(iter(tally["table"].values()), {}))
    table = Table(show_footer=True)
    table.add_column("", footer="sum")
    sums = {standing["entry"]: standing for standing in tally["entries"]}
    for entry in entries:
        title = Text(f"{entry} {names.get(entry, '')}".strip())
        table.add_column(title, justify="right", footer=str(sums[entry]["score"]))
    for judge in sorted(tally["table"]):
        cells = (tally["table"][judge].get(entry) for entry in entries)
        table.add_row(Text(judge), *("-" if cell is None else str(cell) for cell in cells))
    table.add_section()
    table.add_row("mean rank", *(_number(sums[entry]["mean_rank"]) for entry in entries))
    table.add_row("place", *(_place(sums[entry]) for entry in entries))
    return table


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:g}"


def _place(standing: dict[str, Any]) -> str:
    return f"{standing['place']}{' shared' if standing['tied'] else ''}"


def _heading(console: Console, text: str) -> None:
    console.print()
    console.print(Text(text, style="bold"))


def _say(console: Console, lines: Iterable[str] | Sequence[str]) -> None:
    for line in lines:
        console.print(Text(line), soft_wrap=True)
