"""The result of screening as one self-contained page: no script, nothing from outside."""

from __future__ import annotations

import base64
import hashlib
from importlib.resources import files
from typing import Any

from markupsafe import Markup

from contest.pages import render
from contest.screening.marking.scale import written
from contest.screening.ranking import Scored
from contest.screening.result import Result


def page(result: Result, title: str = "Selection of the finalists") -> str:
    """The page.

    Arguments:
        result: the result of screening.
        title: what it is called.

    Returns:
        A whole HTML document; what programs and people typed is text in it.
    """
    css = files("contest").joinpath("screening", "templates", "ranking.css").read_text("utf-8")
    digest = base64.b64encode(hashlib.sha256(css.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    parts: dict[str, Any] = {
        "title": title,
        "policy": policy,
        "css": Markup(css),
        "words": result.ranking.words,
        "items": result.ranking.items,
        "rows": [_row(result, row.scored) | _place(row) for row in result.ranking.rows],
        "controls": [_row(result, each) for each in result.controls],
        "published": any(row.scored.published is not None for row in result.ranking.rows),
        "questions": _questions(result),
        "talks": result.talks,
    }
    return render("screening/ranking.html", parts)


def _place(row: Any) -> dict[str, Any]:
    published = row.scored.published
    return {
        "place": f"{row.place}{' =' if row.tied else ''}",
        "fate": {True: "finalist", False: "", None: "tied at the cut"}[row.finalist],
        "published": "" if published is None else written(published),
        "wrong": row.wrong,
        "published_place": row.published_place,
    }


def _row(result: Result, scored: Scored) -> dict[str, Any]:
    return {
        "entry": scored.entry,
        "name": result.names.get(scored.entry, ""),
        "total": written(scored.total),
        "marks": [(item, written(scored.marks[item])) for item in result.ranking.items],
    }


def _questions(result: Result) -> list[dict[str, Any]]:
    """Each item with all answers and their marks; empty for a table from elsewhere."""
    subjects = [row.scored for row in result.ranking.rows] + list(result.controls)
    found = []
    for item, (text, key) in result.questions.items():
        answers = []
        for scored in subjects:
            behind = result.behind[scored.entry, item]
            settled = behind.settled
            answers.append(
                {
                    "entry": scored.entry,
                    "mark": written(scored.marks[item]),
                    "answer": behind.answer,
                    "belonging": behind.belonging if behind.belonging != behind.answer else "",
                    "marks": [(who, written(mark)) for who, mark in behind.marks.items()],
                    "settled": ""
                    if settled is None
                    else f"settled as {written(settled.mark)} by {settled.by}: {settled.reason}",
                }
            )
        found.append({"item": item, "text": text, "key": key, "answers": answers})
    return found
