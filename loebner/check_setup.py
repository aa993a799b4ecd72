"""`loebner check-setup`: checks whether a contest is ready."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from contest.net.addresses import ControlAddress
from contest.preflight.checks import CHECKS
from contest.preflight.report import Finding, PreflightReport, ServeOptions, inspect_site, run
from loebner.common import level_mark, send
from loebner.options import json_option, listening_options, print_json


@click.command(epilog="Exit code: 0 nothing is red, 1 something is red, 2 not a contest folder.")
@click.argument("contest", type=click.Path(path_type=Path))
@listening_options
@click.option("--no-start", is_flag=True, help="Don't start the entries.")
@json_option
def check_setup(
    contest: Path,
    host: str,
    port: int,
    cert: Path | None,
    key: Path | None,
    database: str | None,
    no_start: bool,
    as_json: bool,
) -> int:
    """Check whether everything is ready to hold the contest of the folder CONTEST.

    Prints one line for each check: green, yellow (worth a look) or RED (the contest can't be held),
    with the remedy. Changes nothing: entries start briefly in temporary directories. If a server is
    running, its seats, links and programs are checked, too.
    """
    if key is not None and cert is None:
        raise click.UsageError("--key needs --cert")
    site = inspect_site(
        contest, _ask, serving=ServeOptions(host, port, cert, key, database), start=not no_start
    )
    report = run(site, CHECKS, (lambda finding: None) if as_json else _say)
    if as_json:
        print_json(report)
    else:
        click.echo(_closing(report))
    return 0 if report.ready else 1


def _ask(address: ControlAddress) -> Mapping[str, Any]:
    return send(address, {"action": "check"})


def _say(finding: Finding) -> None:
    click.echo(f"{level_mark(finding.level)}{finding.what}: {finding.found}")
    if finding.remedy:
        click.echo(f"        -> {finding.remedy}")


def _closing(report: PreflightReport) -> str:
    levels = [finding.level for finding in report.checks]
    bad, odd = levels.count("red"), levels.count("yellow")
    look_at = f"{odd} {'line is' if odd == 1 else 'lines are'} yellow"
    if bad:
        return f"NOT ready: {bad} {'line is' if bad == 1 else 'lines are'} red, {look_at}."
    return f"Ready; {look_at}." if odd else "Ready."
