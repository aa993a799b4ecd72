"""An order's way to the server, by HTTP."""

from __future__ import annotations

import http.client
import json
import urllib.error
import urllib.request
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from contest.door import Door
from contest.errors import BadOrder, Surroundings, WrongMoment

#: Seconds of real time that a server has to answer. A program that is started anew has five to end.
PATIENCE = 30.0


def send(door: Door, order: Mapping[str, Any]) -> dict[str, Any]:
    """Gives an order to a server.

    Arguments:
        door: where.
        order: see contest.controls.

    Returns:
        Its answer.

    Raises:
        BadOrder: if the server knows no such thing, or the address or the code is wrong.
        WrongMoment: if it can't be had now.
        Surroundings: if no server answers.
    """
    parts = urlsplit(door.server)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise BadOrder(f"{door.server!r} is no address of a server: http://HOST:PORT")
    if not door.code.isascii() or not door.code.isprintable():
        raise BadOrder("this is not the organizer's code: it is letters, digits and hyphens")
    request = urllib.request.Request(
        f"{parts.scheme}://{parts.netloc}/control",
        data=json.dumps(order).encode(),
        headers={"Authorization": f"Bearer {door.code}", "Content-Type": "application/json"},
    )
    # A contest's server stands in the same room: no proxy's business.
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(request, timeout=PATIENCE) as response:
            answer: dict[str, Any] = json.load(response)
            return answer
    except urllib.error.HTTPError as exc:
        with exc:
            words = _words(exc)
        if exc.code == http.client.CONFLICT:
            raise WrongMoment(words) from None
        if exc.code in (http.client.BAD_REQUEST, http.client.UNAUTHORIZED):
            raise BadOrder(words) from None
        raise Surroundings(f"{door.server}: {words}") from None
    except (OSError, http.client.HTTPException, ValueError) as exc:
        reason = getattr(exc, "reason", exc)
        raise Surroundings(f"{door.server}: the server can't be reached ({reason})") from None


def _words(refusal: urllib.error.HTTPError) -> str:
    try:
        return str(json.load(refusal)["error"])
    except (ValueError, LookupError, TypeError, OSError):
        return f"the server answered {refusal.code}: is this a contest's server?"
