"""`loebner verify`: computes a contest's record anew, and compares."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from contest.verification.findings import Check, Report

#: Faults of one check that are told; `--json` has them all.
TOLD = 5


@click.command()
@click.argument("contest", type=click.Path(path_type=Path))
@click.option(
    "--head",
    metavar="HEX",
    help="The head as published: 64 hex digits. Left out: that of head.txt in the folder, if any.",
)
@click.option("--json", "as_json", is_flag=True, help="Print a JSON document and nothing else.")
@click.pass_context
def verify(ctx: click.Context, contest: Path, head: str | None, as_json: bool) -> None:
    """Compute the record of the folder CONTEST anew, and compare; or a published record, an
    events.jsonl, as far as its events are there.

    Chain, heads, schedule, replay, seals and tally: one line a check, green or RED, and for what is
    red the event. Exit code 0 if all is green, 1 if anything is red.
    """
    from contest.verification.verify import is_head
    from contest.verification.verify import verify as run

    if head is not None and not is_head(head.strip().lower()):
        raise click.UsageError("--head is the hash as published: 64 hex digits")
    report = run(contest, head)
    if as_json:
        click.echo(json.dumps(report.as_json(), indent=2))
    else:
        _say(report)
    if not report.ok:
        ctx.exit(1)


def _say(report: Report) -> None:
    from contest.verification.findings import several

    for check in report.checks:
        _say_check(check)
    if not report.finished and report.checks[0].ok:
        events = several(report.events, "event")
        click.echo(f"This contest is not finished: verified as far as it goes, {events}.")
    if report.head:
        click.echo(f"head {report.head}")


def _say_check(check: Check) -> None:
    if check.ok:
        click.echo(f"{click.style('green', fg='green')}  {check.name:8}  {check.summary}")
        return
    red = click.style("RED", fg="red", bold=True)
    for fault in check.faults[:TOLD]:
        click.echo(f"{red}    {check.name:8}  {fault}")
    more = len(check.faults) - TOLD + check.more
    if more > 0:
        click.echo(f"{red}    {check.name:8}  and {more:,} more")
