"""The audience's routes: the page, its live updates, and the archive."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Callable
from pathlib import PurePosixPath
from typing import Any

from aiohttp import web
from markupsafe import Markup

from contest.audience import frames
from contest.audience.feed import Feed, Full, Viewer
from contest.audience.show import in_words
from contest.errors import ContestError
from contest.net.limits import Bucket, Rate
from contest.net.sockets import close, open_socket, receive_frame
from contest.pages import HEADERS, TYPES, for_script, redirect, respond, texts_for
from contest.record.reading import EventLog
from contest.results.contest import Contest
from contest.results.document import Results
from contest.results.exports import Makers, site
from contest.setup.settings import Settings
from contest.tasks import running
from lpp.wire import WireError
from texts import Texts, load

log = logging.getLogger(__name__)

PATH = "/watch"
LIVE = "/watch/live"
ARCHIVE = "/archive/"

#: How often a viewer may change desks; enough for scrolling.
FOLLOWING = Rate(5, 20)
#: WebSocket close codes: too many viewers; a viewer sent something that is not a frame.
_TRY_LATER, _NOT_ALLOWED = 1013, 1008


def audience_routes(
    feed: Feed, settings: Settings, log_: Callable[[], EventLog]
) -> list[web.RouteDef]:
    """The audience's routes of a contest.

    Arguments:
        feed: the contest's feed.
        settings: the contest's settings.
        log_: returns the current record, for the archive; called in another thread.
    """
    archive = _Archive(log_)

    async def page(request: web.Request) -> web.Response:
        texts = texts_for(request)
        try:
            whole = await feed.whole(texts.language)
        except ContestError as exc:
            return _trouble(exc, texts)
        context = page_parts(texts, settings, whole)
        # Links keep the language only if this page's address names it.
        context["lang"] = f"&lang={texts.language}" if "lang" in request.query else ""
        return respond("audience/watch.html", context, secret=True)

    async def live(request: web.Request) -> web.StreamResponse:
        named = request.query.get("follow")
        follows = None if named is None else frozenset(named.split(",")[: frames.MOST_NAMED])
        async with open_socket(request) as socket:
            try:
                language = load(request.query.get("lang", "en")).language
                async with feed.watched(follows, language) as viewer:
                    await _serve(socket, feed, viewer, inflates="deflate" in request.query)
            except Full:
                await close(socket, _TRY_LATER, "there are too many viewers; try again later")
            except ContestError as exc:
                log.error("nothing can be shown to the audience: %s", exc)
                await close(socket, _TRY_LATER, "the record can't be read; try again later")
        return socket

    async def archived(request: web.Request) -> web.Response:
        try:
            if not (await feed.whole()).archive:
                # The page says when the archive opens.
                return redirect(PATH, 302)
            return await archive.answer(request.match_info["name"], feed.version)
        except ContestError as exc:
            return _trouble(exc, texts_for(request))

    async def home(_request: web.Request) -> web.Response:
        return redirect(PATH, 302)

    routes: list[web.RouteDef] = [
        web.get("/", home),
        web.get(PATH, page),
        web.get(ARCHIVE + "{name:.*}", archived),
    ]
    if settings.spectators.show:
        routes.append(web.get(LIVE, live))
    return routes


def page_parts(texts: Texts, settings: Settings, whole: frames.Whole) -> dict[str, Any]:
    """The context of the template `watch.html`.

    Arguments:
        texts: the texts of the page's language.
        settings: the contest's settings.
        whole: everything that viewers may see. Its HTML is from our own template, which escapes all
            values.
    """
    return {
        "language": texts.language,
        "say": texts.plain,
        "texts": for_script(texts, "audience."),
        "words": in_words(texts, whole.phase, len(whole.plan)),
        "settings": settings,
        "whole": whole,
        "outcome": Markup(whole.outcome),
        "lang": "",
    }


class _Archive:
    """All talks that may be published, for replay: the folder of `loebner export --format html`,
    with each file made on its first request."""

    def __init__(self, log_: Callable[[], EventLog]) -> None:
        self._log = log_
        self._lock = asyncio.Lock()
        self._site: Makers = {}
        self._version = -1
        self._made: dict[str, bytes] = {}

    async def answer(self, name: str, version: int) -> web.Response:
        """Answers with a file, or the first page for an empty name. The name is only looked up
        among the existing ones, never used as a path.

        Arguments:
            name: the name in the address.
            version: if it has changed, everything is made again, because somebody may have
                withdrawn consent, or the result may have become final.
        """
        name = name or "index.html"
        async with self._lock:
            if self._version != version:
                self._site = await asyncio.to_thread(self._make)
                self._version, self._made = version, {}
            if name not in self._site:
                return web.Response(text="there is no such file\n", status=404, headers=HEADERS)
            if name not in self._made:
                self._made[name] = await asyncio.to_thread(b"".join, self._site[name]())
        kind = TYPES.get(PurePosixPath(name).suffix, "text/plain; charset=utf-8")
        return web.Response(body=self._made[name], headers={**HEADERS, "Content-Type": kind})

    def _make(self) -> Makers:
        return site(Results(Contest.of(self._log())))


def _trouble(exc: ContestError, texts: Texts) -> web.Response:
    # The log tells the organizer what is wrong; the audience is asked to try again.
    log.error("nothing can be shown to the audience: %s", exc)
    return web.Response(text=texts("audience.unreadable") + "\n", status=503, headers=HEADERS)


async def _serve(
    socket: web.WebSocketResponse, feed: Feed, viewer: Viewer, *, inflates: bool
) -> None:
    """Sends a viewer's messages, and takes the viewer's frames, until the viewer disconnects."""

    async def send_all() -> None:
        with contextlib.suppress(ConnectionError):  # disconnected during a send
            while True:
                message = await feed.next(viewer)
                if inflates and message.packed is not None:
                    await socket.send_bytes(message.packed)
                else:
                    await socket.send_str(message.text)

    now = asyncio.get_running_loop().time
    bucket = Bucket(FOLLOWING, now())
    async with running(send_all(), "frames to a viewer"):
        try:
            while True:
                desks = (await receive_frame(socket, frames.decode)).desks
                # Viewers who send too often are read more slowly.
                await asyncio.sleep(bucket.take(now()))
                viewer.follow(None if desks is None else frozenset(desks))
        except WireError:
            await close(socket, _NOT_ALLOWED, "this is not a frame of a viewer")
