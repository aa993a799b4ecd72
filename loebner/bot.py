"""`loebner bot`: runs a bot as an entry, or another program with an adapter, or lists them."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from itertools import starmap
from pathlib import Path
from typing import Any, TypeVar

import click

from bots.adapters.table import ADAPTERS, Option, all_options, prepare
from bots.entry import entry_options, run_entry
from bots.registry import BOTS, UnknownBot, find
from loebner.options import options as declared
from loebner.options import print_json

_F = TypeVar("_F", bound=Callable[..., Any])


def _adapter_option(key: str, option: Option) -> Callable[[_F], _F]:
    """Makes an option of adapters an option of the command, for all adapters. Options may be in any
    order; whether one belongs to the adapter is checked once the adapter is known."""
    owned = {
        name: its.default
        for name, adapter in ADAPTERS.items()
        for its in adapter.options
        if its.key == key
    }
    defaults: dict[str, list[str]] = {}
    for name, value in owned.items():
        defaults.setdefault(value, []).append(name)
    default = ", ".join(
        value if len(defaults) == 1 else f"{value} ({', '.join(names)})"
        for value, names in defaults.items()
    )
    return click.option(
        option.flag,
        key,
        # A path is passed to the adapter unchecked; the adapter reports errors.
        type=click.Path(path_type=Path) if option.type is Path else option.type,
        metavar=option.metavar,
        help=f"({', '.join(owned)}) {option.help}" + (f" [default: {default}]" if default else ""),
    )


@click.command(
    epilog="An option whose help begins with names in brackets only works with those adapters."
)
@click.argument("name", required=False)
@click.option("--list", "list_them", is_flag=True, help="List the bots, and adapters with options.")
@click.option("--json", "as_json", is_flag=True, help="With --list: print JSON.")
@entry_options
@declared(*starmap(_adapter_option, all_options().items()))
def bot(name: str | None, list_them: bool, as_json: bool, **options: Any) -> None:
    """Run the bot NAME as an entry in a communications directory.

    NAME is a bundled bot, or an adapter for a program that does not speak LPP; --command "PROGRAM
    ARGS" needs no NAME. Prints `listening in DIR` when it is ready, and runs until Ctrl-C or
    SIGTERM.
    """
    given = {key: options.pop(key) for key in all_options()}
    given = {key: value for key, value in given.items() if value is not None}
    if list_them:
        _list(as_json)
        return
    if as_json:
        raise click.UsageError("--json needs --list")
    if name is None and "command" in given:
        name = "command"
    if name is None:
        raise click.UsageError("give a bot's name; --list shows them")
    if name in ADAPTERS:
        run_entry(prepare(name, given), **options)
        return
    if name not in BOTS:
        there = ", ".join([*BOTS, *ADAPTERS])
        hint = ""
        if Path(name).exists():
            hint = (
                f"; run your own program directly (python {shlex.quote(name)} --dir DIR), or with "
                "--command if it does not speak LPP"
            )
        raise UnknownBot(f"there is no bot {name!r}; choose one of {there}{hint}")
    if given:
        flag = all_options()[next(iter(given))].flag
        raise click.UsageError(f"{name} has no option {flag}")
    run_entry(find(name), **options)


def _list(as_json: bool) -> None:
    adapters = [
        {
            "name": name,
            "summary": adapter.summary,
            "options": [
                {
                    "name": option.flag,
                    "metavar": option.metavar,
                    "help": option.help,
                    "required": option.required,
                    "default": option.default or None,
                }
                for option in adapter.options
            ],
        }
        for name, adapter in ADAPTERS.items()
    ]
    if as_json:
        bots = [{"name": name, "summary": bundled.summary} for name, bundled in BOTS.items()]
        print_json({"bots": bots, "adapters": adapters})
        return
    width = max(map(len, [*BOTS, *ADAPTERS]))
    click.echo("Bots:")
    for name, bundled in BOTS.items():
        click.echo(f"  {name:{width}}  {bundled.summary}")
    click.echo("\nAdapters, for programs that do not speak LPP:")
    for name, adapter in ADAPTERS.items():
        click.echo(f"  {name:{width}}  {adapter.summary}")
        for option in adapter.options:
            default = f" [{option.default}]" if option.default else ""
            needed = " (required)" if option.required else ""
            shown = f"{option.flag} {option.metavar}"
            click.echo(f"  {'':{width}}    {shown:24}  {option.help}{needed}{default}")
