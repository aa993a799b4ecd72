"""Checks of the network: the port, how consoles reach it, its certificate, the server that runs."""

from __future__ import annotations

import errno
import ipaddress
from collections.abc import Iterator

from contest.doors.hosts import Hosts
from contest.doors.tls import identity
from contest.errors import BadSettings
from contest.preflight.finding import (
    Check,
    Level,
    Seen,
    green,
    red,
    yellow,
)
from contest.preflight.ground import Ground
from scheduler.texts import listed


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
    port = serving.port if ground.running is None else ground.running.port
    try:
        bound = ipaddress.ip_address(serving.host)
    except ValueError:
        yield green(f"consoles connect to {serving.host}:{port}")
        return
    if bound.is_loopback:
        yield green(
            f"consoles on this machine alone connect to {_bracketed(serving.host)}:{port}; "
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
    names = [f"{_bracketed(each)}:{port}" for each in found]
    if bound.is_unspecified:
        names.append(f"{ground.machine.host_name()}:{port}")
    yield green(f"consoles connect to {' or '.join(names)}; try one from a judge's terminal")


def hosts(ground: Ground) -> Iterator[Seen]:
    """By which names browsers may ask for the server."""
    own = Hosts(ground.set.server.names, ground.machine.host_name()).names
    yield green(
        f"browsers may ask for {listed(['its addresses', *sorted(own)])}; any other name is "
        "refused, unless it is in names of [server], or the certificate is for it"
    )


def certificate(ground: Ground) -> Iterator[Seen]:
    """The files for TLS fit together, and consoles will believe the certificate."""
    serving = ground.serving
    if serving.certificate is None:
        if not _at_home(serving.host):
            yield yellow(
                "no certificate: what is typed, and the codes, go over the network as they are",
                "keep to a network of your own, or give --cert and --key",
            )
        return
    try:
        shown = identity(serving.certificate, serving.key)
    except BadSettings as exc:
        yield red(str(exc), "give the certificate and its key, in PEM")
        return
    if shown.warnings:
        yield yellow(
            "; ".join(shown.warnings),
            "have a new certificate made, or hand its fingerprint out with the codes",
        )
    else:
        names = f"for {listed(shown.names)}" if shown.names else "of no name"
        yield green(f"{serving.certificate} is {names}; fingerprint {shown.fingerprint}")


def server(ground: Ground) -> Iterator[Seen]:
    """A server runs in the folder, or nothing is left of one."""
    if ground.door_trouble:
        yield yellow(
            f"a server was here, and does not answer: {ground.door_trouble}",
            "if it was killed, start it again: it goes on where it was",
        )
    if ground.running is None:
        return
    yield green(f"runs at {ground.running.server}: {ground.running.status['words']}")


def ready(ground: Ground) -> Iterator[Seen]:
    """What the server says that runs in the folder: of seats, entries and itself."""
    if ground.running is None:
        return
    local = {f"entry {entry.id}" for entry in ground.set.entry if entry.link == "local"}
    for said in ground.running.checks:
        what, words = str(said["what"]), str(said["words"])
        if said["level"] == Level.GREEN.value:
            yield green(words, of=what)
        elif said["level"] == Level.RED.value and what in local:
            yield red(
                words, f"`loebner control` can start it anew: restart {what.split()[-1]}", of=what
            )
        elif said["level"] == Level.RED.value:
            yield yellow(words, "a round does not begin before it is here, unless told", of=what)
        else:
            yield yellow(words, "look at it before the next round", of=what)


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
    Check("hosts", "the server's names", hosts),
    Check("tls", "the certificate", certificate, settings=False),
    Check("server", "the server", server),
    Check("ready", "the server's word", ready, joint="on"),
)
