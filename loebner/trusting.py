"""`--ca` and `--fingerprint`: which server with TLS is the right one, for all commands that connect
to one."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from lpp.connection import CA_VARIABLE, FINGERPRINT_VARIABLE, Trust, given_trust
from lpp.errors import YoursToFix

_F = TypeVar("_F", bound=Callable[..., Any])


def trust_options(command: _F) -> _F:
    """The options, for click: `ca` and `fingerprint`."""
    for option in reversed(
        (
            click.option(
                "--ca",
                metavar="FILE",
                type=click.Path(path_type=Path, readable=False),
                help=f"With wss://: certificates to trust, in PEM; or in {CA_VARIABLE}. Left out: "
                "those of the system.",
            ),
            click.option(
                "--fingerprint",
                metavar="SHA256",
                help="With wss://: of the server's certificate, as the server prints it; or in "
                f"{FINGERPRINT_VARIABLE}.",
            ),
        )
    ):
        command = option(command)
    return command


def trust_of(ca: Path | None, fingerprint: str | None) -> Trust:
    """What was given.

    Raises:
        click.UsageError: if it can't be used.
    """
    try:
        return given_trust(None if ca is None else str(ca), fingerprint)
    except YoursToFix as exc:
        raise click.UsageError(str(exc)) from None
