"""The organizer's board: its addresses, and what stands behind each; see docs/reference/board.md.

What has to be made of the record is made in a thread or a process, once for all who read the same.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import asdict
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias
from urllib.parse import urlencode

import segno
from aiohttp import web
from markupsafe import Markup

import scheduler
from contest import apart
from contest.errors import ContestError, RecordTrouble, WrongMoment
from contest.net.door import machine_addresses, reached_at
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
from contest.net.web import host_of
from contest.organizer import downloads
from contest.organizer.controls import status_of
from contest.organizer.log import Filter, in_words
from contest.organizer.orders import GROUPS, ORDERS, order_of_form, to_be_confirmed
from contest.organizer.replan import ReplanPage
from contest.organizer.status import ROLES, STATES
from contest.organizer.updates import MOST, Live, Picture, show
from contest.pages import SECRET, render, respond
from contest.record.bodies import CodeIssued
from contest.record.events import Event
from contest.record.reading import ListLog
from contest.record.store import record_url
from contest.results.contest import Contest
from contest.seat_page import PATH as SIT
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
#: Phases in which the clock runs.
RUNNING = frozenset({"interaction", "scoring", "ranking"})
#: Phase to the words and the look of its mark.
MARKS: Mapping[str, tuple[str, str]] = {
    "before": ("not begun", ""),
    "waiting": ("people come", "warn"),
    "interaction": ("interaction", "live"),
    "paused": ("paused", "warn"),
    "scoring": ("scoring", "live"),
    "closed": ("between rounds", ""),
    "ranking": ("ranking", "live"),
    "over": ("over", "ok"),
}
#: The parts of the contest's page, and of the result's, that are made of the contest's status.
PARTS = (
    *("now", "actions", "missing", "proposals", "checks"),
    *("desks", "entries", "incidents", "orders", "machine"),
)
RESULT_PARTS = ("proposals", "result_steps", "result_orders")
RESULT_ORDERS = ("reveal", "final", "void")

#: What a card says to its reader.
_AT_A_SEAT = "Start the console, choose this address, type the code."
_AT_A_LINK = "loebner link, on the machine of the program, asks for address and code."

_Page: TypeAlias = Callable[[web.Request, Session], Awaitable[web.Response]]


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
        self._result: tuple[int, str] = (-1, "")
        self._one_download_at_a_time = asyncio.Lock()
        self._entrance = Entrance(porter, organizers, self._title)

    def routes(self) -> list[web.RouteDef]:
        """All addresses of the board."""
        way = self._entrance
        pages: Mapping[str, _Page] = {
            "": self._home,
            "/log": self._log_page,
            "/result": self._result_page,
            "/codes": self._codes,
            "/files": self._files,
            "/files/export/{form}": self._export,
            "/files/wire/{number:[0-9]{1,4}}": self._wire,
            "/schedule": ReplanPage(self._server, self._respond).page,
        }
        forms: Mapping[str, _Page] = {"/order": self._order, "/codes": self._cards}
        live = {"/live": Live(self._look), "/live/result": Live(self.look_at_result)}
        return [
            web.get(f"{HOME}/login", way.login_page),
            web.post(f"{HOME}/login", way.login),
            web.post(f"{HOME}/logout", way.logout),
            *(web.get(HOME + path, way.open_to(page)) for path, page in pages.items()),
            *(web.post(HOME + path, way.open_to(form)) for path, form in forms.items()),
            *(web.get(HOME + path, partial(self._shown, page)) for path, page in live.items()),
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
        people = {each["seat"]: each["name"] for each in status["seats"]}
        context = {
            "status": status,
            "names": people | {each["entry"]: each["name"] for each in status["entries"]},
            "at_desks": {each[role] for each in status["pairings"] for role in ROLES},
            "states": STATES,
            "marks": MARKS,
            "coming": _coming(status["next"]),
            "checks": checks,
            "lacking": [each for each in checks if not each.ok],
            "doubtful": [each for each in checks if each.level == "yellow"],
            "why_not": {
                action: order.why_not(conductor.state, now_ns) for action, order in ORDERS.items()
            },
            "orders": ORDERS,
            "groups": GROUPS,
            "result_orders": [ORDERS[action] for action in RESULT_ORDERS],
            "choices": _choices(status, self._log.talks()),
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

    async def _look(self) -> Picture:
        return self.picture()

    async def _shown(self, live: Live, request: web.Request) -> web.StreamResponse:
        """A socket that sends a page what it shows."""
        session, sessions = self._entrance.session(request, use=False), self._entrance.sessions
        async with opened(request) as socket:
            if session is None:
                await close(socket, LOGGED_OUT)
            elif live.viewers >= MOST:
                await close(socket, CROWDED)
            else:
                await show(socket, live, partial(sessions.is_open, session), LOGGED_OUT)
        return socket

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
                fields = {name: value for name, value in form.items() if name != "sure"}
                return self._respond("confirm.html", "", session, order=order.order, fields=fields)
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

    # Log and result

    async def _log_page(self, request: web.Request, session: Session) -> web.Response:
        wanted = asked_for(request.query)
        log = await asyncio.to_thread(self._log.page, wanted)

        def address(page: int) -> str:
            return f"{HOME}/log?{urlencode({**asdict(wanted), 'page': page})}"

        return self._respond(
            *("log.html", "/log", session),
            wanted=wanted,
            log=log,
            events=[(event, in_words(event)) for event in log.events],
            kinds=self._log.kinds(),
            talks=[(talk, talk_in_words(talk)) for talk in self._log.talks()],
            newer=address(log.number - 1) if log.number > 1 else "",
            older=address(log.number + 1) if log.number < log.last else "",
        )

    async def _result_page(self, _request: web.Request, session: Session) -> web.Response:
        parts = (await self.look_at_result(session.form)).parts
        return self._respond("result.html", "/result", session, parts=_markup(parts))

    async def look_at_result(self, form: str = "") -> Picture:
        """What stands on the page of the result now; it is computed when something has happened."""
        events = list(self._log.events)
        if self._result[0] != len(events):
            self._result = (len(events), await asyncio.to_thread(result_part, events))
        return Picture({"result": self._result[1], **self.picture(form, RESULT_PARTS).parts})

    # Codes

    async def _codes(self, request: web.Request, session: Session) -> web.Response:
        own, scheme = _own(request), "wss://" * request.secure
        others = await asyncio.to_thread(machine_addresses)
        found = reached_at(self._server.address, others, socket.gethostname())
        at_home = host_of(own.removeprefix(scheme)) in ("localhost", "127.0.0.1", "::1")
        used = self._controls.codes()
        return self._respond(
            *("codes.html", "/codes", session),
            addresses=[*(scheme + each for each in found), own] if at_home else [own],
            used=used,
            order=ORDERS["codes"],
            choices={"codes": [(each["name"], f"{each['name']}, {each['role']}") for each in used]},
        )

    async def _cards(self, request: web.Request, session: Session) -> web.Response:
        """A card for each seat and each link, to print and cut; codes that control the contest are
        on none."""
        try:
            form = await checked_form(request, session)
        except Refused as exc:
            session.said = (str(exc), False)
            return back_to("/codes")
        settings, given = self._server.settings, self._controls.keyring.codes
        roles = (
            (settings.judge, "judge", _AT_A_SEAT),
            (settings.confederate, "confederate", _AT_A_SEAT),
            (settings.entry, "link of an entry", _AT_A_LINK),
        )
        address = form.get("address", "").strip()[:200] or _own(request)
        page = f"http{'s' * request.secure}://{address.removeprefix('wss://')}{SIT}"
        cards = [
            {"name": each.id, "role": role, "code": given[each.id], "hint": hint, "page": ""}
            for table, role, hint in roles
            for each in table
            if each.id in given
        ]
        for card in cards:
            if card["role"] in settings.seats.in_browser:
                card["page"] = f"{page}#{card['code']}"
                card["qr"] = Markup(segno.make(card["page"], micro=False).svg_inline(border=2))
        return self._respond(
            *("cards.html", "/codes", session),
            cards=cards,
            address=address,
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
        number, entries = int(request.match_info["number"]), self._server.settings.entry
        if not 1 <= number <= len(entries):
            return refuse_in_json(404, "there is no such entry")
        if not self._server.conductor.state.revealed:
            session.said = ("Wire logs are here once every verdict and ranking is closed", False)
            return back_to("/files")
        return await self._download(session, "", entries[number - 1].id)

    async def _download(self, session: Session, form: str, entry: str = "") -> web.Response:
        url = record_url(self._server.folder, self._server.settings.record.database)
        try:
            # They are heavy, and the machine has others to serve.
            async with self._one_download_at_a_time:
                if busy := self._busy():
                    raise WrongMoment(f"Not now: {busy}")
                made = await apart.ask(
                    downloads.make, downloads.LONGEST, downloads.LATE, url, form, entry
                )
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
    number = min(int(page), PAGES) if page.isascii() and page.isdigit() else 1
    kind, who, text, talk = (
        query.get(n, "").strip()[:200] for n in ("kind", "who", "text", "talk")
    )
    return Filter(kind, who, text, talk, number)


def _coming(following: Mapping[str, int] | str | None) -> str:
    """What the next start begins, in words; empty if nothing does."""
    if following is None or isinstance(following, str):
        return "the ranking" if following else ""
    attempt = f", attempt {following['attempt']}" if following["attempt"] > 1 else ""
    return f"round {following['round']}{attempt}"


def _choices(status: Mapping[str, Any], talks: Iterable[str]) -> dict[str, list[tuple[str, str]]]:
    """What can be chosen in the orders' forms: lists of (value, words)."""
    seats, talks = status["seats"], list(talks)
    attempts = dict.fromkeys(".".join(talk.split(".")[:2]) for talk in talks)
    ballots = [s["seat"] for s in seats if s["role"] == "judge" and status["phase"] == "ranking"]
    return {
        "talks": [
            *((each, f"{_attempt(each)}, all of it") for each in attempts),
            *((talk, talk_in_words(talk)) for talk in talks),
            *((each, f"The ballot of {each}") for each in ballots),
        ],
        "programs": [
            (each["entry"], f"{each['entry']}, {each['name'] or 'without a name'}")
            for each in status["entries"]
            if each["program"] is not None
        ],
        "people": [
            (each["seat"], f"{each['seat']}, {each['role']}, {each['name']}") for each in seats
        ],
    }


