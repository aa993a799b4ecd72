"""What every HTTP request meets before it comes to a door: methods, its body, and where it is from.

Nothing that the server serves needs more than GET and POST, nor a long body; and no page of another
server has any business here.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping
from urllib.parse import urlsplit

from starlette.requests import ClientDisconnect
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocketDisconnect

from contest.doors.limits import Limits

log = logging.getLogger(__name__)

METHODS = ("GET", "HEAD", "POST")


class Guard:
    """An application behind limits.

    A body comes to the application as a whole, or not at all.

    Arguments:
        app: the application.
        limits: of the body, and of the time for it.
    """

    def __init__(self, app: ASGIApp, limits: Limits) -> None:
        self._app = app
        self._limits = limits

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """As ASGI has it."""
        if scope["type"] == "websocket" and (_is_strange(scope) or self._is_long(scope)):
            # Refused before it is accepted, which HTTP knows as 403.
            await receive()
            await send({"type": "websocket.close", "code": 1008})
            return
        if scope["type"] == "websocket":
            await self._socket(scope, receive, send)
            return
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        refusal = self._refusal(scope)
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
        if scope["method"] not in METHODS:
            return _say(405, f"there are {', '.join(METHODS)}", {"Allow": ", ".join(METHODS)})
        if self._is_long(scope):
            return _say(431, f"a request's head has {self._limits.head} bytes at most")
        if scope["method"] == "POST" and _is_strange(scope):
            return _say(403, "this comes from a page of another server")
        return None

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


def _is_strange(scope: Scope) -> bool:
    """Whether a browser has sent this from another server's page. Programs say nothing of it."""
    headers: dict[bytes, bytes] = dict(scope["headers"])
    origin = headers.get(b"origin")
    if origin is None:
        return False
    try:
        return urlsplit(origin.decode("latin-1")).netloc != headers.get(b"host", b"").decode(
            "latin-1"
        )
    except ValueError:
        return True


def _say(status: int, words: str, more: Mapping[str, str] | None = None) -> JSONResponse:
    # What is left of the request is not waited for.
    headers = {"Connection": "close", **(more or {})}
    return JSONResponse({"error": words}, status_code=status, headers=headers)
