"""The audience's routes: the page, what comes live, and the archive."""

from __future__ import annotations

import asyncio
import contextlib
import datetime as dt
import logging
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from aiohttp import web
from markupsafe import Markup

from contest.audience import frames
from contest.audience.archive import Archive
from contest.audience.feed import Feed, Full
from contest.audience.show import AT_ONCE, DELAYED
from contest.audience.viewer import Viewer
from contest.errors import ContestError
from contest.history import timeline
from contest.history.publication import Published
from contest.net.limits import Bucket, Rate
from contest.net.sockets import close, decoded, opened, received_text
from contest.pages import HEADERS, redirect, respond
from contest.record import bodies
from contest.record.events import Event
from contest.record.journal import Journal
from contest.record.store import Record
from contest.results import revealing
from contest.results.document import Results
from contest.results.revealing import Outcome, outcome_of
from contest.setup.settings import Settings
from contest.state.model import Talk
from lpp.wire import WireError
from scheduler.texts import plain

log = logging.getLogger(__name__)

PATH = "/watch"
LIVE = "/watch/live"
ARCHIVE = "/archive/"

#: Of a WebSocket's end: too many watch; a viewer said what is no frame.
_TRY_LATER, _NOT_ALLOWED = 1013, 1008
#: How often a viewer may follow other desks: as a page does while somebody scrolls.
FOLLOWING = Rate(5, 20)
_WANTED = AT_ONCE | DELAYED


def spectator_routes(
    settings: Settings,
    journal: Journal,
    record: Record,
    speed: float,
    kept: Sequence[Event],
    talks: Mapping[str, Talk],
) -> list[web.RouteDef]:
    """The audience's routes of a running contest.

    Arguments:
        settings: the contest's.
        journal: the record; the feed becomes one of its watchers.
        record: the same, for reading.
        speed: seconds of contest time in a second.
        kept: all events but key presses and their times; more of them come as they happen.
        talks: all talks, by their ids.
    """
    feed = Feed(
        journal.clock,
        speed,
        settings.spectators.delay_seconds,
        lambda until_ns: past(record, kept, until_ns),
        talks,
        journal.flushed,
        lambda: _outcome(record),
    )
    journal.watchers.append(feed.event)
    return routes_of(feed, settings, Archive(record.log))


def routes_of(feed: Feed, settings: Settings, archive: Archive) -> list[web.RouteDef]:
    """The routes of a feed and of an archive, which opens when all is revealed."""

    async def page(_request: web.Request) -> web.Response:
        try:
            whole, outcome = await feed.whole()
        except ContestError as exc:
            return _trouble(exc)
        return respond("audience/watch.html", _page(settings, whole, outcome), secret=True)

    async def live(request: web.Request) -> web.StreamResponse:
        async with opened(request) as socket:
            try:
                async with feed.watched(_follows(request)) as viewer:
                    await _serve(socket, viewer, inflates="deflate" in request.query)
            except Full:
                await close(socket, _TRY_LATER, "too many watch; try again later")
            except ContestError as exc:
                log.error("nothing can be shown to the audience: %s", exc)
                await close(socket, _TRY_LATER, "the record can't be read; try again later")
        return socket

    async def archived(request: web.Request) -> web.Response:
        try:
            whole, _ = await feed.whole()
            if not whole.archive:
                # Whoever comes too early is taken to where it will be announced.
                return redirect(PATH, 302)
            return await archive.answer(request.match_info["name"], feed.version)
        except ContestError as exc:
            return _trouble(exc)

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


