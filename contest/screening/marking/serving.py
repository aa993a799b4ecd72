"""The sheets in markers' browsers: a small server of its own, for as long as marking goes on.

Each marker has a code, printed once where the server was started. A page shows an item with the
answers under letters; nobody sees another's marks. What is marked is on record before the page says
so.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import HTTPConnection, Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from contest.doors import codes
from contest.doors.entrance import Refused, checked_form, read_form
from contest.doors.guard import Guard
from contest.doors.handshake import Porter
from contest.doors.hosts import Hosts
from contest.doors.limits import Crowded, address_of
from contest.doors.sessions import Session, Sessions
from contest.doors.web import serving
from contest.errors import BadOrder, ContestError
from contest.pages import HEADERS, SecurityHeaders, respond, static_route
from contest.pages.headers import SECRET
from contest.screening.forms import one_line
from contest.screening.marking.book import QUALITY, Book, book_in
from contest.screening.marking.scale import written
from contest.screening.marking.sheets import Row, Sheet, sheets_of
from contest.screening.marking.steps import mark
from contest.screening.season import Season

#: Answers on a page: a form of so many fields is what the server takes.
ON_A_PAGE = 30
#: Markers at once, at most.
MOST = 20


@dataclass(frozen=True, slots=True)
class Part:
    """What one page shows: an item, or some of its answers."""

    sheet: Sheet
    rows: tuple[Row, ...]


class Desk:
    """The pages.

    Arguments:
        season: where marks go; open, and nobody else's.
        markers: code's seat, such as M1, to the marker's name.
        issued: seat to the code.
    """

    def __init__(
        self, season: Season, markers: Mapping[str, str], issued: Mapping[str, str]
    ) -> None:
        self._season = season
        self._markers = markers
        self._table = codes.CodeTable(issued)
        self.porter = Porter(hosts=Hosts(season.settings.server.names))
        self._sessions = Sessions()
        book = book_in(season)
        assert book.scale is not None
        self._scale = book.scale
        self._parts = [
            Part(sheet, sheet.rows[start : start + ON_A_PAGE])
            for sheet in sheets_of(season, book)
            for start in range(0, len(sheet.rows), ON_A_PAGE)
        ]

    def app(self) -> Any:
        """The application."""
        routes = [
            Route("/", self._home, methods=["GET"]),
            Route("/login", self._login, methods=["POST"]),
            Route("/logout", self._logout, methods=["POST"]),
            Route("/sheet/{number:int}", self._sheet, methods=["GET"]),
            Route("/sheet/{number:int}", self._save, methods=["POST"]),
            static_route(),
        ]
        guard = Middleware(Guard, limits=self.porter.limits, hosts=self.porter.hosts)
        middleware = [Middleware(SecurityHeaders), guard]
        return Starlette(routes=routes, middleware=middleware)

    # The way in and out

    def _session(self, request: Request) -> Session | None:
        token = request.cookies.get(_cookie(request), "")
        return self._sessions.find(token) if token else None

    async def _login(self, request: Request) -> Response:
        try:
            form = await read_form(request)
        except Refused as exc:
            return self._door(str(exc), exc.status)
        address = address_of(request.client.host if request.client is not None else None)
        kept = {name: text for name, text in form.items() if name != "code"}
        try:
            who = await self.porter.gate.opened(form.get("code", ""), self._table, address)
        except Crowded as exc:
            return self._door(str(exc), 429, kept)
        if who is None:
            return self._door("This is no marker’s code. Look at it again.", 401, kept)
        token = self._sessions.open(who)
        answer = self._after_login(self._sessions.find(token), form)
        answer.set_cookie(
            _cookie(request),
            token,
            httponly=True,
            samesite="strict",
            secure=request.url.scheme == "https",
        )
        return answer

    async def _logout(self, request: Request) -> Response:
        session = self._session(request)
        if session is not None:
            try:
                await checked_form(request, session)
            except Refused as exc:
                return self._door(str(exc), exc.status)
            self._sessions.close(session)
        return _to("/")

    def _after_login(self, session: Session | None, form: Mapping[str, str]) -> Response:
        """The sheets, or the one that somebody was at when he was logged out."""
        number = form.get("sheet", "")
        at = int(number) if number.isascii() and number.isdigit() and len(number) < 9 else 0
        if session is None or not 1 <= at <= len(self._parts):
            return _to("/")
        # What another marker has chosen at this browser is nothing to this one.
        if form.get("marker") != self._markers[session.who]:
            return _to("/")
        return self._show(session, at, "Nothing is saved yet: look at it, and save it", 200, form)

    def _door(
        self, error: str = "", status: int = 200, kept: Mapping[str, str] = MappingProxyType({})
    ) -> Response:
        return respond(
            "screening/mark_login.html",
            {"title": self._season.settings.contest.name, "error": error, "kept": kept},
            secret=True,
            status=status,
        )

    # The sheets

    async def _home(self, request: Request) -> Response:
        session = self._session(request)
        if session is None:
            return self._door()
        book, marker = book_in(self._season), self._markers[session.who]
        parts = []
        for number, part in enumerate(self._parts, 1):
            done = sum(_given(book, part, row, marker) != "" for row in part.rows)
            many = {"done": done, "of": len(part.rows), "left": len(part.rows) - done}
            parts.append({"number": number, "question": part.sheet.question, **many})
        return self._page("screening/mark_home.html", session, parts=parts)

    async def _sheet(self, request: Request) -> Response:
        session = self._session(request)
        number = request.path_params["number"]
        if session is None or not 1 <= number <= len(self._parts):
            return _to("/")
        return self._show(session, number)

    async def _save(self, request: Request) -> Response:
        session = self._session(request)
        number = request.path_params["number"]
        if not 1 <= number <= len(self._parts):
            return _to("/")
        if session is None:
            return await self._away(request, number)
        part = self._parts[number - 1]
        letters = {row.letter for row in part.rows}
        form: Mapping[str, str] = {}
        try:
            form = await checked_form(request, session)
            marks = {letter: form[letter] for letter in letters & form.keys() if form[letter]}
            mark(self._season, self._markers[session.who], part.sheet.item, marks)
        except Refused as exc:
            return self._show(session, number, str(exc), exc.status, exc.form)
        except ContestError as exc:
            return self._show(session, number, str(exc), 400, form)
        session.said = (f"{part.sheet.item}: saved", True)
        return _to(f"/sheet/{number + 1}" if number < len(self._parts) else "/")

    async def _away(self, request: Request, number: int) -> Response:
        """Whoever was logged out while he marked goes on with what he has chosen."""
        try:
            form = await read_form(request)
        except Refused as exc:
            return self._door(str(exc), exc.status)
        letters = {row.letter for row in self._parts[number - 1].rows}
        kept = {name: text for name, text in form.items() if name in {*letters, "marker"}}
        return self._door(
            "You are logged out, and nothing is saved yet. With your code you go on as you were.",
            401,
            {**kept, "sheet": str(number)},
        )

    def _show(
        self,
        session: Session,
        number: int,
        error: str = "",
        status: int = 200,
        chosen: Mapping[str, str] = MappingProxyType({}),
    ) -> Response:
        """A sheet; what was chosen and not taken stays chosen."""
        part = self._parts[number - 1]
        book, marker = book_in(self._season), self._markers[session.who]
        quality = part.sheet.item == QUALITY
        words = self._scale.quality if quality else self._scale.wording
        rows = [
            {
                "letter": row.letter,
                "answer": [line for line in row.answer.split("\n") if line],
                "beside": row.beside,
                "suggested": "" if row.suggested is None else written(row.suggested),
                "why": row.why,
                "given": chosen.get(row.letter) or _given(book, part, row, marker),
            }
            for row in part.rows
        ]
        return self._page(
            "screening/mark_sheet.html",
            session,
            status,
            error=error,
            number=number,
            last=len(self._parts),
            sheet=part.sheet,
            rows=rows,
            marks=[
                (written(each), text) for each, text in zip(self._scale.marks, words, strict=True)
            ],
        )

    def _page(self, template: str, session: Session, status: int = 200, **parts: Any) -> Response:
        said, session.said = session.said, None
        frame = {
            "title": self._season.settings.contest.name,
            "marker": self._markers[session.who],
            "form": session.form,
            "said": said,
        }
        return respond(template, {**frame, **parts}, secret=True, status=status)


def desk(season: Season, names: Sequence[str]) -> tuple[Desk, dict[str, str]]:
    """The pages for markers, and their codes.

    Arguments:
        season: open; marking has begun.
        names: of the markers.

    Returns:
        The pages, and name to code.

    Raises:
        BadOrder: if a name is none, is there twice, or there are too many.
    """
    try:
        read = [one_line(name, 60) for name in names]
    except ValueError as exc:
        raise BadOrder(f"a marker's name {exc}") from None
    if not all(read) or len(set(read)) < len(read) or len(read) > MOST:
        raise BadOrder(f"name 1 to {MOST} markers, each once, with commas between them")
    markers = {f"M{nth}": name for nth, name in enumerate(read, 1)}
    issued = codes.issue(markers)
    return Desk(season, markers, issued), {markers[seat]: code for seat, code in issued.items()}


def serve(
    season: Season, names: Sequence[str], host: str, port: int, say: Callable[[str], None]
) -> None:
    """Serves the pages until Ctrl-C.

    Arguments:
        season: open; marking has begun.
        names: of the markers.
        host, port: where to listen; port 0 takes a free one.
        say: told the address and the codes.

    Raises:
        BadOrder: if the names can't be used.
        Surroundings: if nobody can listen there.
    """
    pages, issued = desk(season, names)

    async def serve_pages() -> None:
        async with serving(pages.app(), host, port, porter=pages.porter) as address:
            say(f"http://{address}/")
            for name, code in issued.items():
                say(f"{name}: {code}")
            say("Ctrl-C ends it; what is marked is on record.")
            await asyncio.Event().wait()

    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(serve_pages())


def _given(book: Book, part: Part, row: Row, marker: str) -> str:
    found = book.marks.get((part.sheet.item, row.letter), {}).get(marker)
    return "" if found is None else written(found)


def _to(page: str) -> Response:
    return RedirectResponse(page, 303, {**HEADERS, **SECRET})


def _cookie(connection: HTTPConnection) -> str:
    """Cookies know no ports, and two contests may be marked on one machine."""
    return f"marking-{connection.url.port or 0}"
