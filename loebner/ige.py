"""`loebner ige`: games that a model develops in dialogue, judged by running them."""

from __future__ import annotations

import asyncio
import hashlib
import json
import random
import re
import sys
from contextlib import aclosing
from pathlib import Path

import click

from disciplines.ige.games import Game, read_games
from disciplines.ige.judge import Judge, Metrics, Verdict, judge_dialogues
from disciplines.ige.sandbox import Person, play, play_all
from loebner.options import PATH, json_option, options, print_json
from scheduler.errors import BadInput
from scheduler.files import read_text
from scheduler.texts import plain


def _seeds(_: click.Context, __: click.Parameter, value: str) -> range:
    found = re.fullmatch(r"(\d{1,9})(?:-(\d{1,9}))?", value)
    if not found or int(found[2] or found[1]) < int(found[1]):
        raise click.BadParameter(f"{value!r} is not a range of seeds such as 0-39")
    return range(int(found[1]), int(found[2] or found[1]) + 1)


#: `seeds`.
seeds_option = click.option(
    "--seeds",
    metavar="A-B",
    default="0-39",
    show_default=True,
    callback=_seeds,
    help="Seeds to play with.",
)
#: `unprotected`.
unprotected_option = click.option(
    "--unprotected", is_flag=True, help="Also run code where this machine can't confine it."
)
#: `file` and `number`.
game_options = options(
    click.argument("file", metavar="GAMES.jsonl", type=PATH),
    click.option(
        "--game", "number", type=click.IntRange(0), required=True, help="Line of the file, from 0."
    ),
)


@click.group()
def ige() -> None:
    """Judge games that a language model develops in dialogue, by running them."""


@ige.command()
@game_options
@seeds_option
@unprotected_option
@json_option
def states(file: Path, number: int, seeds: range, unprotected: bool, as_json: bool) -> None:
    """Play a game and show its final states.

    The hash is SHA-256 of the state's JSON, with sorted keys and without spaces.
    """
    played = asyncio.run(play_all(_game(file, number).code, seeds, unprotected))
    failed = [each for each in played if each.state is None]
    found = [
        {"seed": each.seed, "sha256": _digest(each.state), "state": each.state}
        for each in played
        if each.state is not None
    ]
    if as_json:
        print_json({"states": found})
    else:
        for each in found:
            click.echo(f"{each['seed']}\t{each['sha256']}")
    for seed, _, error in failed:
        click.echo(f"loebner: seed {seed}: the game fails: {plain(error)}", err=True)
    sys.exit(1 if failed else 0)


@ige.command()
@game_options
@click.option(
    "--snippet", type=PATH, required=True, help="File with methods that replace the game's own."
)
@seeds_option
@unprotected_option
@json_option
def judge(
    file: Path, number: int, snippet: Path, seeds: range, unprotected: bool, as_json: bool
) -> None:
    """Judge methods by playing the game with them and without them.

    Exit code 1 if the methods don't run or a state differs.
    """
    one = Judge(_game(file, number), seeds, unprotected=unprotected)
    verdict = asyncio.run(one.of_snippet(read_text(str(snippet))))
    if as_json:
        shown = ("executed", "correct", "first_seed", "first_field", "error")
        print_json({name: getattr(verdict, name) for name in shown})
    else:
        click.echo(in_words(verdict))
    sys.exit(0 if verdict.correct else 1)


@ige.command()
@click.argument("file", metavar="DIALOGUES.jsonl", type=PATH)
@seeds_option
@unprotected_option
@json_option
def score(file: Path, seeds: range, unprotected: bool, as_json: bool) -> None:
    """Judge every turn of dialogues, and the games that they end in.

    Shares from 0 to 1: of games that run (esr) and end in the right states (acc), and of turns
    (f_esr, f_acc) with a turn without code counted as right. `with_code` leaves those out.
    """
    games = read_games(file)
    if not any(game.history for game in games):
        raise BadInput("has no dialogue: no game has a `history`", source=str(file))
    judged = asyncio.run(judge_dialogues(games, seeds, unprotected=unprotected))
    metrics = Metrics.of(judged)
    if as_json:
        print_json(metrics.as_json())
        return
    for at, game in enumerate(judged):
        for number, turn in enumerate(game.turns, 1):
            if not turn.verdict.correct:
                left_out = "" if turn.counts else " (incomplete configuration: not counted)"
                click.echo(f"dialogue {at}, turn {number}: {in_words(turn.verdict)}{left_out}")
        if not game.whole.correct:
            click.echo(f"dialogue {at}, finished game: {in_words(game.whole)}")
    click.echo(f"{'':12}{'executed':>10}{'correct':>10}{'of':>6}")
    rows = {
        "games": (metrics.esr, metrics.acc, len(judged)),
        "turns": metrics.turns,
        "with code": metrics.turns_with_code,
        **metrics.methods,
    }
    for name, (executed, correct, of) in rows.items():
        click.echo(f"{name:12}{executed:10.4f}{correct:10.4f}{of:6}")


@ige.command("play")
@game_options
@click.option("--seed", type=click.IntRange(0), help="Of the cards; random if left out.")
@unprotected_option
def play_command(file: Path, number: int, seed: int | None, unprotected: bool) -> None:
    """Play a finished game in the terminal, for all players."""
    game = _game(file, number)
    person = Person(
        lambda question, who: click.prompt(f"{who}: {plain(question)}", prompt_suffix=" > "),
        lambda line: click.echo(plain(line)),
    )

    async def follow() -> str:
        seeds = [random.randrange(2**31) if seed is None else seed]
        async with aclosing(
            play(game.code, seeds, unprotected=unprotected, person=person)
        ) as played:
            return (await anext(played)).error

    error = asyncio.run(follow())
    if error:
        click.echo(f"loebner: the game fails: {plain(error)}", err=True)
        sys.exit(1)


def in_words(verdict: Verdict) -> str:
    """A verdict in a line for people."""
    if verdict.correct:
        return "correct"
    if not verdict.executed:
        return f"fails with seed {verdict.first_seed}: {plain(verdict.error or '')}"
    return (
        f"runs, but {verdict.first_field} differs with seed {verdict.first_seed}: "
        f"expected {plain(verdict.expected or '')}, found {plain(verdict.found or '')}"
    )


def _game(file: Path, number: int) -> Game:
    games = read_games(file)
    if number >= len(games):
        raise BadInput(f"has games 0 to {len(games) - 1}, not {number}", source=str(file))
    return games[number]


def _digest(state: dict[str, list[str]]) -> str:
    """SHA-256 as the published states have it (disciplines/ige.md, 3)."""
    text = json.dumps(state, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()
