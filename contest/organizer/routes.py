"""The board's addresses, and what stands behind each."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Any

from aiohttp import web

from contest.errors import BadOrder, ContestError, WrongMoment
from contest.net.login import (
    HOME,
    Entrance,
    Refused,
    Session,
    back_to,
    checked_form,
    refuse_in_json,
    wants_json,
)
from contest.net.sockets import close, opened
from contest.organizer import downloads, handing_out, showing
from contest.organizer import forms as orders
from contest.organizer.now import Live, Picture, Topic, show
from contest.organizer.orders import Codes, read_order
from contest.organizer.past import History
from contest.organizer.picture import Studio
from contest.organizer.reading import ReadingPages
from contest.organizer.replan import ReplanPages
from contest.organizer.season import SeasonPages
from contest.pages import HEADERS, respond
from contest.pages.headers import SECRET
from contest.record.bodies import CodeIssued, SidesRevealed
from contest.record.events import Event
from contest.record.store import record_url
from lpp.trust import shown_fingerprint

if TYPE_CHECKING:
    from contest.net.codes import CodeTable
    from contest.net.web import Porter
    from contest.serving.server import Server

#: How the live socket is closed when its session has ended.
LOGGED_OUT = 4401
#: How it is closed when too many look on: come again later.
CROWDED = 1013


def board_routes(server: Server, porter: Porter, organizers: CodeTable) -> list[web.RouteDef]:
    """The routes of the board.

    Arguments:
        server: what they open to.
        porter: what all doors have together.
        organizers: the codes of those who may look and give orders.
    """
    return Board(server, porter, organizers).routes()


class Board:
    """The board of a contest.

    Arguments:
        server: what it shows, and what carries orders out.
        porter, organizers: see `board_routes`.
    """

    def __init__(self, server: Server, porter: Porter, organizers: CodeTable) -> None:
        self._server = server
        self._controls = server.controls
        self._title = server.settings.contest.name
        self._history = History(server.overview.chronicle.events, server.record)
        server.journal.watchers += [self._history.event, self._forget_old_codes]
        self._studio = Studio(server.overview, self._history, server.conductor.seats.speed)
        self._live: Live[None] = Live(self._look)
        self._reading = ReadingPages(server.overview, self._history, self._respond)
        self._one_at_a_time = asyncio.Lock()
        self._entrance = Entrance(porter, organizers, self._title, self._wake)

    def routes(self) -> list[web.RouteDef]:
        """All addresses of the board."""
        way = self._entrance
        season = SeasonPages(self._server.folder, self._respond, self._server.journal)
        schedule = ReplanPages(self._server, self._respond)
        pages: Mapping[str, Callable[..., Any]] = {
            "": self._home,
            "/codes": self._codes,
            "/files": self._files,
            "/files/export/{form}": self._export,
            "/files/wire/{number:[0-9]{1,4}}/{form}": self._wire,
            **self._reading.routes(),
            **schedule.routes(),
            **season.routes(),
        }
        return [
            web.get(f"{HOME}/login", way.login_page),
            web.post(f"{HOME}/login", way.login),
            web.post(f"{HOME}/logout", way.logout),
            *(web.get(HOME + path, way.open_to(page)) for path, page in pages.items()),
            *(web.post(HOME + path, form) for path, form in season.forms(way).items()),
            *(web.post(HOME + path, way.open_to(form)) for path, form in schedule.forms().items()),
            web.post(f"{HOME}/order", way.open_to(self._order)),
            web.post(f"{HOME}/codes", way.open_to(self._show_codes)),
            web.get(f"{HOME}/live", self._shown(self._live, lambda _: None)),
            *(
                web.get(HOME + path, self._shown(self._reading.live, topic))
                for path, topic in self._reading.sockets().items()
            ),
        ]

    def _forget_old_codes(self, event: Event) -> None:
        # Whoever came in by a code that is void now, is out.
        if event.kind == CodeIssued.kind:
            self._entrance.sessions.close_all(str(event.body.get("seat")))

    def _respond(self, template: str, page: str, session: Session, **context: Any) -> web.Response:
        said, session.said = session.said, None
        frame = {
            "title": self._title,
            "who": session.who,
            "form": session.form,
            "page": HOME + page,
            "said": said,
        }
        return respond(f"organizer/{template}", frame | context, secret=True)

    # The contest, live

    async def _home(self, _request: web.Request, session: Session) -> web.Response:
        picture = self._studio.picture(session.form)
        return self._respond(
            "home.html",
            "",
            session,
            parts=showing.as_markup(picture.parts),
            left=picture.left,
            running=picture.speed,
        )

    async def _look(self, _topics: frozenset[None]) -> Mapping[None, Picture]:
        return {None: self._studio.picture()}

    def _wake(self) -> None:
        self._live.wake()
        self._reading.live.wake()

    def _shown(
        self, live: Live[Topic], topic: Callable[[web.Request], Topic]
    ) -> Callable[[web.Request], Awaitable[web.StreamResponse]]:
        """A socket by which a page is told what it shows."""

        async def shown(request: web.Request) -> web.StreamResponse:
            session = self._entrance.session(request, use=False)
            async with opened(request) as socket:
                if session is None:
                    await close(socket, LOGGED_OUT)
                elif live.full:
                    await close(socket, CROWDED)
                else:
                    own = session

                    def goes_on() -> bool:
                        return self._entrance.sessions.is_open(own)

                    await show(socket, live, topic(request), goes_on, LOGGED_OUT)
            return socket

        return shown

    # Orders

    async def _order(self, request: web.Request, session: Session) -> web.Response:
        in_json = wants_json(request)
        try:
            form = await checked_form(request, session)
            grave = orders.is_to_be_confirmed(form)
            # First read, so that nobody is asked whether to do what can't be done.
            order = read_order(orders.order_of(form))
            if grave and in_json:
                return web.json_response({"confirm": grave}, headers={**HEADERS, **SECRET})
            if grave:
                return self._ask(form, grave, session)
            answer = await self._controls.perform(order, session.who)
        except (Refused, ContestError) as exc:
            if in_json:
                return refuse_in_json(_status_of(exc), str(exc))
            session.said = (str(exc), False)
            return back_to("/codes" if request.query.get("from") == "codes" else "")
        told = {name: answer[name] for name in ("done", "code") if name in answer}
        if in_json:
            return web.json_response(told, headers={**HEADERS, **SECRET})
        code = f": {told['code']}" if "code" in told else ""
        session.said = (f"Done: {told['done']}{code}.", True)
        return back_to("")

    def _ask(self, form: Mapping[str, str], grave: str, session: Session) -> web.Response:
        fields = {name: value for name, value in form.items() if name != "sure"}
        return self._respond(
            "confirm.html",
            "",
            session,
            control=orders.CONTROLS[form["action"]],
            grave=grave,
            fields=fields,
        )

    # Codes

    async def _codes(self, request: web.Request, session: Session) -> web.Response:
        found = await asyncio.to_thread(handing_out.addresses, _own(request))
        answer = await self._controls.perform(Codes(), session.who)
        used: list[Mapping[str, Any]] = answer["codes"]
        return self._respond(
            "codes.html",
            "/codes",
            session,
            address=found[0],
            addresses=found,
            used=used,
            control=orders.CONTROLS["codes"],
            choices={"codes": [(each["name"], f"{each['name']}, {each['role']}") for each in used]},
        )

    async def _show_codes(self, request: web.Request, session: Session) -> web.Response:
        try:
            form = await checked_form(request, session)
        except Refused as exc:
            session.said = (str(exc), False)
            return back_to("/codes")
        address = form.get("address", "").strip()[:200] or _own(request)
        given = self._controls.keyring.codes
        cards = handing_out.cards(self._server.settings, given, address)
        shown = shown_fingerprint(self._server.fingerprint)
        return self._respond("cards.html", "/codes", session, cards=cards, certificate=shown)

    # Downloads

    async def _files(self, _request: web.Request, session: Session) -> web.Response:
        return self._respond(
            "files.html",
            "/files",
            session,
            busy=self._busy(),
            exports=downloads.EXPORTS.items(),
            entries=self._server.settings.entry,
            revealed=self._revealed(),
        )

    async def _export(self, request: web.Request, session: Session) -> web.Response:
        form = request.match_info["form"]
        if form not in downloads.EXPORTS:
            return refuse_in_json(404, "there is no such format")
        return await self._download(session, form)

    async def _wire(self, request: web.Request, session: Session) -> web.Response:
        number, form = int(request.match_info["number"]), request.match_info["form"]
        entries = self._server.settings.entry
        if not 1 <= number <= len(entries) or form not in downloads.WIRE:
            return refuse_in_json(404, "there is no such wire log")
        if not self._revealed():
            session.said = ("Wire logs are there when every verdict and ranking is closed", False)
            return back_to("/files")
        entry = entries[number - 1].id
        return await self._download(session, form, entry)

    async def _download(self, session: Session, form: str, entry: str = "") -> web.Response:
        url = record_url(self._server.folder, self._server.settings.record.database)
        try:
            # They are heavy, and the machine has others to serve.
            async with self._one_at_a_time:
                if busy := self._busy():
                    raise WrongMoment(f"Not now: {busy}")
                made = await downloads.made_apart(downloads.Question(url, form, entry))
        except ContestError as exc:
            session.said = (str(exc), False)
            return back_to("/files")
        return web.Response(
            body=made.content,
            headers={
                **HEADERS,
                **SECRET,
                "Content-Disposition": f'attachment; filename="{made.name}"',
                "Content-Type": made.type,
            },
        )

    def _busy(self) -> str:
        """Why nothing large is made now: people talk, and keys go first."""
        status = self._server.overview.status()
        on = status["phase"] in ("waiting", "interaction", "paused", "scoring")
        return str(status["words"]) if on else ""

    def _revealed(self) -> bool:
        return any(event.kind == SidesRevealed.kind for event in self._history.events)


def _status_of(exc: Refused | ContestError) -> int:
    match exc:
        case Refused():
            return exc.status
        case BadOrder():
            return 400
        case WrongMoment():
            return 409
    return 500


def _own(request: web.Request) -> str:
    """The address by which the organizer's browser has reached this server, as consoles write
    it."""
    scheme = "wss://" if request.secure else ""
    return scheme + request.headers.get("host", "")[:200]
