"""What every request meets before it comes to a page: methods, its size, the name by which it asks
for this server, and where it is from.

Nothing that the server serves needs more than GET and POST, nor a long body; and no page of another
server has any business here.
"""

from __future__ import annotations

import asyncio

from aiohttp import hdrs, web
from aiohttp.typedefs import Handler, Middleware

from contest.net.hosts import Hosts
from contest.net.limits import Limits
from contest.net.transports import Line

METHODS = ("GET", "HEAD", "POST")


def guard(limits: Limits, hosts: Hosts) -> Middleware:
    """The middleware that looks at requests; a body comes to the page as a whole, or not at all.

    Arguments:
        limits: of a request, and of the time for it.
        hosts: this server's names.
    """

    def refusal(request: web.Request) -> web.Response | None:
        if request.method not in METHODS:
            known = ", ".join(METHODS)
            return _say(405, f"there are {known}", {"Allow": known})
        # The library limits each line; this is all of them.
        head = len(request.raw_path) + sum(len(n) + len(v) for n, v in request.raw_headers)
        if head > limits.head:
            return _say(431, f"a request's head has {limits.head} bytes at most")
        words = _strange(request, hosts)
        return _say(403, words) if words else None

    @web.middleware
    async def guarded(request: web.Request, handler: Handler) -> web.StreamResponse:
        line = Line.of(request)
        if line is None:
            raise ConnectionResetError("the other end went before it was answered")
        with line.busy():
            if (refused := refusal(request)) is not None:
                return refused
            try:
                async with asyncio.timeout(limits.request):
                    await request.read()
            except TimeoutError:
                return _say(408, "the request took too long")
            except web.HTTPRequestEntityTooLarge:
                return _say(413, f"a request has {limits.body} bytes at most")
            return await handler(request)

    return guarded


def _strange(request: web.Request, hosts: Hosts) -> str:
    """The refusal for a browser that asks for another server, or that another server's page sent
    here; empty where nothing is wrong.

    Programs that say nothing of where they come from are no danger: they have nobody's cookies.
    """
    host, origin = request.headers.get(hdrs.HOST, ""), request.headers.get(hdrs.ORIGIN)
    own = request.get_extra_info("sockname") or ("",)
    socket = request.headers.get(hdrs.UPGRADE, "").lower() == "websocket"
    if not (socket and origin is None) and not hosts.knows(host, own[0]):
        return _not_known(host)
    if not socket and request.method != "POST":
        return ""
    if origin is not None and not hosts.trusts(origin, host):
        return _not_known(origin.rpartition("/")[2])
    if request.headers.get("Sec-Fetch-Site", "none") not in ("same-origin", "none"):
        return "this comes from a page of another site"
    return ""


def _not_known(name: str) -> str:
    return (
        f"this server does not know the name {name[:200]!r}: use an address that the server prints "
        "when it starts; if the name is right, add it to names in [server] of contest.toml, and "
        "start the server again"
    )


def _say(status: int, words: str, more: dict[str, str] | None = None) -> web.Response:
    answer = web.json_response({"error": words}, status=status, headers=more)
    answer.force_close()  # what is left of the request is not waited for
    return answer
