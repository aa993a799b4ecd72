"""The organizer's board: its addresses, and what stands behind each; see docs/reference/board.md.

What has to be made of the record is made in a thread or a process, once for all who read the same,
and only when something has happened since.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeAlias
from urllib.parse import urlencode

from aiohttp import web
from markupsafe import Markup

import scheduler
from contest.errors import ContestError, RecordTrouble, WrongMoment
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
from contest.organizer import downloads
from contest.organizer.cards import addresses, cards
from contest.organizer.controls import status_of
from contest.organizer.home import PARTS, RUNNING, choices, home, talk_in_words
from contest.organizer.log import PAGE, Filter, Page, in_words
from contest.organizer.orders import GROUPS, ORDERS, Given, order_of_form, to_be_confirmed
from contest.organizer.replan import ReplanPage
from contest.organizer.updates import Live, Picture, Topic, show
from contest.pages import SECRET, render, respond
from contest.record.bodies import OF_KEYS, CodeIssued
from contest.record.events import Event
from contest.record.logs import ListLog
from contest.record.store import record_url
from contest.results.contest import Contest
from lpp.connection import shown_fingerprint

if TYPE_CHECKING:
    from contest.net.codes import CodeTable
    from contest.net.web import Porter
    from contest.serving.server import Server

#: How the live socket is closed when its session has ended.
LOGGED_OUT = 4401
#: How it is closed when too many look on: come again later.
CROWDED = 1013
#: Pages of the log that are answered at most, counted from the newest.
PAGES = 100_000
#: The parts of the page of the result that are made of the contest's status, and its orders.
RESULT_PARTS = ("proposals", "result_steps", "result_orders")
RESULT_ORDERS = ("reveal", "final", "void")

#: What is read beside the contest's page: a page of the log, its `page` 1 for the newest and 2 for
#: any older one; None for the result.
Reading: TypeAlias = Filter | None


class Board:
    """The board of a contest.

    Arguments:
        server: what it shows, and what carries orders out.
        porter: what all doors have together.
        organizers: the codes of those who may look and give orders.
    """

    def __init__(self, server: Server, porter: Porter, organizers: CodeTable) -> None:
        self._server = server
        self._controls = server.controls
        self._title = server.settings.contest.name
        self._log = server.log
        server.journal.watchers.append(self._forget_old_codes)
        self._live: Live[None] = Live(self._look)
        self._reading: Live[Reading] = Live(self.look)
        self._made: dict[Reading, tuple[tuple[int, int], Mapping[str, str]]] = {}
        self._one_download_at_a_time = asyncio.Lock()
        self._entrance = Entrance(porter, organizers, self._title, self._wake)

    def routes(self) -> list[web.RouteDef]:
        """All addresses of the board."""
        way = self._entrance
        pages: Mapping[str, Callable[[web.Request, Session], Awaitable[web.Response]]] = {
            "": self._home,
            "/log": self._log_page,
            "/result": self._result_page,
            "/codes": self._codes,
            "/files": self._files,
            "/files/export/{form}": self._export,
            "/files/wire/{number:[0-9]{1,4}}/{form}": self._wire,
            "/schedule": ReplanPage(self._server, self._respond).page,
        }
        forms: Mapping[str, Callable[[web.Request, Session], Awaitable[web.Response]]] = {
            "/order": self._order,
            "/codes": self._cards,
        }
        return [
            web.get(f"{HOME}/login", way.login_page),
            web.post(f"{HOME}/login", way.login),
            web.post(f"{HOME}/logout", way.logout),
            *(web.get(HOME + path, way.open_to(page)) for path, page in pages.items()),
            *(web.post(HOME + path, way.open_to(form)) for path, form in forms.items()),
            web.get(f"{HOME}/live", self._shown(self._live, lambda _: None)),
            web.get(f"{HOME}/live/log", self._shown(self._reading, _topic)),
            web.get(f"{HOME}/live/result", self._shown(self._reading, lambda _: None)),
        ]

    def _forget_old_codes(self, event: Event) -> None:
        # Who came in by a code that is void now, is logged out.
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

    def picture(self, form: str = "", names: Sequence[str] = PARTS) -> Picture:
        """What stands on pages now, of what is made of the contest's status.

        Arguments:
            form: the token that the forms bring back; empty in what is sent to pages that have it.
            names: the parts.
        """
        overview, conductor = self._server.overview, self._server.conductor
        status, now_ns = overview.status(), conductor.now_ns()
        checks = overview.check() if status["waits_for_start"] else []
        context = home(status, [each.as_json() for each in checks]) | {
            "status": status,
            "why_not": {
                action: order.why_not(conductor.state, now_ns) for action, order in ORDERS.items()
            },
            "orders": ORDERS,
            "groups": GROUPS,
            "result_orders": [ORDERS[action] for action in RESULT_ORDERS],
            "choices": choices(status, self._log.talks()),
            "form": form,
        }
        parts = {name: render(f"organizer/part_{name}.html", context) for name in names}
        speed = conductor.seats.speed if status["phase"] in RUNNING else 0.0
        return Picture(parts, status["remaining"], speed)

    async def _home(self, _request: web.Request, session: Session) -> web.Response:
        picture = self.picture(session.form)
        return self._respond(
            *("home.html", "", session),
            parts=_markup(picture.parts),
            left=picture.left,
            running=picture.speed,
        )

    async def _look(self, _topics: frozenset[None]) -> Mapping[None, Picture]:
        return {None: self.picture()}

    def _wake(self) -> None:
        self._live.wake()
        self._reading.wake()

    def _shown(
        self, live: Live[Topic], topic: Callable[[web.Request], Topic]
    ) -> Callable[[web.Request], Awaitable[web.StreamResponse]]:
        """A socket by which a page is told what it shows."""

        async def shown(request: web.Request) -> web.StreamResponse:
            session, sessions = self._entrance.session(request, use=False), self._entrance.sessions
            async with opened(request) as socket:
                if session is None:
                    await close(socket, LOGGED_OUT)
                elif live.full:
                    await close(socket, CROWDED)
                else:
                    goes_on = lambda: sessions.is_open(session)  # noqa: E731
                    await show(socket, live, topic(request), goes_on, LOGGED_OUT)
            return socket

        return shown

    # Orders

    async def _order(self, request: web.Request, session: Session) -> web.Response:
        in_json = wants_json(request)
        try:
            form = await checked_form(request, session)
            # First read, so that nobody is asked whether to do what can't be done.
            order = order_of_form(form)
            warning = "" if form.get("sure") == "yes" else to_be_confirmed(order)
            if warning and in_json:
                return web.json_response({"confirm": warning}, headers=SECRET)
            if warning:
                return self._ask(order, form, session)
            answer = await self._controls.perform(order, session.who)
        except (Refused, ContestError) as exc:
            if in_json:
                status = exc.status if isinstance(exc, Refused) else status_of(exc)
                return refuse_in_json(status, str(exc))
            session.said = (str(exc), False)
            return back_to("/codes" if request.query.get("from") == "codes" else "")
        told = {name: answer[name] for name in ("done", "code") if name in answer}
        if in_json:
            return web.json_response(told, headers=SECRET)
        code = f": {told['code']}" if "code" in told else ""
        session.said = (f"Done: {told['done']}{code}.", True)
        return back_to("")

    def _ask(self, given: Given, form: Mapping[str, str], session: Session) -> web.Response:
        fields = {name: value for name, value in form.items() if name != "sure"}
        return self._respond("confirm.html", "", session, order=given.order, fields=fields)

    # Log and result

    async def _log_page(self, request: web.Request, session: Session) -> web.Response:
        wanted = asked_for(request.query)
        page = (await self._log.pages([wanted]))[wanted]
        parts = _markup(self._log_parts(wanted, page))
        return self._respond(
            *("log.html", "/log", session),
            wanted=wanted,
            parts=parts,
            events=[html for name, html in parts.items() if name.startswith("event-")],
            newest=page.number == 1,
            size=PAGE,
            live=_address(wanted, page.number, "/live/log"),
        )

    async def _result_page(self, _request: web.Request, session: Session) -> web.Response:
        made = await asyncio.to_thread(result_part, list(self._log.events))
        parts = {"result": made, **self.picture(session.form, RESULT_PARTS).parts}
        return self._respond("result.html", "/result", session, parts=_markup(parts))

    async def look(self, topics: frozenset[Reading]) -> dict[Reading, Picture]:
        """What stands on pages of the log, and on that of the result, now."""
        state = {topic: self._log.state(topic.talk if topic else "") for topic in topics}
        stale = [t for t in topics if t not in self._made or self._made[t][0] != state[t]]
        if stale:
            pages = await self._log.pages([topic for topic in stale if topic is not None])
            made = await asyncio.to_thread(self._make, stale, pages)
            self._made |= {topic: (state[topic], made[topic]) for topic in stale}
        self._made = {topic: self._made[topic] for topic in topics}
        parts = {topic: self._made[topic][1] for topic in topics}
        if None in topics:
            parts[None] = {**parts[None], **self.picture(names=RESULT_PARTS).parts}
        return {topic: Picture(each) for topic, each in parts.items()}

    def _make(
        self, topics: Sequence[Reading], pages: Mapping[Filter, Page]
    ) -> dict[Reading, dict[str, str]]:
        made: dict[Reading, dict[str, str]] = {}
        for wanted, page in pages.items():
            newest = wanted.page == 1
            made[wanted] = self._log_parts(wanted, page) if newest else _news(wanted, page)
        if None in topics:
            made[None] = {"result": result_part(list(self._log.events))}
        return made

    def _log_parts(self, wanted: Filter, page: Page) -> dict[str, str]:
        """The parts of a page of the log; each event is one of its own, the newest first."""
        context = {
            "wanted": wanted,
            "log": page,
            "kinds": self._log.kinds(),
            "talks": [(talk, talk_in_words(talk)) for talk in self._log.talks()],
            "newer": _address(wanted, page.number - 1) if page.number > 1 else "",
            "older": _address(wanted, page.number + 1) if page.number < page.last else "",
        }
        names = ("kind", "talk", "found", "pages")
        parts = {name: render(f"organizer/part_log_{name}.html", context) for name in names}
        parts |= _news(wanted, page)
        for event in page.events:
            own = {"event": event, "words": in_words(event), "is_key": event.kind in OF_KEYS}
            parts[f"event-{event.seq}"] = render("organizer/part_log_event.html", own)
        return parts

    # Codes

    async def _codes(self, request: web.Request, session: Session) -> web.Response:
        used = self._controls.codes()
        return self._respond(
            *("codes.html", "/codes", session),
            addresses=await asyncio.to_thread(addresses, _own(request)),
            used=used,
            order=ORDERS["codes"],
            choices={"codes": [(each["name"], f"{each['name']}, {each['role']}") for each in used]},
        )

    async def _cards(self, request: web.Request, session: Session) -> web.Response:
        try:
            form = await checked_form(request, session)
        except Refused as exc:
            session.said = (str(exc), False)
            return back_to("/codes")
        return self._respond(
            *("cards.html", "/codes", session),
            cards=cards(self._server.settings, self._controls.keyring.codes),
            address=form.get("address", "").strip()[:200] or _own(request),
            certificate=shown_fingerprint(self._server.fingerprint),
        )

    # Downloads

    async def _files(self, _request: web.Request, session: Session) -> web.Response:
        return self._respond(
            *("files.html", "/files", session),
            busy=self._busy(),
            exports=downloads.EXPORTS.items(),
            entries=self._server.settings.entry,
            revealed=self._server.conductor.state.revealed,
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
        if not self._server.conductor.state.revealed:
            session.said = ("Wire logs are there when every verdict and ranking is closed", False)
            return back_to("/files")
        return await self._download(session, form, entries[number - 1].id)

    async def _download(self, session: Session, form: str, entry: str = "") -> web.Response:
        url = record_url(self._server.folder, self._server.settings.record.database)
        try:
            # They are heavy, and the machine has others to serve.
            async with self._one_download_at_a_time:
                if busy := self._busy():
                    raise WrongMoment(f"Not now: {busy}")
                made = await downloads.made_apart(downloads.Question(url, form, entry))
        except ContestError as exc:
            session.said = (str(exc), False)
            return back_to("/files")
        headers = {
            "Content-Disposition": f'attachment; filename="{made.name}"',
            "Content-Type": made.type,
        }
        return web.Response(body=made.content, headers={**SECRET, **headers})

    def _busy(self) -> str:
        """Why nothing large is made now: people talk, and keys go first."""
        status = self._server.overview.status()
        on = status["phase"] in ("waiting", "interaction", "paused", "scoring")
        return str(status["words"]) if on else ""


def asked_for(query: Mapping[str, str]) -> Filter:
    """What of the log an address asks for; what can't be used lets everything through."""
    page = query.get("page", "1")
    return Filter(
        kind=query.get("kind", "")[:100],
        who=query.get("who", "").strip()[:100],
        text=query.get("text", "").strip()[:200],
        talk=query.get("talk", "")[:200],
        page=min(int(page), PAGES) if page.isascii() and page.isdigit() else 1,
    )


