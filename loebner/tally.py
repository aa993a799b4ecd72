"""`loebner tally`: computes and explains table, places, silver medal and prizes."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import click

from loebner.options import json_option, print_json
from loebner.schedule import load_rounds, source_of
from scheduler import (
    PRIZES_2010,
    RULES_2010,
    BadInput,
    Prizes,
    Tally,
    explain_places,
    explain_prizes,
    explain_rules,
    explain_silver,
    read_rankings,
    read_verdicts,
)
from scheduler import tally as tally_of
from scheduler.documents import Node, load_json
from scheduler.files import read_text
from scheduler.texts import plain


class _Tallied(NamedTuple):
    """The tally, the prizes, its state in words, whether it is final, the statistics, and the speed
    relative to real time."""

    tally: Tally
    prizes: Prizes
    state: str
    is_final: bool
    statistics: Callable[[], dict[str, Any]]
    speed: float = 1.0


@click.command()
@click.argument("verdicts")
@click.argument("rankings", required=False)
@click.option(
    "--schedule", metavar="FILE", help="The schedule; verdicts for other pairings are refused."
)
@click.option("--statistics", is_flag=True, help="Also show how certain the result is.")
@json_option
def tally(
    verdicts: str, rankings: str | None, schedule: str | None, statistics: bool, as_json: bool
) -> None:
    """Compute and explain the table, winner, ties and silver medal from verdicts and rankings.

    VERDICTS is CSV (round,judge,entry,confederate,verdict), JSON, or a contest folder; RANKINGS is
    CSV (judge,participant,rank) or JSON. A verdict is entry or confederate, whichever was taken for
    the human, or empty. Warnings don't change the exit code 0.
    """
    if not os.path.isdir(verdicts):
        found = _files(verdicts, rankings, schedule)
    elif rankings is None and schedule is None:
        found = _folder(Path(verdicts))
    else:
        raise BadInput(
            "is a contest folder, which contains rankings and schedule; leave out the others",
            source=verdicts,
        )
    if as_json:
        beside = {"statistics": found.statistics()} if statistics else {}
        print_json(found.tally.as_json() | beside)
        return
    _say(found)
    if statistics:
        from contest.results.text import statistics_text

        click.echo(f"\n{statistics_text(found.statistics(), found.speed)}", nl=False)


def _folder(folder: Path) -> _Tallied:
    from contest.results.contest import Contest
    from contest.results.statistics import statistics_of

    held = Contest.load(folder)
    return _Tallied(
        *(held.tally, held.prizes, held.state_in_words(), held.is_final),
        lambda: statistics_of(held),
        held.speed / 1000,
    )


def _files(verdicts: str, rankings: str | None, schedule: str | None) -> _Tallied:
    planned = None if schedule is None else load_rounds(schedule)
    text, source = read_text(verdicts), source_of(verdicts)
    held = read_verdicts(text, source)
    ballots = []
    if rankings is not None:
        ballots = read_rankings(read_text(rankings), source_of(rankings))
    elif text.lstrip().startswith("{") and "rankings" in Node(load_json(text, source)).fields():
        ballots = read_rankings(text, source)
    if not held and planned is None:
        raise BadInput("has no verdicts", source=source)
    tallied = tally_of(held, ballots, planned)
    so_far = f"So far ({len(tallied.open)} without a verdict):" if tallied.open else ""

    def statistics() -> dict[str, Any]:
        from contest.results.statistics import statistics_of_tally

        return statistics_of_tally(held, ballots, planned)

    return _Tallied(tallied, PRIZES_2010, so_far, not so_far, statistics)


def _say(found: _Tallied) -> None:
    from contest.results.text import score_table

    result = found.tally
    lines = [*score_table(result, lines=sys.stdout.isatty()), ""]
    if found.state:
        lines.append(plain(found.state))
    if result.rules != RULES_2010:
        lines.append(" ".join(explain_rules(result.rules)))
    lines += [*explain_places(result), *explain_silver(result, found.prizes)]
    if found.is_final:
        lines.append("Prizes of 2010:" if found.prizes == PRIZES_2010 else "Prizes:")
        lines += [f"  {line}" for line in explain_prizes(result, found.prizes)]
    lines += [f"Warning: {plain(line)}." for line in result.warnings]
    click.echo("\n".join(lines))
