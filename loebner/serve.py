"""`loebner serve`: the server of a contest for real people, in the organizer's hand."""

from __future__ import annotations

from pathlib import Path

import click

from loebner.options import listening_options


@click.command()
@click.argument("contest", type=click.Path(path_type=Path))
@listening_options
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
