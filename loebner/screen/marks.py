"""`loebner screen mark`, `rank` and `finalists`: blind marks, places, and the contest's entries."""

from __future__ import annotations

from pathlib import Path

import click

from contest.record.season import CutDecided, MarkSettled, QualityOpened, TieRuleStated
from contest.screening import finalists as writing
from contest.screening import marking, ranking
from contest.screening.marking import written
from contest.screening.ranking import GOES_ON, TIE_RULES, Ranking
from contest.screening.season import Season
from contest.screening.state import fraction
from contest.setup.folder import write
from loebner.options import json_option, print_json
from loebner.screen.options import (
    PATH,
    address_options,
    by_option,
    print_table,
    reason_option,
    say,
)
from scheduler.files import read_text


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
    if file is not None and not marker:
        raise click.UsageError("--in needs --marker NAME")
    with Season(contest) as season:
        if tie_rule is not None:
            season.write(by, TieRuleStated(tie_rule))
            click.echo(f"a tie at the cut: {TIE_RULES[tie_rule][1]}")
            return
        if quality:
            season.write(by, QualityOpened(reason))
        marking.begin(season, scale)
        if out is not None:
            sheet = marking.write_sheets(season, out)
            click.echo(f"{sheet}: give each marker a copy, then use --in FILE --marker NAME")
            return
        if file is not None:
            where = "standard input" if file == "-" else file
            count = marking.mark_all(season, marker, marking.read_sheet(read_text(file), where))
            click.echo(f"{count} marks recorded", err=True)
        for item, letter, text in settle:
            mark_ = written(fraction(text))
            season.write(by, MarkSettled(item, letter, mark_, reason))
        if markers is not None:
            from contest.screening import pages

            names = [name.strip() for name in markers.split(",")]
            pages.serve(pages.marking_site(season, names), host, port, say)
        found = marking.status(season.state)
    if as_json:
        print_json(found)
        return
    say(f"{found.answers} answers to mark, on the scale {found.scale}")
    for who, left in found.missing.items():
        say(f"{who}: {found.answers - left} of {found.answers} marked")
    say(found.agreement.in_words())
    if found.to_settle:
        say("To settle:")
        rows = [
            (each.item, each.letter, *(each.marks.get(who, "") for who in found.missing))
            for each in found.to_settle
        ]
        print_table(("item", "letter", *found.missing), rows)


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
    title, state = "Selection of the finalists", None
    if Path(place).is_dir():
        if finalists is not None or tie_rule:
            raise click.UsageError(
                "a contest uses [season] finalists, and the rule of `mark --tie-rule`"
            )
        with Season(Path(place)) as season:
            title = f"{season.settings.contest.name}: selection of the finalists"
            marking.reveal(season)
            state = season.state
        found = ranking.ranking_of(state)
    else:
        rows = ranking.read_table(read_text(place), "standard input" if place == "-" else place)
        found = ranking.rank(rows, finalists or 4, tie_rule=tie_rule or "none")
    for file, text in ((html, found.as_html(title, state)), (csv_, found.as_csv())):
        if file is not None:
            write(file, text)
    if as_json:
        print_json(found.as_json())
    else:
        _say_ranking(found)


def _say_ranking(found: Ranking) -> None:
    named = any(row.program for row in found.entries)
    published = any(row.published_total is not None for row in found.entries)
    wrong = [each.entry for each in found.wrong_totals]
    rows = []
    for row in found.entries:
        cells = [f"{row.place}{' =' if row.tied else ''}", row.entry]
        cells += [str(row.program)] * named + [written(row.total)]
        cells += [f"{written(row.published_total)}{' wrong' * (row.entry in wrong)}"] * published
        rows.append((*cells, GOES_ON[row.finalist]))
    head = ("place", "entry", *("program",) * named, "total", *("published",) * published)
    print_table((*head, ""), rows)
    for row in found.entries:
        if row.entry in wrong:
            items = " + ".join(written(each.mark) for each in row.items.values())
            say(f"{row.entry}: {items} = {written(row.total)}")
    say(*(f"{h.entry}, a human for comparison: {written(h.total)}" for h in found.controls))
    say(*found.words)


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
    with Season(contest) as season:
        if decide is not None:
            names = [name.strip() for name in decide.split(",") if name.strip()]
            season.write(by, CutDecided(names, reason))
        entries = writing.entries_of(season.state)
        if show:
            click.echo(writing.as_toml(entries))
            return
        done = writing.write(season, by)
    if as_json:
        print_json(done)
        return
    say(*(f"{entry.id}  {entry.name}, entered by {entry.entrant}" for entry in entries))
    say(f"Written into {contest / 'contest.toml'}")
    say(*(f"Round {number} {line}" for number, line in enumerate(done.schedule, 1)))
    if done.trouble:
        say(f"The contest has no schedule with them yet: {done.trouble}")
