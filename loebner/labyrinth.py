"""`loebner labyrinth`: rate what a game manager says."""

from __future__ import annotations

from pathlib import Path

import click

from disciplines.labyrinth.gameplay import faults_of, load, read_gameplay
from disciplines.labyrinth.survey import survey as survey_of
from loebner.options import PATH, json_option, print_json
from scheduler.texts import plain

file_argument = click.argument("file", metavar="GAMEPLAY.json", type=PATH)


@click.group()
def labyrinth() -> None:
    """Let people rate a language model's answers as a game manager."""


@labyrinth.command()
@file_argument
@json_option
@click.pass_context
def validate(ctx: click.Context, file: Path, as_json: bool) -> None:
    """Name each fault of a gameplay record, with its place. Exit code 1 if there is one."""
    faults = list(faults_of(load(file)))
    if as_json:
        print_json({"valid": not faults, "faults": [each._asdict() for each in faults]})
    else:
        for place, what in faults:
            click.echo(f"{plain(place) or 'the record'}: {plain(what)}")
        if not faults:
            gameplay = read_gameplay(file)
            targets, turns = len(gameplay.targets), len(gameplay.completions)
            click.echo(f"valid: {turns} completions, {targets} of them to rate")
    ctx.exit(int(bool(faults)))


@labyrinth.command()
@file_argument
@click.option("--out", type=PATH, required=True, help="File to write.")
def survey(file: Path, out: Path) -> None:
    """Write a survey of a gameplay record in Qualtrics' advanced format."""
    text = survey_of(read_gameplay(file))
    try:
        out.write_text(text, encoding="utf-8")
    except OSError as exc:
        raise click.ClickException(f"{out}: can't be written ({exc.strerror or exc})") from None
    click.echo(f"written to {out}")
