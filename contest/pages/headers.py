"""What every answer says to the browser about itself.

The policy lets a page load what this server serves beside it, and nothing else: no script and no
style in a page, nothing from elsewhere, no frame around it, and forms only to this server. No other
server learns by a referrer where somebody was; this one may, for a browser that names no referrer
does not say either from which page a form comes, and that is looked at.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from aiohttp import web

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


def secure(app: web.Application) -> None:
    """Puts `HEADERS` on every answer of an application that lacks them."""
    app.on_response_prepare.append(_add)


async def _add(_request: web.Request, answer: web.StreamResponse) -> None:
    for name, value in HEADERS.items():
        answer.headers.setdefault(name, value)


def redirect(path: str, status: int, *, secret: bool = False) -> web.Response:
    """Sends a browser on to another page.

    Arguments:
        path: of this server.
        status: of HTTP.
        secret: whether no cache may keep the answer.
    """
    return web.Response(
        status=status, headers={**HEADERS, **(SECRET if secret else {}), "Location": path}
    )
