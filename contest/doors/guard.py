"""What every HTTP request meets before it comes to a door: methods, its body, the name by which it
asks for this server, and where it is from.

Nothing that the server serves needs more than GET and POST, nor a long body; and no page of another
server has any business here.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping

from starlette.requests import ClientDisconnect
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocketDisconnect

from contest.doors.hosts import Hosts
from contest.doors.limits import Limits

log = logging.getLogger(__name__)

METHODS = ("GET", "HEAD", "POST")


class Guard:
    """An application behind limits.

    A body comes to the application as a whole, or not at all.

    Arguments:
        app: the application.
        limits: of the body, and of the time for it.
        hosts: this server's names.
    """

    def __init__(self, app: ASGIApp, limits: Limits, hosts: Hosts) -> None:
        self._app = app
        self._limits = limits
        self._hosts = hosts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """As ASGI has it."""
        refusal = self._refusal(scope) if scope["type"] in ("http", "websocket") else None
        if scope["type"] == "websocket":
            if refusal is not None:
                await receive()
                await refusal(scope, receive, send)
                return
            await self._socket(scope, receive, send)
            return
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        body = b""
        if refusal is None:
            try:
                async with asyncio.timeout(self._limits.request):
                    body = await self._body(receive)
            except TimeoutError:
                refusal = _say(408, "the request took too long")
            except ClientDisconnect:
                return
            except _TooLong:
                refusal = _say(413, f"a request has {self._limits.body} bytes at most")
        if refusal is not None:
            await refusal(scope, receive, send)
            return
        waiting: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

        async def receive_rest() -> Message:
            return waiting.pop() if waiting else await receive()

        try:
            await self._app(scope, receive_rest, send)
        except ClientDisconnect:
            log.debug("the other end went before it was answered")

    async def _socket(self, scope: Scope, receive: Receive, send: Send) -> None:
        """A WebSocket whose other end may break off, or break the protocol, at any moment: what is
        sent then meets a closed connection, and that is no mistake of whoever sends."""
        gone = False

        async def sent(message: Message) -> None:
            nonlocal gone
            try:
                await send(message)
            except OSError:
                gone = True
                raise
            except RuntimeError as exc:
                if message["type"] not in ("websocket.send", "websocket.close"):
                    raise
                gone = True
                # Which starlette takes for a connection that is gone, and uvicorn does not say.
                raise OSError("the connection is closed") from exc

        try:
            await self._app(scope, receive, sent)
        except (RuntimeError, WebSocketDisconnect) as exc:
            if not gone:
                raise
            log.debug("the other end went: %s", exc)

    def _refusal(self, scope: Scope) -> JSONResponse | None:
        method = scope.get("method", "GET")
        if method not in METHODS:
            return _say(405, f"there are {', '.join(METHODS)}", {"Allow": ", ".join(METHODS)})
        if self._is_long(scope):
            return _say(431, f"a request's head has {self._limits.head} bytes at most")
        words = self._strange(scope)
        return _say(403, words) if words else None

    def _strange(self, scope: Scope) -> str:
        """What is said to a browser that asks for another server, or was sent here by another
        server's page; empty where nothing is wrong.

        Programs that say nothing of where they come from are no danger: they have nobody's cookies.
        """
        headers = {name: value.decode("latin-1") for name, value in scope["headers"]}
        host, origin = headers.get(b"host", ""), headers.get(b"origin")
        local = (scope.get("server") or ("",))[0]
        socket = scope["type"] == "websocket"
        if not (socket and origin is None) and not self._hosts.knows(host, local):
            return _not_known(host)
        if not socket and scope["method"] != "POST":
            return ""
        if origin is not None and not self._hosts.trusts(origin, host):
            return _not_known(origin.rpartition("/")[2])
        if headers.get(b"sec-fetch-site", "none") not in ("same-origin", "none"):
            return "this comes from a page of another site"
        return ""

    def _is_long(self, scope: Scope) -> bool:
        # uvicorn counts what it has to wait for alone.
        parts = [scope.get("raw_path") or b"", scope["query_string"]]
        for header in scope["headers"]:
            parts += header
        return sum(map(len, parts)) > self._limits.head

    async def _body(self, receive: Receive) -> bytes:
        body, more = b"", True
        while more:
            message = await receive()
            if message["type"] == "http.disconnect":
                raise ClientDisconnect
            body += message.get("body", b"")
            if len(body) > self._limits.body:
                raise _TooLong
            more = message.get("more_body", False)
        return body


class _TooLong(Exception):
    """A body is too long."""


def _not_known(name: str) -> str:
    return (
        f"this server does not know the name {name[:200]!r}: use an address that the server prints "
        "when it starts; if the name is right, add it to names in [server] of contest.toml, and "
        "start the server again"
    )


def _say(status: int, words: str, more: Mapping[str, str] | None = None) -> JSONResponse:
    # What is left of the request is not waited for.
    headers = {"Connection": "close", **(more or {})}
    return JSONResponse({"error": words}, status_code=status, headers=headers)
