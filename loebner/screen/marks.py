"""`loebner screen mark`, `rank` and `finalists`: blind marks, places, and the contest's entries."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from loebner.screen.output import (
    PATH,
    address_options,
    by_option,
    json_option,
    print_json,
    print_table,
    reason_option,
    say,
)

if TYPE_CHECKING:
    from contest.screening.ranking import Result
    from contest.screening.state import State


@click.command()
@click.argument("contest", type=PATH)
@click.option("--scale", metavar="NAME", default="", help="0/1, 0/0.5/1 or 0/1/2; can be set once.")
@click.option(
    "--out", type=PATH, metavar="DIR", help="Write the marking sheets into this directory."
)
@click.option("--in", "file", metavar="FILE", help="Read the marks of a filled-in sheet.")
@click.option("--marker", metavar="NAME", default="", help="The marker's name, for --in.")
@click.option(
    "--serve",
    "markers",
    metavar="NAME,NAME",
    help="Serve the sheets to these markers' browsers, each with a code.",
)
@address_options
@click.option(
    "--settle",
    nargs=3,
    multiple=True,
    metavar="ITEM LETTER MARK",
    help="Settle an answer on which markers differ; needs --reason.",
)
@click.option("--quality", is_flag=True, help="Open the round for general quality; needs --reason.")
@click.option("--tie-rule", metavar="NAME", help="State the rule that settles a tie at the cut.")
@reason_option()
@by_option()
@json_option
def mark(
    contest: Path,
    scale: str,
    out: Path | None,
    file: str | None,
    marker: str,
    markers: str | None,
    host: str,
    port: int,
    settle: tuple[tuple[str, str, str], ...],
    quality: bool,
    tie_rule: str | None,
    reason: str,
    by: str,
    as_json: bool,
) -> None:
    """Mark the answers without knowing whose they are: for each question the entries are letters,
    in an order that is sealed until everything is marked. At least two people mark.

    Without options it shows how much is marked, how far markers agree, and what has to be settled.
    """
    from contest.record.season import TieRuleStated
    from contest.screening import marking
    from contest.screening.ranking import TIE_RULES
    from contest.screening.season import Season
    from scheduler.files import read_text

    if file is not None and not marker:
        raise click.UsageError("--in needs --marker NAME")
    with Season(contest) as season:
        if tie_rule is not None:
            season.write(by, TieRuleStated(tie_rule))
            click.echo(f"a tie at the cut: {TIE_RULES[tie_rule][1]}")
            return
        if quality:
            marking.open_quality(season, by, reason)
        marking.begin(season, scale)
        if out is not None:
            written = marking.write_sheets(season, out)
            click.echo(f"{written}: give each marker a copy, then use --in FILE --marker NAME")
            return
        if file is not None:
            where = "standard input" if file == "-" else file
            count = marking.mark_all(season, marker, marking.read_sheet(read_text(file), where))
            click.echo(f"{count} marks recorded", err=True)
        for item, letter, text in settle:
            marking.settle(season, item, letter, text, by, reason)
        if markers is not None:
            from contest.screening import pages

            names = [name.strip() for name in markers.split(",")]
            pages.serve(pages.marking_site(season, names), host, port, say)
        _say_marking(season.state, as_json)


def _say_marking(state: State, as_json: bool) -> None:
    from dataclasses import asdict

    from contest.screening import marking

    answers, left = len(state.items) * len(marking.letters(state)), marking.missing(state)
    agreement, open_ = marking.agreement_of(state), marking.disagreements(state)
    if as_json:
        print_json(
            {
                "round": state.round,
                "scale": state.scale,
                "answers": answers,
                "missing": left,
                "agreement": asdict(agreement),
                "to_settle": [
                    {
                        "item": item,
                        "letter": of,
                        "marks": {who: marking.written(mark) for who, mark in marks.items()},
                    }
                    for item, of, marks in open_
                ],
                "settled": len(state.settled),
                "over": marking.is_over(state),
            }
        )
        return
    say(f"{answers} answers to mark, on the scale {state.scale}")
    say(*(f"{who}: {answers - number} of {answers} marked" for who, number in left.items()))
    say(agreement.in_words())
    if open_:
        say("To settle:")
        rows = [
            (item, of, *(marking.written(marks.get(who)) for who in state.markers))
            for item, of, marks in open_
        ]
        print_table(("item", "letter", *state.markers), rows)


@click.command()
@click.argument("place", metavar="CONTEST|FILE.csv")
@click.option(
    "--finalists",
    type=click.IntRange(1, 1000),
    metavar="N",
    help="With a table: how many go on. Default: 4. A contest has this in its settings.",
)
@click.option(
    "--tie-rule", metavar="NAME", default="", help="With a table: the rule that settles a tie."
)
@click.option("--html", type=PATH, metavar="OUT", help="Write a page.")
@click.option("--csv", "csv_", type=PATH, metavar="OUT", help="Write CSV.")
@json_option
def rank(
    place: str,
    finalists: int | None,
    tie_rule: str,
    html: Path | None,
    csv_: Path | None,
    as_json: bool,
) -> None:
    """Rank the entries of a contest folder, which ends its marking, or of a table in CSV
    (entity,published_total,q1,…; - reads standard input).

    Shows a tie at the cut; only the rule stated before or a recorded decision settles it. Names a
    published total that differs from the sum of its items.
    """
    from contest.screening import ranking
    from contest.screening.marking import reveal
    from contest.screening.season import Season
    from scheduler.files import read_text

    title = "Selection of the finalists"
    if Path(place).is_dir():
        if finalists is not None or tie_rule:
            raise click.UsageError(
                "a contest uses [season] finalists, and the rule of `mark --tie-rule`"
            )
        with Season(Path(place)) as season:
            title = f"{season.settings.contest.name}: selection of the finalists"
            reveal(season)
            result = ranking.result_of(season.state)
    else:
        scored = ranking.read_table(read_text(place), "standard input" if place == "-" else place)
        result = ranking.Result(ranking.rank(scored, finalists or 4, tie_rule=tie_rule))
    if html is not None:
        _write(html, result.as_html(title))
    if csv_ is not None:
        _write(csv_, result.as_csv())
    if as_json:
        print_json(result.as_json())
    else:
        _say_ranking(result)


def _write(file: Path, text: str) -> None:
    from contest.errors import Surroundings

    try:
        file.write_text(text, encoding="utf-8", newline="")
    except OSError as exc:
        raise Surroundings(f"{file}: can't be written ({exc.strerror or exc})") from exc


def _say_ranking(result: Result) -> None:
    from contest.screening.marking import written

    ranking, names = result.ranking, result.names
    published = any(row.scored.published is not None for row in ranking.rows)
    rows = []
    for row in ranking.rows:
        cells = [f"{row.place}{' =' if row.tied else ''}", row.entry]
        cells += [names.get(row.entry, "")] * bool(names) + [written(row.scored.total)]
        cells += [f"{written(row.scored.published)}{' wrong' * row.wrong}"] * published
        rows.append((*cells, row.fate))
    head = ("place", "entry", *("program",) * bool(names), "total", *("published",) * published)
    print_table((*head, ""), rows)
    for row in ranking.rows:
        if row.wrong:
            items = " + ".join(written(mark) for mark in row.scored.marks.values())
            say(f"{row.entry}: {items} = {written(row.scored.total)}")
    say(*(f"{h.entry}, a human for comparison: {written(h.total)}" for h in result.controls))
    say(*ranking.words)


@click.command()
@click.argument("contest", type=PATH)
@click.option(
    "--decide",
    metavar="E3,E5",
    help="Decide a tie at the cut: these entries go on; needs --reason.",
)
@reason_option()
@click.option("--show", is_flag=True, help="Write nothing; show what contest.toml would get.")
@by_option()
@json_option
def finalists(
    contest: Path, decide: str | None, reason: str, show: bool, by: str, as_json: bool
) -> None:
    """Write the finalists of the folder CONTEST into its contest.toml as the contest's entries.
    Comments and everything else in it stay. Then shows the schedule with them.
    """
    from contest.record.season import CutDecided
    from contest.screening import finalists as writing
    from contest.screening.season import Season
    from contest.screening.state import reason_of

    with Season(contest) as season:
        if decide is not None:
            names = [name.strip() for name in decide.split(",") if name.strip()]
            season.write(by, CutDecided(names, reason_of(reason)))
        if show:
            click.echo(writing.as_toml(writing.entries_of(season.state)))
            return
        done = writing.write(season, by)
    if as_json:
        rows = {"finalists": [entry.id for entry in done.entries], "schedule": list(done.schedule)}
        print_json(rows | {"trouble": done.trouble or None})
        return
    say(*(f"{entry.id}  {entry.name}, entered by {entry.entrant}" for entry in done.entries))
    say(f"Written into {contest / 'contest.toml'}")
    say(*(f"Round {number} {line}" for number, line in enumerate(done.schedule, 1)))
    if done.trouble:
        say(f"The contest has no schedule with them yet: {done.trouble}")
