"""TLS for the server: reads and checks its certificate and key before it starts."""

from __future__ import annotations

import hashlib
import os
import ssl
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from contest.errors import BadSettings

#: OpenSSL's numbers for errors in a certificate's dates, with the messages.
_WRONG_TIME = {
    9: "is not valid yet: consoles don't trust it without its fingerprint",
    10: "has expired: consoles don't trust it without its fingerprint",
}


@dataclass(frozen=True)
class Identity:
    """A server's TLS identity.

    Attributes:
        context: the context for its sockets.
        fingerprint: SHA-256 of the certificate, in hex; see lpp.connection.
        names: hosts and addresses that the certificate is for.
        warnings: problems that don't prevent its use, in words.
    """

    context: ssl.SSLContext
    fingerprint: str
    names: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


def identity(certificate: Path, key: Path | None = None) -> Identity:
    """Reads a server's TLS identity.

    Arguments:
        certificate: a PEM file with the server's certificate, then the intermediate ones.
        key: a PEM file with the private key; by default it is in the certificate's file.

    Raises:
        BadSettings: if they can't be used; says why.
    """
    pem = _read(certificate, "--cert")
    if key is not None:
        _read(key, "--key")
    der = _first_certificate(pem, certificate)
    private, asked = key or certificate, ["password"]
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    try:
        # When a server restarts, nobody is at the terminal to type a password.
        context.load_cert_chain(certificate, key, lambda: asked.pop() * 0)
    except ssl.SSLError as exc:
        if not asked:
            raise BadSettings(
                f"--key {private}: the key has a password; use a key without one, in a file that "
                "only you can read"
            ) from None
        raise BadSettings(_trouble(exc, certificate, key)) from exc
    shown, warning = _inspect(context, der)
    warnings = [f"the certificate {certificate} {warning}"] if warning else []
    if _others_can_read(private):
        warnings.append(f"others on this machine can read the key in {private}; chmod 600 it")
    names = tuple(value for _, value in shown.get("subjectAltName", ()))
    return Identity(context, hashlib.sha256(der).hexdigest(), names, tuple(warnings))


def _read(file: Path, option: str) -> str:
    try:
        return file.read_text(encoding="ascii", errors="replace")
    except OSError as exc:
        raise BadSettings(f"{option} {file}: can't be read ({exc.strerror or exc})") from exc


def _first_certificate(pem: str, file: Path) -> bytes:
    begin, end = pem.find(ssl.PEM_HEADER), pem.find(ssl.PEM_FOOTER)
    if begin < 0 or end < begin:
        raise BadSettings(f"--cert {file}: has no certificate in PEM (-----BEGIN CERTIFICATE-----)")
    try:
        der = ssl.PEM_cert_to_DER_cert(pem[begin : end + len(ssl.PEM_FOOTER)])
        ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT).load_verify_locations(cadata=der)
    except (ValueError, ssl.SSLError) as exc:
        raise BadSettings(f"--cert {file}: its certificate is broken ({exc})") from exc
    return der


def _trouble(exc: ssl.SSLError, certificate: Path, key: Path | None) -> str:
    if exc.reason == "KEY_VALUES_MISMATCH":
        return f"--key {key or certificate}: does not belong to the certificate in {certificate}"
    if exc.reason in ("PEM_LIB", None, "NO_START_LINE"):
        where = f"--key {key}" if key is not None else f"--cert {certificate}"
        return f"{where}: has no private key in PEM; give the right file as --key"
    return f"--cert {certificate}: can't be used ({exc.reason})"


def _inspect(context: ssl.SSLContext, der: bytes) -> tuple[dict[str, Any], str]:
    """The contents of the certificate, and a warning if clients would refuse it, such as for its
    dates.

    A client and a server connect in memory, and the client trusts only this certificate. If the
    client refuses it, its contents are not available.
    """
    client = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    client.check_hostname = False
    client.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN
    client.load_verify_locations(cadata=der)
    to_server, to_client = ssl.MemoryBIO(), ssl.MemoryBIO()
    ours = client.wrap_bio(to_client, to_server)
    theirs = context.wrap_bio(to_server, to_client, server_side=True)
    for _ in range(4):
        for end in (ours, theirs):
            try:
                end.do_handshake()
            except ssl.SSLWantReadError:
                continue
            except ssl.SSLCertVerificationError as exc:
                return {}, _WRONG_TIME.get(exc.verify_code, f"is refused: {exc.verify_message}")
            except ssl.SSLError as exc:
                return {}, f"can't be used ({exc.reason})"
    return dict(ours.getpeercert() or {}), ""


def _others_can_read(file: Path) -> bool:
    # On Windows, access rights protect a user's directory, and mode bits have no meaning.
    return os.name == "posix" and bool(file.stat().st_mode & (stat.S_IRGRP | stat.S_IROTH))
