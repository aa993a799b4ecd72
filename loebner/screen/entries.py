"""`loebner screen register`, `compliance`, `go-on` and `serve`: entries that come in, whether they
comply, and which of them are screened."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

import click

from contest.record.events import Body
from contest.record.season import (
    ComplianceTested,
    EntryRestored,
    EntryWithdrawn,
    PriorityDecided,
    ScreeningBegun,
)
from contest.screening.compliance import (
    Checklist,
    assess,
    assess_all,
    read_conformance,
    read_items,
    select,
)
from contest.screening.register import (
    FIELDS,
    as_json_of,
    correction,
    facts_of,
    look,
    registration,
    texts_of,
)
from contest.screening.season import Season, read
from contest.screening.state import State
from loebner.options import json_option, print_json
from loebner.screen.options import (
    PATH,
    address_options,
    contest_group,
    print_table,
    say,
    signed,
)
from scheduler.files import read_text

#: Fields that are given once for each name, not with semicolons.
_SEVERAL = {"individuals": "--individual", "platforms": "--platform"}
_EMPTY = "The register is empty: `loebner screen register CONTEST add` adds an entry."


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


def _write(contest: Path, by: str, event: Callable[[State], Body]) -> State:
    """Writes the event that a function makes of a season's state, and gives the state after it."""
    with Season(contest) as season:
        season.write(by, event(season.state))
        return season.state


# The register


def _list_entries(contest: Path, as_json: bool) -> None:
    entries = list(read(contest).entries.values())
    if as_json:
        print_json({"entries": list(map(as_json_of, entries))})
        return
    shown = ("program", "entrant", "posted", "received", "way")
    rows = []
    for entry in entries:
        out = "" if entry.withdrawn is None else "withdrawn"
        rows.append((entry.id, *map(texts_of(entry.form).get, shown), out))
    print_table(("entry", *shown, "state"), rows, _EMPTY)


register = contest_group(
    "register",
    """Keep the register of entries of the folder CONTEST.

    An entry that breaks a rule about dates, media or platform is registered all the same, and the
    rule is quoted. Nothing is overwritten; a correction is a new version.
    """,
    *(_list_entries, "List all entries in the order of registration"),
)


@register.command()
@_field_options
@signed()
def add(contest: Path, /, by: str, as_json: bool, **fields: Any) -> None:
    """Register an entry that has arrived; it gets the next id."""
    state = _write(contest, by, lambda state: registration(state, _given(fields)))
    _say_rules(state, list(state.entries)[-1], "registered", as_json)


@register.command()
@click.argument("entry")
@_field_options
@signed(reason=True)
def change(
    contest: Path, /, entry: str, reason: str, by: str, as_json: bool, **fields: Any
) -> None:
    """Correct what the register says about ENTRY. Other fields stay as they are; an empty text
    removes a field. The earlier version is kept."""
    state = _write(contest, by, lambda state: correction(state, entry, _given(fields), reason))
    _say_rules(state, entry, "changed", as_json)


def _turn(name: str, what: str, words: str) -> None:
    @register.command(name, help=words)
    @click.argument("entry")
    @signed(reason=True)
    def turn(contest: Path, entry: str, reason: str, by: str, as_json: bool) -> None:
        kind = EntryRestored if name == "restore" else EntryWithdrawn
        _say_rules(_write(contest, by, lambda _: kind(entry, reason)), entry, what, as_json)


_turn(
    *("withdraw", "withdrawn"),
    "Withdraw ENTRY; its id is not reused. Until screening begins the next one moves up.",
)
_turn("restore", "back in the register", "Undo the withdrawal of ENTRY.")


def _rules(state: State, entry: str) -> dict[str, Any]:
    broken, remarks = look(state, entry)
    return {"broken": [finding.as_json() for finding in broken], "remarks": remarks}


def _say_rules(state: State, entry: str, what: str, as_json: bool) -> None:
    """The rules that an entry breaks, and remarks on it."""
    if as_json:
        print_json({"entries": [{"entry": entry, **_rules(state, entry)}]})
        return
    broken, remarks = look(state, entry)
    say(*[f"{entry} is {what}"] * bool(what))
    if what != "withdrawn":
        say(*(f"  Broken: {finding.in_full()}" for finding in broken))
        say(*(f"  Note: {remark}." for remark in remarks))


