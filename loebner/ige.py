"""`loebner ige`: games that a model develops in dialogue, judged by running them."""

from __future__ import annotations

import asyncio
import csv
import hashlib
import io
import json
import random
import re
import sys
from contextlib import aclosing
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from disciplines.ige.games import Game, read_games
from disciplines.ige.judge import MOST_SEEDS, Judge, Metrics, in_words, judge_dialogues
from disciplines.ige.sandbox import Person, play, play_all
from loebner.options import PATH, address_options, json_option, options, print_json, say
from loebner.runs import contest_argument, demo_option, new_command, show_result, stage_option
from scheduler.errors import BadInput
from scheduler.files import read_text
from scheduler.texts import plain

if TYPE_CHECKING:
    from disciplines.room import Rooms


def _seeds(_: click.Context, __: click.Parameter, value: str) -> range:
    found = re.fullmatch(r"(\d{1,9})(?:-(\d{1,9}))?", value)
    seeds = range(int(found[1]), int(found[2] or found[1]) + 1) if found else range(0)
    if not 0 < len(seeds) <= MOST_SEEDS:
        raise click.BadParameter(
            f"{value!r} is not a range of up to {MOST_SEEDS:,} seeds such as 0-39"
        )
    return seeds


#: `seeds`.
seeds_option = click.option(
    "--seeds",
    metavar="A-B",
    default="0-39",
    show_default=True,
    callback=_seeds,
    help="The random seeds to play with.",
)
#: `unprotected`.
unprotected_option = click.option(
    "--unprotected", is_flag=True, help="Run code even if this machine can't confine it."
)
#: `file` and `number`.
game_options = options(
    click.argument("file", metavar="GAMES.jsonl", type=PATH),
    click.option(
        "--game",
        "number",
        type=click.IntRange(0),
        required=True,
        help="The game's line in the file, counted from 0.",
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
        say(in_words(verdict))
    sys.exit(0 if verdict.correct else 1)


@ige.command()
@click.argument("file", metavar="DIALOGUES.jsonl", type=PATH)
@seeds_option
@unprotected_option
@json_option
def score(file: Path, seeds: range, unprotected: bool, as_json: bool) -> None:
    """Judge every turn of the dialogues, and the finished games.

    The metrics are shares from 0 to 1: of games that run (esr) and that end in the right states
    (acc), and of turns (f_esr, f_acc). A turn without code counts as correct; `with_code` leaves
    such turns out.
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
                say(f"dialogue {at}, turn {number}: {in_words(turn.verdict)}{left_out}")
        if not game.whole.correct:
            say(f"dialogue {at}, finished game: {in_words(game.whole)}")
    click.echo(f"{'':12}{'executed':>10}{'correct':>10}{'of':>6}")
    rows = {
        "games": (metrics.esr, metrics.acc, len(judged)),
        "turns": metrics.turns,
        "with code": metrics.with_code,
        **{name: each for name, each in metrics.methods.items() if each.turns},
    }
    for name, (executed, correct, of) in rows.items():
        click.echo(f"{name:12}{executed:10.4f}{correct:10.4f}{of:6}")


@ige.command("play")
@game_options
@click.option(
    "--seed", type=click.IntRange(0), help="Random seed for the cards. Default: a random one."
)
@click.option(
    "--as",
    "players",
    metavar="PLAYER",
    multiple=True,
    help="Play this player, such as p1; the others act at random. Default: play all players.",
)
@unprotected_option
def play_command(
    file: Path, number: int, seed: int | None, players: tuple[str, ...], unprotected: bool
) -> None:
    """Play a finished game in the terminal.

    Each player sees their own cards, the community cards, the pot and everybody's chips. Several
    people can take turns at one terminal: the screen is cleared before each turn.
    """
    game = _game(file, number)
    before = ""

    def ask(seen: str, who: str) -> str:
        nonlocal before
        if before not in ("", who) and sys.stdin.isatty():
            click.pause(f"{plain(who)} is next: press a key when nobody else is looking")
            click.clear()
        before = who
        *lines, question = seen.split("\n")
        say("", f"{who}'s turn", *lines)
        return str(click.prompt(plain(question), default="", show_default=False))

    async def follow() -> str:
        seeds = [random.randrange(2**31) if seed is None else seed]
        person = Person(ask, say, players)
        async with aclosing(
            play(game.code, seeds, unprotected=unprotected, person=person)
        ) as played:
            return (await anext(played)).error

    error = asyncio.run(follow())
    if error:
        say(f"loebner: the game fails: {error}", err=True)
        sys.exit(1)


# A contest


ige.add_command(
    new_command(
        "ige",
        "a commented contest.toml and two games",
        "put your games into {folder}/games.jsonl, choose in contest.toml which models develop "
        "them, then run `loebner ige run {folder}`",
    )
)


@ige.command()
@contest_argument
@stage_option("plan, collect, rate, measure or report")
@unprotected_option
@address_options
@json_option
def run(
    contest: Path, repeat_from: str, unprotected: bool, host: str, port: int, as_json: bool
) -> None:
    """Hold the contest of the folder CONTEST, from its games to the results page.

    If a person plays the user, this prints the link of their seat, which they open in a browser. A
    stopped run continues where it stopped. The results are in CONTEST/result.
    """
    from disciplines import room

    tell = partial(say, err=True)
    _play(
        contest, repeat_from, unprotected, as_json, partial(room.opened, contest, host, port, tell)
    )


@ige.command()
@demo_option("ige-demo")
@unprotected_option
@json_option
def demo(folder: Path, unprotected: bool, as_json: bool) -> None:
    """Hold a small contest offline: a careful and a careless bundled developer, and two games.

    A stopped demo continues where it left off.
    """
    from disciplines.folders import prepare

    prepare("ige", folder, "demo")
    _play(folder, "", unprotected, as_json)


def _play(
    folder: Path, repeat_from: str, unprotected: bool, as_json: bool, rooms: Rooms | None = None
) -> None:
    from disciplines.ige.ratings import CODE, KEYS
    from disciplines.ige.run import play as hold

    def progress(stage: str, done: int, of: int) -> None:
        if done == of or stage in ("collect", "measure"):
            say(f"{stage}: {done} of {of}", err=True)

    document, head = hold(folder, repeat_from, progress, rooms=rooms, unprotected=unprotected)
    rows = [
        (name, *("-" if row[column] is None else f"{row[column]:.1f}" for column in KEYS + CODE))
        for name, row in document["table_3"].items()
    ]
    table = (("developer", *KEYS, *CODE), rows)
    show_result(as_json, folder, (document, head), table, *document["notices"])


@ige.command()
@contest_argument
@address_options
@click.option(
    "--in",
    "file",
    type=PATH,
    metavar="FILE",
    help="Read the ratings from a CSV file instead: columns rater, dialogue, and one per key.",
)
def rate(contest: Path, host: str, port: int, file: Path | None) -> None:
    """Serve the raters' pages until Ctrl-C, and print a link for each rater.

    People rate each dialogue from 1 to 4 on six criteria (keys). Raters don't learn who developed
    a game, and each gets the dialogues in a different order. Answers are saved as the rater types.
    A rater can open the link again at any time, even after a restart, and continue where they
    were. Links open in a browser, or with `loebner rater`. Afterwards, `loebner ige run` makes the
    tables.
    """
    from disciplines import raters
    from disciplines.events import Rated
    from disciplines.ige import report
    from disciplines.ige.run import opened, questionnaire

    opening, settings = opened(contest)
    with opening as run_:
        rates = settings.rating.who
        if rates == "nobody" or (file is None and rates != "people"):
            words = f'the setting who in [rating] is "{rates}"; set it to "people"'
            raise BadInput(words, source=str(contest))
        if file is None:
            raters.serve(questionnaire(run_, settings), host, port, say)
            return
        items = {each.id for each in report.items_of(run_.state)}
        given = _read_ratings(file, items & run_.state.answers.keys())
        for (who, item), scores in given.items():
            run_.write(*(Rated(item, key, str(scores[key])) for key in scores), actor=who)
    say(f"{len(given)} ratings recorded")


def _read_ratings(file: Path, known: set[str]) -> dict[tuple[str, str], dict[str, int]]:
    """The ratings in a CSV file, by rater and dialogue; raises BadInput with the line."""
    from disciplines.ige.ratings import HIGHEST, KEYS, LOWEST, MODEL

    rows = csv.DictReader(io.StringIO(read_text(str(file))))
    missing = {"rater", "dialogue", *KEYS} - set(rows.fieldnames or ())
    if missing:
        raise BadInput(f"has no column {', '.join(sorted(missing))}", source=str(file), line=1)
    found = {}
    for row in rows:
        who, scores = (row["rater"] or "").strip(), {key: (row[key] or "").strip() for key in KEYS}
        off = [key for key in KEYS if scores[key] not in map(str, range(LOWEST, HIGHEST + 1))]
        if not who or not who.isprintable() or who == "server" or who.startswith(MODEL):
            wrong = f"{who!r} can't be the name of a rater"
        elif row["dialogue"] not in known:
            wrong = f"there is no dialogue {row['dialogue']!r}"
        elif off:
            wrong = f"{off[0]}: scores are whole numbers from {LOWEST} to {HIGHEST}"
        else:
            found[who, row["dialogue"]] = {key: int(score) for key, score in scores.items()}
            continue
        raise BadInput(wrong, source=str(file), line=rows.line_num)
    return found


def _game(file: Path, number: int) -> Game:
    games = read_games(file)
    if number >= len(games):
        raise BadInput(f"has games 0 to {len(games) - 1}, not {number}", source=str(file))
    return games[number]


def _digest(state: dict[str, list[str]]) -> str:
    """The SHA-256 as in the published states (docs/reference/ige.md)."""
    text = json.dumps(state, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()
