"""`loebner confederate`: the confederate's window, at a server or at a communications directory."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from loebner.judge import open_windows, window_options


@click.command(epilog="Exit code: 0 left by you, 1 nobody could sit down, 2 wrong use.")
@click.option(
    "--dir",
    "directory",
    metavar="DIR",
    type=click.Path(path_type=Path, readable=False),
    help="Without a server: the communications directory that the judge's console uses as well.",
)
@window_options
def confederate(directory: Path | None, **options: Any) -> int:
    """Sit down as a confederate: the human whom a judge talks with.

    Without --server and --code a dialog asks for them; so it does where one of them does not
    open a seat. The code may also stand in the variable LOEBNER_CODE. With --dir, the talk goes
    straight through a communications directory, without a server.

    \b
        loebner confederate
        loebner confederate --server 192.168.1.10:8765 --code-file my-code.txt
        loebner confederate --dir /dev/shm/b
    """
    return open_windows("confederate", directory, None, {}, **options)