@register.command("show")
@click.argument("entry")
@json_option
@click.pass_obj
def show_entry(contest: Path, entry: str, as_json: bool) -> None:
    """Show everything known about ENTRY, its history, and the rules that it breaks."""
    state = read(contest)
    found = state.find(entry)
    if as_json:
        print_json(as_json_of(found) | _rules(state, entry))
        return
    say(f"{found.id}  {found.form.program}{'' if found.withdrawn is None else ', withdrawn'}")
    say(*(f"  {name:24}{value}" for name, value in facts_of(found.form)))
    for change_ in found.changes:
        what = change_.kind.removeprefix("entry-")
        why = f": {change_.reason}" if change_.reason else ""
        say(f"  {what:24}{change_.at[:19]}, {change_.by}{why}")
    _say_rules(state, entry, "", as_json=False)


# Compliance


def _list_compliance(contest: Path, as_json: bool) -> None:
    found = assess_all(read(contest))
    if as_json:
        print_json({"entries": found})
        return
    rows = []
    for each in found:
        state = "withdrawn" if each.withdrawn else each.state
        rows.append((each.entry, each.program, str(each.received), state, each.why))
    print_table(("entry", "program", "received", "state", "why"), rows, _EMPTY)


compliance = contest_group(
    "compliance",
    "Check whether the entries of the folder CONTEST comply with the rules.",
    *(_list_compliance, "List the entries in the order of receipt, the order of the tests"),
)


@compliance.command("show")
@click.argument("entry")
@json_option
@click.pass_obj
def show_compliance(contest: Path, entry: str, as_json: bool) -> None:
    """Show the checklist of ENTRY, item by item."""

    _say_checklist(assess(read(contest), entry), as_json)


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
@signed(by_needed=True)
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
    seen = read_items(items)
    conformance = None if document is None else read_conformance(read_text(document), document)
    day = (tested or datetime.now()).date()
    body = ComplianceTested(entry, day, seen, conformance, out_of_order)
    _say_checklist(assess(_write(contest, by, lambda _: body), entry), as_json)


def _say_checklist(each: Checklist, as_json: bool) -> None:
    if as_json:
        print_json(each)
        return
    say(f"{each.entry}  {each.program}: {each.state}{', withdrawn' * each.withdrawn}")
    for answer in each.items:
        by = f"  ({answer.by}, {answer.tested})" if answer.by else ""
        reason = f": {answer.reason}" if answer.reason else ""
        say(f"  {answer.outcome:14} {answer.item:10} {answer.words}{reason}{by}")
        if answer.outcome == "fail":
            say(f"  {'':14} {'':10} rules 2010: “{answer.sentence}”")
    say(*(f"Note: {remark}." for remark in each.remarks))


# Who is screened


def _list_selection(contest: Path, as_json: bool) -> None:
    _say_selection(read(contest), as_json)


go_on = contest_group(
    "go-on",
    """Choose which entries of the folder CONTEST are screened: by date of posting, then by the time
    of day on its proof, then by receipt. Entries that are still equal share a place.""",
    *(_list_selection, "List all entries, whether each is screened, and why"),
)


@go_on.command()
@click.argument("entries", nargs=-1, required=True)
@signed(reason=True, by_needed=True)
def decide(contest: Path, entries: tuple[str, ...], reason: str, by: str, as_json: bool) -> None:
    """Decide the order of ENTRIES that were posted and received at the same moment: the first one
    named goes first."""
    body = PriorityDecided(list(entries), reason)
    _say_selection(_write(contest, by, lambda _: body), as_json)


@go_on.command()
@signed(by_needed=True)
def begin(contest: Path, by: str, as_json: bool) -> None:
    """Begin the screening: from now on the list is final, and no entry moves up for one that is
    withdrawn."""
    state = _write(contest, by, lambda state: ScreeningBegun(select(state).screened))
    _say_selection(state, as_json)


def _say_selection(state: State, as_json: bool) -> None:
    found = select(state)
    if as_json:
        print_json(found)
        return
    rows = []
    for row in found.entries:
        place = "" if row.place is None else f"{row.place}{' =' if row.tied else ''}"
        posted = texts_of(state.entries[row.entry].form)["posted"]
        rows.append((place, row.entry, row.program, posted, row.fate, row.why))
    if rows:
        print_table(("place", "entry", "program", "posted", "outcome", "why"), rows)
    say(*found.words)


@click.command()
@click.argument("contest", type=PATH)
@address_options
def serve(contest: Path, host: str, port: int) -> None:
    """Serve the register, the tests and the list of screened entries to the organizer's browser,
    with a code, before the contest. Meanwhile no other command can write the season."""
    from contest.screening import pages

    with Season(contest) as season:
        pages.serve(pages.season_site(season), host, port, say)
