"""The season's pages of the board: register, compliance, who goes on, and the forms that write what
comes in and what is seen when it is tested. What a form does, `loebner screen` does likewise.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, Protocol, TypeAlias

from starlette.requests import Request
from starlette.responses import Response

from contest.board.season_checklist import Checklist
from contest.board.season_fields import BY, Faulty, Typed, stamp
from contest.board.season_register import Change, New, Turn
from contest.board.season_writing import Hand
from contest.doors.entrance import (
    Entrance,
    Refused,
    back_to,
    checked_form,
    read_form,
)
from contest.doors.sessions import MOST, Session
from contest.errors import (
    BadOrder,
    ContestError,
    InUse,
    Surroundings,
    WrongMoment,
    YoursToFix,
)
from contest.pages import respond
from contest.screening.compliance import State, turn
from contest.screening.register import WAYS, Register
from contest.screening.season import bodies, read
from contest.screening.selecting import assessments_of, selection_of
from contest.screening.selection import Fate, Selection
from contest.setup import settings
from contest.setup.rules import RULES

#: Where the pages stand on the board.
PAGE = "/season"
#: Bytes of a form: the document of check-bot, or long names in any writing.
FORM_LIMIT = 262_144

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

Page: TypeAlias = Callable[[Request, Session], Awaitable[Response]]


class Step(Protocol):
    """A form that writes: what it shows, what is wrong with it, what it does."""

    @property
    def template(self) -> str:
        """The page's."""

    def page(self, folder: Path, id_: str, typed: Typed | None, wrong: Typed) -> dict[str, Any]:
        """What the page shows.

        Arguments:
            folder: the contest's folder.
            id_: the entry's; empty for one that is not in the register yet.
            typed: the form as it was sent; None for one that is opened.
            wrong: field to what is wrong with it.

        Raises:
            ContestError: if there is no such entry, or the record can't be read.
        """

    def wrong(self, folder: Path, id_: str, typed: Typed) -> dict[str, str]:
        """Field to what is wrong with it; errors as of `page`."""

    def take(self, hand: Hand, folder: Path, id_: str, typed: Typed) -> tuple[str, str]:
        """Writes it.

        Returns:
            The entry's id, and what is to be said.

        Raises:
            ContestError: if it is not written.
        """


