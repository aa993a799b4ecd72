"""`loebner pcg`: ChatGPT4PCG as a whole, and its stages, one command each."""

from __future__ import annotations

import dataclasses
import json
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import click

from contest.setup.folder import write
from disciplines.chatgpt4pcg import files
from disciplines.chatgpt4pcg.editions import EDITIONS, Edition
from disciplines.chatgpt4pcg.extraction import extract as extraction_of
from disciplines.chatgpt4pcg.level import FILE_LIMIT, Block, BrokenProgram, build, read_xml, to_xml
from disciplines.chatgpt4pcg.prompts import Qualification
from disciplines.chatgpt4pcg.prompts import qualify as qualification_of
from disciplines.standing import Entrant
from loebner.options import PATH, Part, answer, json_option, say
from loebner.runs import contest_argument, demo_option, new_command, show_result, stage_option
from scheduler.errors import BadInput
from scheduler.files import read_bytes
from scheduler.texts import counted


def edition_option(**how: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """The option --edition, with its default, or required."""
    return click.option(
        "--edition",
        type=click.Choice(list(EDITIONS)),
        callback=lambda _ctx, _option, name: EDITIONS[name],
        help="The edition whose rules apply.",
        **how,
    )


tree_option = click.option(
    "--tree",
    is_flag=True,
    help="The argument is an official folder tree: process the whole stage, and write there.",
)
engine_option = click.option(
    "--engine",
    type=click.Choice(["box2d", "pymunk"]),
    help="The physics engine. Default: box2d if installed, otherwise pymunk.",
)


@click.group()
def pcg() -> None:
    """Hold a ChatGPT4PCG contest: prompts make a language model build letters out of blocks.

    `run` holds the whole contest. Each of its stages is also a command for one file or an official
    folder tree.
    """


@pcg.command()
@click.argument("path", type=PATH, metavar="FILE_OR_DIR")
@edition_option(default="2023", show_default=True)
@click.option("--out", type=PATH, metavar="DIR", help="Copy the qualified entries into DIR.")
@json_option
@click.pass_context
def qualify(
    ctx: click.Context, path: Path, edition: Edition, out: Path | None, as_json: bool
) -> None:
    """Check whether entries may take part: words, characters, placeholder.

    From 2024 on, an entry is a Python program that must use the competition's package. The exit
    code is 1 if an entry is disqualified.
    """
    found = []
    for name, file in files.entries(path):
        try:
            text = files.read_answer(file)
        except BadInput as exc:
            if not path.is_dir():
                raise
            found.append((name, Qualification("disqualified", exc.problem, 0)))
            continue
        found.append((name, qualification_of(text, edition)))
        if out is not None and found[-1][1].status == "qualified":
            write(out / file.name, file.read_bytes())
    rows = [(name, each.status, str(each.words), each.reason) for name, each in found]
    document = {"entries": [{"name": name} | each._asdict() for name, each in found]}
    answer(as_json, document, (("entry", "status", "words", "reason"), rows))
    ctx.exit(int(any(each.status != "qualified" for _, each in found)))


class _Outcome(NamedTuple):
    """The outcome of a stage for a trial's file in a tree; the error is empty if it succeeded."""

    team: str
    character: str
    trial: int
    error: str


def _over_tree(root: Path, stage: str, do: Callable[[Path, Path], str]) -> list[_Outcome]:
    """Runs a stage for each of the trials' files.

    Arguments:
        root: the root of the tree.
        stage: the stage whose files are read.
        do: takes the file and its team's folder, and returns the error, or an empty text.
    """
    done = []
    for team, character, number, path in files.trial_files(root, stage):
        try:
            error = do(path, root / team)
        except BadInput as exc:
            error = exc.problem
        done.append(_Outcome(team, character, number, error))
    if not done:
        raise BadInput(f"has no files of the stage {stage}", source=str(root))
    return done


def _answer_tree(ctx: click.Context, as_json: bool, done: list[_Outcome]) -> None:
    failed = [each for each in done if each.error]
    table: Part = (
        ("team", "letter", "trial", "error"),
        [(each.team, each.character, str(each.trial), each.error) for each in failed],
    )
    summary = f"{len(done) - len(failed)} of {len(done)} trials done"
    document = {"trials": [each._asdict() for each in done]}
    answer(as_json, document, *([table] if failed else []), summary)
    ctx.exit(int(bool(failed)))


@pcg.command()
@click.argument("path", type=PATH, metavar="FILE")
@edition_option(default="2023", show_default=True)
@tree_option
@json_option
@click.pass_context
def extract(ctx: click.Context, path: Path, edition: Edition, tree: bool, as_json: bool) -> None:
    """Extract the program from a model's response: the calls in its last code block.

    With --tree, reads the stage raw and writes the stage intermediate. The exit code is 1 if a
    response has no program.
    """

    def do(file: Path, team: Path) -> str:
        found = extraction_of(files.read_answer(file), edition)
        if found.code is not None:
            write(team / "intermediate" / file.parent.name / file.name, found.code)
        return found.reason

    if tree:
        _answer_tree(ctx, as_json, _over_tree(path, "raw", do))
    found = extraction_of(files.read_answer(path), edition)
    lines = [f"{path}: {found.reason}"] if found.code is None else found.code.splitlines()
    answer(as_json, {"code": found.code}, *lines)
    ctx.exit(int(found.code is None))


@pcg.command()
@click.argument("path", type=PATH, metavar="FILE")
@click.option("--out", type=PATH, metavar="XML", help="Write the level into this file.")
@edition_option(default="2023", show_default=True)
@tree_option
@json_option
@click.pass_context
def level(
    ctx: click.Context, path: Path, out: Path | None, edition: Edition, tree: bool, as_json: bool
) -> None:
    """Make a level from a program, as an XML file for Science Birds.

    With --tree, reads the stage intermediate and writes the stage levels. The exit code is 1 if a
    program breaks the grid's rules.
    """

    def do(file: Path, team: Path) -> str:
        try:
            made = to_xml(build(files.read_answer(file), edition))
        except BrokenProgram as exc:
            return str(exc)
        write(team / "levels" / file.parent.name / f"{file.stem}.xml", made)
        return ""

    if tree:
        _answer_tree(ctx, as_json, _over_tree(path, "intermediate", do))
    try:
        built = build(files.read_answer(path), edition)
    except BrokenProgram as exc:
        if as_json:
            answer(True, {"xml": None, "error": exc.message, "line": exc.line, "why": str(exc)})
        else:
            click.echo(f"loebner: {path}, {exc}", err=True)
        ctx.exit(1)
    made = to_xml(built)
    if not built.blocks and not as_json:
        say(f"{path}: no line begins with {edition.function}(; the level is empty", err=True)
    if out is not None:
        write(out, made)
    words = made if out is None else f"{out}: {counted(len(built.blocks), 'block')}"
    answer(as_json, {"xml": made, "error": None, "blocks": len(built.blocks)}, *words.split("\n"))


def _blocks(path: Path) -> tuple[Block, ...]:
    return read_xml(read_bytes(path, FILE_LIMIT), str(path))


@pcg.command()
@click.argument("path", type=PATH, metavar="XML_OR_DIR")
@engine_option
@click.option("--blocks", is_flag=True, help="Also show how far each block moved.")
@tree_option
@json_option
@click.pass_context
def stability(
    ctx: click.Context, path: Path, engine: str | None, blocks: bool, tree: bool, as_json: bool
) -> None:
    """Simulate levels for ten seconds, and report the share of blocks that stay in place.

    With --tree, reads the stage levels and writes the stage stability. The exit code is 1 if a file
    in the folder is not a level; the others are still simulated.
    """
    from disciplines.chatgpt4pcg.physics import stability as stability_of

    if tree:
        _stability_of_tree(ctx, path, engine, as_json)
    levels: list[dict[str, Any]] = []
    rows = []
    for file in _levels(path):
        row: dict[str, Any] = dict.fromkeys(("score", "starting", "moving"))
        try:
            found = stability_of(_blocks(file), engine)
            row |= {name: getattr(found, name) for name in row}
            row |= {"distances": found.distances} if blocks else {}
            words = (f"{found.score:.4f}", f"{found.moving} of {found.starting}")
            far = " ".join(f"{distance:.3f}" for distance in found.distances) if blocks else ""
        except BadInput as exc:
            if not path.is_dir():
                raise
            row["error"] = exc.problem
            words, far = ("-", "-"), exc.problem
        levels.append({"file": str(file)} | row)
        rows.append((str(file), *words, far))
    head = ("level", "stability", "moved", "how far each, in units" if blocks else "")
    answer(as_json, {"levels": levels}, (head, rows))
    ctx.exit(int(any("error" in each for each in levels)))


def _stability_of_tree(ctx: click.Context, root: Path, engine: str | None, as_json: bool) -> None:
    from disciplines.chatgpt4pcg.physics import stability as stability_of

    measured: dict[Path, dict[str, tuple[float, int, int]]] = defaultdict(dict)

    def do(file: Path, team: Path) -> str:
        found = stability_of(_blocks(file), engine)
        tag = file.relative_to(root.parent).as_posix()
        measured[team / "stability" / f"{file.parent.name}.json"][tag] = found[:3]
        return ""

    done = _over_tree(root, "levels", do)
    for file, rows in measured.items():
        write(file, json.dumps(files.stability_document(rows), indent=2))
    _answer_tree(ctx, as_json, done)


def _levels(path: Path) -> Iterator[Path]:
    if not path.is_dir():
        yield path
        return
    found = sorted(path.rglob("*.xml"))
    if not found:
        raise BadInput("has no levels (*.xml)", source=str(path))
    yield from found


@pcg.command()
@click.argument("path", type=PATH, metavar="XML")
@click.option(
    "--out",
    type=PATH,
    metavar="PNG",
    help="Write the picture to this file; required without --tree.",
)
@click.option(
    "--drawing", is_flag=True, help="Draw it for people: before and after, with numbered blocks."
)
@engine_option
@tree_option
@json_option
@click.pass_context
def picture(
    ctx: click.Context,
    path: Path,
    out: Path | None,
    drawing: bool,
    engine: str | None,
    tree: bool,
    as_json: bool,
) -> None:
    """Draw a level as the classifier sees it: black blocks on white, after ten seconds.

    With --tree, reads the stage levels and writes the stage images; a drawing for people is saved
    next to each image, as `_raw.png`.
    """
    from disciplines.chatgpt4pcg import picture as pictures
    from disciplines.chatgpt4pcg.physics import stability as stability_of

    def do(file: Path, team: Path) -> str:
        found = stability_of(_blocks(file), engine)
        image = team / "images" / file.parent.name / f"{file.stem}.png"
        write(image, pictures.as_png(pictures.silhouette(found.after)))
        beside = image.with_name(f"{file.stem}_raw.png")
        write(beside, pictures.as_png(pictures.before_and_after(found)))
        return ""

    if tree:
        _answer_tree(ctx, as_json, _over_tree(path, "levels", do))
    if out is None:
        raise click.UsageError("give the picture's file with --out PNG")
    found = stability_of(_blocks(path), engine)
    image = pictures.before_and_after(found) if drawing else pictures.silhouette(found.after)
    write(out, pictures.as_png(image))
    document = {
        "file": str(path),
        "picture": str(out),
        "width": image.width,
        "height": image.height,
    }
    answer(as_json, document, f"{out}: {image.width} x {image.height} pixels")


@pcg.command()
@click.argument("path", type=PATH, metavar="DIR_OR_TRIALS")
@edition_option(required=True)
@click.option(
    "--out", type=PATH, metavar="DIR", required=True, help="The directory for the results."
)
@click.option("--letters", metavar="TEXT", help="The target letters. Default: A to Z.")
@click.option(
    "--trials",
    type=click.IntRange(1, 10_000),
    help="The number of trials of each letter. Default: 10.",
)
@click.option(
    "--prompts", type=PATH, metavar="DIR", help="The prompts; the one with fewer words wins a tie."
)
@click.option(
    "--baseline", multiple=True, metavar="TEAM", help="A team that is scored but not ranked."
)
@click.option(
    "--ineligible", multiple=True, metavar="TEAM", help="A team that is ranked but can't win."
)
@json_option
def score(
    path: Path,
    edition: Edition,
    out: Path,
    letters: str | None,
    trials: int | None,
    prompts: Path | None,
    baseline: tuple[str, ...],
    ineligible: tuple[str, ...],
    as_json: bool,
) -> None:
    """Compute weights, scores and ranks of all teams, and write the four official files.

    DIR_OR_TRIALS is an official folder tree, or a table of trials as CSV: teamName, character,
    trial, stabilityScore, similarityScore, and diversityScore from 2024 on.
    """
    from disciplines.chatgpt4pcg import scoring
    from disciplines.chatgpt4pcg.level import decimal_text

    edition = dataclasses.replace(
        edition, letters=letters or edition.letters, trials=trials or edition.trials
    )
    if len(set(edition.letters)) != len(edition.letters):
        raise BadInput("has a letter twice", source="--letters")
    teams, measured, problems = files.read(path, edition)
    statuses = {name: Entrant(name, "baseline") for name in baseline}
    statuses |= {name: Entrant(name, "ineligible") for name in ineligible}
    words: dict[str, int] | None = None
    for name, file in files.entries(prompts) if prompts is not None else ():
        found = qualification_of(files.read_answer(file), edition)
        words = (words or {}) | {name: found.words}
        if found.status == "disqualified" and name not in teams:
            statuses[name] = Entrant(name, "disqualified", found.reason)
        elif name not in teams:
            problems.append(files.Problem(name, "", "has a prompt and no trials; it is left out"))
    for name in (*baseline, *ineligible):
        if name not in teams:
            raise BadInput(f"there is no team {name!r}", source=str(path))
    scores = scoring.score(measured, edition, teams)
    places = scoring.places(scores, edition, statuses.values(), words)
    texts = files.result_texts(scores, places, edition)
    for name, text in texts.items():
        write(out / name, text)
    rows, documents = [], []
    for place in places:
        documents.append(document := files.place_document(place, scores))
        norm, prompt = document["score"], document["prompt_score"]
        rank = "-" if place.rank is None else f"{place.rank}{' (shared)' * place.tied}"
        note = place.reason or ("winner" if place.wins else place.status.replace("ranked", ""))
        shown = f"{float(norm):.4f}" if norm else "-"
        rows.append((rank, place.name, shown, f"{float(prompt):.6f}" if prompt else "-", note))
    document = {
        "competition": decimal_text(scores.competition),
        "teams": documents,
        "problems": [problem._asdict() for problem in problems],
        "files": [str(out / name) for name in texts],
    }
    said = [f"{' '.join(problem[:2]).strip()}: {problem.what}" for problem in problems]
    table: Part = (("rank", "team", "normalized", "prompt score", "note"), rows)
    answer(as_json, document, table, *said, f"written to {out}")


pcg.add_command(
    new_command(
        "chatgpt4pcg",
        "a commented contest.toml and a sample prompt",
        "put the prompts into {folder}/prompts, choose in contest.toml which model answers them, "
        "then run `loebner pcg run {folder}`",
    )
)


@pcg.command()
@contest_argument
@stage_option("qualify, plan, collect, extract, measure, score, rank or report")
@click.option("--failed", is_flag=True, help="Ask again only for the answers that failed.")
@json_option
def run(contest: Path, repeat_from: str, failed: bool, as_json: bool) -> None:
    """Hold the contest of the folder CONTEST, from its prompts to the results page.

    A stopped run continues with the trial at which it stopped. The results are in CONTEST/result,
    and the official folder tree is in CONTEST/trials.
    """
    if repeat_from and failed:
        raise click.UsageError("choose one of --from and --failed")
    _play(contest, "collect" if failed else repeat_from, as_json, failed)


@pcg.command()
@demo_option("pcg-demo")
@json_option
def demo(folder: Path, as_json: bool) -> None:
    """Hold a small contest of bundled prompts offline; a bundled program answers them.

    A stopped demo continues where it left off.
    """
    from disciplines.chatgpt4pcg import answering
    from disciplines.folders import prepare

    program = Path(answering.__file__).as_posix()
    words = f'"{Path(sys.executable).as_posix()}" -IS "{program}" {{seed}}'
    prepare("chatgpt4pcg", folder, "demo", command=json.dumps(words, ensure_ascii=False))
    _play(folder, "", as_json)


def _play(folder: Path, repeat_from: str, as_json: bool, failed: bool = False) -> None:
    from disciplines import page
    from disciplines.chatgpt4pcg.run import play

    document, head = play(folder, repeat_from, _Progress(), failed)
    rows = [
        (
            "-" if each["rank"] is None else f"{each['rank']}{' (shared)' * each['tied']}",
            each["name"],
            "-" if each["score"] is None else f"{float(each['score']):.4f}",
            each["why"],
        )
        for each in document["ranking"]
    ]
    zeros = len(document["zeros"])
    said = [document["unofficial"]] if document["unofficial"] else []
    said += [f"{zeros} trials score 0; {page.PAGE} gives the reason for each"] if zeros else []
    table: Part = (("rank", "team", "score", "note"), rows)
    show_result(as_json, folder, (document, head), table, *said)


class _Progress:
    """Reports on standard error how far a stage has come: every few seconds, and at its end."""

    def __init__(self) -> None:
        self._said = time.monotonic()

    def __call__(self, stage: str, done: int, of: int) -> None:
        if done == of or time.monotonic() - self._said >= 5:
            self._said = time.monotonic()
            say(f"{stage}: {done} of {of}", err=True)
