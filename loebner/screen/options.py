"""Options and output that the commands of `loebner screen` share."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import click
from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from contest.screening.state import NAME_LIMIT, TEXT_LIMIT, one_line
from loebner.options import json_option
from scheduler.texts import plain

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
        if args[1:] and args[0] in self.commands and args[1] in ctx.help_option_names:
            args = [".", *args]  # a command's help, without a contest
        elif args and not args[0].startswith("-") and (not args[1:] or args[1].startswith("-")):
            args = [args[0], "list", *args[1:]]
        return super().parse_args(ctx, args)


def by_option(*, required: bool = False) -> Callable[[_Command], _Command]:
    """`--by NAME`: the person who gives the command, as it stands in the record."""
    default = "required" if required else "organizer by default"
    return click.option(
        "--by",
        metavar="NAME",
        envvar=BY_VARIABLE,
        default=None if required else "organizer",
        callback=_one_line,
        help=f"Your name for the record; or set {BY_VARIABLE}; {default}.",
    )


def _one_line(_ctx: click.Context, option: click.Parameter, value: str | None) -> str:
    if value is None:
        raise click.UsageError(f"give your name with --by NAME, or set {BY_VARIABLE}")
    try:
        text = one_line(value, TEXT_LIMIT if option.name == "reason" else NAME_LIMIT)
    except ValueError as exc:
        raise click.BadParameter(str(exc)) from None
    if not text and option.name == "by":
        raise click.BadParameter("is empty; give a name")
    return text


def reason_option(*, required: bool = False) -> Callable[[_Command], _Command]:
    """`--reason WHY`."""
    default: dict[str, Any] = {"required": True} if required else {"default": ""}
    return click.option(
        "--reason", help="The reason, for the record.", callback=_one_line, **default
    )


def signed(
    *, reason: bool = False, by_needed: bool = False
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """What steps of the groups take: `--reason` if there is one, `--by`, `--json`; and CONTEST."""

    def options(command: Callable[..., Any]) -> Callable[..., Any]:
        command = by_option(required=by_needed)(json_option(click.pass_obj(command)))
        return reason_option(required=True)(command) if reason else command

    return options


def contest_group(
    name: str, words: str, listing: Callable[[Path, bool], None], listed: str
) -> click.Group:
    """A group `NAME CONTEST COMMAND …`, and its command `list` with what it does and says."""

    @click.group(name, cls=ListingGroup, help=words)
    @click.argument("contest", type=PATH)
    @click.pass_context
    def group(ctx: click.Context, contest: Path) -> None:
        ctx.obj = contest

    @group.command("list", help=f"{listed} (default command).")
    @json_option
    @click.pass_obj
    def list_(contest: Path, as_json: bool) -> None:
        listing(contest, as_json)

    return group


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


def say(*lines: str, err: bool = False) -> None:
    """Prints lines; what people wrote is text in them, nothing that a terminal obeys."""
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
