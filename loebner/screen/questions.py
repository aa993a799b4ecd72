"""`loebner screen questions`: make a paper of screening questions, or check own ones."""

from __future__ import annotations

import json
import secrets
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from contest.screening.papers import Facts, Paper, Question

_TITLES = {
    "time": "Time",
    "things": "Things",
    "relations": "Relationships",
    "memory": "Memory",
}


@click.command()
@click.argument("contest", required=False, type=click.Path(path_type=Path), metavar="[CONTEST]")
@click.option("--seed", type=int, metavar="N", help="The same N gives the same paper.")
@click.option("--time", type=int, default=5, metavar="N", help="Questions on time; 5.")
@click.option("--things", type=int, default=5, metavar="N", help="Questions on things; 5.")
@click.option("--relations", type=int, default=5, metavar="N", help="On relationships; 5.")
@click.option("--memory", type=int, default=5, metavar="N", help="Questions of memory; 5.")
@click.option(
    "--between",
    type=int,
    default=2,
    metavar="N",
    help="Items between a statement and the questions about it, at least; 2.",
)
@click.option(
    "--add", type=click.Path(path_type=Path), multiple=True, help="A file of own questions, too."
)
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    help="Write the paper there, with its answer key, for `ask` and `mark`.",
)
@click.option("--key", is_flag=True, help="Show the answers, too.")
@click.option("--json", "as_json", is_flag=True, help="Print a JSON document and nothing else.")
@click.option(
    "--check",
    type=click.Path(path_type=Path),
    help="Check a file of questions instead: its faults, and words no child knows.",
)
@click.pass_context
def questions(
    ctx: click.Context,
    contest: Path | None,
    seed: int | None,
    time: int,
    things: int,
    relations: int,
    memory: int,
    between: int,
    add: tuple[Path, ...],
    out: Path | None,
    key: bool,
    as_json: bool,
    check: Path | None,
) -> None:
    """Make a paper of questions on time, things, relationships and memory.

    The facts are those of CONTEST's `[screening]`, else those of the rules of 2010. Without --seed
    one is drawn; the paper says which. No answer is shown without --key. With --check, the exit
    code is 1 if anything is wrong with the file.
    """
    from contest.screening import papers

    if check is not None:
        _check(ctx, check, as_json)
        return
    facts = _facts(contest)
    chosen = secrets.randbelow(10**6) if seed is None else seed
    counts = papers.Counts(time, things, relations, memory, between)
    paper = papers.make(chosen, counts, facts)
    for file in add:
        paper = papers.joined(paper, papers.read(file, facts).questions)
    if not paper.questions:
        raise click.UsageError("a paper without questions; ask for one at least")
    if out is not None:
        papers.write(paper, out)
    if as_json:
        click.echo(json.dumps(_json(paper, key), indent=2, ensure_ascii=False))
        return
    _say(paper, key)
    if out is not None:
        click.echo(f"\nwritten to {out}, with the answer key: keep it to yourself")


def _facts(contest: Path | None) -> Facts:
    from contest.screening.papers import Facts
    from contest.setup import settings

    return Facts() if contest is None else Facts.of(settings.load(contest).screening)


def _check(ctx: click.Context, file: Path, as_json: bool) -> None:
    from contest.screening import papers

    faults = papers.check(file)
    if as_json:
        document = {"file": str(file), "valid": not faults, "faults": faults}
        click.echo(json.dumps(document, indent=2, ensure_ascii=False))
    else:
        for fault in faults:
            click.echo(fault)
        if not faults:
            click.echo(f"{file}: nothing is wrong")
    if faults:
        ctx.exit(1)


def _say(paper: Paper, key: bool) -> None:
    click.echo(f"Paper of the seed {paper.seed}: {len(paper.questions)} questions")
    before = ""
    for number, question in enumerate(paper.questions, 1):
        if question.set != before:
            click.echo(f"\n{_TITLES[question.set]}")
            before = question.set
        for line in question.tells:
            click.echo(f"      (say) {line}")
        click.echo(f"  {number:>2}. {question.text}")
        if key:
            click.echo(f"      = {_answer(question)}")


def _answer(question: Question) -> str:
    from contest.screening.moments import said

    rule = question.key.rule
    if rule is not None:
        return said(rule)
    full = " / ".join(question.key.words).replace(" ... ", " … ")
    half = " / ".join(question.key.half).replace(" ... ", " … ")
    return f"{full}{f'; half: {half}' if half else ''}  ({question.key.explanation})"


def _json(paper: Paper, key: bool) -> dict[str, Any]:
    facts = paper.facts
    listed = []
    for question in paper.questions:
        one: dict[str, Any] = {"id": question.id, "set": question.set}
        one |= {"tells": list(question.tells), "text": question.text}
        if key:
            of = question.key
            one["about"] = question.about
            one["key"] = {
                "words": list(of.words),
                "half": list(of.half),
                "wrong": list(of.wrong),
                "explanation": of.explanation,
                "rule": of.rule.name if of.rule else None,
                "number": of.rule.number if of.rule else None,
            }
        listed.append(one)
    return {
        "seed": paper.seed,
        "facts": {
            "start": facts.start.isoformat(),
            "rounds": facts.rounds,
            "round_minutes": facts.round_minutes,
            "clock_minutes": facts.clock_minutes,
        },
        "questions": listed,
    }
