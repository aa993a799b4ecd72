"""Log and result of the board: their pages, and what is sent to those who have them open.

What has to be made of the record is made in a thread or a process, once for all who read the same,
and only when something has happened since.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from typing import Any, TypeAlias

from aiohttp import web

from contest.net.login import Session
from contest.organizer import forms as orders
from contest.organizer import showing
from contest.organizer.now import Live, Picture
from contest.organizer.overview import Overview
from contest.organizer.past import PAGE, Filter, History, Page
from contest.organizer.picture import choices
from contest.pages import render

#: Pages of the log that are answered at most, counted from the newest.
PAGES = 100_000
#: The parts of the page of the result that are made of the contest's state.
OF_STATE = ("proposals", "result_steps", "result_orders")
#: What can be done about a result, on its own page.
CONTROLS = ("reveal", "final", "void")

#: What somebody reads: a page of the log, its `page` 1 for the newest and 2 for any older one; None
#: for the result.
Topic: TypeAlias = Filter | None


class ReadingPages:
    """Log and result.

    Arguments:
        overview: looks at the contest.
        history: what has happened.
        respond: answers with a page: template, address on the board, session, context.

    Attributes:
        live: shows both to those who have them open.
    """

    def __init__(
        self, overview: Overview, history: History, respond: Callable[..., web.Response]
    ) -> None:
        self._overview = overview
        self._history = history
        self._respond = respond
        self._made: dict[Topic, tuple[tuple[int, int], Mapping[str, str]]] = {}
        self.live: Live[Topic] = Live(self.look)

    def routes(self) -> Mapping[str, Callable[[web.Request, Session], Awaitable[web.Response]]]:
        """Address on the board to page."""
        return {"/log": self._log, "/result": self._result}

    def sockets(self) -> Mapping[str, Callable[[web.Request], Topic]]:
        """Address of a socket on the board to what is read by it."""
        return {
            "/live/log": lambda request: _topic(asked_for(request.query)),
            "/live/result": lambda _: None,
        }

    async def look(self, topics: frozenset[Topic]) -> dict[Topic, Picture]:
        """What stands on pages now.

        Arguments:
            topics: which pages.
        """
        state = {
            topic: self._history.state("" if topic is None else topic.talk) for topic in topics
        }
        stale = [
            each for each in topics if each not in self._made or self._made[each][0] != state[each]
        ]
        if stale:
            logs = [each for each in stale if each is not None]
            pages = await self._history.pages(logs)
            made = await asyncio.to_thread(self._make, stale, pages)
            self._made |= {topic: (state[topic], made[topic]) for topic in stale}
        self._made = {topic: self._made[topic] for topic in topics}
        parts = {topic: self._made[topic][1] for topic in topics}
        if None in topics:
            parts[None] = {**parts[None], **self._of_state()}
        return {topic: Picture(each, None, 0.0) for topic, each in parts.items()}

    def _make(
        self, topics: list[Topic], pages: Mapping[Filter, Page]
    ) -> dict[Topic, dict[str, str]]:
        made: dict[Topic, dict[str, str]] = {}
        for wanted, page in pages.items():
            made[wanted] = (
                showing.log_parts(self._history, wanted, page)
                if wanted.page == 1
                else {"news": showing.news_part(wanted, page)}
            )
        if None in topics:
            made[None] = {"result": showing.result_part(list(self._history.events))}
        return made

    def _of_state(self, form: str = "") -> dict[str, str]:
        status = self._overview.status()
        context: dict[str, Any] = {
            "status": status,
            "controls": [orders.CONTROLS[action] for action in CONTROLS],
            "why_not": orders.why_not(status),
            "choices": choices(status, self._history),
            "form": form,
        }
        return {name: render(f"organizer/part_{name}.html", context) for name in OF_STATE}

    # The pages

    async def _log(self, request: web.Request, session: Session) -> web.Response:
        wanted = asked_for(request.query)
        page = (await self._history.pages([wanted]))[wanted]
        parts = showing.as_markup(showing.log_parts(self._history, wanted, page))
        return self._respond(
            "log.html",
            "/log",
            session,
            wanted=wanted,
            parts=parts,
            events=[html for name, html in parts.items() if name.startswith("event-")],
            newest=page.number == 1,
            size=PAGE,
            live=showing.address(wanted, page.number, "/live/log"),
        )

    async def _result(self, _request: web.Request, session: Session) -> web.Response:
        made = await asyncio.to_thread(showing.result_part, list(self._history.events))
        parts = {"result": made, **self._of_state(session.form)}
        return self._respond("result.html", "/result", session, parts=showing.as_markup(parts))


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


def _topic(wanted: Filter) -> Filter:
    return replace(wanted, page=1 if wanted.page <= 1 else 2)
