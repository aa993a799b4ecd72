"""`loebner screen register`, `compliance` and `go-on`: entries that come in, whether they comply,
which of them are screened."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from contest.screening.register import FIELDS
from loebner.screen.output import (
    EMPTY,
    ListingGroup,
    by_option,
    json_option,
    print_json,
    print_table,
    reason_option,
    say,
)

if TYPE_CHECKING:
    from contest.screening.compliance import Assessment
    from contest.screening.register import Registered
    from contest.screening.selection import Selection

#: Fields that are given once for each name, not with semicolons.
_SEVERAL = {"individuals": "--individual", "platforms": "--platform"}

_folder = click.argument("contest", type=click.Path(path_type=Path))
_entry = click.argument("entry")
_anyway = click.option(
    "--anyway",
    metavar="REASON",
    default="",
    help="Register although somebody is associated with another entry.",
)


def _field_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """An option for each field of the register."""
    for name, (_, what) in reversed(list(FIELDS.items())):
        words = what.replace("several with semicolons between them", "may be given several times")
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
    return {
        name: list(value) if isinstance(value, tuple) else value
        for name, value in fields.items()
        if value not in (None, ())
    }


# The register


@click.group(cls=ListingGroup)
@_folder
@click.pass_context
def register(ctx: click.Context, contest: Path) -> None:
    """The register of entries of the folder CONTEST.

    An entry that breaks a rule about dates, media or platform is registered all the same, and the
    rule is quoted: it has come in. What is written is never changed; a correction is a new version.
    """
    ctx.obj = contest


@register.command()
@_field_options
@_anyway
@by_option()
@json_option
@click.pass_obj
def add(contest: Path, /, anyway: str, by: str, as_json: bool, **fields: Any) -> None:
    """Register an entry that has come in; it gets the next id."""
    from contest.screening.register import add_all
    from contest.screening.season import Season

    with Season(contest) as season:
        done = add_all(season, [("", _given(fields))], by, anyway=anyway)
    _say_registered(done, "registered", as_json)


@register.command("import")
@click.argument("file")
@_anyway
@by_option()
@json_option
@click.pass_obj
def import_(contest: Path, file: str, anyway: str, by: str, as_json: bool) -> None:
    """Register all entries of FILE, or none: CSV with the fields as columns, or TOML with a table
    [[entry]] for each; - reads CSV from standard input."""
    from contest.screening.register import add_all, read_file
    from contest.screening.season import Season
    from scheduler.files import read_text

    rows = read_file(read_text(file), "standard input" if file == "-" else file)
    with Season(contest) as season:
        done = add_all(season, rows, by, anyway=anyway)
    _say_registered(done, "registered", as_json)


@register.command()
@_entry
@_field_options
@reason_option(required=True)
@by_option()
@json_option
@click.pass_obj
def change(
    contest: Path, /, entry: str, reason: str, by: str, as_json: bool, **fields: Any
) -> None:
    """Correct what the register says of ENTRY; fields that are not given stay as they are, and an
    empty text takes one away. The version before is kept."""
    from contest.screening import register as registering
    from contest.screening.season import Season

    with Season(contest) as season:
        done = registering.change(season, entry, _given(fields), by, reason)
    _say_registered([done], "changed", as_json)


@register.command()
@_entry
@reason_option(required=True)
@by_option()
@click.pass_obj
def withdraw(contest: Path, entry: str, reason: str, by: str) -> None:
    """Take ENTRY out; its id is not given again. Until screening begins the next one moves up."""
    from contest.screening import register as registering
    from contest.screening.season import Season

    with Season(contest) as season:
        registering.withdraw(season, entry, by, reason)
    click.echo(f"{entry} is withdrawn")


@register.command()
@_entry
@reason_option(required=True)
@by_option()
@json_option
@click.pass_obj
def restore(contest: Path, entry: str, reason: str, by: str, as_json: bool) -> None:
    """Take the withdrawal of ENTRY back."""
    from contest.screening import register as registering
    from contest.screening.season import Season

    with Season(contest) as season:
        done = registering.restore(season, entry, by, reason)
    _say_registered([done], "back in the register", as_json)


@register.command("list")
@json_option
@click.pass_obj
def list_entries(contest: Path, as_json: bool) -> None:
    """All entries in the order of registration; this word can be left out."""
    from contest.screening.register import texts_of
    from contest.screening.season import read

    entries = list(read(contest).entries.values())
    if as_json:
        print_json({"entries": [entry.as_json() for entry in entries]})
    elif not entries:
        click.echo(EMPTY)
    else:
        shown = ("program", "entrant", "posted", "received", "way")
        texts = ((entry, texts_of(entry.form)) for entry in entries)
        print_table(
            ("entry", *shown, "state"),
            [
                (entry.id, *(text[name] for name in shown), "withdrawn" * entry.withdrawn)
                for entry, text in texts
            ],
        )


@register.command("show")
@_entry
@json_option
@click.pass_obj
def show_entry(contest: Path, entry: str, as_json: bool) -> None:
    """All that is known of ENTRY, how it came to be, and the rules that it breaks."""
    from contest.screening.register import Registered, facts_of
    from contest.screening.season import read

    state = read(contest)
    found, told = state.find(entry), Registered.of(state, entry)
    if as_json:
        document = told.as_json()
        del document["entry"]
        print_json(found.as_json() | document)
        return
    say(f"{found.id}  {found.form.program}{', withdrawn' * found.withdrawn}")
    say(*(f"  {name:14}{value}" for name, value in facts_of(found.form)))
    for number, (version, _) in enumerate(found.versions, 1):
        why = f": {version.reason}" if version.reason else ""
        say(f"  version {number}     {version.at[:19]}, {version.by}{why}")
    for step in found.steps:
        what = step.kind.removeprefix("entry-")
        say(f"  {what:14}{step.at[:19]}, {step.by}: {step.reason}")
    _say_rules(told, "")


def _say_registered(done: list[Registered], what: str, as_json: bool) -> None:
    if as_json:
        print_json({"entries": [each.as_json() for each in done]})
        return
    for each in done:
        say(f"{each.entry} is {what}")
        _say_rules(each, "  ")


def _say_rules(each: Registered, indent: str) -> None:
    say(*(f"{indent}Broken: {finding.in_full()}" for finding in each.broken))
    say(*(f"{indent}Note: {remark}." for remark in each.remarks))


# Compliance


@click.group(cls=ListingGroup)
@_folder
@click.pass_context
def compliance(ctx: click.Context, contest: Path) -> None:
    """Whether the entries of the folder CONTEST comply with the rules."""
    ctx.obj = contest


@compliance.command("list")
@json_option
@click.pass_obj
def list_compliance(contest: Path, as_json: bool) -> None:
    """A row for each entry, in the order of receipt, which is the order of the tests; this word can
    be left out."""
    from contest.screening.compliance import assess_all
    from contest.screening.season import read

    found = assess_all(read(contest))
    if as_json:
        print_json({"entries": [each.as_json() for each in found]})
    elif not found:
        click.echo(EMPTY)
    else:
        rows = []
        for each in found:
            form, state = each.entry.form, "withdrawn" if each.entry.withdrawn else each.state
            rows.append((each.entry.id, form.program, str(form.received), state, each.why))
        print_table(("entry", "program", "received", "state", "why"), rows)


@compliance.command("show")
@_entry
@json_option
@click.pass_obj
def show_compliance(contest: Path, entry: str, as_json: bool) -> None:
    """The checklist of ENTRY, item by item."""
    from contest.screening.compliance import assess
    from contest.screening.season import read

    _say_assessment(assess(read(contest), entry), as_json)


@compliance.command()
@_entry
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


def _say_assessment(each: Assessment, as_json: bool) -> None:
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


# Who goes on


@click.group("go-on", cls=ListingGroup)
@_folder
@click.pass_context
def go_on(ctx: click.Context, contest: Path) -> None:
    """Which entries of the folder CONTEST are screened: the date of posting decides, then the time
    of day on its proof, then receipt. Entries that are equal even so share a place."""
    ctx.obj = contest


@go_on.command("list")
@json_option
@click.pass_obj
def list_selection(contest: Path, as_json: bool) -> None:
    """All entries, what becomes of each, and why; this word can be left out."""
    from contest.screening.season import read
    from contest.screening.selection import select

    _say_selection(select(read(contest)), as_json)


@go_on.command()
@click.argument("entries", nargs=-1, required=True)
@reason_option(required=True)
@by_option(required=True)
@json_option
@click.pass_obj
def decide(contest: Path, entries: tuple[str, ...], reason: str, by: str, as_json: bool) -> None:
    """Decide the order of ENTRIES that were posted and received at one moment: the first one named
    goes first."""
    from contest.screening import selection
    from contest.screening.season import Season

    with Season(contest) as season:
        done = selection.decide(season, entries, by, reason)
    _say_selection(done, as_json)


@go_on.command()
@by_option(required=True)
@json_option
@click.pass_obj
def begin(contest: Path, by: str, as_json: bool) -> None:
    """Begin the screening: from now on the list stands, and nobody moves up for one that is
    withdrawn."""
    from contest.screening import selection
    from contest.screening.season import Season

    with Season(contest) as season:
        done = selection.begin(season, by)
    _say_selection(done, as_json)


def _say_selection(found: Selection, as_json: bool) -> None:
    from contest.screening.register import texts_of

    if as_json:
        print_json(found.as_json())
        return
    if found.rows:
        rows = []
        for row in found.rows:
            place = "" if row.place is None else f"{row.place}{' =' if row.tied else ''}"
            posted = texts_of(row.form)["posted"]
            rows.append((place, row.id, row.form.program, posted, row.fate, row.why))
        print_table(("place", "entry", "program", "posted", "what becomes of it", "why"), rows)
    say(*found.words)
