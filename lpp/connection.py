"""How a console or a link connects to a contest's server: which servers it trusts with its code
(the client's side of TLS), and how it reconnects after losing the connection.

A server without TLS can't be checked. With TLS, the check depends on the user's options:

* with a *fingerprint*, the SHA-256 of the certificate: only this certificate is accepted, whatever
  its dates and host names;
* with a *file of authorities*: a certificate must be signed by one of them, valid now, and for this
  host;
* with neither: the same, with the authorities that the system trusts.

A certificate is never trusted just because it was the first one seen. The error for an untrusted
certificate shows its fingerprint, so that a person can compare it with the one that the server
printed.
"""

from __future__ import annotations

import asyncio
import hashlib
import os
import ssl
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from lpp.errors import UserError

#: Environment variables for the file and the fingerprint, if no option gives them.
CA_VARIABLE, FINGERPRINT_VARIABLE = "LOEBNER_CA", "LOEBNER_FINGERPRINT"
#: Seconds allowed for fetching the fingerprint of an untrusted certificate.
FETCH_TIMEOUT = 5.0
#: Hex digits of a fingerprint.
_DIGITS = 64
#: The port for TLS unless the address gives one.
_PORT = 443
#: The pauses between attempts to reconnect, in seconds of real time: the first, and the longest.
FIRST_PAUSE, LONGEST_PAUSE = 0.05, 2.0
#: Seconds between pings, and to wait for their answers. Without pings, a network that fails
#: silently would be noticed late.
PING_INTERVAL, PING_TIMEOUT = 5.0, 10.0


class Untrusted(UserError):
    """The server is not trusted; nothing was sent to it.

    Attributes:
        fingerprint: of the server's certificate; empty if not known.
    """

    def __init__(self, message: str, fingerprint: str = "") -> None:
        super().__init__(message)
        self.fingerprint = fingerprint


@dataclass(frozen=True, slots=True)
class Trust:
    """The certificates to trust.

    Attributes:
        ca: a PEM file with the certificates of authorities; empty for the system's.
        fingerprint: of the server's certificate, as `read_fingerprint` gives it; empty for none.
    """

    ca: str = ""
    fingerprint: str = ""

    def context(self) -> ssl.SSLContext:
        """The TLS context for a connection to the server; call `check` before sending anything.

        Raises:
            UserError: if the file can't be used.
        """
        if self.fingerprint:
            return _unchecked()
        try:
            context = ssl.create_default_context(cafile=self.ca or None)
        except ssl.SSLError as exc:
            raise UserError(f"{self.ca}: contains no PEM certificates ({exc.reason})") from exc
        except OSError as exc:
            raise UserError(f"{self.ca}: can't be read ({exc.strerror or exc})") from exc
        context.minimum_version = ssl.TLSVersion.TLSv1_2
        return context

    def check(self, connection: ssl.SSLObject | ssl.SSLSocket | None) -> None:
        """Checks the server's certificate on an open connection.

        Arguments:
            connection: its TLS object; None for a connection without TLS.

        Raises:
            Untrusted: if the certificate's fingerprint is not the given one, or the connection has
                no TLS although a file or a fingerprint was given.
        """
        if connection is None and (self.ca or self.fingerprint):
            raise Untrusted(
                "--ca and --fingerprint need a server with TLS: its address must begin with wss:// "
                "or https://"
            )
        if not self.fingerprint:
            return  # the context has checked it
        shown = _presented_fingerprint(connection)
        if shown != self.fingerprint:
            raise Untrusted(
                "the server's certificate doesn't have the given fingerprint; it has "
                f"{format_fingerprint(shown) if shown else 'none'}; check the address, and ask for "
                "the fingerprint that the server printed",
                shown,
            )


def untrusted_error(url: str, exc: ssl.SSLCertVerificationError, fingerprint: str) -> Untrusted:
    """The error for a certificate that no trusted authority has signed.

    Arguments:
        url: the server's address.
        exc: the failed verification.
        fingerprint: the certificate's, from `fingerprint_of`; empty if not known.
    """
    words = f"the certificate of {url} is not trusted ({exc.verify_message})"
    if fingerprint:
        words += (
            f". Its fingerprint is {format_fingerprint(fingerprint)}; if the server printed the "
            "same one, pass it as --fingerprint"
        )
    return Untrusted(words, fingerprint)


