"""The organizer's board: its routes and pages; see docs/reference/board.md.

Content that needs the record is made in a thread or another process, so that it delays no keys.
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
from contest import worker
from contest.errors import ContestError, RecordTrouble, WrongMoment
from contest.net.addresses import machine_addresses, reachable_addresses
from contest.net.login import (
    HOME,
    Login,
    Refused,
    Session,
    checked_form,
    redirect_to_board,
    refuse_in_json,
    wants_json,
)
from contest.net.sockets import close, open_socket
from contest.net.web import host_of
from contest.organizer import downloads
from contest.organizer.controls import status_of
from contest.organizer.log import Filter
from contest.organizer.orders import (
    GROUPS,
    Given,
    confirmation_warning,
    order_of_form,
    orders_in,
)
from contest.organizer.replan import ReplanPage
from contest.organizer.status import ROLES, STATES
from contest.organizer.updates import MOST_VIEWERS, LivePage, Rendering, show
from contest.pages import SECRET, begin, for_script, in_language, render, respond
from contest.record.bodies import CodeIssued
from contest.record.events import Event
from contest.record.reading import ListLog
from contest.record.store import record_url
from contest.results.contest import Contest
from contest.seat_page import PATH as SIT
from contest.state.incidents import in_words, step_in_words
from lpp.connection import format_fingerprint
from scheduler.texts import joined
from texts import LANGUAGES, Texts, load, said

if TYPE_CHECKING:
    from contest.net.codes import CodeTable
    from contest.net.web import Access
    from contest.serving.server import Server

#: The live socket's close code when its session has ended.
LOGGED_OUT = 4401
#: The live socket's close code when there are too many viewers: try again later.
CROWDED = 1013
#: The highest page number of the log.
LAST_PAGE = 100_000
#: Phases in which the clock runs.
RUNNING = frozenset({"interaction", "scoring", "ranking"})
#: Phase to the CSS class of its mark.
MARKS: Mapping[str, str] = {
    "before": "",
    "waiting": "warn",
    "interaction": "live",
    "paused": "warn",
    "scoring": "live",
    "closed": "",
    "ranking": "live",
    "over": "ok",
}
#: The parts of the contest's page, and of the result's page, that are rendered from the status.
PARTS = (
    *("now", "actions", "missing", "proposals", "checks"),
    *("desks", "entries", "incidents", "orders", "machine"),
)
RESULT_PARTS = ("proposals", "result_steps", "result_orders")
RESULT_ORDERS = ("reveal", "final", "void")

_Page: TypeAlias = Callable[[web.Request, Session], Awaitable[web.Response]]


class Board:
    """The board of a contest.

    Arguments:
        server: the contest's server.
        access: the checks that all addresses share.
        organizers: the codes of the people who may use the board.
    """

    def __init__(self, server: Server, access: Access, organizers: CodeTable) -> None:
        self._server = server
        self._controls = server.controls
        self._title = server.settings.contest.name
        self._log = server.log
        server.journal.watchers.append(self._forget_old_codes)
        # Language to the number of events that the result was computed from, and its HTML.
        self._results: dict[str, tuple[int, str]] = {}
        self._one_download_at_a_time = asyncio.Lock()
        self._login = Login(access, organizers, self._title)

    def routes(self) -> list[web.RouteDef]:
        """All routes of the board."""
        way = self._login
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
        live = {
            path: {name: LivePage(partial(render_page, load(name))) for name in LANGUAGES}
            for path, render_page in (
                ("/live", self.render_parts),
                ("/live/result", self.render_result),
            )
        }
        return [
            web.get(f"{HOME}/login", way.login_page),
            web.post(f"{HOME}/login", way.login),
            web.post(f"{HOME}/logout", way.logout),
            *(web.get(HOME + path, way.require_session(page)) for path, page in pages.items()),
            *(web.post(HOME + path, way.require_session(form)) for path, form in forms.items()),
            *(web.get(HOME + path, partial(self._shown, pages)) for path, pages in live.items()),
        ]

    def _forget_old_codes(self, event: Event) -> None:
        # Log out everybody who logged in with the old code.
        if event.kind == CodeIssued.kind:
            self._login.sessions.close_all(str(event.body.get("seat")))

    def _respond(self, template: str, page: str, session: Session, **context: Any) -> web.Response:
        news, session.message = session.message, None
        frame = {
            "title": self._title,
            "who": session.who,
            "form": session.form,
            "page": HOME + page,
            "said": news,
            "scripts_say": for_script(session.texts, "board.script."),
            **in_language(session.texts),
        }
        return respond(f"organizer/{template}", frame | context, secret=True)

    # The contest, live

    async def render_parts(
        self, texts: Texts, form: str = "", names: Sequence[str] = PARTS
    ) -> Rendering:
        """Renders the parts of the pages that depend on the contest's status.

        Arguments:
            texts: the texts of the language.
            form: the token that the forms send back; empty in updates, because the page has it.
            names: the parts.
        """
        overview, conductor = self._server.overview, self._server.conductor
        orders = orders_in(texts.language)
        status, now_ns = overview.status(texts), conductor.now_ns()
        found = overview.check() if status["waits_for_start"] else []
        checks = [each.as_json() for each in found]
        lacking = [each for each in checks if not each["ok"]]
        people = {each["seat"]: each["name"] for each in status["seats"]}
        context = {
            **in_language(texts),
            "status": status,
            "headline": headline(status, texts),
            "step": partial(step_in_words, texts=texts),
            "names": people | {each["entry"]: each["name"] for each in status["entries"]},
            "at_desks": {each[role] for each in status["pairings"] for role in ROLES},
            "states": STATES,
            "marks": MARKS,
            "coming": _coming(status["next"], texts),
            "checks": checks,
            "lacking": lacking,
            "first_lacking": joined([each["what"] for each in lacking[:6]], ", "),
            "doubtful": [each for each in checks if each["level"] == "yellow"],
            "why_not": {
                action: order.why_not(conductor.state, now_ns) for action, order in orders.items()
            },
            "orders": orders,
            "groups": GROUPS,
            "result_orders": [orders[action] for action in RESULT_ORDERS],
            "choices": _choices(status, self._log.talks(), texts),
            "form": form,
        }
        parts = {name: render(f"organizer/part_{name}.html", context) for name in names}
        speed = self._server.clock.speed if status["phase"] in RUNNING else 0.0
        return Rendering(parts, status["remaining"], speed)

    async def _home(self, _request: web.Request, session: Session) -> web.Response:
        rendering = await self.render_parts(session.texts, session.form)
        return self._respond(
            *("home.html", "", session),
            parts=_markup(rendering.parts),
            left=rendering.left,
            running=rendering.speed,
        )

    async def _shown(
        self, lives: Mapping[str, LivePage], request: web.Request
    ) -> web.StreamResponse:
        """Serves a socket that sends a page its updates, in the session's language."""
        session, sessions = self._login.session(request, use=False), self._login.sessions
        async with open_socket(request) as socket:
            if session is None:
                await close(socket, LOGGED_OUT)
            elif sum(live.viewers for live in lives.values()) >= MOST_VIEWERS:
                await close(socket, CROWDED)
            else:
                live = lives[session.texts.language]
                await show(socket, live, partial(sessions.is_open, session), LOGGED_OUT)
        return socket

    # Orders

    async def _order(self, request: web.Request, session: Session) -> web.Response:
        in_json, form = wants_json(request), dict[str, str]()
        try:
            form = await checked_form(request, session)
            # Read the order first, so that nobody has to confirm an order that can't be read.
            given = order_of_form(form, session.texts.language)
            order = orders_in(session.texts.language)[given.order.action]
            sure = form.get("sure") == "yes" or not confirmation_warning(given)
            warning = "" if sure else order.warning
            if warning and in_json:
                return web.json_response({"confirm": warning}, headers=SECRET)
            if warning:
                fields = {name: value for name, value in form.items() if name != "sure"}
                return self._respond("confirm.html", "", session, order=order, fields=fields)
            answer = await self._controls.perform(given, session.who)
        except (Refused, ContestError) as exc:
            why = said(exc, session.texts)
            if in_json:
                status = exc.status if isinstance(exc, Refused) else status_of(exc)
                return refuse_in_json(status, why)
            session.message = (why, False)
            return redirect_to_board("/codes" if request.query.get("from") == "codes" else "")
        done, code = done_in_words(given, answer, session.texts), answer.get("code")
        if in_json:
            told = {"done": done} if code is None else {"done": done, "code": code}
            return web.json_response(told, headers=SECRET)
        full = done if code is None else f"{done}: {code}"
        session.message = (session.texts.plain("board.script.done", done=full), True)
        return redirect_to_board("")

    # Log and result

    async def _log_page(self, request: web.Request, session: Session) -> web.Response:
        wanted = read_filter(request.query)
        log = await asyncio.to_thread(self._log.page, wanted, session.texts)

        def address(page: int) -> str:
            return f"{HOME}/log?{urlencode({**asdict(wanted), 'page': page})}"

        return self._respond(
            *("log.html", "/log", session),
            wanted=wanted,
            log=log,
            events=[(event, in_words(event, texts=session.texts)) for event in log.events],
            kinds=self._log.kinds(),
            talks=[(talk, talk_in_words(talk, session.texts)) for talk in self._log.talks()],
            newer=address(log.number - 1) if log.number > 1 else "",
            older=address(log.number + 1) if log.number < log.last else "",
        )

    async def _result_page(self, _request: web.Request, session: Session) -> web.Response:
        parts = (await self.render_result(session.texts, session.form)).parts
        return self._respond("result.html", "/result", session, parts=_markup(parts))

    async def render_result(self, texts: Texts, form: str = "") -> Rendering:
        """Renders the parts of the result's page; recomputes the result only after new events."""
        events = list(self._log.events)
        number, part = self._results.get(texts.language, (-1, ""))
        if number != len(events):
            part = await asyncio.to_thread(result_part, events, texts)
            self._results[texts.language] = (len(events), part)
        parts = (await self.render_parts(texts, form, RESULT_PARTS)).parts
        return Rendering({"result": part, **parts})

    # Codes

    async def _codes(self, request: web.Request, session: Session) -> web.Response:
        own, scheme = _consoles_address(request), "wss://" * request.secure
        others = await asyncio.to_thread(machine_addresses)
        found = reachable_addresses(self._server.address, others, socket.gethostname())
        at_home = host_of(own.removeprefix(scheme)) in ("localhost", "127.0.0.1", "::1")
        used, say = self._controls.codes(), session.texts.plain
        choices = [(each["name"], f"{each['name']}, {say(_role(each))}") for each in used]
        return self._respond(
            *("codes.html", "/codes", session),
            addresses=[*(scheme + each for each in found), own] if at_home else [own],
            used=used,
            order=orders_in(session.texts.language)["codes"],
            choices={"codes": choices},
        )

    async def _cards(self, request: web.Request, session: Session) -> web.Response:
        """Cards for all seats and links, to print and cut. The codes that control the contest are
        not included."""
        try:
            form = await checked_form(request, session)
        except Refused as exc:
            session.message = (said(exc, session.texts), False)
            return redirect_to_board("/codes")
        settings, given = self._server.settings, self._controls.keyring.codes
        roles = (
            (settings.judge, "judge"),
            (settings.confederate, "confederate"),
            (settings.entry, "link"),
        )
        address = form.get("address", "").strip()[:200] or _consoles_address(request)
        page = f"http{'s' * request.secure}://{address.removeprefix('wss://')}{SIT}"
        cards = [
            {"name": each.id, "role": role, "code": given[each.id], "page": ""}
            for table, role in roles
            for each in table
            if each.id in given
        ]
        for card in cards:
            if card["role"] in settings.seats.in_browser:
                card["page"] = f"{page}#{card['code']}"
                card["qr"] = Markup(
                    segno.make(card["page"], micro=False).svg_inline(border=2, omitsize=True)
                )
        return self._respond(
            *("cards.html", "/codes", session),
            cards=cards,
            address=address,
            certificate=format_fingerprint(self._server.fingerprint),
        )

    # Downloads

    async def _files(self, _request: web.Request, session: Session) -> web.Response:
        return self._respond(
            *("files.html", "/files", session),
            busy=self._busy(session.texts),
            exports=downloads.EXPORTS,
            entries=self._server.settings.entry,
            revealed=self._server.conductor.state.revealed,
        )

    async def _export(self, request: web.Request, session: Session) -> web.Response:
        form = request.match_info["form"]
        if form not in downloads.EXPORTS:
            return refuse_in_json(404, session.texts.plain("board.files.no_format"))
        return await self._download(session, form)

    async def _wire(self, request: web.Request, session: Session) -> web.Response:
        number, entries = int(request.match_info["number"]), self._server.settings.entry
        if not 1 <= number <= len(entries):
            return refuse_in_json(404, session.texts.plain("board.files.no_entry"))
        if not self._server.conductor.state.revealed:
            session.message = (session.texts.plain("board.files.not_yet"), False)
            return redirect_to_board("/files")
        return await self._download(session, "", entries[number - 1].id)

    async def _download(self, session: Session, form: str, entry: str = "") -> web.Response:
        url = record_url(self._server.folder, self._server.settings.record.database)
        try:
            # One at a time: they use a lot of the machine's capacity.
            async with self._one_download_at_a_time:
                if why := self._busy(session.texts):
                    raise WrongMoment(session.texts.plain("board.files.busy", state=why))
                made = await worker.call(
                    downloads.make,
                    downloads.TIME_LIMIT,
                    downloads.TIMEOUT_MESSAGE,
                    url,
                    form,
                    entry,
                )
        except ContestError as exc:
            session.message = (said(exc, session.texts), False)
            return redirect_to_board("/files")
        headers = {
            "Content-Disposition": f'attachment; filename="{made.name}"',
            "Content-Type": made.type,
        }
        return web.Response(body=made.content, headers={**SECRET, **headers})

    def _busy(self, texts: Texts) -> str:
        """Why downloads are not available now (a round is on, and keys go first), or empty."""
        status = self._server.overview.status()
        on = status["phase"] in ("waiting", "interaction", "paused", "scoring")
        return headline(status, texts) if on else ""


