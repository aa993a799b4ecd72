"""`loebner screen register`, `compliance`, `go-on` and `serve`: entries that come in, whether they
comply, and which of them are screened."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from contest.screening.register import FIELDS
from loebner.screen.output import (
    PATH,
    ListingGroup,
    address_options,
    by_option,
    json_option,
    print_json,
    print_table,
    reason_option,
    say,
)

if TYPE_CHECKING:
    from contest.screening.season import Season

#: Fields that are given once for each name, not with semicolons.
_SEVERAL = {"individuals": "--individual", "platforms": "--platform"}
_EMPTY = "The register is empty: `loebner screen register CONTEST add` adds an entry."
_contest = click.argument("contest", type=PATH)


def _field_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """An option for each field of the register."""
    for name, field in reversed(list(FIELDS.items())):
        words = field.holds.replace(
            "several with semicolons between them", "may be given several times"
        )
        command = click.option(
            _SEVERAL.get(name, f"--{name}"),
            name,
            metavar="TEXT",
            multiple=name in _SEVERAL,
            default=None,
            help=f"{words[0].upper()}{words[1:]}.",
        )(command)
    return command


def _given(fields: dict[str, Any]) -> dict[str, Any]:
    """The fields that were given; `--individual ""` takes all away."""
    return {name: value for name, value in fields.items() if value not in (None, ())}


# The register


@click.group(cls=ListingGroup)
@_contest
@click.pass_context
def register(ctx: click.Context, contest: Path) -> None:
    """Keep the register of entries of the folder CONTEST.

    An entry that breaks a rule about dates, media or platform is registered all the same, and the
    rule is quoted. Nothing is overwritten; a correction is a new version.
    """
    ctx.obj = contest


@register.command()
@_field_options
@by_option()
@json_option
@click.pass_obj
def add(contest: Path, /, by: str, as_json: bool, **fields: Any) -> None:
    """Register an entry that has arrived; it gets the next id."""
    from contest.screening.register import add
    from contest.screening.season import Season

    with Season(contest) as season:
        _say_rules(season, add(season, _given(fields), by), "registered", as_json)


@register.command()
@click.argument("entry")
@_field_options
@reason_option(required=True)
@by_option()
@json_option
@click.pass_obj
def change(
    contest: Path, /, entry: str, reason: str, by: str, as_json: bool, **fields: Any
) -> None:
    """Correct what the register says about ENTRY. Other fields stay as they are; an empty text
    removes a field. The earlier version is kept."""
    from contest.screening.register import change
    from contest.screening.season import Season

    with Season(contest) as season:
        change(season, entry, _given(fields), by, reason)
        _say_rules(season, entry, "changed", as_json)


def _turn(name: str, what: str, words: str) -> None:
    @register.command(name, help=words)
    @click.argument("entry")
    @reason_option(required=True)
    @by_option()
    @json_option
    @click.pass_obj
    def turn(contest: Path, entry: str, reason: str, by: str, as_json: bool) -> None:
        from contest.screening.register import withdraw
        from contest.screening.season import Season

        with Season(contest) as season:
            withdraw(season, entry, by, reason, back=name == "restore")
            _say_rules(season, entry, what, as_json)


_turn(
    *("withdraw", "withdrawn"),
    "Withdraw ENTRY; its id is not reused. Until screening begins the next one moves up.",
)
_turn("restore", "back in the register", "Undo the withdrawal of ENTRY.")


def _say_rules(season: Season, entry: str, what: str, as_json: bool) -> None:
    from contest.screening.register import about

    broken, remarks = about(season.state, entry)
    if as_json:
        found = {"broken": [finding.as_json() for finding in broken], "remarks": remarks}
        print_json({"entries": [{"entry": entry, **found}]})
        return
    say(f"{entry} is {what}")
    if what != "withdrawn":
        say(*(f"  Broken: {finding.in_full()}" for finding in broken))
        say(*(f"  Note: {remark}." for remark in remarks))


@register.command("list")
@json_option
@click.pass_obj
def list_entries(contest: Path, as_json: bool) -> None:
    """List all entries in the order of registration (default command)."""
    from contest.screening.register import texts_of
    from contest.screening.season import read

    entries = list(read(contest).entries.values())
    if as_json:
        print_json({"entries": [entry.as_json() for entry in entries]})
        return
    shown = ("program", "entrant", "posted", "received", "way")
    rows = [
        (entry.id, *map(texts_of(entry.form).get, shown), "withdrawn" * entry.withdrawn)
        for entry in entries
    ]
    print_table(("entry", *shown, "state"), rows, _EMPTY)


@register.command("show")
@click.argument("entry")
@json_option
@click.pass_obj
def show_entry(contest: Path, entry: str, as_json: bool) -> None:
    """Show everything known about ENTRY, its history, and the rules that it breaks."""
    from contest.screening.register import about, facts_of
    from contest.screening.season import read

    state = read(contest)
    found, (broken, remarks) = state.find(entry), about(state, entry)
    if as_json:
        rules = {"broken": [finding.as_json() for finding in broken], "remarks": remarks}
        print_json(found.as_json() | rules)
        return
    say(f"{found.id}  {found.form.program}{', withdrawn' * found.withdrawn}")
    say(*(f"  {name:24}{value}" for name, value in facts_of(found.form)))
    for change_ in found.changes:
        what = change_.kind.removeprefix("entry-")
        why = f": {change_.reason}" if change_.reason else ""
        say(f"  {what:24}{change_.at[:19]}, {change_.by}{why}")
    say(*(f"Broken: {finding.in_full()}" for finding in broken))
    say(*(f"Note: {remark}." for remark in remarks))


# Compliance


@click.group(cls=ListingGroup)
@_contest
@click.pass_context
def compliance(ctx: click.Context, contest: Path) -> None:
    """Check whether the entries of the folder CONTEST comply with the rules."""
    ctx.obj = contest


@compliance.command("list")
@json_option
@click.pass_obj
def list_compliance(contest: Path, as_json: bool) -> None:
    """List the entries in the order of receipt, which is the order of the tests (default
    command)."""
    from contest.screening.compliance import assess_all
    from contest.screening.season import read

    found = assess_all(read(contest))
    if as_json:
        print_json({"entries": [each.as_json() for each in found]})
        return
    rows = [
        (
            *(each.entry.id, each.entry.form.program, str(each.entry.form.received)),
            *("withdrawn" if each.entry.withdrawn else each.state, each.why),
        )
        for each in found
    ]
    print_table(("entry", "program", "received", "state", "why"), rows, _EMPTY)


@compliance.command("show")
@click.argument("entry")
@json_option
@click.pass_obj
def show_compliance(contest: Path, entry: str, as_json: bool) -> None:
    """Show the checklist of ENTRY, item by item."""
    from contest.screening.compliance import assess
    from contest.screening.season import read

    _say_assessment(assess(read(contest), entry), as_json)


@compliance.command()
@click.argument("entry")
@click.option(
    "--item",
    "items",
    metavar="NAME=OUTCOME[:REASON]",
    multiple=True,
    help="The outcome of an item: pass, fail:REASON or not-applicable:REASON. Items are programs, "
    "runs, path, variable, browse.",
)
@click.option(
    "--check-bot",
    "document",
    metavar="FILE",
    help="The output of `loebner check-bot --json`: whether it speaks LPP.",
)
@click.option(
    "--tested",
    metavar="DATE",
    type=click.DateTime(["%Y-%m-%d"]),
    default=None,
    help="The day of the test, such as 2010-06-15. Default: today.",
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
    """Record the test of ENTRY: one item, several, or all.

    A new outcome of an item replaces the earlier one; both are kept. Posting, media, platform,
    testing date and presence follow from the register.
    """
    from contest.screening.compliance import read_conformance, read_items, record_test
    from contest.screening.season import Season
    from scheduler.files import read_text

    seen = read_items(items)
    conformance = None if document is None else read_conformance(read_text(document), document)
    day = (tested or datetime.now()).date()
    with Season(contest) as season:
        done = record_test(
            season, entry, seen, by, tested=day, conformance=conformance, out_of_order=out_of_order
        )
    _say_assessment(done, as_json)


def _say_assessment(each: Any, as_json: bool) -> None:
    from contest.setup.rules import RULES

    if as_json:
        print_json(each.as_json())
        return
    withdrawn = ", withdrawn" * each.entry.withdrawn
    say(f"{each.entry.id}  {each.entry.form.program}: {each.state}{withdrawn}")
    for answer in each.answers:
        by = f"  ({answer.by}, {answer.tested})" if answer.by else ""
        reason = f": {answer.reason}" if answer.reason else ""
        say(f"  {answer.outcome:14} {answer.item.id:10} {answer.item.words}{reason}{by}")
        if answer.outcome == "fail":
            say(f"  {'':14} {'':10} {RULES[answer.item.rule].quoted()}")
    say(*(f"Note: {remark}." for remark in each.remarks))


# Who is screened


@click.group("go-on", cls=ListingGroup)
@_contest
@click.pass_context
def go_on(ctx: click.Context, contest: Path) -> None:
    """Choose which entries of the folder CONTEST are screened: by date of posting, then by the time
    of day on its proof, then by receipt. Entries that are still equal share a place."""
    ctx.obj = contest


@go_on.command("list")
@json_option
@click.pass_obj
def list_selection(contest: Path, as_json: bool) -> None:
    """List all entries, whether each is screened, and why (default command)."""
    from contest.screening.season import read

    _say_selection(read(contest), as_json)


@go_on.command()
@click.argument("entries", nargs=-1, required=True)
@reason_option(required=True)
@by_option(required=True)
@json_option
@click.pass_obj
def decide(contest: Path, entries: tuple[str, ...], reason: str, by: str, as_json: bool) -> None:
    """Decide the order of ENTRIES that were posted and received at the same moment: the first one
    named goes first."""
    from contest.record.season import PriorityDecided
    from contest.screening.season import Season
    from contest.screening.state import reason_of

    with Season(contest) as season:
        season.write(by, PriorityDecided(list(entries), reason_of(reason)))
        _say_selection(season.state, as_json)


@go_on.command()
@by_option(required=True)
@json_option
@click.pass_obj
def begin(contest: Path, by: str, as_json: bool) -> None:
    """Begin the screening: from now on the list is fixed, and nobody moves up when an entry is
    withdrawn."""
    from contest.screening.season import Season
    from contest.screening.selection import begin

    with Season(contest) as season:
        begin(season, by)
        _say_selection(season.state, as_json)


def _say_selection(state: Any, as_json: bool) -> None:
    from contest.screening.register import texts_of
    from contest.screening.selection import select

    found = select(state)
    if as_json:
        print_json(found.as_json())
        return
    rows = [
        (
            "" if row.place is None else f"{row.place}{' =' if row.tied else ''}",
            *(row.id, row.form.program, texts_of(row.form)["posted"], row.fate, row.why),
        )
        for row in found.rows
    ]
    if rows:
        print_table(("place", "entry", "program", "posted", "outcome", "why"), rows)
    say(*found.words)


@click.command()
@_contest
@address_options
def serve(contest: Path, host: str, port: int) -> None:
    """Serve the register, the tests and the list of screened entries to the organizer's browser,
    with a code, before the contest. Meanwhile no other command can write the season."""
    from contest.screening.pages import season_site
    from contest.screening.pages import serve as serve_pages
    from contest.screening.season import Season

    with Season(contest) as season:
        serve_pages(season_site(season), host, port, say)
