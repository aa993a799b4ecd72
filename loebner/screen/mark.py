"""`loebner screen mark`: the answers marked blind, in a browser or by CSV."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from loebner.screen.telling import by_option, json_option, print_json, print_table, said

if TYPE_CHECKING:
    from contest.screening.marking.book import Book
    from contest.screening.season import Season

#: Where the markers' pages are served if no port is asked for.
PORT = 8766


@click.command()
@click.argument("contest", type=click.Path(path_type=Path))
@click.option("--scale", metavar="NAME", default="", help="0/1, 0/0.5/1 or 0/1/2; set once.")
@click.option("--out", type=click.Path(path_type=Path), metavar="DIR", help="Write the sheets.")
@click.option("--in", "file", metavar="FILE", help="Take the marks of a sheet that is filled in.")
@click.option("--marker", metavar="NAME", default="", help="Who has filled it in.")
@click.option(
    "--serve",
    "markers",
    metavar="NAME,NAME",
    help="Serve the sheets to these markers' browsers, each with a code.",
)
@click.option(
    "--host", default="127.0.0.1", show_default=True, help="For --serve: where to listen."
)
@click.option(
    "--port", type=click.IntRange(0, 65535), default=PORT, show_default=True, help="For --serve."
)
@click.option(
    "--settle",
    nargs=3,
    multiple=True,
    metavar="ITEM LETTER MARK",
    help="Settle an answer on which markers differ; with --reason.",
)
@click.option(
    "--quality", is_flag=True, help="Open the round of the general quality; with --reason."
)
@click.option("--tie-rule", metavar="NAME", help="State what settles a tie at the cut.")
@click.option("--reason", default="", help="Why; it goes on record.")
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
    """Mark the answers without knowing whose they are: for each question the entries are letters in
    an order of its own, which is sealed until all is marked. Two people at least mark.

    Without options: how far marking is, how far markers agree, and what is to be settled.
    """
    from contest.screening.marking import steps
    from contest.screening.ranking import TIE_RULES
    from contest.screening.season import Season

    with Season(contest) as season:
        if tie_rule is not None:
            steps.state_tie_rule(season, tie_rule, by, list(TIE_RULES))
            click.echo(f"a tie at the cut: {TIE_RULES[tie_rule][1]}")
            return
        if quality:
            steps.open_quality(season, by, reason)
        book = steps.begin(season, scale)
        if out is not None:
            _write(season, book, out)
            return
        if file is not None:
            _read(season, file, marker)
        for item, letter, text in settle:
            steps.settle(season, item, letter, text, by, reason)
        if markers is not None:
            _serve(season, [name.strip() for name in markers.split(",")], host, port)
        _say(season, as_json)


def _write(season: Season, book: Book, out: Path) -> None:
    from contest.screening.marking import csvs
    from contest.screening.marking.sheets import sheets_of

    assert book.scale is not None
    written = csvs.write(sheets_of(season, book), book.scale, out)
    click.echo(f"{written}: a copy for each marker; then --in FILE --marker NAME")


def _read(season: Season, file: str, marker: str) -> None:
    from contest.screening.marking import csvs, steps
    from scheduler.files import read_text

    if not marker:
        raise click.UsageError("--in needs --marker NAME: who has filled the sheet in")
    where = "standard input" if file == "-" else file
    count = steps.mark_all(season, marker, csvs.read(read_text(file), where))
    click.echo(said(f"{count} marks of {marker} are on record"), err=True)


def _serve(season: Season, markers: Sequence[str], host: str, port: int) -> None:
    from contest.screening.marking.serving import serve

    serve(season, markers, host, port, lambda line: click.echo(said(line)))


def _say(season: Season, as_json: bool) -> None:
    from contest.screening.marking.agreement import agreement_of
    from contest.screening.marking.book import book_in
    from contest.screening.marking.letters import letter
    from contest.screening.marking.scale import written
    from contest.screening.marking.steps import letters_of

    book = book_in(season)
    letters = letters_of(season, book)
    answers = sum(map(len, letters.values()))
    count = max(map(len, letters.values()), default=0)
    missing = book.missing(map(letter, range(count)))
    agreement = agreement_of(book)
    open_ = book.disagreements()
    assert book.scale is not None
    if as_json:
        print_json(
            {
                "round": book.round,
                "scale": book.scale.name,
                "answers": answers,
                "missing": missing,
                "agreement": agreement.as_json(),
                "to_settle": [
                    {
                        "item": each.item,
                        "letter": each.letter,
                        "marks": {who: written(mark) for who, mark in each.marks.items()},
                    }
                    for each in open_
                ],
                "settled": len(book.settled),
                "over": book.round in book.revealed,
            }
        )
        return
    click.echo(f"{answers} answers to mark, on the scale {book.scale.name}")
    for who, number in missing.items():
        click.echo(said(f"{who}: {answers - number} of {answers} marked"))
    click.echo(agreement.in_words())
    if open_:
        click.echo("To settle:")
        print_table(
            ("item", "letter", *book.markers),
            [
                (
                    each.item,
                    each.letter,
                    *(
                        written(each.marks[who]) if who in each.marks else ""
                        for who in book.markers
                    ),
                )
                for each in open_
            ],
        )