def read_filter(query: Mapping[str, str]) -> Filter:
    """Reads the log's filter from a query; unusable values are ignored."""
    page = query.get("page", "1")
    number = min(int(page), LAST_PAGE) if page.isascii() and page.isdigit() else 1
    kind, who, text, talk = (
        query.get(n, "").strip()[:200] for n in ("kind", "who", "text", "talk")
    )
    return Filter(kind, who, text, talk, number)


def headline(status: Mapping[str, Any], texts: Texts) -> str:
    """The `words` of the contest's status as a heading in a language."""
    return begin(said(status["words"], texts))


def done_in_words(given: Given, answer: Mapping[str, Any], texts: Texts) -> str:
    """The message after an order was carried out, without a full stop."""
    if texts.language == "en":
        return str(answer["done"])
    if "proposed" in answer:
        return texts.plain("board.orders.proposed", number=answer["proposed"])
    shown = ", ".join(step_in_words(each, texts) for each in answer.get("shown", ()))
    done = orders_in(texts.language)[given.order.action].done
    return done.format_map({**given.values, "shown": shown})


def _role(each: Mapping[str, Any]) -> str:
    return f"board.roles.{each['role']}"


def _coming(following: Mapping[str, int] | str | None, texts: Texts) -> str:
    """The next round or the ranking, which `start` would begin, in words; empty if nothing is
    left."""
    if following is None or isinstance(following, str):
        return texts.plain("board.now.coming_ranking") if following else ""
    number, attempt = following["round"], following["attempt"]
    name = "coming_attempt" if attempt > 1 else "coming_round"
    return texts.plain(f"board.now.{name}", round=number, attempt=attempt)


