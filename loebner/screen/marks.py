"""`loebner screen mark`, `rank` and `finalists`: blind marking, places, and the contest's
entries."""

from __future__ import annotations

from pathlib import Path

import click

from contest.record.season import CutDecided, MarkSettled, QualityOpened, TieRuleStated
from contest.screening import finalists as writing
from contest.screening import marking, ranking
from contest.screening.marking import written
from contest.screening.ranking import OUTCOME_WORDS, TIE_RULES
from contest.screening.season import Season
from contest.screening.state import fraction
from contest.setup.folder import write
from loebner.options import PATH, Part, answer, json_option, say
from loebner.screen.options import address_options, separated, signed
from scheduler.files import read_text


@click.command()
@click.argument("contest", type=PATH)
@click.option(
    "--scale", metavar="NAME", default="", help="0/1, 0/0.5/1 or 0/1/2; can be set only once."
)
@click.option(
    "--out", type=PATH, metavar="DIR", help="Write the marking sheets into this directory."
)
@click.option("--in", "file", metavar="FILE", help="Read the marks of a filled-in sheet.")
@click.option("--marker", metavar="NAME", default="", help="The marker's name, for --in.")
@click.option(
    "--serve",
    "markers",
    metavar="NAME,NAME",
    help="Serve the sheets in these markers' browsers, with a code for each.",
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
@click.option("--tie-rule", metavar="NAME", help="State the rule that breaks a tie at the cut.")
@signed(reason=False)
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
    """Mark the answers without knowing whose they are: for each question, letters stand for the
    entries, in an order that is sealed until everything is marked. At least two people must mark.

    Without options it shows how much is marked, how far the markers agree, and what must be
    settled.
    """
    if file is not None and not marker:
        raise click.UsageError("--in needs --marker NAME")
    with Season(contest) as season:
        if tie_rule is not None:
            season.write(by, TieRuleStated(tie_rule))
            words = f"a tie at the cut: {TIE_RULES[tie_rule][1]}"
            answer(as_json, {"tie_rule": tie_rule}, words)
            return
        if quality:
            season.write(by, QualityOpened(reason))
        marking.begin(season, scale)
        if out is not None:
            sheet = marking.write_sheets(season, out)
            words = f"{sheet}: give a copy to each marker, then use --in FILE --marker NAME"
            answer(as_json, {"sheet": str(sheet)}, words)
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

            site = pages.marking_site(season, markers.split(","))
            pages.serve(site, host, port, say)
        found = marking.status(season.state)
    lines = [f"{found.answers} answers to mark, on the scale {found.scale}"]
    for who, left in found.missing.items():
        lines.append(f"{who}: {found.answers - left} of {found.answers} marked")
    rows = [
        (each.item, each.letter, *(each.marks.get(who, "") for who in found.missing))
        for each in found.to_settle
    ]
    table: Part = (("item", "letter", *found.missing), rows)
    open_ = ("To settle:", table) if rows else ()
    answer(as_json, found, *lines, found.agreement.in_words(), *open_)


@click.command()
@click.argument("place", metavar="CONTEST|FILE.csv")
@click.option(
    "--finalists",
    type=click.IntRange(1, 1000),
    metavar="N",
    help="With a table: the number of finalists. Default: 4. A contest has this in its settings.",
)
@click.option(
    "--tie-rule", metavar="NAME", default="", help="With a table: the rule that breaks a tie."
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
    """Rank the entries of a contest folder or of a CSV table (entity,published_total,q1,…; - reads
    standard input). For a contest folder, this ends the marking.

    Shows a tie at the cut; only a rule stated in advance or a recorded decision breaks it. Reports
    published totals that differ from the sum of their items.
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
    named = any(row.program for row in found.entries)
    published = any(row.published_total is not None for row in found.entries)
    wrong, cells, sums = {each.entry for each in found.wrong_totals}, [], []
    for row in found.entries:
        told = f"{written(row.published_total)}{' wrong' * (row.entry in wrong)}"
        names = (f"{row.place}{' =' if row.tied else ''}", row.entry, *[str(row.program)] * named)
        cells.append((*names, written(row.total), *[told] * published, OUTCOME_WORDS[row.finalist]))
        if row.entry in wrong:
            items = " + ".join(written(each.mark) for each in row.items.values())
            sums.append(f"{row.entry}: {items} = {written(row.total)}")
    sums += [f"{h.entry}, a human for comparison: {written(h.total)}" for h in found.controls]
    head = ("place", "entry", *("program",) * named, "total", *("published",) * published, "")
    answer(as_json, found.as_json(), (head, cells), *sums, *found.words)


@click.command()
@click.argument("contest", type=PATH)
@click.option(
    "--decide",
    metavar="E3,E5",
    multiple=True,
    help="Decide a tie at the cut: these entries become finalists; needs --reason.",
)
@click.option("--show", is_flag=True, help="Only show what would be written to contest.toml.")
@signed(reason=False)
def finalists(
    contest: Path, decide: tuple[str, ...], show: bool, reason: str, by: str, as_json: bool
) -> None:
    """Write the finalists of the folder CONTEST into its contest.toml as the contest's entries,
    then show the schedule with them. Comments and everything else in the file are kept.
    """
    with Season(contest) as season:
        if decide:
            season.write(by, CutDecided(separated(decide), reason))
        entries = writing.entries_of(season.state)
        if show:
            answer(as_json, {"entries": entries}, *writing.as_toml(entries).splitlines())
            return
        done = writing.write(season, by)
    lines = [f"{entry.id}  {entry.name}, entered by {entry.entrant}" for entry in entries]
    lines.append(f"Written into {contest / 'contest.toml'}")
    lines += [f"Round {number} {line}" for number, line in enumerate(done.schedule, 1)]
    if done.trouble:
        lines.append(f"The contest has no schedule with them yet: {done.trouble}")
    answer(as_json, done, *lines)
