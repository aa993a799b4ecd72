"""How a console and a link connect to a contest's server: which server they trust before they say
their code (TLS at the end that connects), and how they come back when they were cut off.

A server without TLS can't be trusted or not. Of one with TLS it is asked, by what was given:

* a *fingerprint*, the SHA-256 of its certificate: that very certificate, whatever else it says;
* a *file of authorities*: a certificate that one of them has signed, for this host and in its time;
* nothing: the same, by the authorities that the system trusts.

Nothing is trusted because it was seen first. Where a certificate is not trusted, its fingerprint is
told, so that a person can compare it with the one that the server has printed.
"""

from __future__ import annotations

import asyncio
import hashlib
import os
import ssl
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from lpp.errors import YoursToFix

#: Where the file and the fingerprint may stand, beside options.
CA_VARIABLE, FINGERPRINT_VARIABLE = "LOEBNER_CA", "LOEBNER_FINGERPRINT"
#: Seconds to look at a certificate that is not trusted.
LOOKING = 5.0
#: Hex digits of a fingerprint.
_DIGITS = 64
#: Where TLS is spoken unless an address says otherwise.
_PORT = 443
#: The pauses between attempts to come back, in seconds of real time: the first, and the longest.
FIRST_PAUSE, LONGEST_PAUSE = 0.05, 2.0
#: A network can die in silence, and who talks over it should learn that soon: a ping every so many
#: seconds, and so many to answer it.
PING_INTERVAL, PING_TIMEOUT = 5.0, 10.0


class Untrusted(YoursToFix):
    """A server that is not trusted; nothing was said to it.

    Attributes:
        fingerprint: of the certificate that it shows; empty if that is not known.
    """

    def __init__(self, message: str, fingerprint: str = "") -> None:
        super().__init__(message)
        self.fingerprint = fingerprint


@dataclass(frozen=True, slots=True)
class Trust:
    """What was given.

    Attributes:
        ca: a file with the certificates of authorities, in PEM; empty for the system's.
        fingerprint: of the server's certificate, as `read_fingerprint` gives it; empty for none.
    """

    ca: str = ""
    fingerprint: str = ""

    def context(self) -> ssl.SSLContext:
        """For a connection to the server; call `check` before anything is said there.

        Raises:
            YoursToFix: if the file can't be used.
        """
        if self.fingerprint:
            return _unchecked()
        try:
            context = ssl.create_default_context(cafile=self.ca or None)
        except ssl.SSLError as exc:
            raise YoursToFix(f"{self.ca}: has no certificates in PEM ({exc.reason})") from exc
        except OSError as exc:
            raise YoursToFix(f"{self.ca}: can't be read ({exc.strerror or exc})") from exc
        context.minimum_version = ssl.TLSVersion.TLSv1_2
        return context

    def check(self, connection: ssl.SSLObject | ssl.SSLSocket | None) -> None:
        """Looks at the certificate of a connection that is there.

        Arguments:
            connection: its TLS; None for a connection without.

        Raises:
            Untrusted: if it is not the one whose fingerprint was given, or there is none.
        """
        if connection is None and (self.ca or self.fingerprint):
            raise Untrusted(
                "a certificate was asked for, and a server without TLS has none: its address "
                "begins with wss:// or https:// where it speaks TLS"
            )
        if not self.fingerprint:
            return  # the context has looked
        shown = _shown(connection)
        if shown != self.fingerprint:
            raise Untrusted(
                "the server shows another certificate than the one whose fingerprint was given: "
                f"{shown_fingerprint(shown) if shown else 'none'}",
                shown,
            )


def untrusted(url: str, exc: ssl.SSLCertVerificationError, fingerprint: str) -> Untrusted:
    """The error for a certificate that no authority vouches for; the fingerprint as
    `fingerprint_of` has found it."""
    words = f"the certificate of {url} is not trusted ({exc.verify_message})"
    if fingerprint:
        words += (
            f". Its fingerprint is {shown_fingerprint(fingerprint)}; if the server has printed the "
            "same, give that as --fingerprint"
        )
    return Untrusted(words, fingerprint)