def past(record: Record, kept: Sequence[Event], until_ns: int) -> list[Event]:
    """What the feed needs of a contest's past.

    Arguments:
        record: the contest's.
        kept: all events but key presses and their times, in order.
        until_ns: by when key presses are known from elsewhere, by the contest's clock.
    """
    opened = max((e.seq for e in kept if e.kind == bodies.RoundOpened.kind), default=0)
    later = max(opened, record.last_by(until_ns))
    found = [
        # Of the talks those alone that are on.
        *(e for e in kept if e.kind in _WANTED and (e.talk is None or e.seq > opened)),
        *(e for e in record.events(kind=bodies.Key.kind, after=later)),
    ]
    return sorted(found, key=lambda event: event.seq)


def _outcome(record: Record) -> Outcome:
    view = timeline.view_of(Published(record.log()))
    return outcome_of(Results(view), revealing.steps(view), revealing.shown(view))


def _trouble(exc: ContestError) -> web.Response:
    # What is wrong is the organizer's to know; the audience is asked to come again.
    log.error("nothing can be shown to the audience: %s", exc)
    words = "The record of this contest can't be read at the moment; try again later.\n"
    return web.Response(text=words, status=503, headers=HEADERS)


def _follows(request: web.Request) -> frozenset[str] | None:
    """The judges that the address names under `follow`; None without it."""
    named = request.query.get("follow")
    return None if named is None else frozenset(named.split(",")[: frames.MOST_NAMED])


async def _serve(socket: web.WebSocketResponse, viewer: Viewer, *, inflates: bool) -> None:
    """Sends a viewer's messages and takes what the viewer says, until the viewer goes."""
    sender = asyncio.create_task(_send_all(socket, viewer, inflates), name="frames to a viewer")
    now = asyncio.get_running_loop().time
    bucket = Bucket(FOLLOWING, now())
    try:
        while True:
            desks = decoded(await received_text(socket), frames.decode).desks
            # A viewer who asks too often is read more slowly.
            await asyncio.sleep(bucket.take(now()))
            viewer.follow(None if desks is None else frozenset(desks))
    except WireError:
        await close(socket, _NOT_ALLOWED, "this is no frame of a viewer")
    finally:
        sender.cancel()
        with contextlib.suppress(asyncio.CancelledError, ConnectionError):
            await sender


async def _send_all(socket: web.WebSocketResponse, viewer: Viewer, inflates: bool) -> None:
    while True:
        message = await viewer.next()
        if inflates and message.packed is not None:
            await socket.send_bytes(message.packed)
        else:
            await socket.send_str(message.text)


def _page(settings: Settings, whole: frames.Whole, outcome: Outcome) -> dict[str, Any]:
    return {
        "contest": _contest(settings),
        "show": settings.spectators.show,
        "hide_talks": not settings.spectators.show or (bool(outcome.html) and not whole.desks),
        "later": _later(settings.spectators.delay_seconds),
        "whole": whole,
        "states": list(_states(whole)),
        # A template's own text, in which all values are escaped.
        "outcome": Markup(outcome.html),
    }


def _contest(settings: Settings) -> Mapping[str, str]:
    contest = settings.contest
    date = contest.date.isoformat() if isinstance(contest.date, dt.date) else ""
    start = "" if contest.start is None else f"It begins at {contest.start:%H:%M}."
    return {
        "name": plain(contest.name),
        "where": plain(", ".join(part for part in (contest.venue, date) if part)),
        "start": start,
        "size": f"{len(settings.judge)} judges, {len(settings.entry)} programs, "
        f"{len(settings.confederate)} confederates",
    }


def _later(seconds: int) -> str:
    if seconds >= 120 and seconds % 60 == 0:
        return f"{seconds // 60} minutes"
    return f"{seconds} second{'s' * (seconds != 1)}" if seconds else ""


def _states(whole: frames.Whole) -> Iterable[str]:
    phase = whole.phase
    for number in range(1, len(whole.plan) + 1):
        if number > whole.last:
            yield "not played"
            continue
        over = phase.phase in ("ranking", "over") or number < phase.round
        if over or (number == phase.round and phase.phase == "closed"):
            yield "over"
        else:
            yield "on now" if number == phase.round else "to come"
