"""`loebner link`: links an entry's directory on this machine to a server elsewhere by a socket."""

from __future__ import annotations

import asyncio
import contextlib
import math
from importlib.metadata import version
from pathlib import Path

import click

from judge_console.client import seat_url
from loebner.options import PATH, given_code, server_options, trust_of
from lpp.connection import Trust
from lpp.errors import UserError
from lpp.program import in_directory


@click.command(
    context_settings={"ignore_unknown_options": True},
    epilog="Exit code: 0 you ended it, 1 the server or this machine refused, or the server was "
    "unreachable for too long, 2 usage error.",
)
@server_options
@click.option(
    "--dir",
    "directory",
    metavar="DIR",
    required=True,
    type=PATH,
    help="The entry's communications directory.",
)
@click.option(
    "--minutes-without-server",
    "minutes",
    type=click.FloatRange(0, 1440, min_open=True),
    default=10.0,
    show_default=True,
    help="After the first connection: end the program and the link after this long without a "
    "server.",
)
@click.argument("program", nargs=-1, type=click.UNPROCESSED)
def link(
    server: str | None,
    code: str | None,
    code_file: Path | None,
    ca: Path | None,
    fingerprint: str | None,
    directory: Path,
    minutes: float,
    program: tuple[str, ...],
) -> int:
    """Link an entry on this machine to a contest's server on another machine.

    The code can also be in the variable LOEBNER_CODE. With -- PROGRAM ARGS the link also starts the
    entry's program, restarts it when it ends, and writes its output to DIR.log; {dir} in ARGS
    stands for the directory.

    Before the first connection, the link waits for the server without a time limit.

    \b
        loebner link --server 192.168.1.10:8765 --code-file e1.txt --dir /dev/shm/e1
        loebner link --server 192.168.1.10:8765 --dir /dev/shm/e1 -- ./my-bot --dir {dir}
    """
    if server is None:
        raise click.UsageError("give the server's address with --server URL")
    secret = given_code(code, code_file)
    if secret is None:
        raise click.UsageError("give the code with --code, --code-file or LOEBNER_CODE")
    try:
        url = link_url(server)
    except UserError as exc:
        raise click.UsageError(f"--server: {exc}") from None
    trust = trust_of(ca, fingerprint)
    if program and not any("{dir}" in word for word in program):
        raise click.UsageError("ARGS needs {dir}, which stands for the communications directory")
    directory = directory.absolute()
    words = in_directory(program, str(directory))
    with contextlib.suppress(asyncio.CancelledError, KeyboardInterrupt):  # SIGTERM, Ctrl-C
        asyncio.run(_run(url, secret, trust, directory, minutes * 60, words))
    return 0


def link_url(server: str) -> str:
    """The address for links at a server: like that for seats, but with `/link` unless it has a
    path.

    Raises:
        UserError: if the address is invalid.
    """
    url = seat_url(server)
    return f"{url.removesuffix('/seat')}/link" if url.endswith("/seat") else url


async def _run(
    url: str, code: str, trust: Trust, directory: Path, patience: float, words: list[str]
) -> None:
    from contest.links.client import run
    from contest.links.directory import Checkpoint, LinkedDirectory
    from contest.tasks import cancel_on_signals

    cancel_on_signals()
    memory = Checkpoint.of(str(directory))
    client = f"loebner {version('loebner')}"
    async with LinkedDirectory(str(directory), memory, code, client) as link:
        await run(
            *(link, lambda: (url, trust), click.echo),
            # A link is often started long before the server, and somebody is there to end it.
            lambda: patience if link.end.welcomed else math.inf,
            *(words, directory.with_name(f"{directory.name}.log")),
            memory.file.with_suffix(".lock"),
        )
