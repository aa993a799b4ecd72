"""Common code of several commands: options, output as JSON or for people, and reading the code and
the trust for a server."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

import click
import msgspec

from lpp.connection import CA_VARIABLE, FINGERPRINT_VARIABLE, Trust, read_trust
from lpp.errors import UserError

#: The default port of a server.
PORT = 8765
#: The environment variable for a code.
CODE_VARIABLE = "LOEBNER_CODE"
#: The maximum number of bytes to read from a file with a code.
CODE_FILE_LIMIT = 64 * 1024
#: A path that the command itself checks.
PATH = click.Path(path_type=Path, readable=False)

#: Output for people: a line, or a table's columns and rows.
Part: TypeAlias = str | tuple[Sequence[str], Sequence[Sequence[str | None]]]
_F = TypeVar("_F", bound=Callable[..., Any])


def options(*each: Callable[[_F], _F]) -> Callable[[_F], _F]:
    """Combines click options into one decorator, in the order of `--help`."""

    def add(command: _F) -> _F:
        for option in reversed(each):
            command = option(command)
        return command

    return add


#: `as_json`.
json_option = click.option(
    "--json", "as_json", is_flag=True, help="Print a JSON document and nothing else."
)
#: `ca` and `fingerprint`.
trust_options = options(
    click.option(
        "--ca",
        metavar="FILE",
        type=PATH,
        help=f"With wss://: a PEM file with the certificates to trust; or set {CA_VARIABLE}. "
        "Default: the system's.",
    ),
    click.option(
        "--fingerprint",
        metavar="SHA256",
        help="With wss://: the fingerprint of the server's certificate, as the server prints "
        f"it; or set {FINGERPRINT_VARIABLE}.",
    ),
)
#: `server`, `code`, `code_file`, `ca` and `fingerprint`.
server_options = options(
    click.option(
        "--server",
        metavar="URL",
        help="The server's address: HOST:PORT, or wss://HOST:PORT with TLS.",
    ),
    click.option("--code", metavar="CODE", help="The code; a file or variable is safer."),
    click.option("--code-file", metavar="FILE", type=PATH, help="A file with the code."),
    trust_options,
)


def listening_at(port: int) -> Callable[[_F], _F]:
    """The options `host` and `port`, with a default port."""
    return options(
        click.option(
            "--host",
            default="127.0.0.1",
            show_default=True,
            help="The address to listen on; 0.0.0.0 for all of this machine's addresses, so that "
            "people on the network can connect.",
        ),
        click.option(
            "--port",
            type=click.IntRange(0, 65535),
            default=port,
            show_default=True,
            help="The port to listen on; 0 for any free one.",
        ),
    )


address_options = listening_at(PORT)
#: `host`, `port`, `cert`, `key` and `database`, for commands that run or check a server.
listening_options = options(
    address_options,
    click.option(
        "--cert", metavar="FILE", type=PATH, help="Use TLS with the certificate in this PEM file."
    ),
    click.option(
        "--key",
        metavar="FILE",
        type=PATH,
        help="A PEM file with the certificate's private key. Default: the file of --cert.",
    ),
    click.option(
        "--database", metavar="URL", help="Use this database instead of [record] database."
    ),
)


def print_json(document: object) -> None:
    """Prints a document of plain values, structs and dates as JSON."""
    from texts import in_english

    click.echo(
        json.dumps(msgspec.to_builtins(document, enc_hook=in_english), indent=2, ensure_ascii=False)
    )


def say(*lines: str, err: bool = False) -> None:
    """Prints lines, with control characters escaped because people may have written them."""
    from scheduler.texts import plain

    for line in lines:
        click.echo(plain(line), err=err)


def answer(as_json: bool, document: object, *parts: Part) -> None:
    """Prints a JSON document, or the same content for people. On a terminal, tables fit its width;
    elsewhere they are plain and never cut. Text from people is never treated as markup."""
    if as_json:
        print_json(document)
        return
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from scheduler.texts import plain

    terminal = sys.stdout.isatty()
    console = Console(file=sys.stdout, highlight=False, width=None if terminal else 1_000_000)
    for part in parts:
        if isinstance(part, str):
            say(part)
            continue
        table = Table(box=box.SIMPLE if terminal else None, pad_edge=False)
        for name in part[0]:
            table.add_column(name, overflow="fold")
        for row in part[1]:
            table.add_row(*(Text(plain(cell or "")) for cell in row))
        with console.capture() as capture:
            console.print(table)
        click.echo("\n".join(line.rstrip() for line in capture.get().splitlines()))


def trust_of(ca: Path | None, fingerprint: str | None) -> Trust:
    """Reads --ca and --fingerprint, or their variables.

    Raises:
        click.UsageError: if they can't be used.
    """
    try:
        return read_trust(None if ca is None else str(ca), fingerprint)
    except UserError as exc:
        raise click.UsageError(str(exc)) from None


def given_code(code: str | None, file: Path | None, variable: str = CODE_VARIABLE) -> str | None:
    """Reads the code from the option, the file or the variable ("" for none); None if not given.

    Raises:
        click.UsageError: if it was given twice, or is not a code.
    """
    if code is not None and file is not None:
        raise click.UsageError("give only one of --code and --code-file")
    where, text = "--code", code
    if file is not None:
        where, text = f"--code-file {file}", _read_code(file)
    elif text is None and variable and variable in os.environ:
        where, text = variable, os.environ[variable]
    if text is None:
        return None
    from judge_console.model.joining import BadCode, seat_code

    try:
        return seat_code(text)
    except BadCode as exc:
        raise click.UsageError(f"{where}: {exc}") from None


def _read_code(file: Path) -> str:
    """Reads the only code in a file. As in a contest's codes.txt, lines may begin with the seat's
    name; comments begin with a #."""
    try:
        with file.open("rb") as opened:
            text = opened.read(CODE_FILE_LIMIT).decode("utf-8-sig")
    except OSError as exc:
        raise click.UsageError(f"--code-file {file}: {exc.strerror or exc}") from None
    except UnicodeDecodeError:
        raise click.UsageError(f"--code-file {file}: not text in UTF-8; save it as such") from None
    lines = [line.strip() for line in text.splitlines()]
    codes = [line.split("\t")[-1] for line in lines if line and not line.startswith("#")]
    if len(codes) != 1:
        raise click.UsageError(
            f"--code-file {file}: contains {len(codes) or 'no'} codes; give a file with only your "
            "own code"
        )
    return codes[0]
