"""Common code of several commands: sending orders to a server, and formatting times and levels."""

from __future__ import annotations

import asyncio
import datetime as dt
import http.client
import json
import ssl
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from typing import Any
from urllib.parse import urlsplit

import click
import msgspec

from contest.errors import BadOrder, EnvironmentProblem, WrongMoment
from contest.net.addresses import ControlAddress
from lpp.connection import fingerprint_of, untrusted_error

#: Seconds of real time in which a server must answer. (A restart waits up to five for the program
#: to end.)
ANSWER_TIMEOUT = 30.0


def send(address: ControlAddress, order: Mapping[str, Any]) -> dict[str, Any]:
    """Sends an order to a server.

    Arguments:
        address: the server's address, with code and trust.
        order: see contest.organizer.controls.

    Returns:
        Its answer.

    Raises:
        BadOrder: if the server does not know the order, or the address or the code is wrong.
        WrongMoment: if the order is not possible now.
        Untrusted: if the server is not trusted; the code was not sent.
        EnvironmentProblem: if no server answers.
    """
    try:
        parts = urlsplit(address.server)
        host, port = parts.hostname, parts.port
    except ValueError:
        host, port = None, None
    if not host or parts.scheme not in ("http", "https"):
        raise BadOrder(
            f"{address.server!r} is not a server's address; write it as http://HOST:PORT"
        )
    if not address.code.isascii() or not address.code.isprintable():
        raise BadOrder(
            "this is not the organizer's code: codes contain only letters, digits and hyphens"
        )
    connect: Callable[..., http.client.HTTPConnection] = http.client.HTTPConnection
    if parts.scheme == "https":
        connect = partial(http.client.HTTPSConnection, context=address.trust.context())
    connection = connect(host, port, timeout=ANSWER_TIMEOUT)
    answer: dict[str, Any] | None = None
    try:
        connection.connect()
        # Check before sending the code.
        secured = connection.sock if isinstance(connection.sock, ssl.SSLSocket) else None
        address.trust.check(secured)
        headers = {"Authorization": f"Bearer {address.code}", "Content-Type": "application/json"}
        connection.request("POST", "/control", json.dumps(order).encode(), headers)
        with connection.getresponse() as response:
            status, content = response.status, response.read()
    except ssl.SSLCertVerificationError as exc:
        raise untrusted_error(
            address.server, exc, asyncio.run(fingerprint_of(address.server))
        ) from None
    except (OSError, http.client.HTTPException, ValueError) as exc:
        hint = "; if it uses TLS, its address must begin with https://"
        if isinstance(exc, ConnectionRefusedError):
            hint = "; if it has ended, `loebner serve` continues the contest"
        elif not isinstance(exc, http.client.RemoteDisconnected):
            hint = ""
        raise EnvironmentProblem(
            f"{address.server}: the server can't be reached ({exc}){hint}"
        ) from None
    finally:
        connection.close()
    with suppress(msgspec.DecodeError, UnicodeDecodeError):
        answer = msgspec.json.decode(content, type=dict[str, Any])
    if status == http.client.OK and answer is not None:
        return answer
    words = f"the server answered {status}: is this a contest's server?"
    if answer is not None and isinstance(answer.get("error"), str):
        words = answer["error"]
    if status == http.client.CONFLICT:
        raise WrongMoment(words)
    if status in (http.client.BAD_REQUEST, http.client.UNAUTHORIZED):
        raise BadOrder(words)
    raise EnvironmentProblem(f"{address.server}: {words}")


def time_of_day(at: str) -> str:
    """This machine's local time as `HH:MM:SS`, from a time in the record (RFC 3339, in UTC)."""
    return f"{dt.datetime.fromisoformat(at).astimezone():%H:%M:%S}"


def level_mark(level: str) -> str:
    """A check's level, padded, in its colour; RED is in capitals for people who see no colours."""
    shown = level.upper() if level == "red" else level
    return click.style(shown, fg=level, bold=level == "red") + " " * (8 - len(shown))
