"""`loebner screen register`: entries as they come in by post."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from contest.screening.forms import FIELDS
from loebner.screen.telling import (
    EMPTY,
    ListingGroup,
    by_option,
    json_option,
    print_json,
    print_table,
    said,
    stamp,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from contest.screening.register import Entry
    from contest.screening.registering import Registered

#: Fields that are given once for each name, not with semicolons.
_SEVERAL = {"individuals": "--individual", "platforms": "--platform"}


def _field_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """An option for each field of the register."""
    for name, what in reversed(list(FIELDS.items())):
        option = _SEVERAL.get(name, f"--{name}")
        words = what.replace("in CSV with semicolons between them", "may be given several times")
        command = click.option(
            option,
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


@click.group(cls=ListingGroup)
@click.argument("contest", type=click.Path(path_type=Path))
@click.pass_context
def register(ctx: click.Context, contest: Path) -> None:
    """The register of entries of the folder CONTEST.

    An entry that breaks a rule about dates, media or platform is registered all the same, and the
    rule is quoted: it has come in. What is written is never changed; a correction is a new version.
    """
    ctx.obj = contest


@register.command()
@_field_options
@click.option(
    "--anyway",
    metavar="REASON",
    default="",
    help="Register it although somebody is associated with another entry.",
)
@by_option()
@json_option
@click.pass_obj
def add(contest: Path, /, anyway: str, by: str, as_json: bool, **fields: Any) -> None:
    """Register an entry that has come in; it gets the next id."""
    from contest.screening import registering
    from contest.screening.season import Season

    with Season(contest) as season:
        done = registering.add(season, _given(fields), by, anyway=anyway)
    _say([done], "registered", as_json)


@register.command("import")
@click.argument("file")
@click.option("--anyway", metavar="REASON", default="", help="As of add, for all of them.")
@by_option()
@json_option
@click.pass_obj
def import_(contest: Path, file: str, anyway: str, by: str, as_json: bool) -> None:
    """Register all entries of FILE, or none: CSV with the fields as columns, or TOML with a table
    [[entry]] for each; - reads CSV from standard input."""
    from contest.screening import registering
    from contest.screening.season import Season
    from scheduler.files import read_text

    rows = registering.read_file(read_text(file), "standard input" if file == "-" else file)
    with Season(contest) as season:
        done = registering.add_all(season, rows, by, anyway=anyway)
    _say(done, "registered", as_json)


@register.command()
@click.argument("entry")
@_field_options
@click.option("--reason", required=True, help="Why; it goes on record.")
@by_option()
@json_option
@click.pass_obj
def change(
    contest: Path, /, entry: str, reason: str, by: str, as_json: bool, **fields: Any
) -> None:
    """Correct what the register says of ENTRY; fields that are not given stay as they are, and an
    empty text takes one away. The version before is kept."""
    from contest.screening import registering
    from contest.screening.season import Season

    with Season(contest) as season:
        done = registering.change(season, entry, _given(fields), by, reason)
    _say([done], "changed", as_json)


@register.command()
@click.argument("entry")
@click.option("--reason", required=True, help="Why; it goes on record.")
@by_option()
@click.pass_obj
def withdraw(contest: Path, entry: str, reason: str, by: str) -> None:
    """Take ENTRY out; its id is not given again. Until screening begins the next one moves up."""
    from contest.screening import registering
    from contest.screening.season import Season

    with Season(contest) as season:
        registering.withdraw(season, entry, by, reason)
    click.echo(f"{entry} is withdrawn")


@register.command()
@click.argument("entry")
@click.option("--reason", required=True, help="Why; it goes on record.")
@by_option()
@json_option
@click.pass_obj
def restore(contest: Path, entry: str, reason: str, by: str, as_json: bool) -> None:
    """Take the withdrawal of ENTRY back."""
    from contest.screening import registering
    from contest.screening.season import Season

    with Season(contest) as season:
        done = registering.restore(season, entry, by, reason)
    _say([done], "back in the register", as_json)


@register.command("list")
@json_option
@click.pass_obj
def list_(contest: Path, as_json: bool) -> None:
    """All entries in the order of registration; this word can be left out."""
    from contest.screening.register import register_of
    from contest.screening.season import bodies, read

    found = register_of(bodies(read(contest)))
    if as_json:
        print_json({"entries": [entry.as_json() for entry in found.entries.values()]})
        return
    if not found.entries:
        click.echo(EMPTY)
        return
    print_table(
        ("entry", "program", "entrant", "posted", "received", "way", "state"),
        [_row(entry) for entry in found.entries.values()],
    )


@register.command()
@click.argument("entry")
@json_option
@click.pass_obj
def show(contest: Path, entry: str, as_json: bool) -> None:
    """All that is known of ENTRY, how it came to be, and the rules that it breaks."""
    from contest.screening.register import register_of
    from contest.screening.season import bodies, read
    from contest.screening.submission import look
    from contest.setup import settings

    table = settings.load(contest).season
    register = register_of(bodies(read(contest)))
    found = register.find(entry)
    broken, remarks = look(entry, found.form, register.forms, table)
    if as_json:
        told = {"broken": [each.as_json() for each in broken], "remarks": remarks}
        print_json(found.as_json() | told)
        return
    _show(found)
    for finding in broken:
        click.echo(said(f"Broken: {finding.in_full()}"))
    for remark in remarks:
        click.echo(said(f"Note: {remark}."))


def _row(entry: Entry) -> tuple[str, ...]:
    form = entry.form
    return (
        entry.id,
        form.program,
        form.entrant,
        stamp(form.posted, form.posted_at),
        stamp(form.received, form.received_at),
        str(form.way),
        "withdrawn" if entry.withdrawn else "",
    )


def _show(entry: Entry) -> None:
    from contest.screening.register import WAYS

    form = entry.form
    click.echo(said(f"{entry.id}  {form.program}{', withdrawn' * entry.withdrawn}"))
    for name, value in (
        ("entrant", form.entrant),
        ("individuals", ", ".join(form.individuals)),
        ("posted", stamp(form.posted, form.posted_at)),
        ("by", f"{form.service} {form.proof}".strip()),
        ("received", stamp(form.received, form.received_at)),
        ("way", f"{form.way}: {WAYS[form.way]}"),
        ("media", form.media),
        ("platforms", ", ".join(form.platforms)),
        ("testing", "" if form.testing is None else stamp(form.testing, form.testing_at)),
        ("agreed", "" if form.agreed is None else str(form.agreed)),
        ("present", "yes" if form.present else "no" if form.way != 1 else ""),
        ("command", form.command),
        ("note", form.note),
    ):
        if value:
            click.echo(said(f"  {name:12}{value}"))
    for version in entry.versions:
        why = f": {version.reason}" if version.reason else ""
        click.echo(said(f"  version {version.number}   {version.at[:19]}, {version.by}{why}"))
    for step in entry.steps:
        what = "withdrawn" if step.withdrawn else "restored"
        click.echo(said(f"  {what:12}{step.at[:19]}, {step.by}: {step.reason}"))


def _say(done: list[Registered], what: str, as_json: bool) -> None:
    if as_json:
        print_json({"entries": [each.as_json() for each in done]})
        return
    for each in done:
        click.echo(f"{each.entry} is {what}")
        for finding in each.broken:
            click.echo(said(f"  Broken: {finding.in_full()}"))
        for remark in each.remarks:
            click.echo(said(f"  Note: {remark}."))
