"""`loebner new`: a contest folder with a commented contest.toml."""

from __future__ import annotations

from pathlib import Path

import click


@click.command()
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
def new(folder: Path) -> None:
    """Make the contest folder DIR, with a commented contest.toml.

    DIR must be new or empty.
    """
    from contest.setup.folder import make

    click.echo(f"{make(folder)} is ready; edit it for your contest")