def _topic(request: web.Request) -> Filter:
    wanted = asked_for(request.query)
    return replace(wanted, page=1 if wanted.page <= 1 else 2)


def _address(wanted: Filter, page: int = 1, at: str = "/log") -> str:
    """Where a page of the log, or its socket, is."""
    query = {"kind": wanted.kind, "who": wanted.who, "text": wanted.text, "talk": wanted.talk}
    return f"{HOME}{at}?" + urlencode({**query, "page": page})


def _news(wanted: Filter, page: Page) -> dict[str, str]:
    """How many events there are by now, for those who do not see the newest ones."""
    context = {"log": page, "newest": _address(wanted)}
    return {"news": render("organizer/part_log_news.html", context)}


def result_part(events: Sequence[Event]) -> str:
    """The tally as it stands, as the part of a page.

    Arguments:
        events: the record; it may lack keys, which count for nothing here.
    """
    context: dict[str, Any] = {"final": False, "open": [], "trouble": "", "tally": None}
    try:
        contest = Contest.of(ListLog(events))
        tally = contest.tally
    except RecordTrouble as exc:
        return render("organizer/part_result.html", context | {"trouble": str(exc)})
    final, prizes = contest.is_final, contest.prizes
    document: dict[str, Any] = tally.as_json()
    standings = {each["entry"]: each for each in document["entries"]}
    context |= {
        "final": final,
        "open": contest.still_open(),
        "tally": document,
        "entries": [
            standings[each] | {"name": contest.name(each)} for each in tally.roster.entries
        ],
        "words": [
            contest.state_in_words(),
            *scheduler.explain_places(tally),
            *scheduler.explain_silver(tally, prizes),
            *(scheduler.explain_prizes(tally, prizes) if final else []),
        ],
    }
    return render("organizer/part_result.html", context)


def _markup(parts: Mapping[str, str]) -> dict[str, Markup]:
    """Parts that our own templates have made, with all that is text in them escaped already."""
    return {name: Markup(html) for name, html in parts.items()}


def _own(request: web.Request) -> str:
    """The address by which the organizer's browser has reached this server, as consoles write
    it."""
    scheme = "wss://" if request.secure else ""
    return scheme + request.headers.get("host", "")[:200]