def _choices(
    status: Mapping[str, Any], talks: Iterable[str], texts: Texts
) -> dict[str, list[tuple[str, str]]]:
    """The choices in the orders' forms: lists of (value, words)."""
    say = texts.plain
    seats, talks = status["seats"], list(talks)
    attempts = dict.fromkeys(".".join(talk.split(".")[:2]) for talk in talks)
    ballots = [s["seat"] for s in seats if s["role"] == "judge" and status["phase"] == "ranking"]
    return {
        "talks": [
            *(
                (each, say("board.orders.whole", attempt=_attempt(each, texts)))
                for each in attempts
            ),
            *((talk, talk_in_words(talk, texts)) for talk in talks),
            *((each, say("board.orders.ballot", judge=each)) for each in ballots),
        ],
        "programs": [
            (each["entry"], f"{each['entry']}, {each['name'] or say('board.orders.nameless')}")
            for each in status["entries"]
            if each["program"] is not None
        ],
        "people": [
            (each["seat"], f"{each['seat']}, {say(_role(each))}, {each['name']}") for each in seats
        ],
    }


def _attempt(name: str, texts: Texts) -> str:
    number, attempt = name.split(".")[:2]
    key = "attempt" if attempt == "1" else "attempts"
    return texts.plain(f"board.orders.{key}", round=number, attempt=attempt)


