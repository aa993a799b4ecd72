"""`loebner screen questions` and `ask`: make a paper of questions, and ask each entry over LPP."""

from __future__ import annotations

import asyncio
import secrets
import signal
from collections.abc import Coroutine
from pathlib import Path
from typing import Any

import click

from bots.entry import wall_clock
from contest.errors import BadOrder, WrongMoment
from contest.screening import paper as papers
from contest.screening.ask import AskingOptions, on_this_machine, set_paper, subjects_of
from contest.screening.ask import ask as ask_all
from contest.screening.questions import Counts, make, words_outside_vocabulary
from contest.screening.season import Season, read
from contest.screening.sitting import Sitting
from contest.screening.state import Asked
from contest.setup import settings
from loebner.options import PATH, Part, answer, json_option, options, say
from loebner.screen.options import separated
from lpp.clock import LoopClock
from scheduler.texts import listed, shown

#: The words for the states in lines of progress.
_HOW = {
    "begins": "begins",
    "ended": "completed",
    "quiet": "answered",
    "too-long": "took too long",
    "silent": "no answer",
    "died": "its program died",
}


#: An option for each number that defines a paper.
_counts = options(
    *(
        click.option(
            f"--{name}",
            type=click.IntRange(0, 1000),
            default=default,
            metavar="N",
            help=f"{words}. Default: {default}.",
        )
        for name, default, words in (
            ("time", 5, "The number of questions about time"),
            ("things", 5, "The number of questions about things"),
            ("relations", 5, "The number of questions about relationships"),
            ("memory", 5, "The number of questions about memory"),
            ("between", 2, "The fewest items between a statement and a question about it"),
        )
    )
)


@click.command()
@click.argument("contest", required=False, type=PATH, metavar="[CONTEST]")
@click.option(
    "--seed",
    type=click.IntRange(0, 2**63 - 1),
    metavar="N",
    help="Random seed: the same N gives the same paper.",
)
@_counts
@click.option("--add", type=PATH, multiple=True, help="Add your own questions from this file.")
@click.option(
    "--out",
    type=PATH,
    help="Write the paper with its answer key to this file, for `ask` and `mark`.",
)
@click.option("--key", is_flag=True, help="Also show the answers.")
@json_option
def questions(
    contest: Path | None,
    seed: int | None,
    add: tuple[Path, ...],
    out: Path | None,
    key: bool,
    as_json: bool,
    **counts: int,
) -> None:
    """Make a paper of questions about time, things, relationships and memory.

    The facts come from `[screening]` of CONTEST, or else from the rules of 2010. Without --seed, a
    random seed is used; the paper names it. Answers are shown only with --key. Words of your own
    questions that are outside the vocabulary are listed on standard error.
    """
    facts = papers.Facts()
    if contest is not None:
        facts = papers.Facts.of(settings.load(contest).screening)
    paper = make(secrets.randbelow(10**6) if seed is None else seed, Counts(**counts), facts)
    for file in add:
        own = papers.read(file, facts).questions
        paper = papers.joined(paper, own)
        for each in own:
            if words := words_outside_vocabulary(" ".join((*each.tells, each.text))):
                say(f"{file}: {each.id}: outside the vocabulary: {', '.join(words)}", err=True)
    if not paper.questions:
        raise click.UsageError("a paper needs at least one question")
    if out is not None:
        papers.write(paper, out)
    shown_, before, document = list[Part](), "", list[object]()
    for number, question in enumerate(paper.questions, 1):
        plain = {name: getattr(question, name) for name in question.__struct_fields__}
        one = {name: plain.pop(name) for name in ("id", "set", "tells", "text")}
        document.append(one | ({"about": plain.pop("about"), "key": plain} if key else {}))
        shown_ += ["", question.set.capitalize()] * (question.set != before)
        shown_ += [f"      (say) {line}" for line in question.tells]
        shown_ += [f"  {number:>2}. {question.text}", *[f"      = {question.key}"] * key]
        before = question.set
    if out is not None:
        shown_ += ["", f"Written to {out} with the answer key: keep it secret"]
    answer(
        as_json,
        {"seed": paper.seed, "facts": paper.facts, "questions": document},
        f"Paper with seed {paper.seed}: {len(paper.questions)} questions",
        *shown_,
    )


