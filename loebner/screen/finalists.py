"""`loebner screen finalists`: those that go on become the entries of the contest."""

from __future__ import annotations

from pathlib import Path

import click

from loebner.screen.telling import by_option, json_option, print_json, said


@click.command()
@click.argument("contest", type=click.Path(path_type=Path))
@click.option(
    "--decide",
    metavar="E3,E5",
    help="Decide a tie at the cut: these of the tied go on; with --reason.",
)
@click.option("--reason", default="", help="Why; it goes on record.")
@click.option("--show", is_flag=True, help="Write nothing; say what contest.toml would hold.")
@by_option()
@json_option
def finalists(
    contest: Path, decide: str | None, reason: str, show: bool, by: str, as_json: bool
) -> None:
    """Write the finalists of the folder CONTEST into its contest.toml, as the entries of the
    contest; comments and all else in it stay. Then the contest's schedule has them.
    """
    from contest.screening import finalists as writing
    from contest.screening.season import Season

    with Season(contest) as season:
        if decide is not None:
            names = [name.strip() for name in decide.split(",") if name.strip()]
            writing.decide(season, names, by, reason)
        if show:
            click.echo(writing.as_toml(writing.entries_of(season)))
            return
        done = writing.write(season, by)
    if as_json:
        print_json(
            {
                "finalists": [entry.id for entry in done.entries],
                "schedule": list(done.schedule),
                "trouble": done.trouble or None,
            }
        )
        return
    for entry in done.entries:
        click.echo(said(f"{entry.id}  {entry.name}, entered by {entry.entrant}"))
    click.echo(f"written into {contest / 'contest.toml'}")
    for number, line in enumerate(done.schedule, 1):
        click.echo(f"Round {number} {line}")
    if done.trouble:
        click.echo(said(f"The contest has no schedule with them yet: {done.trouble}"))
