"""A paper against the seed that it says it was made from."""

from __future__ import annotations

import re
from collections.abc import Mapping

from contest.errors import BadOrder
from contest.screening.papers import BETWEEN_LIMIT, SETS, Counts, Paper, Question, make
from contest.verification.findings import several

_OF_TEMPLATES = re.compile(rf"({'|'.join(SETS)})-[1-9][0-9]{{0,4}}")


def in_words(paper: Paper) -> str:
    """What a paper holds, and how much of it its seed makes here.

    That a question is another one is no fault: papers may be changed before they are set, and
    later versions of this program have other templates.
    """
    said = several(len(paper.questions), "question")
    if paper.seed is None:
        return said
    of_templates = [each for each in paper.questions if _OF_TEMPLATES.fullmatch(each.id)]
    other = others(paper)
    own = len(paper.questions) - len(of_templates)
    same = len(of_templates) - len(other)
    said += f", {same} of them with their keys as seed {paper.seed} makes them"
    said += f", {len(other)} otherwise" * bool(other)
    return said + f", {own} added" * bool(own)


def others(paper: Paper) -> list[str]:
    """The questions with the id of a template that the paper's seed makes otherwise, by text or
    key; of all numbers of items between statement and question the one that fits best.

    Arguments:
        paper: one with a seed.
    """
    given = {each.id: each for each in paper.questions if _OF_TEMPLATES.fullmatch(each.id)}
    counts = {name: sum(id_.startswith(f"{name}-") for id_ in given) for name in SETS}
    best = list(given)
    # The usual number first; what is told does not matter where nobody is asked about it.
    between = sorted(range(BETWEEN_LIMIT + 1), key=lambda number: number != Counts().between)
    for number in between if counts["memory"] else between[:1]:
        try:
            made = make(paper.seed or 0, Counts(**counts, between=number), paper.facts)
        except BadOrder:
            return best
        best = min(best, _differing(given, made), key=len)
        if not best:
            break
    return best


def _differing(given: Mapping[str, Question], made: Paper) -> list[str]:
    here = {each.id: each for each in made.questions}
    return [
        id_ for id_, each in given.items() if id_ not in here or _said(each) != _said(here[id_])
    ]


def _said(question: Question) -> tuple[object, ...]:
    return question.set, question.text, question.key, question.about
