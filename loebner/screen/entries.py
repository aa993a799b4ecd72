"""`loebner screen register`, `compliance`, `select` and `serve`: register entries, check whether
they comply, and choose those to screen."""

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
from contest.screening.register import (
    ASKED,
    FIELDS,
    Checklist,
    as_json_of,
    assess,
    assess_all,
    correction,
    facts_of,
    quoted,
    read_conformance,
    read_items,
    registration,
    select_entries,
    texts_of,
)
from contest.screening.season import Season, read
from contest.screening.state import State
from loebner.options import PATH, Part, answer, json_option, say
from loebner.screen.options import address_options, contest_group, signed
from scheduler.files import read_text

#: Fields whose option is given once for each name, not with semicolons.
_SEVERAL = {"individuals": "--individual", "platforms": "--platform"}
_EMPTY = "The register is empty: `loebner screen register CONTEST add` adds an entry."


def _field_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """An option for each field of the register."""
    for name, field in reversed(FIELDS.items()):
        words = f"{field.holds}{', may be given several times' * (name in _SEVERAL)}"
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
    """The fields that were given; `--individual ""` removes all individuals."""
    return {name: value for name, value in fields.items() if value not in (None, ())}


def _write(contest: Path, by: str, event: Callable[[State], Body]) -> State:
    """Writes the event that a function makes from a season's state, and returns the new state."""
    with Season(contest) as season:
        season.write(by, event(season.state))
        return season.state


# The register


def _list_entries(contest: Path, as_json: bool) -> None:
    entries = read(contest).entries.values()
    shown = ("program", "entrant", "posted", "received", "way")
    rows = [
        (each.id, *map(texts_of(each.form).get, shown), "withdrawn" * (each.withdrawn is not None))
        for each in entries
    ]
    table: Part = (("entry", *shown, "state"), rows) if rows else _EMPTY
    answer(as_json, {"entries": list(map(as_json_of, entries))}, table)


register = contest_group(
    "register",
    """Keep the register of entries of the folder CONTEST.

    An entry that breaks a rule about dates, media or platform is still registered, and the rule is
    quoted. Nothing is overwritten; a correction is a new version.
    """,
    *("List all entries in the order of registration", _list_entries),
)


@register.command()
@_field_options
@signed()
@click.pass_obj
def add(contest: Path, /, by: str, as_json: bool, **fields: Any) -> None:
    """Register an entry that has arrived; it gets the next id."""
    state = _write(contest, by, lambda state: registration(state, _given(fields)))
    _say_rules(state, list(state.entries)[-1], "registered", as_json)


@register.command()
@click.argument("entry")
@_field_options
@signed(reason=True)
@click.pass_obj
def change(
    contest: Path, /, entry: str, reason: str, by: str, as_json: bool, **fields: Any
) -> None:
    """Correct the data of ENTRY in the register. Other fields don't change; an empty text removes a
    field. The earlier version is kept."""
    state = _write(contest, by, lambda state: correction(state, entry, _given(fields), reason))
    _say_rules(state, entry, "changed", as_json)


def _turn(name: str, kind: type[EntryWithdrawn | EntryRestored], what: str, words: str) -> None:
    @register.command(name, help=words)
    @click.argument("entry")
    @signed(reason=True)
    @click.pass_obj
    def turn(contest: Path, entry: str, reason: str, by: str, as_json: bool) -> None:
        _say_rules(_write(contest, by, lambda _: kind(entry, reason)), entry, what, as_json)


_turn(
    *("withdraw", EntryWithdrawn, "withdrawn"),
    "Withdraw ENTRY; its id is not reused. Until screening begins, the next entry moves up.",
)
_turn("restore", EntryRestored, "back in the register", "Undo the withdrawal of ENTRY.")


def _rules(found: Checklist) -> tuple[dict[str, Any], list[str]]:
    """The rules that an entry breaks according to the register, and remarks, as JSON and as
    lines."""
    broken = [
        {"rule": each.rule, "words": each.reason, "sentence": each.sentence}
        for each in found.broken
    ]
    lines = [f"  Broken: {each.reason} ({quoted(each.rule)})" for each in found.broken]
    lines += [f"  Note: {remark}." for remark in found.remarks]
    return {"broken": broken, "remarks": found.remarks}, lines


def _say_rules(state: State, entry: str, what: str, as_json: bool) -> None:
    rules, lines = _rules(assess(state, entry))
    lines = [] if what == "withdrawn" else lines
    answer(as_json, {"entries": [{"entry": entry, **rules}]}, f"{entry} is {what}", *lines)


