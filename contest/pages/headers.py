"""What every answer says to the browser about itself.

The policy lets a page load what this server serves beside it, and nothing else: no script and no
style in a page, nothing from elsewhere, no frame around it, and forms only to this server. No other
server learns by a referrer where somebody was; this one may, for a browser that names no referrer
does not say either from which page a form comes, and that is looked at.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

POLICY = "; ".join(
    (
        "default-src 'none'",
        *(f"{kind}-src 'self'" for kind in ("script", "style", "img", "connect", "font")),
        "frame-ancestors 'none'",
        "base-uri 'none'",
        "form-action 'self'",
    )
)

#: On every answer, of pages and of all else.
HEADERS: Mapping[str, str] = MappingProxyType(
    {
        "Content-Security-Policy": POLICY,
        "X-Content-Type-Options": "nosniff",
        "X-Frame-Options": "DENY",
        "Referrer-Policy": "same-origin",
        "Cross-Origin-Opener-Policy": "same-origin",
        "Cross-Origin-Resource-Policy": "same-origin",
        "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    }
)

#: On an answer that nobody's cache may keep.
SECRET: Mapping[str, str] = MappingProxyType({"Cache-Control": "no-store"})


class SecurityHeaders:
    """Puts `HEADERS` on every answer of an application that lacks them.

    Arguments:
        app: the application, or a part of it.
        secret: whether no answer of it may be kept by a cache.
    """

    def __init__(self, app: ASGIApp, secret: bool = False) -> None:
        self._app = app
        self._headers = {**HEADERS, **(SECRET if secret else {})}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """As ASGI has it."""

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in self._headers.items():
                    headers.setdefault(name, value)
            await send(message)

        await self._app(scope, receive, with_headers if scope["type"] == "http" else send)
