"""A season whose entries have sat a paper, to be marked."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from contest.rehearsal.loop import run
from contest.screening.asking.ask import Subject, ask
from contest.screening.asking.paperset import set_paper
from contest.screening.papers import Key, Paper, Question
from contest.screening.season import Season
from lpp.pace import Pace
from tests.contest.screening.asking.subjects import (
    Life,
    Quiet,
    answers,
    begin,
    new_contest,
    opened,
    silent,
    way,
)

CAT = Question("things-1", "things", "What says meow?", Key(("cat",), explanation="a cat"))
DOG = Question("things-2", "things", "What says woof?", Key(("dog",), explanation="a dog"))
LIVES: dict[str, Life] = {
    "E1": answers(lambda line: "A cat." if "meow" in line else "A dog."),
    "E2": answers(lambda line: "A cat."),
    "E3": silent,
    "E4": answers(lambda line: "=HYPERLINK(<b>1</b>)"),
}


@contextmanager
def sat(place: Path) -> Iterator[Season]:
    """A season in which four entries and a human have sat a paper of two questions, while the
    context is open.

    Arguments:
        place: the contest's folder, to be made.
    """
    with opened(new_contest(place)) as made:
        begin(made, list(LIVES))
        what = set_paper(made, Paper(None, (CAT, DOG)), {}, typing_seed=1)
        people: dict[str, Life] = {**LIVES, "H1": LIVES["E1"]}
        subjects = [Subject(id_, "x {dir}", human=id_ == "H1") for id_ in people]
        run(ask(made, what, subjects, way(people, 5, Pace(0.01, 0, 0, 0, 0)), Quiet()))
        yield made
