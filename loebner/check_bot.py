"""`loebner check-bot`: checks whether an entry speaks LPP as the rules require."""

from __future__ import annotations

import re
import shlex
import textwrap
from dataclasses import replace
from pathlib import Path

import click

from contest.tasks import run_with_signals
from loebner.options import json_option, print_json
from lpp.conformance.acts import THOROUGH, USUAL
from lpp.conformance.cases import CaseResult, Outcome, choose
from lpp.conformance.check import Setup, check
from lpp.conformance.log import Log
from lpp.conformance.reports import (
    closing,
    details,
    junit,
    line_of,
    require_jinja2,
    short,
    write_page,
)

_COLOURS = {
    Outcome.PASS: "green",
    Outcome.FAIL: "red",
    Outcome.NON_STRICT: "yellow",
    Outcome.INFO: "cyan",
    Outcome.NOT_TESTED: "bright_black",
}

#: The maximum number of characters of an observation on a line of the terminal's report.
_WIDTH = 110


@click.command(
    epilog="Exit code: 0 nothing failed, 1 something failed, 2 usage error.",
    context_settings={"allow_interspersed_args": False},
)
@click.option(
    "--dir",
    "directory",
    metavar="DIR",
    type=click.Path(path_type=Path),
    help="The entry's directory of key presses. With PROGRAM: {dir} in ARGS. Default: a new one.",
)
@click.option(
    "--only",
    metavar="ID",
    multiple=True,
    help="Run only this case, or all whose identifiers begin with it (2.A). Repeatable.",
)
@click.option("--strict", is_flag=True, help="Also fail on a broken SHOULD.")
@click.option("--full", is_flag=True, help="Check with longer silences; takes up to ten minutes.")
@click.option("--list", "list_them", is_flag=True, help="List the cases without running them.")
@click.option(
    "--html",
    metavar="OUT",
    type=click.Path(path_type=Path, file_okay=False),
    help="Add this check to the report in this directory, as a column in index.html.",
)
@click.option(
    "--junit",
    "junit_file",
    metavar="FILE",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Write the report as JUnit XML.",
)
@json_option
@click.option(
    "--attest",
    type=click.Choice(["browse"]),
    multiple=True,
    help="browse: state that you saw the program offer a browse function at its start.",
)
@click.argument("words", metavar="[-- PROGRAM ARGS]", nargs=-1, type=click.UNPROCESSED)
def check_bot(
    directory: Path | None,
    only: tuple[str, ...],
    strict: bool,
    full: bool,
    list_them: bool,
    html: Path | None,
    junit_file: Path | None,
    as_json: bool,
    attest: tuple[str, ...],
    words: tuple[str, ...],
) -> int:
    """Check whether an entry speaks the Loebner Prize Protocol as the rules require.

    Starts PROGRAM with ARGS, in which {dir} stands for the communications directory, talks to it as
    a judge, and reports on each case:

    \b
        loebner check-bot -- python my_bot.py {dir}
        loebner check-bot --dir DIR          (the program is already running)
    """
    cases = choose(only)
    if list_them:
        listed = [
            {"id": c.id, "level": c.level.value, "rule": c.rule, "expected": c.expected}
            for c in cases
        ]
        if as_json:
            print_json({"cases": listed})
        for case in [] if as_json else cases:
            click.echo(f"{case.id:16}  {case.level.value:6}  {case.expected}")
        return 0
    if junit_file is not None and not junit_file.absolute().parent.is_dir():
        # Report this now, not after two minutes.
        raise click.UsageError(f"--junit: there is no directory {junit_file.parent}")
    if html is not None:
        require_jinja2()
    if words and directory is None and not any("{dir}" in word for word in words):
        click.echo("note: ARGS has no {dir}, so the program can't know its directory", err=True)
    measures = THOROUGH if full else USUAL
    setup = Setup(words, directory, cases, strict, measures, frozenset(attest))
    result = run_with_signals(check(setup if as_json else replace(setup, tell=_tell)))
    bot = _bot_name(words, directory)
    if html is not None:
        page = write_page(html, result, bot)
        if not as_json:
            click.echo(f"report: {page}")
    if junit_file is not None:
        try:
            junit_file.write_text(junit(result, bot), encoding="utf-8")
        except OSError as exc:
            raise click.UsageError(f"--junit: {junit_file}: {exc.strerror or exc}") from exc
    if as_json:
        print_json(result.document())
    else:
        for line in closing(result):
            click.echo(line)
    return 0 if result.passed else 1


def _tell(result: CaseResult, log: Log) -> None:
    colour = _COLOURS[result.outcome]
    said = "" if result.is_faulty else " ".join(result.observed.split())
    if result.outcome is Outcome.INFO:
        # The observation is the purpose of such a case, so show all of it.
        first, *more = textwrap.wrap(said, _WIDTH)
    else:
        first, more = short(said, _WIDTH), []
    click.echo(f"{click.style(line_of(result), fg=colour)}  {first}".rstrip())
    for line in more:
        click.echo(f"{'':36}  {line}")
    if result.is_faulty:
        for line in details(result, log):
            click.echo(line)


def _bot_name(words: tuple[str, ...], directory: Path | None) -> str:
    if not words:
        return f"running in {directory.name or directory}" if directory is not None else "nothing"
    shown = [word for word in words if "{dir}" not in word and word != "--dir"]
    shown = [re.split(r"[\\/]", word.rstrip("/"))[-1] for word in shown]
    return shlex.join(shown)
