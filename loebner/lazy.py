"""Groups of commands that import a command's module only when that command is called."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any, NamedTuple

import click


class Place(NamedTuple):
    """Where a command stands: its module, its name there, and its line in `--help`."""

    module: str
    attribute: str
    help: str


class LazyGroup(click.Group):
    """A group that imports a command's module only when that command is called.

    Arguments:
        places: name to place, in the order of `--help`.
        options: click's own.
    """

    def __init__(self, *, places: Mapping[str, Place], **options: Any) -> None:
        super().__init__(**options)
        self._places = places

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Names of all commands, in their order."""
        return list(self._places)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of that name, its module imported now, or None."""
        place = self._places.get(cmd_name)
        if place is None:
            return None
        command = getattr(importlib.import_module(place.module), place.attribute)
        assert isinstance(command, click.Command)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The list in `--help`, without importing what it lists."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, place.help) for name, place in self._places.items()])
