"""`loebner labyrinth`: games run by a game manager, and ratings of its messages."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from disciplines.labyrinth.gameplay import MANAGER, faults_of, load, read_gameplay
from loebner.options import PATH, address_options, answer, json_option, print_json, say
from loebner.runs import contest_argument, demo_option, new_command, show_result, stage_option
from scheduler.texts import plain

if TYPE_CHECKING:
    from disciplines.events import GameEvent
    from disciplines.labyrinth.rating import Contest

again_option = stage_option(
    "plan, collect, score, calls or report",
    "After a change of settings: repeat",
    "People's ratings are kept.",
)
file_argument = click.argument("file", metavar="GAMEPLAY.json", type=PATH)


@click.group()
def labyrinth() -> None:
    """Play games with a language model as game manager, and rate its messages."""


@labyrinth.command()
@file_argument
@json_option
@click.pass_context
def validate(ctx: click.Context, file: Path, as_json: bool) -> None:
    """List all faults in a gameplay record, with their places. Exit code 1 if there are any."""
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
@click.option("--out", type=PATH, required=True, metavar="FILE", help="The file to write.")
def survey(file: Path, out: Path) -> None:
    """Write a survey about a gameplay record, in Qualtrics' advanced format."""
    from disciplines.labyrinth.survey import survey as survey_of
    from disciplines.run import write_file

    write_file(out, survey_of(read_gameplay(file)).encode())
    say(f"written to {out}")


@labyrinth.command()
@click.option("--out", type=PATH, required=True, metavar="FILE", help="The file to write.")
def functions(out: Path) -> None:
    """Write the manager's functions as JSON, in the form of tools for a chat endpoint."""
    from disciplines.labyrinth.functions import as_tools
    from disciplines.page import json_text
    from disciplines.run import write_file

    write_file(out, json_text(as_tools()).encode())
    say(f"written to {out}")


@labyrinth.command()
@click.argument("tests", type=PATH, metavar="[TESTS.json]", required=False)
@click.option(
    "--endpoint", required=True, metavar="URL", help="The address of a chat endpoint with tools."
)
@click.option("--model", required=True, metavar="NAME", help="The model's name there.")
@click.option(
    "--key-from",
    metavar="VARIABLE",
    help="The environment variable with the key; '' for no key. Default: OPENAI_API_KEY.",
)
@click.option("--seed", type=int, default=1, show_default=True, help="For dice and tables.")
@json_option
def test(
    tests: Path | None, endpoint: str, model: str, key_from: str | None, seed: int, as_json: bool
) -> None:
    """Test how a model, as the manager, updates the state of a game with the functions.

    TESTS.json has for each test the state before and after, a dialogue and the calls that it needs.
    By default, bundled tests are used. Each call gives up to 100 points.
    """
    from importlib.resources import as_file, files

    from disciplines.labyrinth.manager import EndpointManager
    from disciplines.labyrinth.updates import read_tests, run_tests, summary
    from disciplines.providers import ChatEndpoint, ProviderTable

    with as_file(files("disciplines.labyrinth") / "bundled" / "tests.json") as ours:
        held = read_tests(tests or ours)
    table = ProviderTable(endpoint=endpoint, model=model, key_from=key_from)
    seat, outcomes = EndpointManager(ChatEndpoint(table), "test"), []
    for each in run_tests(held, seat, seed):
        outcomes.append(each)
        say(f"test {each.number} of {len(held)}", err=True)
    found = summary(held, outcomes)
    rows = [
        [str(each.number), " ".join(x.function for x in test.updated), got, plain(each.reason)]
        for test, each in zip(held, outcomes, strict=True)
        for got in [" ".join(map(str, each.points))]
    ]
    table_of = (("test", "calls", "points", "failed because"), rows)
    answer(as_json, found, table_of, f"{found['points']:g} of 100 points")


labyrinth.add_command(
    new_command(
        "labyrinth",
        "a commented contest.toml",
        "put the gameplay records there, list them and the raters in contest.toml, then run "
        "`loebner labyrinth rate {folder}`",
    )
)


