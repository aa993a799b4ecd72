"""Checks of the network: the port, how consoles reach it, its certificate, the server that runs."""

from __future__ import annotations

import errno
import ipaddress
import ssl
from collections.abc import Iterator
from pathlib import Path

from contest.preflight.finding import Check, Seen, green, red, yellow
from contest.preflight.ground import Ground

#: Turns that a handshake in memory takes at most.
_TURNS = 10


def port(ground: Ground) -> Iterator[Seen]:
    """The port is free, or the contest's own server has it."""
    serving = ground.serving
    shown = f"{_bracketed(serving.host)}:{serving.port}"
    if ground.running is not None:
        where = ground.running.server
        if serving.port in (0, ground.running.port):
            yield green(f"the contest's own server listens at {where}")
        else:
            yield yellow(
                f"the contest's server listens at {where}, and not at port {serving.port}",
                "tell consoles and links that port, or end the server and start it at this one",
            )
        return
    try:
        ground.machine.listen(serving.host, serving.port)
    except OSError as exc:
        remedies = {
            errno.EADDRINUSE: "end the other program that listens there, or take another --port",
            errno.EADDRNOTAVAIL: "give an address of this machine as --host, or 0.0.0.0 for all",
            errno.EACCES: "take a --port above 1023",
        }
        yield red(
            f"nobody can listen at {shown} ({exc.strerror or exc})",
            remedies.get(exc.errno or 0, "give another --host or --port"),
        )
    else:
        yield green(f"{shown} is free")


def addresses(ground: Ground) -> Iterator[Seen]:
    """Where consoles connect to, and from where."""
    serving = ground.serving
    try:
        bound = ipaddress.ip_address(serving.host)
    except ValueError:
        yield green(f"consoles connect to {serving.host}:{serving.port}")
        return
    if bound.is_loopback:
        yield green(
            f"consoles on this machine alone connect to {_bracketed(serving.host)}:{serving.port}; "
            "for others, serve (and check) with --host 0.0.0.0"
        )
        return
    found = [str(bound)]
    if bound.is_unspecified:
        found = [each for each in ground.machine.addresses() if bound.version == 6 or "." in each]
    if not found:
        yield yellow(
            "this machine has no address that others could reach",
            "plug the network in, or join the venue's",
        )
        return
    names = [f"{_bracketed(each)}:{serving.port}" for each in found]
    if bound.is_unspecified:
        names.append(f"{ground.machine.host_name()}:{serving.port}")
    yield green(f"consoles connect to {' or '.join(names)}; try one from a judge's terminal")


def certificate(ground: Ground) -> Iterator[Seen]:
    """The files for TLS fit together, and the certificate is not over."""
    serving = ground.serving
    if serving.certificate is None:
        if not _at_home(serving.host):
            yield yellow(
                "no certificate: what is typed, and the codes, go over the network as they are",
                "keep to a network of your own, or give --cert and --key",
            )
        return
    try:
        over = trial_handshake(serving.certificate, serving.key)
    except ssl.SSLCertVerificationError as exc:
        yield red(
            f"{serving.certificate}: consoles will refuse it ({exc.verify_message})",
            "have a new certificate made",
        )
    except (OSError, ValueError) as exc:
        reason = getattr(exc, "strerror", None) or exc
        yield red(
            f"{serving.certificate} and its key can't be used ({reason})",
            "give the certificate (PEM, with those between it and its root) and its key",
        )
    else:
        yield green(f"{serving.certificate} holds until {over}")


def trial_handshake(file: Path, key: Path | None) -> str:
    """Shakes hands in memory, as a console that trusts this very certificate would.

    Arguments:
        file: the certificate, in PEM.
        key: its key; None if it stands in the same file.

    Returns:
        Until when the certificate holds.

    Raises:
        ssl.SSLCertVerificationError: if it is over, or not yet begun.
        OSError: if certificate and key can't be read, or do not fit.
    """
    serving = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    serving.load_cert_chain(file, key)
    trusting = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    trusting.check_hostname = False
    trusting.load_verify_locations(file)
    # Itself is enough of a root: whom else the consoles trust is not known here.
    trusting.verify_flags |= ssl.VerifyFlags.VERIFY_X509_PARTIAL_CHAIN
    to_server, to_client = ssl.MemoryBIO(), ssl.MemoryBIO()
    ends = (
        trusting.wrap_bio(to_client, to_server),
        serving.wrap_bio(to_server, to_client, server_side=True),
    )
    for _ in range(_TURNS):
        waiting = 0
        for end in ends:
            try:
                end.do_handshake()
            except ssl.SSLWantReadError:
                waiting += 1
        if not waiting:
            break
    held = ends[0].getpeercert()
    return str((held or {}).get("notAfter", "a day that it does not say"))


def server(ground: Ground) -> Iterator[Seen]:
    """What the server says that runs in the folder."""
    if ground.door_trouble:
        yield yellow(
            f"a server was here, and does not answer: {ground.door_trouble}",
            "if it was killed, start it again: it goes on where it was",
        )
    if ground.running is None:
        return
    yield green(f"runs at {ground.running.server}: {ground.running.status['words']}")
    for said in ground.running.checks:
        what, words = str(said["what"]), str(said["words"])
        if said["ok"]:
            yield green(words, of=what)
            continue
        entry = next((e for e in ground.set.entry if what == f"entry {e.id}"), None)
        if entry is not None and entry.link == "local":
            yield red(words, f"`loebner control` can restart it, as in `restart {entry.id}`",
                      of=what)  # fmt: skip
        else:
            yield yellow(words, "wait for it: rounds do not begin before all are here", of=what)


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host else host


def _at_home(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


CHECKS = (
    Check("port", "the port", port, settings=False),
    Check("addresses", "addresses", addresses, settings=False),
    Check("tls", "the certificate", certificate, settings=False),
    Check("server", "the server", server),
)
