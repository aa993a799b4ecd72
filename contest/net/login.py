"""Logging in to the board by a code, sessions, and forms from our own pages.

A session is a random token, of which only a hash is kept. It ends after `IDLE` seconds without use.
"""

from __future__ import annotations

import hashlib
import math
import secrets
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from urllib.parse import parse_qsl

from aiohttp import web

from contest.net.codes import CodeTable
from contest.net.limits import TooBusy
from contest.net.web import Access
from contest.pages import HEADERS, SECRET, in_language, redirect, respond, texts_for
from texts import Sentence, Texts, load, said

HOME = "/board"
#: Seconds without a page or an order after which a session ends; longer than a round and a break.
IDLE = 2 * 3600.0
#: The maximum numbers of bytes and of fields in a form.
FORM_LIMIT, FIELD_LIMIT = 16_384, 40


@dataclass
class Session:
    """The session of a person who has logged in with a code.

    Attributes:
        who: whose code it was, such as `organizer`.
        used: when it was last used.
        texts: the texts of its language.
        form: a secret that each form of this session's pages sends back; no other page knows it.
        message: the message for the next page, and whether it reports success.
    """

    who: str
    used: float
    texts: Texts = field(default_factory=load)
    form: str = field(default_factory=lambda: secrets.token_urlsafe(24))
    message: tuple[str, bool] | None = None


class Sessions:
    """All open sessions.

    Arguments:
        now: a monotonic clock, in seconds of real time.
    """

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._sessions: dict[str, Session] = {}

    def open(self, who: str, texts: Texts) -> str:
        """Opens a session; returns its token for the cookie. Only a hash of it is kept."""
        self._sessions = {key: each for key, each in self._sessions.items() if self.is_open(each)}
        token = secrets.token_urlsafe(32)
        self._sessions[_hash(token)] = Session(who, self._now(), texts)
        return token

    def find(self, token: str, *, use: bool = True) -> Session | None:
        """The open session of a cookie's token; `use` restarts its idle time."""
        session = self._sessions.get(_hash(token))
        if session is None or not self.is_open(session):
            return None
        if use:
            session.used = self._now()
        return session

    def close(self, session: Session) -> None:
        """Ends a session."""
        session.used = -math.inf

    def close_all(self, who: str) -> None:
        """Ends all sessions that were opened with a person's code."""
        for session in self._sessions.values():
            if session.who == who:
                self.close(session)

    def is_open(self, session: Session) -> bool:
        """Whether a session is still open."""
        return session.used > self._now() - IDLE


def _hash(token: str) -> str:
    return hashlib.sha256(token.encode("utf-8", "surrogateescape")).hexdigest()


class Refused(Exception):
    """A form is refused. The text is for a person; `status` is the HTTP status; `form` has the
    fields if they could be read, so that they need not be typed again."""

    def __init__(self, status: int, words: str, form: Mapping[str, str] | None = None) -> None:
        super().__init__(words)
        self.status = status
        self.form = form or {}