@register.command("show")
@click.argument("entry")
@json_option
@click.pass_obj
def show_entry(contest: Path, entry: str, as_json: bool) -> None:
    """Show all data of ENTRY, its history, and the rules that it breaks."""
    state = read(contest)
    found, (rules, lines) = state.find(entry), _rules(assess(state, entry))
    changes = [
        f"  {each.kind.removeprefix('entry-'):24}{each.at[:19]}, {each.by}"
        f"{f': {each.reason}' if each.reason else ''}"
        for each in found.changes
    ]
    out = "" if found.withdrawn is None else ", withdrawn"
    facts = [f"  {name:24}{value}" for name, value in facts_of(found.form)]
    head = f"{found.id}  {found.form.program}{out}"
    answer(as_json, as_json_of(found) | rules, head, *facts, *changes, *lines)


# Compliance


def _list_compliance(contest: Path, as_json: bool) -> None:
    found = assess_all(read(contest))
    rows = [
        (c.entry, c.program, str(c.received), "withdrawn" if c.withdrawn else c.state, c.why)
        for c in found
    ]
    head = ("entry", "program", "received", "state", "why")
    answer(as_json, {"entries": found}, (head, rows) if rows else _EMPTY)


compliance = contest_group(
    "compliance",
    "Check whether the entries of the folder CONTEST comply with the rules.",
    *("List the entries in the order of receipt, the order of the tests", _list_compliance),
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
    help="The outcome of an item: pass, fail:REASON or not-applicable:REASON. Items are "
    f"{', '.join(ASKED)}.",
)
@click.option(
    "--check-bot",
    "document",
    metavar="FILE",
    help="The output of `loebner check-bot --json`, which shows whether it speaks LPP.",
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
    help="Why it is tested before an entry that was received earlier.",
)
@signed(by=True)
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
    """Record the test of one or more items for ENTRY.

    A new outcome of an item replaces the earlier one; both are kept. Posting, media, platform,
    testing date and presence are taken from the register.
    """
    seen = read_items(items)
    conformance = None if document is None else read_conformance(read_text(document), document)
    day = (tested or datetime.now()).date()
    body = ComplianceTested(entry, day, seen, conformance, out_of_order)
    _say_checklist(assess(_write(contest, by, lambda _: body), entry), as_json)


def _say_checklist(each: Checklist, as_json: bool) -> None:
    lines = [f"{each.entry}  {each.program}: {each.state}{', withdrawn' * each.withdrawn}"]
    for item in each.items:
        by = f"  ({item.by}, {item.tested})" if item.by else ""
        reason = f": {item.reason}" if item.reason else ""
        lines.append(f"  {item.outcome:14} {item.item:10} {item.words}{reason}{by}")
        if item.outcome == "fail":
            lines.append(f"  {'':14} {'':10} rules 2010: “{item.sentence}”")
    answer(as_json, each, *lines, *(f"Note: {remark}." for remark in each.remarks))


# The entries to screen


def _list_selection(contest: Path, as_json: bool) -> None:
    _say_selection(read(contest), as_json)


select = contest_group(
    "select",
    """Choose which entries of the folder CONTEST are screened: by date of posting, then by the time
    of day on its proof, then by receipt. Entries that are still equal share a place.""",
    *("List all entries, whether each is screened, and why", _list_selection),
)


@select.command()
@click.argument("entries", nargs=-1, required=True)
@signed(reason=True, by=True)
@click.pass_obj
def decide(contest: Path, entries: tuple[str, ...], reason: str, by: str, as_json: bool) -> None:
    """Decide the order of ENTRIES that were posted and received at the same moment: the first one
    named goes first."""
    body = PriorityDecided(list(entries), reason)
    _say_selection(_write(contest, by, lambda _: body), as_json)


@select.command()
@signed(by=True)
@click.pass_obj
def begin(contest: Path, by: str, as_json: bool) -> None:
    """Begin the screening. From now on the list is final, and no entry replaces a withdrawn one."""
    state = _write(contest, by, lambda state: ScreeningBegun(select_entries(state).screened))
    _say_selection(state, as_json)


def _say_selection(state: State, as_json: bool) -> None:
    found, rows = select_entries(state), []
    for row in found.entries:
        place = "" if row.place is None else f"{row.place}{' =' if row.tied else ''}"
        posted = texts_of(state.entries[row.entry].form)["posted"]
        rows.append((place, row.entry, row.program, posted, row.fate, row.why))
    head = ("place", "entry", "program", "posted", "outcome", "why")
    answer(as_json, found, *[(head, rows)] * bool(rows), *found.words)


@click.command()
@click.argument("contest", type=PATH)
@address_options
def serve(contest: Path, host: str, port: int) -> None:
    """Serve the register, the tests and the list of screened entries in a browser, protected by a
    code, before the contest. Meanwhile, no other command can write to the season's record."""
    from contest.screening import pages

    with Season(contest) as season:
        pages.serve(pages.season_site(season), host, port, say)
