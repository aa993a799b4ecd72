"""`loebner bot`: runs a bot as an entry, or another program by an adapter, or lists them."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from bots.adapters.table import ADAPTERS, all_options, prepare
from bots.entry import entry_options, run_entry
from bots.registry import BOTS, UnknownBot, find

_F = TypeVar("_F", bound=Callable[..., Any])


def _adapter_options(command: _F) -> _F:
    # All of them are options of the one command, so that they may stand in any order; which
    # adapter an option belongs to is checked when it is known which is meant.
    for key, option in reversed(all_options().items()):
        owned = {
            name: its.default
            for name, adapter in ADAPTERS.items()
            for its in adapter.options
            if its.key == key
        }
        owners = ", ".join(owned)
        default = ", ".join(dict.fromkeys(owned.values()))
        default = f" [default: {default}]" if default else ""
        command = click.option(
            option.flag,
            key,
            # A path is given to the adapter as it stands; it says what is wrong with it.
            type=click.Path(path_type=option.type) if option.type not in _PLAIN else option.type,
            metavar=option.metavar,
            help=f"({owners}) {option.help}{default}",
        )(command)
    return command


_PLAIN = (str, int, float)


@click.command(
    epilog="An option whose help begins with names in brackets works only with those adapters."
)
@click.argument("name", required=False)
@click.option("--list", "list_them", is_flag=True, help="Show bots and adapters with options.")
@click.option("--json", "as_json", is_flag=True, help="With --list: as JSON.")
@entry_options
@_adapter_options
def bot(name: str | None, list_them: bool, as_json: bool, **options: Any) -> None:
    """Run the bot NAME as an entry in a communications directory.

    NAME is a bundled bot, or an adapter for a program that does not know LPP; --command "PROGRAM
    ARGS" needs no name. Prints `listening in DIR` when it is ready, and runs until Ctrl-C or
    SIGTERM.
    """
    given = {key: options.pop(key) for key in all_options()}
    given = {key: value for key, value in given.items() if value is not None}
    if list_them:
        _list(as_json)
        return
    if as_json:
        raise click.UsageError("--json goes with --list")
    if name is None and "command" in given:
        name = "command"
    if name is None:
        raise click.UsageError("name a bot; --list shows them")
    if name in ADAPTERS:
        run_entry(prepare(name, given), **options)
        return
    if name not in BOTS:
        there = ", ".join([*BOTS, *ADAPTERS])
        hint = ""
        if Path(name).exists():
            hint = (
                f"; run your own program directly (python {shlex.quote(name)} --dir DIR), or with "
                "--command if it does not know LPP"
            )
        raise UnknownBot(f"no bot is called {name!r}; choose one of {there}{hint}")
    if given:
        flag = all_options()[next(iter(given))].flag
        raise click.UsageError(f"{name} has no option {flag}")
    run_entry(find(name), **options)


def _list(as_json: bool) -> None:
    if as_json:
        click.echo(json.dumps(_document(), indent=2))
        return
    width = max(map(len, [*BOTS, *ADAPTERS]))
    click.echo("Bots:")
    for name, bundled in BOTS.items():
        click.echo(f"  {name:{width}}  {bundled.summary}")
    click.echo("\nAdapters, for programs that do not know LPP:")
    for name, adapter in ADAPTERS.items():
        click.echo(f"  {name:{width}}  {adapter.summary}")
        for option in adapter.options:
            default = f" [{option.default}]" if option.default else ""
            needed = " (needed)" if option.required else ""
            shown = f"{option.flag} {option.metavar}"
            click.echo(f"  {'':{width}}    {shown:24}  {option.help}{needed}{default}")


def _document() -> dict[str, object]:
    return {
        "bots": [{"name": name, "summary": bundled.summary} for name, bundled in BOTS.items()],
        "adapters": [
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
        ],
    }
