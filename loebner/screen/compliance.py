"""`loebner screen compliance`: the checklist of each entry, and tests put on record."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from loebner.screen.telling import (
    EMPTY,
    ListingGroup,
    by_option,
    json_option,
    print_json,
    print_table,
    said,
)

if TYPE_CHECKING:
    from contest.screening.compliance import Assessment


@click.group(cls=ListingGroup)
@click.argument("contest", type=click.Path(path_type=Path))
@click.pass_context
def compliance(ctx: click.Context, contest: Path) -> None:
    """Whether the entries of the folder CONTEST comply with the rules."""
    ctx.obj = contest


@compliance.command("list")
@json_option
@click.pass_obj
def list_(contest: Path, as_json: bool) -> None:
    """A row an entry, in the order of receipt, which is the order of the tests; this word can be
    left out."""
    found = _assessments(contest)
    if as_json:
        print_json({"entries": [each.as_json() for each in found]})
    elif not found:
        click.echo(EMPTY)
    else:
        print_table(("entry", "program", "received", "state", "why"), [_row(e) for e in found])


@compliance.command()
@click.argument("entry")
@json_option
@click.pass_obj
def show(contest: Path, entry: str, as_json: bool) -> None:
    """The checklist of ENTRY, item by item."""
    from contest.errors import BadOrder
    from scheduler.texts import near, shown

    found = {each.entry.id: each for each in _assessments(contest)}
    if entry not in found:
        raise BadOrder(f"there is no entry {shown(entry)}{near(entry, found)}")
    _say(found[entry], as_json)


@compliance.command()
@click.argument("entry")
@click.option(
    "--item",
    "items",
    metavar="NAME=OUTCOME[:REASON]",
    multiple=True,
    help="What was seen: pass, fail:REASON or not-applicable:REASON; for each item once. Items are "
    "programs, runs, path, variable, browse.",
)
@click.option(
    "--check-bot",
    "document",
    metavar="FILE",
    help="The document of `loebner check-bot --json`: whether it speaks LPP.",
)
@click.option(
    "--tested",
    metavar="DATE",
    type=click.DateTime(["%Y-%m-%d"]),
    default=None,
    help="The day of the test, 2010-06-15; today by default.",
)
@click.option(
    "--out-of-order",
    metavar="REASON",
    default="",
    help="Why it is tested before one that was received earlier.",
)
@by_option(required=True)
@json_option
@click.pass_obj
def record(
    contest: Path,
    entry: str,
    items: tuple[str, ...],
    document: str | None,
    tested: datetime | None,
    out_of_order: str,
    by: str,
    as_json: bool,
) -> None:
    """Put on record what came out when ENTRY was tested: one item, several, or all.

    What is said of an item replaces what was said of it before; both are kept. Posting, media,
    platform, testing date and presence follow from the register.
    """
    from contest.screening.evidence import read_conformance
    from contest.screening.examining import read_items, record_test
    from contest.screening.season import Season
    from scheduler.files import read_text

    said_of = read_items(items)
    conformance = None if document is None else read_conformance(read_text(document), document)
    day = (tested or datetime.now()).date()
    with Season(contest) as season:
        done = record_test(
            season,
            entry,
            said_of,
            by,
            tested=day,
            conformance=conformance,
            out_of_order=out_of_order,
        )
    _say(done, as_json)


def _assessments(contest: Path) -> list[Assessment]:
    from contest.screening.season import bodies, read
    from contest.screening.selecting import assessments_of
    from contest.setup import settings

    return assessments_of(bodies(read(contest)), settings.load(contest))


def _row(each: Assessment) -> tuple[str, ...]:
    broken = "; ".join(answer.reason or answer.item.words for answer in each.broken)
    asked = ", ".join(item.id for item in each.open)
    why = broken or (f"not answered yet: {asked}" if asked else "")
    state = "withdrawn" if each.entry.withdrawn else each.state.value
    form = each.entry.form
    return each.entry.id, form.program, str(form.received), state, why


def _say(each: Assessment, as_json: bool) -> None:
    from contest.setup.rules import RULES

    if as_json:
        print_json(each.as_json())
        return
    withdrawn = ", withdrawn" * each.entry.withdrawn
    click.echo(said(f"{each.entry.id}  {each.entry.form.program}: {each.state.value}{withdrawn}"))
    for answer in each.answers:
        by = f"  ({answer.by}, {answer.tested})" if answer.by else ""
        reason = f": {answer.reason}" if answer.reason else ""
        click.echo(
            said(f"  {answer.outcome:14} {answer.item.id:10} {answer.item.words}{reason}{by}")
        )
        if answer.outcome == "fail":
            click.echo(said(f"  {'':14} {'':10} {RULES[answer.item.rule].quoted()}"))
    for remark in each.remarks:
        click.echo(said(f"Note: {remark}."))
