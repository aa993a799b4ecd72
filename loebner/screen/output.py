"""Options and output that the commands of `loebner screen` share."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import click

#: Where the name of the person who gives a command may stand, instead of in each command.
BY_VARIABLE = "LOEBNER_BY"
PATH = click.Path(path_type=Path)
#: Where pages are served if no port is asked for.
PORT = 8766

_Command = TypeVar("_Command", bound=Callable[..., Any])


class ListingGroup(click.Group):
    """A group `NAME CONTEST COMMAND …` whose command `list` can be left out."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """The words, with `list` where no command is named."""
        named = bool(args) and not args[0].startswith("-")
        if named and (len(args) == 1 or args[1].startswith("-")):
            args = [args[0], "list", *args[1:]]
        return super().parse_args(ctx, args)


def by_option(*, required: bool = False) -> Callable[[_Command], _Command]:
    """`--by NAME`: the person who gives the command, as it stands in the record."""
    default: dict[str, Any] = {} if required else {"default": "organizer"}
    # Reported as missing in words of ours: click's own name no variable.
    return click.option(
        "--by",
        metavar="NAME",
        envvar=BY_VARIABLE,
        callback=_one_line,
        help=f"Your name for the record; or set {BY_VARIABLE}"
        + ("; required." if required else "; organizer by default."),
        **default,
    )


def _one_line(_ctx: click.Context, _option: click.Parameter, value: str | None) -> str:
    from contest.screening.state import one_line

    if value is None:
        raise click.UsageError(f"give your name with --by NAME, or set {BY_VARIABLE}")
    try:
        text = one_line(value)
    except ValueError as exc:
        raise click.BadParameter(str(exc)) from None
    if not text:
        raise click.BadParameter("is empty; give a name")
    return text


def reason_option(*, required: bool = False) -> Callable[[_Command], _Command]:
    """`--reason WHY`."""
    default: dict[str, Any] = {"required": True} if required else {"default": ""}
    return click.option("--reason", help="The reason, for the record.", **default)


def json_option(command: _Command) -> _Command:
    """`--json`."""
    return click.option(
        "--json", "as_json", is_flag=True, help="Print a JSON document and nothing else."
    )(command)


def address_options(command: _Command) -> _Command:
    """`--host` and `--port`."""
    host = click.option(
        "--host", default="127.0.0.1", show_default=True, help="The address to listen on."
    )
    kind = click.IntRange(0, 65535)
    port = click.option(
        "--port", type=kind, default=PORT, show_default=True, help="The port; 0 for any."
    )
    return host(port(command))


def print_json(document: object) -> None:
    """Prints a document for programs."""
    click.echo(json.dumps(document, indent=2, ensure_ascii=False))


def say(*lines: str, err: bool = False) -> None:
    """Prints lines; what people wrote is text in them, nothing that a terminal obeys."""
    from scheduler.texts import plain

    for line in lines:
        click.echo(plain(line), err=err)


def print_table(head: Sequence[str], rows: Sequence[Sequence[str | None]], empty: str = "") -> None:
    """Prints a table: on a terminal fitted to its width, elsewhere plain and never cut.

    Arguments:
        head: names of the columns.
        rows: their cells; text from people, never read as markup.
        empty: printed if there are no rows.
    """
    if not rows and empty:
        click.echo(empty)
        return
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from scheduler.texts import plain

    terminal = sys.stdout.isatty()
    console = Console(file=sys.stdout, highlight=False, width=None if terminal else 1_000_000)
    table = Table(box=box.SIMPLE if terminal else None, pad_edge=False)
    for name in head:
        table.add_column(name, overflow="fold")
    for row in rows:
        table.add_row(*(Text(plain(cell or "")) for cell in row))
    with console.capture() as capture:
        console.print(table)
    for line in capture.get().splitlines():
        click.echo(line.rstrip())
