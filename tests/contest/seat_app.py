"""A web application for seats (also in browsers) and links only, for tests that don't need a whole
server."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial

from aiohttp import web

from contest.links.link import Link
from contest.live.seats import Seats
from contest.net.codes import CodeTable
from contest.net.sockets import BROWSER_SEAT, LINK, SEAT
from contest.net.web import Access, application
from contest.pages import static_route
from contest.seat_page import sit_route
from contest.setup.settings import ContestTable, PersonTable, PublicationTable, RulesTable, Settings
from lpp.wire import Paste


def settings_of(
    seats: Iterable[str], *, name: str = "Contest", paste: Paste = "refuse", agreement: str = ""
) -> Settings:
    """The settings of a contest of four rounds; seats whose ids begin with J are judges'."""
    people = [PersonTable(seat) for seat in seats]
    return Settings(
        ContestTable(name),
        RulesTable(rounds=4, paste=paste),
        publication=PublicationTable(text=agreement),
        judge=tuple(each for each in people if each.id.startswith("J")),
        confederate=tuple(each for each in people if not each.id.startswith("J")),
    )


def site(
    seats: Seats,
    codes: Mapping[str, str] | CodeTable,
    links: Mapping[str, Link] | None = None,
    access: Access | None = None,
) -> web.Application:
    """The application; `codes` maps seats and entries to their codes, or is a table of the seats'
    codes."""
    doors, linked = access or Access(), dict(links or {})
    seated, told = codes, CodeTable({})
    if not isinstance(codes, CodeTable):
        seated = CodeTable({name: codes[name] for name in codes.keys() & seats.seats.keys()})
        told = CodeTable({name: codes[name] for name in codes.keys() & linked.keys()})
    assert isinstance(seated, CodeTable)
    routes = [
        doors.route(SEAT, seated, seats.join),
        doors.route(BROWSER_SEAT, seated, partial(seats.join, browser=True)),
        sit_route(),
        static_route(),
        doors.route(LINK, told, lambda entry, *rest: linked[entry].connect(*rest)),
    ]
    return application(routes, doors)
