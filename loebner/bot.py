"""`loebner bot`: runs a bot as an entry, or lists the bots."""

from __future__ import annotations

import json
from typing import Any

import click

from bots.entry import entry_options, run_entry
from bots.registry import BOTS, find


@click.command()
@click.argument("name", required=False)
@click.option("--list", "list_them", is_flag=True, help="Show the bots and what each does.")
@click.option("--json", "as_json", is_flag=True, help="With --list: as JSON.")
@entry_options
def bot(name: str | None, list_them: bool, as_json: bool, **options: Any) -> None:
    """Run the bot NAME as an entry in a communications directory.

    Prints `listening in DIR` when it listens, and runs until it is told to end (Ctrl-C, SIGTERM).
    """
    if list_them:
        _list(as_json)
        return
    if as_json:
        raise click.UsageError("--json goes with --list")
    if name is None:
        raise click.UsageError("name a bot, or see them with --list")
    run_entry(find(name), **options)


def _list(as_json: bool) -> None:
    if as_json:
        bots = [{"name": name, "summary": place.summary} for name, place in BOTS.items()]
        click.echo(json.dumps({"bots": bots}, indent=2))
        return
    width = max(map(len, BOTS))
    for name, place in BOTS.items():
        click.echo(f"{name:{width}}  {place.summary}")
