"""The season's pages of the board: register, compliance, who goes on. To be read; what is written
is written by `loebner screen`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from contest.doors.entrance import back_to
from contest.doors.sessions import Session
from contest.errors import ContestError
from contest.screening.compliance import State
from contest.screening.register import WAYS, Register
from contest.screening.season import bodies, read
from contest.screening.selecting import assessments_of, selection_of
from contest.screening.selection import Fate
from contest.setup import settings
from contest.setup.rules import RULES

#: Where the pages stand on the board.
PAGE = "/season"

#: The shape beside an entry's fate, and beside an answer of its checklist (templates/shapes.html).
FATES: Mapping[Fate, str] = {
    Fate.SCREENED: "done",
    Fate.WAITS: "quiet",
    Fate.OPEN: "open",
    Fate.FAILS: "ended",
    Fate.WITHDRAWN: "away",
}
OUTCOMES: Mapping[str, str] = {
    "pass": "done",
    "fail": "ended",
    "not-applicable": "away",
    "open": "open",
}


class SeasonPages:
    """The season's pages.

    Arguments:
        folder: the contest's folder.
        show: makes a page: template, which page of the board it is, session, context.
    """

    def __init__(self, folder: Path, show: Callable[..., Response]) -> None:
        self._folder = folder
        self._show = show

    def routes(self) -> Mapping[str, Callable[[Request, Session], Awaitable[Response]]]:
        """Address to page, under the board's own."""
        return {PAGE: self._overview, f"{PAGE}/{{entry}}": self._entry}

    async def _overview(self, _request: Request, session: Session) -> Response:
        try:
            context = await asyncio.to_thread(overview, self._folder)
        except ContestError as exc:
            # Said in the page: the rest of the board has nothing to do with it.
            context = {"trouble": str(exc), "words": (), "rows": (), "counts": ()}
        return self._show("season.html", PAGE, session, **context)

    async def _entry(self, request: Request, session: Session) -> Response:
        id_ = request.path_params["entry"][:100]
        try:
            context = await asyncio.to_thread(entry, self._folder, id_)
        except ContestError as exc:
            session.said = (str(exc), False)
            return back_to(PAGE)
        return self._show("season_entry.html", PAGE, session, **context)


def overview(folder: Path) -> dict[str, Any]:
    """What the page of the season shows; reads the record.

    Arguments:
        folder: the contest's folder.

    Raises:
        ContestError: if settings or record can't be used.
    """
    selection = selection_of(bodies(read(folder)), settings.load(folder))
    fates = [row.fate for row in selection.rows]
    return {
        "trouble": "",
        "words": selection.words,
        "rows": [(row, row.assessment.entry.form, FATES[row.fate]) for row in selection.rows],
        "counts": [(fates.count(fate), fate.value) for fate in Fate if fate in fates],
    }


def entry(folder: Path, id_: str) -> dict[str, Any]:
    """What the page of an entry shows; reads the record.

    Arguments:
        folder: the contest's folder.
        id_: the entry's id, as somebody has asked for it.

    Raises:
        BadOrder: if there is no such entry.
        ContestError: if settings or record can't be used.
    """
    kept = list(bodies(read(folder)))
    register = Register()
    for event, body in kept:
        register.take(event, body)
    found = register.find(id_)
    assessment = next(
        each for each in assessments_of(kept, settings.load(folder)) if each.entry.id == found.id
    )
    form = found.form
    facts = {
        "Entrant": form.entrant,
        "Associated": ", ".join(form.individuals),
        "Posted": _stamp(form.posted, form.posted_at),
        "Proof": f"{form.service} {form.proof}".strip(),
        "Received": _stamp(form.received, form.received_at),
        "Way": f"{form.way}: {WAYS[form.way]}",
        "Media": form.media,
        "Platforms": ", ".join(form.platforms),
        "Testing date": "" if form.testing is None else str(form.testing),
        "Agreed on": "" if form.agreed is None else str(form.agreed),
        "Present": "" if form.way == 1 else "yes" if form.present else "no",
        "Command": form.command,
        "Note": form.note,
    }
    return {
        "entry": found,
        "facts": [(name, value) for name, value in facts.items() if value],
        "state": assessment.state.value,
        "mark": {State.COMPLIES: "ok", State.FAILS: "bad"}.get(assessment.state, "warn"),
        "answers": [
            (answer, OUTCOMES[answer.outcome], RULES[answer.item.rule].quoted())
            for answer in assessment.answers
        ],
        "remarks": assessment.remarks,
    }


def _stamp(day: object, time: object) -> str:
    return str(day) if time is None else f"{day} {time}".removesuffix(":00")