@labyrinth.command()
@contest_argument
@click.option(
    "--game", "only", default="", metavar="NAME", help="Play only this game. Default: all."
)
@address_options
@again_option
@json_option
def play(contest: Path, only: str, host: str, port: int, repeat_from: str, as_json: bool) -> None:
    """Play the games that have a scene in contest.toml, and write their gameplay records.

    If people take seats, this prints a link for each of them, which they open in a browser. A game
    begins when everybody is there. A stopped game continues where it stopped, with its remaining
    time.
    """
    from disciplines import room
    from disciplines.labyrinth.playing import play as play_games

    rooms = partial(room.opened, contest, host, port, partial(say, err=True))
    show = partial(_show_event, quiet=as_json)
    played = play_games(contest, only, repeat_from, show, rooms=rooms)
    names = ("game", "result", "condition", "turns", "file")
    rows = [[plain(str(each[name] or "-")) for name in names] for each in played]
    answer(as_json, {"games": played}, (names, rows))


def _show_event(event: GameEvent, quiet: bool) -> None:
    from disciplines.events import GameCalled, GameSaid
    from disciplines.labyrinth.survey import spaced

    if isinstance(event, GameSaid):
        say(f"{spaced(event.who)}: {event.text or '(nothing)'}", err=quiet)
    elif isinstance(event, GameCalled):
        words = f"{event.words} [{event.function}: {event.text}]".strip()
        say(f"{spaced(MANAGER)}: {words}", err=quiet)


@labyrinth.command()
@contest_argument
@click.option(
    "--models", is_flag=True, help="Let the models in contest.toml rate, instead of serving pages."
)
@address_options
@again_option
def rate(contest: Path, models: bool, host: str, port: int, repeat_from: str) -> None:
    """Serve the raters' pages until Ctrl-C, and print a link for each rater.

    Answers are saved as the rater types. A rater can open the link again at any time, even after a
    restart, and continue where they were. Links open in a browser, or with `loebner rater`.
    """
    from disciplines import raters
    from disciplines.labyrinth import model
    from disciplines.labyrinth.rating import opened

    def tell(stage: str, done: int, of: int) -> None:
        if stage == "collect":
            say(f"answers of models: {done} of {of}", err=True)

    with opened(contest, repeat_from, tell) as held:
        if models:
            number = model.rate(held)
            failed = held.run.state.failures
            for item, reason in {**failed.get("collect", {}), **failed.get("score", {})}.items():
                say(f"{item}: {reason}")
            say(f"{number} scores by models")
        else:
            raters.serve(held.questionnaire, host, port, say)


@labyrinth.command("import")
@contest_argument
@click.argument("answers", type=PATH, metavar="ANSWERS.csv")
@click.option("--game", required=True, metavar="NAME", help="The game that the survey is about.")
def import_(contest: Path, answers: Path, game: str) -> None:
    """Record the answers to a survey from a CSV file that Qualtrics exported."""
    from disciplines.labyrinth.rating import opened
    from disciplines.labyrinth.survey import read_answers
    from scheduler.errors import BadInput
    from scheduler.files import read_text

    with opened(contest) as held:
        if game not in held.games:
            raise BadInput(f"there is no game {game!r}; choose one of {', '.join(held.games)}")
        found = read_answers(read_text(answers), len(held.games[game].targets), str(answers))
        held.take(game, found)
    raters = len({each.rater for each in found})
    say(f"{len(found)} scores by {raters} people recorded")


@labyrinth.command()
@contest_argument
@again_option
@json_option
def report(contest: Path, repeat_from: str, as_json: bool) -> None:
    """Write the results of all ratings so far, such as means and agreement, to CONTEST/result."""
    from disciplines.labyrinth.rating import opened

    with opened(contest, repeat_from) as held:
        _report(held, as_json)


@labyrinth.command()
@demo_option("labyrinth-demo")
@json_option
def demo(folder: Path, as_json: bool) -> None:
    """Hold a small contest offline: scripts play a game, and scripted raters rate it and a bundled
    one.

    A stopped demo continues where it left off.
    """
    from disciplines.folders import prepare
    from disciplines.labyrinth.demo import rate
    from disciplines.labyrinth.playing import play as play_games
    from disciplines.labyrinth.rating import opened

    prepare("labyrinth", folder, "demo")
    play_games(folder, on_event=partial(_show_event, quiet=as_json))
    with opened(folder) as held:
        rate(held)
        _report(held, as_json)


def _report(held: Contest, as_json: bool) -> None:
    from disciplines.labyrinth.report import write

    document, head = write(held)
    names = ("system", "metric", "by", "mean", "low", "high", "ratings")
    rows = [[str(row[name]) for name in names] for row in document["means"]]
    said = [f"alpha, {name}: {value or '-'}" for name, value in document["alpha"].items()]
    show_result(as_json, held.run.folder, (document, head), (names, rows), *said)