class Login:
    """Lets people log in.

    Arguments:
        access: checks codes, and delays the answers to wrong ones.
        table: the codes of the people who may log in.
        title: the contest's name.
        whose: the owner of these codes.
    """

    def __init__(
        self, access: Access, table: CodeTable, title: str, whose: str = "organizer"
    ) -> None:
        self._access, self._table = access, table
        self._title, self._whose = title, whose
        self.sessions = Sessions()

    # Sessions

    def session(self, request: web.Request, *, use: bool = True) -> Session | None:
        """The session that a request belongs to, or None; `use` as for `Sessions.find`."""
        token = request.cookies.get(_cookie(request), "")
        session = self.sessions.find(token, use=use) if token else None
        if session is not None:
            self._access.admit(request)
        return session

    def require_session(
        self, page: Callable[[web.Request, Session], Awaitable[web.Response]]
    ) -> Callable[[web.Request], Awaitable[web.Response]]:
        """Restricts a page to sessions; everybody else is sent to the log-in form."""

        async def guarded(request: web.Request) -> web.Response:
            session = self.session(request)
            if session is None:
                if wants_json(request):
                    return refuse_in_json(401, texts_for(request).plain("board.login.out"))
                return redirect_to_board("/login")
            if "lang" in request.query:
                session.texts = texts_for(request)
            return await page(request, session)

        return guarded

    # Logging in and out

    async def login_page(self, request: web.Request) -> web.Response:
        """The log-in form."""
        if self.session(request) is not None:
            return redirect_to_board("")
        return self._form(request)

    async def login(self, request: web.Request) -> web.Response:
        """Checks the code from the log-in form; wrong codes are answered with a delay."""
        try:
            form = await read_form(request)
        except Refused as exc:
            return self._form(request, said(exc, texts_for(request)), exc.status)
        try:
            who = await self._access.check_code(form.get("code", ""), self._table, request)
        except TooBusy as exc:
            return self._form(request, said(exc, texts_for(request)), 429)
        if who is None:
            own = "organizer" if self._whose == "organizer" else "other"
            return self._form(request, texts_for(request).plain(f"board.login.wrong_{own}"), 401)
        answer = redirect_to_board("")
        answer.set_cookie(
            _cookie(request),
            self.sessions.open(who, texts_for(request)),
            path=HOME,
            httponly=True,
            samesite="Strict",
            secure=request.secure,
        )
        return answer

    async def logout(self, request: web.Request) -> web.Response:
        """Ends the session."""
        session = self.session(request)
        if session is not None:
            try:
                await checked_form(request, session)
            except Refused as exc:
                return self._form(request, said(exc, texts_for(request)), exc.status)
            self.sessions.close(session)
        answer = redirect_to_board("/login")
        answer.del_cookie(_cookie(request), path=HOME, httponly=True, samesite="Strict")
        return answer

    def _form(self, request: web.Request, error: str = "", status: int = 200) -> web.Response:
        context = {"title": self._title, "error": error, "whose": self._whose}
        context |= in_language(texts_for(request))
        return respond("organizer/login.html", context, secret=True, status=status)


# Forms


async def checked_form(
    request: web.Request, session: Session, limit: int = FORM_LIMIT
) -> dict[str, str]:
    """The fields of a form of at most `limit` bytes that a page of this session has sent.

    Raises:
        Refused: if another page sent it, or it is not a form.
    """
    form = await read_form(request, limit)
    if not secrets.compare_digest(form.get("form", "").encode(), session.form.encode()):
        old = Sentence("board.refused.old")
        raise Refused(403, old, form)
    return form


async def read_form(request: web.Request, limit: int = FORM_LIMIT) -> dict[str, str]:
    """The fields of a form of at most `limit` bytes, as browsers send it; if a name comes twice,
    the last value counts.

    Raises:
        Refused: if it is not a form, or too large.
    """
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/x-www-form-urlencoded":
        raise Refused(415, Sentence("board.refused.no_form"))
    body = await request.read()
    if len(body) > limit:
        raise Refused(413, Sentence("board.refused.large", limit=limit))
    try:
        return dict(
            parse_qsl(
                body.decode("ascii"),
                keep_blank_values=True,
                errors="strict",
                max_num_fields=FIELD_LIMIT,
            )
        )
    except ValueError:
        raise Refused(400, Sentence("board.refused.unreadable")) from None


def wants_json(request: web.Request) -> bool:
    """Whether one of our scripts sent the request, not a plain form."""
    return "application/json" in request.headers.get("accept", "")


def refuse_in_json(status: int, words: str) -> web.Response:
    """A refusal for a script."""
    return web.json_response({"error": words}, status=status, headers={**HEADERS, **SECRET})


def redirect_to_board(page: str) -> web.Response:
    """Redirects a browser to one of the board's pages."""
    return redirect(HOME + page, 303, secret=True)


def _cookie(request: web.Request) -> str:
    """The cookie's name. It has the port because cookies ignore ports, and two contests may run on
    one machine."""
    return f"board-{request.url.explicit_port or 0}"