def talk_in_words(name: str, texts: Texts) -> str:
    """A talk's id in words, without revealing the entity."""
    judge, side = name.split(".")[2:]
    return texts.plain(f"board.orders.talk_{side}", attempt=_attempt(name, texts), judge=judge)


def result_part(events: Sequence[Event], texts: Texts) -> str:
    """Renders the current tally as part of a page.

    Arguments:
        events: the record's events; keys may be missing, because they don't matter here.
        texts: the texts of the language.
    """
    try:
        contest = Contest.of(ListLog(events))
        tally = contest.tally
    except RecordTrouble as exc:
        nothing = {"trouble": exc, "final": False, "open": [], "tally": None}
        return render("organizer/part_result.html", nothing | in_language(texts))
    document: dict[str, Any] = tally.as_json()
    standings = {each["entry"]: each for each in document["entries"]}
    prizes = scheduler.explain_prizes(tally, contest.prizes) if contest.is_final else []
    context = {
        **in_language(texts),
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
    """Marks parts as HTML. Our own templates made them, with all text escaped."""
    return {name: Markup(html) for name, html in parts.items()}


def _consoles_address(request: web.Request) -> str:
    """The address by which the organizer's browser reached this server, in the consoles' form."""
    scheme = "wss://" if request.secure else ""
    return scheme + request.headers.get("host", "")[:200]
