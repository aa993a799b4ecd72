"""`loebner serve`: the server of a contest for real people, in the organizer's hand."""

from __future__ import annotations

from pathlib import Path

import click

from loebner.common import PORT


@click.command()
@click.argument("contest", type=click.Path(path_type=Path))
@click.option(
    "--host",
    default="127.0.0.1",
    show_default=True,
    help="The address to listen on; 0.0.0.0 for all of this machine's, so that consoles on the "
    "network can connect.",
)
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=PORT,
    show_default=True,
    help="The port to listen on; 0 for any free one.",
)
@click.option(
    "--cert",
    metavar="FILE",
    type=click.Path(path_type=Path, readable=False),
    help="Use TLS with the certificate in FILE, in PEM.",
)
@click.option(
    "--key",
    metavar="FILE",
    type=click.Path(path_type=Path, readable=False),
    help="The certificate's private key, in PEM. Default: it is in the certificate's file.",
)
@click.option("--database", metavar="URL", help="Use this database instead of [record] database.")
@click.option(
    "--speed",
    type=click.FloatRange(0, 600, min_open=True),
    default=1.0,
    help="Contest seconds per second, to try things out.  [default: 1]",
)
def serve(
    contest: Path,
    host: str,
    port: int,
    cert: Path | None,
    key: Path | None,
    database: str | None,
    speed: float,
) -> int:
    """Run the server of the contest in the folder CONTEST.

    Nothing begins by itself: each round, and the ranking, waits for
    `loebner control CONTEST start`. The codes for the seats and the organizer are in codes.txt in
    the folder, which only its owner can read. Ctrl-C ends the server; the same command continues
    the contest.
    """
    from loebner.serving import hold

    if key is not None and cert is None:
        raise click.UsageError("--key needs --cert")
    return hold(contest, host, port, database, speed, cert, key)