#: The forms: an entry that has come in, and what is done with one.
NEW: Step = New()
STEPS: Mapping[str, Step] = {
    "change": Change(),
    "test": Checklist(),
    "withdraw": Turn(back=False),
    "restore": Turn(back=True),
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
        self._hand = Hand(folder)
        #: The form's token of a session to the name that was given last, for the next form.
        self._names: dict[str, str] = {}

    def routes(self) -> Mapping[str, Page]:
        """Address to page, under the board's own."""
        return {
            PAGE: self._overview,
            f"{PAGE}/new": self._open,
            f"{PAGE}/{{entry}}": self._entry,
            f"{PAGE}/{{entry}}/{{step}}": self._open,
        }

    def forms(self, way: Entrance) -> Mapping[str, Callable[[Request], Awaitable[Response]]]:
        """Address to what takes a form there.

        Arguments:
            way: knows who is logged in; what somebody has typed who was logged out meanwhile is
                given back.
        """

        async def take(request: Request) -> Response:
            session = way.session(request)
            if session is not None:
                return await self._take(request, session)
            try:
                typed = await read_form(request, FORM_LIMIT)
            except Refused:
                return back_to("/login")
            return _given_back(request, typed, "", 401)

        return {f"{PAGE}/new": take, f"{PAGE}/{{entry}}/{{step}}": take}

    async def _overview(self, _request: Request, session: Session) -> Response:
        try:
            context = await asyncio.to_thread(overview, self._folder)
        except ContestError as exc:
            # Said in the page: the rest of the board has nothing to do with it.
            context = {"trouble": str(exc), "words": (), "rows": (), "counts": (), "next": ""}
        return self._show("season.html", PAGE, session, **context)

    async def _entry(self, request: Request, session: Session) -> Response:
        try:
            context = await asyncio.to_thread(entry, self._folder, _id(request))
        except ContestError as exc:
            session.said = (str(exc), False)
            return back_to(PAGE)
        return self._show("season_entry.html", PAGE, session, **context)

    async def _open(self, request: Request, session: Session) -> Response:
        return await self._form(request, session, None)

    async def _take(self, request: Request, session: Session) -> Response:
        step, id_ = _step(request), _id(request)
        typed: Typed = {}
        try:
            typed = await checked_form(request, session, FORM_LIMIT)
            if step is None:
                return await self._form(request, session, typed)
            if "check" in typed:
                wrong = await asyncio.to_thread(step.wrong, self._folder, id_, typed)
                return await self._form(request, session, typed, wrong=wrong)
            at, said = await asyncio.to_thread(step.take, self._hand, self._folder, id_, typed)
        except Refused as exc:
            return await self._form(request, session, exc.form or None, str(exc), status=exc.status)
        except Faulty as exc:
            return await self._form(request, session, typed, str(exc), exc.faults, 400)
        except ContestError as exc:
            return await self._form(request, session, typed, str(exc), status=_status(exc))
        self._remember(session, typed.get(BY.name, ""))
        session.said = (f"{said[0].upper()}{said[1:]}.", True)
        return back_to(f"{PAGE}/{at}")

    async def _form(
        self,
        request: Request,
        session: Session,
        typed: Typed | None,
        trouble: str = "",
        wrong: Typed = MappingProxyType({}),
        status: int = 200,
    ) -> Response:
        """The page of a form, with all that was typed."""
        step, id_ = _step(request), _id(request)
        try:
            if step is None:
                raise BadOrder("there is no such form")
            context = await asyncio.to_thread(step.page, self._folder, id_, typed, wrong)
        except Surroundings as exc:
            if typed:
                return _given_back(request, typed, str(exc), 500)
            session.said = (str(exc), False)
            return back_to(PAGE)
        except ContestError as exc:
            session.said = (trouble or str(exc), False)
            return back_to(PAGE)
        answer = self._show(
            step.template,
            PAGE,
            session,
            address=request.url.path,
            trouble=f"{trouble[:1].upper()}{trouble[1:]}",
            checked=typed is not None and not trouble,
            known=self._names.get(session.form, "") if typed is None else "",
            **context,
        )
        answer.status_code = status
        return answer

    def _remember(self, session: Session, name: str) -> None:
        self._names.pop(session.form, None)
        while len(self._names) >= MOST:
            self._names.pop(next(iter(self._names)))
        self._names[session.form] = name


def _step(request: Request) -> Step | None:
    if "entry" not in request.path_params:
        return NEW
    return STEPS.get(request.path_params["step"])


def _given_back(request: Request, typed: Typed, trouble: str, status: int) -> Response:
    """What was typed, where its form can't be shown."""
    context = {
        "address": request.url.path,
        "trouble": trouble,
        "typed": [(name, text) for name, text in typed.items() if name not in ("form", "check")],
    }
    return respond("board/season_away.html", context, secret=True, status=status)


def _status(exc: ContestError) -> int:
    if isinstance(exc, YoursToFix):
        return 400
    return 409 if isinstance(exc, (WrongMoment, InUse)) else 500


def _id(request: Request) -> str:
    return str(request.path_params.get("entry", ""))[:100]


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
        "next": _next(selection),
        "rows": [(row, row.assessment.entry.form, FATES[row.fate]) for row in selection.rows],
        "counts": [(fates.count(fate), fate.value) for fate in Fate if fate in fates],
    }


def _next(selection: Selection) -> str:
    """Which entry is to be tested next, in the order of receipt; empty if none is."""
    waiting = [row for row in selection.rows if row.fate is Fate.OPEN]
    return min(waiting, key=lambda row: turn(row.assessment.entry)).id if waiting else ""


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
        "Posted": stamp(form.posted, form.posted_at),
        "Proof": f"{form.service} {form.proof}".strip(),
        "Received": stamp(form.received, form.received_at),
        "Way": f"{form.way}: {WAYS[form.way]}",
        "Media": form.media,
        "Platforms": ", ".join(form.platforms),
        "Testing date": "" if form.testing is None else stamp(form.testing, form.testing_at),
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