def read_trust(ca: str | None, fingerprint: str | None) -> Trust:
    """Reads what to trust from the options, or else from environment variables.

    Arguments:
        ca, fingerprint: the options, the fingerprint as a person copied it; None if not given.

    Raises:
        UserError: if both were given, the fingerprint is invalid, or the file can't be used.
    """
    if ca is not None and fingerprint is not None:
        raise UserError("give only one of --ca and --fingerprint")
    if ca is None and fingerprint is None:
        ca = os.environ.get(CA_VARIABLE) or None
        fingerprint = None if ca else os.environ.get(FINGERPRINT_VARIABLE)
    trust = Trust(ca or "", read_fingerprint(fingerprint) if fingerprint else "")
    trust.context()
    return trust


def read_fingerprint(text: str) -> str:
    """Reads a fingerprint that a person has copied, ignoring blanks, colons and case.

    Raises:
        UserError: if it is not a fingerprint.
    """
    digits = "".join(text.replace(":", " ").split()).lower().removeprefix("sha256=")
    if len(digits) != _DIGITS or not set(digits) <= set("0123456789abcdef"):
        raise UserError(
            f"{text!r} is not a fingerprint: give the {_DIGITS} hex digits that the server prints"
        )
    return digits


def format_fingerprint(fingerprint: str) -> str:
    """A fingerprint for a person to compare: capitals in groups of four, `3F2A 91C0 …`."""
    digits = fingerprint.upper()
    return " ".join(digits[n : n + 4] for n in range(0, len(digits), 4))


async def fingerprint_of(url: str) -> str:
    """The fingerprint of the certificate of a wss or https server; empty if it can't be fetched.
    Sends nothing to the server beyond the TLS handshake."""
    try:
        parts = urlsplit(url)
        async with asyncio.timeout(FETCH_TIMEOUT):
            _, writer = await asyncio.open_connection(
                parts.hostname, parts.port or _PORT, ssl=_unchecked()
            )
    except (OSError, UnicodeError, ValueError, TimeoutError):
        return ""
    try:
        return _presented_fingerprint(writer.get_extra_info("ssl_object"))
    finally:
        writer.transport.abort()


def _unchecked() -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    return context


def _presented_fingerprint(connection: ssl.SSLObject | ssl.SSLSocket | None) -> str:
    der = connection.getpeercert(binary_form=True) if connection is not None else None
    return hashlib.sha256(der).hexdigest() if der else ""


def next_pause(last: float, lived: float) -> float:
    """How long to wait before the next attempt to connect. All times are seconds of real time.

    Arguments:
        last: the pause before the connection that has just ended; 0 at first.
        lived: how long that connection, or the attempt, lasted.

    Returns:
        The first pause if there was none before, or if the connection lasted longer than the
        longest pause, because then the server works; otherwise twice the last pause, up to the
        longest.
    """
    if lived > LONGEST_PAUSE or not last:
        return FIRST_PAUSE
    return min(2 * last, LONGEST_PAUSE)


def connection_options(url: str, trust: Trust, max_size: int) -> dict[str, Any]:
    """The keyword arguments for `connect` of the package websockets.

    Arguments:
        url: the address, with ws or wss.
        trust: the certificates to trust. The caller must also call `Trust.check` on the open
            connection before sending anything.
        max_size: the most bytes in a frame from the server.
    """
    return {
        "ssl": trust.context() if url.startswith("wss:") else None,
        "max_size": max_size,
        "max_queue": None,  # a full queue would stop reading and hide the end of the connection
        "compression": None,  # frames are short, and compressing would delay a key
        "proxy": None,  # a contest's server is in the same room
        "ping_interval": PING_INTERVAL,
        "ping_timeout": PING_TIMEOUT,
        "close_timeout": LONGEST_PAUSE,
    }
