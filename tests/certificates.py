"""Certificates for tests: an organizer's own authority, and certificates signed by it."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from pathlib import Path

import trustme


@dataclass(frozen=True)
class Shown:
    """The files of a server, and of clients that trust it.

    Attributes:
        certificate, key: the server's certificate and private key.
        authority: the certificate of the authority that signed it.
    """

    certificate: Path
    key: Path
    authority: Path


def make(
    place: Path,
    *names: str,
    until: dt.datetime | None = None,
    since: dt.datetime | None = None,
) -> Shown:
    """Makes certificate and key in a folder.

    Arguments:
        place: the folder to make.
        names: the hosts of the certificate; by default 127.0.0.1.
        since, until: the period in which it is valid; by default it is valid now.
    """
    place.mkdir(exist_ok=True)
    authority = trustme.CA()
    issued = authority.issue_cert(*(names or ("127.0.0.1",)), not_before=since, not_after=until)
    shown = Shown(place / "server.pem", place / "server.key", place / "authority.pem")
    shown.certificate.write_bytes(b"".join(each.bytes() for each in issued.cert_chain_pems))
    shown.key.touch(0o600)
    shown.key.write_bytes(issued.private_key_pem.bytes())
    authority.cert_pem.write_to_path(shown.authority)
    return shown