def given_trust(
    ca: str | None, fingerprint: str | None, environ: Mapping[str, str] | None = None
) -> Trust:
    """What was given, by options or else by variables.

    Arguments:
        ca, fingerprint: the options, the fingerprint as a person copied it; None if not given.
        environ: the variables; the process's own if left out.

    Raises:
        YoursToFix: if both were given, the fingerprint is not valid, or the file can't be used.
    """
    variables = os.environ if environ is None else environ
    if ca is not None and fingerprint is not None:
        raise YoursToFix("give one of --ca and --fingerprint")
    if ca is None and fingerprint is None:
        ca = variables.get(CA_VARIABLE) or None
        fingerprint = None if ca else variables.get(FINGERPRINT_VARIABLE)
    trust = Trust(ca or "", read_fingerprint(fingerprint) if fingerprint else "")
    trust.context()
    return trust


def read_fingerprint(text: str) -> str:
    """A fingerprint as a person has copied it: blanks, colons and case do not matter.

    Raises:
        YoursToFix: if it is not one.
    """
    digits = "".join(text.replace(":", " ").split()).lower().removeprefix("sha256=")
    if len(digits) != _DIGITS or not set(digits) <= set("0123456789abcdef"):
        raise YoursToFix(
            f"{text!r} is not a fingerprint: {_DIGITS} hex digits, as the server prints"
        )
    return digits


def shown_fingerprint(fingerprint: str) -> str:
    """A fingerprint for a person to compare: `3F2A 91C0 …`, in capitals, by fours."""
    digits = fingerprint.upper()
    return " ".join(digits[n : n + 4] for n in range(0, len(digits), 4))


async def fingerprint_of(url: str) -> str:
    """The fingerprint of the certificate that a server with wss or https shows; empty if none can
    be found out. Nothing is sent to the server."""
    try:
        parts = urlsplit(url)
        async with asyncio.timeout(LOOKING):
            _, writer = await asyncio.open_connection(
                parts.hostname, parts.port or _PORT, ssl=_unchecked()
            )
    except (OSError, UnicodeError, ValueError, TimeoutError):
        return ""
    try:
        return _shown(writer.get_extra_info("ssl_object"))
    finally:
        writer.transport.abort()


def _unchecked() -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    return context


def _shown(connection: ssl.SSLObject | ssl.SSLSocket | None) -> str:
    der = connection.getpeercert(binary_form=True) if connection is not None else None
    return hashlib.sha256(der).hexdigest() if der else ""


def next_pause(last: float, lived: float) -> float:
    """How long to wait before the next attempt to connect.

    Arguments:
        last: the pause before the connection that has just ended; 0 at first.
        lived: how long that connection, or the attempt at it, took.

    Returns:
        Twice the last pause up to the longest; the first pause again after a connection that held
        for a while, because it was sound. All in seconds of real time.
    """
    if lived > LONGEST_PAUSE or not last:
        return FIRST_PAUSE
    return min(2 * last, LONGEST_PAUSE)


def connection_options(url: str, trust: Trust, max_size: int) -> dict[str, Any]:
    """What `connect` of the package websockets is given beside the address.

    Arguments:
        url: the address, with ws or wss.
        trust: which server with TLS is the right one. What can be seen only of a connection,
            `Trust.check` has to see before anything is sent.
        max_size: of a frame from the server, in bytes.
    """
    return {
        "ssl": trust.context() if url.startswith("wss:") else None,
        "max_size": max_size,
        "max_queue": None,  # a full queue stops reading, and hides the end of the connection
        "compression": None,  # frames are short, and a key should not wait for a deflater
        "proxy": None,  # a contest's server is in the same room
        "ping_interval": PING_INTERVAL,
        "ping_timeout": PING_TIMEOUT,
        "close_timeout": LONGEST_PAUSE,
    }
