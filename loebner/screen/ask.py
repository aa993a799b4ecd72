"""`loebner screen ask`: a paper of questions to each entry, over LPP."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from loebner.screen.telling import json_option, print_json, print_table, said

if TYPE_CHECKING:
    from contest.screening.asking.ask import Subject
    from contest.screening.asking.hearing import Heard
    from contest.screening.asking.paperset import Asked
    from contest.screening.papers import Paper
    from contest.screening.season import Season

#: Why an answer was not waited for any longer, as a line of progress says it.
_HOW = {
    "quiet": "answered",
    "too-long": "went on for too long",
    "silent": "no answer",
    "died": "its program died",
}


@click.command()
@click.argument("contest", type=click.Path(path_type=Path))
@click.option(
    "--paper", type=click.Path(path_type=Path), metavar="FILE", help="A paper of `questions --out`."
)
@click.option("--seed", type=int, metavar="N", help="A paper of templates, made from N.")
@click.option("--only", metavar="E1,E2", default="", help="Only these of those that are screened.")
@click.option(
    "--side-by-side",
    type=click.IntRange(1, 200),
    default=4,
    show_default=True,
    metavar="N",
    help="Entries that are asked at once.",
)
@click.option("--resume", is_flag=True, help="Only go on with those that a break cut off.")
@click.option(
    "--by-hand",
    nargs=2,
    multiple=True,
    metavar="ID DIR",
    help="Somebody starts this entry, in DIR.",
)
@click.option(
    "--control",
    nargs=2,
    multiple=True,
    metavar="ID DIR",
    help="A human sits the paper, with `loebner confederate --dir DIR`; ID such as H1.",
)
@click.option(
    "--time",
    "times",
    nargs=2,
    type=(str, float),
    multiple=True,
    metavar="NAME SECONDS",
    help="Set quiet, unfinished, silence, statement, limit or ready, before the first is asked.",
)
@click.option(
    "--speed",
    type=click.FloatRange(0, 600, min_open=True),
    default=1.0,
    help="Seconds in a second; for trying things out.  [default: 1]",
)
@click.option("--show", metavar="ID", help="Ask nobody: print what was said in this one's sitting.")
@json_option
@click.pass_context
def ask(
    ctx: click.Context,
    contest: Path,
    paper: Path | None,
    seed: int | None,
    only: str,
    side_by_side: int,
    resume: bool,
    by_hand: tuple[tuple[str, str], ...],
    control: tuple[tuple[str, str], ...],
    times: tuple[tuple[str, float], ...],
    speed: float,
    show: str | None,
    as_json: bool,
) -> None:
    """Put the same paper to each entry that is screened, as a judge would: typed at a person's
    pace, key by key on record, to a program started afresh.

    The paper is set by the first call. Who was asked to the end is left alone, and who was cut off
    by a break goes on where it was. Exit code 1 if somebody could not be asked to the end.
    """
    if show is not None:
        _show(contest, show, as_json)
        return
    if paper is not None and seed is not None:
        raise click.UsageError("--paper and --seed exclude each other")
    if resume and (paper is not None or seed is not None):
        raise click.UsageError("--resume goes on with the paper that was set; leave the other out")
    from contest.screening.asking.ask import sittings_of, subjects_of
    from contest.screening.asking.paperset import set_paper
    from contest.screening.season import Season, bodies

    with Season(contest) as season:
        kept = list(bodies(season.events()))
        subjects = subjects_of(
            kept,
            season.settings,
            [id_.strip() for id_ in only.split(",") if id_.strip()],
            {id_: Path(place) for id_, place in by_hand},
            {id_: Path(place) for id_, place in control},
        )
        if resume:
            begun = sittings_of(kept, None)
            subjects = [s for s in subjects if s.id in begun and not begun[s.id].ended]
        asked = set_paper(
            season,
            _paper(paper, seed, season),
            {name: round(seconds * 1000) for name, seconds in times},
        )
        failed = _ask(season, asked, subjects, side_by_side, speed, quiet=as_json)
        found = sittings_of(bodies(season.events()), asked)
    if as_json:
        print_json({"failed": failed, "sittings": [_json(each) for each in found.values()]})
    else:
        _table(found, len(asked.paper.questions))
    if failed:
        ctx.exit(1)


def _paper(file: Path | None, seed: int | None, season: Season) -> Paper | None:
    from contest.screening import papers

    facts = papers.Facts.of(season.settings.screening)
    if file is not None:
        return papers.read(file, facts)
    return None if seed is None else papers.make(seed, facts=facts)


def _ask(
    season: Season,
    asked: Asked,
    subjects: Sequence[Subject],
    side_by_side: int,
    speed: float,
    *,
    quiet: bool,
) -> list[str]:
    from bots.entry import wall_clock
    from contest.errors import WrongMoment
    from contest.screening.asking.ask import Way, ask, on_this_machine
    from lpp.clock import LoopClock

    async def run() -> list[str]:
        way = Way(LoopClock(speed), on_this_machine, side_by_side, local=wall_clock(None, speed))
        return await ask(season, asked, subjects, way, _Progress(quiet))

    # Who is told to end ends the entries' programs first, as at Ctrl-C.
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        return asyncio.run(run())
    except KeyboardInterrupt:
        raise WrongMoment(
            "interrupted; what was asked is on record, and the same command goes on"
        ) from None
    finally:
        signal.signal(signal.SIGTERM, before)


class _Progress:
    """A line for each question that is over."""

    def __init__(self, quiet: bool) -> None:
        self._quiet = quiet

    def began(self, subject: str, done: int, of: int) -> None:
        self._say(f"{subject}: begins" + (f" again, {done} of {of} done before" if done else ""))

    def over(self, subject: str, done: int, of: int, how: str) -> None:
        self._say(f"{subject}: {done} of {of}, {_HOW[how]}")

    def ended(self, subject: str) -> None:
        self._say(f"{subject}: all is asked")

    def failed(self, subject: str, why: str) -> None:
        click.echo(said(f"{subject}: could not be asked to the end: {why}"), err=True)

    def _say(self, text: str) -> None:
        if not self._quiet:
            click.echo(said(text))


def _table(found: Mapping[str, Heard], of: int) -> None:
    rows = []
    for each in found.values():
        hows = [answer.how for answer in each.answers.values()]
        late = sum(piece.late for answer in each.answers.values() for piece in answer.pieces)
        rows.append(
            (
                f"{each.subject}{' (human)' if each.human else ''}",
                f"{len(hows)} of {of}{'' if each.ended else ', not ended'}",
                str(hows.count("quiet") + hows.count("too-long")),
                str(hows.count("silent")),
                str(late),
                str(len(each.deaths)),
            )
        )
    print_table(("subject", "asked", "answered", "silent", "late lines", "deaths"), rows)


def _show(contest: Path, subject: str, as_json: bool) -> None:
    from contest.errors import BadOrder
    from contest.screening.asking.ask import sittings_of
    from contest.screening.asking.paperset import needed
    from contest.screening.season import bodies, read
    from scheduler.texts import listed, shown

    kept = list(bodies(read(contest)))
    found = sittings_of(kept, needed(kept))
    if subject not in found:
        raise BadOrder(
            f"{shown(subject)} was not asked; asked: {listed(found) if found else 'nobody'}"
        )
    sitting = found[subject]
    if as_json:
        print_json(_json(sitting))
        return
    for author, text in sitting.talk:
        click.echo(said(f"{'judge' if author == 'judge' else subject}: {text}"))


def _json(found: Heard) -> dict[str, object]:
    return {
        "subject": found.subject,
        "human": found.human,
        "ended": found.ended,
        "starts": found.starts,
        "deaths": list(found.deaths),
        "answers": [
            {
                "question": answer.question,
                "how": answer.how,
                "asked": answer.asked.isoformat(),
                "text": answer.text,
                "belonging": answer.belonging,
                "pieces": [
                    {"text": piece.text, "late": piece.late, "belongs": piece.belongs or None}
                    for piece in answer.pieces
                ],
            }
            for answer in found.answers.values()
        ],
        "talk": [{"author": author, "text": text} for author, text in found.talk],
    }
