"""The pages of markers, in their browsers for as long as `loebner screen mark --serve` runs.

Each marker has a code, printed once where the command was given. A page shows an item with the
answers under letters; nobody sees another's marks. A mark is on record before the page says so.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from aiohttp import web

from contest.errors import BadOrder, ContestError
from contest.net import codes
from contest.net.login import (
    HOME,
    Entrance,
    Refused,
    Session,
    back_to,
    checked_form,
    read_form,
)
from contest.net.web import Hosts, Porter, guarded, serving
from contest.organizer.season import NOTHING, Typed, given_back
from contest.pages import respond, static_route
from contest.screening.marking import Row, Sheet, mark_all, sheets_of, wording_of, written
from contest.screening.season import Season
from contest.screening.texts import one_line

#: Answers on a page: a form of so many fields is what the server takes.
ON_A_PAGE = 30
#: Markers at once, at most.
MOST = 20


@dataclass(frozen=True, slots=True)
class Part:
    """What one page shows: an item, or some of its answers."""

    sheet: Sheet
    rows: tuple[Row, ...]


class MarkingPages:
    """The pages.

    Arguments:
        season: where marks go, open; marking has begun.
        names: of the markers.

    Attributes:
        codes: marker to code.
        porter: of the application.

    Raises:
        BadOrder: if a name can't be used, is there twice, or there are too many.
    """

    def __init__(self, season: Season, names: Sequence[str]) -> None:
        try:
            read = [one_line(name, 60) for name in names]
        except ValueError as exc:
            raise BadOrder(f"a marker's name {exc}") from None
        if not all(read) or len(set(read)) < len(read) or len(read) > MOST:
            raise BadOrder(f"name 1 to {MOST} markers, each once, with commas between them")
        self._season = season
        self._title = season.settings.contest.name
        self._markers = {f"M{nth}": name for nth, name in enumerate(read, 1)}
        issued = codes.issue(self._markers)
        self.codes = {self._markers[seat]: code for seat, code in issued.items()}
        self.porter = Porter(hosts=Hosts(season.settings.server.names))
        table = codes.CodeTable(issued)
        self._way = Entrance(self.porter, table, self._title, lambda: None, "marker")
        self._parts = [
            Part(sheet, sheet.rows[start : start + ON_A_PAGE])
            for sheet in sheets_of(season)
            for start in range(0, len(sheet.rows), ON_A_PAGE)
        ]

    def app(self) -> web.Application:
        """The application."""
        way, sheet = self._way, f"{HOME}/sheet/{{number:[0-9]{{1,6}}}}"

        async def to_board(_request: web.Request) -> web.Response:
            return back_to("")

        routes = [
            web.get("/", to_board),
            web.get(HOME, way.open_to(self._home)),
            web.get(f"{HOME}/login", way.login_page),
            web.post(f"{HOME}/login", way.login),
            web.post(f"{HOME}/logout", way.logout),
            web.get(sheet, way.open_to(self._sheet)),
            web.post(sheet, self._save),
            static_route(),
        ]
        return guarded(routes, self.porter)

    async def _home(self, _request: web.Request, session: Session) -> web.Response:
        parts = []
        for number, part in enumerate(self._parts, 1):
            done = sum(mark != "" for mark in self._given(part, session).values())
            many = {"done": done, "of": len(part.rows), "left": len(part.rows) - done}
            parts.append({"number": number, "question": part.sheet.question, **many})
        return self._page("marking.html", session, parts=parts)

    async def _sheet(self, request: web.Request, session: Session) -> web.Response:
        number = int(request.match_info["number"])
        return self._show(session, number) if self._part(number) else back_to("")

    async def _save(self, request: web.Request) -> web.Response:
        number, session = int(request.match_info["number"]), self._way.session(request)
        part = self._part(number)
        if part is None:
            return back_to("")
        letters = {row.letter for row in part.rows}
        form: Typed = NOTHING
        if session is None:
            # A marker who was logged out while marking goes on with what was chosen.
            try:
                form = await read_form(request)
            except Refused:
                return back_to("/login")
            kept = {n: text for n, text in form.items() if n in {*letters, "marker"}}
            return given_back(request.path, kept, "", 401, banner="marking", leave=HOME)
        try:
            form = await checked_form(request, session)
            marks = {letter: form[letter] for letter in letters & form.keys() if form[letter]}
            mark_all(self._season, self._markers[session.who], {part.sheet.item: marks})
        except Refused as exc:
            return self._show(session, number, str(exc), exc.status, exc.form)
        except ContestError as exc:
            return self._show(session, number, str(exc), 400, form)
        session.said = (f"{part.sheet.item}: saved", True)
        return back_to(f"/sheet/{number + 1}" if number < len(self._parts) else "")

    def _part(self, number: int) -> Part | None:
        return self._parts[number - 1] if 1 <= number <= len(self._parts) else None

    def _given(self, part: Part, session: Session) -> dict[str, str]:
        """Letter to the mark that this marker has given; empty for none."""
        marks, who = self._season.state.marks, self._markers[session.who]
        return {
            row.letter: written(marks.get((part.sheet.item, row.letter), {}).get(who))
            for row in part.rows
        }

    def _show(
        self,
        session: Session,
        number: int,
        error: str = "",
        status: int = 200,
        chosen: Typed = NOTHING,
    ) -> web.Response:
        """A sheet; what was chosen and not taken stays chosen."""
        part = self._parts[number - 1]
        given = self._given(part, session)
        # What another marker has chosen at this browser is nothing to this one.
        if chosen.get("marker", self._markers[session.who]) == self._markers[session.who]:
            given |= {letter: chosen[letter] for letter in given if chosen.get(letter)}
        return self._page(
            "marking_sheet.html",
            session,
            status,
            error=error,
            number=number,
            last=len(self._parts),
            sheet=part.sheet,
            rows=part.rows,
            given=given,
            written=written,
            marks=wording_of(self._season.state),
        )

    def _page(
        self, template: str, session: Session, status: int = 200, **parts: Any
    ) -> web.Response:
        said, session.said = session.said, None
        frame: Mapping[str, Any] = {
            "title": self._title,
            "marker": self._markers[session.who],
            "form": session.form,
            "said": said,
        }
        return respond(f"organizer/{template}", {**frame, **parts}, secret=True, status=status)


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
        Surroundings: if the address can't be had.
    """
    pages = MarkingPages(season, names)

    async def serve_pages() -> None:
        async with serving(pages.app(), host, port, porter=pages.porter) as address:
            say(f"http://{address}/")
            for name, code in pages.codes.items():
                say(f"{name}: {code}")
            say("Ctrl-C ends it; what is marked is on record.")
            await asyncio.Event().wait()

    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(serve_pages())
