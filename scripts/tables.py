"""Writes the parts of the documentation that are tables in the code: `build/tables/`.

The build of the site (docs/conf.py) runs this, so these parts are never out of date.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click

from contest.results.exports import tables
from loebner.cli import cli
from lpp.conformance.cases import CASES

OUT = Path(__file__).parents[1] / "build" / "tables"


def conformance() -> Iterator[str]:
    """A section for each case of `loebner check-bot`, from lpp/conformance/cases.toml."""
    for case in CASES:
        yield f"### `{case.id}` {case.level.value}\n\n> {case.rule}\n"
        yield f"- expects: {case.expected}\n- does: {case.does}"
        if case.accepts:
            yield f"- accepts: {case.accepts}"
        yield ""


def columns() -> Iterator[str]:
    """A section for each table of the data package, from contest/results/tables.toml."""
    for name, table in tables().items():
        yield f"### `{name}.csv`\n\n{table['holds'][0].upper() + table['holds'][1:]}.\n"
        yield "| column | type | meaning |\n|---|---|---|"
        for column, kind, meaning in table["columns"]:
            yield f"| `{column}` | {kind} | {meaning} |"
        yield ""


def commands(command: click.Command = cli, path: str = "loebner") -> Iterator[str]:
    """A section for each command, with what its `--help` prints."""
    context = click.Context(command, info_name=path, terminal_width=96, max_content_width=96)
    yield f"## `{path}`\n\n```text\n{command.get_help(context)}\n```\n"
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            found = command.get_command(context, name)
            assert found is not None
            yield from commands(found, f"{path} {name}")


def write(out: Path = OUT) -> None:
    """Writes all generated parts."""
    out.mkdir(parents=True, exist_ok=True)
    for part in (conformance, columns, commands):
        (out / f"{part.__name__}.md").write_text("\n".join(part()) + "\n", encoding="utf-8")


if __name__ == "__main__":
    write()
