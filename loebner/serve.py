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
    help="The address to listen at; 0.0.0.0 is all of this machine, for consoles on the network.",
)
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=PORT,
    show_default=True,
    help="The port to listen at; 0 takes a free one.",
)
@click.option(
    "--cert",
    metavar="FILE",
    type=click.Path(path_type=Path, readable=False),
    help="Speak TLS, with the certificate in FILE, in PEM.",
)
@click.option(
    "--key",
    metavar="FILE",
    type=click.Path(path_type=Path, readable=False),
    help="The certificate's private key, in PEM. Left out: it is in the certificate's file.",
)
@click.option("--database", metavar="URL", help="In the place of [record] database.")
@click.option(
    "--speed",
    type=click.FloatRange(0, 600, min_open=True),
    default=1.0,
    help="Seconds of the contest in a second; for trying things out.  [default: 1]",
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
    """Hold the contest of the folder CONTEST: consoles take their seats here.

    Nothing begins by itself: each round, and the ranking, waits for `loebner control CONTEST
    start`. The codes for the seats and the organizer's are in codes.txt in the folder, which only
    its owner can read. Ctrl-C ends the server in good order.
    """
    from loebner.serving import hold

    if key is not None and cert is None:
        raise click.UsageError("--key stands beside --cert")
    return hold(contest, host, port, database, speed, cert, key)
