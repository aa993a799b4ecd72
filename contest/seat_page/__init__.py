"""A judge's or confederate's seat in the browser: the page `/sit`, which speaks the same frames as
a console (docs/reference/wire.md).

The code may come as the part of the address behind `#`, which browsers send to no server; the page
takes it out of the address at once.
"""

from __future__ import annotations

from aiohttp import web

import texts
from contest.pages import SECRET, respond
from lpp.names import NAMES

PATH = "/sit"


def sit_route() -> web.RouteDef:
    """The route of the page, in the language that the browser asks for, or `?lang=de`."""
    return web.get(PATH, _sit)


async def _sit(request: web.Request) -> web.Response:
    said = texts.load("system", _preferred(request))
    page = {
        "language": said.language,
        "say": lambda key: texts.without_mnemonics(said.forms(key)["other"]),
        "texts": {
            key: {name: texts.without_mnemonics(form) for name, form in said.forms(key).items()}
            for key in said
        },
        "names": dict(NAMES),
    }
    return respond("seat_page/sit.html", page, headers=SECRET)


def _preferred(request: web.Request) -> list[str]:
    """The languages that a browser asks for, the most wanted first."""
    wanted = []
    for part in request.headers.get("Accept-Language", "").split(","):
        tag, _, quality = part.strip().partition(";q=")
        try:
            wanted.append((-float(quality or 1), tag))
        except ValueError:
            continue
    chosen = request.query.get("lang", "")
    return [chosen, *(tag for _, tag in sorted(wanted, key=lambda each: each[0]))]