def _attempt(name: str) -> str:
    number, attempt = name.split(".")[:2]
    return f"Round {number}" + (f", attempt {attempt}" if attempt != "1" else "")


def talk_in_words(name: str) -> str:
    """A talk's id for a person, without telling who sits there."""
    judge, side = name.split(".")[2:]
    return f"{_attempt(name)}: {judge}, {side}"


def result_part(events: Sequence[Event]) -> str:
    """The tally as it stands, as the part of a page.

    Arguments:
        events: the record; it may lack keys, which count for nothing here.
    """
    try:
        contest = Contest.of(ListLog(events))
        tally = contest.tally
    except RecordTrouble as exc:
        nothing = {"trouble": str(exc), "final": False, "open": [], "tally": None}
        return render("organizer/part_result.html", nothing)
    document: dict[str, Any] = tally.as_json()
    standings = {each["entry"]: each for each in document["entries"]}
    prizes = scheduler.explain_prizes(tally, contest.prizes) if contest.is_final else []
    context = {
        "trouble": "",
        "final": contest.is_final,
        "open": contest.still_open(),
        "tally": document,
        "entries": [
            standings[each] | {"name": contest.name(each)} for each in tally.roster.entries
        ],
        "words": [
            contest.state_in_words(),
            *scheduler.explain_places(tally),
            *scheduler.explain_silver(tally, contest.prizes),
            *prizes,
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