@click.command()
@click.argument("contest", type=PATH)
@click.option("--paper", type=PATH, metavar="FILE", help="A paper made by `questions --out`.")
@click.option("--seed", type=int, metavar="N", help="Make the paper from templates, with seed N.")
@click.option("--only", metavar="E1,E2", multiple=True, help="Ask only these screened entries.")
@click.option(
    "--side-by-side",
    type=click.IntRange(1, 200),
    default=4,
    show_default=True,
    metavar="N",
    help="How many entries to ask at once.",
)
@click.option(
    "--by-hand",
    nargs=2,
    multiple=True,
    metavar="ID DIR",
    help="An entry that you start by hand, with its directory DIR.",
)
@click.option(
    "--control",
    nargs=2,
    multiple=True,
    metavar="ID DIR",
    help="A human who takes the paper with `loebner confederate --dir DIR`; ID such as H1.",
)
@click.option(
    "--speed",
    type=click.FloatRange(0, 600, min_open=True),
    default=1.0,
    help="Run this many times faster than real time, for trials.  [default: 1]",
)
@click.option("--show", metavar="ID", help="Only show the sitting of this entry; ask no questions.")
@json_option
@click.pass_context
def ask(
    ctx: click.Context,
    contest: Path,
    paper: Path | None,
    seed: int | None,
    only: tuple[str, ...],
    side_by_side: int,
    by_hand: tuple[tuple[str, str], ...],
    control: tuple[tuple[str, str], ...],
    speed: float,
    show: str | None,
    as_json: bool,
) -> None:
    """Ask each screened entry the same paper as a judge would: typed at a person's pace, to a newly
    started program, and recorded key by key.

    The first call sets the paper. A later call skips entries that have completed it, and continues
    with interrupted ones. Exit code 1 if an entry could not complete it.
    """
    if show is not None:
        state = read(contest)
        asked, sittings = state.require_asked(), state.sittings
        if show not in sittings:
            names = listed(sittings) if sittings else "nobody"
            raise BadOrder(f"{shown(show)} was not asked; asked: {names}")
        says = {"judge": "judge", "entity": show}
        talk = [f"{says[author]}: {text}" for author, text in sittings[show].talk]
        answer(as_json, _as_json(sittings[show], asked), *talk)
        return
    if paper is not None and seed is not None:
        raise click.UsageError("give only one of --paper and --seed")

    with Season(contest) as season:
        subjects = subjects_of(
            season.state,
            separated(only),
            {id_: Path(place) for id_, place in by_hand},
            {id_: Path(place) for id_, place in control},
        )
        facts = papers.Facts.of(season.settings.screening)
        given = papers.read(paper, facts) if paper is not None else None
        asked = set_paper(season, make(seed, facts=facts) if seed is not None else given)
        of = len(asked.paper.questions)

        def progress(subject: str, what: str, done: int) -> None:
            if not as_json:
                say(f"{subject}: {done} of {of}, {_HOW[what]}")

        local = wall_clock(None, speed)
        way = AskingOptions(LoopClock(speed), on_this_machine, side_by_side, local=local)
        failed = _run(ask_all(season, asked, subjects, way, progress))
        found = season.state.sittings
    for id_, why in failed.items():
        say(f"{id_}: could not complete the paper: {why}", err=True)
    rows, documents = [], []
    for each in found.values():
        answers = each.answers(asked.paper).values()
        hows = [one.how for one in answers]
        counts = (len(hows) - hows.count("silent") - hows.count("died"), hows.count("silent"))
        more = (sum(len(one.late) for one in answers), len(each.deaths))
        done = f"{len(hows)} of {of}{'' if each.ended else ', not ended'}"
        rows.append((f"{each.subject}{' (human)' * each.human}", done, *map(str, counts + more)))
        documents.append(_as_json(each, asked))
    head = ("subject", "asked", "answered", "silent", "late lines", "deaths")
    answer(as_json, {"failed": list(failed), "sittings": documents}, (head, rows))
    if failed:
        ctx.exit(1)


def _run(asking: Coroutine[Any, Any, dict[str, str]]) -> dict[str, str]:
    """Asks all entries. SIGTERM ends the entries' programs first, as Ctrl-C does."""
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        return asyncio.run(asking)
    except KeyboardInterrupt:
        raise WrongMoment(
            "interrupted; the answers so far are recorded, and the same command continues"
        ) from None
    finally:
        signal.signal(signal.SIGTERM, before)


def _as_json(found: Sitting, asked: Asked) -> dict[str, object]:
    names = ("subject", "human", "ended", "starts", "deaths")
    return {name: getattr(found, name) for name in names} | {
        "answers": list(found.answers(asked.paper).values()),
        "talk": [{"author": author, "text": text} for author, text in found.talk],
    }
