"""`loebner screen rank`: marks to totals, places and the cut, with each answer behind its mark."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from loebner.screen.telling import json_option, print_json, print_table, said

if TYPE_CHECKING:
    from contest.screening.result import Result

_FATES = {True: "finalist", False: "", None: "tied at the cut"}


@click.command()
@click.argument("place", metavar="CONTEST|FILE.csv")
@click.option(
    "--finalists",
    type=click.IntRange(1, 1000),
    metavar="N",
    help="Of a table: how many go on; 4. Of a contest its settings say so.",
)
@click.option("--tie-rule", metavar="NAME", default="", help="Of a table: what settles a tie.")
@click.option("--html", type=click.Path(path_type=Path), metavar="OUT", help="Write a page.")
@click.option("--csv", "csv_", type=click.Path(path_type=Path), metavar="OUT", help="Write CSV.")
@json_option
def rank(
    place: str,
    finalists: int | None,
    tie_rule: str,
    html: Path | None,
    csv_: Path | None,
    as_json: bool,
) -> None:
    """Rank the entries of a contest's folder, whose marking ends with it, or of a table in CSV
    (entity,published_total,q1,…; - reads standard input).

    A tie at the cut is shown, and settled only by the rule that was stated before or by a decision
    on record. A published total that its items do not add up to is named, item by item.
    """
    title = "Selection of the finalists"
    if Path(place).is_dir():
        from contest.setup import settings

        title = f"{settings.load(Path(place)).contest.name}: selection of the finalists"
        result = _season(Path(place), finalists, tie_rule)
    else:
        result = _table(place, finalists or 4, tie_rule)
    if html is not None:
        from contest.screening.resultpage import page

        _write(html, page(result, title))
    if csv_ is not None:
        _write(csv_, result.as_csv())
    if as_json:
        print_json(result.as_json())
    else:
        _say(result)


def _season(folder: Path, finalists: int | None, tie_rule: str) -> Result:
    from contest.screening.marking.steps import reveal
    from contest.screening.result import result_of
    from contest.screening.season import Season, bodies

    if finalists is not None or tie_rule:
        raise click.UsageError(
            "of a contest [season] finalists counts, and the rule of `mark --tie-rule`"
        )
    with Season(folder) as season:
        reveal(season)
        return result_of(bodies(season.events()), season.settings)


def _table(file: str, finalists: int, tie_rule: str) -> Result:
    from contest.screening.ranking import rank
    from contest.screening.result import Result
    from contest.screening.table import read
    from scheduler.files import read_text

    scored = read(read_text(file), "standard input" if file == "-" else file)
    return Result(rank(scored, finalists, tie_rule=tie_rule))


def _write(file: Path, text: str) -> None:
    from contest.errors import Surroundings

    try:
        file.write_text(text, encoding="utf-8", newline="")
    except OSError as exc:
        raise Surroundings(f"{file}: can't be written ({exc.strerror or exc})") from exc


def _say(result: Result) -> None:
    from contest.screening.marking.scale import written

    ranking = result.ranking
    published = any(row.scored.published is not None for row in ranking.rows)
    head = ["place", "entry", *(["program"] if result.names else []), "total"]
    rows = []
    for row in ranking.rows:
        cells = [f"{row.place}{' =' if row.tied else ''}", row.entry]
        cells += [result.names.get(row.entry, "")] if result.names else []
        cells.append(written(row.scored.total))
        if published:
            total = row.scored.published
            cells.append("" if total is None else f"{written(total)}{' wrong' * row.wrong}")
        rows.append((*cells, _FATES[row.finalist]))
    print_table((*head, *(["published"] if published else []), ""), rows)
    for row in ranking.rows:
        if row.wrong:
            items = " + ".join(written(mark) for mark in row.scored.marks.values())
            click.echo(said(f"{row.entry}: {items} = {written(row.scored.total)}"))
    for each in result.controls:
        click.echo(said(f"{each.entry}, a human, to compare: {written(each.total)}"))
    for sentence in ranking.words:
        click.echo(said(sentence))
