"""`loebner tally`: verdicts and rankings to table, places, silver medal and prizes, explained."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

if TYPE_CHECKING:
    from scheduler import Prizes, Tally


class _Tallied(NamedTuple):
    """The tally; the prizes; whether it is provisional or final, in words, and whether it is; the
    statistics, and how many times faster than real time it was played."""

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
    "--schedule", metavar="FILE", help="The schedule: a verdict for any other pairing is refused."
)
@click.option("--statistics", is_flag=True, help="Also show what the result can and can't say.")
@click.option("--json", "as_json", is_flag=True, help="Print a JSON document and nothing else.")
def tally(
    verdicts: str,
    rankings: str | None,
    schedule: str | None,
    statistics: bool,
    as_json: bool,
) -> None:
    """Compute and explain table, winner, ties and silver medal from verdicts and rankings.

    VERDICTS is CSV (round,judge,entry,confederate,verdict), JSON, or a contest folder; RANKINGS is
    CSV (judge,participant,rank) or JSON. The verdict names the one taken for the human, entry or
    confederate, or is empty. Warnings leave the exit code at 0.
    """
    found = (
        _folder(verdicts, rankings or schedule)
        if os.path.isdir(verdicts)
        else _files(verdicts, rankings, schedule)
    )
    if as_json:
        beside = {"statistics": found.statistics()} if statistics else {}
        click.echo(json.dumps(found.tally.as_json() | beside, indent=2))
        return
    _say(found)
    if statistics:
        from contest.results.text import statistics_text

        click.echo(f"\n{statistics_text(found.statistics(), found.speed)}", nl=False)


def _folder(contest: str, beside: str | None) -> _Tallied:
    from scheduler import BadInput

    if beside is not None:
        raise BadInput(
            "is a contest folder, which has rankings and schedule; leave the others out",
            source=contest,
        )
    from contest.results.contest import Contest
    from contest.results.statistics import statistics_of

    held = Contest.load(Path(contest))
    return _Tallied(
        held.tally,
        held.prizes,
        held.state_in_words(),
        held.is_final,
        lambda: statistics_of(held),
        held.speed / 1000,
    )


def _files(verdicts: str, rankings: str | None, schedule: str | None) -> _Tallied:
    from loebner.schedule import load_schedule
    from scheduler import PRIZES_2010, BadInput, Schedule, read_verdicts, tally
    from scheduler import verdicts as ranked
    from scheduler.files import read_text

    planned: Schedule | None = None
    if schedule is not None:
        loaded = load_schedule(schedule)
        if not isinstance(loaded, Schedule):
            raise BadInput("is a matrix without rounds; give a schedule", source=schedule)
        planned = loaded
    text, source = read_text(verdicts), _source(verdicts)
    held = read_verdicts(text, source)
    if rankings is not None:
        ballots = ranked.read_rankings(read_text(rankings), _source(rankings))
    else:
        both = ranked.has_rankings(text, source)
        ballots = ranked.read_rankings(text, source) if both else []
    if not held and planned is None:
        raise BadInput("has no verdicts", source=source)
    tallied = tally(held, ballots, planned)
    so_far = f"So far ({len(tallied.open)} without a verdict):" if tallied.open else ""

    def statistics() -> dict[str, Any]:
        from contest.results.statistics import statistics_of_tally

        return statistics_of_tally(held, ballots, planned)

    return _Tallied(tallied, PRIZES_2010, so_far, not so_far, statistics)


def _source(file: str) -> str:
    return "standard input" if file == "-" else file


def _say(found: _Tallied) -> None:
    from contest.results.text import score_table
    from scheduler import (
        PRIZES_2010,
        RULES_2010,
        explain_places,
        explain_prizes,
        explain_rules,
        explain_silver,
    )
    from scheduler.texts import plain

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
