"""`loebner rehearse`: the contest with scripted people on a clock that jumps, and faults."""

from __future__ import annotations

from importlib.metadata import version
from pathlib import Path

import click

from loebner.options import json_option, print_json

#: The default seed.
SEED = 2010


@click.command(
    epilog="Exit code: 0 everything is right, 1 something is wrong, 2 no contest to rehearse."
)
@click.argument("contest", type=click.Path(path_type=Path))
@click.option(
    "--seed",
    type=click.IntRange(0),
    default=SEED,
    show_default=True,
    help="Seed for sides, faults, and what people and programs say.",
)
@click.option(
    "--faults",
    metavar="LIST",
    help="Which faults happen, separated by commas, or none.  [default: all]",
)
@json_option
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    help="Keep the rehearsal in this folder, new or empty, as a contest folder.",
)
def rehearse(
    contest: Path,
    seed: int,
    faults: str | None,
    as_json: bool,
    out: Path | None,
) -> int:
    """Rehearse the contest of the folder CONTEST, with its names, schedule and times.

    Scripted judges and confederates and the bundled bots play all rounds on a virtual clock, in
    less than a minute, while programs die, links drop, the disk fills up and the server is killed.
    At the end it compares what everybody saw with the record. Changes nothing in CONTEST.
    """
    from contest.rehearse.play import choose
    from contest.rehearse.play import rehearse as run
    from contest.rehearse.report import clock
    from loebner.rehearsing import cast

    def tell(seconds: float, words: str) -> None:
        if not as_json:
            click.echo(f"{clock(seconds):>8}  {words}")

    report = run(
        contest,
        cast,
        choose(faults),
        seed=seed,
        program=f"loebner {version('loebner')} rehearse, seed {seed}",
        out=out,
        tell=tell,
    )
    if as_json:
        print_json(report)
    else:
        click.echo()
        for line in report.lines():
            click.echo(line)
    return 0 if report.ok else 1
