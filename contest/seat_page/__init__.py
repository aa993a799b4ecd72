"""A judge's or confederate's seat in the browser: the page `/sit`, which uses the same frames as a
console (docs/reference/wire.md).

The code may be in the part of the address after `#`, which browsers never send to a server; the
page removes it from the address at once.
"""

from __future__ import annotations

from aiohttp import web

from contest.pages import SECRET, for_script, respond, texts_for
from lpp.names import NAMES

PATH = "/sit"


def sit_route() -> web.RouteDef:
    """The route of the page, in the language that the browser asks for, or `?lang=de`."""
    return web.get(PATH, _sit)


async def _sit(request: web.Request) -> web.Response:
    said = texts_for(request)
    page = {
        "language": said.language,
        "say": said.plain,
        # The organizer's texts would reveal too much.
        "texts": {k: v for k, v in for_script(said).items() if not k.startswith("board.")},
        "names": dict(NAMES),
    }
    return respond("seat_page/sit.html", page, headers=SECRET)
