"""The server's socket for links: at `/link`, as docs/reference/link.md has it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from aiohttp import web

from contest.links.link import LINK, Link, join_link
from contest.net.codes import CodeTable
from contest.net.web import Porter


def link_route(
    links: Mapping[str, Link],
    codes: CodeTable,
    porter: Porter | None = None,
    speed: float = 1.0,
) -> web.RouteDef:
    """Where the server takes links.

    Arguments:
        links: entry id to its link.
        codes: of the links.
        porter: what all doors have together; one of its own if left out.
        speed: seconds of contest time in a second: entries type so much faster.
    """
    keeper = porter or Porter()
    join = partial(join_link, links, keeper.limits.link.faster(speed))

    async def link(request: web.Request) -> web.StreamResponse:
        return await keeper.attend(request, LINK, codes, join)

    return web.get("/link", link)
